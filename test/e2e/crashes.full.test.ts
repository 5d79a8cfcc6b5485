// The test kills the service, PostgreSQL and Temporal, and starts Interlock again, as an operator does. Each pull
// request lands exactly once. The test prints the time until Interlock is ready and until the next landing.
// docs/performance.md has these times on a quiet machine.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRuntime } from '../../src/launcher/runtime.ts';
import { percentiles } from './chaos-report.ts';
import {
  dataDirectory,
  postgresPid,
  processesNaming,
  removeDirectory,
  runProgram,
  type RunningInterlock,
  startInterlock,
  stopInterlock,
  until,
} from './interlock.ts';
import { createTeamRepository, type TeamRepository, workIn } from './repository.ts';

let dataDir = '';
let interlock: RunningInterlock;
let shop: TeamRepository;

beforeEach(async () => {
  dataDir = await dataDirectory();
  interlock = await startInterlock(dataDir, ['--no-demo']);
  shop = await createTeamRepository(interlock.client, 'shop', {
    '.service/ci.yml': "checks:\n  test:\n    run: 'sleep 1'\n",
    '.service/config.yml':
      'merge_rules:\n  labels:\n    trigger: mergequeue\n  merge_mode:\n    type: parallel\n    parallel_mode:\n      max_parallel_builds: 4\n      batch_size: 1\n',
  });
});
afterEach(async () => {
  await stopInterlock(interlock);
  await shop.remove();
  await removeDirectory(dataDir);
});

async function openAndQueue(from: number, count: number): Promise<number[]> {
  const numbers: number[] = [];
  for (let i = from; i < from + count; i += 1) {
    await shop.push(`change-${i}`, { [`${i}.txt`]: 'x\n' }, 'origin/main');
    const number = await shop.open(`change-${i}`, `Change ${i}`);
    await shop.queue(number);
    numbers.push(number);
  }
  return numbers;
}

const tipOfMain = async (): Promise<string> => await shop.git('ls-remote', 'origin', 'refs/heads/main');

async function expectEachLandedOnce(numbers: readonly number[]): Promise<void> {
  // Reads are made in groups of 30, because the rate limit does not allow all of them at once.
  for (let from = 0; from < numbers.length; from += 30) {
    const group = numbers.slice(from, from + 30);
    await shop.settled(group, 600_000);
    const statuses = await Promise.all(group.map(async (number) => (await shop.read(number)).status));
    expect(statuses).toEqual(group.map(() => 'merged'));
  }
  await shop.git('fetch', '-q', 'origin');
  const subjects = (await shop.git('log', '--first-parent', '--format=%s', 'origin/main')).trim().split('\n');
  expect(subjects).toHaveLength(numbers.length + 1);
  const verified = await runProgram('verify', [shop.name, '--data', dataDir]).ended;
  expect(verified.code, verified.said).toBe(0);
}

/** The process ids of `victim`, a part of Interlock or `everything`. */
async function pidsOf(victim: string): Promise<number[]> {
  const parts: Readonly<Record<string, number>> = {
    'the service': interlock.child.pid ?? 0,
    PostgreSQL: await postgresPid(dataDir),
    Temporal: Number(await readFile(join(dataDir, 'temporal.pid'), 'utf8')),
  };
  return Object.entries(parts).flatMap(([part, pid]) => (victim === part || victim === 'everything' ? [pid] : []));
}

test('each pull request lands once, although Interlock or a part of it is killed twenty times', {
  timeout: 1_800_000,
}, async () => {
  const victims = ['the service', 'PostgreSQL', 'Temporal', 'everything'];
  const numbers = await openAndQueue(1, 3);
  const ready: number[] = [];
  const landed: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    numbers.push(...(await openAndQueue(numbers.length + 1, 3)));
    const before = await tipOfMain();
    const victim = victims[round % victims.length] ?? '';
    const killedAt = performance.now();
    for (const pid of await pidsOf(victim)) process.kill(pid, 'SIGKILL');
    await interlock.ended;
    await until(async () => (await processesNaming(dataDir)).length === 0);
    interlock = await startInterlock(dataDir);
    ready.push(performance.now() - killedAt);
    shop = workIn(interlock.client, { owner: 'team', name: 'shop', folder: shop.folder });
    await shop.git('remote', 'set-url', 'origin', `${interlock.access.url}/git/team/shop.git`);
    await until(async () => (await tipOfMain()) !== before);
    landed.push(performance.now() - killedAt);
    console.log(
      `${victim}: ready ${ready.at(-1)?.toFixed(0)} ms, landed ${landed.at(-1)?.toFixed(0)} ms after the kill`,
    );
  }
  await expectEachLandedOnce(numbers);
  console.log(`Ready again: ${percentiles(ready)}. The next landing: ${percentiles(landed)}.`);
});

/** Connects to PostgreSQL, which may still be recovering from the last kill. */
async function connect(connectionString: string): Promise<pg.Client> {
  return await until(async () => {
    const client = new pg.Client({ connectionString });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      if ((error as { readonly code?: string }).code !== isRecovering) throw error;
      return null;
    }
  });
}

// The code of PostgreSQL for "cannot connect now".
const isRecovering = '57P03';

test('each of 90 pull requests lands once, although a session of PostgreSQL is killed three times', {
  timeout: 1_800_000,
}, async () => {
  const numbers = await openAndQueue(1, 90);
  const connectionString = (await readRuntime(dataDir))?.databaseUrl ?? '';
  for (let kill = 1; kill <= 3; kill += 1) {
    const isMerged = async (): Promise<boolean> => (await shop.read(numbers[kill * 20] ?? 0)).status === 'merged';
    await until(isMerged, { withinMs: 600_000, everyMs: 500 });
    const client = await connect(connectionString);
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'interlock' limit 1",
    );
    // PostgreSQL then ends all sessions, including the session of this test, and recovers from its log.
    const ended = new Promise((resolve) => client.once('end', resolve));
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await ended;
    await until(async () => (await fetch(`${interlock.access.url}/readyz`)).ok);
  }
  await expectEachLandedOnce(numbers);
  const client = await connect(connectionString);
  const { rows } = await client.query<{ gap: number }>(
    'select (extract(epoch from landed_at - lag(landed_at) over (order by landed_at)) * 1000)::float8 as gap from landing order by landed_at',
  );
  await client.end();
  console.log(`Between two landings: ${percentiles(rows.slice(1).map(({ gap }) => gap))}.`);
});
