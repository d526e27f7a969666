import { SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import type { Json } from '../model/json.ts';
import { loneSurrogate, unfitTag, unknownTag } from './compose-findings.ts';
import type { FindingText } from './findings.ts';
import { numberProblem, readPlain, readTagged } from './scalars.ts';
import { tagNames } from './tags.ts';

/** What a scalar reads as, and what is wrong with it. */
export interface ScalarValue {
  readonly value: Json;
  readonly problem: FindingText | null;
}

const half = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** The value of a scalar without a tag. Of a key nothing is lost, for it is a text whatever it looks like. */
export function untaggedValue(event: ScalarEvent, source: string, isKey: boolean): ScalarValue {
  if (event.style === SCALAR_STYLE.PLAIN) {
    const value = readPlain(source);
    const checked = !isKey && (typeof value === 'number' || isNumberLike(source));
    return { value, problem: checked ? numberProblem(source, value) : null };
  }
  const escaped = event.style === SCALAR_STYLE.DOUBLE_QUOTED && !event.fast;
  return { value: source, problem: escaped && half.test(source) ? loneSurrogate : null };
}

/** The value of a scalar with a tag, by the tag's full name. */
export function taggedValue(source: string, tagName: string): ScalarValue {
  if (tagName === tagNames.sequence || tagName === tagNames.mapping) {
    if (source !== '') return { value: source, problem: unfitTag };
    return { value: tagName === tagNames.sequence ? [] : {}, problem: null };
  }
  const read = readTagged(source, tagName);
  if (!read.known) return { value: source, problem: unknownTag };
  if (read.value === undefined) return { value: source, problem: unfitTag };
  return { value: read.value, problem: typeof read.value === 'number' ? numberProblem(source, read.value) : null };
}

/** Whether a plain text begins as a number does. */
function isNumberLike(text: string): boolean {
  const unit = text.charCodeAt(0);
  return (unit >= 48 && unit <= 57) || ((unit === 43 || unit === 45 || unit === 46) && text.length > 1);
}
