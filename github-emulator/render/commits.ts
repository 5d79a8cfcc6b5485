// Commits, refs and changed files, in the form of REST and webhooks.
import type { Core } from '../core.ts';
import { isVerified } from '../git/signatures.ts';
import type { CommitFacts, Signature } from '../git/store.ts';
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { Account, Repository } from '../model/types.ts';
import { type Json, renderAccount } from './accounts.ts';
import { repositoryUrl } from './repositories.ts';

export function commitNodeId(repository: Repository, sha: string): string {
  return nodeIdOf('commits', repository.id, sha);
}

export function renderCommit(core: Core, repository: Repository, commit: CommitFacts): Json {
  const url = repositoryUrl(core, repository);
  const page = `${core.urls.web}/${fullNameOf(core, repository)}`;
  return {
    sha: commit.sha,
    node_id: commitNodeId(repository, commit.sha),
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.tree, url: `${url}/git/trees/${commit.tree}` },
      url: `${url}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: renderVerification(commit),
    },
    url: `${url}/commits/${commit.sha}`,
    html_url: `${page}/commit/${commit.sha}`,
    comments_url: `${url}/commits/${commit.sha}/comments`,
    author: personOf(core, commit.author),
    committer: personOf(core, commit.committer),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${url}/commits/${sha}`,
      html_url: `${page}/commit/${sha}`,
    })),
  };
}

export function renderGitCommit(core: Core, repository: Repository, commit: CommitFacts): Json {
  const url = repositoryUrl(core, repository);
  const page = `${core.urls.web}/${fullNameOf(core, repository)}`;
  return {
    sha: commit.sha,
    node_id: commitNodeId(repository, commit.sha),
    url: `${url}/git/commits/${commit.sha}`,
    html_url: `${page}/commit/${commit.sha}`,
    author: commit.author,
    committer: commit.committer,
    message: commit.message,
    tree: { sha: commit.tree, url: `${url}/git/trees/${commit.tree}` },
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${url}/git/commits/${sha}`,
      html_url: `${page}/commit/${sha}`,
    })),
    verification: renderVerification(commit),
  };
}

const pushFormat = ['%x01%H', '%T', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B%x03'].join('%x02');

/**
 * The commits for the payload of a push, the oldest first. `range` has arguments of `git log`. One git process reads
 * all commits.
 */
export async function renderPushedCommits(
  core: Core,
  repository: Repository,
  range: readonly string[],
): Promise<Json[]> {
  const args = ['log', '--reverse', '-m', '--first-parent', '--root', '--name-status', `--format=${pushFormat}`];
  const listed = await core.git.textOfObjects(repository, [...args, ...range]);
  const page = `${core.urls.web}/${fullNameOf(core, repository)}`;
  const commits = listed.split('\u0001').slice(1);
  return commits.map((text) => {
    const [head = '', names = ''] = text.split('\u0003');
    const [id, tree, author, authorEmail, authoredAt, committer, committerEmail, committedAt, message] =
      head.split('\u0002');
    const lines = names.split('\n').map((line) => line.split('\t'));
    const of = (letters: string): string[] =>
      lines.filter(([letter = '']) => letter !== '' && letters.includes(letter)).map(([, path = '']) => path);
    return {
      id,
      tree_id: tree,
      distinct: true,
      message: message?.trimEnd(),
      timestamp: committedAt,
      url: `${page}/commit/${id}`,
      author: renderPerson(core, { name: author, email: authorEmail, date: authoredAt }),
      committer: renderPerson(core, { name: committer, email: committerEmail, date: committedAt }),
      added: of('A'),
      removed: of('D'),
      modified: of('MT'),
    };
  });
}

function renderPerson(core: Core, { name = '', email = '', date = '' }: Partial<Signature>): Json {
  const login = accountByEmail(core, email)?.login;
  return login === undefined ? { name, email, date } : { name, email, date, username: login };
}

export interface ShownRef {
  readonly ref: string;
  readonly sha: string;
  /** The type of the object. Default: `commit`. */
  readonly type?: string;
}

export function renderRef(core: Core, repository: Repository, { ref, sha, type = 'commit' }: ShownRef): Json {
  const url = repositoryUrl(core, repository);
  return {
    ref,
    node_id: nodeIdOf('refs', repository.id, ref),
    url: `${url}/git/${ref}`,
    object: { sha, type, url: `${url}/git/${type}s/${sha}` },
  };
}

/** The files that differ between two commits, in the form of `pulls/{n}/files` and comparisons. */
export async function renderFiles(
  core: Core,
  repository: Repository,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Json[]> {
  const readDiff = async (format: '--raw' | '--numstat'): Promise<string> =>
    await core.git.textOfObjects(repository, ['diff-tree', '-r', '-M', '--no-commit-id', format, '-z', from, to]);
  const names = await readDiff('--raw');
  const withTotalCount = parseCounts(await readDiff('--numstat'));
  const page = `${core.urls.web}/${fullNameOf(core, repository)}`;
  return parseRaw(names).map(({ letter, path, previous, blob }) => {
    const { additions, deletions } = withTotalCount.get(path) ?? { additions: 0, deletions: 0 };
    return {
      sha: blob,
      filename: path,
      status: statusNames[letter] ?? 'changed',
      additions,
      deletions,
      changes: additions + deletions,
      blob_url: `${page}/blob/${to}/${encodeURI(path)}`,
      raw_url: `${page}/raw/${to}/${encodeURI(path)}`,
      contents_url: `${repositoryUrl(core, repository)}/contents/${encodeURI(path)}?ref=${to}`,
      ...(previous === null ? {} : { previous_filename: previous }),
    };
  });
}

const statusNames: Readonly<Record<string, string>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};

interface RawChange {
  readonly letter: string;
  readonly path: string;
  readonly previous: string | null;
  readonly blob: string;
}

function parseRaw(text: string): RawChange[] {
  const parts = text.split('\0');
  const changes: RawChange[] = [];
  for (let at = 0; at < parts.length; ) {
    const [, , before = '', after = '', status = ''] = (parts[at] ?? '').split(' ');
    if (status === '') break;
    const isMove = /^[RC]/.test(status);
    const path = parts[at + (isMove ? 2 : 1)] ?? '';
    const blob = /^0+$/.test(after) ? before : after;
    changes.push({ letter: status.charAt(0), path, previous: isMove ? (parts[at + 1] ?? null) : null, blob });
    at += isMove ? 3 : 2;
  }
  return changes;
}

function parseCounts(text: string): Map<string, { additions: number; deletions: number }> {
  const parts = text.split('\0');
  const counts = new Map<string, { additions: number; deletions: number }>();
  for (let at = 0; at < parts.length; at += 1) {
    const [added = '', deleted = '', path = ''] = (parts[at] ?? '').split('\t');
    if (added === '') break;
    // For a renamed file, the path is empty, and its two names follow.
    const name = path === '' ? (parts[at + 2] ?? '') : path;
    if (path === '') at += 2;
    counts.set(name, { additions: Number(added) || 0, deletions: Number(deleted) || 0 });
  }
  return counts;
}

function renderVerification(commit: CommitFacts): Json {
  const verified = isVerified(commit);
  return { verified, reason: verified ? 'valid' : 'unsigned', signature: null, payload: null, verified_at: null };
}

function personOf(core: Core, { email }: Signature): Json | null {
  const account = accountByEmail(core, email);
  return account === undefined ? null : renderAccount(core, account);
}

function accountByEmail(core: Core, email: string): Account | undefined {
  const id = /^(\d+)\+.*@users\.noreply\./.exec(email)?.[1];
  if (id !== undefined) return core.state.accounts.get(Number(id));
  return core.state.accounts.find((each) => each.email !== null && each.email === email);
}
