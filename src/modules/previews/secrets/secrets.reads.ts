// Reads secrets without their values.
import type { Context } from '../../../context.ts';
import { requireScope } from '../../accounts/index.ts';
import type { PreviewSecret } from './secrets.types.ts';

const columns = `s.id, s.key, s.created_by as "createdBy", s.created_at as "createdAt", s.updated_at as "updatedAt",
  coalesce((select array_agg(r.owner || '/' || r.name order by r.owner, r.name) from preview_secret_grant g
            join repository r on r.account_id = g.account_id and r.id = g.repository_id
            where g.account_id = s.account_id and g.secret_id = s.id), '{}') as "grantedTo"`;

/** The secrets by key. Reads one more than `size`, which shows whether there is a next page. */
export async function readPreviewSecrets(
  ctx: Context,
  { size, after }: { readonly size: number; readonly after: string | null },
): Promise<PreviewSecret[]> {
  requireScope(ctx, 'admin');
  return await ctx.db.read<PreviewSecret>(ctx.accountId, {
    name: 'preview_secrets',
    text: `select ${columns} from preview_secret s
           where s.account_id = $1 and ($2::text is null or s.key > $2) order by s.key limit $3::bigint + 1`,
    values: [ctx.accountId, after, size],
  });
}

export async function readPreviewSecret(ctx: Context, id: string): Promise<PreviewSecret | null> {
  requireScope(ctx, 'admin');
  const [secret] = await ctx.db.read<PreviewSecret>(ctx.accountId, {
    name: 'preview_secret_by_id',
    text: `select ${columns} from preview_secret s where s.account_id = $1 and s.id = $2`,
    values: [ctx.accountId, id],
  });
  return secret ?? null;
}
