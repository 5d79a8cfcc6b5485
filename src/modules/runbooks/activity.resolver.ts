import { Args, ArgsType, Ctx, Field, FieldResolver, Int, Resolver, Root, Subscription } from 'type-graphql';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../graphql/connection.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import {
  FollowLogArgs,
  LogArgs,
  LogPiece,
  LogPieceConnection,
  readLogPage,
  subscribeToLog,
} from '../../graphql/logs.ts';
import { type SubscriptionRequest } from '../../graphql/subscriptions.ts';
import { readWhileSeen } from '../repositories/index.ts';
import { logOfRunbook, readToolCalls, type ActivitySelection } from './activity.reads.ts';
import { loadRunbook } from './runbooks.reads.ts';
import { Runbook } from './runbooks.types.ts';
import { RunbookLeaf, type RunbookToolCall, RunbookToolCallConnection } from './steps.types.ts';
import { payloadOf, type SubscriptionValue } from '../../graphql/subscription-payloads.ts';

const pageSize = 50;

@ArgsType()
class FollowRunbookLogArgs extends FollowLogArgs {
  @Field(() => Int, { description: 'The number of the runbook.' })
  number!: number;
}

@Resolver(() => Runbook)
export class RunbookActivityResolver {
  @FieldResolver(() => RunbookToolCallConnection, {
    description:
      'The tools that the agent called, also for planning, oldest first. They are kept for 90 days, unless KEEP_RUNBOOK_LOGS_DAYS names another time.',
  })
  async toolCalls(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Runbook,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<RunbookToolCall>> {
    return await readToolCallPage(ctx, { runbookId: id, leafId: null }, request);
  }

  @FieldResolver(() => LogPieceConnection, {
    description:
      'The output of the agent and of its commands, oldest first. The output is kept for 90 days, unless KEEP_RUNBOOK_LOGS_DAYS names another time.',
  })
  async log(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Runbook,
    @Args(() => LogArgs) args: LogArgs,
  ): Promise<Connection<LogPiece>> {
    return await readLogPage(logOfRunbook(ctx, { runbookId: id, leafId: null }), args);
  }

  @Subscription(() => LogPiece, {
    subscribe: followRunbookLog,
    description:
      'The log of a runbook from a given place on, while it is written, until the runbook has no work left. Needs runbook:write.',
  })
  runbookLog(
    @Root() piece: SubscriptionValue<LogPiece>,
    @Args(() => FollowRunbookLogArgs) _args: FollowRunbookLogArgs,
  ): LogPiece {
    return payloadOf(piece);
  }
}

@Resolver(() => RunbookLeaf)
export class RunbookLeafActivityResolver {
  @FieldResolver(() => RunbookToolCallConnection, {
    description:
      'The tools that the agent called for this leaf, oldest first. They are kept for 90 days, unless KEEP_RUNBOOK_LOGS_DAYS names another time.',
  })
  async toolCalls(
    @Ctx() ctx: GraphQLContext,
    @Root() { id, runbookId }: RunbookLeaf,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<RunbookToolCall>> {
    return await readToolCallPage(ctx, { runbookId, leafId: id }, request);
  }

  @FieldResolver(() => LogPieceConnection, {
    description:
      'The output of the agent and of its commands for this leaf, oldest first. The output is kept for 90 days, unless KEEP_RUNBOOK_LOGS_DAYS names another time.',
  })
  async log(
    @Ctx() ctx: GraphQLContext,
    @Root() { id, runbookId }: RunbookLeaf,
    @Args(() => LogArgs) args: LogArgs,
  ): Promise<Connection<LogPiece>> {
    return await readLogPage(logOfRunbook(ctx, { runbookId, leafId: id }), args);
  }
}

async function readToolCallPage(
  ctx: GraphQLContext,
  of: ActivitySelection,
  request: PageRequest,
): Promise<Connection<RunbookToolCall>> {
  const page = readPage(request, { size: pageSize, keyLength: 1 });
  const rows = await readToolCalls(ctx, of, { after: page.after === null ? '0' : rowId(page), size: page.size });
  return toConnection(rows, page.size, { node: (row): RunbookToolCall => row, key: ({ id }) => [id] });
}

async function followRunbookLog({
  args,
  context,
}: SubscriptionRequest<FollowRunbookLogArgs>): Promise<AsyncIterable<unknown>> {
  const { id, repositoryId } = await loadRunbook(context, args.number);
  return await subscribeToLog(context, {
    name: `runbook/${id}`,
    read: logOfRunbook(context, { runbookId: id, leafId: null }),
    whileSeen: (read) => readWhileSeen(context, repositoryId, read),
    after: args.after,
    missing: 'Runbook',
  });
}
