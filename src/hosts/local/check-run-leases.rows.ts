// Which runner carries out which check run. A runner claims a queued run, has a lease on it, and writes its result.
// After the lease is lost, the runner may not write the result.
import type { Database } from '../../platform/database.ts';
import { toStorableText } from '../../platform/storable-text.ts';
import type { CheckConclusion } from '../../domain/queue/model/rules.ts';

export interface ClaimedCheckRun {
  readonly id: string;
  readonly account_id: string;
  readonly repository_id: string;
  readonly owner: string;
  readonly repository_name: string;
  readonly commit: string;
  readonly ref: string;
  readonly name: string;
  readonly attempt: number;
  readonly command: string;
  readonly timeout_sec: number;
  /** The inputs of a workflow that was started by name. */
  readonly inputs: Readonly<Record<string, string>>;
}

const anyOpen = "select true from local_check_run where state <> 'completed' order by priority desc, id limit 1";

/**
 * SQL: true if any run is queued or running, otherwise null. The query sorts by an index, so that PostgreSQL uses the
 * index whatever its statistics are, and never reads all runs. In `exists`, PostgreSQL would ignore the order.
 */
export const openChecks = `(${anyOpen})`;

export async function hasOpenCheckRuns(db: Database): Promise<boolean> {
  return (await db.system.query(anyOpen)).length > 0;
}

/**
 * Claims the next queued run. The account with the fewest running checks comes first, then the run with the highest
 * priority, then the oldest run.
 */
export async function claimCheckRun(
  db: Database,
  leaseOwner: string,
  leaseSec: number,
): Promise<ClaimedCheckRun | null> {
  const rows = await db.system.query<ClaimedCheckRun>(
    `with running as (select account_id, count(*) as builds from local_check_run where state = 'running' group by account_id),
     next as (
       select c.id from local_check_run c left join running r on r.account_id = c.account_id
       where c.state = 'queued' order by coalesce(r.builds, 0), c.priority desc, c.id limit 1 for update of c skip locked)
     update local_check_run c
     set state = 'running', lease_owner = $1, lease_until = now() + make_interval(secs => $2), started_at = now()
     from next, repository r
     where c.id = next.id and r.account_id = c.account_id and r.id = c.repository_id
     returning c.id::text as id, c.account_id::text as account_id, c.repository_id::text as repository_id, r.owner, r.name as repository_name,
       c.commit, c.ref, c.name, c.attempt, c.command, c.timeout_sec, c.inputs`,
    [leaseOwner, leaseSec],
  );
  return rows[0] ?? null;
}

/** A runner, and the ids of the runs that it carries out. */
export interface LeaseHolder {
  readonly owner: string;
  readonly ids: readonly string[];
}

/**
 * Renews the leases of the owner's runs. Returns the runs whose leases the owner still has, and whether each of them
 * must be canceled.
 */
export async function renewLeases(
  db: Database,
  { owner, ids, leaseSec }: LeaseHolder & { readonly leaseSec: number },
): Promise<{ id: string; cancel_requested: boolean }[]> {
  if (ids.length === 0) return [];
  return await db.system.query(
    `update local_check_run set lease_until = now() + make_interval(secs => $2)
     where id = any($3::bigint[]) and state = 'running' and lease_owner = $1
     returning id::text as id, cancel_requested`,
    [owner, leaseSec, [...ids]],
  );
}

// Queues a run again that no runner carries out. A run whose cancelation was requested is completed as canceled instead.
const givenBack = `state = case when cancel_requested then 'completed' else 'queued' end,
  conclusion = case when cancel_requested then 'cancelled' end,
  summary = case when cancel_requested then 'Canceled' end,
  started_at = case when cancel_requested then started_at end,
  completed_at = case when cancel_requested then now() end,
  lease_owner = null, lease_until = null`;

/**
 * Queues the runs again that no runner carries out:
 * - runs whose lease has expired,
 * - runs of `deadOwners`,
 * - runs of the owner that are not in `ids`, because the answer to a claim was lost.
 *
 * A run whose cancelation was requested is completed as canceled instead.
 */
export async function recoverLeases(
  db: Database,
  { owner, ids, deadOwners }: LeaseHolder & { readonly deadOwners: readonly string[] },
): Promise<void> {
  await db.system.query(
    `update local_check_run
     set ${givenBack}
     where state = 'running'
       and (lease_until < now() or lease_owner = any($1::text[]) or (lease_owner = $2 and id <> all($3::bigint[])))`,
    [[...deadOwners], owner, [...ids]],
  );
}

export async function findLeaseOwners(db: Database): Promise<string[]> {
  const rows = await db.system.query<{ lease_owner: string }>(
    `select distinct lease_owner from local_check_run where state = 'running' and lease_owner is not null`,
  );
  return rows.map(({ lease_owner }) => lease_owner);
}

export interface LeasedCheckRun {
  readonly run: ClaimedCheckRun;
  readonly leaseOwner: string;
}

/**
 * Writes a result, if the runner still has the lease. False: the lease was lost. After an infrastructure failure
 * (`error`), the same transaction queues one more attempt. Two such failures in succession end the retries.
 */
export async function concludeCheckRun(
  db: Database,
  { run, leaseOwner }: LeasedCheckRun,
  result: { readonly conclusion: CheckConclusion; readonly summary: string },
): Promise<boolean> {
  return await db.system.transaction(async (query) => {
    const done = await query(
      `update local_check_run set state = 'completed', conclusion = $3, summary = $4, completed_at = now(), lease_owner = null, lease_until = null
       where id = $1 and state = 'running' and lease_owner = $2 returning id`,
      [run.id, leaseOwner, result.conclusion, toStorableText(result.summary)],
    );
    if (done.length === 0) return false;
    if (result.conclusion === 'error') {
      await query(
        `insert into local_check_run (account_id, repository_id, commit, ref, name, attempt, command, timeout_sec, priority, created_at)
         select account_id, repository_id, commit, ref, name, attempt + 1, command, timeout_sec, priority, now() from local_check_run c
         where id = $1 and dispatch_key is null and not exists (select from local_check_run e
           where e.account_id = c.account_id and e.repository_id = c.repository_id and e.commit = c.commit and e.name = c.name
             and e.attempt = c.attempt - 1 and e.conclusion = 'error' and e.dispatch_key is null)
         on conflict do nothing`,
        [run.id],
      );
    }
    return true;
  });
}

/** Gives back a run whose runner shuts down: it is queued again, or completed if its cancelation was requested. */
export async function releaseCheckRun(db: Database, { run, leaseOwner }: LeasedCheckRun): Promise<void> {
  await db.system.query(
    `update local_check_run set ${givenBack}
     where id = $1 and state = 'running' and lease_owner = $2`,
    [run.id, leaseOwner],
  );
}
