import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { notFound } from '../../domain/errors.ts';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../graphql/connection.ts';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { ReleaseCandidateVersion } from '../../graphql/scalars.ts';
import { Repository } from '../repositories/repositories.types.ts';
import {
  candidateById,
  findCandidate,
  findRelease,
  readCandidates,
  readCandidatesOfRelease,
  readReleases,
  releaseById,
} from './candidates.reads.ts';
import { createRelease } from './candidates.service.ts';
import {
  CreateReleaseInput,
  CreateReleasePayload,
  Release,
  ReleaseCandidate,
  ReleaseCandidateConnection,
  ReleaseConnection,
} from './candidates.types.ts';
import { releaseProjectById, repositoryOfRelease } from './projects.reads.ts';
import { ReleaseProject } from './projects.types.ts';

const pageSize = 20;

@Resolver(() => ReleaseProject)
export class ProjectCandidatesResolver {
  @FieldResolver(() => ReleaseConnection, { description: 'The releases of the project, newest first.' })
  async releases(
    @Ctx() ctx: GraphQLContext,
    @Root() project: ReleaseProject,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<Release>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readReleases(ctx, project.id, { size: page.size, before: rowId(page) });
    return toConnection(rows, page.size, { node: (row) => row, key: ({ id }) => [id] });
  }

  @FieldResolver(() => Release, {
    nullable: true,
    description: 'A release by its version. Null: the project has no such release.',
  })
  async release(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: ReleaseProject,
    @Arg('version', () => String, { description: 'The version of the release, without the suffix `-rc<number>`.' })
    version: string,
  ): Promise<Release | null> {
    return await findRelease(ctx, id, version);
  }

  @FieldResolver(() => ReleaseCandidateConnection, {
    description: 'The candidates of all releases of the project, newest first.',
  })
  async releaseCandidates(
    @Ctx() ctx: GraphQLContext,
    @Root() project: ReleaseProject,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<ReleaseCandidate>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readCandidates(ctx, project.id, { size: page.size, before: rowId(page) });
    return toConnection(rows, page.size, { node: (row) => row, key: ({ id }) => [id] });
  }

  @FieldResolver(() => ReleaseCandidate, {
    nullable: true,
    description: 'A candidate by its version. Null: the project has no such candidate.',
  })
  async releaseCandidate(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: ReleaseProject,
    @Arg('version', () => ReleaseCandidateVersion, { description: 'The version of the candidate.' }) version: string,
  ): Promise<ReleaseCandidate | null> {
    return await findCandidate(ctx, id, version);
  }
}

@Resolver(() => Release)
export class ReleasesResolver {
  @FieldResolver(() => ReleaseProject, { description: 'The project that is released.' })
  async project(@Ctx() ctx: GraphQLContext, @Root() { projectId }: Release): Promise<ReleaseProject | null> {
    return await loaderOf(ctx, releaseProjectById).load(projectId);
  }

  @FieldResolver(() => ReleaseCandidateConnection, { description: 'The candidates of the release, newest first.' })
  async candidates(
    @Ctx() ctx: GraphQLContext,
    @Root() release: Release,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<ReleaseCandidate>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readCandidatesOfRelease(ctx, release, { size: page.size, before: rowId(page) });
    return toConnection(rows, page.size, { node: (row) => row, key: ({ id }) => [id] });
  }
}

@Resolver(() => ReleaseCandidate)
export class ReleaseCandidatesResolver {
  @FieldResolver(() => ReleaseProject, { description: 'The release project of the candidate.' })
  async project(@Ctx() ctx: GraphQLContext, @Root() { projectId }: ReleaseCandidate): Promise<ReleaseProject | null> {
    return await loaderOf(ctx, releaseProjectById).load(projectId);
  }

  @FieldResolver(() => Release, { description: 'The release of the candidate.' })
  async release(@Ctx() ctx: GraphQLContext, @Root() { releaseId }: ReleaseCandidate): Promise<Release | null> {
    return await loaderOf(ctx, releaseById).load(releaseId);
  }

  @FieldResolver(() => Repository, { description: 'The repository that has the commit of the candidate.' })
  async repository(@Ctx() ctx: GraphQLContext, @Root() { repositoryId }: ReleaseCandidate): Promise<Repository> {
    return await loaderOf(ctx, repositoryOfRelease).load(repositoryId);
  }

  @Mutation(() => CreateReleasePayload, {
    description:
      'Creates a release candidate at a commit, and the release if it does not exist yet (interface 4.8). A repeated request with the same commit returns the same candidate. Needs release:write.',
  })
  async createRelease(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateReleaseInput) input: CreateReleaseInput,
  ): Promise<CreateReleasePayload> {
    const releaseCandidate = await loaderOf(ctx, candidateById).load(await createRelease(ctx, input));
    if (releaseCandidate === null) throw notFound('Release');
    return { releaseCandidate };
  }
}
