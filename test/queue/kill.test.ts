// The process is killed with -9 at a step of each kind (kill.full.test.ts has every step). The next process goes on
// from the rows and from what the host says, and does everything once.
import { expect, it } from 'vitest';
import { startEngine } from '../support/engine.ts';
import { expectOneLandingEach } from '../support/landings.ts';
import { parallel, world } from '../support/world.ts';

it('a process killed with -9 at a branch, at a landing or at its clean-up leaves one landing of each pull request', async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 2 }), runsCi: false });
  const settings = { mode: 'loop', databaseUrl: w.databaseUrl, dataDir: w.dataDir } as const;
  const numbers = [
    await w.open('a', { 'a.txt': 'a\n' }),
    await w.open('b', { 'b.txt': 'b\n' }),
    await w.open('c', { 'c.txt': 'c\n' }),
  ];
  await w.queue(...numbers);
  for (const failpoint of ['build:after_branch', 'landing:after_host', 'clean_up:after_host']) {
    await using killed = await startEngine(settings, failpoint);
    expect(await killed.ended).toMatch(/SIGKILL|137/);
  }
  await using next = await startEngine(settings);
  await w.watch(numbers);
  await next.kill();
  await expectOneLandingEach(w, numbers);
});
