// Pull requests with their labels, comments, reviews and timeline, in the form of REST and webhooks.
import { roleOf } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { nodeIdOf } from '../model/ids.ts';
import { fullNameOf } from '../http/reach.ts';
import type {
  IssueComment,
  Label,
  PullRequest,
  Repository,
  Review,
  ReviewComment,
  TimelineItem,
} from '../model/types.ts';
import { type Json, renderAccount, renderAccountOf, renderAppOf, renderTeam } from './accounts.ts';
import { renderRepository, renderSettings, repositoryUrl } from './repositories.ts';

export function authorAssociation(core: Core, repository: Repository, authorId: number): string {
  const account = core.state.accounts.get(authorId);
  if (account === undefined || account.type === 'Bot') return 'NONE';
  if (repository.ownerId === authorId) return 'OWNER';
  const isMember = core.state.memberships.find(
    (each) => each.organizationId === repository.ownerId && each.userId === authorId,
  );
  if (isMember !== undefined) return 'MEMBER';
  const role = roleOf(core, account, repository);
  return repository.collaborators.some(({ userId }) => userId === authorId) && role !== null ? 'COLLABORATOR' : 'NONE';
}

export function renderLabel(core: Core, repository: Repository, label: Label): Json {
  return {
    id: label.id,
    node_id: nodeIdOf('labels', label.id),
    url: `${repositoryUrl(core, repository)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description,
  };
}

/** The fields of a pull request in lists: all except counts and mergeability. */
export function renderPull(core: Core, repository: Repository, pull: PullRequest): Json {
  const { state, urls } = core;
  const url = `${repositoryUrl(core, repository)}/pulls/${pull.number}`;
  const issueUrl = `${repositoryUrl(core, repository)}/issues/${pull.number}`;
  const page = `${urls.web}/${fullNameOf(core, repository)}/pull/${pull.number}`;
  const statusesUrl = `${repositoryUrl(core, repository)}/statuses/${pull.head.sha}`;
  const assignees = pull.assigneeIds.map((id) => renderAccountOf(core, id)).filter((each) => each !== null);
  return {
    url,
    id: pull.id,
    node_id: nodeIdOf('pullRequests', pull.id),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issueUrl,
    number: pull.number,
    state: pull.state,
    locked: pull.isLocked,
    active_lock_reason: null,
    title: pull.title,
    user: renderAccountOf(core, pull.authorId),
    body: pull.body,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommitSha ?? pull.testMerge?.commit ?? null,
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: pull.requestedReviewerIds.map((id) => renderAccountOf(core, id)),
    requested_teams: pull.requestedTeamIds.map((id) => renderTeam(core, state.teams.must(id))),
    labels: pull.labelIds.map((id) => renderLabel(core, repository, state.labels.must(id))),
    milestone: null,
    draft: pull.isDraft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${repositoryUrl(core, repository)}/pulls/comments{/number}`,
    comments_url: `${issueUrl}/comments`,
    statuses_url: statusesUrl,
    head: renderEnd(core, { ...pull.head, authorId: pull.authorId }),
    base: renderEnd(core, { ...pull.base, repositoryId: repository.id, authorId: pull.authorId }),
    _links: {
      self: { href: url },
      html: { href: page },
      issue: { href: issueUrl },
      comments: { href: `${issueUrl}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${repositoryUrl(core, repository)}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: statusesUrl },
    },
    author_association: authorAssociation(core, repository, pull.authorId),
    auto_merge: null,
  };
}

/** All fields of a pull request, with the counts that git must compute. */
export async function renderFullPull(core: Core, repository: Repository, pull: PullRequest): Promise<Json> {
  const { state, git } = core;
  const isOf = (row: { repositoryId: number; number: number }): boolean =>
    row.repositoryId === repository.id && row.number === pull.number;
  const range = `${pull.base.sha}..${pull.head.sha}`;
  const commits = Number(await git.textOfObjects(repository, ['rev-list', '--count', range]));
  const stats = await git.textOfObjects(repository, ['diff', '--shortstat', `${pull.base.sha}...${pull.head.sha}`]);
  const count = (pattern: RegExp): number => Number(pattern.exec(stats)?.[1] ?? 0);
  return {
    ...renderPull(core, repository, pull),
    merged: pull.mergedAt !== null,
    mergeable: pull.state === 'closed' ? null : pull.testMerge === null ? null : pull.testMerge.commit !== null,
    rebaseable: null,
    mergeable_state: pull.testMerge === null ? 'unknown' : pull.testMerge.commit === null ? 'dirty' : 'clean',
    merged_by: renderAccountOf(core, pull.mergedById),
    comments: state.comments.filter(isOf).length,
    review_comments: state.reviewComments.filter(isOf).length,
    maintainer_can_modify: pull.maintainerCanModify,
    commits,
    additions: count(/(\d+) insertion/),
    deletions: count(/(\d+) deletion/),
    changed_files: count(/(\d+) file/),
  };
}

function renderEnd(core: Core, end: { ref: string; sha: string; repositoryId: number | null; authorId: number }): Json {
  const repository = core.state.repositories.get(end.repositoryId);
  const owner = core.state.accounts.get(repository?.ownerId ?? end.authorId);
  return {
    label: `${owner?.login ?? 'unknown'}:${end.ref}`,
    ref: end.ref,
    sha: end.sha,
    user: owner === undefined ? null : renderAccount(core, owner),
    repo: repository === undefined ? null : { ...renderRepository(core, repository), ...renderSettings(repository) },
  };
}

export function renderIssue(core: Core, repository: Repository, pull: PullRequest): Json {
  const url = `${repositoryUrl(core, repository)}/issues/${pull.number}`;
  const shown = renderPull(core, repository, pull);
  const same = [
    'number',
    'state',
    'title',
    'body',
    'user',
    'labels',
    'assignee',
    'assignees',
    'milestone',
    'locked',
    'active_lock_reason',
    'created_at',
    'updated_at',
    'closed_at',
    'author_association',
    'html_url',
    'draft',
  ];
  return {
    ...Object.fromEntries(same.map((name) => [name, shown[name]])),
    id: pull.id,
    node_id: shown['node_id'],
    url,
    repository_url: repositoryUrl(core, repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    comments: core.state.comments.filter((each) => each.repositoryId === repository.id && each.number === pull.number)
      .length,
    state_reason: null,
    performed_via_github_app: null,
    reactions: noReactions(url),
    pull_request: {
      url: shown['url'],
      html_url: shown['html_url'],
      diff_url: shown['diff_url'],
      patch_url: shown['patch_url'],
      merged_at: pull.mergedAt,
    },
  };
}

export function renderComment(core: Core, repository: Repository, comment: IssueComment): Json {
  const url = `${repositoryUrl(core, repository)}/issues/comments/${comment.id}`;
  const page = `${core.urls.web}/${fullNameOf(core, repository)}/pull/${comment.number}`;
  return {
    id: comment.id,
    node_id: nodeIdOf('comments', comment.id),
    url,
    html_url: `${page}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrl(core, repository)}/issues/${comment.number}`,
    user: renderAccountOf(core, comment.authorId),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: authorAssociation(core, repository, comment.authorId),
    body: comment.body,
    performed_via_github_app: renderAppOf(core, comment.appId),
    reactions: noReactions(url),
  };
}

export function noReactions(url: string): Json {
  const reactions = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'];
  return { url: `${url}/reactions`, total_count: 0, ...Object.fromEntries(reactions.map((reaction) => [reaction, 0])) };
}

export function renderReview(core: Core, repository: Repository, review: Review): Json {
  const pullUrl = `${repositoryUrl(core, repository)}/pulls/${review.number}`;
  const page = `${core.urls.web}/${fullNameOf(core, repository)}/pull/${review.number}#pullrequestreview-${review.id}`;
  return {
    id: review.id,
    node_id: nodeIdOf('reviews', review.id),
    user: renderAccountOf(core, review.authorId),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: authorAssociation(core, repository, review.authorId),
    _links: { html: { href: page }, pull_request: { href: pullUrl } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitId,
  };
}

export function renderReviewComment(core: Core, repository: Repository, comment: ReviewComment): Json {
  const thread = core.state.reviewThreads.must(comment.threadId);
  const url = `${repositoryUrl(core, repository)}/pulls/comments/${comment.id}`;
  const pullUrl = `${repositoryUrl(core, repository)}/pulls/${comment.number}`;
  const page = `${core.urls.web}/${fullNameOf(core, repository)}/pull/${comment.number}#discussion_r${comment.id}`;
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeIdOf('reviewComments', comment.id),
    diff_hunk: comment.diffHunk,
    path: thread.path,
    commit_id: thread.commitId,
    original_commit_id: thread.commitId,
    user: renderAccountOf(core, comment.authorId),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: authorAssociation(core, repository, comment.authorId),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl } },
    reactions: noReactions(url),
    start_line: null,
    original_start_line: null,
    start_side: null,
    ...(thread.line === null ? {} : { line: thread.line, original_line: thread.line }),
    position: 1,
    original_position: 1,
    side: thread.side,
    subject_type: thread.line === null ? 'file' : 'line',
    ...(comment.inReplyToId === null ? {} : { in_reply_to_id: comment.inReplyToId }),
  };
}

export function renderTimelineItem(core: Core, repository: Repository, item: TimelineItem): Json {
  const subject = renderAccountOf(core, item.subjectId);
  const isRequest = item.event === 'review_requested' || item.event === 'review_request_removed';
  const isAssignment = item.event === 'assigned' || item.event === 'unassigned';
  return {
    id: item.id,
    node_id: nodeIdOf('timeline', item.id),
    url: `${repositoryUrl(core, repository)}/issues/events/${item.id}`,
    actor: renderAccountOf(core, item.actorId),
    event: item.event,
    commit_id: item.commitId,
    commit_url: item.commitId === null ? null : `${repositoryUrl(core, repository)}/commits/${item.commitId}`,
    created_at: item.createdAt,
    performed_via_github_app: null,
    ...(item.label === null ? {} : { label: item.label }),
    ...(item.rename === null ? {} : { rename: item.rename }),
    ...(isRequest ? { requested_reviewer: subject, review_requester: renderAccountOf(core, item.actorId) } : {}),
    ...(isAssignment ? { assignee: subject } : {}),
  };
}
