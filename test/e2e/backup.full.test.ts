// Makes a backup while pull requests land, and restores it into an empty data directory. The proofs hold, later
// landings are recovered, and the line continues.
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDocumented } from '../cli/documented.ts';
import {
  dataDirectory,
  type EndedProgram,
  removeDirectory,
  runProgram,
  type RunningInterlock,
  startInterlock,
  stopInterlock,
  until,
} from './interlock.ts';
import { createTeamRepository, type TeamRepository, workIn } from './repository.ts';

let dataDir = '';
let restored = '';
let interlock: RunningInterlock;
let shop: TeamRepository;

beforeAll(async () => {
  dataDir = await dataDirectory();
  restored = await dataDirectory();
  interlock = await startInterlock(dataDir, ['--no-demo']);
  shop = await createTeamRepository(interlock.client, 'shop', {
    '.service/ci.yml': "checks:\n  test:\n    run: 'sleep 1'\n",
  });
});
afterAll(async () => {
  await stopInterlock(interlock);
  await shop.remove();
  for (const folder of [dataDir, restored]) await removeDirectory(folder);
});

/** The document that a program printed by `--json`. Its keys are those of docs/command-line.md. */
function documentOf({ code, said, stderr }: EndedProgram, program: string): object {
  expect(code, said).toBe(0);
  const progress = new Set(stderr.split('\n'));
  const printed = said.split('\n').filter((line) => !progress.has(line));
  const document = JSON.parse(printed.join('\n')) as object;
  expect(isDocumented(document, [program]), said).toBe(true);
  return document;
}

async function queueSome(names: readonly string[]): Promise<number[]> {
  const numbers: number[] = [];
  for (const name of names) {
    await shop.push(name, { [name]: `${name}\n` }, 'origin/main');
    const number = await shop.open(name, `Add ${name}`);
    await shop.queue(number);
    numbers.push(number);
  }
  return numbers;
}

test('after a restore and a recovery, no landing is lost, neither from before the backup nor from after it', async () => {
  const backup = join(dataDir, 'backup');
  const numbers = await queueSome(['one', 'two', 'three', 'four', 'five', 'six']);
  await until(async () => (await shop.read(numbers[0] ?? 0)).status === 'merged');
  const made = await runProgram('backup', ['--to', backup, '--data', dataDir]).ended;
  expect(made, made.said).toMatchObject({ code: 0 });
  expect(made.said).toContain('rows and 1 repository as of');
  const again = await runProgram('backup', ['--to', backup, '--data', dataDir]).ended;
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty. Name a new folder by --to')]);
  await shop.settled(numbers);
  await stopInterlock(interlock);

  const used = await runProgram('restore', ['--from', backup, '--data', dataDir]).ended;
  expect([used.code, used.stderr]).toEqual([1, expect.stringContaining('a restore never replaces anything')]);
  const none = await runProgram('restore', ['--from', join(dataDir, 'git'), '--data', restored]).ended;
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('contains no complete backup')]);
  const ended = await runProgram('restore', ['--from', backup, '--data', restored]).ended;
  expect(ended, ended.said).toMatchObject({ code: 0 });
  // Copies the repositories as they are now, which is the worst case, because the database is older.
  await rm(join(restored, 'git'), { recursive: true });
  await cp(join(dataDir, 'git'), join(restored, 'git'), { recursive: true });

  const surveyed = await runProgram('recover', ['--data', restored]).ended;
  expect(surveyed.said).toContain(`Make the changes with: npm run recover -- --data ${restored} --yes`);
  const recovered = await runProgram('recover', ['--yes', '--data', restored]).ended;
  expect(recovered, recovered.said).toMatchObject({ code: 0 });
  interlock = await startInterlock(restored);
  shop = workIn(interlock.client, { owner: 'team', name: 'shop', folder: shop.folder });
  await shop.git('remote', 'set-url', 'origin', `${interlock.access.url}/git/team/shop.git`);
  await shop.git('fetch', '-q', 'origin');
  const more = await queueSome(['seven']);
  await shop.settled([...numbers, ...more]);
  const statuses = await Promise.all([...numbers, ...more].map(async (number) => (await shop.read(number)).status));
  expect(new Set(statuses)).toEqual(new Set(['merged']));
  await shop.git('fetch', '-q', 'origin');
  const landed = (await shop.git('log', '--first-parent', '--format=%s', 'origin/main')).trim().split('\n');
  expect(landed).toHaveLength(numbers.length + more.length + 1);
  const verified = await runProgram('verify', [shop.name, '--data', restored]).ended;
  expect(verified, verified.said).toMatchObject({ code: 0 });
});

test('a restore needs no recovery if nothing landed after the backup', async () => {
  const empty = await dataDirectory();
  const backups = join(dataDir, 'quiet');
  try {
    const args = ['--into', backups, '--keep', '1', '--data', restored];
    const first = await runProgram('backup', args).ended;
    expect(first, first.said).toMatchObject({ code: 0 });
    const [old = ''] = await readdir(backups);
    const made = await runProgram('backup', [...args, '--json']).ended;
    const [newest = '', ...others] = await readdir(backups);
    expect([newest > old, others]).toEqual([true, []]);
    expect(documentOf(made, 'backup')).toMatchObject({
      folder: join(backups, newest),
      repositories: 1,
      removed: [old],
    });
    const restoring = ['--from', join(backups, newest), '--data', empty, '--json'];
    const ended = await runProgram('restore', restoring).ended;
    expect(documentOf(ended, 'restore')).toMatchObject({ dataDirectory: empty, repositories: 1 });
    const asked = await runProgram('recover', ['--data', empty]).ended;
    expect(asked.said).toContain('Nothing to recover');
    const again = await runProgram('recover', ['--data', empty, '--json']).ended;
    const nothing = { isNeeded: false, done: false, epoch: null, changes: [], left: [] };
    expect(documentOf(again, 'recover')).toEqual(nothing);
    const verified = await runProgram('verify', [shop.name, '--data', empty]).ended;
    expect(verified, verified.said).toMatchObject({ code: 0 });
  } finally {
    await removeDirectory(empty);
  }
});
