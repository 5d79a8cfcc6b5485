// Estimates the success probability of a pull request or a batch for users, from the records that the planner uses.
import DataLoader from 'dataloader';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { requireScope } from '../../accounts/index.ts';
import { loadPastResults, successProbabilityBy, type RepositoryResults } from '../facts/past-results.ts';
import { membersOfBatch } from './batches.reads.ts';
import type { Batch } from './batches.types.ts';
import type { PullRequest } from './pull-requests.types.ts';

/** The past results, by id of the repository. The results are read once for all pull requests of a repository. */
function pastResults(ctx: GraphQLContext): DataLoader<string, RepositoryResults> {
  return new DataLoader(
    async (repositoryIds) => {
      requireScope(ctx, 'queue:read');
      const found = new Map<string, RepositoryResults>();
      for (const id of new Set(repositoryIds))
        found.set(id, await ctx.db.transaction(ctx.accountId, async (tx) => await loadPastResults(ctx, tx, id)));
      return repositoryIds.map(
        (id) => found.get(id) ?? new Error(`The repository ${id} has no results of earlier builds.`),
      );
    },
    { cache: false },
  );
}

export async function successProbabilityOf(
  ctx: GraphQLContext,
  { repositoryId, author }: Pick<PullRequest, 'repositoryId' | 'author'>,
): Promise<number> {
  return successProbabilityBy(await loaderOf(ctx, pastResults).load(repositoryId), author);
}

/** The probability that every member of the batch is green without the others. */
export async function successProbabilityOfBatch(
  ctx: GraphQLContext,
  { id, repositoryId }: Pick<Batch, 'id' | 'repositoryId'>,
): Promise<number> {
  const [members, records] = await Promise.all([
    loaderOf(ctx, membersOfBatch).load(id),
    loaderOf(ctx, pastResults).load(repositoryId),
  ]);
  return members.reduce((all, { pullRequest }) => all * successProbabilityBy(records, pullRequest.author), 1);
}
