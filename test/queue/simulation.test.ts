// What a simulation says about a branch without a queue, as after an import, and about a queue with little history.
import { expect, it } from 'vitest';
import { simulateQueue } from '../../src/modules/queue/api/simulation.service.ts';
import { parallel, world } from '../support/world.ts';

it('a simulation replays the merges in git if nothing was ever queued, and otherwise the queued pull requests', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  for (const name of ['a', 'b', 'c'])
    await w.commit('main', { [`${name}.txt`]: 'x\n' }, { author: `${name} <${name}@x>` });
  const ask = async () => {
    const simulated = await simulateQueue(w.ctx, { repository: w.repository, baseBranch: null, days: 30, yaml: null });
    if ('problems' in simulated) throw new Error('The configuration is refused.');
    return simulated.present;
  };
  const ofGit = await ask();
  expect(ofGit).toMatchObject({ arrivals: 3, observed: null, replayed: { landed: 3, ejected: 0, red: 0 } });
  expect(ofGit.assumptions[0]).toMatch(/^3 pull requests are too few for figures of a usual day\. /);
  expect(ofGit.assumptions.join(' ')).toContain('The simulation assumes builds of ten minutes');

  const number = await w.open('feature', { 'feature.txt': 'new\n' });
  await w.queue(number);
  await w.settled(number);
  // A world has no sequencer, so the test numbers the events.
  await w.rows('update event set position = id');
  const ofQueue = await ask();
  expect(ofQueue).toMatchObject({ arrivals: 1, observed: { landed: 1 } });
  expect(ofQueue.assumptions[0]).toMatch(/^One pull request is too few for figures of a usual day\. /);
});
