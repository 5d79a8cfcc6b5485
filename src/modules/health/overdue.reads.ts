// Finds overdue work: work that is older than its own time limit, because its process has lost it. This file does not
// end such work. It reports the work in the log and at /readyz, because the rows look as if the work were in progress.
import type { Logger } from 'pino';
import type { OverdueKind } from '../../domain/health/parts.ts';
import type { Database } from '../../platform/database.ts';

export interface Overdue {
  readonly what: OverdueKind;
  readonly count: number;
  /** When the oldest overdue work should have ended. */
  readonly since: Date;
}

/**
 * Work counts as overdue only this long after its limit, because its end may be written late, or another process may
 * take its lease.
 */
const graceSql = "interval '5 minutes'";

/** For each kind of work: its table and open rows, which have an index, and when an open row should have ended. */
const bounded: Readonly<Record<Overdue['what'], { readonly open: string; readonly until: string }>> = {
  checks: {
    open: "local_check_run r where r.state = 'running'",
    until: 'r.started_at + make_interval(secs => r.timeout_sec)',
  },
  landings: {
    open: `intent i join queue q on q.account_id = i.account_id and q.id = i.queue_id
           where i.kind = 'land' and i.state = 'started' and q.halted_reason is null`,
    until: "i.started_at + interval '10 minutes'",
  },
  deployments: {
    open: `deployment d join environment e on e.account_id = d.account_id and e.id = d.environment_id
           where d.status in ('in_progress', 'canceling') and d.next_look_at is not null`,
    // A command that waited for its code host has its whole time after the wait.
    until: `greatest(d.status_at + make_interval(secs => greatest(e.report_timeout_sec, coalesce((e.provider ->> 'timeoutSec')::int, 0))),
             case when d.failing_since is not null then d.call_at + make_interval(secs => (e.provider ->> 'timeoutSec')::int) end)`,
  },
  builds: {
    open: `release_candidate c join release_project p on p.account_id = c.account_id and p.id = c.project_id
           where c.status = 'building' and c.next_look_at is not null`,
    until: 'c.created_at + make_interval(secs => p.build_timeout_sec)',
  },
  verifications: {
    open: "verification v where v.status in ('booting', 'driving', 'tearing_down') and v.next_look_at is not null",
    // A verification that waits for its code host calls it again after the wait.
    until:
      'case when v.failing_since is null then v.expires_at when v.expires_at is not null then greatest(v.expires_at, v.call_at) end',
  },
  runbooks: {
    // A runbook that was canceled while its worker was lost has nothing left to do.
    open: `runbook r where r.next_look_at is not null
           and (exists (select 1 from runbook_step s where s.account_id = r.account_id and s.runbook_id = r.id
                        and s.status = 'in_progress')
                or exists (select 1 from runbook_prompt p where p.account_id = r.account_id and p.runbook_id = r.id
                           and p.planned_at is null))`,
    // Work that waits for room at its worker is not due. It is overdue if its worker is lost.
    until: 'coalesce(r.due_at, r.supervised_until)',
  },
  webhooks: {
    open: "webhook_delivery w where w.state = 'pending'",
    until: 'w.leased_until',
  },
  retention: { open: 'retention_due d', until: 'd.due_at' },
};

const statement = Object.entries(bounded)
  .map(
    ([what, { open, until }]) =>
      `select '${what}' as what, count(*)::int as count, min(until) as since
       from (select ${until} as until from ${open}) ${what} where until < $1::timestamptz - ${graceSql}`,
  )
  .join(' union all ');

export async function findOverdue(db: Database, now: Date): Promise<readonly Overdue[]> {
  const rows = await db.system.query<Overdue>(statement, [now.toISOString()]);
  return rows.filter(({ count }) => count > 0);
}

/** Overdue work of one account. */
export async function findOverdueOf(db: Database, accountId: string, now: Date): Promise<readonly Overdue[]> {
  const rows = await db.read<Overdue>(accountId, {
    name: 'overdue_work',
    text: statement,
    values: [now.toISOString()],
  });
  return rows.filter(({ count }) => count > 0);
}

export interface OverdueWatch {
  /** The result of the last search. */
  readonly found: () => readonly Overdue[];
  /** Searches for overdue work, and logs what it finds. */
  look(): Promise<void>;
}

export function watchOverdue(ports: {
  readonly db: Database;
  readonly clock: () => Date;
  readonly log: Logger;
}): OverdueWatch {
  let found: readonly Overdue[] = [];
  return {
    found: () => found,
    async look() {
      found = await findOverdue(ports.db, ports.clock());
      if (found.length > 0) ports.log.error({ overdue: found }, 'Work is older than its own time limit.');
    },
  };
}

/**
 * The part of the answer of /readyz about overdue work. Overdue work does not make a server unready, because another
 * server would serve no better.
 */
export function overdueAnswer(overdue: readonly Overdue[]): { readonly overdue?: readonly Overdue[] } {
  return overdue.length === 0 ? {} : { overdue };
}
