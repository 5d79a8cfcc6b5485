// Runbooks by words: the newest ones are looked through, and one of a number is found by its index.
import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { hasScope } from '../accounts/index.ts';
import { numberOf, patternsOf } from '../repositories/index.ts';
import { Search } from '../repositories/search.types.ts';
import { searchRunbooks } from './runbooks.reads.ts';
import { Runbook } from './runbooks.types.ts';

/** In all repositories together. */
const mostLookedThrough = 1_000;

@Resolver(() => Search)
export class SearchRunbooksResolver {
  @Extensions({ price: 500, rows: 10 })
  @FieldResolver(() => [Runbook], {
    nullable: true,
    description:
      'Runbooks whose number and title have each word: the one of that number first, then the newest, among the 1,000 newest. Null without runbook:write.',
  })
  async runbooks(
    @Ctx() ctx: GraphQLContext,
    @Root() { repositories, text, words, first }: Search,
  ): Promise<Runbook[] | null> {
    if (!hasScope(ctx, 'runbook:write')) return null;
    return await searchRunbooks(ctx, {
      repositoryIds: repositories.map(({ id }) => id),
      patterns: patternsOf(words),
      number: numberOf(text),
      first,
      each: Math.ceil(mostLookedThrough / Math.max(1, repositories.length)),
    });
  }
}
