import type { RawEntity, RawReference } from '../../../model/assemble.ts';
import { type Json, setOwn } from '../../../model/json.ts';
import type { KindName } from '../../../model/kind.ts';
import { nearestWord } from '../../../model/suggest.ts';
import type { Spot } from '../findings.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import type { DataValue } from '../objects/secret-data.ts';
import { tagsOf } from '../objects/tags.ts';
import type { Translation } from '../translation.ts';
import { rawEntity, refersTo } from './raw.ts';

/** The label that says what kind of credential a Secret is. */
export const credentialLabel = 'konghq.com/credential';

interface CredentialType {
  readonly kind: KindName;
  /** What the type cannot do without, whatever else is there. */
  readonly needed: readonly string[];
  /** What a controller's webhook asks for besides. */
  readonly asked: readonly string[];
}

/** The types of credentials (kic.md 4.1, 5 to 7). */
const types: Readonly<Record<string, CredentialType>> = {
  'key-auth': { kind: 'keyauth_credentials', needed: ['key'], asked: [] },
  'basic-auth': { kind: 'basicauth_credentials', needed: ['username'], asked: ['password'] },
  'hmac-auth': { kind: 'hmacauth_credentials', needed: ['username'], asked: ['secret'] },
  jwt: { kind: 'jwt_secrets', needed: ['key'], asked: [] },
  oauth2: { kind: 'oauth2_credentials', needed: ['name', 'client_id'], asked: ['client_secret', 'redirect_uris'] },
  acl: { kind: 'acls', needed: ['group'], asked: [] },
  'mtls-auth': { kind: 'mtls_auth_credentials', needed: ['subject_name'], asked: [] },
};

/** The credential that a Secret holds, given to a consumer; nothing where it cannot be one, which is reported. */
export function credentialOf(
  secret: KubeObject,
  consumer: RawEntity,
  from: Spot,
  to: Translation,
): readonly RawEntity[] {
  const type = typeOf(secret, from, to);
  if (type === null) return [];
  const data = to.data.of(secret);
  if (!isComplete(secret, type, data, from, to)) return [];
  const fields: { [field: string]: Json } = {};
  const references: RawReference[] = [refersTo('consumer', consumer)];
  for (const [key, { text, field }] of data) {
    // How the type was said before there was a label for it.
    if (key === 'kongCredType') continue;
    if (key === 'ca_certificate') references.push({ field: key, index: null, to: { id: text } });
    else {
      const value = fieldOf(key, text);
      if (value !== null) setOwn(fields, key, value);
      else {
        const message = `\`${key}\` of ${shownObject(secret)} has to be ${key === 'ttl' ? 'a whole number' : 'true or false'}`;
        to.findings.error('kubernetes-credential', { object: secret, path: [field, key] }, message, 'Correct it.', {
          others: [from],
        });
      }
    }
  }
  if (type.kind === 'jwt_secrets' && fields['algorithm'] === undefined) fields['algorithm'] = 'HS256';
  const places = [
    ...[...data].map(([key, { field }]) => ({ field: [key], object: secret, path: [field, key] })),
    { field: ['consumer'], object: from.object, path: from.path ?? [] },
  ];
  return [rawEntity(type.kind, secret, { ...fields, tags: tagsOf(secret) }, { places, references })];
}

function typeOf(secret: KubeObject, from: Spot, { findings }: Translation): CredentialType | null {
  const written = secret.labels.get(credentialLabel);
  const known = Object.keys(types);
  if (written === undefined) {
    const message = `${shownObject(secret)} is named as a credential and has no label ${credentialLabel}`;
    const hint = `Add the label; it is one of ${known.join(', ')}.`;
    findings.error('kubernetes-credential', { object: secret }, message, hint, { others: [from] });
    return null;
  }
  const type = types[written];
  if (type !== undefined) return type;
  const nearest = nearestWord(written, known);
  findings.error(
    'kubernetes-credential',
    { object: secret, path: ['metadata', 'labels', credentialLabel] },
    `There are no credentials of the type ${JSON.stringify(written)}`,
    nearest === undefined ? `The types are ${known.join(', ')}.` : `Did you mean ${JSON.stringify(nearest)}?`,
    { others: [from] },
  );
  return null;
}

function isComplete(
  secret: KubeObject,
  type: CredentialType,
  data: ReadonlyMap<string, DataValue>,
  from: Spot,
  { findings, settings }: Translation,
): boolean {
  const lacks = (keys: readonly string[]) => keys.filter((key) => (data.get(key)?.text ?? '') === '');
  const tell = (missing: readonly string[], severity: 'error' | 'warning') => {
    if (missing.length === 0) return;
    const message = `${shownObject(secret)} is a credential and has no ${missing.map((key) => `\`${key}\``).join(', no ')}`;
    const hint = 'Add what is missing under `stringData`, or encoded under `data`.';
    findings[severity]('kubernetes-credential', { object: secret }, message, hint, { others: [from] });
  };
  const needed = lacks(type.needed);
  tell(needed, 'error');
  if (needed.length > 0) return false;
  const asked = lacks(type.kind === 'jwt_secrets' ? jwtKeys(data) : type.asked);
  // Only the webhook of a controller asks for these; objects that are taken as they were written never met one.
  tell(asked, settings.apiDefaults ? 'error' : 'warning');
  return true;
}

/** A JWT credential needs the key that goes with its algorithm, which is HS256 where none is named. */
function jwtKeys(data: ReadonlyMap<string, DataValue>): readonly string[] {
  const algorithm = data.get('algorithm')?.text ?? 'HS256';
  return algorithm.startsWith('HS') ? ['secret'] : ['rsa_public_key'];
}

/** The value of a field, which a Secret holds as a text; null where the text does not fit. */
function fieldOf(key: string, text: string): Json | null {
  switch (key) {
    case 'redirect_uris':
      return text.split(',').map((uri) => uri.trim());
    case 'hash_secret':
      return /^(?:true|false)$/i.test(text.trim()) ? text.trim().toLowerCase() === 'true' : null;
    case 'ttl':
      return /^\d+$/.test(text.trim()) ? Number(text) : null;
    default:
      return text;
  }
}
