import { Arg, Ctx, Extensions, Mutation, Query, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { eraseAccount, eraseRepository, listErasures, type ErasureAnswer } from './erasure.service.ts';
import { EraseAccountInput, ErasePayload, EraseRepositoryInput, Erasure } from './erasure.types.ts';

@Resolver(() => Erasure)
export class ErasureResolver {
  @Extensions({ rows: 100 })
  @Query(() => [Erasure], {
    description: 'The newest 100 erasures of repositories of the account, newest first. Needs admin.',
  })
  async erasures(@Ctx() ctx: GraphQLContext): Promise<readonly Erasure[]> {
    return await listErasures(ctx);
  }

  @Mutation(() => ErasePayload, {
    description:
      'Erases a repository with its landings, proofs and history. Running work is asked to stop at once, and the rows are deleted a minute later. Another repository can get the name at once. An erasure cannot be undone; `deleteRepository` keeps the history. A repetition returns the record of the first erasure. Needs admin.',
  })
  async eraseRepository(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => EraseRepositoryInput) { repository, confirm, preview }: EraseRepositoryInput,
  ): Promise<ErasureAnswer> {
    return await eraseRepository(ctx, repository, { preview, confirm: confirm ?? null });
  }

  @Mutation(() => ErasePayload, {
    description:
      'Erases the account with its users, tokens, repositories and audit log. All tokens and sessions end at once, and the rows are deleted a minute later. An erasure cannot be undone. Needs admin.',
  })
  async eraseAccount(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => EraseAccountInput) { confirm, preview }: EraseAccountInput,
  ): Promise<ErasureAnswer> {
    return await eraseAccount(ctx, { preview, confirm: confirm ?? null });
  }
}
