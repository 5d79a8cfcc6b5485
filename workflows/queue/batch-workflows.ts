// Every batch has a workflow of its own. A workflow that was lost for any reason is started again while its batch is
// open; a workflow that sleeps while its batch ended is woken.
import { getExternalWorkflowHandle, ParentClosePolicy, startChild, WorkflowIdReusePolicy } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { workflowTaskTimeout } from '../shared/timeouts.ts';
import { batchWorkflowId, lookSignal } from '../batch/messages.ts';
import type { QueueActivities } from './activities.ts';
import type { QueueInput } from './messages.ts';

type OpenBatch = Awaited<ReturnType<QueueActivities['advanceQueue']>>['batches'][number];

export interface BatchWorkflows {
  /** Reads the queue. What ends meanwhile is not missed: its rows may have been read before its end. */
  during<T>(read: () => Promise<T>): Promise<T>;
  follow(batches: readonly OpenBatch[]): Promise<void>;
}

interface FollowedBatch {
  need: OpenBatch['need'];
  /** The reading during or before which its workflow ended. */
  endedIn?: number;
}

export function createBatchWorkflows({ accountId }: QueueInput): BatchWorkflows {
  const followed = new Map<string, FollowedBatch>();
  let reading = 0;

  async function start({ id, need, title, details }: OpenBatch): Promise<void> {
    const input = { accountId, batchId: id, title };
    const batch: FollowedBatch = { need };
    followed.set(id, batch);
    const end = (): void => {
      batch.endedIn = reading;
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
      // There is none. It may have ended in this moment, having seen the same rows.
      batch.endedIn ??= reading;
    }
  }

  return {
    async during(read) {
      reading += 1;
      return await read();
    },
    async follow(batches) {
      for (const batch of batches) {
        const before = followed.get(batch.id);
        if (before === undefined || (before.endedIn ?? reading) < reading) await start(batch);
        else if (batch.need === 'clean_up' && before.need !== 'clean_up') await signal(batch.id, before);
        followed.set(batch.id, Object.assign(followed.get(batch.id) ?? {}, { need: batch.need }));
      }
      const open = new Set(batches.map((batch) => batch.id));
      for (const id of followed.keys()) if (!open.has(id)) followed.delete(id);
    },
  };
}
