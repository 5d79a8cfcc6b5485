// Access to the files of a worktree. Commands of the agent write to the worktree too, and may put a symbolic link
// anywhere at any time. Therefore each part of a path is opened relative to the folder before it, and never through a
// link. Then a path cannot change between its check and its use. Without /proc, the parts are opened one by one by
// their full paths. Then the file is safe only because calls run one after the other, and no process of a command is
// left alive.
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

/** An open folder. `at` returns the path of an entry in it, which is valid only while the folder is open. */
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

  /** Throws ToolRefused if the path is no plain file, or if the file has more than `maxBytes`. */
  read(path: string, maxBytes: number): Buffer {
    return this.#inFolderOf(path, false, (folder, name) => readPlain(folder.at(name), path, maxBytes));
  }

  /** Null: the path does not exist. */
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

  /** Deletes a plain file, or a link without following it. */
  remove(path: string): void {
    this.#inFolderOf(path, false, (folder, name) => {
      if (kindOf(lstatSync(folder.at(name))) === 'folder')
        throw new ToolRefused(`${showPath(path)} is a folder: delete its files one by one, or by a command.`);
      unlinkSync(folder.at(name));
    });
  }

  move(from: string, to: string): void {
    this.#inFolderOf(from, false, (source, sourceName) => {
      if (plainOrNothing(source.at(sourceName), from) === null) throw new ToolFailed(`There is no ${showPath(from)}.`);
      this.#inFolderOf(to, true, (target, targetName) => {
        // A hard link instead of a rename, because creating a link never replaces a file.
        linkSync(source.at(sourceName), target.at(targetName));
        unlinkSync(source.at(sourceName));
      });
    });
  }

  /**
   * Lists everything below a folder except git's own files, in the order of names, each folder before its entries. `.`
   * is the root.
   */
  *walk(path: string): Generator<FoundEntry> {
    const segments = path === '.' ? [] : segmentsOf(checked(path));
    yield* this.#walkIn(segments, path === '.' ? '' : `${path}/`);
  }

  *#walkIn(segments: readonly string[], prefix: string): Generator<FoundEntry> {
    // The folder is closed before its entries are yielded, because callers may abandon the generator at any time.
    for (const entry of this.#entriesOf(segments)) {
      const kind = kindOf(entry);
      yield { path: `${prefix}${entry.name}`, kind };
      if (kind !== 'folder') continue;
      try {
        yield* this.#walkIn([...segments, entry.name], `${prefix}${entry.name}/`);
      } catch (error) {
        // The folder was deleted or became unreadable after it was listed.
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
  if (fault !== null) throw new ToolRefused(`${showPath(path)} ${fault}.`);
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
  // Without O_NONBLOCK, opening a named pipe without a writer would block for ever.
  const fd = openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    assertPlain(stats, path);
    if (stats.size > maxBytes)
      throw new ToolRefused(`${showPath(path)} has ${stats.size} bytes, and ${maxBytes} at most are read.`);
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
  if (kind === 'folder') throw new ToolRefused(`${showPath(path)} is a folder.`);
  if (kind === 'link')
    throw new ToolRefused(`${showPath(path)} is a link, and links are not followed: name the file it leads to.`);
  if (kind === 'other') throw new ToolRefused(`${showPath(path)} is no plain file.`);
  // The other name of a hard link may be outside of the worktree.
  if (stats.nlink > 1)
    throw new ToolRefused(`${showPath(path)} has another name as well (a hard link): copy it first.`);
}

function kindOf(entry: Stats | Dirent): FoundEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}

// Replaces a system error by one whose message contains no path of this machine.
function withoutOwnPaths(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (error instanceof ToolRefused || error instanceof ToolFailed || code === undefined) return error;
  switch (code) {
    case 'ENOENT':
      return new ToolFailed(`There is no ${showPath(path)}.`);
    case 'ENOTDIR':
    case 'ELOOP':
      return new ToolRefused(`${showPath(path)} is a link, or not a folder: links are not followed.`);
    case 'EEXIST':
      return new ToolFailed(`There is something at ${showPath(path)} already.`);
    case 'EISDIR':
      return new ToolRefused(`${showPath(path)} is a folder.`);
    default:
      return new ToolFailed(`${showPath(path)}: ${code}.`);
  }
}

/**
 * Shows a path in a message. A path that no commit may have is written as a JSON string, so that unusual characters are
 * escaped.
 */
export function showPath(path: string): string {
  const cut = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return pathFault(path) === null || path === '.' ? cut : JSON.stringify(cut);
}

export function textOf(content: Buffer, path: string): string {
  if (isBinary(content)) throw new ToolRefused(`${showPath(path)} is binary (${content.length} bytes).`);
  return content.toString('utf8');
}

export function isBinary(content: Buffer): boolean {
  return content.subarray(0, 8_000).includes(0);
}
