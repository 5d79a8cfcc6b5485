// Kills the process that drives deployments with -9 during a rollback, and between a dispatch and its record.
import { describe, expect, it } from 'vitest';
import { cdServer } from '../support/cd-server.ts';
import { http, stage, loggedStatuses } from './kill-stage.ts';

describe('after the process that drives was killed', { timeout: 600_000 }, () => {
  it('during a rollback, the running deployment is canceled first, and then the version before runs again, once', async () => {
    await using cd = await cdServer();
    cd.startsAs = 'success';
    await using s = await stage({ provider: http(cd.url) });
    for (const version of ['v1-rc1', 'v2-rc1']) await s.r.candidate(version);
    await s.r.deploy('v1-rc1');
    await s.killAt('deployment:advanced_success');
    cd.startsAs = 'in_progress';
    await s.r.deploy('v2-rc1');
    await s.killAt('deployment:after_read');
    await s.r.rollBack();
    cd.startsAs = 'success';
    const places = ['deployment:before_cancel', 'deployment:after_cancel', 'deployment:advanced_canceled'];
    for (const place of places) await s.killAt(place);
    await s.start();
    await s.r.become('v1-rc1 success', 'v2-rc1 canceled', 'v1-rc1 success');
    expect(
      cd.runs.map(({ facts }) => `${String(facts['release_candidate_version'])} ${String(facts['kind'])}`),
    ).toEqual(['v1-rc1 forward', 'v2-rc1 forward', 'v1-rc1 rollback']);
    expect((await loggedStatuses(s.r)).slice(3)).toEqual([
      'v2-rc1 pending',
      'v2-rc1 in_progress',
      'v2-rc1 canceling',
      'v1-rc1 pending',
      'v2-rc1 canceled',
      'v1-rc1 in_progress',
      'v1-rc1 success',
    ]);
  });

  it('between a dispatch and its record, a canceled deployment finds its run and stops it', async () => {
    await using s = await stage({
      ci: JSON.stringify({
        checks: {},
        workflows: {
          deploy: { run: 'sleep 60', inputs: ['deployment_id', 'environment', 'release_candidate_version'] },
        },
      }),
      provider: { kind: 'github_actions', workflow: 'deploy' },
    });
    await s.r.candidate('v1-rc1');
    const id = await s.r.deploy('v1-rc1');
    await s.killAt('deployment:after_trigger');
    await s.r.cancel(id);
    await s.start();
    await s.r.become('v1-rc1 canceled');
    expect(await s.r.w.rows('select state, conclusion from local_check_run where dispatch_key is not null')).toEqual([
      { state: 'completed', conclusion: 'cancelled' },
    ]);
    expect(await loggedStatuses(s.r)).toEqual([
      'v1-rc1 pending',
      'v1-rc1 in_progress',
      'v1-rc1 canceling',
      'v1-rc1 canceled',
    ]);
  });

  it('during a build, the candidate becomes ready once', async () => {
    await using cd = await cdServer();
    cd.startsAs = 'success';
    await using s = await stage({ build: http(cd.url) });
    await s.r.candidate('v1-rc1', { built: true });
    const places = ['build:before_trigger', 'build:after_trigger', 'build:before_read', 'build:after_read'];
    for (const place of places) await s.killAt(place);
    await s.start();
    await s.r.w.until(async () => (await s.r.candidateStatus('v1-rc1')).status === 'ready');
    expect(cd.runs).toHaveLength(1);
    expect(await s.r.events()).toEqual(['candidate_created', 'candidate_ready']);
  });
});
