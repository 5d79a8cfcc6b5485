// Finds in the event log who paused or halted a base branch, and when. The beginning of the log is deleted by age, so the
// event of a pause that has lasted for long may be gone.
import type { Context } from '../../../context.ts';
import type { Cause } from '../../../domain/queue/explain/condition.ts';
import { decidePause, type PatternRule, type Pause } from '../../../domain/queue/requests/pause.ts';
import type { FreezeInForce } from '../../../domain/releases/freeze.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { StoredFreeze } from '../../repositories/index.ts';

interface EventRow {
  readonly action: string;
  readonly at: number;
  readonly actor: string | null;
}

/** A queue, and the instant up to which the log is read. */
export interface GatesOf {
  readonly queueId: string;
  readonly repositoryId: string;
  readonly instant: string;
}

// The planner of PostgreSQL uses the index of these events only if the actions are literals.
const actions = {
  pauses: `action in ('repository_paused', 'repository_unpaused')`,
  halts: `action in ('queue_halted', 'queue_resumed')`,
  repositoryPaused: `action in ('repository_paused')`,
  branchesPaused: `action in ('branches_paused')`,
} as const;

const columns = 'action, extract(epoch from at)::float8 * 1000 as at, actor';
const ofGates = 'account_id = $1 and repository_id = $2 and at <= $4 and (queue_id is null or queue_id = $3)';

function valuesOf(ctx: Context, of: GatesOf): string[] {
  return [ctx.accountId, of.repositoryId, of.queueId, of.instant];
}

async function readNewest(
  ctx: Context,
  tx: Transaction,
  { kind, pattern = null, ...of }: GatesOf & { readonly kind: keyof typeof actions; readonly pattern?: string | null },
): Promise<EventRow | null> {
  const [newest] = await tx.query<EventRow>(
    `select ${columns} from event
     where ${ofGates} and ${actions[kind]} and ($5::text is null or payload->>'pattern' = $5) order by id desc limit 1`,
    [...valuesOf(ctx, of), pattern],
  );
  return newest ?? null;
}

/** The event that halted or resumed the queue last. */
export async function readHaltCause(ctx: Context, tx: Transaction, of: GatesOf): Promise<Cause | null> {
  const newest = await readNewest(ctx, tx, { ...of, kind: 'halts' });
  return newest === null ? null : toCause(newest);
}

/** The event of the pause that is in force at the instant. */
export async function readPauseCause(
  ctx: Context,
  tx: Transaction,
  { pattern, ...of }: GatesOf & Pick<Pause, 'pattern'>,
): Promise<Cause | null> {
  const kind = pattern === null ? 'repositoryPaused' : 'branchesPaused';
  const newest = await readNewest(ctx, tx, { ...of, kind, pattern });
  return newest === null ? null : toCause(newest);
}

/** `eventId` null: the event of the rule is gone, and the rule is still stored. */
type RuleAt = PatternRule & { readonly eventId: string | null; readonly ruleId: string | null };

/**
 * The pause of the base branch at the instant. The newest event about each pattern determines its rule. A rule whose
 * event is gone is older than every rule that has an event.
 */
export async function readPauseAt(
  ctx: Context,
  tx: Transaction,
  { baseBranch, ...of }: GatesOf & { readonly baseBranch: string },
): Promise<Pause | null> {
  const [isRepositoryPaused, rules] = await Promise.all([
    readRepositoryPausedAt(ctx, tx, of),
    tx.query<RuleAt>(
      `with logged as (
         select distinct on (payload->>'pattern') id, payload->>'pattern' as pattern, action = 'branches_paused' as paused
         from event where ${ofGates} and action in ('branches_paused', 'branches_unpaused')
         order by payload->>'pattern', id desc)
       select id as "eventId", null as "ruleId", pattern, paused from logged
       union all
       select null, b.id, b.pattern, b.paused from branch_pause b
       where b.account_id = $1 and b.repository_id = $2 and b.created_at <= $4
         and not exists (select from logged l where l.pattern = b.pattern)
       order by "eventId" desc nulls last, "ruleId" desc`,
      valuesOf(ctx, of),
    ),
  ]);
  const pause = decidePause({ paused: isRepositoryPaused }, rules, baseBranch);
  if (pause === null) return null;
  if (pause.by === 'repository') return { message: null, pattern: null };
  const { eventId, ruleId, pattern } = pause.by;
  const [found] = await tx.query<{ message: string | null }>(
    eventId === null
      ? 'select paused_message as message from branch_pause where account_id = $1 and id = $2'
      : `select payload->>'message' as message from event where account_id = $1 and id = $2`,
    [ctx.accountId, eventId ?? ruleId],
  );
  return { message: found?.message ?? null, pattern };
}

/**
 * Whether the repository was paused at the instant. If the event before the instant is gone, the event after it says what
 * was in force until then, and without such an event the repository is as it was. If the log begins after the instant,
 * nobody knows, and the repository counts as not paused.
 */
async function readRepositoryPausedAt(ctx: Context, tx: Transaction, of: GatesOf): Promise<boolean> {
  const before = await readNewest(ctx, tx, { ...of, kind: 'pauses' });
  if (before !== null) return before.action === 'repository_paused';
  const [unlogged] = await tx.query<{ paused: boolean }>(
    `select coalesce(
         (select e.action = 'repository_unpaused' from event e
          where e.account_id = $1 and e.repository_id = $2 and e.at > $3 and ${actions.pauses} order by e.id limit 1),
         r.paused) as paused
     from repository r where r.account_id = $1 and r.id = $2
       and (select e.at from event e where e.account_id = $1 and e.position is not null order by e.position limit 1) <= $3`,
    [ctx.accountId, of.repositoryId, of.instant],
  );
  return unlogged?.paused ?? false;
}

/** The event that created the freeze, made from the row of the freeze. */
export function freezeCause({ freeze }: FreezeInForce<StoredFreeze>): Cause {
  return { action: 'freeze_created', at: freeze.createdAt, actor: freeze.createdBy };
}

export function toCause({ action, at, actor }: Pick<EventRow, 'action' | 'at' | 'actor'>): Cause {
  return { action, at, actor };
}
