// The rows of the database decide. So a line and deployments go on although wakes are lost, or Temporal stops or loses
// its data.
import { describe, expect, it } from 'vitest';
import { cdServer } from '../support/cd-server.ts';
import { expectOneLandingEach, openSome } from '../support/landings.ts';
import { releasesOf } from '../support/release-world.ts';
import { parallel } from '../support/world.ts';
import { engineWorld, eventually } from './engine-world.ts';
import { ownTemporal } from './own-temporal.ts';

describe('a line', () => {
  it('lands although all wakes are lost, because the relay finds queues that are ahead of their plan', async () => {
    await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 2 }), wakes: false });
    await e.start();
    const numbers = await openSome(e.w, 2);
    await e.w.queue(...numbers);
    await e.w.watch(numbers);
    await expectOneLandingEach(e.w, numbers);
  });

  it('admits pull requests while Temporal is down, and lands them when Temporal is back', async () => {
    await using temporal = await ownTemporal();
    await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 2 }), temporal });
    const { w } = e;
    await e.start();
    const numbers = await openSome(w, 3);
    await temporal.stop();
    await w.queue(...numbers);
    for (const number of numbers) expect((await w.status(number)).status).toBe('queued');
    await temporal.start();
    await w.watch(numbers);
    await expectOneLandingEach(w, numbers);
  });
});

describe('deployments', () => {
  it('are each triggered once and end, although wakes are lost and Temporal loses all its data', async () => {
    await using temporal = await ownTemporal();
    await using cd = await cdServer();
    await using e = await engineWorld({ temporal, wakes: false });
    const r = await releasesOf(e.w, {
      provider: { kind: 'http', url: cd.url, statusUrl: cd.url },
      until: async (isSo) => await eventually(isSo, 'the line', 90_000),
    });
    await e.start();
    for (const version of ['v1-rc1', 'v2-rc1']) await r.candidate(version);
    const first = await r.deploy('v1-rc1');
    await r.deploy('v2-rc1');
    await eventually(async () => cd.runs.length === 1, 'the first deployment is triggered');
    await temporal.stop();
    await temporal.forgetEverything();
    await r.cancel(first);
    await temporal.start();
    await r.become('v1-rc1 canceled', 'v2-rc1 in_progress');
    await eventually(async () => cd.runs.length === 2, 'the second deployment is triggered');
    cd.run('v2-rc1').status = 'success';
    await r.become('v1-rc1 canceled', 'v2-rc1 success');
    expect(cd.runs.map(({ starts }) => starts)).toEqual([1, 1]);
  });
});
