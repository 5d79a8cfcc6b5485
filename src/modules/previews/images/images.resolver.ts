import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { type Connection, PageArgs, type PageRequest, readPage, toConnection } from '../../../graphql/connection.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { readPreviewImages } from './images.reads.ts';
import { registerPreviewImage, removePreviewImage } from './images.service.ts';
import {
  PreviewImage,
  PreviewImageConnection,
  PreviewImagePayload,
  RegisterPreviewImageInput,
  RemovePreviewImageInput,
} from './images.types.ts';

const pageSize = 50;

@Resolver(() => PreviewImage)
export class PreviewImagesResolver {
  @Query(() => PreviewImageConnection, { description: "The account's preview images by name. Needs admin." })
  async previewImages(
    @Ctx() ctx: GraphQLContext,
    @PageArgs(50) request: PageRequest,
  ): Promise<Connection<PreviewImage>> {
    const { size, after: key } = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readPreviewImages(ctx, { size, after: key && String(key[0]) });
    return toConnection(rows, size, { node: (row) => row, key: ({ name }) => [name] });
  }

  @Mutation(() => PreviewImagePayload, {
    description:
      'Registers the image that sandboxes with this image name boot, or replaces it. The image is tried only at the next boot. Needs admin.',
  })
  async registerPreviewImage(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RegisterPreviewImageInput) input: RegisterPreviewImageInput,
  ): Promise<PreviewImagePayload> {
    return { previewImage: await registerPreviewImage(ctx, input) };
  }

  @Mutation(() => PreviewImagePayload, {
    description: 'Removes a preview image. Previews that name the image no longer boot. Needs admin.',
  })
  async removePreviewImage(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RemovePreviewImageInput) { name }: RemovePreviewImageInput,
  ): Promise<PreviewImagePayload> {
    return { previewImage: await removePreviewImage(ctx, name) };
  }
}
