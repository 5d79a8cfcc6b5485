import type DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { loadOne } from '../../graphql/loaders.ts';
import type { Transaction } from '../../platform/database.ts';
import { requireScope } from '../accounts/index.ts';
import type { Deployment } from './deployments.types.ts';

const columns = `d.id, d.environment_id as "environmentId", e.name as "environmentName", e.project_id as "projectId",
  p.name as "projectName", d.candidate_id as "candidateId",
  d.from_candidate_id as "fromCandidateId", d.kind, d.rollback_of_id as "rollbackOfId", d.status, d.error_message as "errorMessage",
  d.forced, d.reported, d.cancel_sent_at as "cancelSentAt",
  d.problem as "lastFailure", case when d.problem is not null then greatest(d.call_at, d.supervised_until) end as "nextTryAt", d.actor, d.created_at as "createdAt", d.deploy_start_at as "deployStartAt", d.deploy_end_at as "deployEndAt",
  c.version as "releaseCandidateVersion", r.version as "releaseVersion",
  f.version as "fromReleaseCandidateVersion", fr.version as "fromReleaseVersion"`;
const joins = `join environment e on e.account_id = d.account_id and e.id = d.environment_id
  join release_project p on p.account_id = e.account_id and p.id = e.project_id
  join release_candidate c on c.account_id = d.account_id and c.id = d.candidate_id
  join release r on r.account_id = d.account_id and r.id = c.release_id
  left join release_candidate f on f.account_id = d.account_id and f.id = d.from_candidate_id
  left join release fr on fr.account_id = d.account_id and fr.id = f.release_id`;

export interface DeploymentPage {
  readonly size: number;
  readonly offset: number;
  readonly before: string;
}

/**
 * Returns the newest deployments first. Reads one more than the page holds, which shows whether there is a next page.
 */
export async function readDeployments(
  ctx: Context,
  environmentId: string,
  page: DeploymentPage,
): Promise<Deployment[]> {
  requireScope(ctx, 'release:read');
  return await ctx.db.read<Deployment>(ctx.accountId, {
    name: 'deployments',
    // The inner statement reads the page by an index, so that rows are joined only for the page.
    text: `select ${columns} from (
             select n.* from deployment n where n.account_id = $1 and n.environment_id = $2 and n.id < $3::bigint
             order by n.id desc limit $4::bigint + 1 offset $5::bigint) d
           ${joins} order by d.id desc`,
    values: [ctx.accountId, environmentId, page.before, page.size, page.offset],
  });
}

export async function countDeployments(ctx: Context, environmentId: string): Promise<number> {
  requireScope(ctx, 'release:read');
  const [row] = await ctx.db.read<{ count: number }>(ctx.accountId, {
    name: 'deployments_count',
    text: 'select count(*)::integer as count from deployment where account_id = $1 and environment_id = $2',
    values: [ctx.accountId, environmentId],
  });
  return row?.count ?? 0;
}

/** The id of the repository that a deployment deploys. Null: the account has no such deployment. */
export async function readRepositoryOfDeployment(ctx: Context, id: string): Promise<string | null> {
  requireScope(ctx, 'release:read');
  const [row] = await ctx.db.read<{ repositoryId: string }>(ctx.accountId, {
    name: 'repository_of_deployment',
    text: `select c.repository_id as "repositoryId"
           from deployment d join release_candidate c on c.account_id = d.account_id and c.id = d.candidate_id
           where d.account_id = $1 and d.id = $2`,
    values: [ctx.accountId, id],
  });
  return row?.repositoryId ?? null;
}

export function deploymentById(ctx: GraphQLContext): DataLoader<string, Deployment | null> {
  return loadOne('id', async (ids) => {
    requireScope(ctx, 'release:read');
    return await ctx.db.read<Deployment>(ctx.accountId, {
      name: 'deployments_by_id',
      text: `select ${columns} from deployment d ${joins} where d.account_id = $1 and d.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
  });
}

/** The deployments as the transaction sees them, in the order of `ids`. */
export async function readDeploymentsIn(ctx: Context, tx: Transaction, ids: readonly string[]): Promise<Deployment[]> {
  await tx.em.flush();
  return await tx.query<Deployment>(
    `select ${columns} from unnest($2::bigint[]) with ordinality as asked (id, place)
     join deployment d on d.account_id = $1 and d.id = asked.id ${joins} order by asked.place`,
    [ctx.accountId, ids],
  );
}
