// The process is killed with -9 at every step of a landing and of a build. The next process goes on from the rows and
// from what the host says, and does everything once.
import { describe, expect, it } from 'vitest';
import { startEngine } from '../support/engine.ts';
import { expectOneLandingEach } from '../support/landings.ts';
import { parallel, serial, world } from '../support/world.ts';

const failpoints = [
  'landing:before_gate',
  'landing:after_gate',
  'landing:after_host',
  'landing:after_conclude',
  'build:after_compose',
  'build:after_branch',
  'build:after_open',
  'clean_up:after_host',
  'conclude:after_host',
] as const;

describe('a process killed with -9', () => {
  it.each(failpoints)('at %s leaves one landing of each pull request', async (failpoint) => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 2 }), runsCi: false });
    const settings = { mode: 'loop', databaseUrl: w.databaseUrl, dataDir: w.dataDir } as const;
    const numbers = [
      await w.open('a', { 'a.txt': 'a\n' }),
      await w.open('b', { 'b.txt': 'b\n' }),
      await w.open('c', { 'c.txt': 'c\n' }),
    ];
    await w.queue(...numbers);
    await using killed = await startEngine(settings, failpoint);
    expect(await killed.ended).toMatch(/SIGKILL|137/);
    await using next = await startEngine(settings);
    await w.watch(numbers);
    await next.kill();
    await expectOneLandingEach(w, numbers);
  });

  it('in serial mode, after it brought the base into a head, leaves one landing', async () => {
    await using w = await world({ configuration: serial(), runsCi: false });
    const settings = { mode: 'loop', databaseUrl: w.databaseUrl, dataDir: w.dataDir } as const;
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.commit('main', { 'other.txt': 'other\n' });
    await w.queue(number);
    await using killed = await startEngine(settings, 'build:after_update');
    expect(await killed.ended).toMatch(/SIGKILL|137/);
    await using next = await startEngine(settings);
    await w.watch([number]);
    await next.kill();
    expect((await w.status(number)).status).toBe('merged');
  });
});
