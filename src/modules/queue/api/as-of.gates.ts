// Finds in the event log who paused or halted a base branch, and when. The log covers every instant.
import type { Context } from '../../../context.ts';
import type { Cause } from '../../../domain/queue/explain/condition.ts';
import { decidePause, type Pause, type PauseRule } from '../../../domain/queue/requests/pause.ts';
import type { FreezeInForce } from '../../../domain/releases/freeze.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { StoredFreeze } from '../../repositories/index.ts';

export interface EventRow {
  readonly action: string;
  readonly at: number;
  readonly actor: string | null;
  readonly payload: Record<string, unknown>;
}

/** The events that paused, resumed or halted the queue, newest first. */
export async function readGateEvents(
  ctx: Context,
  tx: Transaction,
  of: { readonly queueId: string; readonly repositoryId: string; readonly instant: string },
): Promise<EventRow[]> {
  return await tx.query<EventRow>(
    `select action, extract(epoch from at)::float8 * 1000 as at, actor, payload from event
     where account_id = $1 and repository_id = $2 and at <= $4
       and action in ('repository_paused', 'repository_unpaused', 'branches_paused', 'branches_unpaused', 'queue_halted', 'queue_resumed')
       and (queue_id is null or queue_id = $3)
     order by id desc`,
    [ctx.accountId, of.repositoryId, of.queueId, of.instant],
  );
}

/** The pause rules in force now, the newest first. */
export async function readPauseRules(ctx: Context, tx: Transaction, repositoryId: string): Promise<PauseRule[]> {
  return await tx.query<PauseRule>(
    'select pattern, paused, paused_message as "pausedMessage" from branch_pause where account_id = $1 and repository_id = $2 order by id desc',
    [ctx.accountId, repositoryId],
  );
}

/** The pause of the base branch at the instant up to which the log was read. */
export function pauseAt(log: readonly EventRow[], baseBranch: string): Pause | null {
  const last = log.find(({ action }) => action === 'repository_paused' || action === 'repository_unpaused');
  return decidePause({ paused: last?.action === 'repository_paused' }, rulesIn(log), baseBranch);
}

/** The pause rules at the instant: the newest event about each pattern determines its rule. */
function rulesIn(log: readonly EventRow[]): PauseRule[] {
  const rules = new Map<string, PauseRule>();
  for (const { action, payload } of log) {
    const { pattern, message } = payload;
    if (typeof pattern !== 'string' || rules.has(pattern)) continue;
    rules.set(pattern, {
      pattern,
      paused: action === 'branches_paused',
      pausedMessage: typeof message === 'string' ? message : null,
    });
  }
  return [...rules.values()];
}

export function findPauseEvent(log: readonly EventRow[], { pattern }: Pause): Cause | null {
  const found = log.find(({ action, payload }) =>
    pattern === null ? action === 'repository_paused' : action === 'branches_paused' && payload['pattern'] === pattern,
  );
  return found === undefined ? null : toCause(found);
}

/** The event that created the freeze, made from the row of the freeze. */
export function freezeCause({ freeze }: FreezeInForce<StoredFreeze>): Cause {
  return { action: 'freeze_created', at: freeze.createdAt, actor: freeze.createdBy };
}

export function toCause({ action, at, actor }: Pick<EventRow, 'action' | 'at' | 'actor'>): Cause {
  return { action, at, actor };
}
