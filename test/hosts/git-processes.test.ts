// Long-running git processes. Whatever happens to them or to the repository, their answers equal those of a git that
// was just started.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits, type GitProcessLimits } from '../../src/hosts/git/git-processes.ts';
import {
  createGit,
  type Git,
  readCommit,
  readFile,
  readRef,
  readRefValue,
  removeStaleLocks,
  updateRefs,
} from '../../src/hosts/git/index.ts';
import { HostUnavailable } from '../../src/hosts/port.ts';
import type { SpawnedProcess } from '../../src/platform/spawning/index.ts';
import { commit, git, tip } from './commits.ts';
import { until } from './local-world.ts';

let folder: string;
let directory: string;
let plumbing: Git;
/** Every git process that was started, in order. */
let started: { readonly args: readonly string[]; readonly child: SpawnedProcess }[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-git-processes-'));
  directory = makeRepository('shop');
  plumbing = open();
});
afterEach(async () => {
  await plumbing.processes.stop();
  rmSync(folder, { recursive: true, force: true });
});

function makeRepository(name: string): string {
  const path = join(folder, `${name}.git`);
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', path);
  return path;
}

function open(limits: Partial<GitProcessLimits> = {}): Git {
  const opened = createGit(join(folder, 'gitconfig'), { ...defaultLimits, ...limits });
  const spawn = opened.spawn.bind(opened);
  started = [];
  opened.spawn = (at, args, options) => {
    const child = spawn(at, args, options);
    started.push({ args, child });
    return child;
  };
  return opened;
}

const commands = (): string[] => started.map(({ args }) => args[0] ?? '');
const newest = (): SpawnedProcess => started.at(-1)?.child ?? expect.fail('No git was started');
/** Stops a git before it can read more. A signal by the process that starts programs would come later than a request. */
const stop = ({ pid }: SpawnedProcess): void => void process.kill(pid ?? expect.fail('git has no id'), 'SIGSTOP');
const message = async (id: string): Promise<string | undefined> =>
  (await readCommit(plumbing, directory, id))?.message.trim();
const gone = async (child: SpawnedProcess): Promise<unknown> =>
  await until('a git has ended', async () => child.exitCode !== null || child.signalCode !== null);

describe('reading', () => {
  test('uses one git process for any number of commits and refs', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => commit(directory, { branch: 'main', files: { a: `${n}` } }));
    const trees = await Promise.all(ids.map(async (id) => (await readCommit(plumbing, directory, id))?.tree));
    expect(trees).toEqual(ids.map((id) => git(directory, 'rev-parse', `${id}^{tree}`)));
    expect(await readRef(plumbing, directory, 'refs/heads/main')).toEqual({ commit: ids.at(-1), tree: trees.at(-1) });
    expect(commands()).toEqual(['cat-file']);
  });

  test('continues with another git process after the first one was killed', async () => {
    const id = commit(directory, { branch: 'main', files: { a: 'a' }, message: 'Killed between' });
    await message(id);
    newest().kill('SIGKILL');
    await gone(newest());
    expect(await message(id)).toBe('Killed between');
    expect(commands()).toEqual(['cat-file', 'cat-file']);
  });

  test('asks again if the git process is killed before it answers', async () => {
    const id = commit(directory, { branch: 'main', files: { a: 'a' }, message: 'Killed during' });
    await message(id);
    stop(newest());
    const answers = [message(id), message(id)];
    await until('both are asked', async () => (newest().stdin?.writableLength ?? 0) === 0);
    newest().kill('SIGKILL');
    expect(await Promise.all(answers)).toEqual(['Killed during', 'Killed during']);
    expect(commands()).toEqual(['cat-file', 'cat-file']);
  });

  test('says that the host is unavailable if git does not answer in time', async () => {
    plumbing = open({ answerWithinMs: 2_000 });
    const id = commit(directory, { branch: 'main', files: { a: 'a' } });
    await message(id);
    stop(newest());
    await expect(message(id)).rejects.toThrow(HostUnavailable);
    expect(await message(id)).toBe('Change a');
  });

  test('sees objects that were written since, loose and in packs', async () => {
    const first = commit(directory, { branch: 'main', files: { a: 'a' } });
    expect(await message('1'.repeat(40))).toBeUndefined();
    const loose = git(directory, 'commit-tree', '-p', first, '-m', 'Loose', `${first}^{tree}`);
    expect(await message(loose)).toBe('Loose');
    const other = makeRepository('other');
    const packed = commit(other, { branch: 'main', files: { b: 'b' }, message: 'Packed' });
    git(other, '-c', 'fetch.unpackLimit=1', 'push', '--quiet', directory, 'main:pushed');
    git(directory, 'repack', '-adq');
    expect(existsSync(join(directory, 'objects', packed.slice(0, 2), packed.slice(2)))).toBe(false);
    expect(await message(packed)).toBe('Packed');
  });

  test('does not see objects that a pruning removed', async () => {
    const first = commit(directory, { branch: 'main', files: { a: 'a' } });
    const second = commit(directory, { branch: 'main', files: { a: 'b' } });
    git(directory, 'repack', '-adq');
    expect(await message(second)).toBe('Change a');
    git(directory, 'update-ref', 'refs/heads/main', first);
    git(directory, 'repack', '-adq');
    git(directory, 'prune', '--expire=now');
    expect(await message(second)).toBeUndefined();
    expect(await message(first)).toBe('Change a');
  });

  test('sees at once where another process moved a ref, in packed refs too', async () => {
    const first = commit(directory, { branch: 'main', files: { a: 'a' } });
    const value = async (): Promise<string | null> => await readRefValue(directory, 'refs/heads/main');
    expect(await value()).toBe(first);
    const second = commit(directory, { branch: 'main', files: { a: 'b' } });
    expect(await value()).toBe(second);
    git(directory, 'pack-refs', '--all');
    expect(await value()).toBe(second);
    git(directory, 'update-ref', 'refs/heads/main', first);
    expect(await value()).toBe(first);
    git(directory, 'update-ref', '-d', 'refs/heads/main');
    expect(await value()).toBeNull();
  });

  test('takes a ref only by its full name, whatever else git would accept', async () => {
    const id = commit(directory, { branch: 'refs/heads/twice', files: { a: 'a' } });
    expect(await readRefValue(directory, 'refs/heads/twice')).toBeNull();
    expect(await readRefValue(directory, `refs/heads/described-g${id.slice(0, 8)}`)).toBeNull();
    expect(await readRefValue(directory, 'refs/heads/refs/heads/twice')).toBe(id);
    expect(await readRefValue(directory, 'refs/heads/refs')).toBeNull();
    expect(await readRefValue(directory, 'refs/heads/refs/heads/twice/below')).toBeNull();
    await expect(readRefValue(directory, 'refs/heads/two\nlines')).rejects.toThrow('is not a valid ref name');
  });

  test('resolves a symbolic ref to the commit of the ref that it names', async () => {
    const id = commit(directory, { branch: 'main', files: { a: 'a' } });
    git(directory, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    expect(await readRefValue(directory, 'refs/heads/alias')).toBe(id);
    git(directory, 'pack-refs', '--all');
    expect(await readRefValue(directory, 'refs/heads/alias')).toBe(id);
  });

  test('resolves an annotated tag to its commit, and the id of the tag is not the id of a commit', async () => {
    const id = commit(directory, { branch: 'main', files: { a: 'a' } });
    git(directory, 'tag', '-a', '-m', 'First', 'v1', id);
    const tag = git(directory, 'rev-parse', 'refs/tags/v1');
    expect(await readRefValue(directory, 'refs/tags/v1')).toBe(tag);
    expect((await readRef(plumbing, directory, 'refs/tags/v1'))?.commit).toBe(id);
    expect(await readCommit(plumbing, directory, tag)).toBeNull();
  });

  test('reads a file by its path, but no links, folders and large files', async () => {
    const names = ['plain', 'in/a folder/file', 'two\nlines', 'ünïcödé'];
    const files = Object.fromEntries(names.map((name) => [name, `text of ${name}`]));
    const work = join(folder, 'work');
    git(folder, 'clone', '--quiet', directory, work);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(work, name, '..'), { recursive: true });
      writeFileSync(join(work, name), text);
    }
    execFileSync('ln', ['-s', 'plain', join(work, 'link')]);
    git(work, 'add', '-A');
    git(work, 'commit', '--quiet', '-m', 'Files');
    git(work, 'push', '--quiet', 'origin', 'HEAD:main');
    const id = tip(directory, 'main') ?? '';
    const read = async (path: string, maxBytes = 1000): Promise<string | null> =>
      (await readFile(plumbing, directory, { commit: id, path, maxBytes }))?.text ?? null;
    for (const [name, text] of Object.entries(files)) expect(await read(name)).toBe(text);
    expect(await read('./in//a folder/file')).toBe('text of in/a folder/file');
    for (const path of [
      '',
      '.',
      'link',
      'in',
      'in/a folder',
      'plain/',
      'plain/below',
      '../plain',
      '/plain',
      'gone',
      '-x',
    ])
      expect([path, await read(path)]).toEqual([path, null]);
    expect(await read('plain', 4)).toBeNull();
  });
});

describe('moving refs', () => {
  const move = async (from: string | null, to: string): Promise<void> =>
    await updateRefs(plumbing, directory, [{ ref: 'refs/heads/main', from, to }]);

  test('uses one git process, and a refusal names the commit that the ref has', async () => {
    const [a, b] = ['a', 'b'].map((name) => commit(directory, { branch: name, files: { name } })) as [string, string];
    await move(null, a);
    await move(a, b);
    await expect(move(a, b)).rejects.toMatchObject({ ref: 'refs/heads/main', expected: a, actual: b });
    await move(b, a);
    expect(tip(directory, 'main')).toBe(a);
    expect(commands()).toEqual(['update-ref', 'update-ref']);
  });

  test('moves them once, even if git is killed before, during and after it', async () => {
    let from = commit(directory, { branch: 'main', files: { a: 'a' } });
    for (let n = 0; n < 20; n += 1) {
      const to = git(directory, 'commit-tree', '-p', from, '-m', `${n}`, `${from}^{tree}`);
      const moved = move(from, to);
      setTimeout(() => started.at(-1)?.child.kill('SIGKILL'), n / 4);
      await moved.catch(async (error: unknown) => {
        // The killed git had taken the lock of the ref, which blocks others until it is removed; or the second git was
        // killed too.
        expect(error).toBeInstanceOf(HostUnavailable);
        await removeStaleLocks(directory, 0);
        if (tip(directory, 'main') === from) await move(from, to);
      });
      expect(tip(directory, 'main')).toBe(to);
      from = to;
    }
    expect(git(directory, 'rev-list', '--count', 'main')).toBe('21');
  });

  test('lets a branch take the place of a folder of deleted branches', async () => {
    const id = commit(directory, { branch: 'a/b', files: { a: 'a' } });
    const set = async (ref: string, from: string | null, to: string | null): Promise<void> =>
      await updateRefs(plumbing, directory, [{ ref, from, to }]);
    await set('refs/heads/other', null, id);
    git(directory, 'update-ref', '-d', 'refs/heads/a/b');
    await set('refs/heads/a', null, id);
    await set('refs/heads/a', id, null);
    await set('refs/heads/a/b', null, id);
    expect(await readRefValue(directory, 'refs/heads/a/b')).toBe(id);
  });
});

describe('a repository', () => {
  test('that was removed is unavailable, and a new one in its place is read', async () => {
    const before = commit(directory, { branch: 'main', files: { a: 'a' }, message: 'Before' });
    expect(await message(before)).toBe('Before');
    await updateRefs(plumbing, directory, [{ ref: 'refs/heads/kept', from: null, to: before }]);
    rmSync(directory, { recursive: true });
    await expect(message(before)).rejects.toThrow(HostUnavailable);
    await expect(readRefValue(directory, 'refs/heads/main')).rejects.toThrow(HostUnavailable);
    await expect(updateRefs(plumbing, directory, [{ ref: 'refs/heads/kept', from: before, to: null }])).rejects.toThrow(
      HostUnavailable,
    );
    makeRepository('shop');
    const after = commit(directory, { branch: 'main', files: { a: 'b' }, message: 'After' });
    expect([await message(before), await message(after)]).toEqual([undefined, 'After']);
    await updateRefs(plumbing, directory, [{ ref: 'refs/heads/kept', from: null, to: after }]);
    expect(tip(directory, 'kept')).toBe(after);
  });

  test('that was moved away is not written to when another one has its place', async () => {
    const before = commit(directory, { branch: 'main', files: { a: 'a' } });
    await updateRefs(plumbing, directory, [{ ref: 'refs/heads/kept', from: null, to: before }]);
    const aside = join(folder, 'aside.git');
    renameSync(directory, aside);
    git(folder, 'clone', '--quiet', '--bare', aside, directory);
    const next = commit(directory, { branch: 'main', files: { a: 'b' } });
    await updateRefs(plumbing, directory, [{ ref: 'refs/heads/kept', from: before, to: next }]);
    expect([tip(directory, 'kept'), tip(aside, 'kept')]).toEqual([next, before]);
  });
});

describe('git processes', () => {
  test('end if nobody uses them, the least recently used first if there are too many, and all at a stop', async () => {
    plumbing = open({ maxProcesses: 2, idleMs: 60_000 });
    const places = ['one', 'two', 'three'].map(makeRepository);
    for (const place of places) await readCommit(plumbing, place, '1'.repeat(40));
    const [first, second, third] = started.map(({ child }) => child) as [
      SpawnedProcess,
      SpawnedProcess,
      SpawnedProcess,
    ];
    await gone(first);
    expect([second.exitCode, third.exitCode]).toEqual([null, null]);
    await plumbing.processes.stop();
    expect([first, second, third].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);

    plumbing = open({ idleMs: 100 });
    await readCommit(plumbing, directory, '1'.repeat(40));
    await gone(newest());
    expect(newest().exitCode).toBe(0);
  });
});
