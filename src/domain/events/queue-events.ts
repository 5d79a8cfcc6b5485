// Which events change something that a queue shows: those of the queue itself, and those of its repository that every
// queue of it follows.

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
  /** A freeze may be one of an environment. */
  readonly environmentId: string | null;
}

/** Of an event of the queue's repository. */
export function concernsQueue({ action, queueId: of, environmentId }: RepositoryEvent, queueId: string): boolean {
  return of === null ? environmentId === null && ofEveryQueue.has(action) : of === queueId;
}
