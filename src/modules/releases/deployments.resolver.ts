import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { readPage, rowId, toConnection, type Connection } from '../../graphql/connection.ts';
import { loadIfAny, loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { rowIdOf } from '../../graphql/node-id.ts';
import { PageNumber, PageSize } from '../../graphql/scalars.ts';
import { candidateById } from './candidates.reads.ts';
import { ReleaseCandidate } from './candidates.types.ts';
import { impactText, type Answer } from './deployments.impact.ts';
import { countDeployments, deploymentById, readDeployments } from './deployments.reads.ts';
import { cancelDeployment, createDeployment, reportDeployment, rollBackEnvironment } from './deployments.service.ts';
import {
  CancelDeploymentInput,
  CreateDeploymentInput,
  Deployment,
  DeploymentConnection,
  DeploymentPayload,
  ReportDeploymentInput,
  RollBackEnvironmentInput,
} from './deployments.types.ts';
import { Environment } from './environments.types.ts';
import { environmentById, releaseProjectById } from './projects.reads.ts';
import { ReleaseProject } from './projects.types.ts';

const pageSize = 10;

@Resolver(() => Environment)
export class EnvironmentDeploymentsResolver {
  @FieldResolver(() => DeploymentConnection, {
    description: 'Past, active and waiting deployments of the environment, newest first (interface 4.8).',
  })
  async deployments(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Environment,
    @Arg('first', () => PageSize, { nullable: true, defaultValue: 10, description: 'Size of a page, 10 if not given.' })
    first: number | null,
    @Arg('after', () => String, { nullable: true, description: 'The cursor of the last entry of the previous page.' })
    after: string | null,
    @Arg('page', () => PageNumber, { nullable: true, description: 'A page by its number, in the place of `after`.' })
    page: number | null,
  ): Promise<Connection<Deployment>> {
    const request = readPage({ first, after, page }, { size: pageSize, keyLength: 1 });
    const rows = await readDeployments(ctx, id, { ...request, before: rowId(request) });
    return toConnection(rows, request.size, {
      node: (row): Deployment => row,
      key: (row) => [row.id],
      totalCount: async () => await countDeployments(ctx, id),
    });
  }
}

@Resolver(() => Deployment)
export class DeploymentsResolver {
  @FieldResolver(() => Environment, { description: 'The environment of the deployment.' })
  async environment(@Ctx() ctx: GraphQLContext, @Root() { environmentId }: Deployment): Promise<Environment | null> {
    return await loaderOf(ctx, environmentById).load(environmentId);
  }

  @FieldResolver(() => ReleaseProject, { description: 'The release project of the environment.' })
  async project(@Ctx() ctx: GraphQLContext, @Root() { projectId }: Deployment): Promise<ReleaseProject | null> {
    return await loaderOf(ctx, releaseProjectById).load(projectId);
  }

  @FieldResolver(() => ReleaseCandidate, { description: 'The candidate that is deployed.' })
  async releaseCandidate(
    @Ctx() ctx: GraphQLContext,
    @Root() { candidateId }: Deployment,
  ): Promise<ReleaseCandidate | null> {
    return await loaderOf(ctx, candidateById).load(candidateId);
  }

  @FieldResolver(() => ReleaseCandidate, {
    nullable: true,
    description: 'The candidate that ran in the environment before. Null: no candidate ran there.',
  })
  async fromReleaseCandidate(
    @Ctx() ctx: GraphQLContext,
    @Root() { fromCandidateId }: Deployment,
  ): Promise<ReleaseCandidate | null> {
    return await loadIfAny(ctx, candidateById, fromCandidateId);
  }

  @FieldResolver(() => Deployment, {
    nullable: true,
    description: 'The deployment that a rollback undoes. Null unless this deployment is a rollback.',
  })
  async rollbackOf(@Ctx() ctx: GraphQLContext, @Root() { rollbackOfId }: Deployment): Promise<Deployment | null> {
    return await loadIfAny(ctx, deploymentById, rollbackOfId);
  }

  @Mutation(() => DeploymentPayload, {
    description:
      'Deploys a candidate to an environment: at once, or in line behind the active deployments (interface 4.8). Needs deploy:write.',
  })
  async createDeployment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateDeploymentInput) input: CreateDeploymentInput,
  ): Promise<DeploymentPayload> {
    return toPayload(await createDeployment(ctx, input));
  }

  @Mutation(() => DeploymentPayload, {
    description:
      "Accepts the report of an outside pipeline. The report sets the status of the candidate's newest deployment in the environment, or creates a deployment with this status. It triggers nothing (interface 4.8). Needs deploy:write.",
  })
  async reportDeployment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => ReportDeploymentInput) input: ReportDeploymentInput,
  ): Promise<DeploymentPayload> {
    return toPayload(await reportDeployment(ctx, input));
  }

  @Mutation(() => DeploymentPayload, {
    description:
      'Cancels a deployment. A waiting deployment is canceled at once. The provider of a started deployment is asked to stop it, and the deployment may still succeed. Needs deploy:write.',
  })
  async cancelDeployment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CancelDeploymentInput) { id, preview }: CancelDeploymentInput,
  ): Promise<DeploymentPayload> {
    return toPayload(await cancelDeployment(ctx, { id: rowIdOf('Deployment', id), preview }));
  }

  @Mutation(() => DeploymentPayload, {
    description:
      'Cancels the active deployments of an environment, and deploys the candidate that ran there before. If the newest deployment failed, deploys the candidate of the last success (interface 4.8). Needs deploy:write.',
  })
  async rollBackEnvironment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RollBackEnvironmentInput) input: RollBackEnvironmentInput,
  ): Promise<DeploymentPayload> {
    return toPayload(await rollBackEnvironment(ctx, input));
  }
}

function toPayload(answer: Answer): DeploymentPayload {
  const { deployment, cancels, waitsFor, isPreview } = answer;
  return { deployment, impact: isPreview ? { sentence: impactText(answer), cancels, waitsFor } : null };
}
