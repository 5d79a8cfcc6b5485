// Comments, reviews and threads.
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { IssueComment, Review, ReviewComment, ReviewThread } from '../model/types.ts';
import { authorAssociation } from '../render/pulls.ts';
import { viewAccountOf } from './accounts.ts';
import { connect } from './connection.ts';
import { mayPush, type PullPlace, type ViewContext, type View } from './view-context.ts';

interface Written {
  readonly authorId: number;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

function viewWritten(context: ViewContext, { repository, pull }: PullPlace, row: Written): View {
  const { core, actor } = context;
  const isOwn = 'account' in actor && actor.account.id === row.authorId;
  return {
    author: () => viewAccountOf(context, row.authorId),
    authorAssociation: authorAssociation(core, repository, row.authorId),
    body: row.body,
    bodyText: row.body,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    publishedAt: row.createdAt,
    lastEditedAt: row.updatedAt === row.createdAt ? null : row.updatedAt,
    includesCreatedEdit: row.updatedAt !== row.createdAt,
    isMinimized: false,
    minimizedReason: null,
    reactionGroups: [],
    viewerDidAuthor: isOwn,
    viewerCanUpdate: isOwn || mayPush(context, repository),
    viewerCanDelete: isOwn || mayPush(context, repository),
    pullRequest: () => context.views.pull(repository, pull),
    repository: () => context.views.repository(repository),
  };
}

function pageOf({ core }: ViewContext, { repository, pull }: PullPlace): string {
  return `${core.urls.web}/${fullNameOf(core, repository)}/pull/${pull.number}`;
}

export function viewComment(context: ViewContext, place: PullPlace, comment: IssueComment): View {
  return {
    ...viewWritten(context, place, comment),
    __typename: 'IssueComment',
    id: nodeIdOf('comments', comment.id),
    databaseId: comment.id,
    editor: () => viewAccountOf(context, comment.editorId ?? null),
    fullDatabaseId: String(comment.id),
    url: `${pageOf(context, place)}#issuecomment-${comment.id}`,
  };
}

export function viewReview(context: ViewContext, place: PullPlace, review: Review): View {
  return {
    ...viewWritten(context, place, review),
    __typename: 'PullRequestReview',
    id: nodeIdOf('reviews', review.id),
    databaseId: review.id,
    fullDatabaseId: String(review.id),
    state: review.state,
    submittedAt: review.submittedAt,
    authorCanPushToRepository: true,
    commit: async () => await context.views.commitOf(place.repository, review.commitId),
    url: `${pageOf(context, place)}#pullrequestreview-${review.id}`,
    comments: (given: object) => {
      const rows = context.core.state.reviewComments.filter((each) => each.reviewId === review.id);
      return connect('comments', given, rows, (each) => viewReviewComment(context, place, each));
    },
  };
}

export function viewThread(context: ViewContext, place: PullPlace, thread: ReviewThread): View {
  const comments = context.core.state.reviewComments.filter((each) => each.threadId === thread.id);
  return {
    __typename: 'PullRequestReviewThread',
    id: nodeIdOf('reviewThreads', thread.id),
    isResolved: thread.resolvedById !== null,
    isOutdated: thread.isOutdated,
    isCollapsed: thread.resolvedById !== null,
    path: thread.path,
    line: thread.isOutdated ? null : thread.line,
    originalLine: thread.line,
    startLine: null,
    originalStartLine: null,
    diffSide: thread.side,
    startDiffSide: null,
    subjectType: thread.line === null ? 'FILE' : 'LINE',
    resolvedBy: () => viewAccountOf(context, thread.resolvedById),
    viewerCanResolve: mayPush(context, place.repository) && thread.resolvedById === null,
    viewerCanUnresolve: mayPush(context, place.repository) && thread.resolvedById !== null,
    viewerCanReply: true,
    pullRequest: () => context.views.pull(place.repository, place.pull),
    repository: () => context.views.repository(place.repository),
    comments: (given: object) =>
      connect('comments', given, comments, (each) => viewReviewComment(context, place, each)),
  };
}

function viewReviewComment(context: ViewContext, place: PullPlace, comment: ReviewComment): View {
  const thread = context.core.state.reviewThreads.must(comment.threadId);
  const first = context.core.state.reviewComments.get(comment.inReplyToId);
  return {
    ...viewWritten(context, place, comment),
    __typename: 'PullRequestReviewComment',
    id: nodeIdOf('reviewComments', comment.id),
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    path: thread.path,
    line: thread.line,
    diffHunk: comment.diffHunk,
    outdated: thread.isOutdated,
    state: 'SUBMITTED',
    replyTo: first === undefined ? null : () => viewReviewComment(context, place, first),
    commit: async () => await context.views.commitOf(place.repository, thread.commitId),
    url: `${pageOf(context, place)}#discussion_r${comment.id}`,
  };
}
