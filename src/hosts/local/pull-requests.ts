// Pull requests of the local host, with the rules of GitHub.
import { countReviews, isAuthor } from '../../domain/queue/requests/reviews.ts';
import * as git from '../git/index.ts';
import { HostRefused, type HostPullRequest, type HostRepository } from '../port.ts';
import { queueChecks } from './ci.ts';
import { findComments, storeComments, type NewComment } from './conversations.rows.ts';
import type { Installation } from './installation.ts';
import type { LocalHost } from './local-host.port.ts';
import { createRepositoryWriter } from './repository-writer.ts';
import { numbersOf } from './numbers.ts';
import * as rows from './pull-requests.rows.ts';
import { addBranchAuthors, storeReview } from './reviews.rows.ts';

export function pullRequestOperations(installation: Installation) {
  const { db } = installation;
  const stored: StoredPullRequests = {
    installation,
    changed: (repository, number) => installation.emit({ kind: 'pull_request', repository, number }),
    mustFind: async (repository, number) => {
      const row = await rows.findPullRequest(db, repository, number);
      if (row === null) throw new HostRefused(`There is no pull request #${number}`);
      return row;
    },
  };
  return {
    ...readOperations(installation),
    ...openOperations(stored),
    ...changeOperations(stored),
    ...conversationOperations(stored),
  } satisfies Partial<LocalHost>;
}

interface StoredPullRequests {
  readonly installation: Installation;
  readonly changed: (repository: HostRepository, number: number) => void;
  /** Throws HostRefused. */
  readonly mustFind: (repository: HostRepository, number: number) => Promise<rows.PullRequestRow>;
}

function readOperations(installation: Installation) {
  const { db } = installation;
  return {
    getPullRequest: async (repository, number) => {
      const row = await rows.findPullRequest(db, repository, number);
      return row === null ? null : await readPullRequest(installation, repository, row);
    },
    listOpenPullRequests: async (repository) => {
      const open = await rows.findOpenPullRequests(db, repository);
      const refs = open.flatMap((row) => [ownHeadRef(row) ?? [], git.branchRef(row.base_branch)].flat());
      const tips = await git.readRefValues(installation.directoryOf(repository), [...new Set(refs)]);
      return open.map((row) =>
        asPullRequest(installation, repository, {
          row,
          tips: {
            head: tips.get(ownHeadRef(row) ?? '') ?? null,
            base: tips.get(git.branchRef(row.base_branch)) ?? null,
          },
        }),
      );
    },
    findOpenPullRequests: async (repository, headBranch) =>
      await Promise.all(
        (await rows.findOpenPullRequestsOf(db, repository, [headBranch])).map(
          async (row) => await readPullRequest(installation, repository, row),
        ),
      ),
  } satisfies Partial<LocalHost>;
}

function openOperations(stored: StoredPullRequests) {
  const { installation, changed, mustFind } = stored;
  return {
    openPullRequestOfFork: async (repository, input) => await openOfFork(stored, repository, input),
    openPullRequest: async (repository, input) => await open(stored, repository, input),
    reopenPullRequest: async (repository, number) => {
      const row = await mustFind(repository, number);
      if (row.state !== 'closed')
        throw new HostRefused(`#${number} is ${row.state}; only a closed pull request can be reopened`);
      const headSha =
        row.head_fork === null
          ? await mustBeMergeable(installation, repository, {
              headBranch: row.head_branch,
              baseBranch: row.base_branch,
            })
          : row.head_sha;
      const at = installation.clock();
      if (await rows.markReopened(installation.db, repository, { number, headSha, at })) changed(repository, number);
    },
  } satisfies Partial<LocalHost>;
}

async function openOfFork(
  { installation, changed, mustFind }: StoredPullRequests,
  repository: HostRepository,
  { fork, head, ...input }: Parameters<LocalHost['openPullRequestOfFork']>[1],
): Promise<HostPullRequest> {
  const headSha = git.requireObjectId(head);
  const directory = installation.directoryOf(repository);
  if ((await git.readCommit(installation.git, directory, headSha)) === null)
    throw new HostRefused(`${headSha} is not a commit of this repository`);
  const number = await rows.insertPullRequest(installation.db, repository, {
    ...input,
    headFork: `${fork.owner}/${fork.name}`,
    headSha,
    labels: input.labels ?? [],
    at: installation.clock(),
    numbers: numbersOf(installation, repository),
  });
  if (number === null) throw new HostRefused(`A pull request already exists from ${fork.owner}:${input.headBranch}`);
  const ref = `refs/pull/${number}/head`;
  await git.updateRefs(installation.git, directory, [{ ref, from: null, to: headSha }]);
  await queueChecks(installation, repository, { commit: headSha, ref, priority: 1, restartsCanceled: false });
  changed(repository, number);
  return await readPullRequest(installation, repository, await mustFind(repository, number));
}

async function open(
  { installation, changed, mustFind }: StoredPullRequests,
  repository: HostRepository,
  input: Parameters<LocalHost['openPullRequest']>[1],
): Promise<HostPullRequest> {
  const headSha = await mustBeMergeable(installation, repository, {
    headBranch: input.headBranch,
    baseBranch: input.baseBranch,
  });
  const number = await rows.insertPullRequest(installation.db, repository, {
    ...input,
    headFork: null,
    headSha,
    labels: input.labels ?? [],
    at: installation.clock(),
    numbers: numbersOf(installation, repository),
  });
  if (number === null)
    throw new HostRefused(`A pull request already exists from ${input.headBranch} into ${input.baseBranch}`);
  const priority = git.isTemporaryBranch(input.headBranch) ? null : git.isBotBranch(input.headBranch) ? 2 : 1;
  if (priority !== null)
    await queueChecks(installation, repository, {
      commit: headSha,
      ref: git.branchRef(input.headBranch),
      priority,
      restartsCanceled: false,
    });
  // Only Interlock opens pull requests of bot branches. It records them itself and needs no hint.
  if (!git.isBotBranch(input.headBranch)) changed(repository, number);
  return await readPullRequest(installation, repository, await mustFind(repository, number));
}

function changeOperations({ installation, changed, mustFind }: StoredPullRequests) {
  const { db } = installation;
  return {
    setBaseBranch: async (repository, number, baseBranch) => {
      const row = await mustFind(repository, number);
      if (row.state !== 'open' || row.base_branch === baseBranch) return;
      const base = await git.readRef(installation.git, installation.directoryOf(repository), git.branchRef(baseBranch));
      if (base === null) throw new HostRefused(`The base branch ${baseBranch} does not exist`);
      const open = await rows.findOpenPullRequests(db, repository);
      const isTwin = (other: rows.PullRequestRow): boolean =>
        other.head_branch === row.head_branch && other.head_fork === row.head_fork && other.base_branch === baseBranch;
      if (open.some(isTwin))
        throw new HostRefused(`A pull request already exists from ${row.head_branch} into ${baseBranch}`);
      if (await rows.setBase(db, repository, { number, baseBranch })) changed(repository, number);
    },
    editPullRequest: async (repository, { number }, changes) => {
      if (await rows.edit(db, repository, { number, changes })) changed(repository, number);
      else await mustFind(repository, number);
    },
    closePullRequest: async (repository, number) => {
      if (await rows.markClosed(db, repository, number)) changed(repository, number);
      else await mustFind(repository, number);
    },
    // No hint is emitted, because Interlock has recorded the landing already.
    concludePullRequest: async (repository, number, landing) => {
      const commit = git.requireObjectId(landing.mergeCommit);
      if (!(await rows.markMerged(db, repository, { number, commit, at: new Date(landing.at) })))
        await mustFind(repository, number);
    },
    setLabel: async (repository, number, { label, present, by }) => {
      const write = { number, label, present, by: by ?? null, at: installation.clock() };
      if (await rows.setLabelPresence(db, repository, write)) changed(repository, number);
      else await mustFind(repository, number);
    },
    readLabelChange: async (repository, number, label) => {
      const change = await rows.findLabelChange(db, repository, { number, label });
      return change === null ? null : { ...change, byId: null, byQueue: change.by === null, at: change.at.getTime() };
    },
  } satisfies Partial<LocalHost>;
}

function conversationOperations({ installation, changed, mustFind }: StoredPullRequests) {
  const { db } = installation;
  const writeComment = createRepositoryWriter<NewComment>(
    async (repository, comments) => await storeComments(db, repository, { comments, at: installation.clock() }),
  );
  return {
    upsertComment: async (repository, number, { key, body, version = 0 }) => {
      const comment = { number, key, body, version, author: 'interlock' };
      await writeComment(repository, comment).catch(async (error: unknown) => {
        // The database refuses a comment on a pull request that does not exist.
        await mustFind(repository, number);
        throw error;
      });
    },
    listComments: async (repository, number) =>
      (await findComments(db, repository, number)).map(({ created_at, edited_at, ...comment }) => ({
        ...comment,
        createdAt: created_at.getTime(),
        editedAt: edited_at?.getTime() ?? null,
      })),
    reviewPullRequest: async (repository, number, review) => {
      const row = await mustFind(repository, number);
      if (isAuthor([review.reviewer, ...(review.alsoKnownAs ?? [])], authorsOf(row)))
        throw new HostRefused('Authors cannot review their own pull requests');
      await storeReview(db, repository, { number, review, at: installation.clock() });
      changed(repository, number);
    },
    addBranchAuthors: async (repository, branch, names) => await addBranchAuthors(db, repository, { branch, names }),
    addAuthorsOf: async (repository, from, branch) =>
      await addBranchAuthors(db, repository, { branch, names: authorsOf(await mustFind(repository, from)) }),
  } satisfies Partial<LocalHost>;
}

/** Returns the head commit. Throws HostRefused in the cases in which GitHub refuses to open a pull request. */
async function mustBeMergeable(
  installation: Installation,
  repository: HostRepository,
  { headBranch, baseBranch }: { readonly headBranch: string; readonly baseBranch: string },
): Promise<string> {
  if (headBranch === baseBranch) throw new HostRefused(`Head and base are the same branch, ${headBranch}`);
  const directory = installation.directoryOf(repository);
  const [head, base] = await Promise.all(
    [headBranch, baseBranch].map(
      async (branch) => await git.readRef(installation.git, directory, git.branchRef(branch)),
    ),
  );
  if (!head) throw new HostRefused(`The head branch ${headBranch} does not exist`);
  if (!base) throw new HostRefused(`The base branch ${baseBranch} does not exist`);
  if (await git.isAncestor(installation.git, directory, { ancestor: head.commit, descendant: base.commit }))
    throw new HostRefused(`There is nothing to merge: no commits between ${baseBranch} and ${headBranch}`);
  return head.commit;
}

async function readPullRequest(
  installation: Installation,
  repository: HostRepository,
  row: rows.PullRequestRow,
): Promise<HostPullRequest> {
  const isOpen = row.state === 'open';
  const read = async (ref: string | null): Promise<string | null> =>
    ref !== null && isOpen ? await git.readRefValue(installation.directoryOf(repository), ref) : null;
  const [head, base] = await Promise.all([read(ownHeadRef(row)), read(git.branchRef(row.base_branch))]);
  return asPullRequest(installation, repository, { row, tips: { head, base } });
}

/** The ref of the head branch. Null: the head branch is in a fork, and the head of the pull request never changes. */
function ownHeadRef(row: rows.PullRequestRow): string | null {
  return row.head_fork === null ? git.branchRef(row.head_branch) : null;
}

function forkOf(name: string | null): HostPullRequest['headFork'] {
  const [owner, fork] = name?.split('/') ?? [];
  return owner === undefined || fork === undefined ? null : { owner, name: fork };
}

function authorsOf({ author, branch_authors }: rows.PullRequestRow): readonly string[] {
  return [author, ...branch_authors];
}

/** The head of an open pull request is the present tip of its branch. The head in the row may be older. */
function asPullRequest(
  installation: Installation,
  repository: HostRepository,
  {
    row,
    tips,
  }: {
    readonly row: rows.PullRequestRow;
    readonly tips: { readonly head: string | null; readonly base: string | null };
  },
): HostPullRequest {
  return {
    number: row.number,
    title: row.title,
    body: row.body,
    author: row.author,
    headBranch: row.head_branch,
    headFork: forkOf(row.head_fork),
    baseBranch: row.base_branch,
    headSha: tips.head ?? row.head_sha,
    headTip: row.state === 'open' ? tips.head : null,
    baseTip: row.state === 'open' ? tips.base : null,
    state: row.state,
    draft: row.draft,
    labels: row.labels,
    ...countReviews(row.reviews, authorsOf(row)),
    unresolvedConversations: row.unresolved,
    // The local host has no code owners, and no rule that requires reviews.
    ownerReviewMissing: false,
    requiredReviewMissing: false,
    createdAt: row.created_at.getTime(),
    lastOpenedAt: (row.reopened_at ?? row.created_at).getTime(),
    // Checks of the local host always test the head itself.
    baseChangedAt: null,
    mergedAt: row.merged_at?.getTime() ?? null,
    mergeCommitSha: row.merge_commit_sha,
    url: `${installation.publicUrl}/${encodeURIComponent(repository.owner)}/${encodeURIComponent(repository.name)}/pull/${row.number}`,
  };
}
