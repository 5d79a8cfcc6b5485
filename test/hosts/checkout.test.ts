import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultRunBounds } from '../../src/domain/runs/bounds.ts';
import { HostRefused, HostUnavailable } from '../../src/hosts/port.ts';
import { filesOf, git } from './commits.ts';
import { localWorld, type LocalWorld } from './local-world.ts';

let world: LocalWorld;
let folder: string;

beforeEach(async () => {
  world = await localWorld();
  folder = mkdtempSync(join(tmpdir(), 'interlock-checkout-'));
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A line of commits. Every tenth commit merges a side branch. */
function history(length: number): string {
  let last = world.commit({ branch: 'main', files: { 'a.txt': '0\n' } });
  for (let n = 1; n < length; n += 1) {
    const merges = n % 10 === 0 ? [world.commit({ branch: `side-${n}`, from: last, files: { side: `${n}\n` } })] : [];
    last = world.commit({ branch: 'main', merges, files: { 'a.txt': `${n}\n`, 'in/b.txt': 'b\n' } });
  }
  return last;
}

test('a checkout needs no other repository, has fifty commits of its history, and does not lead back to its source', async () => {
  const tip = history(80);
  world.git('repack', '-adq');
  await world.host.checkOut(world.repository, tip, { folder });
  expect(git(folder, 'rev-parse', 'HEAD')).toBe(tip);
  expect(git(folder, 'status', '--porcelain')).toBe('');
  expect(filesOf(folder, 'HEAD')).toEqual(filesOf(world.directory, tip));
  expect(git(folder, 'fsck', '--strict', '--no-progress')).toBe('');
  const fetched = mkdtempSync(join(tmpdir(), 'interlock-fetched-'));
  git(fetched, 'init', '--quiet');
  git(fetched, 'fetch', '--quiet', '--depth=50', `file://${world.directory}`, 'main');
  expect(git(folder, 'rev-list', 'HEAD')).toBe(git(fetched, 'rev-list', 'FETCH_HEAD'));
  rmSync(fetched, { recursive: true });
  const own = readdirSync(join(folder, '.git'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of own) expect(readFileSync(path).includes(world.dataDir), path).toBe(false);
  expect(own.filter((path) => path.includes('alternates'))).toEqual([]);
});

test('a checkout of a short history reaches its root, and a checkout of a shallow repository reaches the end of its commits', async () => {
  const tip = history(5);
  await world.host.checkOut(world.repository, tip, { folder });
  expect(git(folder, 'rev-parse', '--is-shallow-repository')).toBe('false');
  expect(git(folder, 'rev-list', '--count', 'HEAD')).toBe('5');

  const cut = mkdtempSync(join(tmpdir(), 'interlock-cut-'));
  git(cut, 'clone', '--quiet', '--bare', '--depth=3', `file://${world.directory}`, 'cut.git');
  rmSync(world.directory, { recursive: true });
  git(cut, 'clone', '--quiet', '--bare', `file://${cut}/cut.git`, world.directory);
  const other = mkdtempSync(join(tmpdir(), 'interlock-checkout-'));
  await world.host.checkOut(world.repository, tip, { folder: other });
  expect(git(other, 'rev-list', '--count', 'HEAD')).toBe('3');
  expect(git(other, 'fsck', '--no-progress')).toBe('');
  for (const path of [cut, other]) rmSync(path, { recursive: true });
});

test('a commit that does not exist is not checked out', async () => {
  await expect(world.host.checkOut(world.repository, '1'.repeat(40), { folder })).rejects.toThrow(HostUnavailable);
  expect(readdirSync(folder)).toEqual([]);
});

/** A commit whose tree has `width` names of one tree, which has as many names of another one, and so on. */
function bomb(width: number, levels: number, leaf: string): string {
  const treeOf = (entry: string): string =>
    execFileSync('git', ['mktree', '--missing'], {
      cwd: world.directory,
      input: Array.from({ length: width }, (_, n) => `${entry}\tn${n}\n`).join(''),
      encoding: 'utf8',
    }).trim();
  let tree = treeOf(leaf);
  for (let level = 1; level < levels; level += 1) tree = treeOf(`040000 tree ${tree}`);
  return world.git('commit-tree', '-m', 'bomb', tree);
}

test('a commit whose files exceed the bounds of the run is refused before a file is written', async () => {
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: world.directory,
    input: 'x'.repeat(100_000),
    encoding: 'utf8',
  }).trim();
  const large = bomb(100, 1, `100644 blob ${blob}`);
  const bounds = { ...defaultRunBounds, bytes: 5_000_000 };
  const checkingOut = world.host.checkOut(world.repository, large, { folder, bounds });
  await expect(checkingOut).rejects.toThrow(
    new HostRefused(`Commit ${large.slice(0, 7)} is not checked out: its files take more than 5 MB together`),
  );
  const many = bomb(10, 12, `100644 blob ${blob}`);
  const few = { ...defaultRunBounds, bytes: 1e15, files: 1_000 };
  await expect(world.host.checkOut(world.repository, many, { folder, bounds: few })).rejects.toThrow(
    'it has more than 1000 files',
  );
  const empty = bomb(10, 12, '040000 tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904');
  await expect(world.host.checkOut(world.repository, empty, { folder })).rejects.toThrow(
    'it has more than 500000 files',
  );
  expect(readdirSync(folder)).toEqual([]);
  await world.host.checkOut(world.repository, large, { folder });
  expect(readdirSync(folder)).toHaveLength(101);
});
