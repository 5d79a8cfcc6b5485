// How the queue's workflow is named and talked to. Everything it decides on is in the database: a message only means
// "look again", so that a lost, late or doubled one changes nothing but the moment.
import { defineSignal } from '@temporalio/workflow';

export const taskQueue = 'interlock';

export interface QueueInput {
  readonly accountId: string;
  readonly queueId: string;
  /** Events of history after which a run continues as a new one; the workflow's own limit when absent. */
  readonly mostHistoryEvents?: number;
}

/** One workflow per base branch of a repository. */
export function queueWorkflowId({ accountId, queueId }: QueueInput): string {
  return `queue:${accountId}:${queueId}`;
}

export const wakeSignal = defineSignal('wake');
