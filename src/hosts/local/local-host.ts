// The code host on disk: real repositories, pull requests in tables, checks run here.
import * as git from '../git/index.ts';
import { HostRefused, HostUnavailable, RefMoved, type CodeHost, type HostPullRequest, type HostRepository } from '../port.ts';
import { followRefChanges } from './changes.ts';
import { findCheckRun } from './check-runs.rows.ts';
import { readCheckLog, type CheckLog } from './check-log.ts';
import { cancelChecks, queueChecks, readChecks, readRequiredChecks, rerunChecks } from './ci.ts';
import { type Installation, type LocalHostOptions, openInstallation } from './installation.ts';
import * as rows from './pull-requests.rows.ts';
import { reconcileRepository, startReconciler, type Reconciler } from './reconcile.ts';
import { ensureRepository, findLocalRepositories, repairRepository } from './repositories.ts';

/** The port, and what only a host has whose other side we are. */
export interface LocalHost extends CodeHost {
  readonly kind: 'local';
  /** For the other parts of this host: git over HTTP, the runner of checks, the import. */
  readonly installation: Installation;
  reviewPullRequest(repository: HostRepository, number: number, review: rows.Review): Promise<void>;
  editPullRequest(repository: HostRepository, number: number, changes: rows.PullRequestEdit): Promise<void>;
  reopenPullRequest(repository: HostRepository, number: number): Promise<void>;
  listComments(repository: HostRepository, number: number): Promise<readonly { readonly key: string; readonly author: string; readonly body: string; readonly createdAt: number; readonly editedAt: number | null }[]>;
  /** Output of a check run; null when the repository has no such run. */
  readCheckLog(repository: HostRepository, checkRunId: string): Promise<CheckLog | null>;
  /** Compares refs with rows now. */
  reconcile(repository: HostRepository): Promise<void>;
  /** Once, at the start of the process tree that owns the data directory, before anything else uses it. */
  recover(): Promise<void>;
  startReconciler(options: { readonly everyMs?: number; readonly onError: (error: unknown) => void }): Reconciler;
}

export function createLocalHost(options: LocalHostOptions): LocalHost {
  const installation = openInstallation(options);
  return withHostErrors<LocalHost>({
    kind: 'local',
    installation,
    ...gitOperations(installation),
    ...pullRequestOperations(installation),
    ...mergeOperations(installation),
    readChecks: async (repository, commit) => await readChecks(installation, repository, git.objectId(commit)),
    readRequiredChecks: async (repository, baseBranch) => await readRequiredChecks(installation, repository, baseBranch),
    cancelChecks: async (repository, commit) => await cancelChecks(installation, repository, commit),
    rerunChecks: async (repository, commit, names) => await rerunChecks(installation, repository, commit, names),
    readCheckLog: async (repository, checkRunId) =>
      (await findCheckRun(installation.db, repository, checkRunId)) === null ? null : await readCheckLog(installation.dataDir, repository.accountId, checkRunId),
    reconcile: async (repository) => await reconcileRepository(installation, repository, new Map()),
    recover: async () => {
      for (const repository of await findLocalRepositories(installation)) await repairRepository(installation, repository, 0);
    },
    startReconciler: (settings) => startReconciler(installation, settings),
  });
}

function gitOperations(installation: Installation) {
  const at = installation.directoryOf;
  return {
    ensureRepository: async (repository, settings) => await ensureRepository(installation, repository, settings),
    readRef: async (repository, ref) => await git.readRef(installation.git, at(repository), ref),
    listRefs: async (repository, prefix) => await git.listRefs(installation.git, at(repository), prefix),
    readCommit: async (repository, commit) => {
      const raw = await git.readCommit(installation.git, at(repository), commit);
      return raw === null ? null : git.asHostCommit(raw);
    },
    listFirstParents: async (repository, range) => {
      const ids = await git.listFirstParents(installation.git, at(repository), range);
      return (await git.readCommits(installation.git, at(repository), ids)).map(git.asHostCommit);
    },
    isAncestor: async (repository, ancestor, descendant) => await git.isAncestor(installation.git, at(repository), ancestor, descendant),
    readFile: async (repository, file) => await git.readFile(installation.git, at(repository), file),
    composeCommit: async (repository, composition) => await git.composeCommit(installation.git, at(repository), composition),
    updateRefs: async (repository, updates) => {
      await git.updateRefs(installation.git, at(repository), updates);
      await followRefChanges(installation, repository, updates.filter(({ from, to }) => from !== to), 'service');
    },
  } satisfies Partial<CodeHost>;
}

function pullRequestOperations(installation: Installation) {
  const { db } = installation;
  const changed = (repository: HostRepository, number: number): void => installation.emit({ kind: 'pull_request', repository, number });
  const mustFind = async (repository: HostRepository, number: number): Promise<rows.PullRequestRow> => {
    const row = await rows.findPullRequest(db, repository, number);
    if (row === null) throw new HostRefused(`There is no pull request #${number}`);
    return row;
  };
  return {
    getPullRequest: async (repository, number) => {
      const row = await rows.findPullRequest(db, repository, number);
      return row === null ? null : await asPullRequest(installation, repository, row);
    },
    listOpenPullRequests: async (repository) => {
      const open = await rows.findOpenPullRequests(db, repository);
      return await Promise.all(open.map(async (row) => await asPullRequest(installation, repository, row)));
    },
    openPullRequest: async (repository, input) => {
      const headSha = await mustBeMergeable(installation, repository, input.headBranch, input.baseBranch);
      const number = await rows.insertPullRequest(db, repository, { ...input, headSha, labels: input.labels ?? [], at: installation.clock() });
      if (number === null) throw new HostRefused(`A pull request already exists from ${input.headBranch} into ${input.baseBranch}`);
      const priority = git.isTemporaryBranch(input.headBranch) ? null : git.isBotBranch(input.headBranch) ? 2 : 1;
      if (priority !== null) await queueChecks(installation, repository, { commit: headSha, ref: git.branchRef(input.headBranch), priority, again: false });
      changed(repository, number);
      return await asPullRequest(installation, repository, await mustFind(repository, number));
    },
    closePullRequest: async (repository, number) => {
      await mustFind(repository, number);
      if (await rows.markClosed(db, repository, number)) changed(repository, number);
    },
    reopenPullRequest: async (repository, number) => {
      const row = await mustFind(repository, number);
      if (row.state !== 'closed') throw new HostRefused(`#${number} is ${row.state}; only a closed pull request can be reopened`);
      const headSha = await mustBeMergeable(installation, repository, row.head_branch, row.base_branch);
      if (await rows.markReopened(db, repository, number, headSha)) changed(repository, number);
    },
    concludePullRequest: async (repository, number, landing) => {
      await mustFind(repository, number);
      if (await rows.markMerged(db, repository, number, { commit: git.objectId(landing.mergeCommit), at: new Date(landing.at) })) changed(repository, number);
    },
    setLabel: async (repository, number, label, present) => {
      await mustFind(repository, number);
      if (await rows.setLabelPresence(db, repository, number, label, present)) changed(repository, number);
    },
    upsertComment: async (repository, number, comment) => {
      await mustFind(repository, number);
      await rows.storeComment(db, repository, number, { ...comment, author: 'interlock' }, installation.clock());
    },
    listComments: async (repository, number) =>
      (await rows.findComments(db, repository, number)).map(({ created_at, edited_at, ...comment }) => ({ ...comment, createdAt: created_at.getTime(), editedAt: edited_at?.getTime() ?? null })),
    reviewPullRequest: async (repository, number, review) => {
      const row = await mustFind(repository, number);
      if (row.author === review.reviewer) throw new HostRefused('Authors cannot review their own pull requests');
      await rows.storeReview(db, repository, number, review, installation.clock());
      changed(repository, number);
    },
    editPullRequest: async (repository, number, changes) => {
      await mustFind(repository, number);
      if (await rows.edit(db, repository, number, changes)) changed(repository, number);
    },
  } satisfies Partial<LocalHost>;
}

function mergeOperations(installation: Installation) {
  const at = installation.directoryOf;
  const updateRefs = gitOperations(installation).updateRefs;
  return {
    mergePullRequest: async (repository, number, merge) => {
      const row = await rows.findPullRequest(installation.db, repository, number);
      if (row === null || row.state !== 'open') throw new HostRefused(`Pull request #${number} is not open`);
      if (row.draft) throw new HostRefused(`Pull request #${number} is a draft`);
      const [head, base] = await Promise.all([row.head_branch, row.base_branch].map(async (branch) => await git.readRef(installation.git, at(repository), git.branchRef(branch))));
      if (!head || !base) throw new HostRefused(`A branch of pull request #${number} is missing`);
      if (head.commit !== merge.expectedHead) throw new RefMoved(git.branchRef(row.head_branch), merge.expectedHead, head.commit);
      const commit = await composeAlone(installation, repository, { number, parent: base.commit, ...merge });
      await updateRefs(repository, [{ ref: git.branchRef(row.base_branch), from: base.commit, to: commit }]);
      await rows.markMerged(installation.db, repository, number, { commit, at: installation.clock() });
      installation.emit({ kind: 'pull_request', repository, number });
      return { commit };
    },
    updateBranch: async (repository, input) => {
      const directory = at(repository);
      const from = git.isObjectId(input.from) ? input.from : (await git.readRef(installation.git, directory, input.from))?.commit;
      if (from === undefined) throw new HostRefused(`${input.from} does not exist`);
      const ref = git.branchRef(input.headBranch);
      const head = await git.readRef(installation.git, directory, ref);
      if (head?.commit !== input.expectedHead) throw new RefMoved(ref, input.expectedHead, head?.commit ?? null);
      if (await git.isAncestor(installation.git, directory, from, head.commit)) return { head: head.commit, tree: head.tree };
      const merged = await git.composeUpdate(installation.git, directory, { head: head.commit, from, message: input.message, at: input.at });
      if (merged === null) return null;
      await updateRefs(repository, [{ ref, from: head.commit, to: merged.commit }]);
      return { head: merged.commit, tree: merged.tree };
    },
  } satisfies Partial<CodeHost>;
}

async function composeAlone(
  installation: Installation,
  repository: HostRepository,
  merge: { readonly number: number; readonly parent: string; readonly expectedHead: string; readonly strategy: 'squash' | 'merge' | 'rebase'; readonly message: string },
): Promise<string> {
  const directory = installation.directoryOf(repository);
  const head = await git.readCommit(installation.git, directory, merge.expectedHead);
  if (head === null) throw new HostRefused(`${merge.expectedHead} is not a commit of this repository`);
  const { authorName, authorEmail } = git.asHostCommit(head);
  const composed = await git.composeCommit(installation.git, directory, {
    parent: merge.parent,
    members: [{ head: merge.expectedHead, strategy: merge.strategy, message: merge.message, authorName, authorEmail }],
    batchCommit: 'linear',
    groupMessage: merge.message,
    at: installation.clock().getTime(),
    keepRef: `refs/interlock/merges/${merge.number}`,
  });
  if (composed.kind === 'conflict') throw new HostRefused(`Pull request #${merge.number} conflicts with its base in ${composed.paths.join(', ') || 'its history'}`);
  return composed.commit;
}

/** The head commit. Refuses what GitHub refuses, in its words where they are good. */
async function mustBeMergeable(installation: Installation, repository: HostRepository, headBranch: string, baseBranch: string): Promise<string> {
  if (headBranch === baseBranch) throw new HostRefused(`Head and base are the same branch, ${headBranch}`);
  const directory = installation.directoryOf(repository);
  const [head, base] = await Promise.all([headBranch, baseBranch].map(async (branch) => await git.readRef(installation.git, directory, git.branchRef(branch))));
  if (!head) throw new HostRefused(`The head branch ${headBranch} does not exist`);
  if (!base) throw new HostRefused(`The base branch ${baseBranch} does not exist`);
  if (await git.isAncestor(installation.git, directory, head.commit, base.commit)) throw new HostRefused(`There is nothing to merge: no commits between ${baseBranch} and ${headBranch}`);
  return head.commit;
}

async function asPullRequest(installation: Installation, repository: HostRepository, row: rows.PullRequestRow): Promise<HostPullRequest> {
  // An open one's head is where its branch stands now; the row is what was seen last.
  const live = row.state === 'open' ? await git.readRefValue(installation.git, installation.directoryOf(repository), git.branchRef(row.head_branch)) : null;
  return {
    number: row.number,
    title: row.title,
    body: row.body,
    author: row.author,
    headBranch: row.head_branch,
    baseBranch: row.base_branch,
    headSha: live ?? row.head_sha,
    state: row.state,
    draft: row.draft,
    labels: row.labels,
    approvals: row.approvals,
    changesRequested: row.changes_requested,
    unresolvedConversations: 0,
    createdAt: row.created_at.getTime(),
    mergedAt: row.merged_at?.getTime() ?? null,
    mergeCommitSha: row.merge_commit_sha,
    url: `${installation.publicUrl}/${encodeURIComponent(repository.owner)}/${encodeURIComponent(repository.name)}/pull/${row.number}`,
  };
}

/** Callers of the port know its errors alone: git's own failure means that nothing is known of what was done. */
function withHostErrors<Host extends object>(host: Host): Host {
  const guarded = Object.entries(host).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    return [name, (...args: unknown[]) => {
      const result: unknown = value(...args);
      return result instanceof Promise ? result.catch(rethrowAsHostError) : result;
    }];
  });
  return Object.fromEntries(guarded) as Host;
}

function rethrowAsHostError(error: unknown): never {
  throw error instanceof git.GitFailed ? new HostUnavailable(error.message, { cause: error }) : error;
}
