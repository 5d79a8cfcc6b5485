// Reading and writing commits and files of a bare repository.
import type { Descent, HostCommit } from '../port.ts';
import { type Git, GitFailed } from './git.ts';
import { objectId, refName } from './names.ts';

/** A commit as git stores it, its texts decoded by the encoding it names. */
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
}

export async function readRef(
  git: Git,
  directory: string,
  ref: string,
): Promise<{ commit: string; tree: string } | null> {
  const format = '%(refname)%00%(objecttype)%00%(objectname)%00%(tree)%00%(*objectname)%00%(*tree)';
  const output = await git.text(directory, ['for-each-ref', `--format=${format}`, refName(ref)]);
  for (const line of output.split('\n')) {
    const [name, type, id, tree, peeledId, peeledTree] = line.split('\0');
    if (name !== ref) continue;
    if (type === 'commit') return { commit: id ?? '', tree: tree ?? '' };
    return peeledTree ? { commit: peeledId ?? '', tree: peeledTree } : null;
  }
  return null;
}

/** Refs under a prefix with the objects they name. */
export async function listRefs(
  git: Git,
  directory: string,
  prefix: string,
): Promise<{ ref: string; commit: string }[]> {
  const pattern = prefix.replace(/\/+$/, '');
  if (!/^refs(\/[^\x00-\x20~^:?*[\\]+)?$/.test(pattern)) return [];
  const output = await git.text(directory, ['for-each-ref', '--format=%(refname)%00%(objectname)', pattern]);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\0'))
    .map(([ref, commit]) => ({ ref: ref ?? '', commit: commit ?? '' }))
    .filter(({ ref }) => ref.startsWith(prefix));
}

/** In the order asked for; a missing object, or one that is no commit, is left out. */
export async function readCommits(git: Git, directory: string, ids: readonly string[]): Promise<RawCommit[]> {
  if (ids.length === 0) return [];
  const { stdout } = await git.run(directory, ['cat-file', '--batch'], { stdin: `${ids.map(objectId).join('\n')}\n` });
  const commits: RawCommit[] = [];
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(10, at);
    const [id = '', type, size] = stdout.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (size === undefined) continue;
    if (type === 'commit') commits.push(parseCommit(id, stdout.subarray(at, at + Number(size))));
    at += Number(size) + 1;
  }
  return commits;
}

export async function readCommit(git: Git, directory: string, id: string): Promise<RawCommit | null> {
  return (await readCommits(git, directory, [id]))[0] ?? null;
}

export async function writeCommit(git: Git, directory: string, commit: NewCommit): Promise<string> {
  const headers = [
    `tree ${objectId(commit.tree)}`,
    ...commit.parents.map((parent) => `parent ${objectId(parent)}`),
    `author ${commit.author}`,
    `committer ${commit.committer}`,
  ];
  const object = `${headers.join('\n')}\n\n${asMessage(commit.message)}`;
  return await git.text(directory, ['hash-object', '-t', 'commit', '-w', '--stdin'], { stdin: object });
}

/** `Name <email> seconds +0000`, freed of what git does not allow in a name. */
export function signature(name: string, email: string, atMs: number): string {
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

export async function isAncestor(git: Git, directory: string, ancestor: string, descendant: string): Promise<boolean> {
  const answer = await git.run(directory, ['merge-base', '--is-ancestor', objectId(ancestor), objectId(descendant)], {
    accept: [0, 1, 128],
  });
  // 128: one of them is not an object here, so it is nobody's ancestor.
  return answer.exitCode === 0;
}

/** Newest first: first-parent commits from `to` down to, excluding, whatever `from` reaches. */
export async function listFirstParents(
  git: Git,
  directory: string,
  range: { readonly from: string | null; readonly to: string; readonly limit: number },
): Promise<string[]> {
  const revisions = [objectId(range.to), ...(range.from === null ? [] : [`^${objectId(range.from)}`])];
  const output = await git.text(directory, [
    'rev-list',
    '--first-parent',
    `--max-count=${Math.max(0, Math.floor(range.limit))}`,
    ...revisions,
  ]);
  return output.split('\n').filter((line) => line !== '');
}

/** Oldest first: commits that `to` reaches and none of `from` does; of more than `limit` the newest. */
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
    objectId(range.to),
    ...range.from.map((commit) => `^${objectId(commit)}`),
  ]);
  return output.split('\n').filter((line) => line !== '');
}

/** Parents before their children: what any of `to` reaches and `from` does not. Null: it is more than `limit`. */
export async function listAncestry(
  git: Git,
  directory: string,
  range: { readonly from: string; readonly to: readonly string[]; readonly limit: number },
): Promise<Descent[] | null> {
  const revisions = [`^${objectId(range.from)}`, ...range.to.map(objectId)];
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

/** A regular file at a commit; null when there is none, or when it is larger than `maxBytes`. */
export async function readFile(
  git: Git,
  directory: string,
  file: { readonly commit: string; readonly path: string; readonly maxBytes: number },
): Promise<{ text: string; blob: string } | null> {
  if (file.path === '' || file.path.startsWith('-') || file.path.includes('\0')) return null;
  let listing: string;
  try {
    listing = await git.text(directory, ['ls-tree', '-z', '-l', '--full-tree', objectId(file.commit), '--', file.path]);
  } catch (error) {
    if (error instanceof GitFailed && error.exitCode === 128) return null;
    throw error;
  }
  const [mode, type, blob, size] = (listing.split('\t')[0] ?? '').split(/ +/);
  if (type !== 'blob' || blob === undefined || mode === '120000' || Number(size) > file.maxBytes) return null;
  const { stdout } = await git.run(directory, ['cat-file', 'blob', objectId(blob)]);
  return { text: stdout.toString('utf8'), blob };
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
