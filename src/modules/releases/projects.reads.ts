// Reads release projects and environments for GraphQL. Names are looked up within the account.
import DataLoader from 'dataloader';
import type { Context, Scope } from '../../context.ts';
import { notFound } from '../../domain/errors.ts';
import type { ProviderSettings } from '../../domain/releases/release.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { loadMany, loadOne } from '../../graphql/loaders.ts';
import { requireScope } from '../accounts/index.ts';
import {
  maySeeInside,
  readRepositoriesById,
  readSeenPage,
  requireAtHostOf,
  seenAtOnce,
} from '../repositories/index.ts';
import type { Repository } from '../repositories/repositories.types.ts';
import type { Environment } from './environments.types.ts';
import type { Provider, ReleaseProject } from './projects.types.ts';

interface Settings {
  readonly settings: ProviderSettings | null;
  readonly hasSecret: boolean;
}

type ProjectRead = Omit<ReleaseProject, 'build'> & Settings;
export type EnvironmentRead = Omit<Environment, 'provider'> & Settings;

const projectColumns = `p.id, p.name, p.repository_id as "repositoryId", p.build_provider as settings,
  p.build_secret is not null as "hasSecret", p.build_timeout_sec as "buildTimeoutSec", p.created_at as "createdAt"`;
export const environmentColumns = `e.id, e.project_id as "projectId", e.name, e.position, e.tier, e.provider as settings,
  e.provider_secret is not null as "hasSecret", e.report_timeout_sec as "reportTimeoutSec",
  e.freeze_after_rollback as "freezeAfterRollback", e.freeze_after_rollback_sec as "freezeAfterRollbackSec", e.created_at as "createdAt"`;

/**
 * Null: the account has no project with this name, or the project's repository is at GitHub and GitHub hides it from
 * the caller.
 */
export async function findReleaseProject(ctx: Context, name: string): Promise<ReleaseProject | null> {
  requireScope(ctx, 'release:read');
  const [row] = await ctx.db.read<ProjectRead>(ctx.accountId, {
    name: 'release_project_by_name',
    text: `select ${projectColumns} from release_project p where p.account_id = $1 and p.name = $2`,
    values: [ctx.accountId, name],
  });
  return row && (await maySeeInside(ctx, row.repositoryId)) ? toProject(row) : null;
}

/** Throws NOT_FOUND, or FORBIDDEN unless GitHub lets the caller use `scope` in the project's repository. */
export async function loadReleaseProject(ctx: Context, name: string, scope?: Scope): Promise<ReleaseProject> {
  const project = await findReleaseProject(ctx, name);
  if (project === null) throw notFound('Release project');
  if (scope !== undefined) await requireAtHostOf(ctx, project.repositoryId, scope);
  return project;
}

/** The projects by name. Reads one more than the page holds, which shows whether there is a next page. */
async function readReleaseProjects(
  ctx: Context,
  { size, after }: { readonly size: number; readonly after: string | null },
): Promise<ReleaseProject[]> {
  requireScope(ctx, 'release:read');
  const rows = await ctx.db.read<ProjectRead>(ctx.accountId, {
    name: 'release_projects',
    text: `select ${projectColumns} from release_project p
           where p.account_id = $1 and ($2::text is null or p.name > $2) order by p.name limit $3::bigint + 1`,
    values: [ctx.accountId, after, size],
  });
  return rows.map(toProject);
}

/** Like `readReleaseProjects`, without the projects of repositories that GitHub hides from the caller. */
export async function readSeenReleaseProjects(
  ctx: Context,
  page: { readonly size: number; readonly after: string | null },
): Promise<ReleaseProject[]> {
  if (ctx.actor.personAtGitHub === null) return await readReleaseProjects(ctx, page);
  return await readSeenPage(page, {
    read: async (last: ReleaseProject | null) =>
      await readReleaseProjects(ctx, { size: seenAtOnce - 1, after: last?.name ?? page.after }),
    filter: async (rows) => {
      const seen = await Promise.all(rows.map(async ({ repositoryId }) => await maySeeInside(ctx, repositoryId)));
      return rows.filter((_row, at) => seen[at]);
    },
  });
}

export async function findEnvironment(ctx: Context, projectId: string, name: string): Promise<Environment | null> {
  requireScope(ctx, 'release:read');
  const [row] = await ctx.db.read<EnvironmentRead>(ctx.accountId, {
    name: 'environment_by_name',
    text: `select ${environmentColumns} from environment e where e.account_id = $1 and e.project_id = $2 and e.name = $3`,
    values: [ctx.accountId, projectId, name],
  });
  return row ? toEnvironment(row) : null;
}

/** The project and the environment with the names of a request. Throws like `loadReleaseProject`. */
export async function loadEnvironment(
  ctx: Context,
  names: { readonly project: string; readonly environment: string },
  scope?: Scope,
): Promise<{ readonly project: ReleaseProject; readonly environment: Environment }> {
  const project = await loadReleaseProject(ctx, names.project, scope);
  const environment = await findEnvironment(ctx, project.id, names.environment);
  if (environment === null) throw notFound('Release environment');
  return { project, environment };
}

/** The id of the repository that an environment belongs to. Null: the account has no such environment. */
export async function readRepositoryOfEnvironment(ctx: Context, id: string): Promise<string | null> {
  requireScope(ctx, 'release:read');
  const [row] = await ctx.db.read<{ repositoryId: string }>(ctx.accountId, {
    name: 'repository_of_environment',
    text: `select p.repository_id as "repositoryId"
           from environment e join release_project p on p.account_id = e.account_id and p.id = e.project_id
           where e.account_id = $1 and e.id = $2`,
    values: [ctx.accountId, id],
  });
  return row?.repositoryId ?? null;
}

/** The environments of each project, in their order. */
export function environmentsOfProject(ctx: GraphQLContext): DataLoader<string, Environment[]> {
  return loadMany('projectId', async (projectIds) => {
    requireScope(ctx, 'release:read');
    const rows = await ctx.db.read<EnvironmentRead>(ctx.accountId, {
      name: 'environments_of_projects',
      text: `select ${environmentColumns} from environment e
             where e.account_id = $1 and e.project_id = any ($2::bigint[]) order by e.project_id, e.position, e.id`,
      values: [ctx.accountId, projectIds],
    });
    return rows.map(toEnvironment);
  });
}

export function releaseProjectById(ctx: GraphQLContext): DataLoader<string, ReleaseProject | null> {
  return loadOne('id', async (ids) => {
    requireScope(ctx, 'release:read');
    const rows = await ctx.db.read<ProjectRead>(ctx.accountId, {
      name: 'release_projects_by_id',
      text: `select ${projectColumns} from release_project p where p.account_id = $1 and p.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
    return rows.map(toProject);
  });
}

export function environmentById(ctx: GraphQLContext): DataLoader<string, Environment | null> {
  return loadOne('id', async (ids) => {
    requireScope(ctx, 'release:read');
    const rows = await ctx.db.read<EnvironmentRead>(ctx.accountId, {
      name: 'environments_by_id',
      text: `select ${environmentColumns} from environment e where e.account_id = $1 and e.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
    return rows.map(toEnvironment);
  });
}

/** Repositories by their ids. Projects and candidates always have a repository. */
export function repositoryOfRelease(ctx: GraphQLContext): DataLoader<string, Repository> {
  return new DataLoader(
    async (ids) => {
      const found = new Map((await readRepositoriesById(ctx, ids)).map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? new Error(`The repository ${id} is gone.`));
    },
    { cache: false },
  );
}

/** Loads the rows that exist, in the order of `ids`. */
export async function loadExisting<Row>(
  loader: DataLoader<string, Row | null>,
  ids: readonly string[],
): Promise<Row[]> {
  const rows = await Promise.all(ids.map(async (id) => await loader.load(id)));
  return rows.flatMap((row) => (row === null ? [] : [row]));
}

function toProject({ settings, hasSecret, ...row }: ProjectRead): ReleaseProject {
  return { ...row, build: settings && toProvider(settings, hasSecret) };
}

export function toEnvironment({ settings, hasSecret, ...row }: EnvironmentRead): Environment {
  return { ...row, provider: toProvider(settings ?? { kind: 'none' }, hasSecret) };
}

const nothingElse = { command: null, timeoutSec: null, url: null, statusUrl: null, workflow: null };

function toProvider(settings: ProviderSettings, hasSecret: boolean): Provider {
  return { ...nothingElse, ...settings, hasSecret };
}
