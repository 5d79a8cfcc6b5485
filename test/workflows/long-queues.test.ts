// The run of a busy queue continues as new when its history is long, although each of its turns wakes it again.
import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { connectTemporal } from '../../src/temporal.ts';
import { queueWorkflowId, wakeSignal } from '../../workflows/queue/messages.ts';
import { testTemporal, workflowBundle } from '../support/temporal.ts';
import { countEvents, eventually } from './engine-world.ts';

const mostHistoryEvents = 30;
const turnsWithWakes = 40;

it('continues before a turn, and Temporal repeats no task', async () => {
  const { address, namespace } = testTemporal();
  const taskQueue = `test-${randomUUID()}`;
  const temporal = connectTemporal({ address, namespace, taskQueue, log: pino({ level: 'fatal' }) });
  const { client } = temporal;
  const input = { accountId: randomUUID(), queueId: '1' };
  const handle = client.workflow.getHandle(queueWorkflowId(input));
  let turns = 0;
  const advanceQueue = async (): Promise<object> => {
    turns += 1;
    if (turns <= turnsWithWakes) await handle.signal(wakeSignal);
    const summary = { repository: 'acme/shop', baseBranch: 'main', state: 'idle', details: '' };
    return { nextLookAt: null, batches: [], effects: [], summary };
  };
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: workflowBundle(),
    activities: { advanceQueue },
  });
  await worker.runUntil(async () => {
    const { workflowId, firstExecutionRunId } = await client.workflow.start('queue', {
      workflowId: queueWorkflowId(input),
      taskQueue,
      args: [{ ...input, mostHistoryEvents }],
    });
    await eventually(async () => turns > turnsWithWakes, 'all turns are taken');
    const first = await client.workflow.getHandle(workflowId, firstExecutionRunId).fetchHistory();
    const counts = countEvents(first);
    expect([counts.get('workflowExecutionContinuedAsNew'), counts.get('workflowTaskFailed') ?? 0]).toEqual([1, 0]);
    expect(first.events?.length).toBeLessThan(mostHistoryEvents + 20);
    await handle.terminate('The test is over.');
  });
  await connection.close();
  await temporal.close();
});
