// The files of a folder become a commit. Anybody may have written to the folder, so nothing in it is executed or
// followed.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commitFolder, createGit, type Git } from '../../src/hosts/git/index.ts';
import { HostRefused, type FolderCommit, type FolderCommitResult } from '../../src/hosts/port.ts';
import { commit, filesOf, git, messageOf, parentsOf } from './commits.ts';

let folder: string;
let directory: string;
let worktree: string;
let plumbing: Git;
let base: string;
let number = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-folder-'));
  plumbing = createGit(join(folder, 'gitconfig'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  number += 1;
  directory = join(folder, `${number}.git`);
  worktree = join(folder, `${number}`);
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', directory);
  base = commit(directory, { branch: 'main', files: { 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': 'out/\n' } });
  git(folder, 'clone', '--quiet', directory, worktree);
});

const write = (path: string, text: string | Buffer): void => {
  mkdirSync(dirname(join(worktree, path)), { recursive: true });
  writeFileSync(join(worktree, path), text);
};
const made = async (refuse?: FolderCommit['refuse']): Promise<FolderCommitResult> =>
  await commitFolder(plumbing, directory, {
    parent: base,
    folder: worktree,
    message: 'Do it\n',
    authorName: 'Grace Hopper',
    authorEmail: 'grace@example.org',
    at: 1_750_000_000_000,
    keepRef: 'refs/interlock/runbooks/1',
    committer: { name: 'Interlock', email: 'interlock@example.org' },
    ...(refuse && { refuse }),
  });
async function committed(): Promise<Extract<FolderCommitResult, { kind: 'committed' }>> {
  const result = await made();
  if (result.kind !== 'committed') throw new Error('Nothing was committed.');
  return result;
}
const modesOf = (id: string): string[] =>
  git(directory, 'ls-tree', '-r', '--format=%(objectmode) %(path)', id).split('\n');

describe('a commit of the files', () => {
  test('has files that were changed, added, removed and made executable, and no ignored files', async () => {
    write('a.txt', 'A\n');
    write('new/deep.txt', 'n\n');
    rmSync(join(worktree, 'b.txt'));
    write('run.sh', 'true\n');
    chmodSync(join(worktree, 'run.sh'), 0o755);
    write('out/generated.txt', 'x\n');
    const { commit: id, changes, tree } = await committed();
    expect(filesOf(directory, id)).toEqual({
      '.gitignore': 'out/',
      'a.txt': 'A',
      'new/deep.txt': 'n',
      'run.sh': 'true',
    });
    expect(changes).toEqual([
      { path: 'a.txt', mode: '100644', bytes: 2, target: null },
      { path: 'b.txt', mode: null, bytes: null, target: null },
      { path: 'new/deep.txt', mode: '100644', bytes: 2, target: null },
      { path: 'run.sh', mode: '100755', bytes: 5, target: null },
    ]);
    expect(parentsOf(directory, id)).toEqual([base]);
    expect(messageOf(directory, id)).toContain('Do it');
    expect(git(directory, 'rev-parse', `${id}^{tree}`)).toBe(tree);
    expect(git(directory, 'rev-parse', 'refs/interlock/runbooks/1')).toBe(id);
    expect(git(directory, 'rev-parse', 'main')).toBe(base);
  });

  test('is not made if the files are those of the parent', async () => {
    write('out/generated.txt', 'x\n');
    expect(await made()).toEqual({ kind: 'empty' });
  });

  test('is the same if it is made twice', async () => {
    write('a.txt', 'A\n');
    const first = await committed();
    expect((await committed()).commit).toBe(first.commit);
  });

  test('has files with any name and any size', async () => {
    const names = ['-rf', ':(exclude)a.txt', 'with space', 'ümlaut.txt', '"quoted"', 'line\nbreak', '*'];
    for (const name of names) write(name, `${name}\n`);
    write('large.bin', Buffer.alloc(30 * 1024 * 1024, 7));
    const { changes } = await committed();
    expect(changes.map(({ path }) => path).toSorted()).toEqual([...names, 'large.bin'].toSorted());
    expect(changes.find(({ path }) => path === 'large.bin')?.bytes).toBe(30 * 1024 * 1024);
  });

  test('keeps links as links, wherever they lead', async () => {
    symlinkSync('/etc/passwd', join(worktree, 'away'));
    symlinkSync('..', join(worktree, 'up'));
    const { commit: id, changes } = await committed();
    expect(modesOf(id)).toContain('120000 away');
    expect(changes).toContainEqual({ path: 'away', mode: '120000', bytes: 11, target: '/etc/passwd' });
    expect(git(directory, 'cat-file', 'blob', `${id}:up`)).toBe('..');
  });

  test('leaves out pipes and the like, which do not block it', async () => {
    execFileSync('mkfifo', [join(worktree, 'pipe')]);
    write('a.txt', 'A\n');
    expect((await committed()).changes.map(({ path }) => path)).toEqual(['a.txt']);
  });

  test('reports another repository inside as such, and is refused with a message if git does not accept the folder', async () => {
    git(folder, 'clone', '--quiet', directory, join(worktree, 'nested'));
    expect((await committed()).changes).toEqual([{ path: 'nested', mode: '160000', bytes: null, target: null }]);
    rmSync(join(worktree, 'nested'), { recursive: true });
    git(worktree, 'init', '--quiet', 'empty');
    write('empty/file.txt', 'x\n');
    await expect(made()).rejects.toThrow(HostRefused);
  });

  test('that is refused leaves nothing in the repository', async () => {
    write('large.bin', randomBytes(200_000));
    write('a.txt', 'A\n');
    const before = readdirSync(join(directory, 'objects'), { recursive: true }).sort();
    const asked: string[] = [];
    const refused = await made((changes) => {
      asked.push(...changes.map(({ path, bytes }) => `${path} ${bytes}`));
      return 'Too large.';
    });
    expect(refused).toEqual({ kind: 'refused', message: 'Too large.' });
    expect(asked).toEqual(['a.txt 2', 'large.bin 200000']);
    expect(readdirSync(join(directory, 'objects'), { recursive: true }).sort()).toEqual(before);
    expect(git(directory, 'for-each-ref', 'refs/interlock')).toBe('');
    const { commit: id } = await committed();
    expect(git(directory, 'cat-file', '-s', `${id}:large.bin`)).toBe('200000');
    git(directory, 'fsck', '--strict', '--no-dangling');
    expect(readdirSync(join(directory, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([]);
  });

  test('is refused if the parent does not exist', async () => {
    base = '0123456789012345678901234567890123456789';
    await expect(made()).rejects.toThrow(HostRefused);
  });
});

describe('what the folder contains about itself', () => {
  const canary = (): string => join(folder, `canary-${number}`);
  const plant = (): string => `touch ${canary()}`;

  test('runs nothing by its configuration: monitors, filters, hooks, pagers, includes', async () => {
    const config = (key: string, value: string): string => git(worktree, 'config', key, value);
    config('core.fsmonitor', plant());
    config('core.hooksPath', join(worktree, 'hooks'));
    config('core.pager', plant());
    config('core.editor', plant());
    config('core.sshCommand', plant());
    config('filter.evil.clean', plant());
    config('filter.evil.process', plant());
    config('diff.external', plant());
    config('core.attributesFile', join(worktree, 'attributes'));
    config('core.worktree', '/etc');
    write('attributes', '* filter=evil\n');
    write('.gitattributes', '* filter=evil diff=evil merge=evil\n');
    for (const hook of ['pre-commit', 'post-index-change', 'reference-transaction', 'fsmonitor-watchman'])
      for (const place of ['hooks', '.git/hooks']) {
        write(`${place}/${hook}`, `#!/bin/sh\n${plant()}\n`);
        chmodSync(join(worktree, place, hook), 0o755);
      }
    write('a.txt', 'A\n');
    const { commit: id } = await committed();
    expect(git(directory, 'cat-file', 'blob', `${id}:a.txt`)).toBe('A');
    expect(existsSync(canary())).toBe(false);
    expect(modesOf(id).filter((line) => line.includes('.git/'))).toEqual([]);
  });

  test('runs nothing by the configuration of a repository inside, or by modules that name commands', async () => {
    git(folder, 'clone', '--quiet', directory, join(worktree, 'nested'));
    git(join(worktree, 'nested'), 'config', 'core.fsmonitor', plant());
    write('.gitmodules', `[submodule "x"]\n\tpath = nested\n\turl = .\n\tupdate = !${plant()}\n`);
    expect((await committed()).changes.map(({ path }) => path)).toEqual(['.gitmodules', 'nested']);
    expect(existsSync(canary())).toBe(false);
  });

  test('is not followed if `.git` leads elsewhere', async () => {
    rmSync(join(worktree, '.git'), { recursive: true });
    const other = join(folder, `other-${number}.git`);
    git(folder, 'init', '--quiet', '--bare', other);
    writeFileSync(join(worktree, '.git'), `gitdir: ${other}\n`);
    write('a.txt', 'A\n');
    const { commit: id } = await committed();
    expect(filesOf(directory, id)['a.txt']).toBe('A');
    expect(git(other, 'count-objects')).toMatch(/^0 objects/);
    expect(readFileSync(join(worktree, '.git'), 'utf8')).toContain(other);
  });

  test('does not count: its locks block nothing, and its refs and includes are not read', async () => {
    const refs = git(directory, 'for-each-ref', '--format=%(refname) %(objectname)');
    for (const lock of ['index.lock', 'HEAD.lock', 'config.lock', 'refs/heads/main.lock']) write(`.git/${lock}`, '');
    for (const ref of [
      'refs/heads/main',
      'refs/heads/interlock/runbook-9',
      'refs/interlock/landings/9',
      'refs/tags/v9',
    ])
      write(`.git/${ref}`, `${'1'.repeat(40)}\n`);
    const marker = join(folder, 'included');
    write('included', `[core]\n\tfsmonitor = touch ${marker}\n\thooksPath = ${worktree}\n`);
    write('.git/config', '[include]\n\tpath = ../included\n');
    for (const name of ['--exec=touch', '-rf', '--upload-pack=touch/-c core.fsmonitor=x']) write(name, 'x\n');
    write('line.txt', 'x'.repeat(3_000_000));
    const { changes } = await committed();
    expect(changes.map(({ path }) => path)).toEqual([
      '--exec=touch',
      '--upload-pack=touch/-c core.fsmonitor=x',
      '-rf',
      'included',
      'line.txt',
    ]);
    expect(existsSync(marker)).toBe(false);
    git(directory, 'update-ref', '-d', 'refs/interlock/runbooks/1');
    expect(git(directory, 'for-each-ref', '--format=%(refname) %(objectname)')).toBe(refs);
  });

  test('does not hide files: its index is not read', async () => {
    git(worktree, 'update-index', '--assume-unchanged', 'a.txt');
    git(worktree, 'update-index', '--skip-worktree', 'b.txt');
    git(worktree, 'config', 'core.excludesFile', '/dev/stdin');
    write('.git/info/exclude', '*\n');
    write('a.txt', 'A\n');
    write('b.txt', 'B\n');
    expect((await committed()).changes.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
  });
});
