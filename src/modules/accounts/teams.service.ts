// Teams of users. The configuration names a team as `@org/slug`, and permissions in repositories can be granted to
// teams.
import type { Context } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import { requireScope } from './authorisation.ts';
import { checkedName, checkedOrg, checkedSlug } from './names.ts';
import { recordUserAction } from './user-actions.ts';
import type { UserActionName } from './user-actions.table.ts';

interface LockedTeam {
  readonly id: string;
  readonly org: string;
  readonly slug: string;
  readonly name: string;
}

export async function createTeam(
  ctx: Context,
  input: { readonly org: string; readonly slug: string; readonly name?: string | null },
): Promise<{ teamId: string }> {
  requireScope(ctx, 'admin');
  const org = checkedOrg(input.org, 'input.org');
  const slug = checkedSlug(input.slug, 'input.slug');
  const name = checkedName(input.name ?? slug, 'input.name');
  return await changeTeams(ctx, async (tx) => {
    const [team] = await tx.query<{ id: string }>(
      `insert into account_team (account_id, org, slug, name, created_at) values ($1, $2, $3, $4, $5)
       on conflict (account_id, lower(org), slug) do nothing returning id`,
      [ctx.accountId, org, slug, name, ctx.clock().toISOString()],
    );
    if (!team) throw taken({ org, slug });
    await note(ctx, tx, { action: 'team_created', teamId: team.id, target: addressOf({ org, slug }) });
    return { teamId: team.id };
  });
}

/** A new slug gives the team a new address. A configuration with the old address then names no team. */
export async function updateTeam(
  ctx: Context,
  input: { readonly id: string; readonly slug: string | null; readonly name: string | null },
): Promise<void> {
  requireScope(ctx, 'admin');
  await changeTeams(ctx, async (tx) => {
    const team = await lockTeam(ctx, tx, input.id);
    const slug = checkedSlug(input.slug ?? team.slug, 'input.slug');
    const name = checkedName(input.name ?? team.name, 'input.name');
    if (slug === team.slug && name === team.name) return;
    const changed = await tx.query(
      `update account_team set slug = $3, name = $4
       where account_id = $1 and id = $2 and not exists (
         select from account_team o where o.account_id = $1 and lower(o.org) = lower($5) and o.slug = $3 and o.id <> $2)
       returning id`,
      [ctx.accountId, team.id, slug, name, team.org],
    );
    if (changed.length === 0) throw taken({ org: team.org, slug });
    await note(ctx, tx, { action: 'team_updated', teamId: team.id, target: addressOf({ org: team.org, slug }) });
  });
}

/** Locks the account's row, so that two teams that change at the same time do not get the same address. */
async function changeTeams<T>(ctx: Context, change: (tx: Transaction) => Promise<T>): Promise<T> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query('select 1 from account where id = $1 for no key update', [ctx.accountId]);
    return await change(tx);
  });
}

/** Deletes a team with its memberships and permissions. */
export async function deleteTeam(ctx: Context, input: { readonly id: string }): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const team = await lockTeam(ctx, tx, input.id);
    await tx.send('delete from account_team where account_id = $1 and id = $2', [ctx.accountId, team.id]);
    await note(ctx, tx, { action: 'team_deleted', teamId: team.id, target: addressOf(team) });
  });
}

export interface Membership {
  readonly teamId: string;
  readonly userId: string;
}

/** A repetition changes nothing. */
export async function addTeamMember(ctx: Context, membership: Membership): Promise<void> {
  await changeMembers(ctx, membership, {
    action: 'team_member_added',
    text: `insert into account_team_member (account_id, team_id, user_id, created_at) values ($1, $2, $3, now())
           on conflict do nothing returning 1`,
  });
}

/** A repetition changes nothing. */
export async function removeTeamMember(ctx: Context, membership: Membership): Promise<void> {
  await changeMembers(ctx, membership, {
    action: 'team_member_removed',
    text: 'delete from account_team_member where account_id = $1 and team_id = $2 and user_id = $3 returning 1',
  });
}

async function changeMembers(
  ctx: Context,
  { teamId, userId }: Membership,
  { action, text }: { readonly action: UserActionName; readonly text: string },
): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    // The user's row is locked before the team's row, in the same order as in `removeUser`.
    const [user] = await tx.query<{ email: string }>(
      'select email from account_user where account_id = $1 and id = $2 and removed_at is null for share',
      [ctx.accountId, userId],
    );
    if (!user) throw notFound('User');
    const team = await lockTeam(ctx, tx, teamId);
    const changed = await tx.query(text, [ctx.accountId, teamId, userId]);
    if (changed.length > 0)
      await note(ctx, tx, { action, teamId, userId, target: `${addressOf(team)}: ${user.email}` });
  });
}

async function lockTeam(ctx: Context, tx: Transaction, id: string): Promise<LockedTeam> {
  const [team] = await tx.query<LockedTeam>(
    'select id, org, slug, name from account_team where account_id = $1 and id = $2 for update',
    [ctx.accountId, id],
  );
  if (!team) throw notFound('Team');
  return team;
}

async function note(
  ctx: Context,
  tx: Transaction,
  of: { readonly action: UserActionName; readonly target: string; readonly teamId: string; readonly userId?: string },
): Promise<void> {
  const { action, target, ...payload } = of;
  await appendEvents(ctx, tx, [{ action, payload }]);
  await recordUserAction(ctx, tx, { action, target });
}

function addressOf({ org, slug }: { readonly org: string; readonly slug: string }): string {
  return `@${org}/${slug}`;
}

function taken(team: { readonly org: string; readonly slug: string }): DomainError {
  return new DomainError('CONFLICT', `The team ${addressOf(team)} already exists.`, 'input.slug');
}
