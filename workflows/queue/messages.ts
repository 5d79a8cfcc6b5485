// The name and the messages of the queue's workflow. Everything that the workflow decides on is in the database. A
// message only means that the queue is to take a turn, so a lost, late or repeated message only changes the time of the
// turn.
import { defineSignal } from '@temporalio/workflow';

export const taskQueue = 'interlock';

export interface QueueInput {
  readonly accountId: string;
  readonly queueId: string;
  /**
   * The number of events in the history after which a run continues as new. Absent: the default of the workflow. Stored
   * histories have this name.
   */
  readonly mostHistoryEvents?: number;
}

export interface TurnInput extends QueueInput {
  /** Whether this is the first turn of a run. Absent if a worker of an earlier version runs the workflow. */
  readonly isFirstTurn?: boolean;
}

/** The id of the workflow. Each base branch of a repository has one. */
export function queueWorkflowId({ accountId, queueId }: QueueInput): string {
  return `queue:${accountId}:${queueId}`;
}

export const wakeSignal = defineSignal('wake');
