// An upgrade without stopping, and the way back by one version (docs/upgrading.md). An earlier version and this version
// run at the same time on one PostgreSQL and one Temporal, while pull requests are queued at both. No request fails,
// each pull request lands once, and a pull request whose check fails blocks only itself.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, type Client } from '../../src/demo/client.ts';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/launcher/postgres.ts';
import { searchAttributes, startTemporal, type EmbeddedTemporal } from '../../src/launcher/temporal.ts';
import { nodeFlags } from '../../src/platform/node-flags.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { buildEarlierVersion, type EarlierVersion } from './earlier-version.ts';
import { dataDirectory, removeDirectory, startProgram, until, type Program } from './interlock.ts';
import { createTeamRepository, workIn, type TeamRepository } from './repository.ts';

const cacheDir = defaultCacheDirectory();
const log = (): void => {};
const namespace = 'upgrade';
const owner = 'team';
let dataDir = '';
let postgres: EmbeddedPostgres;
let temporal: EmbeddedTemporal;
let balancer: Balancer;
let earlier: EarlierVersion;
let token = '';
const programs: Program[] = [];

beforeAll(async () => {
  earlier = await buildEarlierVersion(process.env['INTERLOCK_UPGRADE_FROM']);
  console.log(`From ${earlier.commit}.`);
  dataDir = await dataDirectory();
  postgres = await startPostgres({ dataDir, cacheDir, fast: true, log });
  temporal = await startTemporal({ dataDir, cacheDir, fast: true, namespace, searchAttributes, log });
  balancer = await startBalancer();
}, 600_000);
afterAll(async () => {
  for (const { child } of programs) child.kill('SIGKILL');
  await Promise.all(programs.map(async ({ ended }) => await ended));
  await balancer.close();
  await temporal.stop();
  await postgres.stop();
  await earlier.remove();
  await removeDirectory(dataDir);
});

/** Runs a program of the version in a folder. */
function run(folder: string, name: string, ...args: string[]): Program {
  // Versions before the programs were bundled have them in dist/src.
  const places = ['programs', 'src'].map((place) => join(folder, 'dist', place, `${name}.js`));
  const file = places.find(existsSync) ?? '';
  const program = startProgram([...nodeFlags(), file, ...args], folder, {
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: namespace,
    INTERLOCK_DATA: dataDir,
    INTERLOCK_SECRET: 'a-secret-that-all-processes-are-given',
    INTERLOCK_HOST: '127.0.0.1',
    INTERLOCK_PUBLIC_URL: balancer.url,
  });
  programs.push(program);
  return program;
}

/** A server and a worker of one version. */
interface Running {
  readonly url: string;
  readonly parts: readonly Program[];
}

async function start(folder: string): Promise<Running> {
  const server = run(folder, 'production', 'server', '--port', '0');
  const worker = run(folder, 'production', 'worker', '--port', '0', '--unsafe-ci', '--ci-concurrency', '2');
  const [url] = await Promise.all([server, worker].map(awaitAddress));
  return { url: url ?? '', parts: [server, worker] };
}

async function awaitAddress(program: Program): Promise<string> {
  return await until(async () => {
    if (program.child.exitCode !== null) throw new Error(`The program did not start:\n${program.said()}`);
    return /"url":"(http:[^"]+)".*is ready/.exec(program.said())?.[1] ?? null;
  });
}

async function stop({ parts }: Running): Promise<void> {
  for (const { child } of parts) child.kill('SIGTERM');
  for (const { ended } of parts) expect(await ended).toMatchObject({ code: 0 });
}

const clientOf = (url: string): Client => createClient({ url, token });

/**
 * Queues pull requests through these versions in turn, and waits until one of them is merged, so that work is running.
 */
async function queueThrough(
  shop: TeamRepository,
  versions: readonly Running[],
  numbers: readonly number[],
): Promise<void> {
  for (const [index, number] of numbers.entries()) {
    const client = clientOf(versions[index % versions.length]?.url ?? '');
    await workIn(client, { owner, name: 'shop', folder: shop.folder }).queue(number);
  }
  await until(async () => (await countMerged(shop, numbers)) > 0, { everyMs: 200 });
}

async function countMerged(shop: TeamRepository, numbers: readonly number[]): Promise<number> {
  const all = await Promise.all(numbers.map(async (number) => await shop.read(number)));
  return all.filter(({ status }) => status === 'merged').length;
}

const files = {
  '.service/ci.yml': "checks:\n  test:\n    run: 'sleep 0.5; test ! -e bad'\n",
  '.service/config.yml':
    'merge_rules:\n  labels:\n    trigger: mergequeue\n  merge_mode:\n    type: parallel\n    parallel_mode:\n      max_parallel_builds: 3\n      batch_size: 2\n',
};
const perRound = 6;

async function openSome(shop: TeamRepository, round: string, count: number): Promise<number[]> {
  const numbers: number[] = [];
  for (let i = 1; i <= count; i += 1) {
    await shop.push(`${round}-${i}`, { [`${round}-${i}.txt`]: 'x\n' }, 'origin/main');
    numbers.push(await shop.open(`${round}-${i}`, `${round} ${i}`));
  }
  return numbers;
}

async function expectEachLandedOnce(shop: TeamRepository, numbers: readonly number[]): Promise<void> {
  expect(await countMerged(shop, numbers)).toBe(numbers.length);
  await shop.git('fetch', '-q', 'origin');
  const line = (await shop.git('log', '--first-parent', '--format=%H', 'origin/main')).trim().split('\n');
  const landings = await Promise.all(numbers.map(async (number) => (await shop.landing(number)).mergeCommit));
  expect(line.slice(0, -1).toSorted()).toEqual([...new Set(landings)].toSorted());
}

/** The number of batches whose bot pull requests and branches are not cleaned up. */
async function countUncleaned(): Promise<number> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ batches: number }>(
      'select count(*)::int as batches from batch where cleaned_up_at is null',
    );
    return rows[0]?.batches ?? 0;
  } finally {
    await client.end();
  }
}

it('a newer version takes over from an earlier one and gives back, and each pull request lands once', async () => {
  const before = await start(earlier.folder);
  balancer.use([before.url]);
  const account = await run(earlier.folder, 'production', 'account', '--name', owner, '--email', 'service@team.test')
    .ended;
  token = account.said.trim();
  const shop = await createTeamRepository(clientOf(balancer.url), 'shop', files);
  const rounds = [];
  for (const round of ['old', 'both', 'new', 'back']) rounds.push(await openSome(shop, round, perRound));
  const [ofOld = [], ofBoth = [], ofNew = [], ofBack = []] = rounds;
  // Both versions must bisect a batch that contains this pull request.
  await shop.push('bad', { bad: 'x\n' }, 'origin/main');
  const bad = await shop.open('bad', 'Break the check');

  await queueThrough(shop, [before], ofOld);
  expect(await run(projectRoot, 'production', 'migrate').ended).toMatchObject({ code: 0 });
  const after = await start(projectRoot);
  balancer.use([before.url, after.url]);
  await queueThrough(shop, [before, after], [bad, ...ofBoth]);

  balancer.use([after.url]);
  await stop(before);
  await queueThrough(shop, [after], ofNew);

  const again = await start(earlier.folder);
  balancer.use([again.url]);
  await stop(after);
  // A queue that newer rules have planned may wait for the newer version. The earlier version works on all other
  // queues.
  for (const number of ofBack)
    await workIn(clientOf(again.url), { owner, name: 'shop', folder: shop.folder }).queue(number);
  const fresh = await createTeamRepository(clientOf(again.url), 'fresh', files);
  const ofFresh = await openSome(fresh, 'fresh', 2);
  for (const number of ofFresh) await fresh.queue(number);
  await fresh.settled(ofFresh);
  await expectEachLandedOnce(fresh, ofFresh);

  const last = await start(projectRoot);
  balancer.use([last.url]);
  await stop(again);
  await shop.settled([bad, ...rounds.flat()]);
  expect((await shop.landing(bad)).status).toBe('BLOCKED');
  await expectEachLandedOnce(shop, rounds.flat());
  // If one version had begun a workflow that the other cannot continue, some builds would never be cleaned up.
  await until(async () => (await countUncleaned()) === 0);
  for (const folder of [earlier.folder, projectRoot]) {
    const { code, said } = await run(folder, 'verify', shop.name, '--data', dataDir).ended;
    expect(code, said).toBe(0);
  }
  await stop(last);
  await shop.remove();
  await fresh.remove();
}, 900_000);
