// Secrets of an account for sandboxes. The value of a secret is encrypted for its row, and is never shown again. Only
// sandboxes of repositories to which the secret was granted receive it.
import type { Context } from '../../../context.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { isGivenVariable } from '../../../domain/previews/preview.ts';
import { requireSecretKey } from '../../../domain/previews/registration.ts';
import type { Transaction } from '../../../platform/database.ts';
import { encrypt, recordUserAction, requireScope, type Secrets } from '../../accounts/index.ts';
import { appendEvents } from '../../events/index.ts';
import { loadRepository, type RepositoryName } from '../../repositories/index.ts';
import { secretPurpose } from './secrets.open.ts';

const longestValue = 8192;

/** Sets a secret, or replaces its value. Its grants stay. Returns the id of its row. */
export async function setPreviewSecret(
  ctx: Context,
  secrets: Secrets,
  request: { readonly key: string; readonly value: string },
): Promise<string> {
  requireScope(ctx, 'admin');
  const key = requireSecretKey(request.key, 'key');
  if (isGivenVariable(key))
    throw new DomainError('BAD_INPUT', `key must not be ${key}, which the service itself sets`, 'key');
  requireValue(request.value);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [row] = await tx.query<{ id: string }>(
      `insert into preview_secret (account_id, key, sealed, created_by, created_at, updated_at) values ($1, $2, '', $3, $4, $4)
       on conflict (account_id, key) do update set updated_at = excluded.updated_at returning id`,
      [ctx.accountId, key, ctx.actor.email ?? 'interlock', ctx.clock().toISOString()],
    );
    if (row === undefined) throw new Error(`The preview secret ${key} was not written.`);
    const owner = { accountId: ctx.accountId, id: row.id };
    await tx.send('update preview_secret set sealed = $3 where account_id = $1 and id = $2', [
      ctx.accountId,
      row.id,
      encrypt(secrets, secretPurpose(owner), Buffer.from(request.value)),
    ]);
    await appendEvents(ctx, tx, [{ action: 'preview_secret_set', payload: { key } }]);
    await recordUserAction(ctx, tx, { action: 'preview_secret_set', target: key });
    return row.id;
  });
}

/** Removes a secret with its grants. Returns the id that its row had. Throws NOT_FOUND. */
export async function removePreviewSecret(ctx: Context, key: string): Promise<string> {
  requireScope(ctx, 'admin');
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [row] = await tx.query<{ id: string }>(
      'delete from preview_secret where account_id = $1 and key = $2 returning id',
      [ctx.accountId, key],
    );
    if (row === undefined) throw notFound('Preview secret');
    await appendEvents(ctx, tx, [{ action: 'preview_secret_removed', payload: { key } }]);
    await recordUserAction(ctx, tx, { action: 'preview_secret_removed', target: key });
    return row.id;
  });
}

interface GrantRequest {
  readonly key: string;
  readonly repository: RepositoryName;
}

/** Grants a secret to a repository. A repetition changes nothing. Returns the id of the secret's row. */
export async function grantPreviewSecret(ctx: Context, request: GrantRequest): Promise<string> {
  const { id } = await changeGrant(ctx, request, {
    action: 'preview_secret_granted',
    write: async (tx, { secretId, repositoryId }) => {
      const rows = await tx.query(
        `insert into preview_secret_grant (account_id, secret_id, repository_id, granted_by, granted_at)
       values ($1, $2, $3, $4, $5) on conflict do nothing returning 1`,
        [ctx.accountId, secretId, repositoryId, ctx.actor.email ?? 'interlock', ctx.clock().toISOString()],
      );
      return rows.length > 0;
    },
  });
  return id;
}

/** Revokes a grant. A sandbox that has already booted keeps the secret. */
export async function revokePreviewSecret(
  ctx: Context,
  request: GrantRequest,
): Promise<{ readonly id: string; readonly hasChanged: boolean }> {
  return await changeGrant(ctx, request, {
    action: 'preview_secret_revoked',
    write: async (tx, { secretId, repositoryId }) => {
      const rows = await tx.query(
        'delete from preview_secret_grant where account_id = $1 and secret_id = $2 and repository_id = $3 returning 1',
        [ctx.accountId, secretId, repositoryId],
      );
      return rows.length > 0;
    },
  });
}

interface GrantChange {
  readonly action: 'preview_secret_granted' | 'preview_secret_revoked';
  /** Returns whether the grants have changed. */
  readonly write: (
    tx: Transaction,
    of: { readonly secretId: string; readonly repositoryId: string },
  ) => Promise<boolean>;
}

async function changeGrant(
  ctx: Context,
  { key, repository }: GrantRequest,
  { action, write }: GrantChange,
): Promise<{ readonly id: string; readonly hasChanged: boolean }> {
  requireScope(ctx, 'admin');
  const { id: repositoryId, owner, name } = await loadRepository(ctx, repository, 'admin');
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [secret] = await tx.query<{ id: string }>(
      'select id from preview_secret where account_id = $1 and key = $2 for share',
      [ctx.accountId, key],
    );
    if (secret === undefined) throw notFound('Preview secret');
    const hasChanged = await write(tx, { secretId: secret.id, repositoryId });
    if (hasChanged) {
      await appendEvents(ctx, tx, [{ repositoryId, action, payload: { key } }]);
      await recordUserAction(ctx, tx, { action, target: `${owner}/${name}: ${key}` });
    }
    return { id: secret.id, hasChanged };
  });
}

function requireValue(value: string): void {
  if (value === '') throw new DomainError('BAD_INPUT', 'value must not be empty: remove the secret instead', 'value');
  if (value.includes('\0')) throw new DomainError('BAD_INPUT', 'value must not contain a NUL character', 'value');
  if (value.length > longestValue)
    throw new DomainError('BAD_INPUT', `value must have at most ${longestValue} characters`, 'value');
}
