// Reads of event logs. The log of one account is read under its row-level security.
import type { Database } from '../../platform/database.ts';
import { formatCursor, type LogBounds } from './cursor.ts';

/** One event for streams. All streams of the account share the object, so it must not be changed. */
export interface FollowedEvent {
  /** The cursor for resuming after this event. */
  readonly cursor: string;
  readonly action: string;
  readonly at: Date;
  /**
   * The email address of the user who caused the event, the handle of a person who is no user, or `interlock`. Null:
   * unknown.
   */
  readonly actor: string | null;
  readonly repositoryId: string | null;
  readonly queueId: string | null;
  readonly pullRequestId: string | null;
  readonly batchId: string | null;
  readonly candidateId: string | null;
  readonly environmentId: string | null;
  readonly deploymentId: string | null;
  readonly runbookId: string | null;
  readonly verificationId: string | null;
  readonly registrationId: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface PositionedEvent {
  readonly epoch: number;
  readonly position: number;
  readonly event: FollowedEvent;
}

export const pageSize = 500;

const columns = `(select epoch from installation)::float8 as epoch, position::float8 as position, action, at, actor,
             repository_id::text, queue_id::text, pull_request_id::text, batch_id::text, candidate_id::text,
             environment_id::text, deployment_id::text, runbook_id::text, verification_id::text,
             registration_id::text, payload`;

/** Events after a position, in order, at most `pageSize`. Fewer events mean that there are no more. */
export async function readEventsAfter(db: Database, accountId: string, position: number): Promise<PositionedEvent[]> {
  const rows = await db.read<EventRow>(accountId, {
    name: 'events_after',
    text: `select ${columns}
           from event
           where account_id = $1::bigint and position is not null and position > $2::bigint
           order by position limit ${pageSize}`,
    values: [accountId, position],
  });
  return rows.map(toPositionedEvent);
}

/**
 * Like `readEventsAfter`, for several accounts by one statement, in the role interlock_system. The pages are in the
 * order of the accounts.
 */
export async function readEventsOfAccounts(
  db: Database,
  accounts: readonly { readonly accountId: string; readonly position: number }[],
): Promise<PositionedEvent[][]> {
  const rows = await db.system.query<EventRow & { readonly account: string }>(
    `select e.* from unnest($1::bigint[], $2::bigint[]) as seen (account_id, position)
     cross join lateral (
       select account_id::text as account, ${columns}
       from event
       where account_id = seen.account_id and position is not null and event.position > seen.position
       order by position limit ${pageSize}) e`,
    [accounts.map(({ accountId }) => accountId), accounts.map(({ position }) => position)],
  );
  const pages = Map.groupBy(rows, ({ account }) => account);
  return accounts.map(({ accountId }) =>
    (pages.get(accountId) ?? []).map(toPositionedEvent).toSorted((a, b) => a.position - b.position),
  );
}

export async function readLogBounds(db: Database, accountId: string): Promise<LogBounds> {
  const [row] = await db.read<{ epoch: number; head: number; first: number | null }>(accountId, {
    name: 'event_log_bounds',
    text: `select epoch::float8 as epoch,
             coalesce((select position from event_head where account_id = $1::bigint), 0)::float8 as head,
             (select position from event where account_id = $1::bigint and position is not null order by position limit 1)::float8 as first
           from installation`,
    values: [accountId],
  });
  if (row === undefined) throw new Error('The database has no installation row: it was not migrated.');
  return { epoch: row.epoch, head: row.head, oldest: row.first === null ? row.head : row.first - 1 };
}

interface EventRow {
  readonly epoch: number;
  readonly position: number;
  readonly action: string;
  readonly at: Date;
  readonly actor: string | null;
  readonly repository_id: string | null;
  readonly queue_id: string | null;
  readonly pull_request_id: string | null;
  readonly batch_id: string | null;
  readonly candidate_id: string | null;
  readonly environment_id: string | null;
  readonly deployment_id: string | null;
  readonly runbook_id: string | null;
  readonly verification_id: string | null;
  readonly registration_id: string | null;
  readonly payload: Record<string, unknown>;
}

function toPositionedEvent(row: EventRow): PositionedEvent {
  return {
    epoch: row.epoch,
    position: row.position,
    event: Object.freeze({
      cursor: formatCursor(row),
      action: row.action,
      at: row.at,
      actor: row.actor,
      repositoryId: row.repository_id,
      queueId: row.queue_id,
      pullRequestId: row.pull_request_id,
      batchId: row.batch_id,
      candidateId: row.candidate_id,
      environmentId: row.environment_id,
      deploymentId: row.deployment_id,
      runbookId: row.runbook_id,
      verificationId: row.verification_id,
      registrationId: row.registration_id,
      payload: row.payload,
    }),
  };
}
