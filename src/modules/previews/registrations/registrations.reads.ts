import type DataLoader from 'dataloader';
import type { Context } from '../../../context.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { loadOne } from '../../../graphql/loaders.ts';
import type { Transaction } from '../../../platform/database.ts';
import { requireScope } from '../../accounts/index.ts';
import type { PreviewRegistration } from './registrations.types.ts';

// A registration is attached if an open pull request has its commit as the head. If the registration has a number, its
// branch is ignored.
const columns = `r.id, r.repository_id as "repositoryId", r.name, r.commit, r.url, r.branch, r.pr_number as "prNumber",
  r.expires_at as "expiresAt", r.created_by as "createdBy", r.created_at as "createdAt",
  r.ended_at as "endedAt", r.end_reason as "endReason", p.id as "pullRequestId", p.number as "attachedTo"`;
const joins = `left join lateral (
    select p.id, p.number from pull_request p
    where p.account_id = r.account_id and p.repository_id = r.repository_id and p.head_sha = r.commit
      and p.status not in ('merged', 'closed')
      and case when r.pr_number is null then p.head_branch = r.branch else p.number = r.pr_number end
    order by p.id desc limit 1) p on true`;

export async function readRegistrationIn(ctx: Context, tx: Transaction, id: string): Promise<PreviewRegistration> {
  const [row] = await tx.query<PreviewRegistration>(
    `select ${columns} from preview_registration r ${joins} where r.account_id = $1 and r.id = $2`,
    [ctx.accountId, id],
  );
  if (row === undefined) throw new Error(`The registration ${id} is gone.`);
  return row;
}

export function registrationById(ctx: GraphQLContext): DataLoader<string, PreviewRegistration | null> {
  return loadOne('id', async (ids) => {
    requireScope(ctx, 'queue:read');
    return await ctx.db.read<PreviewRegistration>(ctx.accountId, {
      name: 'preview_registrations_by_id',
      text: `select ${columns} from preview_registration r ${joins} where r.account_id = $1 and r.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
  });
}

export interface RegistrationPage {
  readonly size: number;
  readonly before: string;
  /** Whether registrations that have ended are read too. */
  readonly ended: boolean;
}

/** Returns the newest registrations first. Reads one more than `size`, which shows whether there is a next page. */
export async function readRegistrations(
  ctx: Context,
  repositoryId: string,
  { size, before, ended }: RegistrationPage,
): Promise<PreviewRegistration[]> {
  requireScope(ctx, 'queue:read');
  return await ctx.db.read<PreviewRegistration>(ctx.accountId, {
    name: ended ? 'preview_registrations_all' : 'preview_registrations_active',
    text: `select ${columns} from (
             select n.* from preview_registration n where n.account_id = $1 and n.repository_id = $2 and n.id < $3::bigint
               ${ended ? 'and $5::timestamptz is not null' : 'and n.ended_at is null and n.expires_at > $5::timestamptz'}
             order by n.id desc limit $4::bigint + 1) r
           ${joins} order by r.id desc`,
    values: [ctx.accountId, repositoryId, before, size, ctx.clock().toISOString()],
  });
}
