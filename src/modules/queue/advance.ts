// One turn of a queue: read the snapshot, plan, write, in one transaction under the queue's row. What is left to do
// outside of it is answered as ids: open intents, and batches that are not at their end.
import type { Context } from '../../context.ts';
import { plan } from '../../domain/queue/plan.ts';
import { RepositoryEntity } from '../repositories/repositories.entities.ts';
import { reconsiderPending } from './admission.service.ts';
import { rulesOf } from './configuration.cache.ts';
import { lookAgainAt, writeDecisions } from './decisions.writer.ts';
import { hosted, syncBase } from './host.sync.ts';
import { needOf, type BatchNeed } from './batch.builds.ts';
import { QueueEntity, type BatchRowState, type QueueRow } from './queue.entities.ts';
import { lockQueue } from './queue.locks.ts';
import { liveStates, loadSnapshot } from './snapshot.loader.ts';
import { beginWork, finishWork } from './status.writer.ts';

/** Rises with every change of the planner's rules: a worker of an older version steps back. */
export const plannerVersion = 1;

export interface Advance {
  /** Landings first, then what the host is told afterwards. */
  readonly intents: readonly string[];
  /** Batches that are live, or ended and not cleaned up. */
  readonly batches: readonly { readonly id: string; readonly need: BatchNeed; readonly title: string }[];
  /** When to look again although nothing wakes the queue; null: never. Milliseconds since the epoch. */
  readonly nextLookAt: number | null;
  /** For people who read the workflow: state, repository, base branch, and what stands in line. */
  readonly summary: { readonly repository: string; readonly baseBranch: string; readonly state: string; readonly line: string };
}

export async function advanceQueue(ctx: Context, queueId: string): Promise<Advance> {
  await readBaseIfUnknown(ctx, queueId);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await lockQueue(ctx, tx, queueId);
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: queue.repositoryId });
    const work = beginWork(ctx, tx, queue);
    const isOurs = queue.plannerVersion <= plannerVersion;
    if (isOurs) queue.plannedVersion = queue.version;
    if (isOurs && !queue.haltedReason && queue.baseTip && queue.baseTree) {
      queue.plannerVersion = plannerVersion;
      const { configuration, rules } = rulesOf(repository, queue.hostRequiredChecks);
      await reconsiderPending(work, repository);
      await tx.em.flush();
      const loaded = await loadSnapshot(ctx, tx, { queue, repository, rules, tip: queue.baseTip, tipTree: queue.baseTree });
      const decisions = plan(loaded.snapshot, work.now.getTime());
      await writeDecisions(work, loaded, decisions, configuration);
      const next = lookAgainAt(decisions);
      queue.nextLookAt = next === null ? null : new Date(next);
    }
    await finishWork(work);
    await tx.em.flush();
    return await openWork(ctx, { queue, repository: `${repository.owner}/${repository.name}`, paused: repository.paused, query: tx.query.bind(tx) });
  });
}

async function readBaseIfUnknown(ctx: Context, queueId: string): Promise<void> {
  const found = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await tx.em.findOneOrFail(QueueEntity, { id: queueId });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: queue.repositoryId });
    return { queue, repository };
  });
  if (found.queue.baseTip) return;
  await syncBase(ctx, hosted(found.repository), found.queue.baseBranch);
}

async function openWork(
  ctx: Context, of: { queue: QueueRow; repository: string; paused: boolean; query: <R extends object>(text: string, values: readonly unknown[]) => Promise<R[]> },
): Promise<Advance> {
  const { queue, repository, paused, query } = of;
  const values = [ctx.accountId, queue.id];
  const intents = await query<{ id: string }>(
    `select id from intent where account_id = $1 and queue_id = $2 and state in ('planned', 'begun') order by (kind = 'land') desc, intent.id`, values,
  );
  const batches = await query<{ id: string; state: BatchRowState; started: boolean; members: number[] | null }>(
    `select b.id, b.state, b.build_started_at is not null as started, (select array_agg(p.number order by m.ordinal) from batch_member m
                            join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
                            where m.account_id = $1 and m.batch_id = b.id) as members
     from batch b where b.account_id = $1 and b.queue_id = $2 and (b.state in ('making', 'building', 'landing') or b.cleaned_up_at is null)
     order by b.position, b.id`, values,
  );
  const live = batches.filter((batch) => (liveStates as readonly string[]).includes(batch.state));
  const named = (batch: { members: number[] | null }) => (batch.members ?? []).map((number) => `#${number}`).join(' ');
  const state = queue.haltedReason ? `halted: ${queue.haltedReason}` : paused ? 'paused' : queue.waiting + queue.tagged === 0 ? 'idle' : 'running';
  return {
    intents: intents.map((row) => row.id),
    batches: batches.map((batch) => ({
      id: batch.id,
      need: needOf({ state: batch.state, hasStarted: batch.started, isCleanedUp: false }),
      title: `${named(batch)} → ${queue.baseBranch}`,
    })),
    nextLookAt: queue.nextLookAt?.getTime() ?? null,
    summary: {
      repository,
      baseBranch: queue.baseBranch,
      state,
      line: live.map((batch) => `[${named(batch)} ${batch.state}]`).join(' → ') || 'no batch',
    },
  };
}
