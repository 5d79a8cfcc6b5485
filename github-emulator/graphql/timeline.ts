// The timeline of a pull request.
import { nodeIdOf } from '../model/ids.ts';
import type { TimelineItem } from '../model/types.ts';
import { isAbout } from '../pulls/timeline.ts';
import { viewAccountOf } from './accounts.ts';
import { connect } from './connection.ts';
import type { PullPlace, ViewContext, View } from './view-context.ts';

const typenames = {
  labeled: 'LabeledEvent',
  unlabeled: 'UnlabeledEvent',
  closed: 'ClosedEvent',
  reopened: 'ReopenedEvent',
  merged: 'MergedEvent',
  renamed: 'RenamedTitleEvent',
  base_ref_changed: 'BaseRefChangedEvent',
  head_ref_deleted: 'HeadRefDeletedEvent',
  head_ref_force_pushed: 'HeadRefForcePushedEvent',
  convert_to_draft: 'ConvertToDraftEvent',
  ready_for_review: 'ReadyForReviewEvent',
  review_requested: 'ReviewRequestedEvent',
  review_request_removed: 'ReviewRequestRemovedEvent',
  review_dismissed: 'ReviewDismissedEvent',
  assigned: 'AssignedEvent',
  unassigned: 'UnassignedEvent',
} as const satisfies Record<TimelineItem['event'], string>;

interface TimelineArguments {
  readonly itemTypes?: readonly string[] | null;
  readonly since?: string | null;
}

interface Entry {
  readonly type: string;
  readonly at: string;
  readonly id: number;
  readonly view: () => View;
}

/** The timeline, the oldest item first. `itemTypes` are names such as LABELED_EVENT. */
export function viewTimeline(context: ViewContext, place: PullPlace, given: TimelineArguments): object {
  const { state } = context.core;
  const about = isAbout(place.pull);
  const entries: Entry[] = [
    ...state.timeline.filter(about).map((item) => ({
      type: typenames[item.event],
      at: item.createdAt,
      id: item.id,
      view: () => viewItem(context, place, item),
    })),
    ...state.comments.filter(about).map((comment) => ({
      type: 'IssueComment',
      at: comment.createdAt,
      id: comment.id,
      view: () => context.views.comment(place, comment),
    })),
    ...state.reviews.filter(about).map((review) => ({
      type: 'PullRequestReview',
      at: review.createdAt,
      id: review.id,
      view: () => context.views.review(place, review),
    })),
  ];
  const wanted = given.itemTypes?.map((name) => name.replaceAll('_', '').toLowerCase());
  const since = given.since ?? null;
  const rows = entries
    .filter(({ type }) => wanted?.includes(type.toLowerCase()) ?? true)
    .filter(({ at }) => since === null || Date.parse(at) >= Date.parse(since))
    .sort((a, b) => a.id - b.id);
  return {
    ...connect('timelineItems', given, rows, ({ view }) => view()),
    filteredCount: rows.length,
    pageCount: rows.length,
    updatedAt: place.pull.updatedAt,
  };
}

function viewItem(context: ViewContext, place: PullPlace, item: TimelineItem): View {
  const { repository, pull } = place;
  const { state } = context.core;
  const { label, rename } = item;
  const known = state.labels.find((each) => each.repositoryId === repository.id && each.name === label?.name);
  const row = label === null ? null : (known ?? { id: 0, repositoryId: repository.id, ...label, description: null });
  const subject = (): View | null => viewAccountOf(context, item.subjectId);
  const commit = async (): Promise<View | null> =>
    item.commitId === null ? null : await context.views.commitOf(repository, item.commitId);
  return {
    __typename: typenames[item.event],
    id: nodeIdOf('timeline', item.id),
    createdAt: item.createdAt,
    actor: () => viewAccountOf(context, item.actorId),
    pullRequest: () => context.views.pull(repository, pull),
    label: row === null ? null : () => context.views.label(repository, row),
    labelable: () => context.views.pull(repository, pull),
    closable: () => context.views.pull(repository, pull),
    subject: () => context.views.pull(repository, pull),
    stateReason: null,
    closer: null,
    commit,
    afterCommit: commit,
    beforeCommit: null,
    mergeRefName: pull.base.ref,
    headRefName: pull.head.ref,
    currentRefName: pull.base.ref,
    previousRefName: null,
    currentTitle: rename?.to ?? pull.title,
    previousTitle: rename?.from ?? pull.title,
    requestedReviewer: subject,
    assignee: subject,
    user: subject,
  };
}
