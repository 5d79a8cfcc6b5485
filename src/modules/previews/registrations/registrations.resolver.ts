import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../../graphql/connection.ts';
import { loadIfAny, type GraphQLContext } from '../../../graphql/context.ts';
import { pullRequestById } from '../../queue/index.ts';
import { PullRequest } from '../../queue/api/pull-requests.types.ts';
import { Repository } from '../../repositories/repositories.types.ts';
import { readRegistrations } from './registrations.reads.ts';
import { deregisterPreview, registerPreview } from './registrations.service.ts';
import {
  DeregisterPreviewInput,
  DeregisterPreviewPayload,
  messageOf,
  PreviewRegistration,
  PreviewRegistrationConnection,
  RegisterPreviewInput,
  RegisterPreviewPayload,
  registrationStatuses,
  statusOf,
  type RegistrationStatus,
} from './registrations.types.ts';

const pageSize = 20;

@Resolver(() => Repository)
export class RepositoryRegistrationsResolver {
  @FieldResolver(() => PreviewRegistrationConnection, {
    description: 'Previews that CI registered, newest first. Needs queue:read.',
  })
  async previewRegistrations(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Repository,
    @Arg('ended', () => Boolean, { defaultValue: false, description: 'Whether to list ended registrations too.' })
    ended: boolean,
    @PageArgs(20) request: PageRequest,
  ): Promise<Connection<PreviewRegistration>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readRegistrations(ctx, id, { size: page.size, before: rowId(page), ended });
    return toConnection(rows, page.size, { node: (row) => row, key: (row) => [row.id] });
  }
}

@Resolver(() => PreviewRegistration)
export class PreviewRegistrationsResolver {
  @FieldResolver(() => registrationStatuses, { description: 'Whether the registration belongs to a pull request now.' })
  status(@Root() registration: PreviewRegistration): RegistrationStatus {
    return statusOf(registration);
  }

  @FieldResolver(() => String, { description: 'The status as a sentence.' })
  message(@Root() registration: PreviewRegistration): string {
    return messageOf(registration);
  }

  @FieldResolver(() => PullRequest, {
    nullable: true,
    description: 'The open pull request whose head is the registered commit. Null: there is none. Needs queue:read.',
  })
  async pullRequest(
    @Ctx() ctx: GraphQLContext,
    @Root() { pullRequestId }: PreviewRegistration,
  ): Promise<PullRequest | null> {
    return await loadIfAny(ctx, pullRequestById, pullRequestId);
  }

  @Mutation(() => RegisterPreviewPayload, {
    description:
      'Registers an environment that CI built, and replaces the registration of the same preview and commit. A verification that waits for the preview then tests it. If the verification no longer waits, another verification begins (interface 4.10). Needs preview:register.',
  })
  async registerPreview(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RegisterPreviewInput) input: RegisterPreviewInput,
  ): Promise<RegisterPreviewPayload> {
    return { registration: await registerPreview(ctx, ctx.secrets, input) };
  }

  @Mutation(() => DeregisterPreviewPayload, {
    description:
      "Ends a preview's registrations for a pull request or branch, for all commits (interface 4.10). Needs preview:register.",
  })
  async deregisterPreview(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => DeregisterPreviewInput) input: DeregisterPreviewInput,
  ): Promise<DeregisterPreviewPayload> {
    return { deleted: await deregisterPreview(ctx, input) };
  }
}
