import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { problemText } from '../../domain/configuration/problem.ts';
import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../graphql/connection.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { NameWithOwner, PageNumber } from '../../graphql/scalars.ts';
import { requireScope } from '../accounts/index.ts';
import { readConfigurationChanges, readConfigurationRefusal } from './configuration.reads.ts';
import {
  checkReplacement,
  configurationHash,
  replaceConfiguration,
  type ReplaceOutcome,
} from './configuration.service.ts';
import {
  type ConfigurationChange,
  ConfigurationChangeConnection,
  ConfigurationHistoryArgs,
  ConfigurationRefusal,
} from './configuration.types.ts';
import { deleteRepository } from './deletion.service.ts';
import { readRepository } from './known-repositories.ts';
import { countSeenRepositories, readSeenRepositories, type RepositoryName } from './repositories.reads.ts';
import { createRepository, requireMayPause, pauseRepository } from './repositories.service.ts';
import {
  CreateRepositoryInput,
  CreateRepositoryPayload,
  DeleteRepositoryInput,
  DeleteRepositoryPayload,
  PauseRepositoryInput,
  PauseRepositoryPayload,
  ReplaceConfigurationInput,
  ReplaceConfigurationPayload,
  Repository,
  RepositoryConfiguration,
  RepositoryConnection,
  toProblem,
} from './repositories.types.ts';

const pageSize = 10;
const historyPageSize = 20;

@Resolver(() => Repository)
export class RepositoriesResolver {
  @Query(() => Repository, {
    nullable: true,
    description:
      'A repository by `owner` and `name`, or by `nameWithOwner`. Null: the account has no repository with this name. Needs queue:read, queue:pause, config:read, analytics:read, release:read or runbook:write. The fields of the repository may need further scopes.',
  })
  async repository(
    @Ctx() ctx: GraphQLContext,
    @Arg('owner', () => String, { nullable: true, description: 'Organization on the code host.' }) owner: string | null,
    @Arg('name', () => String, { nullable: true, description: 'Name of the repository.' }) name: string | null,
    @Arg('nameWithOwner', () => NameWithOwner, {
      nullable: true,
      description: '`owner/name`, in the place of the other two arguments.',
    })
    nameWithOwner: string | null,
  ): Promise<Repository | null> {
    return await readRepository(ctx, repositoryName(owner, name, nameWithOwner));
  }

  @Query(() => RepositoryConnection, { description: "The account's repositories by owner and name. Needs queue:read." })
  async repositories(
    @Ctx() ctx: GraphQLContext,
    @PageArgs(10) request: PageRequest,
    @Arg('page', () => PageNumber, { nullable: true, description: 'A page by its number, in the place of `after`.' })
    page: number | null,
  ): Promise<Connection<Repository>> {
    const { size, offset, after: key } = readPage({ ...request, page }, { size: pageSize, keyLength: 2 });
    const rows = await readSeenRepositories(ctx, {
      size,
      offset,
      after: key && { owner: String(key[0]), name: String(key[1]) },
    });
    return toConnection(rows, size, {
      node: (row): Repository => row,
      key: (row) => [row.owner, row.name],
      totalCount: async () => await countSeenRepositories(ctx),
    });
  }

  @FieldResolver(() => RepositoryConfiguration, {
    description: 'The rules of the queues of the repository. Needs config:read.',
  })
  async configuration(@Ctx() ctx: GraphQLContext, @Root() repository: Repository): Promise<RepositoryConfiguration> {
    requireScope(ctx, 'config:read');
    const yaml = await repository.configurationYaml;
    return { yaml, hash: configurationHash(yaml) };
  }

  @FieldResolver(() => ConfigurationRefusal, {
    nullable: true,
    description:
      'The refused configuration file on the default branch. Null: no file was refused, or a configuration was accepted since then. Needs config:read.',
  })
  async configurationRefusal(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Repository,
  ): Promise<ConfigurationRefusal | null> {
    return await readConfigurationRefusal(ctx, id);
  }

  @FieldResolver(() => ConfigurationChangeConnection, {
    description: 'The changes of the configuration, newest first. Needs config:read.',
  })
  async configurationHistory(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @Args(() => ConfigurationHistoryArgs) { start, end, ...request }: ConfigurationHistoryArgs,
  ): Promise<Connection<ConfigurationChange>> {
    const page = readPage(request, { size: historyPageSize, keyLength: 1 });
    const { size, offset } = page;
    const days = { start: start ?? null, end: end ?? null };
    const rows = await readConfigurationChanges(ctx, repository.id, { size, offset, before: rowId(page), ...days });
    return toConnection(rows, size, { node: (row) => row, key: (row) => [row.id] });
  }

  @Mutation(() => CreateRepositoryPayload, {
    description: 'Creates an empty repository. Push to it under /git. Needs admin.',
  })
  async createRepository(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateRepositoryInput) input: CreateRepositoryInput,
  ): Promise<CreateRepositoryPayload> {
    return { repository: await createRepository(ctx, input) };
  }

  @Mutation(() => DeleteRepositoryPayload, {
    description:
      'Deletes an inactive repository that has nothing under way: its git folder, checks, logs, rights and secrets. Landings, proofs, events and the audit log stay, and another repository may have its name. A deletion cannot be undone. Needs admin.',
  })
  async deleteRepository(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => DeleteRepositoryInput) input: DeleteRepositoryInput,
  ): Promise<DeleteRepositoryPayload> {
    return { repository: await deleteRepository(ctx, input.repository) };
  }

  @Mutation(() => PauseRepositoryPayload, {
    description: 'Stops or resumes validating and merging in a repository (interface 4.1). Needs queue:pause.',
  })
  async pauseRepository(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PauseRepositoryInput) input: PauseRepositoryInput,
  ): Promise<PauseRepositoryPayload> {
    if (!input.preview) return { repository: await pauseRepository(ctx, input) };
    const repository = await requireMayPause(ctx, input.repository);
    const act = async (dryContext: Context): Promise<unknown> => await pauseRepository(dryContext, input);
    return { repository, dryRun: { repositoryId: repository.id, act } };
  }

  @Mutation(() => ReplaceConfigurationPayload, {
    description: "Replaces a repository's configuration (interface 4.5). Needs config:write.",
  })
  async replaceConfiguration(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => ReplaceConfigurationInput) input: ReplaceConfigurationInput,
  ): Promise<ReplaceConfigurationPayload> {
    if (!input.preview) return { outcome: toOutcome(await replaceConfiguration(ctx, input)) };
    const outcome = await checkReplacement(ctx, input);
    if (outcome.kind === 'refused') return { outcome: toOutcome(outcome) };
    const act = async (dryContext: Context): Promise<unknown> => await replaceConfiguration(dryContext, input);
    return { outcome: toOutcome(outcome), dryRun: { repositoryId: outcome.repository.id, act } };
  }
}

function toOutcome(outcome: ReplaceOutcome): ReplaceConfigurationPayload['outcome'] {
  if (outcome.kind === 'accepted') return { success: true };
  return { success: false, messages: outcome.problems.map(problemText), problems: outcome.problems.map(toProblem) };
}

export function repositoryName(
  owner: string | null | undefined,
  name: string | null | undefined,
  nameWithOwner: string | null | undefined,
): RepositoryName {
  const apart = typeof owner === 'string' && typeof name === 'string';
  if (apart === (typeof nameWithOwner === 'string')) {
    throw new DomainError(
      'BAD_INPUT',
      'Give either owner and name, or nameWithOwner',
      apart ? 'nameWithOwner' : 'owner',
    );
  }
  if (apart) return { owner, name };
  const [first = '', second = ''] = String(nameWithOwner).split('/');
  return { owner: first, name: second };
}
