import { X509Certificate } from 'node:crypto';
import { describe, type Entity } from '../../../model/entity.ts';
import { comesFromEnvironment } from '../../../model/secret.ts';
import { textOf } from '../../../rules/fields.ts';
import { isVaultReference } from '../../../rules/pem.ts';
import { type Compared, noteInHead, placeOf } from '../compared.ts';
import type { RiskNote, RiskSeverity } from '../risk.ts';
import { countOf } from '../wording.ts';

const dayMs = 24 * 60 * 60 * 1000;
const noticeMs = 30 * dayMs;
const urgentMs = 7 * dayMs;

/** Notes about certificates of the head that end soon: what the change brings asks for more attention than what it found. */
export function certificateNotes(states: Compared): readonly RiskNote[] {
  return (['certificates', 'ca_certificates'] as const).flatMap((kind) =>
    (states.head.entities.get(kind) ?? []).flatMap((entity) =>
      ['cert', 'cert_alt'].flatMap((field) => noteOf(entity, field, states)),
    ),
  );
}

function noteOf(entity: Entity, field: string, states: Compared): readonly RiskNote[] {
  const text = textOf(entity, field);
  // What stands for a value of the environment, or comes from a vault, is no certificate to look into.
  if (text === null || isVaultReference(text) || comesFromEnvironment(entity, [field])) return [];
  const end = endOf(text);
  const left = end - states.instant;
  if (Number.isNaN(end) || left > noticeMs) return [];
  const before = states.inBase(entity);
  const isNew = before === undefined || textOf(before, field)?.trim() !== text.trim();
  const severity: RiskSeverity = !isNew ? 'notice' : left <= urgentMs ? 'danger' : 'warning';
  const day = new Date(end).toISOString().slice(0, 10);
  const when =
    left <= 0 ? `ended on ${day}` : `ends on ${day}, in ${countOf(Math.max(1, Math.floor(left / dayMs)), 'day')}`;
  const known = isNew ? '' : '; this change does not touch it';
  return [
    noteInHead('certificate-expiring', severity, `The ${field} of the ${describe(entity)} ${when}${known}.`, [
      placeOf(entity, field),
    ]),
  ];
}

/** When the first certificate of a PEM text ends, in milliseconds since 1970; NaN where it cannot be read. */
function endOf(pem: string): number {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    // Whether it can be read at all is for the rules to say.
    return Number.NaN;
  }
}
