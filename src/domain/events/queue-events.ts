// Which events change what a queue shows: events of the queue itself, and events of its repository that concern all its
// queues.

const ofEveryQueue: ReadonlySet<string> = new Set([
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
export function concernsQueue({ action, queueId: of, environmentId }: RepositoryEvent, queueId: string): boolean {
  return of === null ? environmentId === null && ofEveryQueue.has(action) : of === queueId;
}
