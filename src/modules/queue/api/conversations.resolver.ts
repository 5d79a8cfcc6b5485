import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../../graphql/context.ts';
import type { HostComment, ReviewThread as HostThread } from '../../../hosts/port.ts';
import {
  addComment,
  labelPullRequest,
  openThread,
  readComments,
  readCommitsOf,
  readThreads,
  resolveThread,
} from '../requests/conversations.service.ts';
import {
  AddPullRequestCommentInput,
  AddPullRequestCommentPayload,
  LabelPullRequestInput,
  OpenReviewThreadInput,
  PullRequestComment,
  PullRequestCommit,
  ResolveReviewThreadInput,
  ReviewThread,
  ReviewThreadPayload,
} from './conversations.types.ts';
import { payload } from './pull-requests.payloads.ts';
import { PullRequest, PullRequestPayload } from './pull-requests.types.ts';

@Resolver(() => PullRequest)
export class ConversationsResolver {
  @FieldResolver(() => [PullRequestComment], {
    description: 'Comments of people and of the queue, oldest first, read from the code host.',
  })
  async comments(@Ctx() ctx: GraphQLContext, @Root() pullRequest: PullRequest): Promise<PullRequestComment[]> {
    return (await readComments(ctx, pullRequest)).map(({ author, body, createdAt, editedAt }) => ({
      author,
      body,
      createdAt: new Date(createdAt),
      editedAt: editedAt === null ? null : new Date(editedAt),
    }));
  }

  @FieldResolver(() => [PullRequestCommit], {
    description:
      'Its commits that its base branch does not have, or did not have before the merge. Read from the code host, oldest first, at most the newest 250.',
  })
  async commits(@Ctx() ctx: GraphQLContext, @Root() pullRequest: PullRequest): Promise<PullRequestCommit[]> {
    return (await readCommitsOf(ctx, pullRequest)).map(({ commit, message, authorName, authoredAt }) => ({
      commit,
      title: message.split('\n', 1)[0] ?? '',
      author: authorName,
      authoredAt: new Date(authoredAt),
    }));
  }

  @FieldResolver(() => [ReviewThread], {
    description: 'The threads of its reviews, oldest first, read from the code host.',
  })
  async reviewThreads(@Ctx() ctx: GraphQLContext, @Root() pullRequest: PullRequest): Promise<ReviewThread[]> {
    return (await readThreads(ctx, pullRequest)).map(toThread);
  }

  @Mutation(() => AddPullRequestCommentPayload, {
    description: 'Comments on a pull request of a repository of the local host. Needs queue:write.',
  })
  async addPullRequestComment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => AddPullRequestCommentInput) input: AddPullRequestCommentInput,
  ): Promise<AddPullRequestCommentPayload> {
    return { comment: toComment(await addComment(ctx, input)) };
  }

  @Mutation(() => ReviewThreadPayload, {
    description: 'Opens a review thread, which stays unresolved until somebody resolves it. Needs queue:write.',
  })
  async openReviewThread(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => OpenReviewThreadInput) input: OpenReviewThreadInput,
  ): Promise<ReviewThreadPayload> {
    return { reviewThread: toThread(await openThread(ctx, input)) };
  }

  @Mutation(() => ReviewThreadPayload, {
    description: 'Resolves a review thread, or reopens it. Needs queue:write.',
  })
  async resolveReviewThread(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => ResolveReviewThreadInput) input: ResolveReviewThreadInput,
  ): Promise<ReviewThreadPayload> {
    return { reviewThread: toThread(await resolveThread(ctx, input)) };
  }

  @Mutation(() => PullRequestPayload, {
    description:
      'Adds a label to a pull request of a repository of the local host, or removes the label. Needs queue:write.',
  })
  async labelPullRequest(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => LabelPullRequestInput) input: LabelPullRequestInput,
  ): Promise<PullRequestPayload> {
    return await payload(ctx, await labelPullRequest(ctx, input));
  }
}

function toComment({ author, body, at }: HostComment): PullRequestComment {
  return { author, body, createdAt: new Date(at), editedAt: null };
}

function toThread({ openedAt, resolvedAt, ...thread }: HostThread): ReviewThread {
  return {
    ...thread,
    openedAt: new Date(openedAt),
    resolvedAt: resolvedAt === null ? null : new Date(resolvedAt),
  };
}
