// Three servers behind a reverse proxy and three workers, each a process of its own: they are killed in turn, alone and
// all of a kind, under queued pull requests. Each pull request lands once.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/demo/client.ts';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/launcher/postgres.ts';
import { searchAttributes, startTemporal, type EmbeddedTemporal } from '../../src/launcher/temporal.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { dataDirectory, removeDirectory, runProgram, until, type Program } from './interlock.ts';
import { createTeamRepository, type TeamRepository } from './repository.ts';

type Kind = 'server' | 'worker';

const cacheDir = defaultCacheDirectory();
const log = (): void => {};
const namespace = 'several';
const ofEachKind = 3;
let dataDir = '';
let postgres: EmbeddedPostgres;
let temporal: EmbeddedTemporal;
let balancer: Balancer;
const running: Record<Kind, Program[]> = { server: [], worker: [] };

beforeAll(async () => {
  dataDir = await dataDirectory();
  postgres = await startPostgres({ dataDir, cacheDir, fast: true, log });
  temporal = await startTemporal({ dataDir, cacheDir, fast: true, namespace, searchAttributes, log });
  balancer = await startBalancer();
});
afterAll(async () => {
  for (const { child } of [...running.server, ...running.worker]) child.kill('SIGKILL');
  await Promise.all([...running.server, ...running.worker].map(async ({ ended }) => await ended));
  await balancer.close();
  await temporal.stop();
  await postgres.stop();
  await removeDirectory(dataDir);
});

function run(...args: string[]): Program {
  return runProgram('production', args, {
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: namespace,
    INTERLOCK_DATA: dataDir,
    INTERLOCK_SECRET: 'a-secret-that-all-processes-are-given',
    INTERLOCK_HOST: '127.0.0.1',
    INTERLOCK_PUBLIC_URL: balancer.url,
    LOG_LEVEL: 'info',
  });
}

async function readyAt(program: Program): Promise<string> {
  return await until(async () => {
    if (program.child.exitCode !== null) throw new Error(`It did not start:\n${program.said()}`);
    return /"url":"(http:[^"]+)".*is ready/.exec(program.said())?.[1] ?? null;
  });
}

/** As an orchestrator does: until there are three of each kind again. */
async function fillUp(): Promise<void> {
  for (const kind of ['server', 'worker'] as const)
    while (running[kind].length < ofEachKind)
      running[kind].push(
        run(kind, '--port', '0', ...(kind === 'worker' ? ['--unsafe-ci', '--ci-concurrency', '2'] : [])),
      );
  await Promise.all(running.worker.map(readyAt));
  balancer.use(await Promise.all(running.server.map(readyAt)));
}

async function kill(kind: Kind, count: number): Promise<void> {
  const killed = running[kind].splice(0, count);
  for (const { child } of killed) child.kill('SIGKILL');
  await Promise.all(killed.map(async ({ ended }) => await ended));
}

/** A request that no server answered is made again: queueing a queued pull request changes nothing. */
async function queueSurely(shop: TeamRepository, number: number): Promise<void> {
  await until(
    async () =>
      await shop.queue(number).then(
        () => true,
        () => false,
      ),
    { everyMs: 200 },
  );
}

const settledIn = async (shop: TeamRepository, numbers: readonly number[]): Promise<number> => {
  const read = async (number: number): Promise<string> =>
    await shop.read(number).then(
      ({ status }) => status,
      () => '',
    );
  const statuses = await Promise.all(numbers.map(read));
  return statuses.filter((status) => status === 'merged').length;
};

const rounds: readonly (readonly [Kind, number])[] = [
  ['server', 1],
  ['worker', 1],
  ['server', 2],
  ['worker', 2],
  ['server', ofEachKind],
  ['worker', ofEachKind],
];
const perRound = 4;

it('each of 24 pull requests lands once while servers and workers are killed', { timeout: 900_000 }, async () => {
  await fillUp();
  const { said } = await run('account', '--name', 'team', '--email', 'service@team.test').ended;
  const client = createClient({ url: balancer.url, token: said.trim() });
  const shop = await createTeamRepository(client, 'shop', {
    '.service/ci.yml': "checks:\n  test:\n    run: 'sleep 0.5'\n",
    '.service/config.yml':
      'merge_rules:\n  labels:\n    trigger: mergequeue\n  merge_mode:\n    type: parallel\n    parallel_mode:\n      max_parallel_builds: 4\n      batch_size: 1\n',
  });
  const numbers: number[] = [];
  for (let i = 1; i <= rounds.length * perRound; i += 1) {
    await shop.push(`change-${i}`, { [`${i}.txt`]: 'x\n' }, 'origin/main');
    numbers.push(await shop.open(`change-${i}`, `Change ${i}`));
  }
  const startedAt = performance.now();
  for (const [index, [kind, count]] of rounds.entries()) {
    const some = numbers.slice(index * perRound, (index + 1) * perRound);
    for (const number of some) await queueSurely(shop, number);
    await until(async () => (await settledIn(shop, some)) > 0, { everyMs: 200 });
    const killedAt = performance.now();
    const before = await settledIn(shop, numbers);
    await kill(kind, count);
    await fillUp();
    await until(async () => (await settledIn(shop, numbers)) > before, { everyMs: 200 });
    const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
    console.log(`${count} of ${ofEachKind} ${kind}s killed, all there again, and the next landing after ${seconds} s`);
  }
  await shop.settled(numbers, 300_000);
  console.log(
    `${numbers.length} pull requests, ${rounds.length} kills: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  expect(await settledIn(shop, numbers)).toBe(numbers.length);
  await shop.git('fetch', '-q', 'origin');
  const landed = (await shop.git('log', '--first-parent', '--format=%H', 'origin/main')).trim().split('\n');
  const commits = await Promise.all(numbers.map(async (number) => (await shop.landing(number)).mergeCommit));
  expect(new Set(commits).size).toBe(numbers.length);
  expect(landed.slice(0, -1).toSorted()).toEqual(commits.toSorted());
  const { code, said: words } = await runProgram(
    'verify',
    [shop.name, '--data', dataDir, '--database-url', postgres.url],
    {
      INTERLOCK_SECRET: 'a-secret-that-all-processes-are-given',
    },
  ).ended;
  expect(code, words).toBe(0);
  await shop.remove();
  for (const program of [...running.server, ...running.worker]) {
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0 });
  }
});
