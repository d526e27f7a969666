import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Entity } from '../model/entity.ts';
import { comesFromEnvironment } from '../model/secret.ts';
import type { RuleContext } from './rule.ts';

/** A certificate as it was read, or null where the text holds none that can be read. */
export function certificateIn(entity: Entity, field: string, context: RuleContext): X509Certificate | null {
  const text = pemText(entity, field, context);
  if (text === null) return null;
  return parsed(
    text,
    context.memo('certificates', () => new Map<string, X509Certificate | null>()),
    (pem) => {
      return new X509Certificate(pem);
    },
  );
}

/** A private key as it was read, or null where the text holds none that can be read without a passphrase. */
export function privateKeyIn(entity: Entity, field: string, context: RuleContext): KeyObject | null {
  const text = pemText(entity, field, context);
  if (text === null) return null;
  return parsed(
    text,
    context.memo('private keys', () => new Map<string, KeyObject | null>()),
    createPrivateKey,
  );
}

/** The text of a field that is to hold PEM; null where there is none, or where something else stands for it. */
export function pemText(entity: Entity, field: string, { valuesStandIn }: RuleContext): string | null {
  if (valuesStandIn && comesFromEnvironment(entity, [field])) return null;
  const value = entity.fields[field];
  return typeof value === 'string' && value !== '' && !isVaultReference(value) ? value : null;
}

/** Whether a text stands for a secret that Kong fetches from a vault. */
export function isVaultReference(text: string): boolean {
  return /^\{vault:\/\/[^}]*\}$/.test(text);
}

/** How many certificates a PEM text holds. */
export function certificateCount(pem: string): number {
  return pem.split('-----BEGIN CERTIFICATE-----').length - 1;
}

/** Node throws its own error for a text that it cannot read; here that is an answer like any other. */
function parsed<T>(text: string, known: Map<string, T | null>, parse: (text: string) => T): T | null {
  const before = known.get(text);
  if (before !== undefined) return before;
  let value: T | null;
  try {
    value = parse(text);
  } catch {
    value = null;
  }
  known.set(text, value);
  return value;
}
