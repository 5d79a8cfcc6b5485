// A server and two workers on a Temporal that keeps its data in PostgreSQL, with several history shards, as in
// production. The development server of the other tests has one shard.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/demo/client.ts';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/launcher/postgres.ts';
import { startTemporalOnPostgres, type TemporalOnPostgres } from '../support/temporal-on-postgres.ts';
import { dataDirectory, removeDirectory, runProgram, until, type Program } from './interlock.ts';
import { createTeamRepository } from './repository.ts';

const namespace = 'shards';
const secret = { INTERLOCK_SECRET: 'a-secret-that-all-processes-are-given' };
let dataDir = '';
let postgres: EmbeddedPostgres;
let temporal: TemporalOnPostgres;
const programs: Program[] = [];

beforeAll(async () => {
  dataDir = await dataDirectory();
  postgres = await startPostgres({ dataDir, cacheDir: defaultCacheDirectory(), log: () => {} });
  const { username, password, pathname } = new URL(postgres.url);
  const url = `postgres://${username}:${password}@127.0.0.1:${postgres.port}${pathname}`;
  temporal = await startTemporalOnPostgres({ url, folder: dataDir, namespace });
}, 3_000_000);
afterAll(async () => {
  for (const { child } of programs) child.kill('SIGKILL');
  await Promise.all(programs.map(async ({ ended }) => await ended));
  await temporal.stop();
  await postgres.stop();
  await removeDirectory(dataDir);
});

function run(...args: string[]): Program {
  const program = runProgram('production', args, {
    ...secret,
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: namespace,
    INTERLOCK_DATA: dataDir,
    INTERLOCK_HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
  });
  programs.push(program);
  return program;
}

async function awaitAddress(program: Program): Promise<string> {
  return await until(async () => {
    if (program.child.exitCode !== null) throw new Error(`The program did not start:\n${program.said()}`);
    return /"url":"(http:[^"]+)".*is ready/.exec(program.said())?.[1] ?? null;
  });
}

const ci = "checks:\n  test:\n    run: 'sleep 0.5; test ! -e bad'\n";
const configuration = `merge_rules:
  labels:
    trigger: mergequeue
  merge_mode:
    type: parallel
    parallel_mode:
      max_parallel_builds: 4
      batch_size: 1
`;

test('23 of 24 pull requests land once and the red one is blocked, although Temporal is killed', {
  timeout: 1_800_000,
}, async () => {
  const server = run('server', '--port', '0');
  const workers = [run('worker', '--port', '0', '--unsafe-ci'), run('worker', '--port', '0', '--unsafe-ci')];
  const url = await awaitAddress(server);
  await Promise.all(workers.map(awaitAddress));
  const { said } = await run('account', '--name', 'team', '--email', 'service@team.test').ended;
  const client = createClient({ url, token: said.trim() });
  const shop = await createTeamRepository(client, 'shop', {
    '.service/ci.yml': ci,
    '.service/config.yml': configuration,
  });
  const numbers: number[] = [];
  for (let count = 1; count <= 24; count += 1) {
    const name = count === 7 ? 'bad' : `change-${count}`;
    await shop.push(name, { [name]: 'x\n' }, 'origin/main');
    numbers.push(await shop.open(name, `Change ${name}`));
  }
  for (const number of numbers) await shop.queue(number);
  await shop.settled(numbers.slice(0, 6), 600_000);
  await temporal.restart();
  await shop.settled(numbers, 900_000);
  const statuses: string[] = [];
  for (const number of numbers) statuses.push((await shop.read(number)).status);
  expect(statuses).toEqual(numbers.map((_, index) => (index === 6 ? 'blocked' : 'merged')));
  const verify = [shop.name, '--data', dataDir, '--database-url', postgres.url];
  const verified = await runProgram('verify', verify, secret).ended;
  expect(verified.code, verified.said).toBe(0);
  expect(verified.said).toContain('23 first-parent commits, 23 pull requests');
  expect(await temporal.workflowsByShard()).toHaveLength(4);
  await shop.remove();
  for (const program of [server, ...workers]) {
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0 });
  }
});
