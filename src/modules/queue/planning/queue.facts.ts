// Reads the facts of a plan that do not depend on the line, in one round trip: the live batches, the intents that a plan
// judges, and the landings of the last day.
import type { Context } from '../../../context.ts';
import type { PinnedHead } from '../../../domain/queue/model/snapshot.ts';
import { sqlList, type Transaction } from '../../../platform/database.ts';
import { readLandings, type RecordedLanding } from '../facts/landings.loader.ts';
import { readAssumedHeads, readLiveMembers, type PlannedMember } from '../store/batch.members.ts';
import { liveStates, sqlNeedsNoBuild } from '../store/batch.rows.ts';
import { BatchEntity, type BatchRow } from '../store/queue.entities.ts';
import { loadIntents, type IntentFacts } from './snapshot.rows.ts';

/** The live batches by position, with their members and the pull requests that speculative builds assume. */
export interface LiveBatches {
  readonly batches: readonly BatchRow[];
  readonly members: ReadonlyMap<string, readonly PlannedMember[]>;
  readonly assumptions: ReadonlyMap<string, readonly PinnedHead[]>;
  /** The ids of the batches that were started without a build of their own. */
  readonly withoutBuild: ReadonlySet<string>;
}

export interface QueueFacts {
  readonly live: LiveBatches;
  readonly intents: IntentFacts;
  readonly landed: readonly RecordedLanding[];
}

/** Flush the unit of work before the call, because this reads the database. */
export async function readQueueFacts(ctx: Context, tx: Transaction, queueId: string): Promise<QueueFacts> {
  const [live, intents, landed] = await Promise.all([
    loadLiveBatches(ctx, tx, queueId),
    loadIntents(ctx, tx, queueId),
    readLandings(ctx, tx, queueId),
  ]);
  return { live, intents, landed };
}

async function loadLiveBatches(ctx: Context, tx: Transaction, queueId: string): Promise<LiveBatches> {
  const [batches, members, withoutBuild] = await Promise.all([
    tx.find(BatchEntity, {
      column: 'queue_id',
      ids: [queueId],
      orderBy: 'position',
      also: `state in ${sqlList(liveStates)}`,
    }),
    readLiveMembers(ctx, tx, queueId),
    tx.query<{ id: string }>(
      `select b.id::text from batch b where b.account_id = $1 and b.queue_id = $2 and b.state in ${sqlList(liveStates)} and ${sqlNeedsNoBuild('b')}`,
      [ctx.accountId, queueId],
    ),
  ]);
  const speculative = batches.filter((batch) => batch.sideBuild === 'speculative').map((batch) => batch.id);
  return {
    batches,
    members,
    assumptions: await readAssumedHeads(ctx, tx, speculative),
    withoutBuild: new Set(withoutBuild.map(({ id }) => id)),
  };
}
