// The client of Temporal, which wakes workflows. The API works while Temporal is down: a wake that fails is logged, and
// the relay finds the row later.
import { Client, Connection, type WorkflowSignalWithStartOptions } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Ports, Wake } from './context.ts';
import type { WebhookOptions } from './modules/webhooks/index.ts';
import type { TemporalSecurity } from './launcher/temporal-security.ts';
import { atMost } from './platform/at-most.ts';
import { presentTrace } from './platform/tracing/index.ts';
import type { Driven } from './graphql/context.ts';
import { batchWorkflowId, lookSignal } from '../workflows/batch/messages.ts';
import { buildLookSignal, buildWorkflowId } from '../workflows/build/messages.ts';
import { deploymentLookSignal, deploymentWorkflowId } from '../workflows/deployment/messages.ts';
import { deliveryLookSignal, deliveryWorkflowId } from '../workflows/webhook-delivery/messages.ts';
import { runbookLookSignal, runbookWorkflowId } from '../workflows/runbook/messages.ts';
import { verificationLookSignal, verificationWorkflowId } from '../workflows/verification/messages.ts';
import { queueWorkflowId, taskQueue, wakeSignal } from '../workflows/queue/messages.ts';
import { workflowTaskTimeout } from '../workflows/shared/timeouts.ts';
import { rollbackLookSignal, rollbackWorkflowId } from '../workflows/rollback/messages.ts';

const wakeWithinMs = 2_000;
/** The most wakes that are sent at once, so that canceling thousands of pull requests does not overload Temporal. */
const wakesAtOnce = 32;

interface PendingWake {
  /** Sends the next wake. Null: no wake is left to send. */
  next: (() => Promise<unknown>) | null;
  ended: Promise<void>;
}

export interface TemporalClient {
  readonly client: Client;
  readonly wake: Ports['wake'];
  /**
   * Starts the workflow of a webhook delivery, or signals the workflow to read its row again. Callers do not wait. If
   * the call to Temporal fails, the relay repeats it.
   */
  readonly retryDelivery: WebhookOptions['retry'];
  close(): Promise<void>;
}

export function connectTemporal(options: {
  readonly address: string;
  readonly namespace: string;
  readonly log: Logger;
  readonly taskQueue?: string;
  readonly security?: TemporalSecurity;
}): TemporalClient {
  const connection = Connection.lazy({ address: options.address, ...options.security });
  const client = new Client({ connection, namespace: options.namespace });
  const tasks = options.taskQueue ?? taskQueue;
  const wakes = createWakes(connection, options.log);

  return {
    client,
    wake: async (whose) => {
      const { type, signal, ...woken } = workflowOf(withTrace(whose));
      const options = { ...woken, taskQueue: tasks, workflowTaskTimeout } as const;
      wakes.wake(woken.workflowId, async () => {
        // A start costs one event of the history, a start with a signal two.
        if ('batchId' in whose && whose.isNew)
          await client.workflow.start(type, { ...options, workflowIdConflictPolicy: 'USE_EXISTING' });
        else await client.workflow.signalWithStart(type, { ...options, signal });
      });
    },
    retryDelivery: async ({ accountId, deliveryId }) => {
      const input = { accountId, deliveryId };
      const workflowId = deliveryWorkflowId(input);
      wakes.wake(
        workflowId,
        async () =>
          await client.workflow.signalWithStart('webhookDelivery', {
            workflowId,
            taskQueue: tasks,
            workflowTaskTimeout,
            args: [input],
            signal: deliveryLookSignal,
            staticSummary: 'Sends a webhook again whose first attempt failed',
          }),
      );
    },
    async close() {
      await wakes.ended();
      await connection.close();
    },
  };
}

/** Starts and signals workflows. Sends one wake at a time for each workflow. */
function createWakes(connection: Connection, log: Logger) {
  const inFlight = new Map<string, PendingWake>();
  const inTurn = atMost(wakesAtOnce);

  // Wakes that arrive while a wake of the same workflow is being sent are combined into one wake after it. Callers do
  // not wait, so that requests are answered at once even if Temporal is down.
  function wake(workflowId: string, send: () => Promise<unknown>): void {
    const known = inFlight.get(workflowId);
    if (known !== undefined) {
      known.next = send;
      return;
    }
    const pending: PendingWake = { next: send, ended: Promise.resolve() };
    inFlight.set(workflowId, pending);
    pending.ended = sendWakes(pending, workflowId);
  }

  async function sendWakes(pending: PendingWake, workflowId: string): Promise<void> {
    try {
      while (pending.next !== null) {
        const send = pending.next;
        pending.next = null;
        // The deadline is short, because the relay will wake the workflow anyway.
        await inTurn(async () => await connection.withDeadline(Date.now() + wakeWithinMs, send));
      }
    } catch (error) {
      log.warn({ error: String(error), workflowId }, 'A workflow could not be woken; the relay will wake it.');
    } finally {
      inFlight.delete(workflowId);
    }
  }

  return {
    wake,
    /** Resolves when every wake has been sent or has failed. */
    ended: async () => void (await Promise.all([...inFlight.values()].map(async (pending) => await pending.ended))),
  };
}

interface Woken extends Pick<WorkflowSignalWithStartOptions, 'signal' | 'staticSummary' | 'staticDetails'> {
  readonly type: string;
  readonly workflowId: string;
  readonly args: readonly [Pick<Traced, 'accountId' | 'trace'>];
}

/**
 * Adds the trace of the current request, which the run continues. The run of a queue gets no trace, because it serves
 * many requests. The run of a batch continues the trace that is stored with its pull request.
 */
function withTrace(whose: Wake): Traced {
  const trace = presentTrace();
  return 'queueId' in whose || 'batchId' in whose || trace === null ? whose : { ...whose, trace };
}

type Traced = Wake & { readonly trace?: string };

const stateNote = 'The state of this workflow is under Current Details.';

/** The name of the workflow that drives a row. */
export function workflowIdOf(row: Driven): string {
  return 'batchId' in row ? batchWorkflowId(row) : workflowOf(row).workflowId;
}

type WorkflowText = Pick<Woken, 'signal' | 'staticSummary' | 'staticDetails'>;

const workflowTexts = {
  batch: { signal: lookSignal },
  quickBatch: { signal: lookSignal },
  queue: {
    signal: wakeSignal,
    staticSummary: 'Plans and lands the pull requests of one base branch',
    staticDetails: `${stateNote} The batches of the queue are workflows of their own, which Current Details names.`,
  },
  build: { signal: buildLookSignal, staticSummary: 'Builds a release candidate', staticDetails: stateNote },
  runbook: {
    signal: runbookLookSignal,
    staticSummary: 'Turns a prompt into steps, commits and pull requests',
    staticDetails: stateNote,
  },
  verification: {
    signal: verificationLookSignal,
    staticSummary: 'Verifies the head of a pull request in its preview',
    staticDetails: stateNote,
  },
  rollback: {
    signal: rollbackLookSignal,
    staticSummary: 'Rolls an environment back',
    staticDetails: `${stateNote} The deployment of the rollback is a workflow of its own, under Relationships.`,
  },
  deployment: {
    signal: deploymentLookSignal,
    staticSummary: 'Deploys a release candidate to an environment',
    staticDetails: stateNote,
  },
} as const satisfies Readonly<Record<string, WorkflowText>>;

/** The workflow that a wake starts or signals, and its input. */
function workflowOf(whose: Traced): Woken {
  if ('queueId' in whose) {
    const { isOftenIrrelevant: _, ...input } = whose;
    return workflowStart('queue', queueWorkflowId(input), input);
  }
  if ('candidateId' in whose) return workflowStart('build', buildWorkflowId(whose), whose);
  if ('runbookId' in whose) return workflowStart('runbook', runbookWorkflowId(whose), whose);
  if ('batchId' in whose) {
    const { details: staticDetails, isQuick, isNew: _, ...input } = whose;
    const started = workflowStart(isQuick ? 'quickBatch' : 'batch', batchWorkflowId(whose), input);
    return { ...started, staticSummary: whose.title, staticDetails };
  }
  if ('verificationId' in whose) return workflowStart('verification', verificationWorkflowId(whose), whose);
  const { isRollback, ...input } = whose;
  return isRollback
    ? workflowStart('rollback', rollbackWorkflowId(input), input)
    : workflowStart('deployment', deploymentWorkflowId(input), input);
}

function workflowStart(type: keyof typeof workflowTexts, workflowId: string, input: Woken['args'][0]): Woken {
  return { type, workflowId, args: [input], ...workflowTexts[type] };
}
