// Files of a worktree that somebody else writes to as well: a command may have put a link anywhere, at any time. Each
// part of a path is opened from the folder before it and never through a link, so that there is no moment between a
// check and its use. Where the kernel shows no open folders (/proc), the parts are opened one by one all the same, and
// calls that come one after the other, with nothing of a command left alive, close the gap.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { isGitFolder, pathFault, segmentsOf } from '../../../domain/runbooks/path.ts';
import { ToolFailed, ToolRefused } from './refusal.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const hasOpenFolders = existsSync('/proc/self/fd');

/** An open folder: `at` is the path of an entry in it, which only means that entry while it is open. */
interface Folder {
  readonly fd: number;
  at(name: string): string;
}

export interface FoundEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

export class Worktree {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Throws ToolRefused for what is no plain file, or has more bytes. */
  read(path: string, maxBytes: number): Buffer {
    return this.#inFolderOf(path, false, (folder, name) => readPlain(folder.at(name), path, maxBytes));
  }

  /** Null: there is nothing. */
  kindOf(path: string): FoundEntry['kind'] | null {
    try {
      return this.#inFolderOf(path, false, (folder, name) => {
        const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
        return stats === undefined ? null : kindOf(stats);
      });
    } catch (error) {
      if (error instanceof ToolFailed) return null;
      throw error;
    }
  }

  /**
   * Replaces the plain file at the path by a new file. Programs that have the old file open, and links to it, keep the
   * old content.
   */
  write(path: string, content: string, isExecutable?: boolean): 'made' | 'replaced' {
    return this.#inFolderOf(path, true, (folder, name) => {
      const before = plainOrNothing(folder.at(name), path);
      const fresh = folder.at(`.interlock-${randomBytes(8).toString('hex')}`);
      const fd = openSync(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        writeFileSync(fd, content);
        const executable = isExecutable ?? (before !== null && (before.mode & 0o100) !== 0);
        fchmodSync(fd, executable ? 0o755 : 0o644);
        renameSync(fresh, folder.at(name));
      } catch (error) {
        unlinkSync(fresh);
        throw error;
      } finally {
        closeSync(fd);
      }
      return before === null ? 'made' : 'replaced';
    });
  }

  /** A plain file, or a link itself. */
  remove(path: string): void {
    this.#inFolderOf(path, false, (folder, name) => {
      if (kindOf(lstatSync(folder.at(name))) === 'folder')
        throw new ToolRefused(`${shown(path)} is a folder: delete its files one by one, or by a command.`);
      unlinkSync(folder.at(name));
    });
  }

  move(from: string, to: string): void {
    this.#inFolderOf(from, false, (source, sourceName) => {
      if (plainOrNothing(source.at(sourceName), from) === null) throw new ToolFailed(`There is no ${shown(from)}.`);
      this.#inFolderOf(to, true, (target, targetName) => {
        // A link, not a rename: a link never replaces a file.
        linkSync(source.at(sourceName), target.at(targetName));
        unlinkSync(source.at(sourceName));
      });
    });
  }

  /** Everything below a folder (`.`: the root) but git's own, in order of names, folders before what is in them. */
  *walk(path: string): Generator<FoundEntry> {
    const segments = path === '.' ? [] : segmentsOf(checked(path));
    yield* this.#walkIn(segments, path === '.' ? '' : `${path}/`);
  }

  *#walkIn(segments: readonly string[], prefix: string): Generator<FoundEntry> {
    // The folder is not kept open while callers look at its entries, because they may leave a walk at any time.
    for (const entry of this.#entriesOf(segments)) {
      const kind = kindOf(entry);
      yield { path: `${prefix}${entry.name}`, kind };
      if (kind !== 'folder') continue;
      try {
        yield* this.#walkIn([...segments, entry.name], `${prefix}${entry.name}/`);
      } catch (error) {
        // Gone, or not to be read, since it was listed.
        if (!(error instanceof ToolFailed || error instanceof ToolRefused)) throw error;
      }
    }
  }

  #entriesOf(segments: readonly string[]): Dirent[] {
    return this.#inFolder(segments, false, (folder) =>
      readdirSync(folder.at('.'), { withFileTypes: true })
        .filter(({ name }) => !isGitFolder(name) && !name.includes('\uFFFD'))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  }

  #inFolderOf<T>(path: string, isMade: boolean, use: (folder: Folder, name: string) => T): T {
    const segments = segmentsOf(checked(path));
    return this.#inFolder(segments.slice(0, -1), isMade, (folder) => {
      try {
        return use(folder, segments.at(-1) ?? '');
      } catch (error) {
        throw withoutOwnPaths(error, path);
      }
    });
  }

  #inFolder<T>(segments: readonly string[], isMade: boolean, use: (folder: Folder) => T): T {
    let folder = openFolder(this.#root, this.#root, '.');
    try {
      for (const [index, name] of segments.entries()) {
        const path = segments.slice(0, index + 1).join('/');
        const next = enter(folder, name, { path, isMade });
        closeSync(folder.fd);
        folder = next;
      }
      return use(folder);
    } catch (error) {
      throw withoutOwnPaths(error, segments.join('/') || '.');
    } finally {
      closeSync(folder.fd);
    }
  }
}

function checked(path: string): string {
  const fault = pathFault(path);
  if (fault !== null) throw new ToolRefused(`${shown(path)} ${fault}.`);
  return path;
}

function enter(folder: Folder, name: string, { path, isMade }: { path: string; isMade: boolean }): Folder {
  const at = folder.at(name);
  try {
    if (isMade && lstatSync(at, { throwIfNoEntry: false }) === undefined) mkdirSync(at, 0o755);
  } catch (error) {
    throw withoutOwnPaths(error, path);
  }
  return openFolder(at, at, path);
}

function openFolder(at: string, named: string, path: string): Folder {
  try {
    const fd = openSync(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return { fd, at: (name) => (hasOpenFolders ? `/proc/self/fd/${fd}/${name}` : `${named}/${name}`) };
  } catch (error) {
    throw withoutOwnPaths(error, path);
  }
}

function readPlain(at: string, path: string, maxBytes: number): Buffer {
  // A pipe that nobody writes to would be waited for.
  const fd = openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    assertPlain(stats, path);
    if (stats.size > maxBytes)
      throw new ToolRefused(`${shown(path)} has ${stats.size} bytes, and ${maxBytes} at most are read.`);
    const content = Buffer.alloc(stats.size);
    let length = 0;
    while (length < content.length) {
      const read = readSync(fd, content, length, content.length - length, null);
      if (read === 0) break;
      length += read;
    }
    return content.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}

function plainOrNothing(at: string, path: string): Stats | null {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  assertPlain(stats, path);
  return stats;
}

function assertPlain(stats: Stats, path: string): void {
  const kind = kindOf(stats);
  if (kind === 'folder') throw new ToolRefused(`${shown(path)} is a folder.`);
  if (kind === 'link')
    throw new ToolRefused(`${shown(path)} is a link, and links are not followed: name the file it leads to.`);
  if (kind === 'other') throw new ToolRefused(`${shown(path)} is no plain file.`);
  // Its other name may be anywhere.
  if (stats.nlink > 1) throw new ToolRefused(`${shown(path)} has another name as well (a hard link): copy it first.`);
}

function kindOf(entry: Stats | Dirent): FoundEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}

// Paths of this machine stay out of the message.
function withoutOwnPaths(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (error instanceof ToolRefused || error instanceof ToolFailed || code === undefined) return error;
  switch (code) {
    case 'ENOENT':
      return new ToolFailed(`There is no ${shown(path)}.`);
    case 'ENOTDIR':
    case 'ELOOP':
      return new ToolRefused(`${shown(path)} is a link, or not a folder: links are not followed.`);
    case 'EEXIST':
      return new ToolFailed(`There is something at ${shown(path)} already.`);
    case 'EISDIR':
      return new ToolRefused(`${shown(path)} is a folder.`);
    default:
      return new ToolFailed(`${shown(path)}: ${code}.`);
  }
}

/** A path as text: what has characters that no path of ours has is escaped. */
export function shown(path: string): string {
  const cut = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return pathFault(path) === null || path === '.' ? cut : JSON.stringify(cut);
}
