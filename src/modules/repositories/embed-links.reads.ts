import type { Context } from '../../context.ts';
import { requireScope } from '../accounts/index.ts';
import { requireAtHostOf } from './repositories.reads.ts';

export interface EmbedLinkRead {
  readonly id: string;
  readonly repositoryId: string;
  readonly baseBranch: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

// A link counts as revoked when its user was removed or its token was revoked.
const links = `
  select l.id, l.repository_id as "repositoryId", l.base_branch as "baseBranch", u.email as "createdBy",
    l.created_at as "createdAt", least(l.expires_at, t.expires_at) as "expiresAt",
    least(l.revoked_at, u.removed_at, t.revoked_at) as "revokedAt", l.used_at as "lastUsedAt"
  from embed_link l join account_user u on u.account_id = l.account_id and u.id = l.user_id
  left join api_token t on t.account_id = l.account_id and t.id = l.token_id
  where l.account_id = $1`;

const maxShown = 100;

/**
 * The newest 100 links of a repository, including ended links. The links that work come first, so that each of them can
 * be revoked.
 */
export async function readEmbedLinks(ctx: Context, repositoryId: string): Promise<EmbedLinkRead[]> {
  requireScope(ctx, 'admin');
  await requireAtHostOf(ctx, repositoryId, 'admin');
  return await ctx.db.read<EmbedLinkRead>(ctx.accountId, {
    name: 'embed_links',
    text: `select * from (${links} and l.repository_id = $2) link
           order by "revokedAt" is null and "expiresAt" > $3 desc, id desc limit ${maxShown}`,
    values: [ctx.accountId, repositoryId, ctx.clock().toISOString()],
  });
}

/** Null: the account has no such link. */
export async function readEmbedLink(ctx: Context, id: string): Promise<EmbedLinkRead | null> {
  requireScope(ctx, 'admin');
  const [row] = await ctx.db.read<EmbedLinkRead>(ctx.accountId, {
    name: 'embed_link',
    text: `${links} and l.id = $2`,
    values: [ctx.accountId, id],
  });
  if (row) await requireAtHostOf(ctx, row.repositoryId, 'admin');
  return row ?? null;
}
