import { Arg, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root, Extensions } from 'type-graphql';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../graphql/connection.ts';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { Repository } from '../repositories/repositories.types.ts';
import {
  countRunbooks,
  loadRunbook,
  promptsOfRunbook,
  readRunbook,
  readRunbooks,
  repositoryOfRunbook,
  turnsOfRunbook,
  searchRunbooks,
} from './runbooks.reads.ts';
import { continueRunbook, createRunbook } from './runbooks.service.ts';
import {
  ContinueRunbookInput,
  CreateRunbookInput,
  Runbook,
  RunbookConnection,
  RunbookCost,
  RunbookFilter,
  RunbookPayload,
  RunbookPrompt,
} from './runbooks.types.ts';
import { hasScope } from '../accounts/index.ts';
import { numberOf, patternsOf } from '../repositories/index.ts';
import { Search } from '../repositories/search.types.ts';

const pageSize = 20;

@Resolver(() => Repository)
export class RepositoryRunbooksResolver {
  @FieldResolver(() => RunbookConnection, {
    description: 'The runbooks of the repository, newest first. Needs runbook:write.',
  })
  async runbooks(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Repository,
    @Arg('filter', () => RunbookFilter, { nullable: true, description: 'Which runbooks to list.' })
    filter: RunbookFilter | null,
    @PageArgs(20) request: PageRequest,
  ): Promise<Connection<Runbook>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const statuses = filter?.statuses ?? null;
    const rows = await readRunbooks(ctx, id, { size: page.size, before: rowId(page), statuses });
    return toConnection(rows, page.size, {
      node: (row): Runbook => row,
      key: (row) => [row.id],
      totalCount: async () => await countRunbooks(ctx, id, statuses),
    });
  }
}

@Resolver(() => RunbookCost)
export class RunbookCostResolver {
  @FieldResolver(() => Int, { description: "The number of the agent's turns, including turns of planning." })
  async turns(@Ctx() ctx: GraphQLContext, @Root() { runbookId }: RunbookCost): Promise<number> {
    return await loaderOf(ctx, turnsOfRunbook).load(runbookId);
  }
}

@Resolver(() => Runbook)
export class RunbooksResolver {
  @Query(() => Runbook, {
    nullable: true,
    description:
      'A runbook by its number. Null: the account has no runbook with this number (interface 4.9). Needs runbook:write.',
  })
  async runbook(
    @Ctx() ctx: GraphQLContext,
    @Arg('number', () => Int, { description: 'The number of the runbook, from 1.' }) number: number,
  ): Promise<Runbook | null> {
    return await readRunbook(ctx, number);
  }

  @FieldResolver(() => Repository, { description: 'The repository that the runbook works in.' })
  async repository(@Ctx() ctx: GraphQLContext, @Root() { repositoryId }: Runbook): Promise<Repository> {
    return await loaderOf(ctx, repositoryOfRunbook).load(repositoryId);
  }

  @FieldResolver(() => [RunbookPrompt], { description: 'The first prompt and the follow-up prompts, in their order.' })
  async prompts(@Ctx() ctx: GraphQLContext, @Root() { id }: Runbook): Promise<RunbookPrompt[]> {
    return await loaderOf(ctx, promptsOfRunbook).load(id);
  }

  @Mutation(() => RunbookPayload, {
    description:
      'Creates a runbook: an agent plans steps for the prompt and carries them out (interface 4.9). Needs runbook:write.',
  })
  async createRunbook(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateRunbookInput) input: CreateRunbookInput,
  ): Promise<RunbookPayload> {
    return { runbook: await loadRunbook(ctx, await createRunbook(ctx, input)) };
  }

  @Mutation(() => RunbookPayload, {
    description:
      'Adds a prompt to a runbook at any time. The steps for this prompt come after the existing steps (interface 4.9). Needs runbook:write.',
  })
  async continueRunbook(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => ContinueRunbookInput) input: ContinueRunbookInput,
  ): Promise<RunbookPayload> {
    await continueRunbook(ctx, input);
    return { runbook: await loadRunbook(ctx, input.number) };
  }
}

/**
 * The greatest number of runbooks that a search reads in all repositories together. It reads an equal number of the
 * newest runbooks of each repository.
 */
const maxSearched = 1_000;

@Resolver(() => Search)
export class SearchRunbooksResolver {
  @Extensions({ price: 500, rows: 10 })
  @FieldResolver(() => [Runbook], {
    nullable: true,
    description:
      'Runbooks whose number and title contain all words. A runbook whose number is the text comes first, then the newest. About 1,000 runbooks are searched: an equal number of the newest runbooks of each repository. Null without runbook:write.',
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
      each: Math.ceil(maxSearched / Math.max(1, repositories.length)),
    });
  }
}
