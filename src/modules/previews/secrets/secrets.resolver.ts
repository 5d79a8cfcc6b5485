import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { type Connection, PageArgs, type PageRequest, readPage, toConnection } from '../../../graphql/connection.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { encodeNodeId } from '../../../graphql/node-id.ts';
import { readPreviewSecret, readPreviewSecrets } from './secrets.reads.ts';
import { grantPreviewSecret, removePreviewSecret, revokePreviewSecret, setPreviewSecret } from './secrets.service.ts';
import {
  PreviewSecret,
  PreviewSecretConnection,
  PreviewSecretGrantInput,
  PreviewSecretPayload,
  RemovePreviewSecretInput,
  RemovePreviewSecretPayload,
  RevokePreviewSecretPayload,
  SetPreviewSecretInput,
} from './secrets.types.ts';

const pageSize = 50;

@Resolver(() => PreviewSecret)
export class PreviewSecretsResolver {
  @Query(() => PreviewSecretConnection, {
    description: "The account's preview secrets by key, without their values. Needs admin.",
  })
  async previewSecrets(
    @Ctx() ctx: GraphQLContext,
    @PageArgs(50) request: PageRequest,
  ): Promise<Connection<PreviewSecret>> {
    const { size, after: key } = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readPreviewSecrets(ctx, { size, after: key && String(key[0]) });
    return toConnection(rows, size, { node: (row) => row, key: (row) => [row.key] });
  }

  @Mutation(() => PreviewSecretPayload, {
    description:
      'Sets a secret for sandboxes, or replaces its value. No repository has the secret until it is granted. Needs admin.',
  })
  async setPreviewSecret(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => SetPreviewSecretInput) input: SetPreviewSecretInput,
  ): Promise<PreviewSecretPayload> {
    return { previewSecret: await readPreviewSecret(ctx, await setPreviewSecret(ctx, ctx.secrets, input)) };
  }

  @Mutation(() => RemovePreviewSecretPayload, {
    description: 'Removes a secret with its grants. Running sandboxes keep the secret. Needs admin.',
  })
  async removePreviewSecret(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RemovePreviewSecretInput) { key }: RemovePreviewSecretInput,
  ): Promise<RemovePreviewSecretPayload> {
    return { deletedId: encodeNodeId('PreviewSecret', await removePreviewSecret(ctx, key)) };
  }

  @Mutation(() => PreviewSecretPayload, {
    description:
      'Grants a secret to a repository. Sandboxes of the repository receive the secret if the configuration names it. Needs admin.',
  })
  async grantPreviewSecret(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PreviewSecretGrantInput) input: PreviewSecretGrantInput,
  ): Promise<PreviewSecretPayload> {
    return { previewSecret: await readPreviewSecret(ctx, await grantPreviewSecret(ctx, input)) };
  }

  @Mutation(() => RevokePreviewSecretPayload, {
    description: 'Revokes the grant of a secret to a repository. Running sandboxes keep the secret. Needs admin.',
  })
  async revokePreviewSecret(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PreviewSecretGrantInput) input: PreviewSecretGrantInput,
  ): Promise<RevokePreviewSecretPayload> {
    const { id, hasChanged } = await revokePreviewSecret(ctx, input);
    return { previewSecret: await readPreviewSecret(ctx, id), revoked: hasChanged };
  }
}
