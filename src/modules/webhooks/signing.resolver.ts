import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { decodeNodeId } from '../../graphql/node-id.ts';
import { promoteWebhookSigning, readSigningTokens, rotateWebhookSigning } from '../accounts/index.ts';
import {
  PromoteWebhookSigningInput,
  RotateWebhookSigningInput,
  WebhookSigningPayload,
  WebhookSigningTokens,
} from './webhooks.types.ts';

@Resolver()
export class WebhookSigningResolver {
  @Query(() => WebhookSigningTokens, { description: "Which tokens sign the account's webhooks. Needs admin." })
  async webhookSigning(@Ctx() ctx: GraphQLContext): Promise<WebhookSigningTokens> {
    return await readSigningTokens(ctx);
  }

  @Mutation(() => WebhookSigningPayload, {
    description:
      'Chooses the next token that signs webhooks. From now on this token signs in addition to the present token, and after seven days in the place of the present token. Needs admin.',
  })
  async rotateWebhookSigning(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RotateWebhookSigningInput) { token }: RotateWebhookSigningInput,
  ): Promise<WebhookSigningPayload> {
    await rotateWebhookSigning(ctx, { tokenId: tokenIdOf(token) });
    return { webhookSigning: await readSigningTokens(ctx) };
  }

  @Mutation(() => WebhookSigningPayload, {
    description:
      'Makes the next signing token the current one at once. The token that it replaces signs in addition for a day. If another token is promoted within that day, the earlier one signs only `webhook-signature`. At most ten replaced tokens sign. Needs admin.',
  })
  async promoteWebhookSigning(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PromoteWebhookSigningInput) { token }: PromoteWebhookSigningInput,
  ): Promise<WebhookSigningPayload> {
    await promoteWebhookSigning(ctx, { tokenId: tokenIdOf(token) });
    return { webhookSigning: await readSigningTokens(ctx) };
  }
}

// Returns the row's id in a node id. A node id of another type gives 0, which is no row's id.
function tokenIdOf(nodeId: string): string {
  const named = decodeNodeId(nodeId);
  return named?.type === 'ApiToken' ? named.id : '0';
}
