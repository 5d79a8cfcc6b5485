import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Connection, PageArgs, type PageRequest, readPage, toConnection } from '../../graphql/connection.ts';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { viewerActionsOf } from '../accounts/index.ts';
import { ViewerAction } from '../accounts/viewer-actions.types.ts';
import { readRepositoriesById, refusalsAtHost } from '../repositories/index.ts';
import { Repository } from '../repositories/repositories.types.ts';
import { createEnvironment, updateEnvironment, type EnvironmentImpact } from './environments.service.ts';
import {
  CreateEnvironmentInput,
  Environment,
  EnvironmentPayload,
  UpdateEnvironmentInput,
  UpdateEnvironmentPayload,
  type UpdateEnvironmentImpact,
} from './environments.types.ts';
import {
  environmentsOfProject,
  findEnvironment,
  findReleaseProject,
  loadEnvironment,
  loadReleaseProject,
  readSeenReleaseProjects,
  releaseProjectById,
  repositoryOfRelease,
} from './projects.reads.ts';
import { createReleaseProject, updateReleaseProject } from './projects.service.ts';
import {
  CreateReleaseProjectInput,
  ReleaseProject,
  ReleaseProjectConnection,
  ReleaseProjectPayload,
  UpdateReleaseProjectInput,
} from './projects.types.ts';

const pageSize = 20;

@Resolver(() => ReleaseProject)
export class ReleaseProjectsResolver {
  @Query(() => ReleaseProject, {
    nullable: true,
    description: 'A release project by its name. Null: the account has no project with this name. Needs release:read.',
  })
  async releaseProject(
    @Ctx() ctx: GraphQLContext,
    @Arg('name', () => String, { description: 'The name. Upper and lower case differ.' }) name: string,
  ): Promise<ReleaseProject | null> {
    return await findReleaseProject(ctx, name);
  }

  @Query(() => ReleaseProjectConnection, { description: "The account's release projects by name. Needs release:read." })
  async releaseProjects(
    @Ctx() ctx: GraphQLContext,
    @PageArgs(20) request: PageRequest,
  ): Promise<Connection<ReleaseProject>> {
    const { size, after: key } = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readSeenReleaseProjects(ctx, { size, after: key && String(key[0]) });
    return toConnection(rows, size, { node: (row): ReleaseProject => row, key: ({ name }) => [name] });
  }

  @FieldResolver(() => Repository, { description: 'The repository that is released.' })
  async repository(@Ctx() ctx: GraphQLContext, @Root() { repositoryId }: ReleaseProject): Promise<Repository> {
    return await loaderOf(ctx, repositoryOfRelease).load(repositoryId);
  }

  @FieldResolver(() => [Environment], { description: 'The environments of the project, in their order.' })
  async environments(@Ctx() ctx: GraphQLContext, @Root() { id }: ReleaseProject): Promise<Environment[]> {
    return await loaderOf(ctx, environmentsOfProject).load(id);
  }

  @FieldResolver(() => Environment, {
    nullable: true,
    description: 'An environment by its name. Null: the project has no environment with this name.',
  })
  async environment(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: ReleaseProject,
    @Arg('name', () => String, { description: 'The name. Upper and lower case differ.' }) name: string,
  ): Promise<Environment | null> {
    return await findEnvironment(ctx, id, name);
  }

  @Mutation(() => ReleaseProjectPayload, {
    description:
      'Creates a release project for a repository. A project of a deleted repository that has the name is renamed to `<name> (deleted <id>)`. Needs release:write.',
  })
  async createReleaseProject(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateReleaseProjectInput) input: CreateReleaseProjectInput,
  ): Promise<ReleaseProjectPayload> {
    await createReleaseProject(ctx, ctx.secrets, input);
    return { releaseProject: await loadReleaseProject(ctx, input.name) };
  }

  @Mutation(() => ReleaseProjectPayload, {
    description: 'Changes how candidates of a release project are built. Needs release:write.',
  })
  async updateReleaseProject(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => UpdateReleaseProjectInput) input: UpdateReleaseProjectInput,
  ): Promise<ReleaseProjectPayload> {
    await updateReleaseProject(ctx, ctx.secrets, input);
    return { releaseProject: await loadReleaseProject(ctx, input.project) };
  }
}

@Resolver(() => Environment)
export class EnvironmentsResolver {
  @FieldResolver(() => [ViewerAction], {
    description: 'Which actions the caller is permitted to do with the environment.',
  })
  async viewerCan(@Ctx() ctx: GraphQLContext, @Root() { projectId }: Environment): Promise<ViewerAction[]> {
    const actions = ['deploy', 'roll_back', 'freeze', 'update_environment'] as const;
    if (ctx.actor.personAtGitHub === null) return viewerActionsOf(ctx, actions);
    const project = await loaderOf(ctx, releaseProjectById).load(projectId);
    const [row] = project === null ? [] : await readRepositoriesById(ctx, [project.repositoryId]);
    return viewerActionsOf(ctx, actions, row && (await refusalsAtHost(ctx, row)));
  }

  @FieldResolver(() => ReleaseProject, { description: 'The release project of the environment.' })
  async project(@Ctx() ctx: GraphQLContext, @Root() { projectId }: Environment): Promise<ReleaseProject | null> {
    return await loaderOf(ctx, releaseProjectById).load(projectId);
  }

  @Mutation(() => EnvironmentPayload, {
    description: 'Creates an environment for the candidates of a release project. Needs release:write.',
  })
  async createEnvironment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateEnvironmentInput) input: CreateEnvironmentInput,
  ): Promise<EnvironmentPayload> {
    await createEnvironment(ctx, ctx.secrets, input);
    return await loadEnvironment(ctx, { project: input.project, environment: input.name });
  }

  @Mutation(() => UpdateEnvironmentPayload, {
    description: 'Changes an environment. Needs release:write.',
  })
  async updateEnvironment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => UpdateEnvironmentInput) input: UpdateEnvironmentInput,
  ): Promise<UpdateEnvironmentPayload> {
    const impact = await updateEnvironment(ctx, ctx.secrets, input);
    const { environment } = await loadEnvironment(ctx, input);
    return { environment, impact: impact && toImpact(impact) };
  }
}

function toImpact({ changes, affects }: EnvironmentImpact): UpdateEnvironmentImpact {
  const sentences = changes.map(({ sentence }) => sentence);
  return {
    sentence: sentences.length === 0 ? 'Nothing changes.' : sentences.join(' '),
    changedFields: changes.map(({ field }) => field),
    affects,
  };
}
