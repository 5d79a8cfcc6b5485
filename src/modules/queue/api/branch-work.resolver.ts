import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../../graphql/context.ts';
import {
  AsyncPullRequestPayload,
  BackportPullRequestInput,
  BackportPullRequestPayload,
  SyncPullRequestInput,
} from './branch-work.types.ts';
import { previewBackport, previewSync } from '../requests/branch-work.previews.ts';
import { requestBackport, requestRefresh, requestSync } from '../requests/branch-work.service.ts';
import { payload, previewPayload } from './pull-requests.payloads.ts';
import { PullRequestRefInput } from './pull-requests.types.ts';

@Resolver()
export class BranchWorkResolver {
  @Mutation(() => AsyncPullRequestPayload, {
    description:
      'Reads checks, state and reviews of a pull request from the code host again (interface 4.3). Needs queue:write.',
  })
  async refreshPullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PullRequestRefInput) input: PullRequestRefInput,
  ): Promise<AsyncPullRequestPayload> {
    const { message, ...requested } = await requestRefresh(ctx, input);
    const { pullRequest } = await payload(ctx, requested);
    return { pullRequest, status: 'processing', message };
  }

  @Mutation(() => AsyncPullRequestPayload, {
    description:
      'Updates the branch of a pull request with its base branch; in a stack this is restacking (interface 4.3). Needs queue:write.',
  })
  async syncPullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => SyncPullRequestInput) input: SyncPullRequestInput,
  ): Promise<AsyncPullRequestPayload> {
    if (input.preview) {
      const { message, ...preview } = await previewSync(ctx, input);
      return Object.assign(await previewPayload(ctx, preview), { status: 'processing' as const, message });
    }
    const { message, ...requested } = await requestSync(ctx, input);
    const { pullRequest } = await payload(ctx, requested);
    return { pullRequest, status: 'processing', message };
  }

  @Mutation(() => BackportPullRequestPayload, {
    description:
      'Cherry-picks the commits of a pull request onto another branch once it is merged, and opens a pull request for them (interface 4.3). Needs queue:write.',
  })
  async backportPullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => BackportPullRequestInput) input: BackportPullRequestInput,
  ): Promise<BackportPullRequestPayload> {
    if (input.preview) {
      const { message, ...preview } = await previewBackport(ctx, input);
      return Object.assign(await previewPayload(ctx, preview), { targetBranch: input.targetBranch, message });
    }
    const { message, ...requested } = await requestBackport(ctx, input);
    const { pullRequest } = await payload(ctx, requested);
    return { pullRequest, targetBranch: input.targetBranch, message };
  }
}
