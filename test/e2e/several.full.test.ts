// Three servers behind a reverse proxy and three workers, each a process of its own, use one PostgreSQL and one
// Temporal. While 200 pull requests are queued, the test kills one process of each kind in turn, and also all servers
// and all workers at once. Each pull request lands exactly once.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { createClient } from '../../src/demo/client.ts';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/launcher/postgres.ts';
import { searchAttributes, startTemporal, type EmbeddedTemporal } from '../../src/launcher/temporal.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { dataDirectory, postgresPid, removeDirectory, runProgram, until, type Program } from './interlock.ts';
import { createTeamRepository, type TeamRepository } from './repository.ts';

type Kind = 'server' | 'worker';
type Store = 'PostgreSQL' | 'Temporal';

const cacheDir = defaultCacheDirectory();
const log = (): void => {};
const namespace = 'several';
const programsPerKind = 3;
let dataDir = '';
let postgres: EmbeddedPostgres;
let temporal: EmbeddedTemporal;
let balancer: Balancer;
const running: Record<Kind, Program[]> = { server: [], worker: [] };

beforeAll(async () => {
  dataDir = await dataDirectory();
  postgres = await startPostgres({ dataDir, cacheDir, fast: true, log });
  temporal = await startTemporal({ dataDir, cacheDir, namespace, searchAttributes, log });
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

async function awaitAddress(program: Program): Promise<string> {
  return await until(async () => {
    if (program.child.exitCode !== null) throw new Error(`The program did not start:\n${program.said()}`);
    return /"url":"(http:[^"]+)".*is ready/.exec(program.said())?.[1] ?? null;
  });
}

/** Starts servers and workers, as an orchestrator does, until three of each kind run. Resolves when they are ready. */
async function startMissing(): Promise<void> {
  for (const kind of ['server', 'worker'] as const)
    while (running[kind].length < programsPerKind)
      running[kind].push(
        run(kind, '--port', '0', ...(kind === 'worker' ? ['--unsafe-ci', '--ci-concurrency', '2'] : [])),
      );
  await Promise.all(running.worker.map(awaitAddress));
  balancer.use(await Promise.all(running.server.map(awaitAddress)));
}

async function kill(kind: Kind, count: number): Promise<void> {
  const killed = running[kind].splice(0, count);
  for (const { child } of killed) child.kill('SIGKILL');
  await Promise.all(killed.map(async ({ ended }) => await ended));
}

/** Kills PostgreSQL or Temporal, and starts it again with the same data at the same address. */
async function restartStore(store: Store): Promise<void> {
  if (store === 'PostgreSQL') {
    process.kill(await postgresPid(dataDir), 'SIGKILL');
    await postgres.exited;
    postgres = await startPostgres({ dataDir, cacheDir, fast: true, log });
  } else {
    process.kill(Number(await readFile(join(dataDir, 'temporal.pid'), 'utf8')), 'SIGKILL');
    await temporal.exited;
    temporal = await startTemporal({ dataDir, cacheDir, namespace, searchAttributes, log });
  }
}

/**
 * Repeats a request until a server answers. Repeating is safe, because queueing a queued pull request changes nothing.
 */
async function retryUnanswered<T>(ask: () => Promise<T>): Promise<T> {
  const answer = await until(
    async () =>
      await ask().then(
        (value) => ({ value }),
        () => null,
      ),
    { everyMs: 200 },
  );
  return answer.value;
}

/** How many of `numbers` are merged. The reads are made in groups of 20, to stay below the rate limit. */
async function countMerged(shop: TeamRepository, numbers: readonly number[]): Promise<number> {
  let merged = 0;
  for (let from = 0; from < numbers.length; from += 20) {
    const group = numbers.slice(from, from + 20);
    const read = await Promise.all(
      group.map(async (number) => await retryUnanswered(async () => await shop.read(number))),
    );
    merged += read.filter(({ status }) => status === 'merged').length;
  }
  return merged;
}

/** Opens pull requests that all start from the same commit of the base branch. One push sends all their branches. */
async function openMany(shop: TeamRepository, count: number): Promise<number[]> {
  const names = Array.from({ length: count }, (_, index) => `change-${index + 1}`);
  for (const name of names) {
    await shop.git('checkout', '-q', '-B', name, 'origin/main');
    await writeFile(join(shop.folder, `${name}.txt`), 'x\n');
    await shop.git('add', '-A');
    await shop.git('commit', '-q', '-m', `Change ${name}`);
  }
  await shop.git('push', '-q', 'origin', ...names.map((name) => `${name}:refs/heads/${name}`));
  const numbers: number[] = [];
  for (const name of names) numbers.push(await shop.open(name, `Change ${name}`));
  return numbers;
}

const tipOfMain = async (shop: TeamRepository): Promise<string> =>
  await retryUnanswered(async () => await shop.git('ls-remote', 'origin', 'refs/heads/main'));

const rounds: readonly (readonly [Kind, number] | Store)[] = [
  ['server', 1],
  ['worker', 1],
  'PostgreSQL',
  ['server', 2],
  ['worker', 2],
  'Temporal',
  ['server', programsPerKind],
  ['worker', programsPerKind],
];
const queued = 200;

it('each of 200 queued pull requests lands once, although processes of each kind are killed', {
  timeout: 1_800_000,
}, async () => {
  onTestFailed(() => {
    for (const kind of ['server', 'worker'] as const)
      for (const program of running[kind]) console.log(`The last lines of a ${kind}:\n${program.said().slice(-4000)}`);
  });
  await startMissing();
  const { said } = await run('account', '--name', 'team', '--email', 'service@team.test').ended;
  const client = createClient({ url: balancer.url, token: said.trim() });
  const shop = await createTeamRepository(client, 'shop', {
    '.service/ci.yml': "checks:\n  test:\n    run: 'sleep 0.5'\n",
    '.service/config.yml':
      'merge_rules:\n  labels:\n    trigger: mergequeue\n  merge_mode:\n    type: parallel\n    parallel_mode:\n      max_parallel_builds: 4\n      batch_size: 1\n',
  });
  const numbers = await openMany(shop, queued);
  const setPaused = async (paused: boolean): Promise<unknown> =>
    await client.rest('POST', '/api/v1/repo', { org: 'team', name: 'shop', paused });
  // The queue is paused until all pull requests are in line, so that none lands before the first kill.
  await setPaused(true);
  for (const number of numbers) await retryUnanswered(async () => await shop.queue(number));
  await setPaused(false);
  const startedAt = performance.now();
  for (const round of rounds) {
    const before = await tipOfMain(shop);
    const killedAt = performance.now();
    if (typeof round === 'string') await restartStore(round);
    else {
      await kill(...round);
      await startMissing();
    }
    await until(async () => (await tipOfMain(shop)) !== before, { withinMs: 300_000, everyMs: 200 });
    const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
    const killed = typeof round === 'string' ? round : `${round[1]} of ${programsPerKind} ${round[0]}s`;
    console.log(`${killed} killed: restarted, and the next pull request landed after ${seconds} s`);
  }
  await until(async () => (await countMerged(shop, numbers)) === queued, { withinMs: 900_000, everyMs: 2000 });
  console.log(
    `${queued} pull requests, ${rounds.length} kills: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  await shop.git('fetch', '-q', 'origin');
  const landed = (await shop.git('log', '--first-parent', '--format=%H', 'origin/main')).trim().split('\n');
  const commits: (string | null)[] = [];
  for (const number of numbers) commits.push((await shop.landing(number)).mergeCommit);
  expect(landed.slice(0, -1).toSorted()).toEqual(commits.toSorted());
  const { code, said: output } = await runProgram(
    'verify',
    [shop.name, '--data', dataDir, '--database-url', postgres.url],
    {
      INTERLOCK_SECRET: 'a-secret-that-all-processes-are-given',
    },
  ).ended;
  expect(code, output).toBe(0);
  await shop.remove();
  for (const program of [...running.server, ...running.worker]) {
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0 });
  }
});
