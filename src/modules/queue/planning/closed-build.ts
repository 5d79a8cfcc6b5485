// Reactions to people's actions on a bot pull request: none are expected, and closing one must not stop its queue.
import type { Context } from '../../../context.ts';
import { madeOn } from '../../../domain/queue/planning/reset-by-hand.ts';
import { supersede } from '../../../domain/queue/planning/resets.ts';
import { hostClient } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { haltOf, rulesOf } from '../store/configuration.cache.ts';
import { writeDecisions } from './decisions.writer.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { loadSnapshot } from './snapshot.loader.ts';
import { startWork, finishWork } from '../store/status.writer.ts';

/**
 * Somebody closed the draft of a build, so that its host may run nothing for it any more: the batch and all batches on
 * it are reset and built again (304). Other numbers, and drafts that the service closed, are left alone.
 */
export async function resetClosedBuild(ctx: Context, repository: HostedRepository, number: number): Promise<void> {
  // The host is asked only about the draft of a build that is under way.
  const values = [ctx.accountId, repository.id, number];
  const building = await ctx.db.read(ctx.accountId, { name: 'build_of_draft', text: buildOfDraft, values });
  if (building.length === 0) return;
  const seen = await hostClient(ctx, repository).getPullRequest(number);
  if (seen === null || seen.state === 'open') return;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [batch] = await tx.query<Build>(buildOfDraft, values);
    if (batch !== undefined) await resetFrom(ctx, tx, batch);
  });
}

interface Build {
  readonly id: string;
  readonly queueId: string;
  readonly repositoryId: string;
}

const buildOfDraft = `select b.id, b.queue_id as "queueId", b.repository_id as "repositoryId" from bot_pull_request bot
  join batch b on b.account_id = bot.account_id and b.id = bot.batch_id
  where bot.account_id = $1 and bot.repository_id = $2 and bot.number = $3 and b.state = 'building'`;

async function resetFrom(ctx: Context, tx: Transaction, build: Build): Promise<void> {
  const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: build.repositoryId });
  const queue = await changeQueue(ctx, tx, build.queueId);
  // Nothing is planned while the tip is unknown or the queue is halted either, but results of its checks still count.
  if (!queue.baseTip || !queue.baseTree || haltOf(repository, queue) !== null) return;
  const { configuration, rules } = rulesOf(repository, queue);
  const loaded = await loadSnapshot(ctx, tx, { queue, repository, rules, tip: queue.baseTip, tipTree: queue.baseTree });
  const { batches } = loaded.snapshot;
  // While a landing is under way nothing is reset, because its outcome decides.
  if (batches.some((batch) => batch.landingStarted)) return;
  const fallen = madeOn(batches, build.id);
  if (fallen.length === 0) return;
  const work = startWork(ctx, tx, queue);
  const decisions = supersede(
    batches.filter(({ id }) => fallen.includes(id)),
    { code: 304, causedBy: null },
  );
  await writeDecisions(work, loaded, { decisions, configuration });
  await finishWork(work);
}
