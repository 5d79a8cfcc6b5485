import { Ctx, Extensions, FieldResolver, Float, Resolver, Root } from 'type-graphql';
import { loadIfAny, loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import {
  assumedByBatch,
  batchById,
  botPullRequestOfBatch,
  checksOfCommit,
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
    description: 'The batch it assumes to land before it. Null: it was built on the tip of the base.',
  })
  async parent(@Ctx() ctx: GraphQLContext, @Root() { parentBatchId }: Batch): Promise<Batch | null> {
    return await loadIfAny(ctx, batchById, parentBatchId);
  }

  @FieldResolver(() => Batch, {
    nullable: true,
    description:
      'The batch that its members came from: the newest that ended before it without landing (bisected, failed or reset) and had its first member. Null: its members came from the line.',
  })
  async cameFrom(@Ctx() ctx: GraphQLContext, @Root() { id }: Batch): Promise<Batch | null> {
    return await loaderOf(ctx, earlierBatchOf).load(id);
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      'The probability that all of its members pass by themselves, from the history of the repository and their authors: more than 0, less than 1. Null once it has ended, and in the past.',
  })
  async successProbability(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<number | null> {
    return isLive(batch) ? await successProbabilityOfBatch(ctx, batch) : null;
  }

  @Extensions({ price: 40, once: 6_000 })
  @FieldResolver(() => MergeEta, {
    nullable: true,
    description:
      'When the last of its members is merged, by simulation. Null: it has ended or is shown as of the past, it is a PART or an ISOLATION, which land nothing, or no forecast is available now.',
  })
  async eta(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<MergeEta | null> {
    const lands = isLive(batch) && (batch.role === 'line' || batch.role === 'speculative');
    return lands ? await readBatchEta(ctx, batch) : null;
  }

  @FieldResolver(() => [PullRequest], {
    description:
      'The pull requests it is built on, on the assumption that they land first, in queue order. Empty if builds form a chain.',
  })
  async assumes(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<PullRequest[]> {
    return await loaderOf(ctx, assumedByBatch).load(batch.id);
  }

  @FieldResolver(() => BotPullRequest, {
    nullable: true,
    description: 'The bot pull request that validates it. Null before it is opened, and in serial mode.',
  })
  async botPullRequest(@Ctx() ctx: GraphQLContext, @Root() batch: Batch): Promise<BotPullRequest | null> {
    return await loaderOf(ctx, botPullRequestOfBatch).load(batch.id);
  }

  @FieldResolver(() => [Check], { description: 'What CI says about its commit: the newest attempt of each check.' })
  async checks(
    @Ctx() ctx: GraphQLContext,
    @Root() { repositoryId, testedCommit, commit, asOf }: Batch,
  ): Promise<Check[]> {
    const tested = testedCommit ?? commit;
    return tested === null
      ? []
      : await loaderOf(ctx, checksOfCommit).load({ repositoryId, commit: tested, at: asOf ?? null });
  }

  @FieldResolver(() => [FinalGate], { description: 'The final gates it was asked, in order.' })
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

/** Now: of the past there are no forecasts. */
function isLive({ state, asOf }: Batch): boolean {
  return asOf === undefined && liveStates.some((live) => live === state);
}
