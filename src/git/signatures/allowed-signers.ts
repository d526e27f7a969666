import { allowedTime } from './allowed-time.ts';
import { base64 } from './armor.ts';
import { KeyFault } from './key-fault.ts';
import { isCertificateType, isKeyType, readSshKey, type SshKey } from './ssh-key.ts';
import { SshFormError } from './ssh-wire.ts';

/** One line of an `allowed_signers` file: whose key it is, for what, and when. */
export interface AllowedSigner {
  /** The patterns of principals as they are written; null for a key that is allowed for everybody. */
  readonly principals: string | null;
  readonly key: SshKey;
  /** A list of patterns; null for every namespace. */
  readonly namespaces: string | null;
  /** The seconds since 1970 from which and up to which a signature counts. */
  readonly validAfter: number | null;
  readonly validBefore: number | null;
}

type Options = Pick<AllowedSigner, 'namespaces' | 'validAfter' | 'validBefore'>;

/**
 * Reads an `allowed_signers` file as ssh-keygen(1) describes it. Throws KeyFault at the first line that is not one: a
 * line that were passed over could be the one that says until when a key is good.
 */
export function readAllowedSigners(text: string): readonly AllowedSigner[] {
  return meaningful(text).map(({ line, at }) => {
    const { word: principals, rest } = firstWord(line, at);
    if (isKeyType(principals)) {
      throw new KeyFault(
        at,
        'begins with a key, and says nobody whose it is',
        'Write the principal before it, such as an e-mail address, or name the file `….pub` to allow its keys for all.',
      );
    }
    const { options, rest: keyText } = keyBegins(rest) ? { options: noOptions, rest } : readOptions(rest, at);
    return { principals, ...options, key: keyOf(keyText, at) };
  });
}

/** Reads a file of public keys as ssh-keygen writes them (`….pub`): each of them is allowed. Throws KeyFault. */
export function readPublicKeys(text: string): readonly AllowedSigner[] {
  return meaningful(text).map(({ line, at }) => ({ principals: null, ...noOptions, key: keyOf(line, at) }));
}

const noOptions: Options = { namespaces: null, validAfter: null, validBefore: null };

function meaningful(text: string): readonly { readonly line: string; readonly at: number }[] {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), at: index + 1 }));
  return lines.filter(({ line }) => line !== '' && !line.startsWith('#'));
}

/** The first word of a line, which may be in quotes to hold spaces. */
function firstWord(line: string, at: number): { readonly word: string; readonly rest: string } {
  const found = line.startsWith('"') ? /^"([^"]*)"(?:\s+(.*))?$/.exec(line) : /^(\S+)(?:\s+(.*))?$/.exec(line);
  const [, word = '', rest = ''] = found ?? [];
  if (word === '' || rest === '') throw new KeyFault(at, 'is not `PRINCIPALS [OPTIONS] TYPE KEY`', asWritten);
  return { word, rest };
}

const asWritten = 'ssh-keygen(1) has the form under ALLOWED SIGNERS, docs/signatures.md an example.';

function keyBegins(text: string): boolean {
  return isKeyType(text.split(/\s/, 1)[0] ?? '');
}

function keyOf(text: string, at: number): SshKey {
  const [type = '', written = ''] = text.split(/\s+/);
  const blob = isKeyType(type) ? base64(written) : null;
  if (blob === null) throw new KeyFault(at, 'holds no public key of SSH', asWritten);
  try {
    const key = readSshKey(blob);
    if (key.type === type) return key;
    throw new KeyFault(at, `says ${type} of a key that is ${key.type}`, asWritten);
  } catch (thrown) {
    if (!(thrown instanceof SshFormError)) throw thrown;
    const hint = isCertificateType(type) ? certificatesHint : 'Take the line out, or put another key in its place.';
    throw new KeyFault(at, `has a key that cannot be taken: ${thrown.message}`, hint);
  }
}

const certificatesHint = 'Give the keys of the people themselves, one to a line.';

/** Options up to the first space outside quotes: names with commas between them, their values in quotes. */
function readOptions(text: string, at: number): { readonly options: Options; readonly rest: string } {
  const found: { [name: string]: string } = {};
  let rest = text;
  for (;;) {
    const option = /^([a-z-]+)(?:="((?:[^"\\]|\\.)*)")?/i.exec(rest);
    if (option === null) throw new KeyFault(at, 'has options that cannot be read', asWritten);
    const [all, name = '', value] = option;
    addOption(found, name.toLowerCase(), value, at);
    rest = rest.slice(all.length);
    if (!rest.startsWith(',')) break;
    rest = rest.slice(1);
  }
  if (!/^\s/.test(rest) || !keyBegins(rest.trim())) throw new KeyFault(at, 'holds no public key of SSH', asWritten);
  const options: Options = {
    namespaces: found['namespaces'] ?? null,
    validAfter: timeOf('valid-after', found, at),
    validBefore: timeOf('valid-before', found, at),
  };
  if (options.validAfter !== null && options.validBefore !== null && options.validAfter >= options.validBefore) {
    throw new KeyFault(at, 'has a valid-before that is not after its valid-after', asWritten);
  }
  return { options, rest: rest.trim() };
}

function addOption(found: { [name: string]: string }, name: string, value: string | undefined, at: number): void {
  if (name === 'cert-authority') {
    throw new KeyFault(at, 'allows an authority of certificates, and these are not supported', certificatesHint);
  }
  if (!['namespaces', 'valid-after', 'valid-before'].includes(name)) {
    throw new KeyFault(at, `has the option ${JSON.stringify(name)}, which is not known`, asWritten);
  }
  if (value === undefined) throw new KeyFault(at, `has the option ${name} without a value in quotes`, asWritten);
  if (found[name] !== undefined) throw new KeyFault(at, `has the option ${name} twice`, asWritten);
  found[name] = value.replace(/\\(.)/g, '$1');
}

function timeOf(name: string, found: { readonly [name: string]: string }, at: number): number | null {
  const written = found[name];
  if (written === undefined) return null;
  const time = allowedTime(written);
  if (time !== null) return time;
  throw new KeyFault(at, `has a ${name} that is no time`, 'Write YYYYMMDD or YYYYMMDDHHMM[SS], with a Z for UTC.');
}
