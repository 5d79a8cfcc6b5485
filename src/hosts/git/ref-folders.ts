// The folders of a repository that have its refs in files of their own.
import { statSync } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

interface RefFolders {
  /** `path` itself and all folders below it. */
  readonly folders: readonly string[];
  /** All files below `path`: refs, and locks whose names end with `.lock`. */
  readonly files: readonly string[];
}

/**
 * Lists what is below a folder such as `refs/heads`, with paths that begin with `path`. Git may remove a folder
 * meanwhile, which then counts as empty.
 */
export async function listRefFolders(directory: string, path: string): Promise<RefFolders> {
  const entries = await readdir(join(directory, path), { withFileTypes: true }).catch(noneIfGone);
  const below = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => await listRefFolders(directory, `${path}/${name}`)),
  );
  const own = entries.filter((entry) => entry.isFile()).map(({ name }) => `${path}/${name}`);
  return {
    folders: [path, ...below.flatMap(({ folders }) => folders)],
    files: [...own, ...below.flatMap(({ files }) => files)],
  };
}

function noneIfGone(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}

interface Times {
  readonly ino: bigint;
  readonly mtimeMs: bigint;
  readonly mtimeNs: bigint;
}

/** Reads the times of a file or folder. Undefined: it does not exist. */
export type ReadTimes = (path: string) => Promise<Times> | Times | undefined;

/** Reads in a thread, so that a slow disk does not stop the process. */
export const readTimesInThread: ReadTimes = async (path) => await stat(path, { bigint: true });

/** Takes a few microseconds on a disk of this machine. Handing the read over to a thread costs five times as much. */
const readTimesAtOnce: ReadTimes = (path) => statSync(path, { bigint: true, throwIfNoEntry: false });

/** The types of ext4, XFS, Btrfs, ZFS, tmpfs and overlayfs on Linux. Their files are on this machine. */
const localFileSystems = new Set([0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0x01021994, 0x794c7630]);

/** How the times of what is below `directory` are read with the least CPU, without waiting for another machine. */
export async function cheapestReadOfTimes(directory: string): Promise<ReadTimes> {
  if (process.platform !== 'linux') return readTimesInThread;
  const found = await statfs(directory).catch(() => null);
  return found !== null && localFileSystems.has(found.type) ? readTimesAtOnce : readTimesInThread;
}

export interface RefsStamp {
  /** The folders and files whose times are in the text. */
  readonly paths: readonly string[];
  /**
   * Changes with every change of a ref, a lock or a noted update, because each of them changes the time of a folder or
   * of `packed-refs`.
   */
  readonly text: string;
}

/**
 * Null: there was a change within the last `settledMs` milliseconds, or the repository does not exist or cannot be read.
 */
export async function readRefsStamp(directory: string, settledMs: number): Promise<RefsStamp | null> {
  const now = Date.now();
  const refs = await listRefFolders(directory, 'refs').catch(() => null);
  if (refs === null) return null;
  const paths = ['', 'packed-refs', 'interlock-updates', ...refs.folders].map((path) => join(directory, path));
  const times = await readAllTimes(paths, readTimesInThread);
  if (times[0] === null || times.some((each) => each !== null && now - Number(each.mtimeMs) < settledMs)) return null;
  return { paths, text: textOf(times) };
}

/** Whether the stamp would be the same now. A new folder of refs changes the time of the folder that it is in. */
export async function isStampTrue({ paths, text }: RefsStamp, readTimes: ReadTimes): Promise<boolean> {
  return textOf(await readAllTimes(paths, readTimes)) === text;
}

async function readAllTimes(paths: readonly string[], readTimes: ReadTimes): Promise<(Times | null)[]> {
  const read = async (path: string): Promise<Times | null> => (await readTimes(path)) ?? null;
  return await Promise.all(paths.map(async (path) => await read(path).catch(() => null)));
}

function textOf(times: readonly (Times | null)[]): string {
  return times.map((each) => (each === null ? '-' : `${each.ino}.${each.mtimeNs}`)).join(' ');
}
