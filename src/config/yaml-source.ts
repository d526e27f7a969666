import {
  CORE_SCHEMA,
  constructFromEvents,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  getScalarValue,
  mergeTag,
  parseEvents,
  SCALAR_STYLE_DOUBLE_QUOTED,
  SCALAR_STYLE_SINGLE_QUOTED,
  YAMLException,
} from 'js-yaml';
import { ConfigurationError, type ConfigurationPlace } from './configuration-error.ts';
import type { KeyPath } from './tree.ts';

/** A configuration file, read: its value, and where each key stands. */
export interface YamlSource {
  readonly file: string;
  readonly value: unknown;
  /** The place of a key (of an item, in a list), or else of the nearest enclosing one. */
  placeOf(path: KeyPath): ConfigurationPlace;
}

const schema = CORE_SCHEMA.withTags(mergeTag);

/** Aliases that a file may use, so that none can blow up to more than memory holds. */
const maxAliases = 100;

/** Reads YAML 1.2 with merge keys. Throws ConfigurationError with the place of what cannot be read. */
export function readYaml(file: string, text: string): YamlSource {
  const source = text.replace(/^\uFEFF/, '');
  const [events, documents] = parse(file, source);
  if (documents.length > 1) throw failed(file, 1, 1, 'holds several YAML documents; one is read');
  const value = documents[0] ?? {};
  if (refersToItself(value, [])) throw failed(file, 1, 1, 'holds a YAML alias that contains itself');
  const root = placesOf(events, source);
  return {
    file,
    value,
    placeOf: (path) => {
      let node = root;
      for (const key of path) {
        const next = node.children.get(String(key));
        if (next === undefined) break;
        node = next;
      }
      return placeAt(file, source, node.offset);
    },
  };
}

/** One value given on the command line, as YAML; undefined where it cannot be read. */
export function readYamlValue(text: string): { readonly value: unknown } | undefined {
  try {
    const documents = constructFromEvents(parseEvents(text, {}), { source: text, schema, maxAliases: 0 });
    return documents.length > 1 ? undefined : { value: documents[0] ?? null };
  } catch {
    return undefined;
  }
}

function parse(file: string, source: string): readonly [readonly Event[], readonly unknown[]] {
  try {
    const events = parseEvents(source, {});
    return [events, constructFromEvents(events, { source, schema, maxAliases })];
  } catch (thrown) {
    if (!(thrown instanceof YAMLException)) throw failed(file, 1, 1, 'cannot be read as YAML');
    throw failed(file, (thrown.mark?.line ?? 0) + 1, (thrown.mark?.column ?? 0) + 1, `is not YAML: ${thrown.reason}`);
  }
}

function failed(file: string, line: number, column: number, message: string): ConfigurationError {
  return new ConfigurationError([{ key: '', message: `the file ${message}`, hint: '', place: { file, line, column } }]);
}

function refersToItself(value: unknown, above: readonly object[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (above.includes(value)) return true;
  const within = [...above, value];
  return Object.values(value).some((item) => refersToItself(item, within));
}

interface PlaceNode {
  readonly offset: number;
  readonly children: Map<string, PlaceNode>;
}

/** The offsets of keys and items, by the events that js-yaml gives in place of positions. */
function placesOf(events: readonly Event[], source: string): PlaceNode {
  let next = 0;
  const walk = (offset: number): PlaceNode => {
    const node: PlaceNode = { offset, children: new Map() };
    const event = events[next];
    next += 1;
    if (event?.type === EVENT_SEQUENCE) {
      for (let index = 0; !ended(); index += 1) node.children.set(String(index), walk(startOf(events[next], offset)));
      next += 1;
    } else if (event?.type === EVENT_MAPPING) {
      while (!ended()) {
        const key = events[next];
        const keyOffset = startOf(key, offset);
        walk(keyOffset);
        const name = key?.type === EVENT_SCALAR ? getScalarValue(source, key) : '';
        node.children.set(name, walk(keyOffset));
      }
      next += 1;
    }
    return node;
  };
  const ended = () => next >= events.length || events[next]?.type === EVENT_POP;
  // The first event opens the document.
  next = 1;
  return ended() ? { offset: 0, children: new Map() } : walk(startOf(events[next], 0));
}

function startOf(event: Event | undefined, otherwise: number): number {
  if (event === undefined) return otherwise;
  if (event.type === EVENT_SCALAR && event.valueStart >= 0) {
    // The value of a quoted text starts after its quote.
    const quoted = event.style === SCALAR_STYLE_SINGLE_QUOTED || event.style === SCALAR_STYLE_DOUBLE_QUOTED;
    return event.valueStart - (quoted ? 1 : 0);
  }
  if ('start' in event && event.start >= 0) return event.start;
  if ('anchorStart' in event && event.anchorStart >= 0) return event.anchorStart;
  return otherwise;
}

function placeAt(file: string, source: string, offset: number): ConfigurationPlace {
  const before = source.slice(0, offset);
  const line = before.split('\n').length;
  return { file, line, column: offset - before.lastIndexOf('\n') };
}
