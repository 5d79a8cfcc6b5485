import { Arg, Ctx, Extensions, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { notFound } from '../../domain/errors.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { rowIdOf } from '../../graphql/node-id.ts';
import { readEmbedLink, readEmbedLinks } from './embed-links.reads.ts';
import { createEmbedLink, revokeEmbedLink } from './embed-links.service.ts';
import {
  CreateEmbedLinkInput,
  CreateEmbedLinkPayload,
  EmbedLink,
  RevokeEmbedLinkInput,
  RevokeEmbedLinkPayload,
} from './embed-links.types.ts';
import { Repository } from './repositories.types.ts';

@Resolver(() => Repository)
export class EmbedLinksResolver {
  @Extensions({ rows: 20 })
  @FieldResolver(() => [EmbedLink], {
    description:
      'The newest 100 links that show queues of the repository without a session, including ended links. The links that work come first. Needs admin.',
  })
  async embedLinks(@Ctx() ctx: GraphQLContext, @Root() { id }: Repository): Promise<EmbedLink[]> {
    return await readEmbedLinks(ctx, id);
  }

  @Mutation(() => CreateEmbedLinkPayload, {
    description:
      'Makes a link that shows the queue of a base branch to everybody who has the link, and shows the link once. Visitors with the link read as the user who makes it, with only the scope queue:read. The link ends when that user is removed and when the token in use is revoked. Needs admin.',
  })
  async createEmbedLink(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateEmbedLinkInput) input: CreateEmbedLinkInput,
  ): Promise<CreateEmbedLinkPayload> {
    const { id, url, badgeUrl } = await createEmbedLink(ctx, ctx.secrets, input);
    return { embedLink: await linkById(ctx, id), url, badgeUrl };
  }

  @Mutation(() => RevokeEmbedLinkPayload, {
    description:
      'Ends a link at once, and closes the pages that were opened with the link. A repetition changes nothing. Needs admin.',
  })
  async revokeEmbedLink(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RevokeEmbedLinkInput) input: RevokeEmbedLinkInput,
  ): Promise<RevokeEmbedLinkPayload> {
    const id = rowIdOf('EmbedLink', input.id);
    await revokeEmbedLink(ctx, id);
    return { embedLink: await linkById(ctx, id) };
  }
}

async function linkById(ctx: GraphQLContext, id: string): Promise<EmbedLink> {
  const found = await readEmbedLink(ctx, id);
  if (!found) throw notFound('Embed link');
  return found;
}
