// Stores when the reconciler next compares each repository with its host. A process leases a due comparison, so that no
// other process makes the same comparison, and renews the lease. After the comparison the process sets the next
// instant. If the process dies, the comparison is due again when the lease ends.
import type { SystemQueries } from '../../platform/database.ts';

type Query = SystemQueries['query'];

export interface DueComparison {
  readonly accountId: string;
  readonly repositoryId: string;
  readonly host: string;
}

/**
 * Plans the first comparison of repositories that have none. Repositories with pull requests in line are compared at
 * `withLineBy` at the latest, because their first pull request may have entered the line after the last comparison.
 */
export async function planComparisons(query: Query, now: Date, options: { readonly withLineBy: Date }): Promise<void> {
  await query(
    `insert into host_comparison (account_id, repository_id, due_at)
     select r.account_id, r.id, $1 from repository r
     where r.active and not exists (
       select from host_comparison l where l.account_id = r.account_id and l.repository_id = r.id)
     on conflict do nothing`,
    [now.toISOString()],
  );
  await query(
    `update host_comparison l set due_at = $1 where due_at > $1 and ${hasLine('l.account_id', 'l.repository_id')}`,
    [options.withLineBy.toISOString()],
  );
}

/**
 * Leases the comparison that has been due for the longest time, except comparisons of the accounts and hosts in
 * `except`. Null: no comparison is due.
 */
export async function takeDueComparison(
  query: Query,
  at: { readonly now: Date; readonly until: Date },
  except: { readonly accounts: readonly string[]; readonly hosts: readonly string[] },
): Promise<DueComparison | null> {
  const [taken] = await query<DueComparison>(
    // A materialised subquery runs once. In a join it may run again for each row, and lease a further comparison each
    // time.
    `with due as materialized (
       select d.account_id, d.repository_id, r.host from host_comparison d
       join repository r on r.account_id = d.account_id and r.id = d.repository_id and r.active
       where d.due_at <= $1 and (d.leased_until is null or d.leased_until <= $1)
         and d.account_id <> all ($3::bigint[]) and r.host <> all ($4::text[])
       order by d.due_at limit 1 for update of d skip locked)
     update host_comparison l set leased_until = $2 from due
     where l.account_id = due.account_id and l.repository_id = due.repository_id
     returning l.account_id as "accountId", l.repository_id as "repositoryId", due.host`,
    [at.now.toISOString(), at.until.toISOString(), [...except.accounts], [...except.hosts]],
  );
  return taken ?? null;
}

/** Extends the leases of comparisons that this process is making. */
export async function renewComparisons(
  query: Query,
  comparisons: readonly DueComparison[],
  until: Date,
): Promise<void> {
  if (comparisons.length === 0) return;
  await query(
    `update host_comparison l set leased_until = $3 from unnest($1::bigint[], $2::bigint[]) as c (account_id, repository_id)
     where l.account_id = c.account_id and l.repository_id = c.repository_id and l.leased_until is not null`,
    [
      comparisons.map(({ accountId }) => accountId),
      comparisons.map(({ repositoryId }) => repositoryId),
      until.toISOString(),
    ],
  );
}

/**
 * Ends the lease, and sets the instant of the next comparison: `withLine` if the repository has pull requests in line
 * now, otherwise `without`.
 */
export async function endComparison(
  query: Query,
  { accountId, repositoryId }: DueComparison,
  next: { readonly withLine: Date; readonly without: Date },
): Promise<void> {
  await query(
    `update host_comparison set leased_until = null, due_at = case when ${hasLine('$1', '$2')} then $3::timestamptz else $4 end
     where account_id = $1 and repository_id = $2`,
    [accountId, repositoryId, next.withLine.toISOString(), next.without.toISOString()],
  );
}

/** SQL: whether the repository has pull requests that wait in a queue. */
export function hasLine(accountId: string, repositoryId: string): string {
  return `exists (select from pull_request p where p.account_id = ${accountId} and p.repository_id = ${repositoryId} and p.status in ('pending', 'queued', 'tagged'))`;
}
