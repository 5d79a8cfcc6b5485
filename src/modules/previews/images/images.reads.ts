import type { Context } from '../../../context.ts';
import type { PreviewImageKind } from '../../../domain/previews/preview.ts';
import { requireScope } from '../../accounts/index.ts';
import type { PreviewImage } from './images.types.ts';

export const imageColumns = `i.id, i.name, i.kind, i.source, i.created_by as "createdBy", i.created_at as "createdAt",
  i.updated_at as "updatedAt"`;

/** The images by name. Reads one more than `size`, which shows whether there is a next page. */
export async function readPreviewImages(
  ctx: Context,
  { size, after }: { readonly size: number; readonly after: string | null },
): Promise<PreviewImage[]> {
  requireScope(ctx, 'admin');
  return await ctx.db.read<PreviewImage>(ctx.accountId, {
    name: 'preview_images',
    text: `select ${imageColumns} from preview_image i
           where i.account_id = $1 and ($2::text is null or i.name > $2) order by i.name limit $3::bigint + 1`,
    values: [ctx.accountId, after, size],
  });
}

export async function readPreviewImage(ctx: Context, id: string): Promise<PreviewImage | null> {
  requireScope(ctx, 'admin');
  const [image] = await ctx.db.read<PreviewImage>(ctx.accountId, {
    name: 'preview_image_by_id',
    text: `select ${imageColumns} from preview_image i where i.account_id = $1 and i.id = $2`,
    values: [ctx.accountId, id],
  });
  return image ?? null;
}

/** The image of this name, from which a sandbox boots. Null: no image of this name is registered. */
export async function findPreviewImage(
  ctx: Context,
  name: string,
): Promise<{ readonly kind: PreviewImageKind; readonly source: string } | null> {
  const [image] = await ctx.db.read<{ kind: PreviewImageKind; source: string }>(ctx.accountId, {
    name: 'preview_image_by_name',
    text: 'select kind, source from preview_image where account_id = $1 and name = $2',
    values: [ctx.accountId, name],
  });
  return image ?? null;
}
