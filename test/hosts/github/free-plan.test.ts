// A private repository of an account with the plan GitHub Free. GitHub answers every question about its rules with 403.
import { expect, test } from 'vitest';
import { queueWorld } from './queue-world.ts';

test('pull requests of a private repository land, although its plan has no rules for branches', async () => {
  await using w = await queueWorld();
  w.emulator.controls.freePlan(true);
  const number = await w.open('topic', { topic: '1\n' });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  expect(await w.rows('select host_required_checks as checks, host_rules from queue')).toEqual([
    { checks: [], host_rules: expect.objectContaining({ push: 'free' }) as object },
  ]);
});
