import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HostRefused } from '../../src/hosts/port.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { commit, commitWithHook, git, tip } from './commits.ts';
import { localWorld, type LocalWorld } from './local-world.ts';

let world: LocalWorld;
let source: string;

beforeEach(async () => {
  world = await localWorld();
  source = mkdtempSync(join(tmpdir(), 'interlock-source-'));
  git(source, 'init', '--quiet', '--bare', '--initial-branch=trunk');
});
afterEach(async () => {
  await world.close();
  rmSync(source, { recursive: true, force: true });
});

test('imports branches, tags and the default branch, and no refs of a queue elsewhere', async () => {
  const trunk = commit(source, { branch: 'trunk', files: { 'a.txt': 'a\n' } });
  const topic = commit(source, { branch: 'topic/x', from: trunk, files: { 'b.txt': 'b\n' } });
  git(source, 'tag', '-a', '-m', 'One', 'v1', trunk);
  git(source, 'update-ref', 'refs/pull/1/head', topic);
  git(source, 'branch', 'mq-bot-1', topic);
  expect(await world.host.importRepository(world.repository, source)).toEqual({
    defaultBranch: 'trunk',
    branches: 2,
    tags: 1,
  });
  expect(git(world.directory, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
    'refs/heads/topic/x',
    'refs/heads/trunk',
    'refs/tags/v1',
  ]);
  expect(git(world.directory, 'symbolic-ref', 'HEAD')).toBe('refs/heads/trunk');
  expect(await world.host.readRef(world.repository, 'refs/tags/v1')).toMatchObject({ commit: trunk });
});

test('a second import follows the source, and reports the refs that moved', async () => {
  commit(source, { branch: 'trunk', files: { 'a.txt': 'a\n' } });
  await world.host.importRepository(world.repository, `file://${source}`);
  const moved = commit(source, { branch: 'trunk', files: { 'a.txt': 'b\n' } });
  world.events.length = 0;
  await world.host.importRepository(world.repository, `file://${source}`);
  expect(tip(world.directory, 'trunk')).toBe(moved);
  expect(world.events).toEqual([{ kind: 'push', repository: world.repository, ref: 'refs/heads/trunk' }]);
});

test('a second import takes no commit from a branch that only moves forward, and then moves no other branch either', async () => {
  const first = commit(source, { branch: 'trunk', files: { 'a.txt': 'a\n' } });
  const topic = commit(source, { branch: 'topic', from: first, files: { 'b.txt': 'b\n' } });
  await world.host.importRepository(world.repository, source);
  const landed = commit(world.directory, { branch: 'trunk', from: first, files: { 'c.txt': 'c\n' } });
  commit(source, { branch: 'trunk', from: first, files: { 'd.txt': 'd\n' } });
  commit(source, { branch: 'topic', from: topic, files: { 'b.txt': 'more\n' } });
  const onlyForward = ['trunk', 'gone'];
  const again = world.host.importRepository(world.repository, source, { onlyForward });
  await expect(again).rejects.toThrow(`trunk of ${source} lacks commits that trunk has here`);
  expect([tip(world.directory, 'trunk'), tip(world.directory, 'topic')]).toEqual([landed, topic]);
  git(source, 'fetch', '--quiet', world.directory, '+trunk:trunk');
  const next = commit(source, { branch: 'trunk', from: landed, files: { 'e.txt': 'e\n' } });
  world.events.length = 0;
  await world.host.importRepository(world.repository, source, { onlyForward, onProgress: () => {} });
  expect(tip(world.directory, 'trunk')).toBe(next);
  expect(world.events.map((event) => ('ref' in event ? event.ref : event.kind)).toSorted()).toEqual([
    'refs/heads/topic',
    'refs/heads/trunk',
  ]);
});

test("git's progress is reported line by line while it fetches, and not as the reason of a failure", async () => {
  commit(source, { branch: 'trunk', files: { 'a.txt': 'a\n' } });
  const lines: string[] = [];
  const onProgress = (line: string): void => void lines.push(line);
  await world.host.importRepository(world.repository, `file://${source}`, { onProgress });
  expect(lines).toContainEqual(expect.stringMatching(/Counting objects: 100% \(3\/3\)/));
  expect(lines.every((line) => !/[\r\n]/.test(line) && line !== '')).toBe(true);
  const blob = git(source, 'rev-parse', 'trunk:a.txt');
  commit(source, { branch: 'trunk', files: { 'b.txt': 'b\n' } });
  rmSync(join(source, 'objects', blob.slice(0, 2), blob.slice(2)));
  const other = await world.neighbour();
  await expect(world.host.importRepository(other, `file://${source}`, { onProgress })).rejects.toThrow(
    /could not be read: (?!.*objects: )/,
  );
});

test.each([
  ['a path that does not exist', '/nowhere/at/all', 'does not exist'],
  ['a folder that is not a repository', tmpdir(), 'could not be read'],
  ['an option', '--upload-pack=touch /tmp/x', 'neither a URL nor a path'],
  ['a transport that runs commands', 'ext::sh -c true', 'neither a URL nor a path'],
  ['a server that does not exist', 'http://127.0.0.1:1/x.git', 'could not be read'],
])('refuses %s', async (_what, from, message) => {
  const failure = await world.host.importRepository(world.repository, from).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(HostRefused);
  expect(String(failure)).toContain(message);
});

test('refuses an empty repository', async () => {
  await expect(world.host.importRepository(world.repository, source)).rejects.toThrow('has no branches to import');
});

test('refuses objects that fail `git fsck`', async () => {
  git(source, 'update-ref', 'refs/heads/trunk', commitWithHook(source));
  await expect(world.host.importRepository(world.repository, source)).rejects.toThrow('could not be read');
  expect(tip(world.directory, 'trunk')).toBeNull();
});

test('imports this project with its complete history', async () => {
  const { defaultBranch } = await world.host.importRepository(world.repository, projectRoot);
  const head = git(projectRoot, 'rev-parse', defaultBranch);
  const line = await world.host.listFirstParents(world.repository, {
    from: null,
    to: tip(world.directory, defaultBranch) ?? '',
    limit: 5000,
  });
  expect(
    await world.host.isAncestor(world.repository, line.at(-1)?.commit ?? '', tip(world.directory, defaultBranch) ?? ''),
  ).toBe(true);
  expect(line.length).toBeGreaterThan(0);
  expect(git(projectRoot, 'merge-base', '--is-ancestor', tip(world.directory, defaultBranch) ?? '', head)).toBe('');
});
