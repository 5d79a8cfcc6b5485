// The process that verifies is killed with -9 at every step, one after the other: the same end, every status told once,
// and nothing of a preview is left.
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startEngine, type Engine } from '../support/engine.ts';
import { among, isFullRun } from '../support/tier.ts';
import { world } from '../support/world.ts';
import { endpoint, sandboxOf, skillPath, verificationsOf, type VerificationWorld } from './verification-world.ts';

interface Stage extends AsyncDisposable {
  readonly v: Omit<VerificationWorld, 'pass'>;
  /** Where its engines have their folders. */
  readonly tmp: string;
  start(failpoint?: string): Promise<Engine>;
  /** Starts one that is killed at that place, and waits until it is. */
  killAt(failpoint: string): Promise<void>;
}

async function stage(): Promise<Stage> {
  const w = await world({ runsCi: false, wake: async () => {} });
  const engines: Engine[] = [];
  const tmp = mkdtempSync(join(tmpdir(), 'il-'));
  // Checks run as nobody, and pass through it.
  chmodSync(tmp, 0o711);
  const v = verificationsOf(w, async (isSo) => {
    const deadline = performance.now() + 180_000;
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new Error('It did not come about.');
      await delay(50);
    }
  });
  const start: Stage['start'] = async (failpoint) => {
    const { databaseUrl, dataDir, secrets } = w;
    const engine = await startEngine({ mode: 'loop', databaseUrl, dataDir, secrets }, failpoint, { TMPDIR: tmp });
    engines.push(engine);
    return engine;
  };
  return {
    v,
    tmp,
    start,
    async killAt(failpoint) {
      const engine = await start(failpoint);
      const late = delay(180_000, 'not killed', { ref: false });
      expect(await Promise.race([engine.ended, late]), failpoint).toMatch(/SIGKILL|137/);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(engines.map(async (engine) => await engine.kill()));
      await v[Symbol.asyncDispose]();
      await w[Symbol.asyncDispose]();
      rmSync(tmp, { recursive: true, force: true });
    },
  };
}

/** Nothing that runs or lies on disk: what was booted is gone, with what those left that were killed. */
async function nothingIsLeft({ v, tmp }: Stage): Promise<void> {
  expect(await v.rows('select state, address, way_key from preview_sandbox')).toEqual([
    { state: 'gone', address: null, way_key: null },
  ]);
  const left = (): string[] => readdirSync(tmp).filter((name) => name.startsWith('interlock-run-'));
  await expect.poll(left, { timeout: 30_000 }).toEqual([]);
}

/** What was told of the runs, in order. */
async function told({ v }: Stage): Promise<string[]> {
  const events = await v.rows<{ action: string }>(
    "select action from event where action like 'verification_%' order by id",
  );
  return events.map(({ action }) => action.slice('verification_'.length));
}

const app = `
  require('node:http').createServer((_, response) => response.end('Welcome'))
    .listen(Number(process.env.PORT), '127.0.0.1');
`;
const files = {
  'app.cjs': app,
  '.service/scripts/preview-setup.sh': 'node app.cjs &\n',
  [skillPath]: '## Home\n\n- `GET /`\n  - expect body contains `Welcome`\n',
};

async function opened(s: Stage): Promise<number> {
  await s.v.image('node', { kind: 'command', source: 'true' });
  await s.v.verify(sandboxOf());
  return await s.v.open('feature', files);
}

describe('whoever verifies is killed', { timeout: 600_000 }, () => {
  it('before it says that it begins, before and after it boots: it is booted again, and driven once', async () => {
    await using s = await stage();
    const number = await opened(s);
    const places = among(
      ['verification:published', 'verification:before_boot', 'verification:after_boot'],
      ['verification:before_boot', 'verification:after_boot'],
    );
    for (const place of places) await s.killAt(place);
    await s.start();
    const passed = await s.v.comesTo(number, 'passed');
    expect(passed).toMatchObject({ attempt: 1, steps: ['passed Home: `GET /`'] });
    expect(await s.v.log(passed)).toContain(`It is begun again, for the ${isFullRun ? 3 : 2}. time.`);
    expect(await told(s)).toEqual(['pending', 'booting', 'driving', 'tearing_down', 'passed']);
    await nothingIsLeft(s);
  });

  if (isFullRun)
    it('while it drives, and before it tears down: what was judged stands', async () => {
      await using s = await stage();
      const number = await opened(s);
      await s.killAt('verification:driving');
      await s.killAt('verification:before_teardown');
      await s.start();
      const passed = await s.v.comesTo(number, 'passed');
      expect(passed.steps).toEqual(['passed Home: `GET /`']);
      expect(await told(s)).toEqual(['pending', 'booting', 'driving', 'booting', 'driving', 'tearing_down', 'passed']);
      await nothingIsLeft(s);
    });

  it('while it drives, and before it boots again: its address stays, and leads nowhere until it is up', async () => {
    await using s = await stage();
    const number = await opened(s);
    const address = async (): Promise<object | undefined> =>
      (
        await s.v.rows<object>(
          'select slug, ready_at is not null as came_up, gone_at is not null as ended from preview_sandbox',
        )
      )[0];
    await s.killAt('verification:driving');
    const first = await address();
    expect(first).toMatchObject({ came_up: true, ended: false });
    await s.killAt('verification:before_boot');
    expect(await address()).toEqual({ ...first, ended: true });
    await s.start();
    await s.v.comesTo(number, 'passed');
    expect(await address()).toEqual({ ...first, ended: true });
    await nothingIsLeft(s);
  });

  if (isFullRun)
    it('three times in a row: it is given up, and its check says so', async () => {
      await using s = await stage();
      const number = await opened(s);
      for (let time = 1; time <= 3; time += 1) await s.killAt('verification:before_boot');
      await s.start();
      const given = await s.v.comesTo(number, 'error');
      expect(given.summary).toBe('It was begun 3 times, and each time its worker was lost.');
      await expect.poll(async () => (await s.v.check(given.head))?.state).toBe('failure');
    });

  it('before and after it says how it ended: its check says it all the same', async () => {
    await using s = await stage();
    await s.v.verify(endpoint);
    const number = await s.v.open('feature', { 'feature.txt': 'new\n' });
    await s.v.register(number, await s.v.app((_, response) => response.end()));
    const places = ['verification:before_conclusion', 'verification:advanced_passed', 'verification:published'];
    for (const place of among(places, ['verification:advanced_passed'])) await s.killAt(place);
    await s.start();
    const passed = await s.v.comesTo(number, 'passed');
    await expect.poll(async () => (await s.v.check(passed.head))?.state).toBe('success');
    await expect
      .poll(async () => await s.v.rows("select attempt, conclusion from check_result where name = 'interlock/verify'"))
      .toEqual([{ attempt: 1, conclusion: 'success' }]);
    expect(await told(s)).toEqual(['pending', 'waiting', 'driving', 'passed']);
  });
});
