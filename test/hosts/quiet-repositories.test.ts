// Repositories of the local host in which nothing has changed are not compared again.
import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cheapestReadOfTimes, isStampTrue, readRefsStamp, readTimesInThread } from '../../src/hosts/git/index.ts';
import { commit } from './commits.ts';
import { localWorld, type LocalWorld, until } from './local-world.ts';

/** Changes within this time may not change a time of the file system that was just read. */
const youngMs = 2_000;

let world: LocalWorld;
let base: string;
let next: string;
beforeEach(async () => {
  world = await localWorld();
  base = world.commit({ branch: 'main', files: { 'a.txt': 'a\n' } });
  next = world.commit({ branch: 'work', from: base, files: { 'a.txt': 'b\n' } });
});
afterEach(async () => {
  await world.host.stop();
  await world.close();
});

/** Sets all times of the repository back by ten minutes. */
function age(): void {
  const at = new Date(Date.now() - 10 * 60_000);
  const inside = readdirSync(world.directory, { recursive: true, encoding: 'utf8' });
  for (const path of ['', ...inside]) utimesSync(join(world.directory, path), at, at);
}

describe('the stamp of a repository', () => {
  test.each<[string, () => unknown]>([
    ['a branch moves', () => world.git('update-ref', 'refs/heads/main', next)],
    ['a branch is made', () => world.git('update-ref', 'refs/heads/new', next)],
    ['a branch is made in a new folder', () => world.git('update-ref', 'refs/heads/a/b/c', next)],
    ['a branch is deleted', () => world.git('update-ref', '-d', 'refs/heads/work')],
    ['a landing ref is made', () => world.git('update-ref', 'refs/interlock/landings/1', next)],
    ['the default branch changes', () => world.git('symbolic-ref', 'HEAD', 'refs/heads/work')],
    ['refs are packed', () => world.git('pack-refs', '--all')],
    [
      'a packed branch is deleted',
      () => {
        world.git('pack-refs', '--all');
        age();
        world.git('update-ref', '-d', 'refs/heads/work');
      },
    ],
    ['a killed git leaves a lock', () => writeFileSync(join(world.directory, 'refs', 'heads', 'main.lock'), '')],
    ['a killed git leaves the lock of packed refs', () => writeFileSync(join(world.directory, 'packed-refs.lock'), '')],
  ])('changes if %s', async (_, change) => {
    age();
    const before = await readRefsStamp(world.directory, youngMs);
    if (before === null) throw new Error('The repository has not just changed.');
    const ways = [readTimesInThread, await cheapestReadOfTimes(world.directory)];
    expect(await readRefsStamp(world.directory, youngMs)).toEqual(before);
    for (const readTimes of ways) expect(await isStampTrue(before, readTimes)).toBe(true);
    change();
    for (const readTimes of ways) expect(await isStampTrue(before, readTimes)).toBe(false);
    expect((await readRefsStamp(world.directory, 0))?.text).not.toBe(before.text);
  });

  test('is unknown soon after a change, and if the repository does not exist', async () => {
    age();
    world.git('update-ref', 'refs/heads/main', next);
    expect(await readRefsStamp(world.directory, 60_000)).toBeNull();
    expect(await readRefsStamp(join(world.directory, 'none'), youngMs)).toBeNull();
  });
});

describe('the loop', () => {
  /** Moves `main` and keeps the times of all folders, so that only a comparison of the whole repository notices. */
  const moveUnnoticed = (): void => writeFileSync(join(world.directory, 'refs', 'heads', 'main'), `${next}\n`);
  const reportsOf = (repositoryId: string, ref: string): number =>
    world.events.filter((event) => event.kind === 'push' && event.repository.id === repositoryId && event.ref === ref)
      .length;

  /** The reports of `main`: of its first tip, and of its move, once the loop has looked at every repository again. */
  async function countReports(): Promise<number> {
    const other = await world.neighbour();
    const directory = world.host.installation.directoryOf(other);
    commit(directory, { branch: 'main', files: { 'a.txt': '1\n' } });
    const errors: unknown[] = [];
    const loop = world.host.reconciler({ everyMs: 20, onError: (error) => errors.push(error) });
    loop.start();
    try {
      await until('both are compared', async () => reportsOf(other.id, 'refs/heads/main') === 1);
      moveUnnoticed();
      // The loop takes the repositories in the order of their ids, so it looks at the first one before this one.
      for (const n of [2, 3]) {
        commit(directory, { branch: 'main', files: { 'a.txt': `${n}\n` } });
        await until('the move is reported', async () => reportsOf(other.id, 'refs/heads/main') === n);
      }
      return reportsOf(world.repository.id, 'refs/heads/main');
    } finally {
      await loop.stop();
      expect(errors).toEqual([]);
    }
  }

  test('leaves out a repository whose stamp has not changed', async () => {
    age();
    expect(await countReports()).toBe(1);
  });

  test('compares a repository that has just changed', async () => {
    expect(await countReports()).toBe(2);
  });

  test('compares a repository with open pull requests', async () => {
    await world.host.openPullRequest(world.repository, {
      headBranch: 'work',
      baseBranch: 'main',
      title: 'Work',
      body: '',
      author: 'ada',
      draft: false,
    });
    age();
    expect(await countReports()).toBe(2);
  });

  test.each([
    ['inactive', 'lost', 0],
    ['inactive', 'kept', 0],
    ['active', 'lost', 1],
  ])('of an %s repository whose folder is %s reports %d errors', async (activity, folder, count) => {
    const other = await world.neighbour();
    commit(world.host.installation.directoryOf(other), { branch: 'main', files: { 'a.txt': '1\n' } });
    const { id } = world.repository;
    if (activity === 'inactive')
      await world.sql('update repository set active = false, deactivated_at = now() where id = $1', [id]);
    if (folder === 'lost') rmSync(world.directory, { recursive: true });
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    await world.host.recover(onError);
    const loop = world.host.reconciler({ everyMs: 3_600_000, onError });
    loop.start();
    // The loop takes the repositories in the order of their ids.
    await until('the other repository is compared', async () => reportsOf(other.id, 'refs/heads/main') === 1);
    await loop.stop();
    expect(errors).toHaveLength(count);
    expect(reportsOf(id, 'refs/heads/main')).toBe(folder === 'kept' ? 1 : 0);
  });
});
