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
    description: 'What was deployed there, or is to be, newest first (interface 4.8).',
  })
  async deployments(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Environment,
    @Arg('first', () => PageSize, { nullable: true, defaultValue: 10, description: 'Size of a page, 10 if not given.' })
    first: number | null,
    @Arg('after', () => String, { nullable: true, description: 'Cursor of the connection to go on from.' })
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
  @FieldResolver(() => Environment, { description: 'Where it goes.' })
  async environment(@Ctx() ctx: GraphQLContext, @Root() { environmentId }: Deployment): Promise<Environment | null> {
    return await loaderOf(ctx, environmentById).load(environmentId);
  }

  @FieldResolver(() => ReleaseProject, { description: 'The release project of its environment.' })
  async project(@Ctx() ctx: GraphQLContext, @Root() { projectId }: Deployment): Promise<ReleaseProject | null> {
    return await loaderOf(ctx, releaseProjectById).load(projectId);
  }

  @FieldResolver(() => ReleaseCandidate, { description: 'What is deployed.' })
  async releaseCandidate(
    @Ctx() ctx: GraphQLContext,
    @Root() { candidateId }: Deployment,
  ): Promise<ReleaseCandidate | null> {
    return await loaderOf(ctx, candidateById).load(candidateId);
  }

  @FieldResolver(() => ReleaseCandidate, {
    nullable: true,
    description: 'The candidate that ran there before. Null: none did.',
  })
  async fromReleaseCandidate(
    @Ctx() ctx: GraphQLContext,
    @Root() { fromCandidateId }: Deployment,
  ): Promise<ReleaseCandidate | null> {
    return await loadIfAny(ctx, candidateById, fromCandidateId);
  }

  @FieldResolver(() => Deployment, {
    nullable: true,
    description: 'Of a rollback: the deployment it takes back. Null for any other.',
  })
  async rollbackOf(@Ctx() ctx: GraphQLContext, @Root() { rollbackOfId }: Deployment): Promise<Deployment | null> {
    return await loadIfAny(ctx, deploymentById, rollbackOfId);
  }

  @Mutation(() => DeploymentPayload, {
    description:
      'Deploys a candidate to an environment: at once, or in line behind what is deployed there now (interface 4.8). Needs deploy:write.',
  })
  async createDeployment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateDeploymentInput) input: CreateDeploymentInput,
  ): Promise<DeploymentPayload> {
    return toPayload(await createDeployment(ctx, input));
  }

  @Mutation(() => DeploymentPayload, {
    description:
      "Reports from an outside pipeline: sets the status of the candidate's newest deployment there, or makes a deployment with that status. Nothing is triggered (interface 4.8). Needs deploy:write.",
  })
  async reportDeployment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => ReportDeploymentInput) input: ReportDeploymentInput,
  ): Promise<DeploymentPayload> {
    return toPayload(await reportDeployment(ctx, input));
  }

  @Mutation(() => DeploymentPayload, {
    description:
      'Cancels a deployment: at once while it waits, otherwise by asking it to stop. It may still succeed. Needs deploy:write.',
  })
  async cancelDeployment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CancelDeploymentInput) { id, preview }: CancelDeploymentInput,
  ): Promise<DeploymentPayload> {
    return toPayload(await cancelDeployment(ctx, { id: rowIdOf('Deployment', id), preview }));
  }

  @Mutation(() => DeploymentPayload, {
    description:
      'Cancels what is active in an environment and deploys what ran there before. If the newest deployment failed, deploys the last success (interface 4.8). Needs deploy:write.',
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
