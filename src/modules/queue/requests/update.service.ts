// Checks what users report about a pull request (interface 4.3, `update`): facts about a head, and a merge outside the
// queue.
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { hostClient, type HostCommit, toHostedRepository, type HostedRepository } from '../../../hosts/port.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { findOutOfBandMerges, type OutOfBandMerge } from '../landing/out-of-band-merges.ts';
import { isLandingStarted } from '../store/intents.ts';
import { planConclusions } from '../landing/landing.record.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';
import { announce, writeStatus, type QueueWork } from '../store/status.writer.ts';

export type HeadState = 'present' | 'past' | 'unseen';

/**
 * Compares a reported head with the recorded one. `past`: the report is about an earlier head. `unseen`: the report is
 * about a head that Interlock has not read yet.
 */
export async function compareHead(
  ctx: Context,
  repository: RepositoryRow,
  { row: { headSha }, commit }: { readonly row: PullRequestRow; readonly commit: string },
): Promise<HeadState> {
  if (commit === headSha) return 'present';
  const host = toHostedRepository(repository);
  const client = hostClient(ctx, host);
  if ((await client.readCommit(commit)) === null) return 'unseen';
  if (await client.isAncestor(commit, headSha)) return 'past';
  // A force push may have replaced the commit. Its build is then still recorded.
  const builds = await ctx.db.read(ctx.accountId, {
    name: 'build_of_commit',
    text: 'select 1 from build where account_id = $1 and repository_id = $2 and commit = $3',
    values: [ctx.accountId, repository.id, commit],
  });
  return builds.length > 0 ? 'past' : 'unseen';
}

/** What the comparison means for the head under the lock, which may have moved since the comparison. */
export function headStateNow(
  compared: HeadState,
  { head, currentHead }: { readonly head: string; readonly currentHead: string },
): HeadState {
  if (head === currentHead) return 'present';
  return compared === 'present' ? 'past' : compared;
}

const maxCommits = 1_000;
const field = 'pull_request.merge_commit_sha';

/**
 * Finds the landing of a pull request by the reported commit, which is the landing or its own commit inside the
 * landing. Throws BAD_INPUT unless git confirms the report.
 */
export async function findReportedMerge(
  ctx: Context,
  repository: RepositoryRow,
  { row, commit }: { readonly row: PullRequestRow; readonly commit: string },
): Promise<OutOfBandMerge> {
  const host = toHostedRepository(repository);
  const landing = await landingOf(ctx, host, { baseBranch: row.baseBranch, commit });
  if (landing === null)
    throw new DomainError('BAD_INPUT', `${field} is ${commit}, which is not on ${row.baseBranch}.`, field);
  const candidate = { pullRequestId: row.id, number: row.number, heads: [row.headSha], isInLine: true };
  const [merge] = await findOutOfBandMerges(ctx, host, { line: [landing], candidates: [candidate] });
  if (merge === undefined)
    throw new DomainError('BAD_INPUT', `${field} is ${commit}, which does not contain the head ${row.headSha}.`, field);
  return merge;
}

/** Throws CONFLICT if the merge was found for another head or another base branch than those under the lock. */
export function requireJudged(row: PullRequestRow, judged: PullRequestRow): void {
  if (row.headSha === judged.headSha && row.baseBranch === judged.baseBranch) return;
  throw new DomainError(
    'CONFLICT',
    'The head or the base branch changed during the report. Report the merge again.',
    field,
  );
}

/**
 * The first-parent commit of the base branch with which the commit landed. Null: the last 1,000 first-parent commits do
 * not contain the commit.
 */
async function landingOf(
  ctx: Context,
  host: HostedRepository,
  { baseBranch, commit }: { readonly baseBranch: string; readonly commit: string },
): Promise<HostCommit | null> {
  const client = hostClient(ctx, host);
  const tip = await client.readRef(`refs/heads/${baseBranch}`);
  if (tip === null || !(await client.isAncestor(commit, tip.commit))) return null;
  const line = (await client.listFirstParents({ from: null, to: tip.commit, limit: maxCommits })).toReversed();
  const containsCommit = async (at: number): Promise<boolean> =>
    line[at] !== undefined && (await client.isAncestor(commit, line[at].commit));
  let [low, high] = [0, line.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await containsCommit(middle)) high = middle;
    else low = middle + 1;
  }
  return (await containsCommit(low)) ? (line[low] ?? null) : null;
}

export async function recordReportedMerge(
  work: QueueWork,
  row: PullRequestRow,
  { commit, own }: OutOfBandMerge,
): Promise<void> {
  if (row.status === 'merged') {
    if (row.mergeCommitSha === commit || row.ownCommitSha === own) return;
    throw new DomainError('NOT_QUEUEABLE', `The pull request is merged already, as ${row.mergeCommitSha}.`, field);
  }
  if (await isLandingStarted(work.ctx, work.tx, row.id))
    throw new DomainError('LANDING_IN_PROGRESS', 'The pull request is being landed by the queue.');
  Object.assign(row, { mergeCommitSha: commit, ownCommitSha: own, mergedByQueue: false });
  writeStatus(work, row, 'merge');
  announce(work, row, 'merged', { mergeCommit: commit, commit: own, instantMerge: false });
  await planConclusions(work, [row.id], commit);
}
