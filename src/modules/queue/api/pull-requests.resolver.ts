import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Extensions, FieldResolver, Float, Info, Int, Mutation, Resolver, Root } from 'type-graphql';
import { DomainError } from '../../../domain/errors.ts';
import { isTerminal } from '../../../domain/queue/model/status.ts';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../../graphql/connection.ts';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import { Repository } from '../../repositories/repositories.types.ts';
import {
  checksOfCommit,
  landedBatchOf,
  latestBotPullRequest,
  readBatchesOf,
  readBotPullRequest,
  statusCheckOf,
} from './batches.reads.ts';
import { Batch, BatchConnection, Check } from './batches.types.ts';
import { closePullRequest, reopenPullRequest, openPullRequest } from '../requests/host-pull-requests.service.ts';
import {
  dequeuePullRequest,
  previewDequeueing,
  previewQueueing,
  queuePullRequest,
  updatePullRequest,
} from '../requests/queue.service.ts';
import { previewBuildRetry, retryBuild } from '../requests/resetting.service.ts';
import { approvePullRequest } from '../requests/conversations.service.ts';
import { explanationOf } from './explanation.ts';
import { Explanation } from './explain.types.ts';
import { widthOf } from './pull-requests.columns.ts';
import {
  countPullRequests,
  placeInLine,
  readPullRequestByHead,
  readPullRequestByNumber,
  readPullRequests,
  readQueuedPullRequests,
} from './pull-requests.reads.ts';
import {
  DequeuePullRequestInput,
  RetryBuildInput,
  OpenPullRequestInput,
  PullRequest,
  PullRequestConnection,
  PullRequestFilter,
  PullRequestPayload,
  PullRequestRefInput,
  QueuePullRequestInput,
  ReviewPullRequestInput,
  UpdatePullRequestInput,
} from './pull-requests.types.ts';
import { BotPullRequest } from './bot-pull-requests.types.ts';
import { successProbabilityOf } from './success-probability.reads.ts';
import { previewPayload, payload } from './pull-requests.payloads.ts';

const pageSize = 50;
const longestText = 200;

function searchWordsOf(text: string): readonly string[] {
  if (text.length > longestText)
    throw new DomainError('BAD_INPUT', `filter.text must have at most ${longestText} characters`, 'filter.text');
  return text.split(/\s+/).filter((word) => word !== '');
}

@Resolver(() => Repository)
export class RepositoryPullRequestsResolver {
  @FieldResolver(() => PullRequest, {
    nullable: true,
    description:
      'A pull request, given its number or its head branch. For a head branch it is the open pull request, or the newest one if none is open. Null if there is none.',
  })
  async pullRequest(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @Info() info: GraphQLResolveInfo,
    @Arg('number', () => Int, { nullable: true, description: 'Its number.' }) number: number | null,
    @Arg('headBranch', () => String, { nullable: true, description: 'The branch it merges.' }) headBranch:
      | string
      | null,
  ): Promise<PullRequest | null> {
    const byNumber = typeof number === 'number';
    if (byNumber === (typeof headBranch === 'string'))
      throw new DomainError('BAD_INPUT', 'Give either number or headBranch', 'number');
    return byNumber
      ? await readPullRequestByNumber(ctx, repository, { number, width: widthOf(info) })
      : await readPullRequestByHead(ctx, repository, headBranch ?? '');
  }

  @FieldResolver(() => PullRequestConnection, { description: 'Its pull requests, newest first.' })
  async pullRequests(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @Arg('filter', () => PullRequestFilter, {
      nullable: true,
      description: 'Which pull requests to list. All if not given.',
    })
    filter: PullRequestFilter | null,
    @PageArgs(50) request: PageRequest,
  ): Promise<Connection<PullRequest>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const wanted = {
      statuses: filter?.statuses ?? null,
      baseBranch: filter?.baseBranch ?? null,
      author: filter?.author ?? null,
      words: searchWordsOf(filter?.text ?? ''),
    };
    const rows = await readPullRequests(ctx, repository, { size: page.size, before: rowId(page), ...wanted });
    return toConnection(rows, page.size, {
      node: (row) => row,
      key: (row) => [row.id],
      totalCount: async () => await countPullRequests(ctx, repository, wanted),
    });
  }

  @Extensions({ rows: 50 })
  @FieldResolver(() => [PullRequest], { description: 'All of its queued and tagged pull requests, in queue order.' })
  async queuedPullRequests(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @Info() info: GraphQLResolveInfo,
    @Arg('baseBranch', () => String, { nullable: true, description: 'Only pull requests that merge into this branch.' })
    baseBranch: string | null,
  ): Promise<PullRequest[]> {
    return await readQueuedPullRequests(ctx, repository, {
      baseBranch: baseBranch ?? null,
      width: widthOf(info),
    });
  }

  @FieldResolver(() => BotPullRequest, {
    nullable: true,
    description: 'A bot pull request by its number. Null when there is none.',
  })
  async botPullRequest(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @Arg('number', () => Int, { description: 'Its number.' }) number: number,
  ): Promise<BotPullRequest | null> {
    return await readBotPullRequest(ctx, repository, number);
  }
}

@Resolver(() => PullRequest)
export class PullRequestsResolver {
  @FieldResolver(() => Int, {
    nullable: true,
    description: 'Its place in line, counted from 1. Null unless queued or tagged.',
  })
  async position(@Ctx() ctx: GraphQLContext, @Root() pullRequest: PullRequest): Promise<number | null> {
    if (pullRequest.past) return pullRequest.past.position;
    const ahead = pullRequest.queued ? await loaderOf(ctx, placeInLine).load(pullRequest.id) : null;
    return ahead === null ? null : ahead + 1;
  }

  @Extensions({ price: 3_000 })
  @FieldResolver(() => Explanation, {
    description: 'Why it is not merged yet, who must act, and every condition that must hold (interface 3.1).',
  })
  async explain(
    @Ctx() ctx: GraphQLContext,
    @Root() pullRequest: PullRequest,
    @Arg('asOf', () => DateTime, {
      nullable: true,
      description:
        'The instant in the past to explain. If not given, it is the instant as of which the queue was requested, or now.',
    })
    asOf: Date | null | undefined,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Explanation> {
    return await explanationOf(ctx, pullRequest, { asOf: asOf ?? pullRequest.past?.at ?? null, info });
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      'The probability that it is green, estimated from earlier pull requests of its repository and its author: more than 0, less than 1. Null once it is merged or closed.',
  })
  async successProbability(@Ctx() ctx: GraphQLContext, @Root() pullRequest: PullRequest): Promise<number | null> {
    return isTerminal(pullRequest.status) ? null : await successProbabilityOf(ctx, pullRequest);
  }

  @FieldResolver(() => [Check], {
    description:
      "The newest attempt of each check of CI on its head commit. The last one is the queue's own check `interlock` (publish_status_check), which is never required. For an instant in the past, this check is left out, because it has no history.",
  })
  async checks(
    @Ctx() ctx: GraphQLContext,
    @Root() { id, repositoryId, headCommitSha: commit, past }: PullRequest,
  ): Promise<Check[]> {
    if (past) return await loaderOf(ctx, checksOfCommit).load({ repositoryId, commit, at: past.at });
    const [checks, statusCheck] = await Promise.all([
      loaderOf(ctx, checksOfCommit).load({ repositoryId, commit }),
      loaderOf(ctx, statusCheckOf).load(id),
    ]);
    return statusCheck === null ? checks : [...checks, statusCheck];
  }

  @FieldResolver(() => BotPullRequest, {
    nullable: true,
    description: 'The newest bot pull request that validates or validated it. Null when none was made.',
  })
  async latestBotPullRequest(
    @Ctx() ctx: GraphQLContext,
    @Root() pullRequest: PullRequest,
  ): Promise<BotPullRequest | null> {
    return pullRequest.latestBot === undefined
      ? await loaderOf(ctx, latestBotPullRequest).load(pullRequest)
      : pullRequest.latestBot;
  }

  @FieldResolver(() => Batch, {
    nullable: true,
    description:
      'The batch with which it landed, with its proof. Null: it is not merged, or was merged outside the queue.',
  })
  async landedBatch(@Ctx() ctx: GraphQLContext, @Root() { id }: PullRequest): Promise<Batch | null> {
    return await loaderOf(ctx, landedBatchOf).load(id);
  }

  @FieldResolver(() => BatchConnection, { description: 'The batches it was part of, newest first.' })
  async batches(
    @Ctx() ctx: GraphQLContext,
    @Root() pullRequest: PullRequest,
    @PageArgs(10) request: PageRequest,
  ): Promise<Connection<Batch>> {
    const page = readPage(request, { size: 10, keyLength: 1 });
    const rows = await readBatchesOf(ctx, pullRequest.id, { size: page.size, before: rowId(page) });
    return toConnection(rows, page.size, { node: (row) => row, key: (row) => [row.id] });
  }

  @Mutation(() => PullRequestPayload, {
    description: 'Opens a pull request in a repository of the local host. Needs queue:write.',
  })
  async openPullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => OpenPullRequestInput) input: OpenPullRequestInput,
  ): Promise<PullRequestPayload> {
    return await payload(ctx, await openPullRequest(ctx, input));
  }

  @Mutation(() => PullRequestPayload, {
    description:
      'Closes a pull request of a repository of the local host: it leaves the queue, and its preview ends. Closing a closed pull request changes nothing. Refused if it is merged or its landing has started. Needs queue:write.',
  })
  async closePullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PullRequestRefInput) input: PullRequestRefInput,
  ): Promise<PullRequestPayload> {
    return await payload(ctx, await closePullRequest(ctx, input));
  }

  @Mutation(() => PullRequestPayload, {
    description:
      'Reopens a closed pull request of a repository of the local host. It is not queued again. Reopening an open pull request changes nothing. Refused if it is merged or one of its branches does not exist. Needs queue:write.',
  })
  async reopenPullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PullRequestRefInput) input: PullRequestRefInput,
  ): Promise<PullRequestPayload> {
    return await payload(ctx, await reopenPullRequest(ctx, input));
  }

  @Mutation(() => PullRequestPayload, {
    description:
      'Requests the merge of a pull request (interface 4.3). A repeated request changes nothing. Needs queue:write.',
  })
  async queuePullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => QueuePullRequestInput) input: QueuePullRequestInput,
  ): Promise<PullRequestPayload> {
    const request = Object.assign(input, { source: ctx.source });
    return input.preview
      ? await previewPayload(ctx, await previewQueueing(ctx, request))
      : await payload(ctx, await queuePullRequest(ctx, request));
  }

  @Mutation(() => PullRequestPayload, {
    description:
      'Stores targets, message or head of a pull request, or reports a merge outside the queue (interface 4.3). Needs queue:write.',
  })
  async updatePullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => UpdatePullRequestInput) input: UpdatePullRequestInput,
  ): Promise<PullRequestPayload> {
    return await payload(ctx, await updatePullRequest(ctx, input));
  }

  @Mutation(() => PullRequestPayload, {
    description: 'Takes a pull request out of the queue and clears its options (interface 3.1). Needs queue:write.',
  })
  async dequeuePullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => DequeuePullRequestInput) input: DequeuePullRequestInput,
  ): Promise<PullRequestPayload> {
    return input.preview
      ? await previewPayload(ctx, await previewDequeueing(ctx, input))
      : await payload(ctx, await dequeuePullRequest(ctx, input));
  }

  @Mutation(() => PullRequestPayload, {
    description:
      'Makes the running build of a pull request again, and every build made on it (interface 6.1, code 300). This helps if a build hangs, or after CI was repaired. Pull requests keep their places. Refused with CONFLICT if it has no running build or the queue is halted, and with LANDING_IN_PROGRESS during a landing. Needs queue:write.',
  })
  async retryBuild(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RetryBuildInput) input: RetryBuildInput,
  ): Promise<PullRequestPayload> {
    return input.preview
      ? await previewPayload(ctx, await previewBuildRetry(ctx, input))
      : await payload(ctx, await retryBuild(ctx, input));
  }

  @Mutation(() => PullRequestPayload, {
    description:
      "Reviews a pull request of a repository of the local host. Its authors cannot review it. They are the user who opened it and, if a runbook made it, the runbook's named author and everybody who prompted the runbook. Needs queue:write.",
  })
  async reviewPullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => ReviewPullRequestInput) input: ReviewPullRequestInput,
  ): Promise<PullRequestPayload> {
    return await payload(ctx, await approvePullRequest(ctx, input));
  }
}
