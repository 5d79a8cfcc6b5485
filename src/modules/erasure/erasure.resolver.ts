import { Arg, Ctx, Extensions, Mutation, Query, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { eraseAccount, eraseRepository, listErasures, type ErasureAnswer } from './erasure.service.ts';
import { EraseAccountInput, ErasePayload, EraseRepositoryInput, Erasure } from './erasure.types.ts';

@Resolver(() => Erasure)
export class ErasureResolver {
  @Extensions({ rows: 100 })
  @Query(() => [Erasure], {
    description: 'The newest hundred repositories of the account that were erased, newest first. Needs admin.',
  })
  async erasures(@Ctx() ctx: GraphQLContext): Promise<readonly Erasure[]> {
    return await listErasures(ctx);
  }

  @Mutation(() => ErasePayload, {
    description:
      'Erases a repository with its landings, proofs and history. It stops what runs, frees the name at once, and deletes the rows a minute later. It cannot be taken back: `deleteRepository` keeps the history. Again, it answers the record of the first time. Needs admin.',
  })
  async eraseRepository(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => EraseRepositoryInput) { repository, confirm, preview }: EraseRepositoryInput,
  ): Promise<ErasureAnswer> {
    return await eraseRepository(ctx, repository, { preview, confirm: confirm ?? null });
  }

  @Mutation(() => ErasePayload, {
    description:
      'Erases the account with its users, tokens, repositories and audit log. All tokens and sessions end with the answer, and the rows are deleted a minute later. It cannot be taken back. Needs admin.',
  })
  async eraseAccount(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => EraseAccountInput) { confirm, preview }: EraseAccountInput,
  ): Promise<ErasureAnswer> {
    return await eraseAccount(ctx, { preview, confirm: confirm ?? null });
  }
}
