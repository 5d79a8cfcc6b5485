// Kills the process that drives with -9 at every step, one after the other. The deployments end the same way, every run
// is one run, and every status is reported once.
import { describe, expect, it } from 'vitest';
import { cdServer } from '../support/cd-server.ts';
import { among } from '../support/tier.ts';
import { http, stage, loggedStatuses } from './kill-stage.ts';

describe('after the worker that drives was killed', { timeout: 600_000 }, () => {
  it('during deployments, each version is deployed once, in order', async () => {
    await using cd = await cdServer();
    cd.startsAs = 'success';
    await using s = await stage({ provider: http(cd.url) });
    const versions = ['v1-rc1', 'v2-rc1', 'v3-rc1', 'v4-rc1'];
    for (const version of versions) await s.r.candidate(version);
    for (const version of versions) await s.r.deploy(version);
    const places = [
      'deployment:advanced_in_progress',
      'deployment:before_trigger',
      'deployment:after_trigger',
      'deployment:before_read',
      'deployment:after_read',
      'deployment:advanced_success',
    ];
    for (const place of among(places, ['deployment:after_trigger', 'deployment:advanced_success']))
      await s.killAt(place);
    await s.start();
    await s.r.become(...versions.map((version) => `${version} success`));
    expect(cd.runs.map(({ facts }) => facts['release_candidate_version'])).toEqual(versions);
    expect(await loggedStatuses(s.r)).toEqual([
      ...versions.map((version) => `${version} pending`),
      ...versions.flatMap((version) => [`${version} in_progress`, `${version} success`]),
    ]);
  });

  it('during a command, the command is started again as the same run, its log says so, and it never runs twice at once', async () => {
    const command = 'echo "run $RUN_KEY"; mkdir /tmp/$RUN_KEY && sleep 1; rmdir /tmp/$RUN_KEY';
    await using s = await stage({ provider: { kind: 'command', command, timeoutSec: 60 } });
    await s.r.candidate('v1-rc1');
    const id = await s.r.deploy('v1-rc1');
    const places = ['deployment:supervising', 'deployment:supervised'];
    const killedAt = among(places, ['deployment:supervising']);
    for (const place of killedAt) await s.killAt(place);
    await s.start();
    await s.r.become('v1-rc1 success');
    const log = await s.r.log({ deployment: id });
    const attempts = log.match(/The run is started again: attempt \d\./g);
    expect(attempts).toEqual(killedAt.map((_, index) => `The run is started again: attempt ${index + 2}.`));
    expect(new Set(log.match(/^run .*$/gm)).size).toBe(1);
    expect(await loggedStatuses(s.r)).toEqual(['v1-rc1 pending', 'v1-rc1 in_progress', 'v1-rc1 success']);
  });
});
