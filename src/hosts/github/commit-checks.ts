// Reads all checks of a commit by GraphQL, page by page.
import type { CheckRunAnswer, CheckSuiteAnswer, CommitChecks, PastStatus, StatusAnswer } from './check-answers.ts';
import { readCommitChecks, readFurtherRuns } from './checks.documents.ts';
import type { Api } from './client.ts';
import { type Connection, pageSize, readToEnd } from './pages.ts';
import { nameOf } from './pull-requests.ts';

interface SuitePage extends CheckSuiteAnswer {
  readonly id: string;
  readonly checkRuns: Connection<CheckRunAnswer> | null;
}

interface ChecksAnswer {
  readonly repository: {
    readonly object: {
      readonly message?: string;
      readonly checkSuites: Connection<SuitePage> | null;
      readonly status: { readonly contexts: readonly StatusAnswer[] } | null;
    } | null;
  } | null;
}

interface RunsAnswer {
  readonly node: { readonly checkRuns?: Connection<CheckRunAnswer> | null } | null;
}

/**
 * The most requests for further pages of a commit. A workflow with 256 jobs can run eight times. GitHub
 * itself has no useful limit: a suite may have 50,000 runs.
 */
const maxFurtherPages = 20;

/** Reads the checks of a commit. One request is enough if neither the suites nor the runs of a suite exceed a page. */
export async function readAllChecks(api: Api, commit: string): Promise<CommitChecks> {
  let left = maxFurtherPages;
  const mayRead = (): boolean => left-- > 0;
  const readSuites = async (after: string | null) =>
    (await api.graphql<ChecksAnswer>(readCommitChecks, { commit, after })).repository?.object ?? null;
  const seen = await readSuites(null);
  const suites =
    seen?.checkSuites &&
    (await readToEnd(seen.checkSuites, async (after) => (await readSuites(after))?.checkSuites ?? null, mayRead));
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
