import { Arg, Args, Ctx, FieldResolver, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { Connection } from '../../../graphql/connection.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { told, type Subscribing, type SubscriptionFailure } from '../../../graphql/event-log-pubsub.ts';
import {
  afterPieceDescription,
  LogArgs,
  LogPiece,
  LogPieceConnection,
  readLogPage,
  subscribeToLog,
} from '../../../graphql/logs.ts';
import { rowIdOf } from '../../../graphql/node-id.ts';
import { logOfVerification } from './log.reads.ts';
import { Verification } from './verifications.types.ts';

@Resolver(() => Verification)
export class VerificationLogResolver {
  @FieldResolver(() => LogPieceConnection, {
    description:
      'What its scripts and its preview wrote, and what was driven, oldest first. Kept for 90 days after its end.',
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
      'The log of a verification, from a place on and as it is written, until it has ended. Needs queue:read.',
  })
  verificationLog(
    @Root() piece: LogPiece | SubscriptionFailure,
    @Arg('verification', () => ID, { description: 'The verification.' }) _verification: string,
    @Arg('after', () => String, { nullable: true, description: afterPieceDescription }) _after: string | null,
  ): LogPiece {
    return told(piece);
  }
}

async function followVerificationLog({
  args,
  context,
}: Subscribing<{ verification: string }>): Promise<AsyncIterable<unknown>> {
  return await subscribeToLog(logOfVerification(context, rowIdOf('Verification', args.verification)), {
    after: args.after,
    missing: 'Verification',
  });
}
