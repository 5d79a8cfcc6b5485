// The process that drives is killed with -9 at every step, one after the other: the same end, every run one run, and
// every status told once.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cdServer } from '../support/cd-server.ts';
import { startEngine, type Engine } from '../support/engine.ts';
import { releasesOf, type ReleaseOptions, type Releases } from '../support/release-world.ts';
import { among } from '../support/tier.ts';
import { world, type WorldOptions } from '../support/world.ts';

interface Stage extends AsyncDisposable {
  readonly r: Releases;
  start(failpoint?: string): Promise<Engine>;
  /** Starts one that is killed at that place, and waits until it is. */
  killAt(failpoint: string): Promise<void>;
}

async function stage({ ci, ...options }: ReleaseOptions & Pick<WorldOptions, 'ci'>): Promise<Stage> {
  const w = await world({ runsCi: false, wake: async () => {}, ...(ci !== undefined && { ci }) });
  const engines: Engine[] = [];
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    const deadline = performance.now() + 180_000;
    while (!(await isSo())) {
      if (performance.now() > deadline)
        throw new Error(`It did not come about. ${JSON.stringify(await r.deployments())}`);
      await delay(50);
    }
  };
  const r = await releasesOf(w, { ...options, until });
  const start: Stage['start'] = async (failpoint) => {
    const { databaseUrl, dataDir, secrets } = w;
    const engine = await startEngine({ mode: 'loop', databaseUrl, dataDir, secrets }, failpoint);
    engines.push(engine);
    return engine;
  };
  return {
    r,
    start,
    async killAt(failpoint) {
      const engine = await start(failpoint);
      const late = delay(180_000, 'not killed', { ref: false });
      expect(await Promise.race([engine.ended, late]), failpoint).toMatch(/SIGKILL|137/);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(engines.map(async (engine) => await engine.kill()));
      await w[Symbol.asyncDispose]();
    },
  };
}

const http = (url: string) => ({ kind: 'http', url, statusUrl: url }) as const;

/** `v1-rc1 success` of each event of a deployment, in order. */
async function told(r: Releases): Promise<string[]> {
  const events = await r.w.rows<{ version: string; status: string }>(
    `select c.version, substr(e.action, 12) as status from event e join deployment d on d.id = e.deployment_id
     join release_candidate c on c.id = d.candidate_id order by e.id`,
  );
  return events.map(({ version, status }) => `${version} ${status}`);
}

describe('whoever drives is killed', { timeout: 600_000 }, () => {
  it('while it deploys: each is deployed once, in order', async () => {
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
    expect(await told(s.r)).toEqual([
      ...versions.map((version) => `${version} pending`),
      ...versions.flatMap((version) => [`${version} in_progress`, `${version} success`]),
    ]);
  });

  it('while it rolls back one that runs: that is canceled first, then what was before runs again, once', async () => {
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
    for (const place of among(places, ['deployment:after_cancel'])) await s.killAt(place);
    await s.start();
    await s.r.become('v1-rc1 success', 'v2-rc1 canceled', 'v1-rc1 success');
    expect(
      cd.runs.map(({ facts }) => `${String(facts['release_candidate_version'])} ${String(facts['kind'])}`),
    ).toEqual(['v1-rc1 forward', 'v2-rc1 forward', 'v1-rc1 rollback']);
    expect((await told(s.r)).slice(3)).toEqual([
      'v2-rc1 pending',
      'v2-rc1 in_progress',
      'v2-rc1 canceling',
      'v1-rc1 pending',
      'v2-rc1 canceled',
      'v1-rc1 in_progress',
      'v1-rc1 success',
    ]);
  });

  it('while its command runs: it is started again as the same run, says so, and never runs twice at once', async () => {
    const command = 'echo "run $RUN_KEY"; mkdir /tmp/$RUN_KEY && sleep 1; rmdir /tmp/$RUN_KEY';
    await using s = await stage({ provider: { kind: 'command', command, timeoutSec: 60 } });
    await s.r.candidate('v1-rc1');
    const id = await s.r.deploy('v1-rc1');
    await s.killAt('deployment:attending');
    await s.killAt('deployment:attended');
    await s.start();
    await s.r.become('v1-rc1 success');
    const log = await s.r.log({ deployment: id });
    expect(log).toContain('It is started again, as attempt 2 of the same run.');
    expect(log).toContain('It is started again, as attempt 3 of the same run.');
    expect(new Set(log.match(/^run .*$/gm)).size).toBe(1);
    expect(await told(s.r)).toEqual(['v1-rc1 pending', 'v1-rc1 in_progress', 'v1-rc1 success']);
  });

  it('between a dispatch and its record, then canceled: the run there is, is found and stopped', async () => {
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
    expect(await told(s.r)).toEqual(['v1-rc1 pending', 'v1-rc1 in_progress', 'v1-rc1 canceling', 'v1-rc1 canceled']);
  });

  it('while it builds: the candidate is ready, once', async () => {
    await using cd = await cdServer();
    cd.startsAs = 'success';
    await using s = await stage({ build: http(cd.url) });
    await s.r.candidate('v1-rc1', { built: true });
    const places = ['build:before_trigger', 'build:after_trigger', 'build:before_read', 'build:after_read'];
    for (const place of among(places, ['build:after_trigger'])) await s.killAt(place);
    await s.start();
    await s.r.w.until(async () => (await s.r.candidateStatus('v1-rc1')).status === 'ready');
    expect(cd.runs).toHaveLength(1);
    expect(await s.r.events()).toEqual(['candidate_created', 'candidate_ready']);
  });
});
