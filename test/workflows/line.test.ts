// The workflows land a line of pull requests: how long the histories get, how often a burst of wakes plans, and how a
// long history is continued.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueWorkflowId, wakeSignal } from '../../workflows/queue/messages.ts';
import { expectOneLandingEach } from '../support/landings.ts';
import { cases } from '../support/tier.ts';
import { parallel } from '../support/world.ts';
import { countEvents, engineWorld, eventually, keepHistory, type EngineWorld } from './engine-world.ts';

describe('a line on Temporal', () => {
  let e: EngineWorld;
  const numbers: number[] = [];
  beforeAll(async () => {
    e = await engineWorld({ configuration: parallel({ builds: 3, batch: 4 }) });
    await e.start();
  });
  afterAll(async () => await e[Symbol.asyncDispose]());

  async function land(count: number): Promise<void> {
    const opened: number[] = [];
    for (let i = 0; i < count; i += 1) {
      const name = `change-${numbers.length + i + 1}`;
      opened.push(await e.w.open(name, { [`${name}.txt`]: 'x\n' }));
    }
    // The pull requests are queued in a pause, so that they are in line together even on a busy machine.
    await e.w.pause(true);
    await e.w.queue(...opened);
    await e.w.pause(false);
    await e.w.watch(opened);
    numbers.push(...opened);
  }

  async function historyLength(): Promise<{ all: number; batches: readonly number[] }> {
    const { queue, batches } = await e.histories();
    const lengths = batches.map((history) => history.events?.length ?? 0);
    return { all: (queue.events?.length ?? 0) + lengths.reduce((sum, length) => sum + length, 0), batches: lengths };
  }

  it('lands one pull request and several, each once, with bounded histories', async () => {
    const costs: string[] = [];
    let before = 0;
    for (const { count, most } of cases({
      standard: [
        // On a slow machine, each poll of the checks adds a timer and a step.
        { count: 1, most: 80 },
        { count: 5, most: 12 + 5 * 30 },
      ],
      full: [{ count: 12, most: 12 + 12 * 24 }],
    })) {
      const beganAt = performance.now();
      await land(count);
      // Notifications need a wake and a step of their own, at most every five seconds, however many they are.
      const telling = 12 * Math.ceil((performance.now() - beganAt) / 5_000);
      const { all } = await historyLength();
      costs.push(`${count}: ${all - before}`);
      expect(all - before, `events of history for ${count} pull requests`).toBeLessThanOrEqual(most + telling);
      before = all;
      if (count === 1) await e.keepHistories('single-landing');
    }
    console.log(`events of history per burst of pull requests — ${costs.join(', ')}`);
    // A batch is made and opened in one step, woken once, and cleaned up. Each further poll is a timer and a step.
    expect(Math.min(...(await historyLength()).batches)).toBeLessThanOrEqual(18);
    await expectOneLandingEach(e.w, numbers);
  });

  it('plans a few times if it is woken a thousand times at once', async () => {
    const handle = e.client.workflow.getHandle(queueWorkflowId(await e.input()));
    const plans = async (): Promise<{ woken: number; planned: number }> => {
      const counts = countEvents(await handle.fetchHistory());
      return { woken: counts.get('workflowExecutionSignaled') ?? 0, planned: counts.get('markerRecorded') ?? 0 };
    };
    const before = await plans();
    await Promise.all(Array.from({ length: 1_000 }, async () => await handle.signal(wakeSignal)));
    await eventually(
      async () => ((await handle.describe()).raw.pendingWorkflowTask ?? null) === null,
      'every wake is handled',
    );
    const after = await plans();
    expect(after.woken - before.woken).toBeGreaterThanOrEqual(1_000);
    expect(after.planned - before.planned).toBeGreaterThan(0);
    expect(after.planned - before.planned).toBeLessThan(50);
  });

  it('continues as a new run if its history is long, and nothing is lost', async () => {
    const input = await e.input();
    const { workflowId, firstExecutionRunId } = await e.client.workflow.start('queue', {
      workflowId: queueWorkflowId(input),
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      taskQueue: e.taskQueue,
      args: [{ ...input, mostHistoryEvents: 25 }],
    });
    await land(2);
    await expectOneLandingEach(e.w, numbers);
    const first = await e.client.workflow.getHandle(workflowId, firstExecutionRunId).fetchHistory();
    expect(countEvents(first).get('workflowExecutionContinuedAsNew')).toBe(1);
    expect(first.events?.length).toBeLessThan(70);
    await keepHistory('continue-as-new.queue', first);
  });
});
