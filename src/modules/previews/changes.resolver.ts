// What somebody who watches previews follows: each change is an event, and shows its subject as it is when it is told.
import { Arg, Ctx, FieldResolver, Resolver, Root, Subscription } from 'type-graphql';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import {
  afterDescription,
  mapEvents,
  told,
  type Subscribing,
  type SubscriptionFailure,
} from '../../graphql/event-log-pubsub.ts';
import { PullRequestNumber } from '../../graphql/scalars.ts';
import { requireScope } from '../accounts/index.ts';
import type { FollowedEvent } from '../events/index.ts';
import { Event } from '../events/events.types.ts';
import { loadRepository, type RepositoryName } from '../repositories/index.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';
import { PreviewChange, VerificationChange } from './changes.types.ts';
import { registrationById } from './registrations/registrations.reads.ts';
import { PreviewRegistration } from './registrations/registrations.types.ts';
import { findPullRequestId, verificationById } from './verifications/verifications.reads.ts';
import { Verification } from './verifications/verifications.types.ts';

const repositoryDescription = 'The repository.';
const numberDescription = 'One of its pull requests. Left out: all of them, later ones too.';

@Resolver(() => Event)
export class PreviewChangesResolver {
  @FieldResolver(() => Verification, {
    nullable: true,
    description: 'The verification it is about. Null when it is about none. Needs queue:read.',
  })
  async verification(@Ctx() ctx: GraphQLContext, @Root() { verificationId }: Event): Promise<Verification | null> {
    return verificationId === null ? null : await loaderOf(ctx, verificationById).load(verificationId);
  }

  @FieldResolver(() => PreviewRegistration, {
    nullable: true,
    description: 'The registered preview it is about. Null when it is about none. Needs queue:read.',
  })
  async previewRegistration(
    @Ctx() ctx: GraphQLContext,
    @Root() { registrationId }: Event,
  ): Promise<PreviewRegistration | null> {
    return registrationId === null ? null : await loaderOf(ctx, registrationById).load(registrationId);
  }

  @Subscription(() => VerificationChange, {
    subscribe: followVerifications,
    description: 'Verifications of a repository, each time one changed. Needs queue:read.',
  })
  verificationChanged(
    @Root() change: VerificationChange | SubscriptionFailure,
    @Arg('repository', () => RepositoryInput, { description: repositoryDescription }) _repository: RepositoryInput,
    @Arg('number', () => PullRequestNumber, { nullable: true, description: numberDescription })
    _number: number | null,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after: string | null,
  ): VerificationChange {
    return told(change);
  }

  @Subscription(() => PreviewChange, {
    subscribe: followPreviews,
    description:
      'Previews of a repository, each time one was registered or taken back, expired, came up or went. Needs queue:read.',
  })
  previewChanged(
    @Root() change: PreviewChange | SubscriptionFailure,
    @Arg('repository', () => RepositoryInput, { description: repositoryDescription }) _repository: RepositoryInput,
    @Arg('number', () => PullRequestNumber, { nullable: true, description: numberDescription })
    _number: number | null,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after: string | null,
  ): PreviewChange {
    return told(change);
  }
}

type Following = Subscribing<{ repository: RepositoryName; number?: number | null }>;

async function followVerifications(following: Following): Promise<AsyncIterable<unknown>> {
  const { context } = following;
  return await follow(following, {
    matches: ({ verificationId }) => verificationId !== null,
    toChange: async ({ cursor, action, verificationId }) => {
      const verification = await loaderOf(context, verificationById).load(verificationId ?? '0');
      return verification && { cursor, action, verification };
    },
  });
}

/** Of a verification these alone say that its preview came up or went. */
const ofPreviews: ReadonlySet<string> = new Set(
  ['booting', 'driving', 'tearing_down', 'passed', 'failed', 'canceled', 'error'].map(
    (status) => `verification_${status}`,
  ),
);

async function followPreviews(following: Following): Promise<AsyncIterable<unknown>> {
  const { context } = following;
  return await follow(following, {
    matches: ({ action, registrationId, verificationId }) =>
      registrationId !== null || (verificationId !== null && ofPreviews.has(action)),
    toChange: async ({ cursor, action, registrationId, verificationId }) => {
      const registration = await loaderOf(context, registrationById).load(registrationId ?? '0');
      const verification = await loaderOf(context, verificationById).load(verificationId ?? '0');
      return registration || verification ? { cursor, action, registration, verification } : null;
    },
  });
}

async function follow<Change extends object>(
  { args, context }: Following,
  {
    matches,
    toChange,
  }: {
    readonly matches: (event: FollowedEvent) => boolean;
    readonly toChange: (event: FollowedEvent) => Promise<Change | null>;
  },
): Promise<AsyncIterable<unknown>> {
  requireScope(context, 'queue:read');
  const { id } = await loadRepository(context, args.repository);
  const pullRequestId = typeof args.number === 'number' ? await findPullRequestId(context, id, args.number) : null;
  const follower = context.events.follow({
    accountId: context.accountId,
    after: args.after,
    matches: (event) =>
      event.repositoryId === id && (pullRequestId === null || event.pullRequestId === pullRequestId) && matches(event),
  });
  await follower.started;
  return mapEvents(follower, toChange);
}
