// Adds and finds items of the timelines of pull requests.
import type { Core } from '../core.ts';
import type { PullRequest, TimelineItem } from '../model/types.ts';

type Note = Pick<TimelineItem, 'event' | 'actorId'> &
  Partial<Pick<TimelineItem, 'label' | 'commitId' | 'rename' | 'subjectId'>>;

export function note(core: Core, pull: PullRequest, { event, actorId, ...details }: Note): TimelineItem {
  return core.state.timeline.insert({
    repositoryId: pull.repositoryId,
    number: pull.number,
    event,
    actorId,
    createdAt: core.now(),
    label: null,
    commitId: null,
    rename: null,
    subjectId: null,
    ...details,
  });
}

export function isAbout(pull: PullRequest): (row: { repositoryId: number; number: number }) => boolean {
  return (row) => row.repositoryId === pull.repositoryId && row.number === pull.number;
}
