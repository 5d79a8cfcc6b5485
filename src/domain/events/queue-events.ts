// Decides which events change what a queue shows: events of the queue itself, and events of its repository that concern
// all queues of the repository.

/**
 * A pull request changed, and no action of the interface says so: it was closed or became pending, or its title, head,
 * base branch or draft state changed. Only the event log has this action.
 */
export const changedAction = 'pull_request_changed';

const repositoryWideActions: ReadonlySet<string> = new Set([
  'repository_activated',
  'repository_deactivated',
  'repository_deleted',
  'repository_paused',
  'repository_unpaused',
  'branches_paused',
  'branches_unpaused',
  'config_change',
  'freeze_created',
  'freeze_ended',
  'database_recovered',
]);

export interface RepositoryEvent {
  readonly action: string;
  readonly queueId: string | null;
  /** The environment of a freeze. Null: the freeze is of a base branch. */
  readonly environmentId: string | null;
}

/** Whether an event of the queue's repository concerns the queue. */
export function concernsQueue(event: RepositoryEvent, queueId: string): boolean {
  const { action, environmentId } = event;
  return event.queueId === null
    ? environmentId === null && repositoryWideActions.has(action)
    : event.queueId === queueId;
}
