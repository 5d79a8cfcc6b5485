// Reads the failed checks of pull requests, with the host's messages about these checks.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';

export interface FailedCheck {
  readonly name: string;
  readonly url: string | null;
  /** The host's message about the check. Null: there is none. */
  readonly summary: string | null;
}

export interface FailedNames {
  readonly pullRequestId: string;
  readonly names: readonly string[];
}

/**
 * Returns the named checks that failed on the head of a pull request or in its newest build, each with its last
 * failure.
 */
export async function readFailedChecks(
  ctx: Context,
  tx: Transaction,
  of: FailedNames,
): Promise<readonly FailedCheck[]> {
  return (await readFailedChecksOf(ctx, tx, [of])).get(of.pullRequestId) ?? [];
}

/**
 * Like `readFailedChecks`, for several pull requests. Returns the checks by id of the pull request. The second of two
 * statements gets commits and names as values, because a join with wrong statistics could get a slow plan.
 */
export async function readFailedChecksOf(
  ctx: Context,
  tx: Transaction,
  of: readonly FailedNames[],
): Promise<ReadonlyMap<string, readonly FailedCheck[]>> {
  const namesOf = new Map(of.filter(({ names }) => names.length > 0).map((each) => [each.pullRequestId, each.names]));
  if (namesOf.size === 0) return new Map();
  const pullRequests = await tx.query<{ id: string; repository: string; commits: string[] }>(
    `select p.id, p.repository_id as repository,
            array_remove(array[p.head_sha, (
              select b.tested_commit from batch b where b.account_id = $1 and b.id = (
                select max(m.batch_id) from batch_member m where m.account_id = $1 and m.pull_request_id = p.id))], null) as commits
     from pull_request p where p.account_id = $1 and p.id = any($2::bigint[])`,
    [ctx.accountId, [...namesOf.keys()]],
  );
  const rows = await tx.query<FailedCheck & { readonly repository: string; readonly commit: string }>(
    `select repository_id as repository, commit, name, url, summary from check_result
     where account_id = $1 and repository_id = any($2::bigint[]) and commit = any($3) and name = any($4)
       and conclusion not in ('pending', 'success', 'skipped', 'neutral')
     order by name, completed_at desc nulls last, attempt desc`,
    [
      ctx.accountId,
      [...new Set(pullRequests.map(({ repository }) => repository))],
      [...new Set(pullRequests.flatMap(({ commits }) => commits))],
      [...new Set([...namesOf.values()].flat())],
    ],
  );
  return new Map(
    pullRequests.map(({ id, repository, commits }) => {
      const names = new Set(namesOf.get(id));
      const failed = rows.filter(
        (row) => row.repository === repository && commits.includes(row.commit) && names.delete(row.name),
      );
      return [id, failed.map(({ name, url, summary }) => ({ name, url, summary }))];
    }),
  );
}
