// The run of a batch that waits for its checks for a long time continues as new when its history is long.
import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { connectTemporal } from '../../src/temporal.ts';
import { batchWorkflowId, lookSignal } from '../../workflows/batch/messages.ts';
import { testTemporal, workflowBundle } from '../support/temporal.ts';
import { countEvents } from './engine-world.ts';

const mostHistoryEvents = 30;
const reads = 40;

it.each(['batch', 'quickBatch'])('a %s whose checks do not end continues, until it has ended', async (type) => {
  const { address, namespace } = testTemporal();
  const taskQueue = `test-${randomUUID()}`;
  const temporal = connectTemporal({ address, namespace, taskQueue, log: pino({ level: 'fatal' }) });
  const { client } = temporal;
  const input = { accountId: randomUUID(), batchId: '1' };
  const workflowId = batchWorkflowId(input);
  let steps = 0;
  const take = async (): Promise<object> => {
    steps += 1;
    const need = steps <= reads ? 'wait' : 'done';
    // A wake ends the wait at once.
    if (need === 'wait') await client.workflow.getHandle(workflowId).signal(lookSignal);
    return { need, state: 'landed', summary: 'It landed.', details: '', repository: 'acme/shop', baseBranch: 'main' };
  };
  const names = ['driveBatch', 'makeBuild', 'openBuild', 'readChecks', 'cleanUpBuild'];
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: workflowBundle(),
    activities: Object.fromEntries(names.map((name) => [name, take])),
  });
  await worker.runUntil(async () => {
    const handle = await client.workflow.start(type, {
      workflowId,
      taskQueue,
      args: [{ ...input, mostHistoryEvents }],
    });
    expect(await handle.result()).toEqual({ state: 'landed', summary: 'It landed.' });
    const first = await client.workflow.getHandle(workflowId, handle.firstExecutionRunId).fetchHistory();
    expect(countEvents(first).get('workflowExecutionContinuedAsNew')).toBe(1);
    expect(first.events?.length).toBeLessThan(mostHistoryEvents + 20);
  });
  await connection.close();
  await temporal.close();
});
