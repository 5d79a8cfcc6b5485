// Reads refs at GitHub by the command `ls-refs` of git's protocol, version 2. The request names the refs, and no git
// process is started. `git ls-remote` was rejected, because the server would send every ref. REST was rejected, because
// its answers lag behind a push.
import { setTimeout as delay } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { HostUnavailable, type HostRepository } from '../port.ts';
import { authorizationOf, type Remote } from './remote.ts';

export interface RemoteRef {
  readonly ref: string;
  readonly commit: string;
}

const timeoutMs = 60_000;
const accessTimeoutMs = 15_000;
const flush = '0000';
const delimiter = '0001';

export type ReadRefs = (repository: HostRepository, patterns: readonly string[]) => Promise<readonly RemoteRef[]>;

/** The longest time for which a slow read delays the next one. */
const longestWaitMs = 1_000;

/**
 * Batches reads of single refs. While a read of a repository is in progress, further reads wait, and are then made by
 * one request. So every answer is newer than its question, and a burst of webhooks needs only a few requests. The refs
 * of one call are always in the same request, so that a landing ref is found either at GitHub or in the ledger while it
 * is moved there.
 */
export function gatherReads(read: ReadRefs): ReadRefs {
  const loaders = new Map<string, DataLoader<string, RemoteRef | null>>();

  function loaderOf(repository: HostRepository): DataLoader<string, RemoteRef | null> {
    // The key has the name too, so that a renamed repository is read under its new name.
    const key = JSON.stringify([repository.accountId, repository.id, repository.owner, repository.name]);
    const known = loaders.get(key);
    if (known !== undefined) return known;
    let inProgress: Promise<unknown> = Promise.resolve();
    const loader = new DataLoader<string, RemoteRef | null>(
      async (refs) => {
        const reading = read(repository, [...new Set(refs)]);
        inProgress = reading.catch(() => {});
        const found = new Map((await reading).map((each) => [each.ref, each]));
        return refs.map((ref) => found.get(ref) ?? null);
      },
      { cache: false, batchScheduleFn: (send) => void Promise.race([inProgress, delay(longestWaitMs)]).then(send) },
    );
    loaders.set(key, loader);
    return loader;
  }

  return async (repository, patterns) => {
    if (patterns.some(isPrefix)) return await read(repository, patterns);
    const loader = loaderOf(repository);
    const found = await Promise.all([...new Set(patterns)].map(async (ref) => await loader.load(ref)));
    return found.filter((each) => each !== null).toSorted((one, other) => (one.ref < other.ref ? -1 : 1));
  };
}

/** GitHub refused the token, because it has expired or was revoked. */
export class TokenRefused extends HostUnavailable {}

/**
 * Reads the refs that match the patterns, sorted by name. A pattern is a full name, a prefix that ends in `/`, or any
 * prefix followed by `*`. Throws TokenRefused or HostUnavailable.
 */
export async function readRemoteRefs(
  repository: Pick<HostRepository, 'owner' | 'name'>,
  remote: Remote,
  { patterns, clock }: { readonly patterns: readonly string[]; readonly clock: () => Date },
): Promise<RemoteRef[]> {
  const name = `${repository.owner}/${repository.name}`;
  const unreachable = (error: unknown): never => throwUnreachable(name, error);
  const response = await fetch(`${remote.url}/git-upload-pack`, {
    method: 'POST',
    // For a renamed repository, GitHub answers with a redirect. The redirect is reported and not followed.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      authorization: authorizationOf(remote),
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
      'git-protocol': 'version=2',
      'user-agent': 'git/interlock',
    },
    body: requestOf(patterns),
  }).catch(unreachable);
  const body = Buffer.from(await response.arrayBuffer().catch(unreachable));
  if (response.status !== 200) throw refusalOf(name, response, clock());
  const refs = parseRefs(body);
  if (refs === null) throw new HostUnavailable(`GitHub's answer about the refs of ${name} cannot be read`);
  return refs
    .filter(({ ref }) => matchesPattern(ref, patterns))
    .toSorted((one, other) => (one.ref < other.ref ? -1 : 1));
}

/**
 * Returns whether the token may push to the repository that has this name. A token that is limited to a repository may
 * push to no other one, so true means that the name is that of its repository. git begins each push with this request.
 * The request costs no points. Throws TokenRefused or HostUnavailable, also if GitHub redirects to another name.
 */
export async function mayPush(
  repository: Pick<HostRepository, 'owner' | 'name'>,
  remote: Remote,
  clock: () => Date,
): Promise<boolean> {
  const name = `${repository.owner}/${repository.name}`;
  const response = await fetch(`${remote.url}/info/refs?service=git-receive-pack`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(accessTimeoutMs),
    headers: { authorization: authorizationOf(remote), 'user-agent': 'git/interlock' },
  }).catch((error: unknown) => throwUnreachable(name, error));
  // The list of refs is not needed.
  await response.body?.cancel().catch(() => {});
  if (response.status === 200) return true;
  if (response.status === 403 || response.status === 404) return false;
  throw refusalOf(name, response, clock());
}

function throwUnreachable(name: string, error: unknown): never {
  const { message, cause } = error as Error;
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
  throw new HostUnavailable(`The refs of ${name} could not be read at GitHub (${why})`, { cause: error });
}

export function isPrefix(pattern: string): boolean {
  return pattern.endsWith('/') || pattern.endsWith('*');
}

/** The pattern without its `*`, which no name of a ref contains. */
function startOf(pattern: string): string {
  return pattern.replace(/\*$/, '');
}

export function matchesPattern(ref: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (isPrefix(pattern) ? ref.startsWith(startOf(pattern)) : ref === pattern));
}

function refusalOf(name: string, { status, headers }: Response, now: Date): Error {
  const message = refusalMessage(name, status);
  if (status === 401) return new TokenRefused(message);
  const waitSec = Number(headers.get('retry-after') ?? Number.NaN);
  return new HostUnavailable(message, Number.isNaN(waitSec) ? {} : { retryAt: now.getTime() + waitSec * 1000 });
}

/** The message for a status of GitHub. Each status counts as an outage, so that started work is retried. */
export function refusalMessage(name: string, status: number): string {
  if (status === 404)
    return `GitHub has no ${name} that the App may see: was it renamed, deleted or taken out of the installation?`;
  if (status >= 300 && status < 400) return `${name} was renamed or moved at GitHub`;
  if (status === 401) return `GitHub refused the App's token for ${name}`;
  if (status === 403)
    return `GitHub refused the App's token for ${name}: is the installation suspended, or the repository taken out of it?`;
  return `The refs of ${name} could not be read: GitHub answered ${status}`;
}

function requestOf(patterns: readonly string[]): string {
  return [
    packet('command=ls-refs\n'),
    packet('agent=git/interlock\n'),
    packet('object-format=sha1\n'),
    delimiter,
    ...patterns.map((pattern) => packet(`ref-prefix ${startOf(pattern)}\n`)),
    flush,
  ].join('');
}

function packet(line: string): string {
  return (Buffer.byteLength(line) + 4).toString(16).padStart(4, '0') + line;
}

/**
 * Parses packets with lines `<object> <ref>`, up to a flush packet. Null: the body is not in this format, or is cut
 * off.
 */
export function parseRefs(body: Buffer): RemoteRef[] | null {
  const refs: RemoteRef[] = [];
  for (let at = 0; ; ) {
    const head = body.toString('latin1', at, at + 4);
    if (head === flush) return refs;
    const length = /^[0-9a-f]{4}$/.test(head) ? Number.parseInt(head, 16) : 0;
    if (length < 5 || at + length > body.length) return null;
    const line = body.toString('utf8', at + 4, at + length).replace(/\n$/, '');
    const [, commit, ref] = /^([0-9a-f]{40}) (refs\/[^ ]+)/.exec(line) ?? [];
    if (commit !== undefined && ref !== undefined) refs.push({ ref, commit });
    at += length;
  }
}
