// Rules about failures since the last call: batches that failed, and pull requests that a failed check blocked or that
// returned to the line after one. They compare the rows with the results of checks.
import type { Head } from './build-rules.ts';
import { mostRequeues } from './configurations.ts';
import type { Installation } from './installation.ts';

export interface FailureRules {
  /** `before` and `now`: the pull requests by number, as they were at the last call and as they are. */
  look(before: ReadonlyMap<number, Head>, now: ReadonlyMap<number, Head>): Promise<readonly string[]>;
}

/** SQL: whether the check result `c` is a failure. */
const isFailure = "c.conclusion not in ('pending', 'success', 'skipped', 'neutral', 'cancelled')";

/** SQL: the commits on which the batch `b` was tested. Other builds of its tree count too. */
const testedCommits = `(select b.commit union select b.tested_commit
  union select u.commit from build u where u.account_id = b.account_id and u.repository_id = b.repository_id and u.tree = b.tree)`;

export function createFailureRules(i: Installation): FailureRules {
  let wasBlocked = new Set<number>();
  const knownFailed = new Set<number>();
  const most = Math.max(...i.configurations.map(mostRequeues));

  /** A pull request is blocked by a failed check only after a check of its head or of one of its builds has failed. */
  async function lookAtBlocked(
    before: ReadonlyMap<number, Head>,
    now: ReadonlyMap<number, Head>,
  ): Promise<readonly string[]> {
    const blocked = await i.kept.query<{ number: number }>(
      "select number from pull_request where status = 'blocked' and status_code = 107 order by number",
    );
    const begun = blocked.filter(({ number }) => !wasBlocked.has(number));
    wasBlocked = new Set(blocked.map(({ number }) => number));
    const problems: string[] = [];
    for (const { number } of begun) {
      const heads = [before.get(number)?.head, now.get(number)?.head].filter((head) => head !== undefined);
      const [results] = await i.rows<{ failed: number; canceled: number }>(
        `select (count(*) filter (where ${isFailure}))::int as failed, (count(*) filter (where c.conclusion = 'cancelled'))::int as canceled
         from check_result c where c.commit = any($2) or c.commit in (
           select t.commit from batch b
           join lateral ${testedCommits} t on true
           where b.id in (select m.batch_id from batch_member m join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id where p.number = $1
                          union select a.batch_id from batch_assumption a join pull_request p on p.account_id = a.account_id and p.id = a.pull_request_id where p.number = $1))`,
        [number, heads],
      );
      // A check that was canceled again counts as failed.
      if (results?.failed === 0 && results.canceled < 2)
        problems.push(`#${number} is blocked by a failed check, and no check of it has failed.`);
    }
    return problems;
  }

  /**
   * A batch fails before the batch before it has landed only after an isolation build of its pull request was red. A
   * check that was canceled again counts as failed. The batch before it may have landed since, because much work goes on
   * between two calls in a window without faults.
   */
  async function lookAtFailedBehindOthers(): Promise<readonly string[]> {
    const failed = await i.kept.query<{ id: number }>(
      "select id::int as id from batch where state = 'failed' and side_build is null order by id",
    );
    const begun = failed.filter(({ id }) => !knownFailed.has(id)).map(({ id }) => id);
    if (begun.length === 0) return [];
    for (const id of begun) knownFailed.add(id);
    const rows = await i.rows<{ id: string; before: string }>(
      `select o.id, a.id as before from batch o join batch a on a.account_id = o.account_id and a.id = o.parent_batch_id
       where o.id = any($1) and (a.state in ('making', 'building', 'landing') or a.state = 'landed' and exists (
         select from event l join event f on f.account_id = l.account_id and f.id < l.id
         where l.account_id = a.account_id and l.batch_id = a.id and l.action = 'batch_merged'
           and f.batch_id = o.id and f.action = 'batch_failed')) and not exists (
         select from batch b join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
         join batch_member w on w.account_id = m.account_id and w.pull_request_id = m.pull_request_id and w.batch_id = o.id
         join lateral ${testedCommits} t on true
         join check_result c on c.account_id = b.account_id and c.repository_id = b.repository_id and c.commit = t.commit
         where b.side_build = 'isolation'
         having count(*) filter (where ${isFailure}) > 0 or count(*) filter (where c.conclusion = 'cancelled') > 1)
       order by o.id`,
      [begun],
    );
    return rows.map(
      ({ id, before }) => `Batch ${id} failed behind batch ${before}, and no isolation build of it was red.`,
    );
  }

  /** A pull request returns to the line after at most as many failures as the configuration allows. */
  async function lookAtReturned(): Promise<readonly string[]> {
    const rows = await i.kept.query<{ number: number; times: number }>(
      'select number, requeue_attempts as times from pull_request where requeue_attempts > 0 order by number',
    );
    return rows.flatMap(({ number, times }) =>
      times <= most ? [] : [`#${number} returned to the line ${times} times, and the configuration allows ${most}.`],
    );
  }

  return {
    look: async (before, now) => [
      ...(await lookAtBlocked(before, now)),
      ...(await lookAtFailedBehindOthers()),
      ...(await lookAtReturned()),
    ],
  };
}
