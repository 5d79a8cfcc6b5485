// What the key of an installation signs: a text with the digest of a whole proof, by Ed25519.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateSecrets } from '../../src/modules/accounts/index.ts';
import { createKey, unsealKey } from '../../src/modules/proofs/keys.ts';
import { isWhole, proofsAreDue, signedTextOf } from '../../src/modules/proofs/signing.ts';
import { canonical, digestProof, type ProofBody } from '../../src/modules/queue/landing/proof.ts';
import { world } from '../support/world.ts';

const secrets = generateSecrets();
const { key, sealed } = createKey(secrets);
const text = signedTextOf('d'.repeat(64));

/** By the public key alone, as everybody can. */
function isSigned(publicKey: string, signature: string, signed: string): boolean {
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  const known = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(signed), known, Buffer.from(signature, 'base64'));
}

describe('a key for proofs', () => {
  it('has 64 hexadecimal digits, and no two keys are equal', () => {
    expect(key.publicKey).toMatch(/^[0-9a-f]{64}$/);
    expect(createKey(secrets).key.publicKey).not.toBe(key.publicKey);
  });

  it('signs so that the public key verifies the text, and no other text', () => {
    const signature = key.sign(text);
    expect(signature).toMatch(/^[A-Za-z0-9+/]{86}==$/);
    expect(isSigned(key.publicKey, signature, text)).toBe(true);
    expect(isSigned(key.publicKey, signature, signedTextOf('e'.repeat(64)))).toBe(false);
    expect(isSigned(createKey(secrets).key.publicKey, signature, text)).toBe(false);
  });

  it('is the same key after it was sealed and unsealed', () => {
    const again = unsealKey(secrets, key.publicKey, sealed);
    expect([again?.publicKey, again?.sign(text)]).toEqual([key.publicKey, key.sign(text)]);
  });

  it.each([
    ['with other secrets', generateSecrets(), key.publicKey, sealed],
    ['as another key', secrets, createKey(secrets).key.publicKey, sealed],
    ['after a change', secrets, key.publicKey, Buffer.concat([sealed.subarray(0, -1), Buffer.of(0, 0)])],
  ])('is not unsealed %s', (_, by, name, bytes) => {
    expect(unsealKey(by, name, bytes)).toBeNull();
  });

  it('is not readable in its sealed form', () => {
    expect(sealed.includes(Buffer.from(key.publicKey, 'hex'))).toBe(false);
    expect(createKey(secrets).sealed.equals(sealed)).toBe(false);
  });
});

it('the signed text names its kind and version, so that a signature of another text is no signature of a proof', () => {
  expect(signedTextOf('0123')).toBe('interlock proof 1\n0123\n');
});

describe('canonical JSON', () => {
  it.each<[string, unknown, string]>([
    ['sorts keys at every depth', { b: 1, a: { d: [], c: null } }, '{"a":{"c":null,"d":[]},"b":1}'],
    ['keeps the order of lists', ['b', 'a', { y: 2, x: 1 }], '["b","a",{"x":1,"y":2}]'],
    ['escapes as JSON does', { 'a"': 'grün\n' }, '{"a\\"":"grün\\n"}'],
    ['has texts, numbers, truths and null', ['', 0, false, null], '["",0,false,null]'],
    ['is the same for an empty object', {}, '{}'],
  ])('%s', (_, value, expected) => expect(canonical(value)).toBe(expected));
});

describe('a proof is signed only if it is whole:', () => {
  const body = { grade: 'exact', commit: 'c', previous: 'p' } as unknown as ProofBody;
  const digest = createHash('sha256').update('{"commit":"c","grade":"exact","previous":"p"}').digest('hex');
  it.each([
    ['as it was written', { body, digest, previous: 'p' }, true],
    [
      'with keys in another order',
      { body: { previous: 'p', commit: 'c', grade: 'exact' } as never, digest, previous: 'p' },
      true,
    ],
    ['with a changed body', { body: { ...body, commit: 'd' }, digest, previous: 'p' }, false],
    ['with a changed digest', { body, digest: digest.toUpperCase(), previous: 'p' }, false],
    ['behind another proof than it names', { body, digest, previous: 'q' }, false],
    ['without the proof that it names', { body, digest, previous: null }, false],
  ])('%s', (_, proof, expected) => {
    expect(digestProof(body)).toBe(digest);
    expect(isWhole(proof)).toBe(expected);
  });
});

it('a proof that cannot be signed is looked for every second only within its first hour', async () => {
  await using w = await world();
  const number = await w.open('a', { 'a.txt': 'a\n' });
  await w.queue(number);
  await w.settled(number);
  const areDue = async (minutesLater: number): Promise<boolean | undefined> => {
    const at = new Date(Date.now() + minutesLater * 60_000).toISOString();
    const [row] = await w.rows<{ due: boolean }>(`select $1::timestamptz as at, (${proofsAreDue}) as due`, [at]);
    return row?.due;
  };
  expect(await w.rows('select signature from proof')).toEqual([{ signature: null }]);
  expect([await areDue(0), await areDue(61)]).toEqual([true, false]);
});
