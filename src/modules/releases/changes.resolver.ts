// What somebody who watches releases follows: each change is an event, and shows its subject as it is when it is told.
import { Arg, Ctx, FieldResolver, Resolver, Root, Subscription } from 'type-graphql';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import {
  afterDescription,
  mapEvents,
  told,
  type Subscribing,
  type SubscriptionFailure,
} from '../../graphql/event-log-pubsub.ts';
import { requireScope } from '../accounts/index.ts';
import type { FollowedEvent } from '../events/index.ts';
import { Event } from '../events/events.types.ts';
import { candidateById } from './candidates.reads.ts';
import { ReleaseCandidate } from './candidates.types.ts';
import { DeploymentChange, EnvironmentChange } from './changes.types.ts';
import { deploymentById } from './deployments.reads.ts';
import { Deployment } from './deployments.types.ts';
import { Environment } from './environments.types.ts';
import { environmentById, loadEnvironment, loadReleaseProject } from './projects.reads.ts';

const projectDescription = 'The release project.';
const environmentDescription = 'Name of one of its environments. Left out: all of them, later ones too.';

@Resolver(() => Event)
export class ReleaseChangesResolver {
  @FieldResolver(() => ReleaseCandidate, {
    nullable: true,
    description: 'The release candidate it is about. Null when it is about none. Needs release:read.',
  })
  async releaseCandidate(@Ctx() ctx: GraphQLContext, @Root() { candidateId }: Event): Promise<ReleaseCandidate | null> {
    return candidateId === null ? null : await loaderOf(ctx, candidateById).load(candidateId);
  }

  @FieldResolver(() => Deployment, {
    nullable: true,
    description: 'The deployment it is about. Null when it is about none. Needs release:read.',
  })
  async deployment(@Ctx() ctx: GraphQLContext, @Root() { deploymentId }: Event): Promise<Deployment | null> {
    return deploymentId === null ? null : await loaderOf(ctx, deploymentById).load(deploymentId);
  }

  @FieldResolver(() => Environment, {
    nullable: true,
    description: 'The environment it is about. Null when it is about none. Needs release:read.',
  })
  async environment(@Ctx() ctx: GraphQLContext, @Root() { environmentId }: Event): Promise<Environment | null> {
    return environmentId === null ? null : await loaderOf(ctx, environmentById).load(environmentId);
  }

  @Subscription(() => DeploymentChange, {
    subscribe: followDeployments,
    description: 'Deployments of a release project, each time one changed. Needs release:read.',
  })
  deploymentChanged(
    @Root() change: DeploymentChange | SubscriptionFailure,
    @Arg('project', () => String, { description: projectDescription }) _project: string,
    @Arg('environment', () => String, { nullable: true, description: environmentDescription })
    _environment: string | null,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after: string | null,
  ): DeploymentChange {
    return told(change);
  }

  @Subscription(() => EnvironmentChange, {
    subscribe: followEnvironments,
    description:
      'Environments of a release project, each time something in one changed: its deployments, its freezes. Needs release:read.',
  })
  environmentChanged(
    @Root() change: EnvironmentChange | SubscriptionFailure,
    @Arg('project', () => String, { description: projectDescription }) _project: string,
    @Arg('environment', () => String, { nullable: true, description: environmentDescription })
    _environment: string | null,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after: string | null,
  ): EnvironmentChange {
    return told(change);
  }
}

type Following = Subscribing<{ project: string; environment?: string | null }>;

async function followDeployments(following: Following): Promise<AsyncIterable<unknown>> {
  const { context } = following;
  return await follow(following, async ({ cursor, action, deploymentId }, { projectId }) => {
    const deployment = deploymentId === null ? null : await loaderOf(context, deploymentById).load(deploymentId);
    return deployment?.projectId === projectId ? { cursor, action, deployment } : null;
  });
}

async function followEnvironments(following: Following): Promise<AsyncIterable<unknown>> {
  const { context } = following;
  return await follow(following, async ({ cursor, action, environmentId }, { projectId }) => {
    const environment = await loaderOf(context, environmentById).load(environmentId ?? '0');
    return environment?.projectId === projectId ? { cursor, action, environment } : null;
  });
}

async function follow<Change extends object>(
  { args, context }: Following,
  toChange: (event: FollowedEvent, of: { readonly projectId: string }) => Promise<Change | null>,
): Promise<AsyncIterable<unknown>> {
  requireScope(context, 'release:read');
  const { project, environment = null } = args;
  const of = await readFollowed(context, { project, environment });
  const follower = context.events.follow({
    accountId: context.accountId,
    after: args.after,
    matches: ({ environmentId }) =>
      environmentId !== null && (of.environmentId === null || of.environmentId === environmentId),
  });
  await follower.started;
  return mapEvents(follower, async (event) => await toChange(event, of));
}

/** Both have to be there when it begins. */
async function readFollowed(
  ctx: GraphQLContext,
  { project, environment }: { readonly project: string; readonly environment: string | null },
): Promise<{ readonly projectId: string; readonly environmentId: string | null }> {
  if (environment === null) return { projectId: (await loadReleaseProject(ctx, project)).id, environmentId: null };
  const found = await loadEnvironment(ctx, { project, environment });
  return { projectId: found.project.id, environmentId: found.environment.id };
}
