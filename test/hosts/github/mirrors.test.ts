// Mirrors: their upkeep, their repair, mirrors of several machines, and pushes with a token that has ended.
import { mkdir, readdir, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGitHubHost } from '../../../src/hosts/github/index.ts';
import { mirrorDirectory } from '../../../src/hosts/github/mirror-clone.ts';
import { maintainMirror, removeIdleMirrors } from '../../../src/hosts/github/mirror-maintenance.ts';
import {
  type Composition,
  CallGivenBack,
  CommitMissing,
  type HostAdapter,
  HostRefused,
  HostUnavailable,
} from '../../../src/hosts/port.ts';
import { type Committer, createCommitSigner, listRefs } from '../../../src/hosts/git/index.ts';
import { github, type GitHub, type GitHubWorld, quickPace } from './github-world.ts';
import { type Machine, machineOf } from './mirror-parts.ts';

let g: GitHub;
let w: GitHubWorld;
let main: string;
let head: string;
const machines: Machine[] = [];
const hosts: HostAdapter[] = [];

beforeAll(async () => {
  g = await github();
});
beforeEach(async () => {
  w = await g.world();
  await g.sql('update repository set active = true');
  main = await w.push({ branch: 'main', files: { a: '1\n' } });
  head = await w.push({ branch: 'topic', from: main, files: { b: '1\n' } });
});
afterAll(async () => {
  for (const each of [...machines, ...hosts]) await each.stop();
  await g.close();
});

function machine(maxBytes: number | null = null, pace = quickPace): Machine {
  const made = machineOf(g, maxBytes, pace);
  machines.push(made);
  return made;
}

let hostCount = 0;

/** The host of another machine with its own mirrors. */
function otherHost(committer?: Committer): HostAdapter {
  hostCount += 1;
  const options = g.hostOptions();
  const made = createGitHubHost({
    ...options,
    dataDir: `${options.dataDir}-h${hostCount}`,
    pace: quickPace,
    committer,
    settings: { keepsAtGitHub: true, maxBytes: null },
  });
  hosts.push(made);
  return made;
}

/** The mirror of the newest other host. */
const mirrorOfOtherHost = (): string => mirrorDirectory(`${g.hostOptions().dataDir}-h${hostCount}`, w.repository);

function compositionOf(batch: number): Composition {
  const member = {
    head,
    strategy: 'squash',
    message: 'Add b\n',
    authorName: 'Ada',
    authorEmail: 'ada@example.org',
  } as const;
  return {
    parent: main,
    members: [member],
    batchCommit: 'linear',
    groupMessage: '',
    at: 1_700_000_000_000,
    keepRef: `refs/interlock/builds/${batch}`,
  };
}

async function packsOf(directory: string): Promise<string[]> {
  const names = await readdir(join(directory, 'objects', 'pack'));
  return names.filter((name) => name.endsWith('.pack')).map((name) => join(directory, 'objects', 'pack', name));
}

test('upkeep joins packs, and removes the ref of a build after two weeks', async () => {
  const m = machine();
  const directory = await m.mirrors.fetchMissing(w.repository, [head]);
  await m.mirrors.git.run(directory, ['update-ref', 'refs/interlock/builds/1', head]);
  m.later(1);
  expect(await maintainMirror(m, w.repository)).toBe(true);
  expect(await maintainMirror(m, w.repository)).toBe(false);
  expect(await listRefs(directory, 'refs/interlock/builds/')).toHaveLength(1);
  m.later(15);
  expect(await maintainMirror(m, w.repository)).toBe(true);
  expect(await listRefs(directory, 'refs/interlock/builds/')).toEqual([]);
  const graph = await stat(join(directory, 'objects', 'info', 'commit-graph'));
  expect([graph.size > 0, (await packsOf(directory)).length]).toEqual([true, 1]);
  expect(await m.mirrors.tryFetchMissing(w.repository, [head])).toBe(true);
});

test('if the upkeep of a mirror is started twice at once, it runs once', async () => {
  const m = machine();
  await m.mirrors.ensureClone(w.repository);
  m.later(1);
  const ends = await Promise.all([maintainMirror(m, w.repository), maintainMirror(m, w.repository)]);
  expect(ends.toSorted()).toEqual([false, true]);
});

test('upkeep compacts a landing ref a day after it first saw the ref, and not earlier', async () => {
  const m = machine();
  await m.pushes.updateRefs(w.repository, [{ ref: 'refs/interlock/landings/1', from: null, to: main }]);
  const actual = async (): Promise<string[]> =>
    (await m.mirrors.readActualRefs(w.repository, ['refs/interlock/'])).map(({ ref }) => ref);
  m.later(1);
  await maintainMirror(m, w.repository);
  expect(await actual()).toEqual(['refs/interlock/landings/1']);
  m.later(1);
  await maintainMirror(m, w.repository);
  expect(await actual()).toEqual(['refs/interlock/ledger']);
});

test('idle mirrors are removed if there is not enough room, and the next use clones them again', async () => {
  const m = machine(1);
  const directory = await m.mirrors.fetchMissing(w.repository, [head]);
  await removeIdleMirrors(m);
  expect((await stat(directory)).isDirectory()).toBe(true);
  m.later(2);
  await removeIdleMirrors(m);
  await expect(stat(directory)).rejects.toThrow('ENOENT');
  expect(await m.mirrors.tryFetchMissing(w.repository, [head])).toBe(true);
});

test('a broken mirror is cloned again at the next call', async () => {
  const m = machine();
  const directory = await m.mirrors.fetchMissing(w.repository, [head]);
  await m.mirrors.git.run(directory, ['repack', '-a', '-d', '-q']);
  for (const pack of await packsOf(directory)) {
    chmodSync(pack, 0o644);
    await truncate(pack, 20);
  }
  const read = async (): Promise<string> =>
    await m.mirrors.repairing(
      w.repository,
      async () => await m.mirrors.git.text(await m.mirrors.ensureClone(w.repository), ['show', `${head}:b`]),
    );
  await expect(read()).rejects.toThrow('was broken, and is cloned again');
  await m.mirrors.fetchMissing(w.repository, [head]);
  expect(await read()).toBe('1');
});

test('locks of a killed git stop neither the next call nor the upkeep', async () => {
  const m = machine();
  const directory = await m.mirrors.ensureClone(w.repository);
  const leave = async (lock: string): Promise<void> => {
    const path = join(directory, lock);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
    const earlier = new Date(Date.now() - 61_000);
    await utimes(path, earlier, earlier);
  };
  const keep = async (): Promise<unknown> =>
    await m.mirrors.repairing(
      w.repository,
      async () => await m.mirrors.git.run(directory, ['update-ref', 'refs/interlock/builds/1', main]),
    );
  await leave('refs/interlock/builds/1.lock');
  await expect(keep()).rejects.toThrow('File exists');
  await keep();
  await leave('packed-refs.lock');
  await leave('objects/info/commit-graph.lock');
  m.later(1);
  expect(await maintainMirror(m, w.repository)).toBe(true);
});

test('two branches that are each deleted twice at once are deleted, and no deletion fails', async () => {
  const { pushes, mirrors } = machine();
  const branches = ['mq-bot-1', 'mq-bot-2'].map((name) => `refs/heads/${name}`);
  for (const ref of branches) await pushes.updateRefs(w.repository, [{ ref, from: null, to: main }]);
  const deletions = [...branches, ...branches].map((ref) => ({ ref, from: main, to: null }));
  await Promise.all(deletions.map(async (update) => await pushes.updateRefs(w.repository, [update])));
  expect(await mirrors.readRefs(w.repository, branches)).toEqual([]);
});

test('deletions that are collected are given back at a stop, and another machine makes them', async () => {
  const [one, other] = [machine(null, { perMinute: 100, gatherMs: 3_600_000 }), machine()];
  const branches = ['mq-bot-1', 'mq-bot-2'].map((name) => `refs/heads/${name}`);
  for (const ref of branches) await one.pushes.updateRefs(w.repository, [{ ref, from: null, to: main }]);
  const deletions = branches.map((ref) => ({ ref, from: main, to: null }));
  const given = deletions.map(async (update) => await one.pushes.updateRefs(w.repository, [update]));
  one.giveBack();
  for (const each of given) await expect(each).rejects.toThrow(CallGivenBack);
  await expect(one.pushes.updateRefs(w.repository, deletions.slice(0, 1))).rejects.toThrow(CallGivenBack);
  expect(await other.mirrors.readRefs(w.repository, branches)).toHaveLength(2);
  await Promise.all(deletions.map(async (update) => await other.pushes.updateRefs(w.repository, [update])));
  expect(await other.mirrors.readRefs(w.repository, branches)).toEqual([]);
});

test('pushes that wait for the pace are given back at a stop, and one that need not wait is made', async () => {
  const one = machine(null, { perMinute: 2, gatherMs: 0 });
  const create = async (name: string): Promise<void> =>
    await one.pushes.updateRefs(w.repository, [{ ref: `refs/heads/${name}`, from: null, to: main }]);
  await create('first');
  const pushed = [create('second'), create('third'), create('fourth')];
  await pushed[0];
  one.giveBack();
  for (const each of pushed.slice(1)) await expect(each).rejects.toThrow(CallGivenBack);
  await expect(create('fifth')).rejects.toThrow(CallGivenBack);
  const names = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) => `refs/heads/${name}`);
  expect((await one.mirrors.readRefs(w.repository, names)).map(({ ref }) => ref)).toEqual(names.slice(0, 2));

  const other = machine(null, { perMinute: 2, gatherMs: 0 });
  other.giveBack();
  await other.pushes.updateRefs(w.repository, [{ ref: 'refs/heads/third', from: null, to: main }]);
  expect(await other.mirrors.readRefs(w.repository, ['refs/heads/third'])).toHaveLength(1);
});

test('a push that GitHub does not answer ends seconds after a stop begins, and moves no ref', async () => {
  const [one, other] = [machine(), machine()];
  const ref = 'refs/heads/late';
  g.emulator.controls.slow({ operation: 'git-receive-pack', ms: 60_000, times: 1 });
  const startedAt = performance.now();
  const push = one.pushes.updateRefs(w.repository, [{ ref, from: null, to: main }]);
  one.giveBack();
  await expect(push).rejects.toThrow(HostUnavailable);
  expect(performance.now() - startedAt).toBeLessThan(40_000);
  expect(await other.mirrors.readRefs(w.repository, [ref])).toEqual([]);
});

test('a commit that no branch keeps can be landed by another machine', async () => {
  const [one, other] = [otherHost(), otherHost()];
  const composed = await one.composeCommit(w.repository, compositionOf(1));
  const commit = composed.kind === 'composed' ? composed.commit : '';
  await one.keepCommit(w.repository, commit, 'refs/interlock/builds/1');
  await other.updateRefs(w.repository, [{ ref: 'refs/heads/main', from: main, to: commit }]);
  expect((await one.readRef(w.repository, 'refs/heads/main'))?.commit).toBe(commit);
});

test('a branch that requires signatures accepts the commits of a machine that signs, and refuses others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sign-'));
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')]);
  const sign = createCommitSigner(readFileSync(join(folder, 'key'), 'utf8'));
  rmSync(folder, { recursive: true });
  await g.person.repos.createRepoRuleset({
    ...w.place,
    name: 'signed',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
    rules: [{ type: 'required_signatures' }],
  });
  // The branch requires a signature of every pushed commit, so the pull request is squashed.
  const land = async (host: HostAdapter, batch: number): Promise<void> => {
    const composed = await host.composeCommit(w.repository, compositionOf(batch));
    const commit = composed.kind === 'composed' ? composed.commit : '';
    await host.updateRefs(w.repository, [{ ref: 'refs/heads/main', from: main, to: commit }]);
  };
  await expect(land(otherHost(), 1)).rejects.toThrow(HostRefused);
  const signing = otherHost({ name: 'Interlock', email: 'interlock@example.test', sign });
  expect(signing.identity(w.repository)).toEqual({ name: 'Interlock', email: 'interlock@example.test' });
  await land(signing, 2);
  expect(await signing.readBaseRules(w.repository, 'main')).toMatchObject({ push: 'free', why: null });
});

test('a commit that was lost with its machine is reported as missing', async () => {
  const [one, other] = [otherHost(), otherHost()];
  const composed = await one.composeCommit(w.repository, compositionOf(2));
  const commit = composed.kind === 'composed' ? composed.commit : '';
  const landing = other.updateRefs(w.repository, [{ ref: 'refs/heads/main', from: main, to: commit }]);
  await expect(landing).rejects.toThrow(CommitMissing);
});

test('the removal of a repository removes the mirror of this machine, changes nothing at GitHub, and may be repeated', async () => {
  const host = otherHost();
  await host.composeCommit(w.repository, compositionOf(3));
  expect(existsSync(mirrorOfOtherHost())).toBe(true);
  await host.removeRepository(w.repository);
  await host.removeRepository(w.repository);
  expect(existsSync(mirrorOfOtherHost())).toBe(false);
  expect((await host.readRef(w.repository, 'refs/heads/main'))?.commit).toBe(main);
});

test('a token that GitHub refuses is replaced', async () => {
  const m = machine();
  await m.mirrors.fetchMissing(w.repository, [main]);
  g.emulator.controls.expireTokens();
  expect(await m.mirrors.readRefs(w.repository, ['refs/heads/main'])).toEqual([
    { ref: 'refs/heads/main', commit: main },
  ]);
  const next = await w.push({ branch: 'topic', from: head, files: { c: '1\n' } });
  g.emulator.controls.expireTokens();
  expect(await m.mirrors.tryFetchMissing(w.repository, [next])).toBe(true);
});

test('refs that cannot be read count as an outage', async () => {
  g.emulator.controls.fail({ operation: 'git-upload-pack', times: 1 });
  await expect(machine().mirrors.readRefs(w.repository, ['refs/heads/main'])).rejects.toThrow(HostUnavailable);
});
