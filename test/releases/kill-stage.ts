// Starts an engine as a process, and kills it with -9 at a failpoint.
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { startEngine, type Engine } from '../support/engine.ts';
import { releasesOf, type ReleaseOptions, type Releases } from '../support/release-world.ts';
import { world, type WorldOptions } from '../support/world.ts';

export interface Stage extends AsyncDisposable {
  readonly r: Releases;
  start(failpoint?: string): Promise<Engine>;
  /** Starts an engine, and waits until the failpoint kills it. */
  killAt(failpoint: string): Promise<void>;
}

export async function stage({ ci, ...options }: ReleaseOptions & Pick<WorldOptions, 'ci'>): Promise<Stage> {
  const w = await world({ runsCi: false, wake: async () => {}, ...(ci !== undefined && { ci }) });
  const engines: Engine[] = [];
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    const deadline = performance.now() + 180_000;
    while (!(await isSo())) {
      if (performance.now() > deadline)
        throw new Error(`The condition did not come true in time. ${JSON.stringify(await r.deployments())}`);
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

export const http = (url: string) => ({ kind: 'http', url, statusUrl: url }) as const;

/** The events of deployments in order, such as `v1-rc1 success`. */
export async function loggedStatuses(r: Releases): Promise<string[]> {
  const events = await r.w.rows<{ version: string; status: string }>(
    `select c.version, substr(e.action, 12) as status from event e join deployment d on d.id = e.deployment_id
     join release_candidate c on c.id = d.candidate_id order by e.id`,
  );
  return events.map(({ version, status }) => `${version} ${status}`);
}
