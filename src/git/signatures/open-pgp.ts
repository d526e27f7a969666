/** The library for OpenPGP, which takes a moment to load: only who meets such a key or signature waits for it. */
export function loadOpenPgp(): Promise<typeof import('openpgp')> {
  return import('openpgp');
}
