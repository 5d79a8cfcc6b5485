// Reads all checks of a commit by GraphQL, page by page.
import { HostUnavailable } from '../port.ts';
import type { CheckRunAnswer, CheckSuiteAnswer, CommitChecks, PastStatus, StatusAnswer } from './check-answers.ts';
import { commitChecks, readCommitChecks, readFurtherRuns } from './checks.documents.ts';
import type { Api } from './client.ts';
import { type Connection, pageSize, readToEnd } from './pages.ts';
import { nameOf } from './pull-requests.ts';

interface SuitePage extends CheckSuiteAnswer {
  readonly id: string;
  readonly checkRuns: Connection<CheckRunAnswer> | null;
}

interface CommitAnswer {
  readonly message?: string;
  readonly checkSuites: Connection<SuitePage> | null;
  readonly status: { readonly contexts: readonly StatusAnswer[] } | null;
}

interface ChecksAnswer {
  readonly repository: { readonly object: CommitAnswer | null } | null;
}

interface RunsAnswer {
  readonly node: { readonly checkRuns?: Connection<CheckRunAnswer> | null } | null;
}

/**
 * The most requests for further pages of a commit. A workflow with 256 jobs can run eight times. GitHub
 * itself has no useful limit: a suite may have 50,000 runs.
 */
const maxFurtherPages = 20;

/** GitHub refuses a request that may have more than 500,000 nodes. A commit may have 10,100. */
const mostCommits = 10;

/**
 * Reads the checks of commits, in the given order. One request is enough for ten commits if neither the suites of a
 * commit nor the runs of a suite exceed a page, and no commit has statuses.
 */
export async function readAllChecks(api: Api, commits: readonly string[]): Promise<CommitChecks[]> {
  const first: (CommitAnswer | null)[] = [];
  for (let at = 0; at < commits.length; at += mostCommits)
    first.push(...(await readFirstPages(api, commits.slice(at, at + mostCommits))));
  const read: CommitChecks[] = [];
  for (const [at, commit] of commits.entries()) read.push(await readFurtherChecks(api, commit, first[at] ?? null));
  return read;
}

/**
 * Null: GitHub does not have the commit. GitHub ends a request that takes ten seconds, or too much of its resources. So
 * after a failure the commits are read one by one.
 */
async function readFirstPages(api: Api, commits: readonly string[]): Promise<(CommitAnswer | null)[]> {
  if (commits.length > 1)
    try {
      return await readTogether(api, commits);
    } catch (error) {
      if (!(error instanceof HostUnavailable)) throw error;
    }
  const read: (CommitAnswer | null)[] = [];
  for (const commit of commits)
    read.push((await api.graphql<ChecksAnswer>(readCommitChecks, { commit, after: null })).repository?.object ?? null);
  return read;
}

async function readTogether(api: Api, commits: readonly string[]): Promise<(CommitAnswer | null)[]> {
  const variables = Object.fromEntries(commits.map((each, at) => [`commit${at}`, each]));
  const { repository } = await api.graphql<{
    readonly repository: Readonly<Record<string, CommitAnswer | null>> | null;
  }>(readChecksOfCommits(commits.length), { ...variables, after: null });
  return commits.map((_, at) => repository?.[`commit${at}`] ?? null);
}

/** A document that reads the first pages of several commits. */
export function readChecksOfCommits(count: number): string {
  const places = Array.from({ length: count }, (_, at) => `commit${at}`);
  return `
  query ChecksOfCommits($owner: String!, $repo: String!, $after: String, ${places.map((name) => `$${name}: GitObjectID!`).join(', ')}) {
    repository(owner: $owner, name: $repo) {
      databaseId
      ${places.map((name) => `${name}: object(oid: $${name}) { ...CommitChecks }`).join('\n      ')}
    }
  }
  ${commitChecks}`;
}

/** Reads what the first page of a commit leaves out. */
async function readFurtherChecks(api: Api, commit: string, seen: CommitAnswer | null): Promise<CommitChecks> {
  let left = maxFurtherPages;
  const mayRead = (): boolean => left-- > 0;
  const readSuites = async (after: string | null) =>
    (await api.graphql<ChecksAnswer>(readCommitChecks, { commit, after })).repository?.object?.checkSuites ?? null;
  const suites = seen?.checkSuites && (await readToEnd(seen.checkSuites, readSuites, mayRead));
  const whole: SuitePage[] = [];
  for (const suite of suites?.nodes ?? []) whole.push(await readWholeSuite(api, suite, mayRead));
  const statuses = seen?.status?.contexts ?? [];
  const history = statuses.length === 0 ? { statuses: [], isCut: false } : await readStatusHistory(api, commit);
  const lists = [suites, ...whole.map(({ checkRuns }) => checkRuns)];
  return {
    message: seen?.message ?? '',
    suites: whole,
    isCut: history.isCut || lists.some((list) => list?.pageInfo.hasNextPage ?? false),
    statuses,
    statusHistory: history.statuses,
  };
}

async function readWholeSuite(api: Api, suite: SuitePage, mayRead: () => boolean): Promise<SuitePage> {
  if (suite.checkRuns === null) return suite;
  const readRuns = async (after: string | null): Promise<Connection<CheckRunAnswer> | null> =>
    (await api.graphql<RunsAnswer>(readFurtherRuns, { suite: suite.id, after })).node?.checkRuns ?? null;
  return { ...suite, checkRuns: await readToEnd(suite.checkRuns, readRuns, mayRead) };
}

const maxStatusPages = 20;

interface StatusHistory {
  /** The oldest first. */
  readonly statuses: readonly PastStatus[];
  /** Whether GitHub may have older statuses, which were not read. */
  readonly isCut: boolean;
}

/**
 * Reads the newest statuses, at most `maxStatusPages` pages of a hundred. GraphQL has only the newest status of each
 * name, but of all names.
 */
async function readStatusHistory(api: Api, commit: string): Promise<StatusHistory> {
  const found: PastStatus[] = [];
  for (let page = 1; page <= maxStatusPages; page += 1) {
    const { data } = await api.request('GET /repos/{owner}/{repo}/commits/{ref}/statuses', {
      ...nameOf(api),
      ref: commit,
      per_page: pageSize,
      page,
    });
    found.push(...data.map(({ context, state }) => ({ context, state })));
    if (data.length < pageSize) return { statuses: found.toReversed(), isCut: false };
  }
  return { statuses: found.toReversed(), isCut: true };
}
