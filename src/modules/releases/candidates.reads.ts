import type DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { loadOne } from '../../graphql/loaders.ts';
import { requireScope } from '../accounts/index.ts';
import type { Release, ReleaseCandidate } from './candidates.types.ts';

export const candidateColumns = `c.id, c.project_id as "projectId", c.release_id as "releaseId", c.repository_id as "repositoryId", c.version, c.number,
  regexp_replace(c.version, '-rc[0-9]+$', '') as "releaseVersion", c.commit, c.status, c.error_message as "errorMessage", c.actor,
  c.problem as "lastFailure", case when c.problem is not null then greatest(c.call_at, c.supervised_until) end as "nextTryAt",
  c.created_at as "createdAt", c.ended_at as "endedAt"`;
const releaseColumns = 'r.id, r.project_id as "projectId", r.version, r.created_at as "createdAt"';

export interface PageBefore {
  /** One row more is read, to know whether there is a next page. */
  readonly size: number;
  readonly before: string;
}

/** Null: the project has no candidate with this version. */
export async function findCandidate(
  ctx: Context,
  projectId: string,
  version: string,
): Promise<ReleaseCandidate | null> {
  requireScope(ctx, 'release:read');
  const [row] = await ctx.db.read<ReleaseCandidate>(ctx.accountId, {
    name: 'release_candidate_by_version',
    text: `select ${candidateColumns} from release_candidate c where c.account_id = $1 and c.project_id = $2 and c.version = $3`,
    values: [ctx.accountId, projectId, version],
  });
  return row ?? null;
}

/** Returns the newest candidates first. */
export async function readCandidates(ctx: Context, projectId: string, page: PageBefore): Promise<ReleaseCandidate[]> {
  requireScope(ctx, 'release:read');
  return await ctx.db.read<ReleaseCandidate>(ctx.accountId, {
    name: 'release_candidates',
    text: `select ${candidateColumns} from release_candidate c
           where c.account_id = $1 and c.project_id = $2 and c.id < $3::bigint order by c.id desc limit $4::bigint + 1`,
    values: [ctx.accountId, projectId, page.before, page.size],
  });
}

/** Returns the newest candidates first. */
export async function readCandidatesOfRelease(
  ctx: Context,
  release: { readonly id: string; readonly projectId: string },
  page: PageBefore,
): Promise<ReleaseCandidate[]> {
  requireScope(ctx, 'release:read');
  return await ctx.db.read<ReleaseCandidate>(ctx.accountId, {
    name: 'release_candidates_of_release',
    text: `select ${candidateColumns} from release_candidate c
           where c.account_id = $1 and c.project_id = $2 and c.release_id = $3 and c.id < $4::bigint
           order by c.id desc limit $5::bigint + 1`,
    values: [ctx.accountId, release.projectId, release.id, page.before, page.size],
  });
}

export async function findRelease(ctx: Context, projectId: string, version: string): Promise<Release | null> {
  requireScope(ctx, 'release:read');
  const [row] = await ctx.db.read<Release>(ctx.accountId, {
    name: 'release_by_version',
    text: `select ${releaseColumns} from release r where r.account_id = $1 and r.project_id = $2 and r.version = $3`,
    values: [ctx.accountId, projectId, version],
  });
  return row ?? null;
}

/** Returns the newest releases first. */
export async function readReleases(ctx: Context, projectId: string, page: PageBefore): Promise<Release[]> {
  requireScope(ctx, 'release:read');
  return await ctx.db.read<Release>(ctx.accountId, {
    name: 'releases',
    text: `select ${releaseColumns} from release r
           where r.account_id = $1 and r.project_id = $2 and r.id < $3::bigint order by r.id desc limit $4::bigint + 1`,
    values: [ctx.accountId, projectId, page.before, page.size],
  });
}

export function candidateById(ctx: GraphQLContext): DataLoader<string, ReleaseCandidate | null> {
  return loadOne('id', async (ids) => {
    requireScope(ctx, 'release:read');
    return await ctx.db.read<ReleaseCandidate>(ctx.accountId, {
      name: 'release_candidates_by_id',
      text: `select ${candidateColumns} from release_candidate c where c.account_id = $1 and c.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
  });
}

export function releaseById(ctx: GraphQLContext): DataLoader<string, Release | null> {
  return loadOne('id', async (ids) => {
    requireScope(ctx, 'release:read');
    return await ctx.db.read<Release>(ctx.accountId, {
      name: 'releases_by_id',
      text: `select ${releaseColumns} from release r where r.account_id = $1 and r.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
  });
}
