// Handles bot pull requests that somebody closed at the host. Nobody is expected to do this, and it must not stop the
// queue.
import type { Context } from '../../../context.ts';
import { findBuiltOn } from '../../../domain/queue/planning/reset-by-hand.ts';
import { supersede } from '../../../domain/queue/planning/resets.ts';
import { hostClient, type HostedRepository } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { haltOf, rulesOf } from '../store/rules-in-force.ts';
import { writeDecisions } from './decisions.writer.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { loadSnapshot } from './snapshot.loader.ts';
import { startWork, finishWork } from '../store/status.writer.ts';

/**
 * Resets the build of a closed bot pull request and all builds made on it (304), because the host may run no checks for
 * a closed pull request. The members are built again. Does nothing for other pull requests, and for bot pull requests
 * of ended batches. Returns what keeps the build from being reset now: the landing of a batch of the queue, or a halted
 * queue, or a base branch whose tip is unknown (`halt`). Null: nothing has to be reset any more.
 */
export async function resetClosedBuild(
  ctx: Context,
  repository: HostedRepository,
  number: number,
): Promise<'landing' | 'halt' | null> {
  // The host is called only if the number belongs to the bot pull request of a running build.
  const values = [ctx.accountId, repository.id, number];
  const building = await ctx.db.read(ctx.accountId, { name: 'build_of_draft', text: buildOfBotPullRequest, values });
  if (building.length === 0) return null;
  // The batch cannot go on without this read, because the host may run no checks for the closed pull request.
  const seen = await hostClient(ctx, repository).getPullRequest(number, { isForLanding: true });
  if (seen === null || seen.state === 'open') return null;
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [batch] = await tx.query<Build>(buildOfBotPullRequest, values);
    return batch === undefined ? null : await resetFrom(ctx, tx, batch);
  });
}

interface Build {
  readonly id: string;
  readonly queueId: string;
  readonly repositoryId: string;
}

const buildOfBotPullRequest = `select b.id, b.queue_id as "queueId", b.repository_id as "repositoryId" from bot_pull_request bot
  join batch b on b.account_id = bot.account_id and b.id = bot.batch_id
  where bot.account_id = $1 and bot.repository_id = $2 and bot.number = $3 and b.state = 'building'`;

async function resetFrom(ctx: Context, tx: Transaction, build: Build): Promise<'landing' | 'halt' | null> {
  const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: build.repositoryId });
  const queue = await changeQueue(ctx, tx, build.queueId);
  // If the tip is unknown or the queue is halted, nothing is planned, so nothing is reset either. Results of checks
  // still count.
  if (!queue.baseTip || !queue.baseTree || haltOf(repository, queue) !== null) return 'halt';
  const { configuration, rules } = rulesOf(repository, queue);
  const loaded = await loadSnapshot(ctx, tx, { queue, repository, rules, tip: queue.baseTip, tipTree: queue.baseTree });
  const { batches } = loaded.snapshot;
  // While a landing is under way nothing is reset, because the outcome of the landing decides.
  if (batches.some((batch) => batch.landingStarted)) return 'landing';
  const resetIds = findBuiltOn(batches, build.id);
  if (resetIds.length === 0) return null;
  const work = startWork(ctx, tx, queue);
  const decisions = supersede(
    batches.filter(({ id }) => resetIds.includes(id)),
    { code: 304, causedBy: null },
  );
  await writeDecisions(work, loaded, { decisions, configuration });
  await finishWork(work);
  return null;
}
