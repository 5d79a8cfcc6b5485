// While workers are upgraded, an old worker does not plan a queue that a newer one has planned.
import { expect, it } from 'vitest';
import { advanceQueue } from '../../src/modules/queue/index.ts';
import { plannerVersion } from '../../src/domain/queue/plan.ts';
import { createLog } from '../../src/platform/logging.ts';
import { parallel, world } from '../support/world.ts';

it('a queue that a newer planner has planned is not planned by this planner, which logs so once', async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
  const number = await w.open('feature', { 'feature.txt': 'new\n' });
  await w.commit('main', { 'other.txt': 'other\n' });
  await w.queue(number);
  await w.rows('update queue set planner_version = $1', [plannerVersion + 1]);
  const [queue] = await w.rows<{ id: string }>('select id::text as id from queue');
  const lines: string[] = [];
  const log = createLog({ level: 'warn', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const ctx = { ...w.ctx, log };
  const batches = async (): Promise<number> => (await w.rows('select from batch')).length;

  for (let turn = 1; turn <= 3; turn += 1) {
    await advanceQueue(ctx, queue?.id ?? '');
    expect(await batches()).toBe(0);
  }
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({
      repository: `${w.repository.owner}/${w.repository.name}`,
      baseBranch: 'main',
      plannerVersion,
      newer: plannerVersion + 1,
      msg: expect.stringContaining('this worker leaves the queue alone until it is upgraded'),
    }),
  ]);

  // The same turn plans the queue if no newer planner has planned it.
  await w.rows('update queue set planner_version = $1', [plannerVersion]);
  await advanceQueue(ctx, queue?.id ?? '');
  expect(await batches()).toBe(1);
  await w.settled(number);
  expect(lines).toHaveLength(1);
});
