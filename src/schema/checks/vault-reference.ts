import type { Json } from '../../model/json.ts';

/** Whether a value is a reference to a secret in a vault (`{vault://…}`), which Kong resolves when it needs the value. */
export function isVaultReference(value: Json): boolean {
  return typeof value === 'string' && /^\{vault:\/\/[^\s{}]+\}$/.test(value);
}
