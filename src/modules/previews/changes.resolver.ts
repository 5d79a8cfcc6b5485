// The subscriptions to verifications and previews. Each event about one of them gives one message, with the
// verification or registration as it is when the message is sent.
import { Args, Ctx, FieldResolver, Resolver, Root, Subscription, ArgsType, Field, ObjectType } from 'type-graphql';
import { loadIfAny, type GraphQLContext } from '../../graphql/context.ts';
import {
  followEvents,
  type EventSelection,
  type SubscriptionRequest,
  ChangeByEvent,
  FollowArgs,
} from '../../graphql/subscriptions.ts';
import { requireScope } from '../accounts/index.ts';
import { Event } from '../events/events.types.ts';
import { loadRepository, requireStillSeen } from '../repositories/index.ts';
import { registrationById } from './registrations/registrations.reads.ts';
import { PreviewRegistration } from './registrations/registrations.types.ts';
import { findPullRequestId, verificationById } from './verifications/verifications.reads.ts';
import { payloadOf, type SubscriptionValue } from '../../graphql/subscription-payloads.ts';
import { Verification } from './verifications/verifications.types.ts';
import { PullRequestNumber } from '../../graphql/scalars.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';

@Resolver(() => Event)
export class PreviewChangesResolver {
  @FieldResolver(() => Verification, {
    nullable: true,
    description:
      'The verification that the event is about. Null: the event is about no verification. Needs queue:read.',
  })
  async verification(@Ctx() ctx: GraphQLContext, @Root() { verificationId }: Event): Promise<Verification | null> {
    return await loadIfAny(ctx, verificationById, verificationId);
  }

  @FieldResolver(() => PreviewRegistration, {
    nullable: true,
    description:
      'The registered preview that the event is about. Null: the event is about no registered preview. Needs queue:read.',
  })
  async previewRegistration(
    @Ctx() ctx: GraphQLContext,
    @Root() { registrationId }: Event,
  ): Promise<PreviewRegistration | null> {
    return await loadIfAny(ctx, registrationById, registrationId);
  }

  @Subscription(() => VerificationChange, {
    subscribe: followVerifications,
    description: 'Each change of a verification of a repository. Needs queue:read.',
  })
  verificationChanged(
    @Root() change: SubscriptionValue<VerificationChange>,
    @Args(() => FollowPreviewsArgs) _args: FollowPreviewsArgs,
  ): VerificationChange {
    return payloadOf(change);
  }

  @Subscription(() => PreviewChange, {
    subscribe: followPreviews,
    description:
      'Each change of a preview of a repository: the preview is registered, deregistered, replaced or expired, or its sandbox is ready or gone. Needs queue:read.',
  })
  previewChanged(
    @Root() change: SubscriptionValue<PreviewChange>,
    @Args(() => FollowPreviewsArgs) _args: FollowPreviewsArgs,
  ): PreviewChange {
    return payloadOf(change);
  }
}

async function followVerifications(
  subscribing: SubscriptionRequest<FollowPreviewsArgs>,
): Promise<AsyncIterable<unknown>> {
  const { context } = subscribing;
  return await follow(subscribing, {
    matches: ({ verificationId }) => verificationId !== null,
    toChange: async ({ cursor, action, verificationId }) => {
      const verification = await loadIfAny(context, verificationById, verificationId);
      return verification && { cursor, action, verification };
    },
  });
}

/** The events of a verification after which its preview may be ready or gone. */
const previewActions: ReadonlySet<string> = new Set(
  ['booting', 'driving', 'tearing_down', 'passed', 'failed', 'canceled', 'error'].map(
    (status) => `verification_${status}`,
  ),
);

async function followPreviews(subscribing: SubscriptionRequest<FollowPreviewsArgs>): Promise<AsyncIterable<unknown>> {
  const { context } = subscribing;
  return await follow(subscribing, {
    matches: ({ action, registrationId, verificationId }) =>
      registrationId !== null || (verificationId !== null && previewActions.has(action)),
    toChange: async ({ cursor, action, registrationId, verificationId }) => {
      const registration = await loadIfAny(context, registrationById, registrationId);
      const verification = await loadIfAny(context, verificationById, verificationId);
      return registration || verification ? { cursor, action, registration, verification } : null;
    },
  });
}

async function follow<Change extends object>(
  subscribing: SubscriptionRequest<FollowPreviewsArgs>,
  { matches, toChange }: EventSelection<Change>,
): Promise<AsyncIterable<unknown>> {
  const { args, context } = subscribing;
  requireScope(context, 'queue:read');
  const { id } = await loadRepository(context, args.repository);
  const pullRequestId = typeof args.number === 'number' ? await findPullRequestId(context, id, args.number) : null;
  return await followEvents(subscribing, {
    matches: (event) =>
      event.repositoryId === id && (pullRequestId === null || event.pullRequestId === pullRequestId) && matches(event),
    toChange: async (event) => {
      await requireStillSeen(context, id);
      return await toChange(event);
    },
  });
}

@ArgsType()
class FollowPreviewsArgs extends FollowArgs {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => PullRequestNumber, {
    nullable: true,
    description: 'The number of a pull request of the repository. Left out: all pull requests, including later ones.',
  })
  number?: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'A change of a verification.' })
class VerificationChange extends ChangeByEvent {
  @Field(() => Verification, { description: 'The verification as it is now.' })
  verification!: Verification;
}

@ObjectType({ simpleResolvers: true, description: 'A change of a preview.' })
class PreviewChange extends ChangeByEvent {
  @Field(() => PreviewRegistration, {
    nullable: true,
    description: 'The registration that changed, as it is now. Null: the change is about a verification.',
  })
  registration!: PreviewRegistration | null;

  @Field(() => Verification, {
    nullable: true,
    description: 'The verification whose preview changed, as it is now. Null: the change is about a registration.',
  })
  verification!: Verification | null;
}
