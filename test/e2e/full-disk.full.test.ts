// A disk is full while pull requests wait. None of them is blamed for it, and all land once the disk has room again.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  dataDirectory,
  fillDisk,
  mountSmallDisk,
  removeDirectory,
  type RunningInterlock,
  type SmallDisk,
  stopInterlock,
  until,
} from './interlock.ts';
import { createTeamRepository, type TeamRepository, workIn } from './repository.ts';

const megabyte = 2 ** 20;
const timeout = 600_000;

interface Stage extends AsyncDisposable {
  readonly disk: SmallDisk;
  readonly dataDir: string;
  readonly shop: TeamRepository;
  /** Of open pull requests. The first has landed. */
  readonly numbers: readonly number[];
  readonly running: RunningInterlock;
  restart(): Promise<void>;
}

/** Interlock with four pull requests. The folder of the data directory has a small disk of its own. */
async function prepare(folder: string, size: number): Promise<Stage> {
  const dataDir = await dataDirectory();
  const disk = await mountSmallDisk(join(dataDir, folder), size);
  const start = async (port: string): Promise<RunningInterlock> =>
    await disk.start(dataDir, ['--no-demo', '--port', port], { FREE_DISK_MB: '4' });
  let running = await start('0');
  let shop = await createTeamRepository(running.client, 'shop', {
    '.service/ci.yml': "checks:\n  test:\n    run: 'true'\n",
    '.service/config.yml':
      'merge_rules:\n  labels:\n    trigger: mergequeue\n  merge_mode:\n    type: parallel\n    parallel_mode:\n      max_parallel_builds: 4\n      batch_size: 1\n',
  });
  const numbers: number[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    await shop.push(name, { [`${name}.txt`]: `${name}\n` }, 'origin/main');
    numbers.push(await shop.open(name, `Add ${name}`));
  }
  await shop.queue(numbers[0] ?? 0);
  await shop.settled(numbers.slice(0, 1));
  return {
    disk,
    dataDir,
    numbers,
    get running() {
      return running;
    },
    get shop() {
      return shop;
    },
    async restart() {
      running = await start(new URL(running.access.url).port);
      shop = workIn(running.client, { owner: 'team', name: 'shop', folder: shop.folder });
    },
    async [Symbol.asyncDispose]() {
      await stopInterlock(running);
      await shop.remove();
      await disk[Symbol.asyncDispose]();
      await removeDirectory(dataDir);
    },
  };
}

async function expectAllLandedOnce({ disk, dataDir, shop, numbers }: Stage): Promise<void> {
  await shop.settled(numbers);
  const statuses = await Promise.all(numbers.map(async (number) => (await shop.read(number)).status));
  expect(statuses).toEqual(numbers.map(() => 'merged'));
  await shop.git('fetch', '-q', 'origin');
  const subjects = (await shop.git('log', '--first-parent', '--format=%s', 'origin/main')).trim().split('\n');
  expect(subjects).toHaveLength(numbers.length + 1);
  const verified = await disk.run('verify', [shop.name, '--data', dataDir]).ended;
  expect(verified.code, verified.said).toBe(0);
}

test('pull requests wait while the disk of the repositories is full, and a push is refused', { timeout }, async () => {
  await using stage = await prepare('git', 48 * megabyte);
  const { disk, shop, numbers } = stage;
  const others = numbers.slice(1);
  const filler = await fillDisk(disk.folder);
  for (const number of others) await shop.queue(number);
  await expect(shop.push('late', { 'late.txt': 'late\n' }, 'origin/main')).rejects.toThrow(
    'There is too little room on the disk',
  );
  await delay(20_000);
  for (const number of others) expect(['queued', 'tagged']).toContain((await shop.read(number)).status);
  await rm(filler);
  await expectAllLandedOnce(stage);
  await shop.git('push', '-q', 'origin', 'late');
});

test('what was answered before and while the disk of the database is full is kept', { timeout }, async () => {
  await using stage = await prepare('postgres', 320 * megabyte);
  const { disk, numbers } = stage;
  const others = numbers.slice(1);
  const filler = await fillDisk(disk.folder);
  const accepted = new Set<number>();
  for (const end = performance.now() + 20_000; performance.now() < end; await delay(500))
    for (const number of others) if (!accepted.has(number) && (await isQueued(stage, number))) accepted.add(number);
  await rm(filler);
  if (stage.running.child.exitCode !== null) await stage.restart();
  for (const number of others.filter((each) => !accepted.has(each)))
    await until(async () => await isQueued(stage, number));
  await expectAllLandedOnce(stage);
});

async function isQueued({ shop }: Stage, number: number): Promise<boolean> {
  return await shop.queue(number).then(
    () => true,
    () => false,
  );
}
