// Registers and removes images of sandboxes, by the names that configurations use. A configuration may use a name
// before an image with this name is registered.
import type { Context } from '../../../context.ts';
import { notFound } from '../../../domain/errors.ts';
import { requireImageName, requireImageSource } from '../../../domain/previews/image.ts';
import type { PreviewImageKind } from '../../../domain/previews/preview.ts';
import { recordUserAction, requireScope } from '../../accounts/index.ts';
import { appendEvents } from '../../events/index.ts';
import type { PreviewImage } from './images.types.ts';
import { imageColumns } from './images.reads.ts';

export interface PreviewImageRequest {
  readonly name: string;
  readonly kind: PreviewImageKind;
  readonly source: string;
}

/** Registers an image, or replaces the image with this name. Running sandboxes of the old image continue. */
export async function registerPreviewImage(ctx: Context, request: PreviewImageRequest): Promise<PreviewImage> {
  requireScope(ctx, 'admin');
  const name = requireImageName(request.name);
  const source = requireImageSource(request.kind, request.source);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [image] = await tx.query<PreviewImage>(
      `insert into preview_image as i (account_id, name, kind, source, created_by, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $6)
       on conflict (account_id, name) do update set kind = excluded.kind, source = excluded.source, updated_at = excluded.updated_at
       returning ${imageColumns}`,
      [ctx.accountId, name, request.kind, source, ctx.actor.email ?? 'interlock', ctx.clock().toISOString()],
    );
    if (image === undefined) throw new Error(`The preview image ${name} was not written.`);
    await appendEvents(ctx, tx, [{ action: 'preview_image_registered', payload: { name, kind: request.kind } }]);
    await recordUserAction(ctx, tx, { action: 'preview_image_registered', target: name });
    return image;
  });
}

/** Removes an image. Previews that name the image no longer boot. Throws NOT_FOUND. */
export async function removePreviewImage(ctx: Context, name: string): Promise<PreviewImage> {
  requireScope(ctx, 'admin');
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [image] = await tx.query<PreviewImage>(
      `delete from preview_image i where i.account_id = $1 and i.name = $2 returning ${imageColumns}`,
      [ctx.accountId, name],
    );
    if (image === undefined) throw notFound('Preview image');
    await appendEvents(ctx, tx, [{ action: 'preview_image_removed', payload: { name } }]);
    await recordUserAction(ctx, tx, { action: 'preview_image_removed', target: name });
    return image;
  });
}
