import { isJsonArray, type Json } from '../../model/json.ts';
import { type Answer, envelope, schemaViolation } from '../http/answers.ts';
import { fieldError } from '../state/entity-check.ts';
import type { Gateway } from '../state/gateway.ts';
import { withServerMade } from '../state/server-made.ts';
import { referenceId } from '../state/store.ts';

/**
 * Checks the `snis` that a certificate is written with: well formed, each once, none of another certificate. The names
 * are undefined where the body has none, which leaves a certificate's SNIs as they are on PATCH.
 */
export function checkSniList(
  gateway: Gateway,
  value: Json | undefined,
  certificateId: string | null,
): { readonly names: readonly string[] | undefined } | { readonly refused: Answer } {
  if (value === null) return { names: [] };
  if (!isJsonArray(value)) return { names: undefined };
  const names = value.filter((name) => typeof name === 'string');
  if (names.length < value.length) return { names: undefined };
  if (new Set(names).size < names.length) return { refused: schemaViolation({ snis: 'one name stands here twice' }) };
  for (const name of names) {
    const fault = fieldError(gateway.schemas, 'snis', 'name', name);
    if (fault !== null) return { refused: envelope(10, fault, {}, 'invalid unique name') };
    const owner = referenceId(gateway.store.findUnique('snis', 'name', name)?.['certificate']);
    if (owner !== null && owner !== certificateId) {
      return { refused: schemaViolation({ snis: `one of these names belongs to the certificate ${owner}` }) };
    }
  }
  return { names };
}

/** Gives a certificate exactly these SNIs; those that it has already stay what they are. */
export function putSniList(gateway: Gateway, certificateId: string, names: readonly string[]): void {
  const snis = gateway.collections.get('snis');
  if (snis === undefined) return;
  const known = gateway.store.childrenOf('snis', 'certificate', certificateId);
  for (const sni of known) if (!names.includes(String(sni['name']))) gateway.store.remove('snis', sni.id);
  for (const name of names) {
    if (known.some((sni) => sni['name'] === name)) continue;
    const made = withServerMade(gateway, snis, { name, tags: null, certificate: { id: certificateId } }, null);
    gateway.store.put('snis', { ...made, id: String(made['id']) });
  }
}
