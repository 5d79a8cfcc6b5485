import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Resolver, Root, Subscription } from 'type-graphql';
import { notFound } from '../../../domain/errors.ts';
import type { Connection } from '../../../graphql/connection.ts';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import {
  FollowLogArgs,
  LogArgs,
  LogPiece,
  LogPieceConnection,
  readLogPage,
  subscribeToLog,
} from '../../../graphql/logs.ts';
import { rowIdOf } from '../../../graphql/node-id.ts';
import { ReleaseCandidateVersion } from '../../../graphql/scalars.ts';
import { type SubscriptionRequest } from '../../../graphql/subscriptions.ts';
import { findCandidate } from '../candidates.reads.ts';
import { ReleaseCandidate } from '../candidates.types.ts';
import { maySeeInside, readWhileSeen } from '../../repositories/index.ts';
import { deploymentById } from '../deployments.reads.ts';
import { Deployment } from '../deployments.types.ts';
import { loadReleaseProject, releaseProjectById } from '../projects.reads.ts';
import { logOf } from './run-log.ts';
import { payloadOf, type SubscriptionValue } from '../../../graphql/subscription-payloads.ts';

@ArgsType()
class FollowDeploymentLogArgs extends FollowLogArgs {
  @Field(() => ID, { description: 'The deployment.' })
  deployment!: string;
}

@ArgsType()
class FollowBuildLogArgs extends FollowLogArgs {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => ReleaseCandidateVersion, { description: 'The candidate.' })
  version!: string;
}

@Resolver(() => Deployment)
export class DeploymentLogResolver {
  @FieldResolver(() => LogPieceConnection, {
    description:
      'The output of the run, oldest first. If the output is larger than 1 MiB, only its beginning and its end are stored. Empty if Interlock does not run the provider itself.',
  })
  async log(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Deployment,
    @Args(() => LogArgs) args: LogArgs,
  ): Promise<Connection<LogPiece>> {
    return await readLogPage(logOf(ctx, { deploymentId: id }), args);
  }

  @Subscription(() => LogPiece, {
    subscribe: followDeploymentLog,
    description:
      'The log of a deployment from a given place on, while it is written, until the deployment has ended. Needs release:read.',
  })
  deploymentLog(
    @Root() piece: SubscriptionValue<LogPiece>,
    @Args(() => FollowDeploymentLogArgs) _args: FollowDeploymentLogArgs,
  ): LogPiece {
    return payloadOf(piece);
  }
}

@Resolver(() => ReleaseCandidate)
export class BuildLogResolver {
  @FieldResolver(() => LogPieceConnection, {
    description:
      'The output of the build, oldest first. If the output is larger than 1 MiB, only its beginning and its end are stored. Empty if Interlock did not run the build itself.',
  })
  async log(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: ReleaseCandidate,
    @Args(() => LogArgs) args: LogArgs,
  ): Promise<Connection<LogPiece>> {
    return await readLogPage(logOf(ctx, { candidateId: id }), args);
  }

  @Subscription(() => LogPiece, {
    subscribe: followBuildLog,
    description:
      "The log of a candidate's build from a given place on, while it is written, until the build has ended. Needs release:read.",
  })
  buildLog(
    @Root() piece: SubscriptionValue<LogPiece>,
    @Args(() => FollowBuildLogArgs) _args: FollowBuildLogArgs,
  ): LogPiece {
    return payloadOf(piece);
  }
}

async function followDeploymentLog({
  args,
  context,
}: SubscriptionRequest<FollowDeploymentLogArgs>): Promise<AsyncIterable<unknown>> {
  const id = rowIdOf('Deployment', args.deployment);
  const deployment = await loaderOf(context, deploymentById).load(id);
  const project = deployment && (await loaderOf(context, releaseProjectById).load(deployment.projectId));
  if (project === null || !(await maySeeInside(context, project.repositoryId))) throw notFound('Deployment');
  return await subscribeToLog(context, {
    name: `deployment/${id}`,
    read: logOf(context, { deploymentId: id }),
    whileSeen: (read) => readWhileSeen(context, project.repositoryId, read),
    after: args.after,
    missing: 'Deployment',
  });
}

async function followBuildLog({
  args,
  context,
}: SubscriptionRequest<FollowBuildLogArgs>): Promise<AsyncIterable<unknown>> {
  const { id, repositoryId } = await loadReleaseProject(context, args.project);
  const candidate = await findCandidate(context, id, args.version);
  if (candidate === null) throw notFound('Release');
  return await subscribeToLog(context, {
    name: `candidate/${candidate.id}`,
    read: logOf(context, { candidateId: candidate.id }),
    whileSeen: (read) => readWhileSeen(context, repositoryId, read),
    after: args.after,
    missing: 'Release',
  });
}
