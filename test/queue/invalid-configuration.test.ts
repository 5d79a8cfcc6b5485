import { expect, it } from 'vitest';
import { resumeQueue } from '../../src/modules/queue/index.ts';
import { parallel, world } from '../support/world.ts';

it('a stored configuration that is no longer valid halts the queue and is named as the reason; after it is corrected, the queue goes on', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  const number = await w.open('a', { 'a.txt': 'a\n' });
  // An upgrade may make a configuration invalid that an earlier version accepted.
  await w.rows("update repository set configuration_yaml = 'merge_rules: {labels: {trigger: x}, gone: true}'");
  await w.queue(number);
  const halted = async (): Promise<string | null | undefined> =>
    (await w.rows<{ halted_reason: string | null }>('select halted_reason from queue'))[0]?.halted_reason;
  await w.until(async () => Boolean(await halted()));
  expect(await halted()).toContain('mergeRules -> gone');
  expect((await w.status(number)).status).not.toBe('merged');
  await w.configure(parallel({ builds: 2 }));
  await resumeQueue(w.ctx, { repository: w.repository, baseBranch: 'main' });
  await w.settled(number);
  expect((await w.status(number)).status).toBe('merged');
});
