// Lands a pull request by the host's own merge call (`use_fast_forwarding: false`). The call requires the expected head
// but not the expected base, and the host makes its own commit. So the base branch is read directly before the call,
// and the tree of the host's commit is compared with the tested tree. docs/adr/0018-shown-as-merged.md lists the
// remaining races and their outcomes.
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { hostClient, HostRefused, HostUnavailable, RefMoved } from '../../../hosts/port.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { settleOutcome, outcomeOf, type Failure, type Outcome } from './landing.move.ts';
import { landingRef, readLandingRef } from '../facts/landing-refs.ts';
import { PullRequestEntity, type BatchMemberRow } from '../store/queue.entities.ts';

/** The largest number of commits that a rebase by the host may add for one pull request. */
const maxCommits = 500;
/** How long after its start a landing waits for a host that does not show its merge. */
const lateMergeMs = 2 * 60_000;
const lookAgainMs = 5_000;

/** `startedAt`: when the landing was started. */
export async function mergeAtHost(ctx: Context, loaded: LoadedBatch, startedAt: Date): Promise<Outcome> {
  const { batch, host, baseBranch } = loaded;
  const client = hostClient(ctx, host);
  const member = onlyMember(loaded);
  const { number } = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await tx.em.findOneOrFail(PullRequestEntity, { id: member.pullRequestId }),
  );
  const base = `refs/heads/${baseBranch}`;
  const baseMoved: Failure = { kind: 'base_moved', ref: base };
  const earlier = await readLandingRef(ctx, host, batch.id);
  if (earlier !== null) return await outcomeOf(ctx, loaded, { commit: earlier, failure: baseMoved });
  if ((await client.getPullRequest(number, { isForLanding: true }))?.state === 'merged')
    return await judgeMerge(ctx, loaded, number);
  const isTimeLeft = (): boolean => ctx.clock().getTime() - startedAt.getTime() < lateMergeMs;
  // With a time for the next attempt, the attempts do not count as failures, and the queue does not halt.
  const notShown = (message: string): HostUnavailable =>
    new HostUnavailable(message, isTimeLeft() ? { retryAt: ctx.clock().getTime() + lookAgainMs } : {});
  const giveUp = async (failure: Failure): Promise<Outcome> => {
    if (isTimeLeft() && (await isMergedOnBase(ctx, loaded)))
      throw notShown(`${baseBranch} contains the merge of #${number}, and the host does not show it yet.`);
    return await settleOutcome(ctx, loaded, failure);
  };
  if ((await client.readRef(base))?.commit !== batch.parentCommit) return await giveUp(baseMoved);
  await passFailpoint('landing:before_merge');
  let failure: Failure | null = null;
  try {
    await client.mergePullRequest(number, {
      expectedHead: member.pinnedHead,
      strategy: member.strategy ?? batch.strategy,
      message: member.message,
      unlessRef: landingRef(batch.id),
    });
  } catch (error) {
    if (!(error instanceof RefMoved || error instanceof HostRefused)) throw error;
    failure =
      error instanceof RefMoved
        ? { kind: 'base_moved', ref: error.ref }
        : { kind: 'refused', message: error.message, isForAll: false };
  }
  await passFailpoint('landing:after_merge');
  // The state at the host decides, and not the response of the call, because an earlier call may have succeeded.
  if ((await client.getPullRequest(number, { isForLanding: true }))?.state === 'merged')
    return await judgeMerge(ctx, loaded, number);
  if (failure === null) throw notShown(`#${number} was merged, and the host does not show it yet.`);
  return await giveUp(failure);
}

/**
 * Whether the base branch contains a commit that looks like the host's merge of this batch. The host may show the base
 * branch after the merge before it shows that the pull request is merged.
 */
async function isMergedOnBase(ctx: Context, loaded: LoadedBatch): Promise<boolean> {
  const { batch, host, baseBranch } = loaded;
  const client = hostClient(ctx, host);
  const tip = await client.readRef(`refs/heads/${baseBranch}`);
  if (tip === null) return false;
  const line = await client.listFirstParents({ from: batch.parentCommit, to: tip.commit, limit: maxCommits + 1 });
  if (line.at(-1)?.parents[0] !== batch.parentCommit) return false;
  const { pinnedHead } = onlyMember(loaded);
  return line.some(({ tree, parents }) => tree === batch.tree || parents.includes(pinnedHead));
}

/**
 * The only member of the batch. Batches that the host merges have one pull request, because the state of the base
 * branch between two merges would be untested.
 */
function onlyMember({ batch, members }: LoadedBatch): BatchMemberRow {
  const [member, other] = members;
  if (member === undefined || other !== undefined)
    throw new DomainError('INTERNAL', `Batch ${batch.id} of ${members.length} cannot be merged by the host.`);
  return member;
}

/**
 * Judges whether the host merged exactly the tested tree on the tested base commit. If it did, the landing ref is made.
 * If the pull request was merged before the batch was made, the landing is given up.
 */
async function judgeMerge(ctx: Context, loaded: LoadedBatch, number: number): Promise<Outcome> {
  const { batch, host } = loaded;
  const client = hostClient(ctx, host);
  const made = (await client.getPullRequest(number, { isForLanding: true }))?.mergeCommitSha ?? null;
  const commit = made === null ? null : await client.readCommit(made);
  if (commit === null) throw new HostUnavailable(`The merge commit of #${number} cannot be read.`);
  const mismatch = (difference: string): Outcome => ({
    kind: 'mismatch',
    message: `The host merged #${number} as ${commit.commit}, ${difference}. Check the base branch, and then resume the queue.`,
  });
  const line = await client.listFirstParents({
    from: batch.parentCommit,
    to: commit.commit,
    limit: maxCommits + 1,
  });
  if (line.length === 0)
    return await settleOutcome(ctx, loaded, { kind: 'base_moved', ref: `refs/heads/${loaded.baseBranch}` });
  if (line.at(-1)?.parents[0] !== batch.parentCommit)
    return mismatch(`not onto ${batch.parentCommit} as it was tested`);
  const isSeries = (onlyMember(loaded).strategy ?? batch.strategy) === 'rebase';
  if (line.length > 1 && !isSeries) return mismatch(`with ${line.length - 1} other commits before it`);
  if (commit.tree !== batch.tree) return mismatch(`whose tree is ${commit.tree}; the tested tree is ${batch.tree}`);
  try {
    await client.updateRefs([{ ref: landingRef(batch.id), from: null, to: commit.commit }]);
  } catch (error) {
    if (!(error instanceof RefMoved)) throw error;
  }
  const kept = await readLandingRef(ctx, host, batch.id);
  return kept?.commit === commit.commit ? { kind: 'landed', commit } : mismatch('after this landing had been given up');
}
