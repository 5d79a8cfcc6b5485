// Pull requests at GitHub. They are read by GraphQL and changed by REST. A change is idempotent, because the pull
// request is read first.
import { passFailpoint } from '../../platform/failpoints.ts';
import * as git from '../git/index.ts';
import {
  HostRefused,
  HostUnavailable,
  RefMoved,
  type CodeHost,
  type HostPullRequest,
  type HostRepository,
} from '../port.ts';
import { NotFoundAtGitHub } from './answers.ts';
import { retryCall } from './retry-call.ts';
import type { Api, Client } from './client.ts';
import type { Purpose } from './budget.ts';
import { findBranchAuthors, storeBranchAuthors } from './branch-authors.rows.ts';
import type { Connection } from './pages.ts';
import { asHostPullRequest, type PullRequestAnswer } from './pull-request-facts.ts';
import { type PullRequestPage, readWholeLists } from './pull-request-lists.ts';
import * as documents from './pull-requests.documents.ts';
import type { Mirrors } from './mirrors.ts';
import type { Database } from '../../platform/database.ts';

export interface PullRequestSettings {
  readonly client: Client;
  readonly mirrors: Mirrors;
  readonly db: Database;
}

interface Page {
  readonly repository: { readonly pullRequests: Connection<PullRequestPage> } | null;
}

export function pullRequestOperations(settings: PullRequestSettings) {
  const { client, mirrors, db } = settings;
  return {
    getPullRequest: async (repository, number, options) =>
      await readOne(settings, repository, { number, purpose: options?.isForLanding === true ? 'landing' : 'hint' }),
    listOpenPullRequests: async (repository) => await readOpen(settings, repository, null),
    findOpenPullRequests: async (repository, headBranch) =>
      (await readOpen(settings, repository, headBranch)).filter(({ headFork }) => headFork === null),
    openPullRequest: async (repository, input) => {
      if (input.headBranch === input.baseBranch) throw new HostRefused('Head and base are the same branch');
      const api = await client.apiFor(repository, 'landing');
      const opened = await open(api, input).catch(async (error: unknown) => {
        if (!(error instanceof HostRefused) || !alreadyOpen.test(error.message)) throw error;
        // An earlier call has opened it, and its answer was lost. The caller finds it in the list.
        const listed = await readOpen(settings, repository, input.headBranch);
        const isOurs = ({ headFork, baseBranch }: HostPullRequest): boolean =>
          headFork === null && baseBranch === input.baseBranch;
        if (listed.some(isOurs)) throw error;
        const between = `from ${input.headBranch} into ${input.baseBranch}`;
        throw new HostUnavailable(`GitHub has an open pull request ${between}, and does not list it yet`, {
          cause: error,
        });
      });
      await passFailpoint('github:after_open');
      const labels = [...(input.labels ?? [])];
      if (labels.length > 0)
        await api.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
          ...nameOf(api),
          issue_number: opened.number,
          labels,
        });
      return { ...asOpened(opened), labels };
    },
    setBaseBranch: async (repository, number, baseBranch) => {
      const seen = await mustRead(settings, repository, { number, purpose: 'landing' });
      if (seen.state !== 'open' || seen.baseBranch === baseBranch) return;
      await change(await client.apiFor(repository, 'landing'), number, { base: baseBranch });
    },
    editPullRequest: async (repository, { number, isForLanding = false }, changes) => {
      const seen = await mustRead(settings, repository, { number, purpose: isForLanding ? 'landing' : 'hint' });
      const isSame = (changes.title ?? seen.title) === seen.title && (changes.body ?? seen.body) === seen.body;
      if (seen.state !== 'open' || isSame) return;
      await change(await client.apiFor(repository, isForLanding ? 'landing' : 'notification'), number, changes);
    },
    closePullRequest: async (repository, number) => {
      if ((await mustRead(settings, repository, { number, purpose: 'hint' })).state !== 'open') return;
      await closePullRequest(client, repository, number);
    },
    reopenPullRequest: async (repository, number) => {
      const { state } = await mustRead(settings, repository, { number, purpose: 'hint' });
      if (state !== 'closed') throw new HostRefused(`Pull request #${number} is ${state}, not closed`);
      await change(await client.apiFor(repository, 'answer'), number, { state: 'open' });
    },
    mergePullRequest: async (repository, number, merge) =>
      await mergeAtGitHub(settings, repository, { number, ...merge }),
    addBranchAuthors: async (repository, branch, names) => await storeBranchAuthors(db, repository, { branch, names }),
    addAuthorsOf: async (repository, from, branch) => {
      const seen = await mustRead(settings, repository, { number: from, purpose: 'hint' });
      const known = await findBranchAuthors(db, repository, [seen.headBranch]);
      await storeBranchAuthors(db, repository, { branch, names: [seen.author, ...(known.get(seen.headBranch) ?? [])] });
    },
    listCommitsOf: async (repository, number) => await listCommitsOf(await client.apiFor(repository, 'answer'), number),
    countUnverifiedCommits: async (repository, { isForLanding = false, ...range }) => {
      const api = await client.apiFor(repository, isForLanding ? 'landing' : 'hint');
      const directory = await mirrors.fetchMissing(repository, [range.head, range.base]);
      const commits = await git.listCommits(mirrors.git, directory, {
        from: [range.base],
        to: range.head,
        limit: maxSignatures + 1,
      });
      const checked = commits.slice(0, maxSignatures);
      const verified = await Promise.all(checked.map(async (commit) => await isVerified(api, commit)));
      // A commit that was not checked counts as unverified.
      return verified.filter((isGood) => !isGood).length + (commits.length - checked.length);
    },
  } satisfies Partial<CodeHost>;
}

type Merge = Parameters<CodeHost['mergePullRequest']>[2] & { readonly number: number };

/**
 * Merges by GitHub's own merge call. After an error the pull request is read, because the merge may have succeeded and
 * only its answer was lost.
 */
async function mergeAtGitHub(
  settings: PullRequestSettings,
  repository: HostRepository,
  { number, ...merge }: Merge,
): Promise<{ readonly commit: string }> {
  const { client, mirrors } = settings;
  const api = await client.apiFor(repository, 'landing');
  if (merge.unlessRef !== null) {
    const [there] = await mirrors.readRefs(repository, [merge.unlessRef]);
    if (there !== undefined) throw new RefMoved(merge.unlessRef, null, there.commit);
  }
  const read = { number, purpose: 'landing' } as const;
  const seen = await mustRead(settings, repository, read);
  if (seen.state !== 'open') throw new HostRefused(`Pull request #${number} is not open`);
  if (seen.headSha !== merge.expectedHead)
    throw new RefMoved(`refs/heads/${seen.headBranch}`, merge.expectedHead, seen.headSha);
  const [title = '', ...rest] = merge.message.split('\n');
  try {
    const { data } = await api.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
      ...nameOf(api),
      pull_number: number,
      sha: merge.expectedHead,
      merge_method: merge.strategy,
      ...(merge.strategy === 'rebase' ? {} : { commit_title: title, commit_message: rest.join('\n').trim() }),
    });
    return { commit: data.sha };
  } catch (error) {
    const now = await readOne(settings, repository, read);
    if (now?.state === 'merged' && now.mergeCommitSha !== null) return { commit: now.mergeCommitSha };
    if (error instanceof HostRefused && now !== null && now.headSha !== merge.expectedHead)
      throw new RefMoved(`refs/heads/${now.headBranch}`, merge.expectedHead, now.headSha);
    if (error instanceof HostRefused && baseModified.test(error.message))
      throw new HostUnavailable(error.message, { cause: error });
    throw error;
  }
}

/**
 * GitHub's message if the base branch moved during the call or shortly before it. The caller compares the base branch
 * with the expected one before the next attempt.
 */
const baseModified = /base branch was modified/i;

/** GitHub lists at most this many commits of a pull request, and does not say whether there are more. */
const maxListed = 250;

async function listCommitsOf(api: Api, number: number): Promise<string[] | null> {
  const commits: string[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await api.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/commits', {
      ...nameOf(api),
      pull_number: number,
      per_page: 100,
      page,
    });
    commits.push(...data.map(({ sha }) => sha));
    if (commits.length >= maxListed) return null;
    if (data.length < 100) return commits;
  }
}

/** The most commits whose signatures are checked. GitHub lists no more commits of a pull request either. */
const maxSignatures = 250;

async function isVerified(api: Api, commit: string): Promise<boolean> {
  const answer = await api.graphql<{
    repository: { object: { signature: { isValid: boolean } | null } | null } | null;
  }>(documents.readSignature, { commit });
  return answer.repository?.object?.signature?.isValid ?? false;
}

export function nameOf({ owner, repo }: Api): { owner: string; repo: string } {
  return { owner, repo };
}

/** Closes a pull request that was just read as open. If it was merged in the meantime, GitHub does not change it. */
export async function closePullRequest(client: Client, repository: HostRepository, number: number): Promise<void> {
  await change(await client.apiFor(repository, 'notification'), number, { state: 'closed' });
}

async function change(
  api: Api,
  number: number,
  changes: { title?: string; body?: string; base?: string; state?: 'open' | 'closed' },
): Promise<void> {
  await api.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
    ...nameOf(api),
    pull_number: number,
    ...changes,
  });
}

type NewPullRequest = Parameters<CodeHost['openPullRequest']>[1];

interface Opened {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly user: { readonly login: string };
  readonly head: { readonly ref: string; readonly sha: string };
  readonly base: { readonly ref: string; readonly sha: string };
  readonly draft?: boolean;
  readonly created_at: string;
  readonly html_url: string;
}

/** A new pull request, without reviews, labels and comments. */
function asOpened(data: Opened): HostPullRequest {
  return {
    number: data.number,
    title: data.title,
    body: data.body ?? '',
    author: data.user.login,
    headBranch: data.head.ref,
    headFork: null,
    baseBranch: data.base.ref,
    headSha: data.head.sha,
    headTip: data.head.sha,
    baseTip: data.base.sha,
    state: 'open',
    draft: data.draft ?? false,
    labels: [],
    approvals: 0,
    changesRequested: false,
    unresolvedConversations: 0,
    ownerReviewMissing: false,
    requiredReviewMissing: false,
    createdAt: Date.parse(data.created_at),
    lastOpenedAt: Date.parse(data.created_at),
    baseChangedAt: null,
    mergedAt: null,
    mergeCommitSha: null,
    url: data.html_url,
  };
}

/** GitHub's message if there is an open pull request of the same two branches. */
const alreadyOpen = /pull request already exists/i;

async function open(api: Api, input: NewPullRequest): Promise<Opened> {
  const fields = {
    ...nameOf(api),
    title: input.title,
    body: input.body,
    head: input.headBranch,
    base: input.baseBranch,
  };
  try {
    const { data } = await api.request('POST /repos/{owner}/{repo}/pulls', { ...fields, draft: input.draft });
    return data;
  } catch (error) {
    // Some plans of GitHub have no drafts in private repositories. The pull request is then opened without being a
    // draft.
    if (
      !input.draft ||
      !(error instanceof HostRefused) ||
      !/draft pull requests are not supported/i.test(error.message)
    )
      throw error;
    const { data } = await api.request('POST /repos/{owner}/{repo}/pulls', fields);
    return data;
  }
}

interface Read {
  readonly number: number;
  readonly purpose: Purpose;
}

async function readOne(
  { client, mirrors, db }: PullRequestSettings,
  repository: HostRepository,
  { number, purpose }: Read,
): Promise<HostPullRequest | null> {
  const api = await client.apiFor(repository, purpose);
  const seen = await api
    .graphql<{ repository: { pullRequest: PullRequestPage | null } | null }>(documents.readPullRequest, { number })
    .then(async ({ repository: at }) => (at?.pullRequest ? await readWholeLists(api, at.pullRequest) : null))
    .catch((error: unknown) => {
      if (error instanceof NotFoundAtGitHub && /PullRequest/.test(error.message)) return null;
      throw error;
    });
  if (seen === null) return null;
  const refs = await mirrors.readRefs(repository, branchesOf(seen));
  const authors = await findBranchAuthors(db, repository, [seen.headRefName]);
  return asHostPullRequest(seen, {
    tips: new Map(refs.map(({ ref, commit }) => [ref, commit])),
    authors: authors.get(seen.headRefName) ?? new Set(),
  });
}

/** The refs of the head branch and the base branch of an open pull request. Empty for a closed or merged one. */
function branchesOf({ state, isCrossRepository, headRefName, baseRefName }: PullRequestAnswer): string[] {
  if (state !== 'OPEN') return [];
  return [...(isCrossRepository ? [] : [headRefName]), baseRefName].map((branch) => `refs/heads/${branch}`);
}

async function mustRead(
  settings: PullRequestSettings,
  repository: HostRepository,
  read: Read,
): Promise<HostPullRequest> {
  const seen = await readOne(settings, repository, read);
  if (seen === null) throw new HostRefused(`There is no pull request #${read.number}`);
  return seen;
}

async function readOpen(
  { client, mirrors, db }: PullRequestSettings,
  repository: HostRepository,
  head: string | null,
): Promise<HostPullRequest[]> {
  const api = await client.apiFor(repository, head === null ? 'reconciling' : 'landing');
  const found: PullRequestAnswer[] = [];
  let after: string | null = null;
  do {
    const from: string | null = after;
    const answer: Page = await retryCall(
      async () => await api.graphql<Page>(documents.listPullRequests, { head, after: from }),
    );
    const page = answer.repository?.pullRequests;
    for (const first of page?.nodes ?? []) found.push(await retryCall(async () => await readWholeLists(api, first)));
    after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  if (found.length === 0) return [];
  const refs = await mirrors.readRefs(repository, head === null ? ['refs/heads/'] : found.flatMap(branchesOf));
  const tips = new Map(refs.map(({ ref, commit }) => [ref, commit]));
  const authors = await findBranchAuthors(
    db,
    repository,
    found.map(({ headRefName }) => headRefName),
  );
  return found.map((seen) =>
    asHostPullRequest(seen, { tips, authors: authors.get(seen.headRefName) ?? new Set<string>() }),
  );
}
