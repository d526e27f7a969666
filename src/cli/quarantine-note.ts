import type { Session } from './session.ts';

/**
 * What is said besides where files are invalid for destinations that have quarantine: a command looks for no last good
 * version and takes nothing but the whole, while a daemon goes on. Empty where none of them has it.
 */
export function quarantineNote(names: readonly string[], { configuration }: Pick<Session, 'configuration'>): string {
  const known = names.filter((name) => configuration.destinationNames.includes(name));
  const those = known.filter((name) => configuration.policyOf(name).onInvalid === 'quarantine');
  if (those.length === 0) return '';
  return `konverge: ${those.join(', ')}: \`policy.onInvalid: quarantine\` is for a running daemon, which would keep what is broken in its last good version, or leave it out, and deliver the rest; this command takes valid files only\n`;
}
