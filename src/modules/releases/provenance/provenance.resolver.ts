import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../../graphql/connection.ts';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { PullRequest } from '../../queue/api/pull-requests.types.ts';
import { candidateById } from '../candidates.reads.ts';
import { ReleaseCandidate, ReleaseCandidateConnection } from '../candidates.types.ts';
import { deploymentById } from '../deployments.reads.ts';
import { Deployment, DeploymentConnection } from '../deployments.types.ts';
import { Environment } from '../environments.types.ts';
import { environmentById, loadExisting } from '../projects.reads.ts';
import { EnvironmentPresence } from './provenance.types.ts';
import {
  countDeploymentsWith,
  findMergedPullRequest,
  readCandidatesWith,
  readDeploymentsWith,
  readFirstCandidateWith,
  readPresenceOf,
} from './provenance.reads.ts';

const pageSize = 20;

@Resolver(() => PullRequest)
export class PullRequestReleasesResolver {
  @FieldResolver(() => ReleaseCandidateConnection, {
    description:
      'Release candidates that contain the merged commit of the pull request, newest first. Needs release:read.',
  })
  async releaseCandidates(
    @Ctx() ctx: GraphQLContext,
    @Root() pullRequest: PullRequest,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<ReleaseCandidate>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const merged = await findMergedPullRequest(ctx, pullRequest);
    const rows = merged ? await readCandidatesWith(ctx, merged, { size: page.size, before: rowId(page) }) : [];
    return toConnection(rows, page.size, { node: (row) => row, key: ({ id }) => [id] });
  }

  @FieldResolver(() => ReleaseCandidate, {
    nullable: true,
    description:
      'The first release candidate that contains the pull request. Null: no candidate contains it yet. Needs release:read.',
  })
  async firstReleaseCandidate(
    @Ctx() ctx: GraphQLContext,
    @Root() pullRequest: PullRequest,
  ): Promise<ReleaseCandidate | null> {
    const merged = await findMergedPullRequest(ctx, pullRequest);
    return merged && (await readFirstCandidateWith(ctx, merged));
  }

  @FieldResolver(() => DeploymentConnection, {
    description: 'Deployments of release candidates that contain the pull request, newest first. Needs release:read.',
  })
  async deployments(
    @Ctx() ctx: GraphQLContext,
    @Root() pullRequest: PullRequest,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<Deployment>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const merged = await findMergedPullRequest(ctx, pullRequest);
    const ids = merged ? await readDeploymentsWith(ctx, merged, { size: page.size, before: rowId(page) }) : [];
    const rows = await loadExisting(loaderOf(ctx, deploymentById), ids);
    return toConnection(rows, page.size, {
      node: (row) => row,
      key: ({ id }) => [id],
      totalCount: async () => (merged ? await countDeploymentsWith(ctx, merged) : 0),
    });
  }

  @FieldResolver(() => [EnvironmentPresence], {
    description:
      'The environments that the pull request runs in, in their order, and since when. A pull request runs in an environment if the candidate of the last successful deployment contains it. Needs release:read.',
  })
  async environments(@Ctx() ctx: GraphQLContext, @Root() pullRequest: PullRequest): Promise<EnvironmentPresence[]> {
    const merged = await findMergedPullRequest(ctx, pullRequest);
    return merged ? await readPresenceOf(ctx, merged) : [];
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether all release candidates were examined. False while new candidates are still examined. These candidates are missing from the release candidates, deployments and environments of the pull request. Needs release:read.',
  })
  async releasesComplete(@Ctx() ctx: GraphQLContext, @Root() pullRequest: PullRequest): Promise<boolean> {
    return (await findMergedPullRequest(ctx, pullRequest))?.isComplete ?? true;
  }
}

@Resolver(() => EnvironmentPresence)
export class EnvironmentPresenceResolver {
  @FieldResolver(() => Environment, { description: 'The environment.' })
  async environment(@Ctx() ctx: GraphQLContext, @Root() row: EnvironmentPresence): Promise<Environment | null> {
    return await loaderOf(ctx, environmentById).load(row.environmentId);
  }

  @FieldResolver(() => ReleaseCandidate, { description: 'The release candidate that runs in the environment now.' })
  async releaseCandidate(
    @Ctx() ctx: GraphQLContext,
    @Root() row: EnvironmentPresence,
  ): Promise<ReleaseCandidate | null> {
    return await loaderOf(ctx, candidateById).load(row.candidateId);
  }

  @FieldResolver(() => Deployment, {
    description: 'The deployment since which the pull request or candidate runs in the environment without a break.',
  })
  async deployment(@Ctx() ctx: GraphQLContext, @Root() row: EnvironmentPresence): Promise<Deployment | null> {
    return await loaderOf(ctx, deploymentById).load(row.deploymentId);
  }
}
