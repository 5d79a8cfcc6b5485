// Starts and wakes the workflows of batches, as the queue's workflow of an earlier version did. This code is needed for
// the histories of that version, and for turns that a worker of that version has taken. A workflow that was lost is
// started again as long as its batch is open. A workflow that waits while its batch has ended is woken.
import { getExternalWorkflowHandle, ParentClosePolicy, startChild, WorkflowIdReusePolicy } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { workflowTaskTimeout } from '../shared/timeouts.ts';
import { batchWorkflowId, lookSignal } from '../batch/messages.ts';
import type { QueueActivities } from './activities.ts';
import type { QueueInput } from './messages.ts';

type OpenBatch = Awaited<ReturnType<QueueActivities['advanceQueue']>>['batches'][number];

export interface BatchWorkflows {
  /**
   * Reads the queue. Must be used for each read, because rows that were read before the end of a workflow must not
   * start it again.
   */
  during<T>(read: () => Promise<T>): Promise<T>;
  follow(batches: readonly OpenBatch[]): Promise<void>;
}

interface FollowedBatch {
  need: OpenBatch['need'];
  /** The number of the last read that began before the workflow ended. */
  endedIn?: number;
}

export function createBatchWorkflows({ accountId }: QueueInput): BatchWorkflows {
  const followed = new Map<string, FollowedBatch>();
  let reads = 0;

  async function start({ id, need, title, details }: OpenBatch): Promise<void> {
    const input = { accountId, batchId: id, title };
    const batch: FollowedBatch = { need };
    followed.set(id, batch);
    const end = (): void => {
      batch.endedIn = reads;
    };
    try {
      const child = await startChild('batch', {
        args: [input],
        workflowId: batchWorkflowId(input),
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowTaskTimeout,
        staticSummary: title,
        staticDetails: details,
      });
      void child.result().then(end, end);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await signal(id, batch);
    }
  }

  async function signal(batchId: string, batch: FollowedBatch): Promise<void> {
    try {
      await getExternalWorkflowHandle(batchWorkflowId({ accountId, batchId })).signal(lookSignal);
    } catch {
      // The workflow does not exist. It may have just ended after it saw the same rows.
      batch.endedIn ??= reads;
    }
  }

  return {
    async during(read) {
      reads += 1;
      return await read();
    },
    async follow(batches) {
      for (const batch of batches) {
        const before = followed.get(batch.id);
        if (before === undefined || (before.endedIn ?? reads) < reads) await start(batch);
        else if (batch.need === 'clean_up' && before.need !== 'clean_up') await signal(batch.id, before);
        followed.set(batch.id, Object.assign(followed.get(batch.id) ?? {}, { need: batch.need }));
      }
      const open = new Set(batches.map((batch) => batch.id));
      for (const id of followed.keys()) if (!open.has(id)) followed.delete(id);
    },
  };
}
