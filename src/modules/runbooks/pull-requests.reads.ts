// The runbook that a pull request belongs to.
import DataLoader from 'dataloader';
import type { GraphQLContext } from '../../graphql/context.ts';
import { requireScope } from '../accounts/index.ts';

export interface PullRequestPlace {
  readonly repositoryId: string;
  readonly number: number;
}

/** The id of the runbook that opened it. Null: none did. */
export function runbookIdOfPullRequest(ctx: GraphQLContext): DataLoader<PullRequestPlace, string | null> {
  return new DataLoader(
    async (places) => {
      requireScope(ctx, 'runbook:write');
      const rows = await ctx.db.read<PullRequestPlace & { readonly runbookId: string }>(ctx.accountId, {
        name: 'runbooks_of_pull_requests',
        text: `select distinct on (r.repository_id, p.number) r.repository_id as "repositoryId", p.number, p.runbook_id as "runbookId"
               from unnest($2::bigint[], $3::integer[]) as asked (repository_id, number)
               join runbook_pull_request p on p.account_id = $1 and p.number = asked.number
               join runbook r on r.account_id = p.account_id and r.id = p.runbook_id and r.repository_id = asked.repository_id
               order by r.repository_id, p.number, p.id desc`,
        values: [ctx.accountId, places.map(({ repositoryId }) => repositoryId), places.map(({ number }) => number)],
      });
      const found = new Map(rows.map((row) => [keyOf(row), row.runbookId]));
      return places.map((place) => found.get(keyOf(place)) ?? null);
    },
    { cache: false },
  );
}

function keyOf({ repositoryId, number }: PullRequestPlace): string {
  return `${repositoryId}#${number}`;
}
