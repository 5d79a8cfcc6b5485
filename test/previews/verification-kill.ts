// Starts processes that verify, and kills them with -9 at a failpoint.
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { startEngine, type Engine } from '../support/engine.ts';
import { world } from '../support/world.ts';
import { sandboxOf, skillPath, verificationsOf, type VerificationWorld } from './verification-world.ts';

export interface Stage extends AsyncDisposable {
  readonly v: Omit<VerificationWorld, 'pass'>;
  /** The folder that contains the folders of the engines. */
  readonly tmp: string;
  start(failpoint?: string): Promise<Engine>;
  /** Starts an engine, and waits until the failpoint kills it. */
  killAt(failpoint: string): Promise<void>;
}

export async function stage(): Promise<Stage> {
  const w = await world({ runsCi: false, wake: async () => {} });
  const engines: Engine[] = [];
  const tmp = mkdtempSync(join(tmpdir(), 'il-'));
  // Checks run as the user nobody, and must be able to pass through this folder.
  chmodSync(tmp, 0o711);
  const v = verificationsOf(w, async (isSo) => {
    const deadline = performance.now() + 180_000;
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new Error('The condition did not come true in time.');
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

/** Expects that no sandbox runs, and that no folder of one is left, also of killed processes. */
export async function expectNothingLeft({ v, tmp }: Stage): Promise<void> {
  expect(await v.rows('select state, address, way_key from preview_sandbox')).toEqual([
    { state: 'gone', address: null, way_key: null },
  ]);
  const left = (): string[] => readdirSync(tmp).filter((name) => name.startsWith('interlock-run-'));
  await expect.poll(left).toEqual([]);
}

/** The statuses that the events of the verifications reported, in order. */
export async function reportedStatuses({ v }: Stage): Promise<string[]> {
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

export async function openFeature(s: Stage): Promise<number> {
  await s.v.image('node', { kind: 'command', source: 'true' });
  await s.v.verify(sandboxOf());
  return await s.v.open('feature', files);
}
