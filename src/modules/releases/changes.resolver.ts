// The subscriptions to release projects, deployments and environments. Each event about one of them gives one message,
// with the project, deployment or environment as it is when the message is sent.
import { Args, Ctx, FieldResolver, Resolver, Root, Subscription, ArgsType, Field, ObjectType } from 'type-graphql';
import { loadIfAny, type GraphQLContext } from '../../graphql/context.ts';
import { followEvents, type SubscriptionRequest, ChangeByEvent, FollowArgs } from '../../graphql/subscriptions.ts';
import { requireScope } from '../accounts/index.ts';
import type { FollowedEvent } from '../events/index.ts';
import { Event } from '../events/events.types.ts';
import { requireStillSeen } from '../repositories/index.ts';
import { candidateById } from './candidates.reads.ts';
import { ReleaseCandidate } from './candidates.types.ts';
import { deploymentById } from './deployments.reads.ts';
import { Deployment } from './deployments.types.ts';
import { Environment } from './environments.types.ts';
import { payloadOf, type SubscriptionValue } from '../../graphql/subscription-payloads.ts';
import { environmentById, loadEnvironment, loadReleaseProject } from './projects.reads.ts';
import { ReleaseProject } from './projects.types.ts';

@Resolver(() => Event)
export class ReleaseChangesResolver {
  @FieldResolver(() => ReleaseCandidate, {
    nullable: true,
    description:
      'The release candidate that the event is about. Null: the event is about no candidate. Needs release:read.',
  })
  async releaseCandidate(@Ctx() ctx: GraphQLContext, @Root() { candidateId }: Event): Promise<ReleaseCandidate | null> {
    return await loadIfAny(ctx, candidateById, candidateId);
  }

  @FieldResolver(() => Deployment, {
    nullable: true,
    description: 'The deployment that the event is about. Null: the event is about no deployment. Needs release:read.',
  })
  async deployment(@Ctx() ctx: GraphQLContext, @Root() { deploymentId }: Event): Promise<Deployment | null> {
    return await loadIfAny(ctx, deploymentById, deploymentId);
  }

  @FieldResolver(() => Environment, {
    nullable: true,
    description:
      'The environment that the event is about. Null: the event is about no environment. Needs release:read.',
  })
  async environment(@Ctx() ctx: GraphQLContext, @Root() { environmentId }: Event): Promise<Environment | null> {
    return await loadIfAny(ctx, environmentById, environmentId);
  }

  @Subscription(() => DeploymentChange, {
    subscribe: followDeployments,
    description: 'Each change of a deployment of a release project. Needs release:read.',
  })
  deploymentChanged(
    @Root() change: SubscriptionValue<DeploymentChange>,
    @Args(() => FollowEnvironmentsArgs) _args: FollowEnvironmentsArgs,
  ): DeploymentChange {
    return payloadOf(change);
  }

  @Subscription(() => EnvironmentChange, {
    subscribe: followEnvironments,
    description:
      'Each change of an environment of a release project, for example of its deployments or freezes. Needs release:read.',
  })
  environmentChanged(
    @Root() change: SubscriptionValue<EnvironmentChange>,
    @Args(() => FollowEnvironmentsArgs) _args: FollowEnvironmentsArgs,
  ): EnvironmentChange {
    return payloadOf(change);
  }

  @Subscription(() => ReleaseProjectChange, {
    subscribe: followReleaseProject,
    description:
      'Each change of a release project: of its candidates, its environments and their deployments. Needs release:read.',
  })
  releaseProjectChanged(
    @Root() change: SubscriptionValue<ReleaseProjectChange>,
    @Args(() => FollowReleaseProjectArgs) _args: FollowReleaseProjectArgs,
  ): ReleaseProjectChange {
    return payloadOf(change);
  }
}

async function followReleaseProject(
  subscribing: SubscriptionRequest<FollowReleaseProjectArgs>,
): Promise<AsyncIterable<unknown>> {
  const { args, context } = subscribing;
  requireScope(context, 'release:read');
  const { id, repositoryId } = await loadReleaseProject(context, args.project);
  return await followEvents(subscribing, {
    matches: ({ candidateId, environmentId }) => candidateId !== null || environmentId !== null,
    toChange: async ({ cursor, action, candidateId, environmentId }) => {
      await requireStillSeen(context, repositoryId);
      const subject =
        (await loadIfAny(context, candidateById, candidateId)) ??
        (await loadIfAny(context, environmentById, environmentId));
      if (subject?.projectId !== id) return null;
      return { cursor, action, releaseProject: await loadReleaseProject(context, args.project) };
    },
  });
}

async function followDeployments(
  subscribing: SubscriptionRequest<FollowEnvironmentsArgs>,
): Promise<AsyncIterable<unknown>> {
  const { context } = subscribing;
  return await follow(subscribing, async ({ cursor, action, deploymentId }, projectId) => {
    const deployment = await loadIfAny(context, deploymentById, deploymentId);
    return deployment?.projectId === projectId ? { cursor, action, deployment } : null;
  });
}

async function followEnvironments(
  subscribing: SubscriptionRequest<FollowEnvironmentsArgs>,
): Promise<AsyncIterable<unknown>> {
  const { context } = subscribing;
  return await follow(subscribing, async ({ cursor, action, environmentId }, projectId) => {
    const environment = await loadIfAny(context, environmentById, environmentId);
    return environment?.projectId === projectId ? { cursor, action, environment } : null;
  });
}

/** The project or environment must exist when the subscription begins. */
async function follow<Change extends object>(
  subscribing: SubscriptionRequest<FollowEnvironmentsArgs>,
  toChange: (event: FollowedEvent, projectId: string) => Promise<Change | null>,
): Promise<AsyncIterable<unknown>> {
  const { args, context } = subscribing;
  requireScope(context, 'release:read');
  const { project, environment = null } = args;
  const one = environment === null ? null : await loadEnvironment(context, { project, environment });
  const { id, repositoryId } = one?.project ?? (await loadReleaseProject(context, project));
  return await followEvents(subscribing, {
    matches: ({ environmentId }) => environmentId !== null && (one === null || one.environment.id === environmentId),
    toChange: async (event) => {
      await requireStillSeen(context, repositoryId);
      return await toChange(event, id);
    },
  });
}

@ArgsType()
class FollowReleaseProjectArgs extends FollowArgs {
  @Field(() => String, { description: 'The release project.' })
  project!: string;
}

@ArgsType()
class FollowEnvironmentsArgs extends FollowReleaseProjectArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'Name of an environment of the project. Left out: all environments, including environments that are created later.',
  })
  environment?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A change of a deployment.' })
class DeploymentChange extends ChangeByEvent {
  @Field(() => Deployment, { description: 'The deployment as it is now.' })
  deployment!: Deployment;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A change of an environment, such as of a deployment or of a freeze.',
})
class EnvironmentChange extends ChangeByEvent {
  @Field(() => Environment, { description: 'The environment as it is now.' })
  environment!: Environment;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A change of a release project, for example a candidate whose build has ended.',
})
class ReleaseProjectChange extends ChangeByEvent {
  @Field(() => ReleaseProject, { description: 'The release project as it is now.' })
  releaseProject!: ReleaseProject;
}
