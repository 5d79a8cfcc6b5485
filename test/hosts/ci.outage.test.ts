// The database of a runner of checks is unavailable for one call, at each of its calls in turn. Every check ends, and
// has run once.
import { mkdtempSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultRunBounds } from '../../src/domain/runs/bounds.ts';
import { createCiRunner, createLocalHost } from '../../src/hosts/local/index.ts';
import { entities } from '../../src/modules/entities.ts';
import { connectDatabase, type Database } from '../../src/platform/database.ts';
import type { Sandbox } from '../../src/platform/sandbox/index.ts';
import { outagesOf, type Outage, type Outages } from '../support/outages.ts';
import { commit } from './commits.ts';
import { localWorld, until, type LocalWorld } from './local-world.ts';

// A run takes two looks of its runner, so that the lease is renewed in between.
const callsOfARun = 9;
const callsOfAll = 14;

let world: LocalWorld;
/** The connection of the runner. Calls of the test are not counted. */
let db: Database;
let outages: Outages;
let workDir: string;
let base: string;

beforeAll(async () => {
  world = await localWorld();
  db = await connectDatabase({ url: world.databaseUrl, entities, onError: () => {} });
  outages = outagesOf(db);
  workDir = mkdtempSync(join(tmpdir(), 'interlock-ci-test-'));
  base = world.commit({ branch: 'main', files: { '.service/ci.yml': 'checks: {test: {run: "true"}}\n' } });
});
afterAll(async () => {
  await db.close();
  await world.close();
  rmSync(workDir, { recursive: true, force: true });
});

/** Commits a check. When the check is over, returns its row and how often it ran. */
async function check(name: string, after: () => Promise<void>): Promise<{ runs: number; row: unknown }> {
  const head = commit(world.directory, { branch: 'mq-tmp-work', from: base, files: { 'name.txt': name } });
  await world.host.updateRefs(world.repository, [{ ref: `refs/heads/mq-bot-${name}`, from: null, to: head }]);
  let runs = 0;
  const sandbox: Sandbox = {
    kind: 'plain',
    node: process.execPath,
    bounds: defaultRunBounds,
    run: async () => {
      runs += 1;
      await after();
      return { kind: 'exited', code: 0 };
    },
  };
  const host = createLocalHost({
    dataDir: world.dataDir,
    db,
    emit: () => {},
    publicUrl: 'http://localhost:4000',
    clock: () => new Date(),
  });
  const runner = createCiRunner({ host, sandbox, concurrency: 1, pollMs: 5, workDir, onError: () => {} });
  runner.start();
  const row = await until(`the check of ${name} is over`, async () => {
    const [newest] = await world.sql<{ state: string }>(
      'select state, attempt, conclusion, lease_owner from local_check_run where commit = $1 order by attempt desc',
      [head],
    );
    return newest?.state === 'completed' ? newest : null;
  });
  await runner.stop();
  await host.stop();
  return { runs, row };
}

const calls = Array.from({ length: callsOfAll }, (_, index) => index + 1);

test.each(
  calls.flatMap((n) => [
    [n, 'refused'],
    [n, 'answer lost'],
  ]) as [number, Outage][],
)('the check ends if call %i is %s', async (n, how) => {
  outages.failAt(n, how);
  const { runs, row } = await check(`${n}-${how.replace(' ', '-')}`, async () => {
    await until('two looks have passed', async () => outages.calls() >= callsOfARun);
  });
  expect(row).toEqual({ state: 'completed', attempt: 1, conclusion: 'success', lease_owner: null });
  expect(runs).toBe(1);
});

test('if a log cannot be written, only the log is lost, and the check ends', async () => {
  await rm(join(world.dataDir, 'logs'), { recursive: true, force: true });
  await writeFile(join(world.dataDir, 'logs'), 'no folder');
  const { row } = await check('no-log', async () => {});
  expect(row).toMatchObject({ conclusion: 'success' });
});
