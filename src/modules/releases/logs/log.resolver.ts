import { Arg, Args, Ctx, FieldResolver, ID, Resolver, Root, Subscription } from 'type-graphql';
import { notFound } from '../../../domain/errors.ts';
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
import { ReleaseCandidateVersion } from '../../../graphql/scalars.ts';
import { findCandidate } from '../candidates.reads.ts';
import { ReleaseCandidate } from '../candidates.types.ts';
import { Deployment } from '../deployments.types.ts';
import { loadReleaseProject } from '../projects.reads.ts';
import { logOf } from './log.reads.ts';

@Resolver(() => Deployment)
export class DeploymentLogResolver {
  @FieldResolver(() => LogPieceConnection, {
    description:
      'What its run wrote, oldest first, at most 1 MiB of it. Empty where the provider is not run by the service.',
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
      'The log of a deployment, from a place on and as it is written, until the deployment has ended. Needs release:read.',
  })
  deploymentLog(
    @Root() piece: LogPiece | SubscriptionFailure,
    @Arg('deployment', () => ID, { description: 'The deployment.' }) _deployment: string,
    @Arg('after', () => String, { nullable: true, description: afterPieceDescription }) _after: string | null,
  ): LogPiece {
    return told(piece);
  }
}

@Resolver(() => ReleaseCandidate)
export class BuildLogResolver {
  @FieldResolver(() => LogPieceConnection, {
    description:
      'What its build wrote, oldest first, at most 1 MiB of it. Empty where nothing was built by the service.',
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
      "The log of a candidate's build, from a place on and as it is written, until it has ended. Needs release:read.",
  })
  buildLog(
    @Root() piece: LogPiece | SubscriptionFailure,
    @Arg('project', () => String, { description: 'The release project.' }) _project: string,
    @Arg('version', () => ReleaseCandidateVersion, { description: 'The candidate.' }) _version: string,
    @Arg('after', () => String, { nullable: true, description: afterPieceDescription }) _after: string | null,
  ): LogPiece {
    return told(piece);
  }
}

async function followDeploymentLog({
  args,
  context,
}: Subscribing<{ deployment: string }>): Promise<AsyncIterable<unknown>> {
  const read = logOf(context, { deploymentId: rowIdOf('Deployment', args.deployment) });
  return await subscribeToLog(read, { after: args.after, missing: 'Deployment' });
}

async function followBuildLog({
  args,
  context,
}: Subscribing<{ project: string; version: string }>): Promise<AsyncIterable<unknown>> {
  const { id } = await loadReleaseProject(context, args.project);
  const candidate = await findCandidate(context, id, args.version);
  if (candidate === null) throw notFound('Release');
  return await subscribeToLog(logOf(context, { candidateId: candidate.id }), {
    after: args.after,
    missing: 'Release',
  });
}
