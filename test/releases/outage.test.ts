// The database fails for one call, at each call in turn. Every deployment and build still ends, and runs once.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { cdServer } from '../support/cd-server.ts';
import { expectAtEachOutage, outagesOf } from '../support/outages.ts';
import { releaseWorld, type ReleaseWorld, type ReleaseWorldOptions } from '../support/release-world.ts';

interface Stage extends AsyncDisposable {
  readonly r: ReleaseWorld;
  readonly turn: () => Promise<void>;
  /** Reads rows outside of the database handle whose calls are counted and fail. */
  rows(text: string): Promise<Record<string, unknown>[]>;
}

async function stage(options: ReleaseWorldOptions): Promise<Stage> {
  let aheadMs = 0;
  const r = await releaseWorld({ ...options, clock: () => new Date(Date.now() + aheadMs) });
  const client = new pg.Client({ connectionString: r.w.databaseUrl });
  await client.connect();
  const { releases } = r.w.loop;
  return {
    r,
    rows: async (text) => (await client.query<Record<string, unknown>>(text)).rows,
    async turn() {
      try {
        // The relay would do this after a lease has expired.
        await releases.wakeOpen(r.w.ctx);
        await releases.run(r.w.ctx, async () => {});
      } finally {
        await releases.ended();
        aheadMs += 11_000;
      }
    },
    async [Symbol.asyncDispose]() {
      await client.end();
      await r[Symbol.asyncDispose]();
    },
  };
}

interface Runs extends AsyncDisposable {
  /** A command whose runs are counted. */
  readonly command: string;
  count(): Promise<number>;
}

async function runsOf(): Promise<Runs> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-outage-'));
  // Commands run as the user nobody, and write into this folder.
  await chmod(folder, 0o777);
  return {
    command: `echo "$RUN_KEY" >> ${join(folder, 'runs')}`,
    count: async () => (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n').length,
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }),
  };
}

/** Deploys at each outage. `check` gets the number of deployments so far. */
async function expectDeployments(s: Stage, check: (deployments: number, when: string) => Promise<void>): Promise<void> {
  await using outages = outagesOf(s.r.w.service.ports.db);
  await s.r.candidate('v1-rc1');
  let deployments = 0;
  await expectAtEachOutage({
    outages,
    begin: async () => {
      await s.r.deploy('v1-rc1');
      deployments += 1;
    },
    turn: s.turn,
    isOver: async () => (await s.rows("select 1 from deployment where status <> 'success'")).length === 0,
    check: async (when) => await check(deployments, when),
  });
}

it('a command deploys once, although the database fails at any call', async () => {
  await using runs = await runsOf();
  await using s = await stage({ provider: { kind: 'command', command: runs.command, timeoutSec: 60 } });
  await expectDeployments(s, async (deployments, when) => {
    expect(await runs.count(), when).toBe(deployments);
    const loggedActions = 'select action from event where deployment_id = (select max(id) from deployment) order by id';
    expect(await s.rows(loggedActions), when).toEqual(
      ['pending', 'in_progress', 'success'].map((status) => ({ action: `deployment_${status}` })),
    );
  });
});

it('a provider gets one run, although the database fails at any call', async () => {
  await using cd = await cdServer();
  cd.startsAs = 'success';
  await using s = await stage({ provider: { kind: 'http', url: cd.url, statusUrl: cd.url } });
  await expectDeployments(s, async (deployments, when) => expect(cd.runs.length, when).toBe(deployments));
});

it('a candidate is built once, although the database fails at any call', async () => {
  await using runs = await runsOf();
  await using s = await stage({ build: { kind: 'command', command: runs.command, timeoutSec: 60 } });
  await using outages = outagesOf(s.r.w.service.ports.db);
  let candidates = 0;
  await expectAtEachOutage({
    outages,
    begin: async () => {
      candidates += 1;
      await s.r.candidate(`v${candidates}-rc1`, { built: true });
    },
    turn: s.turn,
    isOver: async () => (await s.rows("select 1 from release_candidate where status <> 'ready'")).length === 0,
    async check(when) {
      expect(await runs.count(), when).toBe(candidates);
    },
  });
});
