// One turn of a queue: read the snapshot, plan, write, in one transaction under the queue's row. What is left to do
// outside of it is answered as ids: open intents, and batches that are not at their end.
import type { Context } from '../../../context.ts';
import { plan } from '../../../domain/queue/plan.ts';
import { pauseInForce } from '../../repositories/index.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { reconsiderInLine, reconsiderPending } from '../admission/admission.service.ts';
import { configurationProblem, rulesOf } from '../store/configuration.cache.ts';
import { planUpdates, updateBeforeRequeue } from './auto-update.ts';
import { planWaitingBackports } from './backport.ts';
import { releaseIdleBotPullRequests } from './bot-pull-requests.reuse.ts';
import {
  describeBatch,
  describeQueue,
  effectsOf,
  hasMoreToTell,
  named,
  type Effect,
  type OpenBatch,
  type OpenIntent,
} from './advance.descriptions.ts';
import { lookAgainAt, writeDecisions } from './decisions.writer.ts';
import { syncBase } from '../facts/base-branches.ts';
import { hosted } from '../store/hosted-repository.ts';
import { readMissingSignatures } from '../facts/signatures.ts';
import { needOf, type BatchNeed } from '../store/batch.rows.ts';
import { QueueEntity, type QueueRow } from '../store/queue.entities.ts';
import { lockQueue } from '../store/queue.locks.ts';
import { planRetries } from '../facts/retries.ts';
import { planHoldMessages, planTelling, tellOfChanges } from './notifications.ts';
import { loadSnapshot } from './snapshot.loader.ts';
import { lookForBuildsAt, wakeWaitingQueues } from './shared-builds.ts';
import { beginWork, finishWork, haltWork } from '../store/status.writer.ts';

/** Rises with every change of the planner's rules: a worker of an older version steps back. */
export const plannerVersion = 6;

export interface Advance {
  /** Open intents, what belongs together as one: a landing first, then all that the host is told afterwards. */
  readonly effects: readonly Effect[];
  /** Batches that are live, or ended and not cleaned up. `details` is Markdown. */
  readonly batches: readonly {
    readonly id: string;
    readonly need: BatchNeed;
    readonly title: string;
    readonly details: string;
  }[];
  /** When to look again although nothing wakes the queue; null: never. Milliseconds since the epoch. */
  readonly nextLookAt: number | null;
  /** For people who read the workflow: state, repository, base branch, and what stands in line, as Markdown. */
  readonly summary: {
    readonly repository: string;
    readonly baseBranch: string;
    readonly state: string;
    readonly details: string;
  };
}

export async function advanceQueue(ctx: Context, queueId: string): Promise<Advance> {
  await readMissingFacts(ctx, queueId);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await lockQueue(ctx, tx, queueId);
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: queue.repositoryId });
    const work = beginWork(ctx, tx, queue);
    const isOurs = queue.plannerVersion <= plannerVersion;
    // A deadline that nobody plans for, in a halted queue or one without its base, would be past for ever.
    if (isOurs) Object.assign(queue, { plannedVersion: queue.version, nextLookAt: null });
    const problem = configurationProblem(repository);
    if (problem !== null && !queue.haltedReason)
      haltWork(work, `The saved configuration is not valid any more: ${problem}`);
    if (isOurs && !queue.haltedReason && queue.baseTip && queue.baseTree) {
      queue.plannerVersion = plannerVersion;
      const { configuration, rules } = rulesOf(repository, queue.hostRequiredChecks);
      await reconsiderPending(work, repository);
      await reconsiderInLine(work, repository);
      await tx.em.flush();
      const loaded = await loadSnapshot(ctx, tx, {
        queue,
        repository,
        rules,
        tip: queue.baseTip,
        tipTree: queue.baseTree,
      });
      const planned = plan(loaded.snapshot, work.now.getTime());
      const decisions = await updateBeforeRequeue(work, configuration, planned);
      await writeDecisions(work, loaded, decisions, configuration);
      await releaseIdleBotPullRequests(work);
      await wakeWaitingQueues(work, decisions);
      await planWaitingBackports(work);
      const updatesAt = await planUpdates(work, repository, configuration);
      const buildsAt = earliest(lookAgainAt(decisions), lookForBuildsAt(loaded.snapshot, work.now.getTime()));
      const retriesAt = await planRetries(work, rules);
      const next = earliest(earliest(buildsAt, retriesAt), updatesAt);
      queue.nextLookAt = next === null ? null : new Date(next);
    }
    await finishWork(work);
    await tx.em.flush();
    const nextLookAt = queue.nextLookAt?.getTime() ?? null;
    let tellAt: number | null = null;
    if (isOurs) {
      await planHoldMessages(work, repository);
      await tellOfChanges(work, repository);
      await tx.em.flush();
      // Left to the relay: a timer of the workflow costs events of its history in every turn until then.
      tellAt = await planTelling(work, repository);
    }
    const open = await openWork(ctx, {
      queue,
      repository: `${repository.owner}/${repository.name}`,
      paused: (await pauseInForce(tx, repository, queue.baseBranch)) !== null,
      now: work.now,
      query: tx.query.bind(tx),
    });
    if (isOurs) {
      const relayAt = earliest(earliest(nextLookAt, tellAt), open.tryAgainAt);
      queue.nextLookAt = relayAt === null ? null : new Date(relayAt);
      await tx.em.flush();
    }
    const moreAt = open.hasMore ? work.now.getTime() : null;
    return { ...open.advance, nextLookAt: isOurs ? earliest(nextLookAt, moreAt) : null };
  });
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

async function readMissingFacts(ctx: Context, queueId: string): Promise<void> {
  const queue = await ctx.db.load(ctx.accountId, QueueEntity, queueId);
  const repository = queue && (await ctx.db.load(ctx.accountId, RepositoryEntity, queue.repositoryId));
  if (queue === null || repository === null) throw new Error(`There is no queue ${queueId}.`);
  await readMissingSignatures(ctx, repository, queue);
  if (queue.baseTip) return;
  await syncBase(ctx, hosted(repository), queue.baseBranch);
}

async function openWork(
  ctx: Context,
  of: {
    queue: QueueRow;
    repository: string;
    paused: boolean;
    now: Date;
    query: <R extends object>(text: string, values: readonly unknown[]) => Promise<R[]>;
  },
): Promise<{
  readonly advance: Omit<Advance, 'nextLookAt'>;
  readonly hasMore: boolean;
  /** When the first of what failed is tried again. */
  readonly tryAgainAt: number | null;
}> {
  const { queue, repository, paused, now, query } = of;
  const values = [ctx.accountId, queue.id];
  const numbers = `array(select p.number from batch_member m join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
                         where m.account_id = $1 and m.batch_id = b.id order by m.ordinal)`;
  const open = await query<OpenIntent & { readonly nextTryAt: number | null }>(
    `select i.id, i.kind, i.attempt, (extract(epoch from i.next_try_at) * 1000)::float8 as "nextTryAt", case when b.id is null then array[p.number] else ${numbers} end as numbers
     from intent i left join batch b on b.account_id = i.account_id and b.id = i.batch_id
                   left join pull_request p on p.account_id = i.account_id and p.id = i.pull_request_id
     where i.account_id = $1 and i.queue_id = $2 and i.state in ('planned', 'begun') order by i.id`,
    values,
  );
  const isLater = ({ nextTryAt }: (typeof open)[number]): boolean => (nextTryAt ?? 0) > now.getTime();
  const intents = open.filter((intent) => !isLater(intent));
  const tryAgainAt = open.filter(isLater).reduce<number | null>((first, each) => earliest(first, each.nextTryAt), null);
  const batches = await query<OpenBatch>(
    `select b.id, b.state, b.cause, b.given_up, b.build_started_at is not null as started, b.parent_commit, b.rests_on, b.created_at, ${numbers} as numbers,
       array(select p.number from batch_assumption a join pull_request p on p.account_id = a.account_id and p.id = a.pull_request_id
             where a.account_id = $1 and a.batch_id = b.id order by a.ordinal) as assumed
     from batch b where b.account_id = $1 and b.queue_id = $2 and b.cleaned_up_at is null
     order by b.position, b.id`,
    values,
  );
  const state = queue.haltedReason
    ? `halted: ${queue.haltedReason}`
    : paused
      ? 'paused'
      : queue.waiting + queue.tagged === 0
        ? 'idle'
        : 'running';
  const advance = {
    effects: effectsOf(intents, queue.baseBranch),
    batches: batches.map((batch) => ({
      id: batch.id,
      need: needOf({ state: batch.state, hasStarted: batch.started, isCleanedUp: false, isGivenUp: batch.given_up }),
      title: `${named(batch.numbers)} → ${queue.baseBranch} of ${repository}`,
      details: `Batch ${batch.id}: ${describeBatch(batch)}.`,
    })),
    summary: {
      repository,
      baseBranch: queue.baseBranch,
      state,
      details: describeQueue({ queue, repository, state, batches }),
    },
  };
  return { advance, hasMore: hasMoreToTell(intents), tryAgainAt };
}
