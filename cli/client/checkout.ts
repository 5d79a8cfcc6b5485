// Finds the repository, the branch and the commit of a git checkout.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

/** Reads `<owner>/<name>`. Null: the text has another form. */
export function readRepositoryName(text: string): RepositoryName | null {
  const [, owner, name] = /^([^/\s]+)\/([^/\s]+)$/.exec(text) ?? [];
  return owner === undefined || name === undefined ? null : { owner, name };
}

/**
 * Reads the repository from the URL of a remote. The last two parts of the path name the repository. Null: the remote
 * is a folder of this machine, or the path has only one part.
 */
export function repositoryOfRemote(remote: string): RepositoryName | null {
  const path = URL.canParse(remote) ? pathOfUrl(remote) : /^[^/\s]+:(?!\/\/)(.+)$/.exec(remote)?.[1];
  const parts = (path ?? '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter((part) => part !== '');
  const [owner, name] = parts.slice(-2);
  return owner === undefined || name === undefined ? null : { owner: decode(owner), name: decode(name) };
}

function pathOfUrl(remote: string): string | undefined {
  const { protocol, pathname } = new URL(remote);
  // `host:owner/name` is parsed as a URL whose scheme is the host.
  if (!remote.includes('://')) return pathname;
  return protocol === 'file:' ? undefined : pathname;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export interface PullRequestName {
  readonly number: number;
  /** Null: the text is a number, or a link without a repository. */
  readonly repository: RepositoryName | null;
}

/** Reads `12`, `#12`, or a link that ends with `<owner>/<name>/pull/12`. Null: the text has another form. */
export function readPullRequestName(text: string): PullRequestName | null {
  const digits = /^#?(\d{1,9})$/.exec(text)?.[1];
  const [, path = '', linked] = /^(.*)\/pull\/(\d{1,9})(?:[/?#].*)?$/.exec(text) ?? [];
  const number = Number(digits ?? linked ?? 0);
  const [, owner, name] = /(?:^|\/)([^/\s]+)\/([^/\s]+)$/.exec(path.replace(/^\w+:\/\/[^/]*/, '')) ?? [];
  const repository = owner === undefined || name === undefined ? null : { owner: decode(owner), name: decode(name) };
  return number > 0 ? { number, repository } : null;
}

export interface Remote {
  readonly name: string;
  readonly url: string;
}

/** Chooses the remote that the current branch tracks, otherwise `origin`, otherwise the only remote. */
export function chooseRemote(remotes: readonly Remote[], tracked: string | null): Remote | null {
  const named = (name: string | null): Remote | undefined => remotes.find((remote) => remote.name === name);
  return named(tracked) ?? named('origin') ?? (remotes.length === 1 ? (remotes[0] ?? null) : null);
}

/** Reads the remotes from the output of `git remote --verbose`. */
export function readRemotes(listed: string): Remote[] {
  return [...listed.matchAll(/^(\S+)\t(.+) \(fetch\)/gm)].map(([, name = '', url = '']) => ({ name, url }));
}

/** Null: the folder is no checkout, or its remote has no repository name. */
export async function repositoryOfCheckout(folder: string): Promise<RepositoryName | null> {
  const remotes = readRemotes((await git(folder, 'remote', '--verbose')) ?? '');
  const branch = remotes.length > 1 ? await branchOfCheckout(folder) : null;
  const tracked = branch === null ? null : await git(folder, 'config', `branch.${branch}.remote`);
  const remote = chooseRemote(remotes, tracked);
  return remote === null ? null : repositoryOfRemote(remote.url);
}

/** Null: the folder is no checkout, or no branch is checked out. */
export async function branchOfCheckout(folder: string): Promise<string | null> {
  return await git(folder, 'symbolic-ref', '--quiet', '--short', 'HEAD');
}

/** Returns the commit of a revision. Null: there is no such commit. */
export async function commitOfCheckout(folder: string, revision: string): Promise<string | null> {
  return await git(folder, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
}

/** Returns the output of git. Null: git failed, or printed nothing. */
async function git(folder: string, ...args: string[]): Promise<string | null> {
  return await promisify(execFile)('git', args, { cwd: folder }).then(
    ({ stdout }) => stdout.trim() || null,
    () => null,
  );
}
