import { Ctx, Extensions, FieldResolver, Float, Resolver, Root } from 'type-graphql';
import { loadIfAny, loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import {
  assumedByBatch,
  batchById,
  botPullRequestOfBatch,
  checksOfCommit,
  evidenceOfBatch,
  earlierBatchOf,
  finalGatesOfBatch,
  membersOfBatch,
  proofOfBatch,
} from './batches.reads.ts';
import { Batch, BatchMember, Check, FinalGate, Proof } from './batches.types.ts';
import { readBatchEta } from './forecast.resolver.ts';
import { MergeEta } from './forecast.types.ts';
import { liveStates } from '../store/batch.rows.ts';
import { PullRequest } from './pull-requests.types.ts';
import { successProbabilityOfBatch } from './success-probability.reads.ts';
import { BotPullRequest } from './bot-pull-requests.types.ts';

@Resolver(() => Batch)
export class BatchesResolver {
  @FieldResolver(() => [BatchMember], { description: 'Its pull requests in queue order.' })
  async members(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<BatchMember[]> {
    return await loaderOf(ctx, membersOfBatch).load(batch.id);
  }

  @FieldResolver(() => Batch, {
    nullable: true,
    description:
      'The batch on which it is built, and which must land before it. Null: it is not built on another batch.',
  })
  async parent(@Ctx() ctx: GraphQLContext, @Root() { parentBatchId }: Batch): Promise<Batch | null> {
    return await loadIfAny(ctx, batchById, parentBatchId);
  }

  @FieldResolver(() => Batch, {
    nullable: true,
    description:
      'The newest earlier batch of its first member that ended without landing: it was bisected, failed or reset. Null: there is none.',
  })
  async cameFrom(@Ctx() ctx: GraphQLContext, @Root() { id }: Batch): Promise<Batch | null> {
    return await loaderOf(ctx, earlierBatchOf).load(id);
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      'The probability that all of its members are green, estimated from earlier pull requests of the repository and the authors: more than 0, less than 1. Null once it has ended, and in the past.',
  })
  async successProbability(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<number | null> {
    return isLive(batch) ? await successProbabilityOfBatch(ctx, batch) : null;
  }

  @Extensions({ price: 40, once: 6_000 })
  @FieldResolver(() => MergeEta, {
    nullable: true,
    description:
      'When the last of its members will be merged, by simulation. Null if it has ended, for an instant in the past, for a PART or an ISOLATION, which never land, and if there is no forecast now.',
  })
  async eta(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<MergeEta | null> {
    const lands = isLive(batch) && (batch.role === 'line' || batch.role === 'speculative');
    return lands ? await readBatchEta(ctx, batch) : null;
  }

  @FieldResolver(() => [PullRequest], {
    description:
      'The pull requests that it contains besides its members, because it assumes that they land first, in queue order. Empty unless it is speculative.',
  })
  async assumes(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<PullRequest[]> {
    return await loaderOf(ctx, assumedByBatch).load(batch.id);
  }

  @FieldResolver(() => BotPullRequest, {
    nullable: true,
    description:
      'The bot pull request that validates it. Null before one is opened, and if the batch needs none, for example in serial mode.',
  })
  async botPullRequest(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<BotPullRequest | null> {
    return await loaderOf(ctx, botPullRequestOfBatch).load(batch.id);
  }

  @FieldResolver(() => [Check], {
    description:
      'The newest attempt of each check of CI on its commit. If it landed by builds of other commits, such as the build of another batch, the checks of these commits.',
  })
  async checks(
    @Ctx() ctx: GraphQLContext,
    @Root() { id, repositoryId, testedCommit, commit, grade, asOf }: Batch,
  ): Promise<Check[]> {
    const proving = grade === null ? [] : await loaderOf(ctx, evidenceOfBatch).load(id);
    const tested = testedCommit ?? commit;
    const commits = proving.length > 0 ? proving.map((each) => each.commit) : tested === null ? [] : [tested];
    const loader = loaderOf(ctx, checksOfCommit);
    return (
      await Promise.all(
        commits.map(async (each) => await loader.load({ repositoryId, commit: each, at: asOf ?? null })),
      )
    ).flat();
  }

  @FieldResolver(() => [FinalGate], { description: 'Its final gates, in the order in which they were planned.' })
  async finalGates(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<FinalGate[]> {
    return await loaderOf(ctx, finalGatesOfBatch).load(batch.id);
  }

  @FieldResolver(() => Proof, {
    nullable: true,
    description: 'The proof of its landing. Null until it landed.',
  })
  async proof(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<Proof | null> {
    return batch.grade === null ? null : await loaderOf(ctx, proofOfBatch).load(batch.id);
  }
}

@Resolver(() => BotPullRequest)
export class BotPullRequestsResolver {
  @FieldResolver(() => [PullRequest], { description: 'The pull requests it validates, in queue order.' })
  async pullRequests(@Ctx() ctx: GraphQLContext, @Root() { batchId }: BotPullRequest): Promise<PullRequest[]> {
    return (await loaderOf(ctx, membersOfBatch).load(batchId)).map(({ pullRequest }) => pullRequest);
  }

  @FieldResolver(() => Batch, { description: 'The batch it validates.' })
  async batch(@Ctx() ctx: GraphQLContext, @Root() { batchId }: BotPullRequest): Promise<Batch | null> {
    return await loaderOf(ctx, batchById).load(batchId);
  }
}

/** Whether the batch is live now. There are no forecasts for the past. */
function isLive({ state, asOf }: Batch): boolean {
  return asOf === undefined && liveStates.some((live) => live === state);
}
