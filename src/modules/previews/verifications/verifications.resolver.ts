import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { notFound } from '../../../domain/errors.ts';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../../graphql/connection.ts';
import { loadIfAny, loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { rowIdOf } from '../../../graphql/node-id.ts';
import { pullRequestById } from '../../queue/index.ts';
import { PullRequest, PullRequestRefInput } from '../../queue/api/pull-requests.types.ts';
import { Repository } from '../../repositories/repositories.types.ts';
import { registrationById } from '../registrations/registrations.reads.ts';
import { PreviewRegistration } from '../registrations/registrations.types.ts';
import {
  newestVerification,
  previewOf,
  readSteps,
  readVerifications,
  readVerificationsOfRepository,
  verificationById,
} from './verifications.reads.ts';
import { cancelVerification, verifyPullRequest } from './verifications.service.ts';
import {
  CancelVerificationInput,
  Preview,
  Verification,
  VerificationConnection,
  VerificationPayload,
  type VerificationStep,
  VerificationStepConnection,
} from './verifications.types.ts';

const pageSize = 20;
const stepsPageSize = 50;

@Resolver(() => PullRequest)
export class PullRequestVerificationsResolver {
  @FieldResolver(() => Verification, {
    nullable: true,
    description:
      'The newest verification of the pull request, of its present or an earlier head. Null: there is none. Needs queue:read.',
  })
  async verification(@Ctx() ctx: GraphQLContext, @Root() { id }: PullRequest): Promise<Verification | null> {
    return await loaderOf(ctx, newestVerification).load(id);
  }

  @FieldResolver(() => VerificationConnection, {
    description:
      'The verifications of the pull request, and of other pull requests with the same head, newest first. Needs queue:read.',
  })
  async verifications(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: PullRequest,
    @PageArgs(20) request: PageRequest,
  ): Promise<Connection<Verification>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readVerifications(ctx, id, { size: page.size, before: rowId(page) });
    return toConnection(rows, page.size, { node: (row) => row, key: (row) => [row.id] });
  }
}

@Resolver(() => Repository)
export class RepositoryVerificationsResolver {
  @FieldResolver(() => VerificationConnection, {
    description: 'The verifications of all pull requests of the repository, newest first. Needs queue:read.',
  })
  async verifications(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Repository,
    @PageArgs(20) request: PageRequest,
  ): Promise<Connection<Verification>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readVerificationsOfRepository(ctx, id, { size: page.size, before: rowId(page) });
    return toConnection(rows, page.size, { node: (row) => row, key: (row) => [row.id] });
  }
}

@Resolver(() => Verification)
export class VerificationsResolver {
  @FieldResolver(() => Preview, {
    nullable: true,
    description: 'The preview that the verification tests. Null: it tests none, or Interlock has not decided yet.',
  })
  preview(@Ctx() ctx: GraphQLContext, @Root() verification: Verification): Preview | null {
    return previewOf(ctx, verification);
  }

  @FieldResolver(() => PullRequest, { description: 'The pull request that the verification was started for.' })
  async pullRequest(@Ctx() ctx: GraphQLContext, @Root() { pullRequestId }: Verification): Promise<PullRequest | null> {
    return await loaderOf(ctx, pullRequestById).load(pullRequestId);
  }

  @FieldResolver(() => PreviewRegistration, {
    nullable: true,
    description: 'The registration of the preview. Null: CI has registered no preview, or the preview is a sandbox.',
  })
  async registration(
    @Ctx() ctx: GraphQLContext,
    @Root() { registrationId }: Verification,
  ): Promise<PreviewRegistration | null> {
    return await loadIfAny(ctx, registrationById, registrationId);
  }

  @FieldResolver(() => VerificationStepConnection, { description: 'The steps with their results, in order.' })
  async steps(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Verification,
    @PageArgs(50) request: PageRequest,
  ): Promise<Connection<VerificationStep>> {
    const page = readPage(request, { size: stepsPageSize, keyLength: 1 });
    const from = page.after === null ? 0 : Number(rowId(page));
    const rows = await readSteps(ctx, id, { size: page.size, after: Math.min(from, 2 ** 31 - 1) });
    return toConnection(rows, page.size, { node: (row) => row, key: ({ ordinal }) => [ordinal] });
  }

  @Mutation(() => VerificationPayload, {
    description:
      'Verifies the head of an open pull request again. If a verification of this head is running, returns that verification. Needs queue:write.',
  })
  async verifyPullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PullRequestRefInput) input: PullRequestRefInput,
  ): Promise<VerificationPayload> {
    return await payloadOf(ctx, await verifyPullRequest(ctx, input));
  }

  @Mutation(() => VerificationPayload, {
    description: 'Cancels a verification. The sandbox is torn down first. Needs queue:write.',
  })
  async cancelVerification(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CancelVerificationInput) input: CancelVerificationInput,
  ): Promise<VerificationPayload> {
    const id = rowIdOf('Verification', input.id);
    await cancelVerification(ctx, id);
    return await payloadOf(ctx, id);
  }
}

async function payloadOf(ctx: GraphQLContext, id: string): Promise<VerificationPayload> {
  const verification = await loaderOf(ctx, verificationById).load(id);
  if (verification === null) throw notFound('Verification');
  return { verification };
}
