// Skips turns that would change nothing. A turn that decided nothing is remembered with the version of its queue. Every
// fact that the planner waits for increases the version (store/queue.locks.ts). So another turn would also decide
// nothing as long as the version and the open work are the same and no deadline has come. In that case one statement is
// run and no lock is taken (docs/adr/0084-long-lines.md).
import type { Context } from '../../../context.ts';
import type { Database } from '../../../platform/database.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import type { QueueRow } from '../store/queue.entities.ts';
import { openRows, toOpenWork, type OpenRows, type OpenWork, type OpenWorkOf } from './open-work.ts';
import { createQueueMemory } from './queue-memory.ts';

/** What is read before a turn, outside its transaction. */
export interface BeforeTurn
  extends OpenRows,
    Pick<QueueRow, 'baseBranch' | 'baseTip' | 'haltedReason' | 'waiting' | 'tagged'>,
    Pick<RepositoryRow, 'id' | 'accountId' | 'owner' | 'name' | 'host' | 'configurationYaml'> {
  readonly queueId: string;
  /**
   * When PostgreSQL was started. Versions of a queue are compared only within one start, because a restored database
   * may be older.
   */
  readonly server: string;
  readonly version: string;
  readonly plannedVersion: string;
  /** Increases when a pull request enters the line. */
  readonly nextRank: string;
  /** When the relay wakes the queue. Milliseconds since the epoch. Null: never. */
  readonly relayAt: number | null;
}

export async function readBeforeTurn(ctx: Context, queueId: string): Promise<BeforeTurn> {
  const [before] = await ctx.db.read<BeforeTurn>(ctx.accountId, {
    name: 'queue_before_turn',
    text: `select q.id as "queueId", q.base_branch as "baseBranch", q.base_tip as "baseTip", q.halted_reason as "haltedReason", q.waiting, q.tagged, pg_postmaster_start_time()::text as server, q.version::text, q.planned_version::text as "plannedVersion",
             q.next_rank::text as "nextRank",
             round(extract(epoch from q.next_look_at) * 1000)::float8 as "relayAt", r.id, r.account_id as "accountId", r.owner, r.name,
             r.host, r.configuration_yaml as "configurationYaml", ${openRows}
           from queue q join repository r on r.account_id = q.account_id and r.id = q.repository_id
           where q.account_id = $1 and q.id = $2`,
    values: [ctx.accountId, queueId],
  });
  if (before === undefined) throw new Error(`There is no queue ${queueId}.`);
  return before;
}

interface QuietTurn {
  readonly plannedAt: number;
  readonly server: string;
  readonly version: string;
  readonly relayAt: number | null;
  readonly nextLookAt: number | null;
  readonly open: OpenRows;
  readonly stopped: Pick<OpenWorkOf, 'halted' | 'isPaused'>;
}

/**
 * Some facts increase no version, such as the start of a check. A turn is skipped for at most this time, and then reads
 * these facts.
 */
const longestQuietMs = 60_000;

const turns = createQueueMemory<QuietTurn>();

/** Remembers a turn that decided nothing. Call it after the turn's commit. */
export function keepQuietTurn(db: Database, queueId: string, turn: QuietTurn): void {
  turns.keep(db, queueId, turn);
}

/** Returns the open work, if a turn would decide nothing. Null: a turn may decide something. */
export function findQuietTurn(
  ctx: Context,
  before: BeforeTurn,
): (OpenWork & { readonly nextLookAt: number | null }) | null {
  const kept = turns.find(ctx.db, before.queueId);
  const now = ctx.clock().getTime();
  const isQuiet =
    kept !== undefined &&
    before.baseTip !== null &&
    now - kept.plannedAt < longestQuietMs &&
    kept.server === before.server &&
    kept.version === before.version &&
    kept.version === before.plannedVersion &&
    kept.relayAt === before.relayAt &&
    (kept.relayAt === null || now < kept.relayAt) &&
    (kept.nextLookAt === null || now < kept.nextLookAt) &&
    isSameWork(before, kept.open);
  if (!isQuiet) return null;
  const { work } = toOpenWork(before, { queue: before, repository: before, ...kept.stopped }, now);
  return { ...work, nextLookAt: kept.nextLookAt };
}

export function isSameWork(a: OpenRows, b: OpenRows): boolean {
  return JSON.stringify([a.intents, a.batches]) === JSON.stringify([b.intents, b.batches]);
}
