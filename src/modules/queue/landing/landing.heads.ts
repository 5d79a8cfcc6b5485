// Implements `merge_strategy.show_as_merged`: before the base branch moves, the heads of the pull requests are pushed
// to the commits as which they land. A host that examines the history then shows them as merged. The intent has the old
// and the new commit of each head before the push. If the landing fails, the heads are put back by compare-and-set
// before anything else happens. A worker that is delayed before its push must not move heads after another worker has
// put them back. So the push also makes a ref, the fence of the heads, and a worker that takes the landing over makes
// the fence first (ADR 0018).
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { isManagedBranch } from '../../../domain/configuration/index.ts';
import { decideHeadMoves, type HeadMove, type LandingHead } from '../../../domain/queue/landing/show-as-merged.ts';
import { ownHeadBranch } from '../../../domain/queue/requests/head-branch.ts';
import { hostClient, CommitMissing, HostRefused, HostUnavailable, RefMoved } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { headsFence, movesHeads } from '../facts/own-pushes.ts';
import { forLanding, syncPullRequest } from '../host-sync/pull-requests.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import { lockIntent } from '../store/intents.ts';
import { PullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';

/** One attempt of a started landing. */
export interface LandingAttempt {
  readonly intentId: string;
  readonly attempt: number;
  /** Heads that an earlier attempt may have moved. Null: no earlier attempt was about to move heads. */
  readonly heads: readonly HeadMove[] | null;
}

/**
 * Pauses between reads of the host, until it shows the new heads. After five seconds the base branch moves in any case.
 */
const readPausesMs = [250, 500, 1_000, 1_500, 1_750] as const;

/** Moves the heads that may be moved, and waits until the host shows them. Returns the heads that may have moved. */
export async function moveHeads(
  ctx: Context,
  loaded: LoadedBatch,
  attempt: LandingAttempt,
): Promise<readonly HeadMove[]> {
  if (!movesHeads(ctx, loaded)) return [];
  const { batch, baseBranch, host } = loaded;
  const moves = decideHeadMoves({
    baseBranch,
    parentCommit: batch.parentCommit,
    baseTip: (await hostClient(ctx, host).readRef(`refs/heads/${baseBranch}`))?.commit ?? null,
    members: await loadHeads(ctx, loaded),
  });
  if (moves.length === 0 || !(await recordMoves(ctx, attempt, moves))) return [];
  await passFailpoint('landing:before_heads');
  // The push failed, or another worker has taken the landing over. The heads are returned nevertheless: if the response
  // to a first push was lost and somebody then pushed to one of the heads, the first push may have moved the others.
  if (!(await pushHeads(ctx, loaded, moves))) return moves;
  await passFailpoint('landing:after_heads');
  await awaitShown(ctx, loaded, moves);
  await passFailpoint('landing:heads_shown');
  return moves;
}

async function loadHeads(ctx: Context, { repository, members, batch }: LoadedBatch): Promise<readonly LandingHead[]> {
  const { rows, open } = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const found = await tx.em.find(PullRequestEntity, { id: { $in: members.map((each) => each.pullRequestId) } });
    return { rows: found, open: await countOpen(ctx, tx, found) };
  });
  const configuration = configurationOf(repository);
  return members.flatMap(({ pullRequestId, pinnedHead, ownCommit, strategy }) => {
    const row = rows.find(({ id }) => id === pullRequestId);
    if (row === undefined) return [];
    const { number, baseBranch } = row;
    const branch = ownHeadBranch(row);
    return {
      number,
      branch,
      baseBranch,
      pinnedHead,
      ownCommit: ownCommit ?? null,
      strategy: strategy ?? batch.strategy,
      isManaged: branch !== null && isManagedBranch(configuration, branch, repository.defaultBranch),
      isShared: (open.get(branch ?? '') ?? 0) > 1,
    };
  });
}

/** The number of open pull requests by head branch, for branches of the repository itself. */
async function countOpen(
  ctx: Context,
  tx: Transaction,
  rows: readonly PullRequestRow[],
): Promise<ReadonlyMap<string, number>> {
  const found = await tx.query<{ branch: string; open: number }>(
    `select head_branch as branch, count(*)::int as open from pull_request
     where account_id = $1 and repository_id = $2 and head_branch = any($3) and head_fork is null
       and status not in ('merged', 'closed') group by head_branch`,
    [ctx.accountId, rows[0]?.repositoryId ?? null, rows.map(({ headBranch }) => headBranch)],
  );
  return new Map(found.map(({ branch, open }) => [branch, open]));
}

/** Writes the moves to the intent before the push. False: another worker has taken the landing over. */
async function recordMoves(
  ctx: Context,
  { intentId, attempt }: LandingAttempt,
  heads: readonly HeadMove[],
): Promise<boolean> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const intent = await lockIntent(tx, intentId);
    if (intent.state !== 'started' || intent.attempt !== attempt) return false;
    intent.payload = { ...intent.payload, heads };
    return true;
  });
}

/**
 * Moves all heads and makes the fence, or does nothing. False: somebody has pushed to a head, the host refuses the
 * push, or another worker has taken the landing over.
 */
async function pushHeads(ctx: Context, { batch, host }: LoadedBatch, moves: readonly HeadMove[]): Promise<boolean> {
  try {
    await hostClient(ctx, host).updateRefs([
      { ref: headsFence(batch.id), from: null, to: batch.commit ?? null },
      ...moves.map(({ branch, from, to }) => ({ ref: `refs/heads/${branch}`, from, to })),
    ]);
    return true;
  } catch (error) {
    if (error instanceof RefMoved || error instanceof HostRefused || error instanceof CommitMissing) return false;
    throw error;
  }
}

/**
 * Ensures that no earlier attempt can move heads any more, even if its push arrives late: afterwards the fence exists,
 * made by that push or by this one. Idempotent.
 */
export async function fenceHeads(ctx: Context, { batch, host }: LoadedBatch): Promise<void> {
  try {
    await hostClient(ctx, host).updateRefs([{ ref: headsFence(batch.id), from: null, to: batch.parentCommit }]);
  } catch (error) {
    // If the host refuses such refs, it has also refused the push of the heads.
    if (!(error instanceof RefMoved || error instanceof HostRefused)) throw error;
  }
}

async function awaitShown(ctx: Context, { host }: LoadedBatch, moves: readonly HeadMove[]): Promise<void> {
  const client = hostClient(ctx, host);
  const read = { isForLanding: true };
  let unseen = moves;
  for (const afterMs of readPausesMs) {
    await delay(afterMs);
    try {
      const seen = await Promise.all(
        unseen.map(async (move) => ({ move, at: (await client.getPullRequest(move.number, read))?.headSha })),
      );
      unseen = seen.filter(({ move, at }) => at !== move.to).map(({ move }) => move);
    } catch (error) {
      // The landing does not depend on what the host shows.
      if (!(error instanceof HostUnavailable)) throw error;
    }
    if (unseen.length === 0) return;
  }
}

/** How often Interlock tries to put the heads back if others push to the branches in the meantime. */
const maxAttempts = 5;

/**
 * Puts those heads back that are still where the landing moved them. A branch to which somebody has pushed since is not
 * moved, and neither is a branch that the host protects. Idempotent.
 */
export async function restoreHeads(ctx: Context, { host }: LoadedBatch, moves: readonly HeadMove[]): Promise<void> {
  const client = hostClient(ctx, host);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const moved: HeadMove[] = [];
    for (const move of moves)
      if ((await client.readRef(`refs/heads/${move.branch}`))?.commit === move.to) moved.push(move);
    if (moved.length === 0) return;
    try {
      await client.updateRefs(
        moved.map(({ branch, from, to }) => ({ ref: `refs/heads/${branch}`, from: to, to: from })),
      );
      await passFailpoint('landing:after_heads_back');
      for (const { to } of moved) await cancelRuns(ctx, host, to);
      return;
    } catch (error) {
      if (error instanceof RefMoved) continue;
      if (!(error instanceof HostRefused)) throw error;
      ctx.log.warn(
        { branches: moved.map(({ branch }) => branch), reason: error.message },
        'The host refused to put heads back.',
      );
      return;
    }
  }
}

/**
 * Cancels the runs that a moved head has started. If that fails, the runs only cost time, because no landing waits for
 * them.
 */
async function cancelRuns(ctx: Context, host: LoadedBatch['host'], commit: string): Promise<void> {
  await hostClient(ctx, host)
    .cancelChecks(commit)
    .catch((error: unknown) => {
      if (!(error instanceof HostUnavailable || error instanceof HostRefused)) throw error;
    });
}

/** After the heads were put back, reads the pull requests from the host, before anything is planned on their rows. */
export async function syncRestoredHeads(
  ctx: Context,
  { host }: LoadedBatch,
  moves: readonly HeadMove[],
): Promise<void> {
  for (const { number } of moves) await syncPullRequest(ctx, host, number, forLanding);
}
