// Links that show one queue to visitors without a session: on a screen, or as a badge (ADR 0089).
import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { isBranchName } from '../../domain/branch-name.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { ruleForRows } from '../../platform/retention/index.ts';
import { digestToken, announceEndedAccess, recordUserAction, requireScope, type Secrets } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { loadRepository, requireAtHostOf, type RepositoryName } from './repositories.reads.ts';

const dayMs = 24 * 3_600_000;
const defaultDays = 90;
const maxDays = 730;
const longestBranch = 250;

export interface NewEmbedLink {
  readonly repository: RepositoryName;
  readonly baseBranch: string;
  readonly expiresAt?: Date | null | undefined;
}

/**
 * Returns the addresses of the page and of the badge, with their key. The key is returned only this once, because the
 * database has only its digest. The link ends when its user is removed, and when the token that made the link is
 * revoked.
 */
export async function createEmbedLink(
  ctx: Context,
  secrets: Secrets,
  { repository, baseBranch, expiresAt: asked }: NewEmbedLink,
): Promise<{ readonly id: string; readonly url: string; readonly badgeUrl: string }> {
  requireScope(ctx, 'admin');
  const { id: repositoryId, owner, name } = await loadRepository(ctx, repository, 'admin');
  refuseBranch(baseBranch);
  const { userId, tokenId } = ctx.actor;
  if (userId === null) throw new Error('An embed link belongs to a user.');
  const now = ctx.clock();
  const expiresAt = checkedExpiry(asked, now);
  const key = randomBytes(32).toString('base64url');
  const id = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [made] = await tx.query<{ id: string }>(
      `insert into embed_link (account_id, digest, repository_id, base_branch, user_id, token_id, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
      [
        ctx.accountId,
        digestToken(secrets, key),
        repositoryId,
        baseBranch,
        userId,
        tokenId,
        now.toISOString(),
        expiresAt.toISOString(),
      ],
    );
    const action = 'embed_link_created';
    await appendEvents(ctx, tx, [{ repositoryId, action, payload: { baseBranch } }]);
    await recordUserAction(ctx, tx, { action, target: `${owner}/${name}:${baseBranch}` });
    return made?.id ?? '';
  });
  const path = [owner, name, ...baseBranch.split('/')].map(encodeURIComponent).join('/');
  const place = `${ctx.publicUrl}/embed/${path}`;
  return { id, url: `${place}?key=${key}`, badgeUrl: `${place}/badge.svg?key=${key}` };
}

/** When a link `t` ends, or the token that made it. */
const endOfLink = `least(t.revoked_at, t.expires_at,
  (select least(k.revoked_at, k.expires_at) from api_token k where k.account_id = t.account_id and k.id = t.token_id))`;

/** The retention of ended links. */
export const embedLinkForgetting = ruleForRows(
  'embed_links',
  `select min(${endOfLink}) from embed_link t where ${endOfLink} < now()`,
  [{ table: 'embed_link', old: `${endOfLink} < $1` }],
);

function refuseBranch(baseBranch: string): void {
  if (baseBranch === '' || baseBranch.length > longestBranch)
    throw new DomainError(
      'BAD_INPUT',
      `input.baseBranch must have 1 to ${longestBranch} characters`,
      'input.baseBranch',
    );
  if (!isBranchName(baseBranch))
    throw new DomainError('BAD_INPUT', 'input.baseBranch must be a branch name', 'input.baseBranch');
}

function checkedExpiry(asked: Date | null | undefined, now: Date): Date {
  const expiresAt = asked ?? new Date(now.getTime() + defaultDays * dayMs);
  if (expiresAt <= now || expiresAt.getTime() > now.getTime() + maxDays * dayMs)
    throw new DomainError(
      'BAD_INPUT',
      `input.expiresAt must be in the future, and within ${maxDays} days`,
      'input.expiresAt',
    );
  return expiresAt;
}

/**
 * Ends a link, and closes the pages that were opened with the link, in every process at once. A repetition changes
 * nothing.
 */
export async function revokeEmbedLink(ctx: Context, id: string): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [link] = await tx.query<{ repositoryId: string; target: string; isRevoked: boolean }>(
      `select l.repository_id as "repositoryId", r.owner || '/' || r.name || ':' || l.base_branch as target,
         l.revoked_at is not null as "isRevoked"
       from embed_link l join repository r on r.account_id = l.account_id and r.id = l.repository_id
       where l.account_id = $1 and l.id = $2 for update of l`,
      [ctx.accountId, id],
    );
    if (!link) throw notFound('Embed link');
    await requireAtHostOf(ctx, link.repositoryId, 'admin');
    if (link.isRevoked) return;
    await tx.send('update embed_link set revoked_at = $3 where account_id = $1 and id = $2', [
      ctx.accountId,
      id,
      ctx.clock().toISOString(),
    ]);
    await announceEndedAccess(ctx, tx, { of: 'embed', ids: [id] });
    const action = 'embed_link_revoked';
    await appendEvents(ctx, tx, [{ repositoryId: link.repositoryId, action, payload: {} }]);
    await recordUserAction(ctx, tx, { action, target: link.target });
  });
}
