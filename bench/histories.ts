// Counts how many events the histories in Temporal get when pull requests are queued together and land.
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { batchWorkflowId } from '../workflows/batch/messages.ts';
import { queueWorkflowId } from '../workflows/queue/messages.ts';
import { figure, type Figure } from './figures.ts';
import {
  openShop,
  pause,
  queueOne,
  untilChecked,
  untilLanded,
  untilQuiet,
  withProgram,
  type Program,
} from './program.ts';

const bursts = [
  { count: 1, atMost: 40 },
  { count: 5, atMost: 100 },
  { count: 20, atMost: 300 },
] as const;

export async function measureHistories(): Promise<Figure[]> {
  return await withProgram(async (program) => {
    const connection = await Connection.connect({ address: program.temporalAddress });
    const client = new Client({ connection, namespace: 'interlock' });
    const figures: Figure[] = [];
    try {
      let landed = 0;
      for (const { count, atMost } of bursts) {
        const shop = await openShop(program, { name: `shop-${count}`, batch: 4, pullRequests: count });
        await untilChecked(program);
        const before = await countEvents(program, client, shop.name);
        // Several pull requests are queued in a pause, so that they are in line together even on a busy machine.
        if (count > 1) await pause(program, shop, true);
        for (let number = 1; number <= count; number += 1) await queueOne(program, shop, number);
        if (count > 1) {
          await untilQuiet(program);
          await pause(program, shop, false);
        }
        landed += count;
        await untilLanded(program, landed);
        await untilQuiet(program);
        const events = (await countEvents(program, client, shop.name)) - before;
        figures.push(
          figure({
            what: `events of history for ${count} pull requests queued together`,
            today: events,
            unit: '',
            atMost,
          }),
        );
      }
      return figures;
    } finally {
      await connection.close();
    }
  });
}

async function countEvents({ rows }: Program, client: Client, name: string): Promise<number> {
  const queues = await rows<{ accountId: string; queueId: string }>(
    `select q.account_id::text as "accountId", q.id::text as "queueId" from queue q join repository r on r.id = q.repository_id where r.name = $1`,
    [name],
  );
  const batches = await rows<{ accountId: string; batchId: string }>(
    `select b.account_id::text as "accountId", b.id::text as "batchId" from batch b join repository r on r.id = b.repository_id where r.name = $1`,
    [name],
  );
  const ids = [...queues.map(queueWorkflowId), ...batches.map(batchWorkflowId)];
  const lengths = ids.map(async (id) => await lengthAtRest(client, id));
  return (await Promise.all(lengths)).reduce((sum, length) => sum + length, 0);
}

/** Waits until the workflow has no task, because the task of the last turn may still run. */
async function lengthAtRest(client: Client, id: string): Promise<number> {
  for (;;) {
    const description = await client.workflow
      .getHandle(id)
      .describe()
      // The workflow of a queue starts with its first wake, so a new queue may have no history.
      .catch(() => null);
    if (!description?.raw.pendingWorkflowTask) return description?.historyLength ?? 0;
    await delay(50);
  }
}
