// Production workers are killed with -9 after a landing, while a check runs, and while another worker runs. Each pull
// request lands once.
import { describe, expect, it } from 'vitest';
import { expectOneLandingEach, openSome } from '../support/landings.ts';
import { parallel } from '../support/world.ts';
import { engineWorld, eventually } from './engine-world.ts';

it('if a worker is killed with -9 after a landing and before its record, another worker records it, and each pull request lands once', {
  timeout: 120_000,
}, async () => {
  await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 2 }) });
  const { w } = e;
  const numbers = await openSome(w, 3);
  await w.queue(...numbers);
  const killed = await e.start('landing:after_host');
  expect(await killed.ended).toMatch(/SIGKILL|137/);
  expect(await w.landed()).toHaveLength(1);
  expect(await w.rows('select 1 from landing')).toEqual([]);
  await e.start();
  await w.watch(numbers);
  await expectOneLandingEach(w, numbers);
});

it('if a worker is killed with -9 while a batch is built, another worker goes on, and each pull request lands once', {
  timeout: 120_000,
}, async () => {
  await using e = await engineWorld({
    configuration: parallel({ builds: 2, batch: 2 }),
    // The check sleeps, because a sandbox cannot see a file that the test could write.
    ci: "checks:\n  test:\n    run: 'sleep 5'\n",
  });
  const { w } = e;
  const numbers = await openSome(w, 3);
  await w.queue(...numbers);
  const killed = await e.start();
  await eventually(
    async () =>
      (await w.rows("select 1 from local_check_run where state = 'running' and ref like '%mq-bot-%'")).length > 0,
    'a check of a batch runs',
  );
  await killed.kill();
  expect(await w.rows("select 1 from batch where state = 'building'")).not.toEqual([]);
  await e.start();
  await w.watch(numbers);
  await expectOneLandingEach(w, numbers);
});

describe('two workers at once', () => {
  it('land every pull request once, and go on when one of them is killed', async () => {
    await using e = await engineWorld({ configuration: parallel({ builds: 3, batch: 2 }) });
    const { w } = e;
    const [, second] = await Promise.all([e.start(), e.start()]);
    const numbers = await openSome(w, 5);
    await w.queue(...numbers);
    await eventually(async () => (await w.landed()).length >= 2, 'two landings');
    await second.kill();
    await w.watch(numbers);
    await expectOneLandingEach(w, numbers);
  });
});
