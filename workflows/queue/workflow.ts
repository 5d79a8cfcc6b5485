// The queue of one base branch. It waits to be woken or for the next deadline, has the queue planned in one activity,
// carries out what that left open, and sees that every batch has its workflow. It holds nothing but ids: it can
// continue as new, be started twice, or be lost with all of Temporal's data, and the next one goes on from the rows.
import {
  condition, continueAsNew, getExternalWorkflowHandle, isCancellation, log, ParentClosePolicy, proxyActivities, setCurrentDetails, setHandler,
  sleep, startChild, upsertSearchAttributes, workflowInfo, WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { batchWorkflowId, lookSignal } from '../batch/messages.ts';
import { baseBranchAttribute, queueStatusAttribute, repositoryAttribute } from '../shared/search-attributes.ts';
import type { QueueActivities } from './activities.ts';
import { wakeSignal, type QueueInput } from './messages.ts';

// A thousand wakes in the same moment are a few plans.
const coalesceMs = 75;
const retryMs = 15_000;
const mostHistoryEvents = 4_000;

const { advanceQueue } = proxyActivities<QueueActivities>({
  summary: 'Read the queue, plan, write what was decided',
  startToCloseTimeout: '30s',
  retry: { initialInterval: '200ms', maximumInterval: '15s' },
});

const { carryOut } = proxyActivities<QueueActivities>({
  summary: 'Carry out an effect on the code host, guarded and read back',
  startToCloseTimeout: '2m',
  retry: { initialInterval: '500ms', maximumInterval: '30s', maximumAttempts: 5 },
});

type Advance = Awaited<ReturnType<QueueActivities['advanceQueue']>>;

export async function queue(input: QueueInput): Promise<void> {
  let isWoken = true;
  setHandler(wakeSignal, () => {
    isWoken = true;
  });
  const batches = new BatchWorkflows(input);
  let nextLookAt: number | null = null;
  for (;;) {
    if (!isWoken) await waitUntil(() => isWoken, nextLookAt);
    if (isWoken) await sleep(coalesceMs);
    isWoken = false;
    const advance = await advanceQueue(input);
    nextLookAt = advance.nextLookAt;
    describe(advance);
    await batches.attend(advance.batches);
    for (const intentId of advance.intents) {
      const isDone = await tryToCarryOut({ accountId: input.accountId, intentId });
      // A landing wakes us by its own transaction; looking at once saves that way. One that failed is tried later.
      if (isDone) isWoken = true;
      else nextLookAt = Math.min(nextLookAt ?? Number.MAX_SAFE_INTEGER, Date.now() + retryMs);
    }
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (continueAsNewSuggested || historyLength > mostHistoryEvents) await continueAsNew<typeof queue>(input);
  }
}

/** A failure stays an open intent in the database, with its tries: the next turn finds it again. */
async function tryToCarryOut(intent: Parameters<QueueActivities['carryOut']>[0]): Promise<boolean> {
  try {
    await carryOut(intent);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('An intent could not be carried out and is tried again.', { ...intent, error: String(error) });
    return false;
  }
}

async function waitUntil(isWoken: () => boolean, deadline: number | null): Promise<void> {
  if (deadline === null) return await condition(isWoken);
  await condition(isWoken, Math.max(1, deadline - Date.now()));
}

function describe({ summary }: Advance): void {
  const { repository, baseBranch, state, line } = summary;
  upsertSearchAttributes([
    { key: repositoryAttribute, value: repository },
    { key: baseBranchAttribute, value: baseBranch },
    { key: queueStatusAttribute, value: state.split(':')[0] ?? state },
  ]);
  setCurrentDetails(`**${repository}** → \`${baseBranch}\`: ${state}\n\n${line}`);
}

/** Every batch has a workflow of its own; one that was lost is started again, one that ended is told to look. */
class BatchWorkflows {
  readonly #attended = new Map<string, string>();
  readonly #input: QueueInput;

  constructor(input: QueueInput) {
    this.#input = input;
  }

  async attend(batches: Advance['batches']): Promise<void> {
    for (const { id, need, title } of batches) {
      const before = this.#attended.get(id);
      this.#attended.set(id, need);
      if (before === undefined) await this.#start(id, title);
      else if (need === 'clean_up' && before !== 'clean_up') await this.#tell(id);
    }
    const open = new Set(batches.map((batch) => batch.id));
    for (const id of this.#attended.keys()) if (!open.has(id)) this.#attended.delete(id);
  }

  async #start(batchId: string, title: string): Promise<void> {
    const input = { accountId: this.#input.accountId, batchId };
    try {
      await startChild('batch', {
        args: [input],
        workflowId: batchWorkflowId(input),
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: title,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await this.#tell(batchId);
    }
  }

  async #tell(batchId: string): Promise<void> {
    const id = batchWorkflowId({ accountId: this.#input.accountId, batchId });
    // It may have ended in this moment, having seen the same rows.
    await getExternalWorkflowHandle(id).signal(lookSignal).catch(() => {});
  }
}
