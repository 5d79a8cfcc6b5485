import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver } from 'type-graphql';
import { notFound } from '../../domain/errors.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { decodeNodeId } from '../../graphql/node-id.ts';
import { readAccount, readApiToken, readApiTokens } from './accounts.reads.ts';
import { setAccountTimezone } from './account-settings.service.ts';
import { createApiToken, revokeApiToken } from './tokens.service.ts';
import {
  Account,
  ApiToken,
  CreateApiTokenInput,
  CreateApiTokenPayload,
  RevokeApiTokenInput,
  RevokeApiTokenPayload,
  SetAccountTimezoneInput,
  SetAccountTimezonePayload,
  Viewer,
} from './accounts.types.ts';

@Resolver(() => Viewer)
export class AccountsResolver {
  @Query(() => Viewer, { description: 'Who is asking, and what the token may do. Every token may ask this.' })
  viewer(@Ctx() { actor }: GraphQLContext): Viewer {
    return { email: actor.email, handle: actor.handle, role: actor.role, scopes: [...actor.scopes] };
  }

  @FieldResolver(() => Account, { description: 'The account everything is read from and written to.' })
  async account(@Ctx() ctx: GraphQLContext): Promise<Account> {
    return await readAccount(ctx);
  }

  @Query(() => [ApiToken], { description: "The account's tokens, newest first, revoked ones included. Needs admin." })
  async apiTokens(@Ctx() ctx: GraphQLContext): Promise<ApiToken[]> {
    return await readApiTokens(ctx);
  }

  @Mutation(() => CreateApiTokenPayload, { description: 'Makes a token and shows it, once. Needs admin.' })
  async createApiToken(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateApiTokenInput) input: CreateApiTokenInput,
  ): Promise<CreateApiTokenPayload> {
    const { id, token } = await createApiToken(ctx, ctx.secrets, input);
    return { apiToken: await apiToken(ctx, id), token };
  }

  @Mutation(() => RevokeApiTokenPayload, {
    description: 'Ends a token at once, with the subscriptions it has open. Needs admin.',
  })
  async revokeApiToken(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RevokeApiTokenInput) input: RevokeApiTokenInput,
  ): Promise<RevokeApiTokenPayload> {
    const id = tokenId(input.id);
    await revokeApiToken(ctx, { id, successor: typeof input.successor === 'string' ? tokenId(input.successor) : null });
    return { apiToken: await apiToken(ctx, id) };
  }

  @Mutation(() => SetAccountTimezonePayload, {
    description: 'Sets the time zone analytics are read in when none is asked for. Needs admin.',
  })
  async setAccountTimezone(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => SetAccountTimezoneInput) input: SetAccountTimezoneInput,
  ): Promise<SetAccountTimezonePayload> {
    await setAccountTimezone(ctx, input.timezone);
    return { account: await readAccount(ctx) };
  }
}

// An id that names something else names no token: 0 is no row's id.
function tokenId(nodeId: string): string {
  const decoded = decodeNodeId(nodeId);
  return decoded?.type === 'ApiToken' ? decoded.id : '0';
}

async function apiToken(ctx: GraphQLContext, id: string): Promise<ApiToken> {
  const found = await readApiToken(ctx, id);
  if (!found) throw notFound('API token');
  return found;
}
