import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Extensions, FieldResolver, Info, Int, Mutation, Resolver, Root } from 'type-graphql';
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
import type { Cause } from '../../../domain/queue/explain/condition.ts';
import type { Pause } from '../../../domain/queue/requests/pause.ts';
import type { Transaction } from '../../../platform/database.ts';
import { readHaltCause, readPauseCause, type GatesOf } from './as-of.gates.ts';
import { readPastBatches, readPastLine, readQueueAsOf } from './past-queue.reads.ts';
import { QueuePause } from '../../repositories/branch-pauses.types.ts';
import { Frozen, toFrozenNode } from '../../repositories/freezes.types.ts';
import { readBranchFreezeInForce, readPause } from '../../repositories/index.ts';
import {
  Repository,
  SetRepositoryActiveInput,
  SetRepositoryActivePayload,
} from '../../repositories/repositories.types.ts';
import { readBatches } from './batches.reads.ts';
import { type Batch, BatchConnection, batchStates, type BatchState } from './batches.types.ts';
import { liveStates } from '../store/batch.rows.ts';
import { setRepositoryActive } from '../requests/activation.service.ts';
import { checkHaltReason, haltQueue, previewHalt, resumeQueue } from '../requests/halting.service.ts';
import { previewQueueReset, resetQueue } from '../requests/resetting.service.ts';
import type { QueueImpact } from '../planning/dry-run.ts';
import { toImpact } from './dry-run.types.ts';
import { widthOf } from './pull-requests.columns.ts';
import { readQueuedPullRequests } from './pull-requests.reads.ts';
import { PullRequest } from './pull-requests.types.ts';
import { depthOfQueue, queueById, readQueue, readQueueDepth, readQueues, runningBuilds } from './queue.reads.ts';
import { HaltQueueInput, Queue, QueueDepth, QueuePayload, QueueRefInput } from './queue.types.ts';
import { readDepthHistory } from './depth-history.reads.ts';
import { QueueDepthPoint } from './depth-history.types.ts';

@Resolver(() => Repository)
export class RepositoryQueuesResolver {
  @FieldResolver(() => Queue, {
    nullable: true,
    description:
      'The queue of a base branch, now or as of an instant in the past. Null if nothing was ever queued for the branch, or if the instant is not on record. Records are kept for 400 days unless KEEP_HISTORY_DAYS says otherwise.',
  })
  async queue(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @Arg('baseBranch', () => String, { description: 'The branch it merges into.' }) baseBranch: string,
    @Arg('asOf', () => DateTime, { nullable: true, description: 'An instant in the past. Now if not given.' })
    asOf: Date | null | undefined,
  ): Promise<Queue | null> {
    return asOf
      ? await readQueueAsOf(ctx, repository, { baseBranch, asOf })
      : await readQueue(ctx, repository, baseBranch);
  }

  @FieldResolver(() => [Queue], { description: 'Its queues by base branch.' })
  async queues(@Ctx() ctx: GraphQLContext, @Root() repository: Repository): Promise<Queue[]> {
    return await readQueues(ctx, repository);
  }

  @FieldResolver(() => QueueDepth, {
    description: 'How many pull requests are in line, over all of its base branches (interface 4.6).',
  })
  async queueDepth(@Ctx() ctx: GraphQLContext, @Root() repository: Repository): Promise<QueueDepth> {
    return await readQueueDepth(ctx, repository);
  }
}

@Resolver(() => Queue)
export class QueuesResolver {
  @FieldResolver(() => QueueDepth, { description: 'How many pull requests are in line.' })
  async depth(@Root() queue: Queue): Promise<QueueDepth> {
    return await depthOfQueue(queue);
  }

  @FieldResolver(() => Boolean, { description: 'Whether a pause is in force, so that nothing is validated or merged.' })
  async paused(@Ctx() ctx: GraphQLContext, @Root() queue: Queue): Promise<boolean> {
    return (await pauseOfQueue(ctx, queue)) !== null;
  }

  @FieldResolver(() => QueuePause, {
    nullable: true,
    description: 'The pause in force. Null: the queue is not paused.',
  })
  async pause(@Ctx() ctx: GraphQLContext, @Root() queue: Queue): Promise<QueuePause | null> {
    const pause = await pauseOfQueue(ctx, queue);
    if (pause === null) return null;
    const cause = await readCause(ctx, queue, (tx, of) => readPauseCause(ctx, tx, { ...of, pattern: pause.pattern }));
    return { ...pause, since: cause === null ? null : new Date(cause.at), by: cause?.actor ?? null };
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Email address of the user who halted it, or `interlock` if it halted itself. Null unless it is halted.',
  })
  async haltedBy(@Ctx() ctx: GraphQLContext, @Root() queue: Queue): Promise<string | null> {
    if (queue.haltedAt === null) return null;
    const cause = await readCause(ctx, queue, (tx, of) => readHaltCause(ctx, tx, of));
    return cause?.actor ?? null;
  }

  @FieldResolver(() => Frozen, {
    nullable: true,
    description:
      'The freeze of its base branch that is in force now. While it lasts, pull requests are validated, but nothing lands. Null: the branch is not frozen.',
  })
  async frozen(@Ctx() ctx: GraphQLContext, @Root() { repositoryId, baseBranch, past }: Queue): Promise<Frozen | null> {
    if (past) return toFrozenNode(baseBranch, past.frozen);
    return toFrozenNode(baseBranch, await readBranchFreezeInForce(ctx, repositoryId, baseBranch));
  }

  @FieldResolver(() => Int, { description: 'How many of its batches are being made, validated or landed.' })
  async builds(@Ctx() ctx: GraphQLContext, @Root() queue: Queue): Promise<number> {
    if (queue.past) return queue.past.view.snapshot.batches.length;
    return await loaderOf(ctx, runningBuilds).load(queue.id);
  }

  @Extensions({ rows: 50 })
  @FieldResolver(() => [PullRequest], { description: 'Its queued and tagged pull requests, in queue order.' })
  async entries(
    @Ctx() ctx: GraphQLContext,
    @Root() queue: Queue,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PullRequest[]> {
    const { repository, baseBranch, past } = queue;
    if (past) return (await readPastLine(ctx, queue, { past, page: null })).map(({ pullRequest }) => pullRequest);
    return await readQueuedPullRequests(ctx, repository, { baseBranch, width: widthOf(info) });
  }

  @FieldResolver(() => BatchConnection, { description: 'Its batches, newest first.' })
  async batches(
    @Ctx() ctx: GraphQLContext,
    @Root() queue: Queue,
    @Arg('live', () => Boolean, { defaultValue: false, description: 'Only batches that have not ended.' })
    live: boolean,
    @Arg('states', () => [batchStates], {
      nullable: true,
      description: 'Only batches in one of these states. In every state if not given.',
    })
    states: BatchState[] | null,
    @PageArgs(20) request: PageRequest,
  ): Promise<Connection<Batch>> {
    const page = readPage(request, { size: 20, keyLength: 1 });
    const among = live ? liveStates.filter((state) => states?.includes(state) ?? true) : (states ?? null);
    const wanted = { size: page.size, before: rowId(page), states: among };
    const { past } = queue;
    const rows = past
      ? await readPastBatches(ctx, queue, { past, page: wanted })
      : await readBatches(ctx, queue.id, wanted);
    return toConnection(rows, page.size, { node: (row) => row, key: (row) => [row.id] });
  }

  @Mutation(() => QueuePayload, {
    description: 'Halts a queue until somebody resumes it. A halted queue still admits pull requests. Needs admin.',
  })
  async haltQueue(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => HaltQueueInput) input: HaltQueueInput,
  ): Promise<QueuePayload> {
    if (input.preview) return await previewPayload(ctx, await previewHalt(ctx, input, checkHaltReason(input)));
    return await payload(ctx, await haltQueue(ctx, input));
  }

  @Mutation(() => SetRepositoryActivePayload, {
    description:
      'Deactivates a repository, or activates it again. If it is inactive, its pull requests leave the queue, its previews end, its runbooks end except a completed one whose pull requests are still to be queued, and nothing is pushed, opened, queued, validated, landed, released or deployed. A landing that has started still ends; the commits and the history are kept. An environment can still be rolled back. Repeating the call changes nothing. Needs admin.',
  })
  async setRepositoryActive(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => SetRepositoryActiveInput) input: SetRepositoryActiveInput,
  ): Promise<SetRepositoryActivePayload> {
    return { repository: await setRepositoryActive(ctx, input) };
  }

  @Mutation(() => QueuePayload, {
    description:
      'Resets every build of a queue (interface 6.1, code 300): builds stop and are made again, and pull requests keep their places. If there is no build, nothing is changed. Refused with LANDING_IN_PROGRESS during a landing, and with CONFLICT while the queue is halted. Needs queue:pause.',
  })
  async resetQueue(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => QueueRefInput) input: QueueRefInput,
  ): Promise<QueuePayload> {
    if (input.preview) return await previewPayload(ctx, await previewQueueReset(ctx, input));
    return await payload(ctx, await resetQueue(ctx, input));
  }

  @Mutation(() => QueuePayload, { description: 'Resumes a halted queue. Needs admin.' })
  async resumeQueue(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => QueueRefInput) input: QueueRefInput,
  ): Promise<QueuePayload> {
    if (input.preview) return await previewPayload(ctx, await previewHalt(ctx, input, null));
    return await payload(ctx, await resumeQueue(ctx, input));
  }
}

async function pauseOfQueue(ctx: GraphQLContext, { repository, baseBranch, past }: Queue): Promise<Pause | null> {
  return past ? past.pause : await readPause(ctx, repository, baseBranch);
}

/** Reads the log of the queue up to the instant that the queue has. */
async function readCause(
  ctx: GraphQLContext,
  { id: queueId, repositoryId, asOf }: Queue,
  read: (tx: Transaction, of: GatesOf) => Promise<Cause | null>,
): Promise<Cause | null> {
  const instant = asOf?.toISOString() ?? 'infinity';
  return await ctx.db.transaction(ctx.accountId, async (tx) => await read(tx, { queueId, repositoryId, instant }));
}

async function payload(ctx: GraphQLContext, { queueId }: { readonly queueId: string }): Promise<QueuePayload> {
  const queue = await loaderOf(ctx, queueById).load(queueId);
  if (!queue) throw new Error(`The queue ${queueId} does not exist after its change.`);
  return { queue };
}

async function previewPayload(
  ctx: GraphQLContext,
  { queueId, impacts }: { readonly queueId: string; readonly impacts: readonly QueueImpact[] },
): Promise<QueuePayload> {
  return { queue: (await payload(ctx, { queueId })).queue, impact: toImpact(impacts) };
}

@Resolver(() => Queue)
export class QueueDepthHistoryResolver {
  @Extensions({ price: 1_000, rows: 200 })
  @FieldResolver(() => [QueueDepthPoint], {
    description:
      'The length of its line over time, with landings and resets, in equal intervals from `from` up to `to`. `from` and `to` are at most 31 days apart.',
  })
  async depthHistory(
    @Ctx() ctx: GraphQLContext,
    @Root() queue: Queue,
    @Arg('from', () => DateTime, { description: 'When the first interval begins.' }) from: Date,
    @Arg('to', () => DateTime, { description: 'When the last interval ends.' }) to: Date,
    @Arg('points', () => Int, { defaultValue: 200, description: 'How many intervals, from 1 to 500.' }) points: number,
  ): Promise<QueueDepthPoint[]> {
    return await readDepthHistory(ctx, queue, { from, to, points });
  }
}
