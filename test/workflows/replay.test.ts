// Runs that began under an older version continue under this one: the histories in histories/ must replay without a
// difference. If a change must differ, the version that ships it records the histories again (record-histories.ts), and
// runs of older versions are ended first.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { workflowBundle } from '../support/temporal.ts';
import { historiesFolder } from './engine-world.ts';

interface StoredHistory {
  readonly workflowId: string;
  readonly history: {
    events: {
      eventType: string;
      activityTaskScheduledEventAttributes?: { activityType: { name: string } };
      timerStartedEventAttributes?: { startToFireTimeout: string };
    }[];
  };
}

async function readHistories(): Promise<StoredHistory[]> {
  const files = (await readdir(historiesFolder)).filter((file) => file.endsWith('.json.gz')).toSorted();
  return await Promise.all(
    files.map(async (file) => {
      const text = (await promisify(gunzip)(await readFile(join(historiesFolder, file)))).toString('utf8');
      return { workflowId: file.replace('.json.gz', ''), history: JSON.parse(text) as StoredHistory['history'] };
    }),
  );
}

describe('stored histories', () => {
  it('replay with the workflows of this version', async () => {
    const histories = await readHistories();
    const paths = new Set(histories.map(({ workflowId }) => workflowId.split('.')[0]));
    expect([...paths].toSorted()).toEqual([
      'bisection',
      'conflict',
      'continue-as-new',
      'quick-bisection',
      'quick-single-landing',
      'releases',
      'reset',
      'runbooks',
      'single-landing',
      'verifications',
    ]);
    const failures: string[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories(
      { workflowBundle: workflowBundle() },
      histories,
    )) {
      if (error) failures.push(`${workflowId}: ${error.message}`);
    }
    expect(failures).toEqual([]);
  });

  // `waitUntil` needs no `patched`: how long a workflow waits is no difference.
  it('replay if the workflows of this version wait for longer', async () => {
    const histories = await readHistories();
    const timers = histories
      .flatMap(({ history }) => history.events)
      .flatMap(({ timerStartedEventAttributes: timer }) => timer ?? []);
    expect(timers.length).toBeGreaterThan(0);
    for (const timer of timers) timer.startToFireTimeout = '0.001s';
    const failures: string[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories(
      { workflowBundle: workflowBundle() },
      histories,
    )) {
      if (error) failures.push(`${workflowId}: ${error.message}`);
    }
    expect(failures).toEqual([]);
  });

  it('would show a workflow that does something else', async () => {
    const [stored] = (await readHistories()).filter(({ workflowId }) => workflowId === 'single-landing.batch-1');
    if (stored === undefined) throw new Error('single-landing.batch-1 is not stored.');
    const scheduled = stored.history.events.find((event) => event.activityTaskScheduledEventAttributes !== undefined);
    if (scheduled?.activityTaskScheduledEventAttributes === undefined) throw new Error('It ran no activity.');
    scheduled.activityTaskScheduledEventAttributes.activityType.name = 'somethingElse';
    const results = [];
    for await (const result of Worker.runReplayHistories({ workflowBundle: workflowBundle() }, [stored]))
      results.push(result.error);
    expect(results).toEqual([expect.objectContaining({ name: 'DeterminismViolationError' })]);
  });
});
