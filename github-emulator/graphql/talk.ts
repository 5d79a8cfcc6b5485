// Comments, reviews and threads.
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { IssueComment, Review, ReviewComment, ReviewThread } from '../model/types.ts';
import { authorAssociation } from '../render/pulls.ts';
import { viewAccountOf } from './accounts.ts';
import { connect } from './connection.ts';
import { mayPush, type PullPlace, type Sight, type View } from './sight.ts';

interface Written {
  readonly authorId: number;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

function viewWritten(sight: Sight, { repository, pull }: PullPlace, row: Written): View {
  const { core, actor } = sight;
  const isOwn = 'account' in actor && actor.account.id === row.authorId;
  return {
    author: () => viewAccountOf(sight, row.authorId),
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
    viewerCanUpdate: isOwn || mayPush(sight, repository),
    viewerCanDelete: isOwn || mayPush(sight, repository),
    pullRequest: () => sight.views.pull(repository, pull),
    repository: () => sight.views.repository(repository),
  };
}

function pageOf({ core }: Sight, { repository, pull }: PullPlace): string {
  return `${core.urls.web}/${fullNameOf(core, repository)}/pull/${pull.number}`;
}

export function viewComment(sight: Sight, place: PullPlace, comment: IssueComment): View {
  return {
    ...viewWritten(sight, place, comment),
    __typename: 'IssueComment',
    id: nodeIdOf('comments', comment.id),
    databaseId: comment.id,
    editor: () => viewAccountOf(sight, comment.editorId ?? null),
    fullDatabaseId: String(comment.id),
    url: `${pageOf(sight, place)}#issuecomment-${comment.id}`,
  };
}

export function viewReview(sight: Sight, place: PullPlace, review: Review): View {
  return {
    ...viewWritten(sight, place, review),
    __typename: 'PullRequestReview',
    id: nodeIdOf('reviews', review.id),
    databaseId: review.id,
    fullDatabaseId: String(review.id),
    state: review.state,
    submittedAt: review.submittedAt,
    authorCanPushToRepository: true,
    commit: async () => await sight.views.commitOf(place.repository, review.commitId),
    url: `${pageOf(sight, place)}#pullrequestreview-${review.id}`,
    comments: (given: object) => {
      const rows = sight.core.state.reviewComments.filter((each) => each.reviewId === review.id);
      return connect('comments', given, rows, (each) => viewReviewComment(sight, place, each));
    },
  };
}

export function viewThread(sight: Sight, place: PullPlace, thread: ReviewThread): View {
  const comments = sight.core.state.reviewComments.filter((each) => each.threadId === thread.id);
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
    resolvedBy: () => viewAccountOf(sight, thread.resolvedById),
    viewerCanResolve: mayPush(sight, place.repository) && thread.resolvedById === null,
    viewerCanUnresolve: mayPush(sight, place.repository) && thread.resolvedById !== null,
    viewerCanReply: true,
    pullRequest: () => sight.views.pull(place.repository, place.pull),
    repository: () => sight.views.repository(place.repository),
    comments: (given: object) => connect('comments', given, comments, (each) => viewReviewComment(sight, place, each)),
  };
}

function viewReviewComment(sight: Sight, place: PullPlace, comment: ReviewComment): View {
  const thread = sight.core.state.reviewThreads.must(comment.threadId);
  const first = sight.core.state.reviewComments.get(comment.inReplyToId);
  return {
    ...viewWritten(sight, place, comment),
    __typename: 'PullRequestReviewComment',
    id: nodeIdOf('reviewComments', comment.id),
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    path: thread.path,
    line: thread.line,
    diffHunk: comment.diffHunk,
    outdated: thread.isOutdated,
    state: 'SUBMITTED',
    replyTo: first === undefined ? null : () => viewReviewComment(sight, place, first),
    commit: async () => await sight.views.commitOf(place.repository, thread.commitId),
    url: `${pageOf(sight, place)}#discussion_r${comment.id}`,
  };
}
