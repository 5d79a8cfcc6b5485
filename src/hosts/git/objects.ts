// Reads commits and files of a bare repository, and writes commits.
import { posix } from 'node:path';
import { withoutSkipInstructions } from '../../domain/queue/requests/skip-instructions.ts';
import type { CommitParents, HostCommit } from '../port.ts';
import type { Git } from './git.ts';
import { writeObject } from './loose-object.ts';
import { requireObjectId } from './names.ts';
import { readObjectHeader, readObjects } from './object-reader.ts';
import { readRefValue } from './ref-files.ts';

/** A commit as git stores it, with its texts decoded. */
export interface RawCommit {
  readonly commit: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** `Name <email> seconds zone`. */
  readonly author: string;
  readonly message: string;
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly committer: string;
  readonly message: string;
  readonly sign?: ((commit: string) => string) | undefined;
}

/**
 * The commit of a ref, and its tree. A tag is dereferenced to its commit. Null: the ref does not exist, or has no
 * commit.
 */
export async function readRef(
  git: Git,
  directory: string,
  ref: string,
): Promise<{ commit: string; tree: string } | null> {
  const value = await readRefValue(directory, ref);
  if (value === null) return null;
  const [object] = await readObjects(git, directory, { ids: [value], peeled: '^{commit}' });
  return object ? { commit: object.id, tree: parseCommit(object.id, object.body).tree } : null;
}

/** The number of commits that are read at once. Their messages may be long, and an answer of git has a limit. */
const commitsAtOnce = 50;

/** Reads commits, in the order of `ids`. An id that is not a commit of the repository is left out. */
export async function readCommits(git: Git, directory: string, ids: readonly string[]): Promise<RawCommit[]> {
  const found: RawCommit[] = [];
  for (let first = 0; first < ids.length; first += commitsAtOnce) {
    const asked = ids.slice(first, first + commitsAtOnce);
    const objects = await readObjects(git, directory, { ids: asked, peeled: '^{commit}' });
    // The id of a tag differs from the id of the commit to which it is dereferenced. So a tag is left out.
    for (const [at, object] of objects.entries())
      if (object !== null && object.id === asked[at]) found.push(parseCommit(object.id, object.body));
  }
  return found;
}

export async function readCommit(git: Git, directory: string, id: string): Promise<RawCommit | null> {
  return (await readCommits(git, directory, [id]))[0] ?? null;
}

/**
 * Writes a commit and returns its id. Instructions such as `[skip ci]`, which would keep CI from running, are removed
 * from the message.
 */
export async function writeCommit(directory: string, commit: NewCommit): Promise<string> {
  const headers = [
    `tree ${requireObjectId(commit.tree)}`,
    ...commit.parents.map((parent) => `parent ${requireObjectId(parent)}`),
    `author ${commit.author}`,
    `committer ${commit.committer}`,
  ];
  const body = `\n\n${asMessage(withoutSkipInstructions(commit.message))}`;
  // The signature signs the commit without the header `gpgsig`. The further lines of a header are indented by a space.
  const signature = commit.sign?.(`${headers.join('\n')}${body}`);
  if (signature !== undefined) headers.push(`gpgsig ${signature.replaceAll('\n', '\n ')}`);
  return await writeObject(directory, 'commit', `${headers.join('\n')}${body}`);
}

/** `Name <email> seconds +0000`, without characters that git does not allow in a name. */
export function formatIdentity(name: string, email: string, atMs: number): string {
  const clean = (text: string, otherwise: string): string => text.replace(/[\x00-\x1f<>]+/g, ' ').trim() || otherwise;
  return `${clean(name, 'unknown')} <${clean(email, 'unknown')}> ${Math.floor(atMs / 1000)} +0000`;
}

export function asHostCommit(raw: RawCommit): HostCommit {
  const [, name, email, seconds] = /^(.*?) ?<([^>]*)> (-?\d+)/.exec(raw.author) ?? [];
  return {
    commit: raw.commit,
    tree: raw.tree,
    parents: raw.parents,
    message: raw.message,
    authorName: name ?? '',
    authorEmail: email ?? '',
    authoredAt: Number(seconds ?? 0) * 1000,
  };
}

/** The ids of the first-parent commits of `to` that are not reachable from `from`, the newest first. */
export async function listFirstParents(
  git: Git,
  directory: string,
  range: {
    readonly from: string | null;
    readonly to: string;
    readonly limit: number;
    /** Only the commits that change the file at this path, compared with their first parents. */
    readonly path?: string;
  },
): Promise<string[]> {
  const revisions = [requireObjectId(range.to), ...(range.from === null ? [] : [`^${requireObjectId(range.from)}`])];
  const paths = range.path === undefined ? [] : ['--', range.path];
  const output = await git.text(directory, [
    'rev-list',
    '--first-parent',
    `--max-count=${Math.max(0, Math.floor(range.limit))}`,
    ...revisions,
    ...paths,
  ]);
  return output.split('\n').filter((line) => line !== '');
}

/**
 * The ids of the commits that are reachable from `to` and from none of `from`, the oldest first. If there are more than
 * `limit` commits, only the newest `limit` are returned.
 */
export async function listCommits(
  git: Git,
  directory: string,
  range: { readonly from: readonly string[]; readonly to: string; readonly limit: number },
): Promise<string[]> {
  const output = await git.text(directory, [
    'rev-list',
    '--topo-order',
    '--reverse',
    `--max-count=${Math.max(0, Math.floor(range.limit))}`,
    requireObjectId(range.to),
    ...range.from.map((commit) => `^${requireObjectId(commit)}`),
  ]);
  return output.split('\n').filter((line) => line !== '');
}

/**
 * The commits that are reachable from any of `to`, but not from `from`. Parents come before their children. Null: there
 * are more than `limit`.
 */
export async function listAncestry(
  git: Git,
  directory: string,
  range: { readonly from: string; readonly to: readonly string[]; readonly limit: number },
): Promise<CommitParents[] | null> {
  const revisions = [`^${requireObjectId(range.from)}`, ...range.to.map(requireObjectId)];
  const output = await git.text(
    directory,
    [
      'rev-list',
      '--topo-order',
      '--reverse',
      '--parents',
      '--ignore-missing',
      `--max-count=${range.limit + 1}`,
      '--stdin',
    ],
    { stdin: `${revisions.join('\n')}\n` },
  );
  const lines = output.split('\n').filter((line) => line !== '');
  if (lines.length > range.limit) return null;
  return lines.map((line) => {
    const [commit = '', ...parents] = line.split(' ');
    return { commit, parents };
  });
}

/** Reads a regular file at a commit. Null: there is no such file, or it is larger than `maxBytes`. */
export async function readFile(
  git: Git,
  directory: string,
  file: { readonly commit: string; readonly path: string; readonly maxBytes: number },
): Promise<{ text: string; blob: string } | null> {
  const [folder] = await readObjects(git, directory, { ids: [file.commit], peeled: '^{tree}' });
  const entry = folder ? await findEntry(git, directory, { root: folder.body, path: file.path }) : null;
  if (entry === null || !entry.mode.startsWith('100')) return null;
  const header = await readObjectHeader(git, directory, entry.id);
  if (header === null || header.size > file.maxBytes) return null;
  const [blob] = await readObjects(git, directory, { ids: [entry.id], peeled: '' });
  return blob ? { text: blob.body.toString('utf8'), blob: blob.id } : null;
}

interface TreeEntry {
  /** Octal: `100644`, `120000` for a symbolic link, `40000` for a folder. */
  readonly mode: string;
  readonly id: string;
}

/**
 * Reads one folder after the other. A request with the whole path is impossible, because a file name may contain a line
 * break.
 */
async function findEntry(
  git: Git,
  directory: string,
  { root, path }: { readonly root: Buffer; readonly path: string },
): Promise<TreeEntry | null> {
  if (path.startsWith('-') || path.includes('\0')) return null;
  const [first = '', ...rest] = posix.normalize(path).split('/');
  let entry = entryOf(root, first);
  for (const name of rest) {
    if (entry?.mode !== '40000') return null;
    const [folder] = await readObjects(git, directory, { ids: [entry.id], peeled: '' });
    entry = folder ? entryOf(folder.body, name) : null;
  }
  return entry;
}

/** Finds an entry of a tree. A tree is a sequence of `<mode> <name>\0<id of 20 bytes>`. */
function entryOf(tree: Buffer, name: string): TreeEntry | null {
  const wanted = Buffer.from(name);
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(32, at);
    const end = tree.indexOf(0, space);
    if (tree.subarray(space + 1, end).equals(wanted))
      return { mode: tree.toString('latin1', at, space), id: tree.toString('hex', end + 1, end + 21) };
    at = end + 21;
  }
  return null;
}

function parseCommit(id: string, body: Buffer): RawCommit {
  const text = decode(body);
  const split = text.indexOf('\n\n');
  const headers = (split === -1 ? text : text.slice(0, split)).split('\n');
  const values = (key: string): string[] =>
    headers.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  return {
    commit: id,
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    author: values('author')[0] ?? '',
    message: split === -1 ? '' : text.slice(split + 2),
  };
}

function decode(body: Buffer): string {
  const encoding = /^encoding (\S+)$/m.exec(body.toString('latin1').split('\n\n', 1)[0] ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(encoding).decode(body);
  } catch {
    return body.toString('utf8');
  }
}

function asMessage(message: string): string {
  return `${message.replaceAll('\0', '').replace(/\s+$/, '')}\n`;
}
