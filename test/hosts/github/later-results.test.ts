// Results of checks that GitHub changes after a landing that they justify. The proof of the landing stays true.
import { expect, test } from 'vitest';
import { compareWithInvariants } from '../../../src/modules/health/index.ts';
import { verifyRepository } from '../../../src/modules/queue/index.ts';
import { loadRepository } from '../../../src/modules/repositories/index.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';

const steps = "runs-on: ubuntu-latest, steps: [{ run: 'true' }]";
const files = {
  '.github/workflows/ci.yml': `on: push
jobs:
  test: { ${steps} }
  slow: { ${steps} }
  optional: { if: '\${{ false }}', ${steps} }
`,
};

test.each(['success', 'cancelled'] as const)(
  'a check that was still running at the landing ends as %s, and the proof can be verified',
  async (end) => {
    await using w = await queueWorld({ files });
    let slow: 'pending' | 'success' | 'cancelled' = 'pending';
    w.emulator.controls.checks(({ name }) => (name === 'slow' ? slow : null));
    const number = await w.open('topic', { topic: '1\n' });
    await w.label(number);
    expect(await w.settled(number)).toEqual({ [number]: 'merged' });
    slow = end;
    const ended = `select 1 from proof p join check_result c on c.commit = p.body #>> '{evidence,0,commit}'
                   where c.name = 'slow' and c.conclusion = $1`;
    await w.until(async () => (await w.rows(ended, [end])).length > 0);
    await expectProvable(w);
  },
);

test('a result that an earlier version changes after a landing stays on record', async () => {
  await using w = await queueWorld({ files });
  const number = await w.open('topic', { topic: '1\n' });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  // What a process of an earlier version writes. It does not know the column past_conclusions.
  await w.rows(
    `update check_result set conclusion = 'cancelled' from proof p
     where commit = p.body #>> '{evidence,0,commit}' and name = 'slow'`,
  );
  await expectProvable(w);
});

async function expectProvable(w: QueueWorld): Promise<void> {
  const repository = await loadRepository(w.ctx, { owner: w.place.owner, name: w.place.repo });
  const [verified] = await verifyRepository(w.ctx, repository);
  expect(verified?.failures).toEqual([]);
  const only = (name: string): boolean => name === 'green_base';
  expect(await compareWithInvariants(w.service.ports, { scope: 'all', only })).toEqual({
    violations: [],
    uncompared: [],
  });
}
