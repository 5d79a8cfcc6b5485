// While workers are upgraded, an old worker does not plan a queue that a newer one has planned.
import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { advanceQueue } from '../../src/modules/queue/index.ts';
import { plannerVersion } from '../../src/domain/queue/plan.ts';
import { createLog } from '../../src/platform/logging.ts';
import { WorkHandedOver } from '../../src/platform/turns/index.ts';
import { createQueueActivities } from '../../workflows/queue/activities.ts';
import { writeConfiguration } from '../../src/modules/repositories/index.ts';
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

it('a turn of a queue that a newer planner has planned is given to other workers, because the workflow stays at this worker', async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
  const number = await w.open('feature', { 'feature.txt': 'new\n' });
  await w.queue(number);
  await w.rows('update queue set planner_version = $1', [plannerVersion + 1]);
  const [queue] = await w.rows<{ id: string }>('select id::text as id from queue');
  const activities = createQueueActivities(w.service.ports);
  const turn = async (info: Pick<Info, 'isLocal' | 'attempt'>): Promise<unknown> =>
    await asyncLocalStorage.run(
      Object.assign(Object.create(Context.prototype) as Context, { info, heartbeat: () => {} }),
      async () => await activities.advanceQueue({ accountId: w.ctx.accountId, queueId: queue?.id ?? '' }),
    );
  await expect(turn({ isLocal: true, attempt: 1 })).rejects.toThrow(WorkHandedOver);
  for (const attempt of [1, 2, 3, 4]) await expect(turn({ isLocal: false, attempt })).rejects.toThrow(WorkHandedOver);
  // There is no newer worker, so the turn is taken without a plan.
  await expect(turn({ isLocal: false, attempt: 5 })).resolves.toMatchObject({ nextLookAt: null });
  // The newer worker takes the turns of a halted queue too, and publishes what changes in its line.
  await w.rows("update queue set halted_reason = 'By an admin.', halted_at = now()");
  await expect(turn({ isLocal: true, attempt: 1 })).rejects.toThrow(WorkHandedOver);
  await w.rows('update queue set planner_version = $1', [plannerVersion]);
  await advanceQueue(w.ctx, queue?.id ?? '');
  const behind = 'select from queue where planned_version <> version or next_look_at <= now()';
  expect(await w.rows(behind)).toEqual([]);
  await w.rows('update queue set planner_version = $1', [plannerVersion + 1]);
  await w.rows('update queue set planned_version = version, next_look_at = null');
  await expect(turn({ isLocal: true, attempt: 1 })).resolves.toMatchObject({ nextLookAt: null });
});

it('a queue that a newer planner has planned is not halted because of a configuration that only newer versions accept', async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
  const number = await w.open('feature', { 'feature.txt': 'new\n' });
  await w.queue(number);
  await w.rows('update queue set planner_version = $1', [plannerVersion + 1]);
  await w.rows(`update repository set configuration_yaml = configuration_yaml || E'\nkey_of_a_newer_version: 1\n'`);
  const [queue] = await w.rows<{ id: string }>('select id::text as id from queue');
  const halted = async (): Promise<unknown> => await w.rows('select halted_reason as reason from queue');
  await advanceQueue(w.ctx, queue?.id ?? '');
  expect(await halted()).toEqual([{ reason: null }]);

  // The same turn halts the queue if no newer planner has planned it.
  await w.rows('update queue set planner_version = $1', [plannerVersion]);
  await advanceQueue(w.ctx, queue?.id ?? '');
  expect(await halted()).toEqual([
    { reason: expect.stringContaining('The saved configuration is not valid any more') },
  ]);
});

it('a configuration that a newer version has saved halts no queue, also if the newer version has not planned it yet', async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
  const number = await w.open('feature', { 'feature.txt': 'new\n' });
  await w.queue(number);
  const [repository] = await w.rows<{ id: string; yaml: string }>(
    'select id::text as id, configuration_yaml as yaml from repository',
  );
  const author = { email: null };
  const yaml = `${repository?.yaml}# By Ada.\n`;
  await writeConfiguration(w.ctx, { repositoryId: repository?.id ?? '', yaml, author });
  expect(await w.rows('select planner_version from repository')).toEqual([{ planner_version: plannerVersion }]);

  // A newer version has saved a key that only newer versions know.
  await w.rows(
    `update repository set planner_version = $1, configuration_yaml = configuration_yaml || E'\nkey_of_a_newer_version: 1\n'`,
    [plannerVersion + 1],
  );
  const queues = async (): Promise<unknown> =>
    await w.rows('select halted_reason, planner_version from queue where base_branch = $1', ['main']);
  const [queue] = await w.rows<{ id: string }>('select id::text as id from queue');
  await expect(advanceQueue(w.ctx, queue?.id ?? '')).resolves.toMatchObject({ isLeftToNewer: true });
  expect(await queues()).toEqual([{ halted_reason: null, planner_version: 1 }]);

  // The newer version plans the queue.
  await w.rows('update repository set planner_version = $1, configuration_yaml = $2', [plannerVersion, yaml]);
  await w.settled(number);
  expect(await queues()).toEqual([{ halted_reason: null, planner_version: plannerVersion }]);
});

it('a configuration that a newer version has saved, and that this version can read, is planned by this version', async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
  const number = await w.open('feature', { 'feature.txt': 'new\n' });
  await w.queue(number);
  await w.rows(
    "update repository set planner_version = $1, configuration_yaml = configuration_yaml || E'# By a newer server.\n'",
    [plannerVersion + 1],
  );
  const [queue] = await w.rows<{ id: string }>('select id::text as id from queue');
  const advance = await advanceQueue(w.ctx, queue?.id ?? '');
  expect(advance).not.toHaveProperty('isLeftToNewer');
  await w.settled(number);
  expect(await w.rows('select planner_version from queue')).toEqual([{ planner_version: plannerVersion }]);
});
