import type { Context } from '../../context.ts';
import { requireScope } from './authorisation.ts';

export interface TeamRead {
  readonly id: string;
  readonly org: string;
  readonly slug: string;
  readonly name: string;
  readonly createdAt: Date;
}

const columns = 't.id, t.org, t.slug, t.name, t.created_at as "createdAt"';

export interface TeamPage {
  /** One row more is read, to know whether there is a next page. */
  readonly size: number;
  readonly after: { readonly org: string; readonly slug: string } | null;
}

/** The teams by organization, then by slug. */
export async function readTeams(ctx: Context, { size, after }: TeamPage): Promise<TeamRead[]> {
  requireScope(ctx, 'config:read');
  return await ctx.db.read<TeamRead>(ctx.accountId, {
    name: 'teams',
    text: `select ${columns} from account_team t
           where t.account_id = $1 and ($2::text is null or (lower(t.org), t.slug) > (lower($2), $3::text))
           order by lower(t.org), t.slug limit $4::bigint + 1`,
    values: [ctx.accountId, after?.org ?? null, after?.slug ?? null, size],
  });
}

export async function readTeam(ctx: Context, id: string): Promise<TeamRead | null> {
  requireScope(ctx, 'config:read');
  return await findTeam(ctx, id);
}

/** Checks no scope, because every caller changes the team or has checked the scope. */
export async function findTeam(ctx: Context, id: string): Promise<TeamRead | null> {
  const [row] = await ctx.db.read<TeamRead>(ctx.accountId, {
    name: 'team',
    text: `select ${columns} from account_team t where t.account_id = $1 and t.id = $2`,
    values: [ctx.accountId, id],
  });
  return row ?? null;
}
