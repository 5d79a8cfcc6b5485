// Finds the front of a long line. Explanations and forecasts of the front do not depend on the pull requests behind it,
// except for these, which are read too:
//   - those that skip the line, because their places are at the front;
//   - members and assumed pull requests of live batches, and all pull requests before them;
//   - those directly above a pull request of the front in a stack, and all below it;
//   - those with a head that the front is known to conflict with, or with the head of a member of a live batch;
//   - those whose head has a build with the tree of a live batch;
//   - the next ones behind the front, as many as may share a build with its last pull request.
import type { Context } from '../../../context.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type { Transaction } from '../../../platform/database.ts';

interface Front {
  /** The ids of the pull requests that are read. */
  readonly ids: readonly string[];
  /** The rank of the first pull request that is not covered any more. Pull requests that skip the line are covered. */
  readonly coveredTo: number;
}

interface FrontOf {
  readonly queueId: string;
  readonly repositoryId: string;
  readonly rules: Pick<QueueRules, 'batchSize'>;
  /** How many pull requests are covered: explanations and forecasts of these are the same as with the whole line. */
  readonly size: number;
  /** Heads whose pull requests are read too. */
  readonly heads: readonly string[];
}

const isInLine = "p.account_id = $1 and p.queue_id = $2 and p.status in ('queued', 'tagged')";

/** Null: the line is so short that it is read whole. */
export async function findFront(ctx: Context, tx: Transaction, of: FrontOf): Promise<Front | null> {
  const { queueId, repositoryId, rules, size, heads } = of;
  const [front] = await tx.query<Front>(
    `with recursive ends as materialized (
       select (select rank from pull_request p where ${isInLine} order by rank offset $4 limit 1) as covered,
              (select rank from pull_request p where ${isInLine} order by rank offset $5 limit 1) as read),
     live as materialized (
       select id, tree from batch where account_id = $1 and queue_id = $2 and state in ('making', 'building', 'landing')),
     built as materialized (
       select max(rank) as last from pull_request p where ${isInLine} and p.id in (
         select m.pull_request_id from live join batch_member m on m.account_id = $1 and m.batch_id = live.id
         union select a.pull_request_id from live join batch_assumption a on a.account_id = $1 and a.batch_id = live.id)),
     front as materialized (
       select id, below_id, conflict_after from pull_request p where ${isInLine} and rank <= (select greatest(read, last) from ends, built)
       union select id, below_id, conflict_after from pull_request p where ${isInLine} and p.skip_line),
     below as (
       select below_id as id from front where below_id is not null
       union select p.below_id from below join pull_request p on p.account_id = $1 and p.id = below.id where p.below_id is not null),
     needed as (
       select p.id from front join pull_request p on p.account_id = $1 and p.below_id = front.id
       union select id from below
       union select p.id from pull_request p where p.account_id = $1 and p.repository_id = $3 and p.head_sha = any(array(
         select unnest($6::text[]) union select unnest(conflict_after) from front
         union select b.commit from live join build b on b.account_id = $1 and b.repository_id = $3 and b.tree = live.tree)))
     select covered::float8 as "coveredTo", array(
       select id::text from front
       union select p.id::text from needed join pull_request p on ${isInLine} and p.id = needed.id) as ids
     from ends where read is not null`,
    [ctx.accountId, queueId, repositoryId, size, size + 2 * rules.batchSize + 2, heads],
  );
  return front ?? null;
}
