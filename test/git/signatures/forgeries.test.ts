import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommit } from '../../../src/git/reading/commit.ts';
import { readSigningKeys } from '../../../src/git/signatures/signing-keys.ts';
import { splitCommit } from '../../../src/git/signatures/split-commit.ts';
import { verdictOn } from '../../../src/git/signatures/verdict-on.ts';
import { commitObject, committedAt, pgpSignature, pgpSigner, withSignature } from '../../support/signed-commit.ts';
import { signerTypes, sshSigner } from '../../support/ssh-signer.ts';

const now = committedAt * 1000;
const payload = commitObject('Raise a limit\n\nSee the ticket.\n');
const signer = sshSigner();
const keys = await readSigningKeys('allowed_signers', Buffer.from(`ada@example.com ${signer.publicKey}\n`));
const signature = signer.sign(payload);
const verdictOf = (raw: Uint8Array) => verdictOn(raw, keys, now);
const signed = withSignature(payload, signature);

describe('a commit object that is not what was signed', () => {
  it('is told when it has no signature, or has one only in its message', async () => {
    expect(await verdictOf(payload)).toMatchObject({ accepted: false, code: 'signature-missing' });
    const folded = `gpgsig ${signature.replace(/\n$/, '').replaceAll('\n', '\n ')}\n`;
    expect(await verdictOf(commitObject(`${folded}\nHello\n`))).toMatchObject({ code: 'signature-missing' });
    expect(await verdictOf(commitObject(`Hello\n\n${signature}`))).toMatchObject({ code: 'signature-missing' });
    // In the value of another header it is part of what is signed, and signs nothing.
    expect(await verdictOf(withSignature(payload, signature, 'mergetag'))).toMatchObject({ code: 'signature-missing' });
  });

  it('is refused with two signatures, one that is not by its own name, or headers that look like one', async () => {
    const other = sshSigner().sign(payload);
    for (const raw of [withSignature(signed, other), withSignature(withSignature(payload, other), signature)]) {
      expect(await verdictOf(raw)).toMatchObject({
        code: 'signature-unreadable',
        message: expect.stringContaining('two'),
      });
    }
    expect(await verdictOf(withSignature(payload, signature, 'gpgsig-sha256'))).toMatchObject({
      code: 'signature-unreadable',
      message: expect.stringContaining('SHA-256'),
    });
    expect(await verdictOf(withSignature(signed, other, 'gpgsig-sha256'))).toMatchObject({ accepted: true });
    expect(await verdictOf(withSignature(signed, other, 'gpgsig2'))).toMatchObject({ code: 'signature-unreadable' });
    expect(await verdictOf(withSignature(signed, other, 'GPGSIG'))).toMatchObject({ code: 'signature-bad' });
  });

  it('is refused with anything put before, between or behind', async () => {
    const text = signed.toString('latin1');
    const changes = [
      text.replace('tree ', 'tree 1111111111111111111111111111111111111111\ntree '),
      text.replace('\nauthor', '\nparent 1111111111111111111111111111111111111111\nauthor'),
      text.replace('\ngpgsig', '\nencoding latin1\ngpgsig'),
      text.replace('-----END SSH SIGNATURE-----\n', '-----END SSH SIGNATURE-----\n continued\n'),
      text.replace('-----END SSH SIGNATURE-----\n', '-----END SSH SIGNATURE-----\nx-more yes\n'),
      text.replace('\n\nRaise', '\n\n\nRaise'),
      `${text}\n`,
      text.replaceAll('\n', '\r\n'),
      text.replaceAll(/\n /g, '\r\n '),
      text.replace('\n\n', '\r\n\r\n'),
    ];
    for (const change of changes) {
      const verdict = await verdictOf(Buffer.from(change, 'latin1'));
      expect(verdict.accepted, JSON.stringify(change)).toBe(false);
    }
    // Empty lines behind the signature are what some forges write; they are no part of what is signed.
    const spaced = Buffer.from(text.replace('\n\nRaise', '\n \n\nRaise'), 'latin1');
    expect(await verdictOf(spaced)).toMatchObject({ accepted: true });
    for (const place of ['Ada', 'Raise', 'SSH SIG', 'See the']) {
      const raw = Buffer.from(text.replace(place, `${place}\0`), 'latin1');
      expect(await verdictOf(raw)).toMatchObject({
        code: 'signature-unreadable',
        message: expect.stringContaining('NUL'),
      });
    }
  });

  it('is refused with the signature of another commit by the same key', async () => {
    const other = withSignature(commitObject('Drop everything\n'), signature);
    expect(await verdictOf(other)).toMatchObject({ code: 'signature-bad' });
  });

  it('says why in one line, whatever it holds', async () => {
    const odd = withSignature(payload, '\u001b[2JHello\u0007');
    const verdict = await verdictOf(odd);
    expect(verdict).toMatchObject({ code: 'signature-unreadable' });
    expect(verdict.accepted ? '' : verdict.message).not.toMatch(/\p{C}/u);
  });
});

describe('a bit that is flipped', () => {
  const flipped = (raw: Uint8Array, at: number): Buffer => {
    const copy = Buffer.from(raw);
    const byte = Math.floor(at / 8) % raw.length;
    copy[byte] = (copy[byte] ?? 0) ^ (1 << (at % 8));
    return copy;
  };

  it.each(signerTypes)('anywhere in a commit signed by %s is never accepted', async (type) => {
    const one = sshSigner(type);
    const all = await readSigningKeys('allowed_signers', Buffer.from(`ada@example.com ${one.publicKey}\n`));
    const raw = withSignature(payload, one.sign(payload));
    expect(await verdictOn(raw, all, now)).toMatchObject({ accepted: true });
    await fc.assert(
      fc.asyncProperty(fc.nat(raw.length * 8 - 1), async (at) => {
        expect((await verdictOn(flipped(raw, at), all, now)).accepted).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  it.each(['ecc', 'rsa'] as const)('anywhere in a commit signed by OpenPGP with %s is never accepted', async (type) => {
    const ada = await pgpSigner({ type });
    const all = await readSigningKeys('ada.asc', Buffer.from(ada.publicKey));
    const raw = withSignature(payload, await pgpSignature(ada, payload));
    expect(await verdictOn(raw, all, now)).toMatchObject({ accepted: true });
    await fc.assert(
      fc.asyncProperty(fc.nat(raw.length * 8 - 1), async (at) => {
        expect((await verdictOn(flipped(raw, at), all, now)).accepted).toBe(false);
      }),
      { numRuns: 400 },
    );
  });
});

describe('bytes of any kind', () => {
  it('are judged in little time, however many there are', async () => {
    const lines = '\n'.repeat(500_000);
    for (const text of [
      `-----BEGIN SSH SIGNATURE-----${lines}x`,
      `-----BEGIN PGP SIGNATURE-----${lines}x`,
      `-----BEGIN PGP SIGNATURE-----\n\n${'A'.repeat(2_000_000)}\n-----END PGP SIGNATURE-----\n`,
      ' '.repeat(2_000_000),
    ]) {
      expect(await verdictOf(withSignature(payload, text))).toMatchObject({ code: 'signature-unreadable' });
    }
    const wide = payload.toString('latin1').replace('author Ada', `author ${' '.repeat(1_000_000)}x`);
    expect(parseCommit(Buffer.from(wide), 'r').author).toBe('x');
  });

  it('are judged without a fault, and accepted by nobody', async () => {
    const parts = fc.constantFrom(
      'tree ',
      'gpgsig ',
      '\n',
      '\n\n',
      ' ',
      '-----BEGIN SSH SIGNATURE-----',
      '-----END SSH SIGNATURE-----',
      '-----BEGIN PGP SIGNATURE-----',
      '-----END PGP SIGNATURE-----',
      'U1NIU0lH',
      'wnUEARYK',
      'iHUEABYK',
      '=abcd',
      '\0',
      'é',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(parts, fc.base64String())), async (texts) => {
        const raw = Buffer.from(texts.join(''));
        expect((await verdictOf(raw)).accepted).toBe(false);
        const text = texts.join('');
        const inside = withSignature(
          payload,
          `-----BEGIN PGP SIGNATURE-----\n\n${text}\n-----END PGP SIGNATURE-----\n`,
        );
        expect((await verdictOf(inside)).accepted).toBe(false);
      }),
    );
  });

  it('are not gone through where their headers are longer than any tool writes', async () => {
    const text = payload.toString('latin1');
    const raw = Buffer.from(text.replace('\n\n', `\n${'a b\n'.repeat(2_000_000)}\n`));
    const begun = performance.now();
    expect(await verdictOf(raw)).toMatchObject({ code: 'signature-unreadable' });
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it('are split so that nothing is lost but the signature', () => {
    const split = splitCommit(signed);
    expect(split).toMatchObject({ readable: true, signature: signature.trimEnd(), committedAt });
    expect(split.readable && Buffer.from(split.payload).equals(payload)).toBe(true);
  });
});
