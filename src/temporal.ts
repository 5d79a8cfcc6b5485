// The client side of Temporal: connecting, and waking a queue's workflow. The API works while Temporal is down: a wake
// that fails is logged, and the relay finds the queue by its rows.
import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Ports } from './context.ts';
import type { WebhookOptions } from './modules/webhooks/index.ts';
import { deliveryLookSignal, deliveryWorkflowId } from '../workflows/webhook-delivery/messages.ts';
import { queueWorkflowId, taskQueue, wakeSignal } from '../workflows/queue/messages.ts';

const wakeWithinMs = 2_000;

interface Flight {
  again: boolean;
  ended: Promise<void>;
}

export interface TemporalClient {
  readonly client: Client;
  readonly wake: Ports['wake'];
  /** Starts a delivery's workflow, or has the running one look. Nobody waits for it: the relay asks again. */
  readonly retryDelivery: WebhookOptions['retry'];
  close(): Promise<void>;
}

export function connectTemporal(options: {
  readonly address: string;
  readonly namespace: string;
  readonly log: Logger;
  readonly taskQueue?: string;
}): TemporalClient {
  const connection = Connection.lazy({ address: options.address });
  const client = new Client({ connection, namespace: options.namespace });
  const inFlight = new Map<string, Flight>();
  const tasks = options.taskQueue ?? taskQueue;

  // Wakes of one workflow while one is under way are one wake after it. Nobody waits for them: a request is answered at
  // once while Temporal is down.
  function wake(workflowId: string, signal: () => Promise<unknown>): void {
    const flying = inFlight.get(workflowId);
    if (flying !== undefined) {
      flying.again = true;
      return;
    }
    const flight: Flight = { again: true, ended: Promise.resolve() };
    inFlight.set(workflowId, flight);
    flight.ended = fly(flight, workflowId, signal);
  }

  async function fly(flight: Flight, workflowId: string, signal: () => Promise<unknown>): Promise<void> {
    try {
      while (flight.again) {
        flight.again = false;
        // Longer tries would only stand in the way of the relay's next one.
        await connection.withDeadline(Date.now() + wakeWithinMs, signal);
      }
    } catch (error) {
      options.log.warn({ error: String(error), workflowId }, 'A workflow could not be woken; the relay will.');
    } finally {
      inFlight.delete(workflowId);
    }
  }

  return {
    client,
    wake: async (input) => {
      const workflowId = queueWorkflowId(input);
      wake(
        workflowId,
        async () =>
          await client.workflow.signalWithStart('queue', {
            workflowId,
            taskQueue: tasks,
            args: [input],
            signal: wakeSignal,
            staticSummary: 'Plans and lands the pull requests of one base branch',
            staticDetails:
              'Where it stands is under Current Details. Its batches are workflows of their own, under Relationships.',
          }),
      );
    },
    retryDelivery: async ({ accountId, deliveryId }) => {
      const input = { accountId, deliveryId };
      const workflowId = deliveryWorkflowId(input);
      wake(
        workflowId,
        async () =>
          await client.workflow.signalWithStart('webhookDelivery', {
            workflowId,
            taskQueue: tasks,
            args: [input],
            signal: deliveryLookSignal,
            staticSummary: 'Sends a webhook again whose first attempt failed',
          }),
      );
    },
    async close() {
      await Promise.all([...inFlight.values()].map(async (flight) => await flight.ended));
      await connection.close();
    },
  };
}
