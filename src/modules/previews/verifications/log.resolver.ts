import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { Context } from '../../../context.ts';
import { notFound } from '../../../domain/errors.ts';
import { finalStatuses } from '../../../domain/previews/verification.status.ts';
import type { Connection } from '../../../graphql/connection.ts';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import {
  FollowLogArgs,
  LogArgs,
  LogPiece,
  LogPieceConnection,
  type ReadLog,
  readLogPage,
  subscribeToLog,
} from '../../../graphql/logs.ts';
import { rowIdOf } from '../../../graphql/node-id.ts';
import { type SubscriptionRequest } from '../../../graphql/subscriptions.ts';
import { sqlList } from '../../../platform/database.ts';
import { readPieces } from '../../../platform/log-pieces.ts';
import { requireScope } from '../../accounts/index.ts';
import { maySeeInside, readWhileSeen } from '../../repositories/index.ts';
import { ownerOfLog } from '../verifying/run-log.ts';
import { verificationById } from './verifications.reads.ts';
import { Verification } from './verifications.types.ts';
import { payloadOf, type SubscriptionValue } from '../../../graphql/subscription-payloads.ts';

@ArgsType()
class FollowVerificationLogArgs extends FollowLogArgs {
  @Field(() => ID, { description: 'The verification.' })
  verification!: string;
}

@Resolver(() => Verification)
export class VerificationLogResolver {
  @FieldResolver(() => LogPieceConnection, {
    description:
      'The output of the scripts and of the preview, and the tested steps, oldest first. The log is kept for 90 days, unless KEEP_VERIFICATION_LOGS_DAYS names another time.',
  })
  async log(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Verification,
    @Args(() => LogArgs) args: LogArgs,
  ): Promise<Connection<LogPiece>> {
    return await readLogPage(logOfVerification(ctx, id), args);
  }

  @Subscription(() => LogPiece, {
    subscribe: followVerificationLog,
    description:
      'The log of a verification from a given place on, while it is written, until the verification has ended. Needs queue:read.',
  })
  verificationLog(
    @Root() piece: SubscriptionValue<LogPiece>,
    @Args(() => FollowVerificationLogArgs) _args: FollowVerificationLogArgs,
  ): LogPiece {
    return payloadOf(piece);
  }
}

async function followVerificationLog({
  args,
  context,
}: SubscriptionRequest<FollowVerificationLogArgs>): Promise<AsyncIterable<unknown>> {
  const id = rowIdOf('Verification', args.verification);
  const of = await loaderOf(context, verificationById).load(id);
  if (of === null || !(await maySeeInside(context, of.repositoryId))) throw notFound('Verification');
  return await subscribeToLog(context, {
    name: `verification/${id}`,
    read: logOfVerification(context, id),
    whileSeen: (read) => readWhileSeen(context, of.repositoryId, read),
    after: args.after,
    missing: 'Verification',
  });
}

const isOver = `run.status in ${sqlList(finalStatuses)}`;

function logOfVerification(ctx: Context, verificationId: string): ReadLog {
  const of = { row: { table: 'verification', id: verificationId, isOver }, owner: ownerOfLog(verificationId) };
  return async (page) => {
    requireScope(ctx, 'queue:read');
    return await readPieces(ctx, of, page);
  };
}
