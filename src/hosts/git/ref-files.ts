// Reads the values of refs from their files with the rules of git: the file of a ref takes precedence over
// `packed-refs`. Commands of git that resolve names are not used. For them, `refs/heads/a-gabcdef1` may name a commit,
// and `refs/heads/a` may name `refs/heads/refs/heads/a`.
import { readFileSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isRefName } from '../../domain/branch-name.ts';
import { HostUnavailable } from '../port.ts';
import { isObjectId, requireRefName } from './names.ts';
import { listRefFolders } from './ref-folders.ts';

/**
 * The id of the object of a ref. Null: the ref does not exist. Throws HostUnavailable if the repository does not exist.
 */
export async function readRefValue(directory: string, ref: string): Promise<string | null> {
  return (await readRefValues(directory, [ref])).get(ref) ?? null;
}

/** The value of each of the refs. A ref that does not exist is left out. */
export async function readRefValues(directory: string, refs: readonly string[]): Promise<Map<string, string>> {
  const names = [...new Set(refs.map(requireRefName))];
  const loose = await Promise.all(names.map(async (ref) => await readLoose(directory, ref)));
  // `packed-refs` is read after the files of refs, because git writes a ref into `packed-refs` before it removes the
  // file of the ref.
  const packed = loose.includes(null) ? await readPacked(directory) : Buffer.alloc(0);
  return new Map(
    names.flatMap((ref, at) => {
      const value = loose[at] ?? findPacked(packed, ref);
      return value === null ? [] : [[ref, value]];
    }),
  );
}

/** The refs under a folder of refs such as `refs/heads/`, with the ids of their objects, in the order of their names. */
export async function listRefs(directory: string, folder: string): Promise<{ ref: string; commit: string }[]> {
  const path = folder.replace(/\/+$/, '');
  if (!isRefName(`${path}/any/name`)) return [];
  const { files } = await listRefFolders(directory, path).catch(unreadable);
  const names = files.filter((name) => !name.endsWith('.lock'));
  const loose: (string | null)[] = [];
  for (const ref of names) {
    loose.push(await readLoose(directory, ref).catch(emptyIfBroken));
    if (loose.length % filesAtOnce === 0) await setImmediate();
  }
  // As in `readRefValues`, `packed-refs` is read last.
  const values = packedUnder(await readPacked(directory), `${path}/`);
  for (const [at, ref] of names.entries()) {
    const value = loose[at] ?? null;
    if (value === '') values.delete(ref);
    else if (value !== null) values.set(ref, value);
  }
  return [...values].map(([ref, commit]) => ({ ref, commit })).toSorted((a, b) => compareBytes(a.ref, b.ref));
}

/** After this many files, which take one to two milliseconds, other work of this process goes on. */
const filesAtOnce = 256;

/** Git leaves a broken ref out of a list. */
function emptyIfBroken(error: unknown): '' {
  if (error instanceof BrokenRef) return '';
  throw error;
}

/** Git orders refs by the bytes of their names. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The file of a ref has neither an object id nor the name of another ref. */
class BrokenRef extends HostUnavailable {}

const maxLinks = 5;

async function readLoose(directory: string, ref: string, linksLeft = maxLinks): Promise<string | null> {
  const text = readSmall(join(directory, ref));
  const value = text?.slice(0, 40) ?? null;
  if (text === null || value === null || isObjectId(value)) return value;
  const [, target] = /^ref:\s*(\S+)\s*$/.exec(text) ?? [];
  if (target === undefined || !isRefName(target) || linksLeft === 0)
    throw new BrokenRef(`The file of ${ref} does not contain an object id or the name of another ref`);
  return (await readLoose(directory, target, linksLeft - 1)) ?? findPacked(await readPacked(directory), target);
}

// Reading 41 bytes takes 5 µs. As promises, opening, reading and closing the file would take 76 µs of CPU.
function readSmall(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return noneWhere(['ENOENT', 'ENOTDIR', 'EISDIR'])(error as NodeJS.ErrnoException);
  }
}

// The file has all refs of landings, so it is searched as bytes: to decode it would take longer.
async function readPacked(directory: string): Promise<Buffer> {
  const bytes = await readFile(join(directory, 'packed-refs')).catch(noneWhere(['ENOENT']));
  if (bytes !== null) return bytes;
  await access(join(directory, 'HEAD')).catch(() => {
    throw new HostUnavailable("The repository's directory does not exist");
  });
  return Buffer.alloc(0);
}

function findPacked(packed: Buffer, ref: string): string | null {
  const at = packed.indexOf(` ${ref}\n`);
  const value = at < 40 ? '' : packed.toString('latin1', at - 40, at);
  return isObjectId(value) ? value : null;
}

/** The refs of `packed-refs` whose names begin with `prefix`. A line with `^` has the commit of the tag before it. */
function packedUnder(packed: Buffer, prefix: string): Map<string, string> {
  const values = new Map<string, string>();
  const begin = ` ${prefix}`;
  for (let at = packed.indexOf(begin); at !== -1; at = packed.indexOf(begin, at + 1)) {
    const end = packed.indexOf('\n', at);
    const value = at < 40 ? '' : packed.toString('latin1', at - 40, at);
    if (end !== -1 && isObjectId(value)) values.set(packed.toString('utf8', at + 1, end), value);
  }
  return values;
}

function noneWhere(codes: readonly string[]): (error: NodeJS.ErrnoException) => null {
  return (error) => (codes.includes(error.code ?? '') ? null : unreadable(error));
}

function unreadable(error: Error): never {
  throw new HostUnavailable(`A ref could not be read: ${error.message}`);
}
