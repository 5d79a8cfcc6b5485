// Signs commits with an Ed25519 SSH key, as `git commit -S` does with `gpg.format=ssh`, and counts commits without a
// valid signature. An Ed25519 signature depends only on the key and the commit, so a commit that is made twice has the
// same id both times. Signatures of other keys differ each time.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Identity } from '../port.ts';
import type { Git } from './git.ts';
import { requireObjectId } from './names.ts';

/** The committer of commits. If `sign` is set, the commits are signed. */
export interface Committer extends Identity {
  /** Returns the armoured signature of an unsigned commit. */
  readonly sign?: ((commit: string) => string) | undefined;
}

/** The key cannot sign commits. The message says why, and what to do about it. */
export class SigningKeyRefused extends Error {}

/** `keyFile`: the text of a private key as ssh-keygen writes it, without a passphrase. Throws SigningKeyRefused. */
export function createCommitSigner(keyFile: string): (commit: string) => string {
  const key = readPrivateKey(keyFile);
  const publicKey = packed('ssh-ed25519', publicBytes(key));
  return (commit) => {
    const digest = createHash('sha512').update(commit).digest();
    const namespace = ['git', '', 'sha512'] as const;
    const signature = sign(null, Buffer.concat([magic, packed(...namespace, digest)]), key);
    const version = Buffer.from([0, 0, 0, 1]);
    const blob = Buffer.concat([
      magic,
      version,
      packed(publicKey, ...namespace, packed('ssh-ed25519', signature)),
    ]).toString('base64');
    const lines = blob.match(/.{1,70}/g) ?? [];
    return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----'].join('\n');
  };
}

const magic = Buffer.from('SSHSIG');

/** The parts in one buffer. The length of each part precedes it. */
function packed(...parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

function publicBytes(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
}

const opening = '-----BEGIN OPENSSH PRIVATE KEY-----';
const pkcs8OfEd25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

function readPrivateKey(text: string): KeyObject {
  const [, encoded] = new RegExp(`${opening}([^-]+)-----END OPENSSH PRIVATE KEY-----`).exec(text) ?? [];
  if (encoded === undefined)
    throw new SigningKeyRefused('it holds no private key of OpenSSH. Make a key with ssh-keygen -t ed25519');
  const seed = readSeed(Buffer.from(encoded, 'base64'));
  return createPrivateKey({ key: Buffer.concat([pkcs8OfEd25519, seed]), format: 'der', type: 'pkcs8' });
}

/**
 * Reads the seed of the key. The file has, in this order: `openssh-key-v1`, the cipher, the key derivation function and
 * its options, the number of keys, the public key, and the private part.
 */
function readSeed(file: Buffer): Buffer {
  const header = Buffer.from('openssh-key-v1\0');
  if (!file.subarray(0, header.length).equals(header)) throw new SigningKeyRefused('its format is not known');
  const [cipher = '', , , rest] = readParts(file.subarray(header.length), 3);
  if (cipher.toString() !== 'none')
    throw new SigningKeyRefused('it has a passphrase. Remove the passphrase with ssh-keygen -p');
  const [, inner = Buffer.alloc(0)] = readParts((rest ?? Buffer.alloc(0)).subarray(4), 2);
  // The private part begins with two equal numbers of four bytes each.
  const [type = '', , secret = Buffer.alloc(0)] = readParts(inner.subarray(8), 3);
  if (type.toString() !== 'ssh-ed25519')
    throw new SigningKeyRefused(
      `it is of the type ${JSON.stringify(type.toString().slice(0, 40))}, whose signatures differ each time. Make a key with ssh-keygen -t ed25519`,
    );
  return secret.subarray(0, 32);
}

/** Reads `count` parts. Returns the parts, and last the remaining bytes. */
function readParts(bytes: Buffer, count: number): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (let read = 0; read < count; read += 1) {
    if (at + 4 > bytes.length) throw new SigningKeyRefused('it is cut off');
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw new SigningKeyRefused('it is cut off');
    parts.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return [...parts, bytes.subarray(at)];
}

/**
 * Counts the commits without a signature that git verifies. The operator decides which signatures are valid: by a file
 * of allowed signers for SSH, and by the trusted keys in the home folder of git for OpenPGP.
 */
export async function countUnverifiedCommits(
  git: Git,
  directory: string,
  range: { readonly head: string; readonly base: string; readonly signersFile: string },
): Promise<number> {
  const marks = await git.text(directory, [
    '-c',
    `gpg.ssh.allowedSignersFile=${range.signersFile}`,
    'log',
    '--format=%G?',
    requireObjectId(range.head),
    `^${requireObjectId(range.base)}`,
    '--',
  ]);
  return marks.split('\n').filter((mark) => mark !== '' && mark !== 'G').length;
}
