// Pushes a commit of a runbook to its branch, by compare-and-set. The branch is read first, and shows whether the
// commit was already pushed. If another user pushed to the branch, the commit is cherry-picked onto the new tip. If the
// commit is missing for ten minutes, it was lost with the machine that made it, and the agent works on the leaf again.
import type { Context } from '../../../context.ts';
import { isTerminal } from '../../../domain/queue/model/status.ts';
import { pauseAfter } from '../../../domain/runbooks/drive.ts';
import { isLive } from '../../../domain/runbooks/runbook.ts';
import { hostFailsSince, isHostGivenUp } from '../../../domain/turns.ts';
import {
  CommitMissing,
  hostClient,
  type HostClient,
  HostRefused,
  HostUnavailable,
  RefMoved,
  toHostedRepository,
} from '../../../hosts/port.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { delayNextCall, hostFailuresOf } from '../../../platform/turns/index.ts';
import { findHandles } from '../../accounts/index.ts';
import { syncPullRequest } from '../../queue/index.ts';
import { RunbookCommitEntity, type RunbookCommitRow, type RunbookPullRequestRow } from '../runbooks.entities.ts';
import { writeLeaf } from '../steps.writer.ts';
import { leafCommitRef } from './leaf.ts';
import { announcePullRequest } from './pull-requests.ended.ts';
import { markOutdated, numberOf, type CallResult } from './publishing.ts';
import { leafOf, pullRequestOf, type RunbookRows } from './runbook.rows.ts';

export async function pushCommit(ctx: Context, rows: RunbookRows, leafId: string): Promise<CallResult> {
  const made = rows.commits.find(({ stepId, state }) => stepId === leafId && state === 'made');
  if (made === undefined) return { message: 'There was nothing left to push.', write: async () => {} };
  const pullRequest = pullRequestOf(rows, made.pullRequestId);
  if (await hasEnded(ctx, rows, pullRequest)) return ended;
  if (await isMissing(ctx, rows, { made, leafId })) return waitForCommit(ctx, rows, { made, leafId });
  await takeBack(ctx, rows, made);
  // The authors are recorded before the push, so that no author can approve the commit.
  await recordAuthors(ctx, rows, pullRequest.branch);
  const pushed = await push(ctx, rows, made);
  await passFailpoint('runbook:pushed');
  if (pushed.kind === 'conflict') {
    await deleteKeptRef(ctx, rows, { made, leafId });
    return conflicts(ctx, leafId, pushed.message);
  }
  const { head } = pushed;
  if (await wasLate(ctx, rows, { row: pullRequest, pushed })) return ended;
  await deleteKeptRef(ctx, rows, { made, leafId });
  return {
    message: `Pushed ${pushed.commit.slice(0, 10)}`,
    write: async (tx, now) => {
      const commit = now.commits.find(({ id }) => id === made.id);
      if (commit?.state !== 'made') return;
      const row = pullRequestOf(now, commit.pullRequestId);
      Object.assign(commit, { state: 'pushed', commit: pushed.commit });
      Object.assign(row, { headCommit: head, isStale: true });
      markOutdated(now);
      await announcePullRequest(ctx, tx, { runbook: now.runbook, pullRequest: row });
    },
  };
}

const ended: CallResult = {
  message: 'The pull request was merged or closed, so the commit gets another one.',
  write: async () => {},
};

/**
 * Whether the pull request was merged or closed between the question to the host and the push, so that it does not
 * contain the commit. The next turn gives the commit another pull request, and its push takes the commit back.
 */
async function wasLate(
  ctx: Context,
  rows: RunbookRows,
  { row, pushed }: { readonly row: RunbookPullRequestRow; readonly pushed: Pushed },
): Promise<boolean> {
  if (row.state !== 'open') return false;
  const client = hostClient(ctx, rows.repository);
  const seen = await client.getPullRequest(numberOf(row));
  if (seen === null || seen.state === 'open' || (await client.isAncestor(pushed.commit, seen.headSha))) return false;
  return await hasEnded(ctx, rows, row);
}

/**
 * Moves each branch that got the commit too late back to the head with which its pull request ended. Every push of the
 * commit does so first, because the worker that pushed too late may have died before it could see that.
 */
async function takeBack(
  ctx: Context,
  { repository, pullRequests }: RunbookRows,
  made: RunbookCommitRow,
): Promise<void> {
  const client = hostClient(ctx, repository);
  for (const row of pullRequests.filter((each) => !isLive(each))) {
    const ref = `refs/heads/${row.branch}`;
    const tip = await client.readRef(ref);
    if (tip === null || tip.commit === row.headCommit || !(await isPushOf(client, made, tip.commit))) continue;
    const seen = await client.getPullRequest(numberOf(row));
    if (seen === null || seen.state === 'open' || (await client.isAncestor(tip.commit, seen.headSha))) continue;
    try {
      await client.updateRefs([{ ref, from: tip.commit, to: seen.headSha }]);
    } catch (error) {
      // Another user has pushed to the branch or deleted it, or the host protects it.
      if (!(error instanceof RefMoved || error instanceof HostRefused || error instanceof CommitMissing)) throw error;
    }
  }
}

/** Whether the tip of a branch is the commit, or was cherry-picked from it. */
async function isPushOf(client: HostClient, made: RunbookCommitRow, tip: string): Promise<boolean> {
  if (tip === made.commit) return true;
  return (await client.readCommit(tip))?.message.includes(`(cherry picked from commit ${made.commit})`) ?? false;
}

/**
 * Whether a pull request was merged or closed. The host is asked, because it may not have told the queue yet. The queue
 * then knows it too, and the next turn gives the commit another pull request.
 */
async function hasEnded(ctx: Context, { repository }: RunbookRows, row: RunbookPullRequestRow): Promise<boolean> {
  if (!isLive(row)) return true;
  if (row.state === 'planned') return false;
  const number = numberOf(row);
  const seen = await hostClient(ctx, repository).getPullRequest(number);
  if (seen === null || seen.state === 'open') return false;
  const known = await syncPullRequest(ctx, toHostedRepository(repository), number);
  if (known !== null && !isTerminal(known.status))
    throw new HostUnavailable(`#${number} was merged or closed at the host, and the queue has not recorded this yet.`);
  return true;
}

/** Records the authors of a branch: the author of the runbook, and every user who sent one of its prompts. */
async function recordAuthors(
  ctx: Context,
  { repository, runbook, prompts }: RunbookRows,
  branch: string,
): Promise<void> {
  const people = [runbook.authorEmail, runbook.createdBy, ...prompts.map(({ author }) => author)];
  const handles = [runbook.authorHandle ?? null, ...(await findHandles(ctx, people))].filter((name) => name !== null);
  await hostClient(ctx, repository).addBranchAuthors(branch, [...new Set([...people, ...handles])]);
}

/**
 * Whether neither this machine nor the host has the commit. If the host shows the ref that keeps the commit, and does
 * not give the commit yet, throws CommitMissing, and the push is tried again later.
 */
async function isMissing(
  ctx: Context,
  { repository }: RunbookRows,
  { made, leafId }: { readonly made: RunbookCommitRow; readonly leafId: string },
): Promise<boolean> {
  const client = hostClient(ctx, repository);
  if ((await client.readCommit(made.commit)) !== null) return false;
  return (await client.readRef(leafCommitRef(leafId)))?.commit !== made.commit;
}

/** How long a commit is missing at the host and at the workers that try to push it until it counts as lost. */
const lostAfterMs = 10 * 60_000;
/** The longest pause between two tries, so that the worker that has the commit takes one of them. */
const longestPauseMs = 30_000;

/**
 * Tries the push again later, because the host may not have kept the commit while the worker that made it lives and has
 * it. After ten minutes the commit counts as lost. An earlier failure of the host does not count.
 */
function waitForCommit(
  ctx: Context,
  { runbook }: RunbookRows,
  { made, leafId }: { readonly made: RunbookCommitRow; readonly leafId: string },
): CallResult {
  const message = `Neither this worker nor the code host has the commit ${made.commit}. The push is tried again, because another worker may have the commit.`;
  const now = ctx.clock();
  const { callAt, failingSince } = hostFailuresOf(runbook);
  const isSame = runbook.problem === message;
  const since = hostFailsSince({ callAt, failingSince: isSame ? failingSince : null }, now.getTime());
  const calls = since === failingSince ? runbook.calls : 0;
  if (isHostGivenUp(since, { now: now.getTime(), limitMs: lostAfterMs })) return lost(ctx, leafId);
  return {
    message,
    write: async (_tx, { runbook: row, commits }) => {
      if (commits.find(({ id }) => id === made.id)?.state !== 'made') return;
      Object.assign(row, { failingSince: new Date(since), calls });
      delayNextCall(row, { now, pauseAfter: pauseOf, problem: message });
      await Promise.resolve();
    },
  };
}

function pauseOf(calls: number): number {
  return Math.min(pauseAfter(calls), longestPauseMs);
}

/** Lets the agent work on the leaf again, once. The leaf fails if it has lost a commit before, or was canceled. */
function lost(ctx: Context, leafId: string): CallResult {
  const message = 'The commit of this step was lost with the worker that had made it, before it was pushed.';
  return {
    message,
    write: async (tx, now) => {
      const leaf = leafOf(now, leafId);
      const commit = now.commits.find(({ stepId, state }) => stepId === leafId && state === 'made');
      if (commit === undefined) return;
      const { accountId, cancelRequestedAt } = now.runbook;
      const isFirst = (await tx.em.count(RunbookCommitEntity, { accountId, stepId: leafId, isLost: true })) === 0;
      Object.assign(commit, { state: 'void', isLost: true });
      await tx.em.flush();
      if (isFirst && !cancelRequestedAt) return;
      const errorMessage = `${message} Retry the step. The agent then does the step again.`;
      await writeLeaf(ctx, tx, { runbook: now.runbook, leaf, to: 'failed', errorMessage });
    },
  };
}

interface Pushed {
  readonly kind: 'pushed';
  readonly commit: string;
  readonly head: string;
}

type PushOutcome = Pushed | { readonly kind: 'conflict'; readonly message: string };

async function push(ctx: Context, rows: RunbookRows, made: RunbookCommitRow): Promise<PushOutcome> {
  const { repository } = rows;
  const client = hostClient(ctx, repository);
  const row = pullRequestOf(rows, made.pullRequestId);
  const { branch } = row;
  const ref = `refs/heads/${branch}`;
  const tip = (await client.readRef(ref))?.commit ?? null;
  if (tip !== null && (tip === made.commit || (await client.isAncestor(made.commit, tip))))
    return { kind: 'pushed', commit: made.commit, head: tip };
  const onto = tip ?? (await findOtherBase(ctx, rows, made));
  if (onto === null || onto === made.parent) {
    await passFailpoint('runbook:before_push');
    await client.updateRefs([{ ref, from: tip, to: made.commit }]);
    return { kind: 'pushed', commit: made.commit, head: made.commit };
  }
  const picked = await client.cherryPick({ commits: [made.commit], onto, at: made.at.getTime() });
  // The changes are already there: another user made the same changes, or the commit was pushed before a backup was
  // restored.
  if (picked.kind === 'empty') {
    if (tip === null) await client.updateRefs([{ ref, from: null, to: onto }]);
    return { kind: 'pushed', commit: onto, head: onto };
  }
  if (picked.kind === 'conflict') {
    const paths = picked.paths.slice(0, 10).join(', ');
    const moved = tip === null ? row.baseBranch : branch;
    return {
      kind: 'conflict',
      message: `Another user has pushed to ${moved} in the meantime, and the changes of this step conflict with that push in ${paths}. Retry the step. The agent then does the step again on top of that push.`,
    };
  }
  await client.updateRefs([{ ref, from: tip, to: picked.commit }]);
  return { kind: 'pushed', commit: picked.commit, head: picked.commit };
}

/**
 * Returns the base onto which a commit must be cherry-picked, because the earlier pull request of the commit was merged
 * or closed. The commit then gets a new pull request, which must not contain other commits of the old pull request.
 * Null: the parent of the commit is already in the base branch.
 */
async function findOtherBase(ctx: Context, rows: RunbookRows, made: RunbookCommitRow): Promise<string | null> {
  const { headCommit, baseBranch } = pullRequestOf(rows, made.pullRequestId);
  if (headCommit) return null;
  const client = hostClient(ctx, rows.repository);
  const base = await client.readRef(`refs/heads/${baseBranch}`);
  if (base === null || (await client.isAncestor(made.parent, base.commit))) return null;
  return base.commit;
}

function conflicts(ctx: Context, leafId: string, message: string): CallResult {
  return {
    message,
    write: async (tx, now) => {
      const leaf = leafOf(now, leafId);
      const commit = now.commits.find(({ stepId, state }) => stepId === leafId && state === 'made');
      if (commit === undefined) return;
      commit.state = 'void';
      await tx.em.flush();
      await writeLeaf(ctx, tx, { runbook: now.runbook, leaf, to: 'failed', errorMessage: message });
    },
  };
}

/**
 * Deletes the ref that kept a commit, because the commit is now on its branch. A ref that cannot be deleted has no
 * further effect.
 */
async function deleteKeptRef(
  ctx: Context,
  { repository }: RunbookRows,
  { made, leafId }: { readonly made: RunbookCommitRow; readonly leafId: string },
): Promise<void> {
  const client = hostClient(ctx, repository);
  const ref = leafCommitRef(leafId);
  try {
    const kept = await client.readRef(ref);
    if (kept !== null) await client.updateRefs([{ ref, from: kept.commit, to: null }]);
  } catch (error) {
    if (!(error instanceof HostRefused))
      ctx.log.warn({ error: String(error), ref, commit: made.commit }, 'A ref of a runbook could not be deleted.');
  }
}
