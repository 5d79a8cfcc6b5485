import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver } from 'type-graphql';
import { handleOf } from '../../domain/accounts/handle.ts';
import { notFound } from '../../domain/errors.ts';
import { readPage } from '../../graphql/connection.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { rowIdOf } from '../../graphql/node-id.ts';
import { findApiToken, readAccount, readApiTokens, readOwnApiTokens, type TokenPage } from './accounts.reads.ts';
import { setAccountTimezone } from './accounts.service.ts';
import { mayUse } from './authorisation.ts';
import { createSignInLink, endSession, readOwnSession } from './sessions.service.ts';
import { createApiToken, revokeApiToken, tokenInUse } from './tokens.service.ts';
import {
  Account,
  ApiToken,
  CreateApiTokenInput,
  CreateApiTokenPayload,
  CreateSignInLinkInput,
  CreateSignInLinkPayload,
  EndSessionInput,
  EndSessionPayload,
  RevokeApiTokenInput,
  RevokeApiTokenPayload,
  mostTokens,
  Session,
  SetAccountTimezoneInput,
  SetAccountTimezonePayload,
  TokensArgs,
  Viewer,
} from './accounts.types.ts';
import { viewerActionsOf } from './viewer-actions.ts';
import { ViewerAction } from './viewer-actions.types.ts';

@Resolver(() => Viewer)
export class AccountsResolver {
  @Query(() => Viewer, {
    description: 'The user and the permissions of the token or session in use. Needs no scope.',
  })
  viewer(@Ctx() { actor }: GraphQLContext): Viewer {
    const { email, handle, role, scopes } = actor;
    return { email, handle, author: handleOf(actor), role, scopes: [...scopes].filter((scope) => mayUse(role, scope)) };
  }

  @FieldResolver(() => Account, {
    description: 'The account of the token or session in use. All requests read and write this account.',
  })
  async account(@Ctx() ctx: GraphQLContext): Promise<Account> {
    return await readAccount(ctx);
  }

  @FieldResolver(() => [ViewerAction], {
    description:
      'What the caller is permitted to do with the account. Repositories and environments have lists of their own.',
  })
  viewerCan(@Ctx() ctx: GraphQLContext): ViewerAction[] {
    return viewerActionsOf(ctx, ['administer', 'start_runbook']);
  }

  @FieldResolver(() => Session, {
    nullable: true,
    description: 'The session in use. Null: the request came with a token.',
  })
  async session(@Ctx() ctx: GraphQLContext): Promise<Session | null> {
    return await readOwnSession(ctx);
  }

  @FieldResolver(() => [ApiToken], {
    name: 'apiTokens',
    description:
      "The user's own tokens, newest first, including tokens that have ended and were not deleted yet (docs/retention.md).",
  })
  async ownApiTokens(@Ctx() ctx: GraphQLContext, @Args(() => TokensArgs) args: TokensArgs): Promise<ApiToken[]> {
    return await readOwnApiTokens(ctx, pageOfTokens(args));
  }

  @Query(() => [ApiToken], {
    description:
      "The account's tokens, newest first, including tokens that have ended and were not deleted yet (docs/retention.md). Needs admin.",
  })
  async apiTokens(@Ctx() ctx: GraphQLContext, @Args(() => TokensArgs) args: TokensArgs): Promise<ApiToken[]> {
    return await readApiTokens(ctx, pageOfTokens(args));
  }

  @Mutation(() => CreateApiTokenPayload, {
    description:
      'Creates a token and shows it once. Needs admin, except for a user token of the caller. A token that is created without admin ends with the token that created it.',
  })
  async createApiToken(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateApiTokenInput) input: CreateApiTokenInput,
  ): Promise<CreateApiTokenPayload> {
    const { name, kind, scopes, expiresAt, user } = input;
    const userId = typeof user === 'string' ? rowIdOf('User', user) : null;
    const { id, token } = await createApiToken(ctx, ctx.secrets, { name, kind, scopes, expiresAt, userId });
    return { apiToken: await apiToken(ctx, id), token };
  }

  @Mutation(() => RevokeApiTokenPayload, {
    description: 'Ends a token and its open subscriptions at once. Needs admin, except for a user token of the caller.',
  })
  async revokeApiToken(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RevokeApiTokenInput) input: RevokeApiTokenInput,
  ): Promise<RevokeApiTokenPayload> {
    const id = typeof input.id === 'string' ? rowIdOf('ApiToken', input.id) : tokenInUse(ctx);
    await revokeApiToken(ctx, {
      id,
      successor: typeof input.successor === 'string' ? rowIdOf('ApiToken', input.successor) : null,
    });
    return { apiToken: await apiToken(ctx, id) };
  }

  @Mutation(() => CreateSignInLinkPayload, {
    description:
      'Makes a link that signs a browser in as the user of the token, with the scopes of the token. The link works once, within 15 minutes. Every token can make such a link; a session cannot.',
  })
  async createSignInLink(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateSignInLinkInput, { defaultValue: {} }) input: CreateSignInLinkInput,
  ): Promise<CreateSignInLinkPayload> {
    return await createSignInLink(ctx, ctx.secrets, input);
  }

  @Mutation(() => EndSessionPayload, {
    description:
      'Ends the session in use, or all sessions of its user, and their subscriptions, at once. Only for sessions: a token is revoked by `revokeApiToken`.',
  })
  async endSession(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => EndSessionInput, { defaultValue: {} }) input: EndSessionInput,
  ): Promise<EndSessionPayload> {
    await endSession(ctx, input);
    return { ended: true };
  }

  @Mutation(() => SetAccountTimezonePayload, {
    description: 'Sets the time zone that analytics use when a request names no time zone. Needs admin.',
  })
  async setAccountTimezone(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => SetAccountTimezoneInput) input: SetAccountTimezoneInput,
  ): Promise<SetAccountTimezonePayload> {
    await setAccountTimezone(ctx, input.timezone);
    return { account: await readAccount(ctx) };
  }
}

function pageOfTokens({ first, after }: TokensArgs): TokenPage {
  const { size } = readPage({ first }, { size: mostTokens, keyLength: 1 });
  return { size, after: typeof after === 'string' ? rowIdOf('ApiToken', after) : null };
}

async function apiToken(ctx: GraphQLContext, id: string): Promise<ApiToken> {
  const found = await findApiToken(ctx, id);
  if (!found) throw notFound('API token');
  return found;
}
