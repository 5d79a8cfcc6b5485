import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { addAppByHand, createAppLink } from './apps.service.ts';
import {
  AddGitHubAppInput,
  AddGitHubAppPayload,
  CreateGitHubAppLinkInput,
  CreateGitHubAppLinkPayload,
} from './github.types.ts';

@Resolver()
export class GitHubAppsResolver {
  @Mutation(() => CreateGitHubAppLinkPayload, {
    description:
      'Creates a link by which a GitHub App of the account can be created within an hour. Throws CONFLICT if GitHub cannot reach Interlock. Needs admin.',
  })
  async createGitHubAppLink(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateGitHubAppLinkInput) { server, organization }: CreateGitHubAppLinkInput,
  ): Promise<CreateGitHubAppLinkPayload> {
    return await createAppLink(ctx, { server: server ?? null, organization: organization ?? null }, ctx.githubServers);
  }

  @Mutation(() => AddGitHubAppPayload, {
    description:
      'Stores a GitHub App that was created by hand, or a new key or new secrets of a stored App. Throws BAD_INPUT for data that GitHub does not accept, and CONFLICT if the App belongs to another account. Needs admin.',
  })
  async addGitHubApp(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => AddGitHubAppInput) app: AddGitHubAppInput,
  ): Promise<AddGitHubAppPayload> {
    return await addAppByHand(ctx, ctx.secrets, { app, servers: ctx.githubServers });
  }
}
