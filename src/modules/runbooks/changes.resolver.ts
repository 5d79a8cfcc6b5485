// The subscription to runbooks. Each event about a runbook gives one message, with the runbook as it is when the
// message is sent.
import { Args, Ctx, FieldResolver, Resolver, Root, Subscription, ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { DomainError } from '../../domain/errors.ts';
import { loadIfAny, loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { followEvents, type SubscriptionRequest, ChangeByEvent, FollowArgs } from '../../graphql/subscriptions.ts';
import { requireScope } from '../accounts/index.ts';
import type { FollowedEvent } from '../events/index.ts';
import { Event } from '../events/events.types.ts';
import { loadRepository, requireStillSeen } from '../repositories/index.ts';
import { readNewPieces } from './activity.reads.ts';
import { loadRunbook, runbookById } from './runbooks.reads.ts';
import { Runbook } from './runbooks.types.ts';
import { stepsOfRunbook } from './steps.reads.ts';
import { payloadOf, type SubscriptionValue } from '../../graphql/subscription-payloads.ts';
import { RunbookLeaf } from './steps.types.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';

@Resolver(() => Event)
export class RunbookChangesResolver {
  @FieldResolver(() => Runbook, {
    nullable: true,
    description: 'The runbook that the event is about. Null: the event is about no runbook. Needs runbook:write.',
  })
  async runbook(@Ctx() ctx: GraphQLContext, @Root() { runbookId }: Event): Promise<Runbook | null> {
    return await loadIfAny(ctx, runbookById, runbookId);
  }

  @Subscription(() => RunbookChange, {
    subscribe: followRunbooks,
    description:
      'Each change of one runbook, or of any runbook of a repository, including runbooks that are created later. Needs runbook:write.',
  })
  runbookChanged(
    @Root() change: SubscriptionValue<RunbookChange>,
    @Args(() => FollowRunbooksArgs) _args: FollowRunbooksArgs,
  ): RunbookChange {
    return payloadOf(change);
  }
}

@Resolver(() => RunbookChange)
export class RunbookChangeStepResolver {
  @FieldResolver(() => RunbookLeaf, {
    nullable: true,
    description: 'The leaf that changed, as it is now. Null: no leaf changed.',
  })
  async step(@Ctx() ctx: GraphQLContext, @Root() { runbook, stepNumber }: RunbookChange): Promise<RunbookLeaf | null> {
    if (stepNumber === null) return null;
    const steps = await loaderOf(ctx, stepsOfRunbook).load(runbook.id);
    return steps.flatMap(({ leaves }) => leaves).find(({ number }) => number === stepNumber) ?? null;
  }
}

async function followRunbooks(subscribing: SubscriptionRequest<FollowRunbooksArgs>): Promise<AsyncIterable<unknown>> {
  const { args, context } = subscribing;
  requireScope(context, 'runbook:write');
  const newText = textReader(context);
  return await followEvents(subscribing, {
    matches: await readFollowed(context, args),
    toChange: async ({ cursor, action, runbookId, payload }) => {
      const runbook = await loadIfAny(context, runbookById, runbookId);
      if (runbook === null) return null;
      await requireStillSeen(context, runbook.repositoryId);
      const { step } = payload;
      const stepNumber = typeof step === 'string' ? step : null;
      return { cursor, action, runbook, stepNumber, log: await newText(runbook.id) };
    },
  });
}

/** The runbook or repository must exist when the subscription begins. */
async function readFollowed(
  ctx: GraphQLContext,
  { number = null, repository = null }: FollowRunbooksArgs,
): Promise<(event: FollowedEvent) => boolean> {
  if ((number === null) === (repository === null))
    throw new DomainError('BAD_INPUT', 'Give either number or repository', number === null ? 'number' : 'repository');
  if (number !== null) {
    const { id } = await loadRunbook(ctx, number);
    return ({ runbookId }) => runbookId === id;
  }
  if (repository === null) return () => false;
  const { id } = await loadRepository(ctx, repository);
  return ({ runbookId, repositoryId }) => runbookId !== null && repositoryId === id;
}

function textReader(ctx: GraphQLContext): (runbookId: string) => Promise<string> {
  const since = ctx.clock();
  const sentUpTo = new Map<string, string>();
  return async (runbookId) => {
    const pieces = await readNewPieces(ctx, runbookId, { after: sentUpTo.get(runbookId) ?? '0', since });
    const last = pieces.at(-1);
    if (last !== undefined) sentUpTo.set(runbookId, last.id);
    return pieces.map(({ text }) => text).join('');
  };
}

@ArgsType()
class FollowRunbooksArgs extends FollowArgs {
  @Field(() => Int, { nullable: true, description: 'The number of a runbook.' })
  number?: number | null;

  @Field(() => RepositoryInput, {
    nullable: true,
    description: 'A repository, to follow all its runbooks. Either `number` or `repository` is required.',
  })
  repository?: RepositoryInput | null;
}

@ObjectType({ simpleResolvers: true, description: 'A change of a runbook.' })
class RunbookChange extends ChangeByEvent {
  @Field(() => Runbook, { description: 'The runbook as it is now.' })
  runbook!: Runbook;

  @Field(() => String, {
    description:
      'New log text of this runbook since the subscription last sent some, or since the subscription began. A message has at most 20 pieces of the log. The next messages about the runbook continue where this one ends. `runbookLog` has the whole log.',
  })
  log!: string;

  /** Number of the leaf that changed. */
  stepNumber!: string | null;
}
