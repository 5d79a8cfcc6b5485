// What an agent can do with its worktree, and what is refused.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createTwoFilesPatch } from 'diff';
import { fc } from '../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { atMost } from '../../src/platform/at-most.ts';
import { bench } from './workspace.ts';
import { cpuMsSince } from '../support/cpu.ts';
import { examples } from '../support/tier.ts';

describe('the tools', () => {
  test('are only those that read while planning, and all for work, each with a JSON Schema of its arguments', async () => {
    await using planning = await bench({}, { mode: 'plan' });
    await using working = await bench();
    const names = (of: typeof working): string[] => of.tools.tools.map(({ name }) => name);
    expect(names(planning)).toEqual(['read_file', 'list_files', 'search_files']);
    expect(names(working)).toEqual([
      'read_file',
      'list_files',
      'search_files',
      'write_file',
      'edit_file',
      'apply_patch',
      'delete_file',
      'move_file',
      'run_command',
    ]);
    const ajv = new Ajv2020({ strict: false });
    const read = working.tools.tools[0]!;
    expect(ajv.validate(read.parameters, { path: 'a' })).toBe(true);
    expect(ajv.validate(read.parameters, { path: 'a', encoding: 'utf8' })).toBe(false);
    for (const tool of working.tools.tools) expect(ajv.validateSchema(tool.parameters), tool.name).toBe(true);
    expect(await planning.call('run_command', { command: 'touch x' })).toEqual({
      outcome: 'refused',
      text: 'There is no tool "run_command" here; there are read_file, list_files, search_files.',
    });
  });

  test('refuse wrong arguments, and the message names the argument and what it takes', async () => {
    await using b = await bench();
    expect(await b.call('read_file', {})).toEqual({
      outcome: 'refused',
      text: 'read_file: path: Invalid input: expected string, received undefined',
    });
    expect((await b.call('read_file', { path: 'a', from_line: 0 })).text).toContain('from_line: Too small');
    expect((await b.call('write_file', { path: 'a', content: 'a', mode: 7 })).text).toContain('"mode"');
    for (const args of [null, undefined, 'path', [], 7, { path: { toString: 1 } }])
      expect((await b.call('write_file', args)).outcome).toBe('refused');
  });

  test('may be called a limited number of times in a step', async () => {
    await using b = await bench({ a: 'a' }, { limits: { calls: 2 } });
    await b.call('read_file', { path: 'a' });
    await b.call('read_file', { path: 'a' });
    expect(await b.call('read_file', { path: 'a' })).toEqual({
      outcome: 'refused',
      text: 'A step has 2 calls at most, and they are used up.',
    });
  });

  test('do nothing more after the step was stopped', async () => {
    const stop = new AbortController();
    await using b = await bench({}, { signal: stop.signal });
    const sleeping = b.call('run_command', { command: 'echo started; sleep 60; touch late' });
    await expect.poll(() => b.output()).toContain('started');
    stop.abort(new Error('not wanted any more'));
    await expect(sleeping).rejects.toThrow('not wanted any more');
    await expect(b.call('write_file', { path: 'late', content: '' })).rejects.toThrow('not wanted any more');
    expect(readdirSync(b.folders.checkout)).toEqual([]);
  });
});

describe('reading', () => {
  test('a file is read as a whole or by lines, and the answer says what was cut', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    await using b = await bench(
      { 'src/a.txt': `${lines.join('\n')}\n`, 'empty.txt': '' },
      { limits: { answerLength: 50 } },
    );
    expect((await b.call('read_file', { path: 'empty.txt' })).text).toBe('');
    expect((await b.call('read_file', { path: 'src/a.txt' })).text).toBe(
      `${lines.slice(0, 7).join('\n')}\n[lines 1 to 7 of 100]`,
    );
    expect((await b.call('read_file', { path: 'src/a.txt', from_line: 99 })).text).toBe(
      'line 99\nline 100\n[lines 99 to 100 of 100]',
    );
    expect((await b.call('read_file', { path: 'src/a.txt', from_line: 3, lines: 1 })).text).toBe(
      'line 3\n[lines 3 to 3 of 100]',
    );
    expect(await b.call('read_file', { path: 'src/a.txt', from_line: 101 })).toEqual({
      outcome: 'failed',
      text: 'src/a.txt has 100 lines.',
    });
    b.put('long.txt', 'x'.repeat(80));
    expect((await b.call('read_file', { path: 'long.txt' })).text).toBe(`${'x'.repeat(50)}\n[cut: line 1 is longer]`);
  });

  test('a binary file, a missing file, a folder and a file that is too large are refused with a message', async () => {
    await using b = await bench(
      { 'src/a': 'a', big: 'x'.repeat(101), 'zero.bin': 'a\0b' },
      { limits: { readBytes: 100 } },
    );
    expect((await b.call('read_file', { path: 'zero.bin' })).text).toBe('zero.bin is binary (3 bytes).');
    expect((await b.call('read_file', { path: 'none' })).text).toBe('There is no none.');
    expect((await b.call('read_file', { path: 'none/none' })).text).toBe('There is no none.');
    expect((await b.call('read_file', { path: 'src' })).text).toBe('src is a folder.');
    expect((await b.call('read_file', { path: 'src/a/b' })).text).toContain('not a folder');
    expect((await b.call('read_file', { path: 'big' })).text).toBe('big has 101 bytes, and 100 at most are read.');
    await b.call('run_command', { command: 'mkfifo pipe' });
    expect((await b.call('read_file', { path: 'pipe' })).text).toBe('pipe is no plain file.');
  });

  test('files are listed in order, by folder and glob, without the files of git', async () => {
    await using b = await bench({
      'b.ts': '',
      'a/z.ts': '',
      'a/b/c.md': '',
      '.git/config': 'secret',
      'a/.GIT/x': '',
      '.github/x': '',
    });
    symlinkSync('b.ts', join(b.folders.checkout, 'link'));
    expect((await b.call('list_files', {})).text.split('\n')).toEqual([
      '.github/x',
      'a/b/c.md',
      'a/z.ts',
      'b.ts',
      'link@',
    ]);
    expect((await b.call('list_files', { folder: 'a' })).text.split('\n')).toEqual(['a/b/c.md', 'a/z.ts']);
    expect((await b.call('list_files', { glob: '*.ts' })).text.split('\n')).toEqual(['a/z.ts', 'b.ts']);
    expect((await b.call('list_files', { glob: '*.py' })).text).toBe('There are no such files.');
    expect((await b.call('list_files', { folder: 'none' })).outcome).toBe('failed');
    expect((await b.call('list_files', { folder: 'link' })).outcome).toBe('refused');
  });

  test('lines are found by a text or a regular expression', async () => {
    await using b = await bench({ 'a.ts': 'one\nTwo 22\n', 'b/c.md': 'two\n', '.git/x': 'two\n', bin: 'two\0' });
    expect((await b.call('search_files', { text: 'Two' })).text).toBe('a.ts:2: Two 22');
    expect((await b.call('search_files', { text: 'two', ignore_case: true })).text).toBe(
      'a.ts:2: Two 22\nb/c.md:1: two',
    );
    expect((await b.call('search_files', { text: '^[Tt]wo \\d+$', regex: true })).text).toBe('a.ts:2: Two 22');
    expect((await b.call('search_files', { text: 'two', folder: 'b' })).text).toBe('b/c.md:1: two');
    expect((await b.call('search_files', { text: 'nowhere' })).text).toBe('No line contains the text.');
    expect((await b.call('search_files', { text: '(', regex: true })).text).toContain('must be a regular expression');
  });

  test('a regular expression that would never end in a backtracking engine takes no time', async () => {
    await using b = await bench({ a: `${'a'.repeat(20_000)}!` });
    expect((await b.call('search_files', { text: '^(a+)+$', regex: true })).text).toBe('No line contains the text.');
  });

  test('an expensive regular expression takes little time for a long line, and other work goes on meanwhile', async () => {
    const expensive = { text: '[ab]{1,1000}[cd]', regex: true };
    await using b = await bench({ a: 'ab'.repeat(50_000) });
    const before = process.cpuUsage();
    expect((await b.call('search_files', expensive)).text).toBe('No line contains the text.');
    expect(cpuMsSince(before)).toBeLessThan(3_000);

    const manyLines = { a: `${'ab'.repeat(2_000)}\n`.repeat(20) };
    await using many = await bench(manyLines);
    const searching = many.call('search_files', expensive);
    expect(await Promise.race([searching, otherWork('other work')])).toBe('other work');
    expect((await searching).text).toBe('No line contains the text.');
    await using late = await bench(manyLines, { limits: { searchMs: 0 } });
    expect((await late.call('search_files', expensive)).text).toBe(
      'No line contains the text so far. [only the first 1 entries were visited: name a folder]',
    );
  });
});

describe('writing', () => {
  test('a file is written with its folders, keeps its mode, and is replaced as a whole', async () => {
    await using b = await bench({ 'run.sh': 'old' });
    execFileSync('chmod', ['755', join(b.folders.checkout, 'run.sh')]);
    expect(await b.call('write_file', { path: 'a/b/c.txt', content: 'grün\n' })).toEqual({
      outcome: 'done',
      text: 'a/b/c.txt was made (6 bytes).',
    });
    expect(b.text('a/b/c.txt')).toBe('grün\n');
    expect((await b.call('write_file', { path: 'run.sh', content: 'new' })).text).toContain('replaced');
    const modeOf = (path: string): number => statSync(join(b.folders.checkout, path)).mode & 0o777;
    expect(modeOf('run.sh')).toBe(0o755);
    expect(modeOf('a/b/c.txt')).toBe(0o644);
    await b.call('write_file', { path: 'run.sh', content: 'new', executable: false });
    expect(modeOf('run.sh')).toBe(0o644);
    expect(readdirSync(b.folders.checkout).sort()).toEqual(['a', 'run.sh']);
  });

  test('a piece of text is replaced literally, once or everywhere', async () => {
    await using b = await bench({ a: 'x = 1\nx = 1\ny = $& 2\n' });
    const edit = async (args: object): Promise<string> => (await b.call('edit_file', { path: 'a', ...args })).text;
    expect(await edit({ old: 'z', new: '' })).toContain('does not contain this text');
    expect(await edit({ old: 'x = 1', new: '' })).toContain('contains the text 2 times');
    expect(await edit({ old: 'x = 1', new: '$&$1', all: true })).toBe('a: replaced 2 times.');
    expect(await edit({ old: '$& 2', new: 'three' })).toBe('a: replaced once.');
    expect(b.text('a')).toBe('$&$1\n$&$1\ny = three\n');
  });

  test('a patch changes, makes, moves and deletes files: all of them, or none', async () => {
    const files = { 'a.txt': '1\n2\n3\n', 'gone.txt': 'gone\n', 'old.txt': 'same\n' };
    await using b = await bench(files);
    const patch = [
      'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n',
      'diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n',
      'diff --git a/new/x.sh b/new/x.sh\nnew file mode 100755\n--- /dev/null\n+++ b/new/x.sh\n@@ -0,0 +1 @@\n+echo\n',
      'diff --git a/old.txt b/moved.txt\nsimilarity index 100%\nrename from old.txt\nrename to moved.txt\n',
    ];
    const bad = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-zwei\n+two\n 3\n';
    const refused = await b.call('apply_patch', { patch: [...patch.slice(1), bad].join('') });
    expect(refused).toMatchObject({ outcome: 'failed' });
    expect(refused.text).toContain('does not fit a.txt');
    for (const [path, text] of Object.entries(files)) expect(b.text(path)).toBe(text);
    expect(await b.call('apply_patch', { patch: patch.join('') })).toEqual({
      outcome: 'done',
      text: 'a.txt was patched.\ngone.txt was deleted.\nnew/x.sh was patched.\nold.txt was deleted.\nmoved.txt was patched.',
    });
    expect(b.text('a.txt')).toBe('1\ntwo\n3\n');
    expect(b.text('moved.txt')).toBe('same\n');
    expect(statSync(join(b.folders.checkout, 'new/x.sh')).mode & 0o777).toBe(0o755);
    expect(readdirSync(b.folders.checkout).sort()).toEqual(['a.txt', 'moved.txt', 'new']);
  });

  test('a diff of two texts, applied to the first, gives the second', async () => {
    await using b = await bench();
    const text = fc
      .array(fc.constantFrom('a', 'b', '', 'c\t', '--- x', '+++ y', '@@ -1 +1 @@', '\\'), {
        minLength: 1,
        maxLength: 12,
      })
      .map((lines) => `${lines.join('\n')}\n`);
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(before !== after);
        b.put('a.txt', before);
        const patch = createTwoFilesPatch('a/a.txt', 'b/a.txt', before, after);
        expect(await b.call('apply_patch', { patch })).toMatchObject({ outcome: 'done' });
        expect(b.text('a.txt')).toBe(after);
      }),
      { numRuns: 150 },
    );
  });

  test('a text that is not a patch is refused, and the message says what a patch is', async () => {
    await using b = await bench({ a: '1\n' });
    const patch = async (text: string): Promise<string> => (await b.call('apply_patch', { patch: text })).text;
    expect(await patch('please change a')).toContain('no unified diff');
    expect(await patch('--- a\n+++ a\n@@ nonsense\n')).toContain('no unified diff');
    expect(await patch('--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+2\n')).toContain('something at a already');
    expect(await patch('--- a/none\n+++ b/none\n@@ -1 +1 @@\n-1\n+2\n')).toBe('There is no none.');
    const link = 'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n';
    expect(await patch(link)).toContain('no links');
  });

  test('a patch that claims a line far behind the end of its file is refused, and other work goes on meanwhile', async () => {
    await using b = await bench({ a: '1\n' }, { limits: { patchMs: 500 } });
    const patching = b.call('apply_patch', { patch: '--- a/a\n+++ b/a\n@@ -9007199254740991 +1 @@\n-1\n+2\n' });
    expect(await Promise.race([patching, otherWork('other work')])).toBe('other work');
    expect(await patching).toEqual({
      outcome: 'refused',
      text: 'The patch was not applied within 0.5 s: give the right line numbers, and fewer changes in one patch.',
    });
    expect(b.text('a')).toBe('1\n');
  });

  test('a patch whose many changes are all far from where they claim to be is refused', async () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => String(index + 1));
    await using b = await bench({ a: `${lines.join('\n')}\n` }, { limits: { patchMs: 500 } });
    const changes = lines
      .slice(0, 10_000)
      .map((line, index) => `@@ -${index % 2 === 0 ? 100_000 : 1} +1 @@\n-${line}\n+x\n`);
    const patch = `--- a/a\n+++ b/a\n${changes.join('')}`;
    expect(await b.call('apply_patch', { patch })).toMatchObject({ outcome: 'refused' });
  });

  test('a file can be deleted or moved, and a move never replaces a file', async () => {
    await using b = await bench({ a: 'a', b: 'b', 'c/d': 'd' });
    symlinkSync('/etc/passwd', join(b.folders.checkout, 'link'));
    expect((await b.call('move_file', { from: 'a', to: 'b' })).text).toBe('There is something at b already.');
    expect((await b.call('move_file', { from: 'a', to: 'x/y/a' })).text).toBe('a was moved to x/y/a.');
    expect((await b.call('move_file', { from: 'link', to: 'y' })).outcome).toBe('refused');
    expect((await b.call('delete_file', { path: 'c' })).text).toContain('is a folder');
    expect((await b.call('delete_file', { path: 'c/d' })).outcome).toBe('done');
    expect((await b.call('delete_file', { path: 'link' })).outcome).toBe('done');
    expect((await b.call('delete_file', { path: 'a' })).text).toBe('There is no a.');
    expect(readdirSync(b.folders.checkout).sort()).toEqual(['b', 'c', 'x']);
  });

  test('a step may write only a limited number of files and bytes', async () => {
    const policy = { workflowFiles: false, files: 2, bytesPerFile: 10, bytes: 15 };
    await using b = await bench({}, { policy });
    const write = async (path: string, content: string): Promise<string> =>
      (await b.call('write_file', { path, content })).outcome;
    expect(await write('a', 'x'.repeat(11))).toBe('refused');
    expect(await write('a', 'x'.repeat(10))).toBe('done');
    expect(await write('b', 'x'.repeat(6))).toBe('refused');
    expect(await write('a', 'x')).toBe('done');
    expect(await write('b', 'x'.repeat(6))).toBe('done');
    expect(await write('c', '')).toBe('refused');
  });
});

// A folder and a link to another folder change places, over and over. Each of them stays for a random while, so that a
// read meets either of them, or the moment between them. In that moment a write makes a new folder, which is removed. It
// may write again while the folder is removed, so this is repeated.
const swapper = `
  const fs = require('node:fs');
  const stay = () => { const end = performance.now() + Math.random() * 0.3; while (performance.now() < end); };
  fs.symlinkSync(process.argv[1], 'l');
  const until = Date.now() + 150_000;
  while (Date.now() < until) {
    fs.renameSync('b', 'x');
    try { fs.renameSync('l', 'b'); stay(); fs.renameSync('b', 'l'); } catch {}
    while (fs.existsSync('x'))
      try { fs.renameSync('x', 'b'); } catch { try { fs.rmSync('b', { recursive: true, force: true }); } catch {} }
    stay();
  }`;

describe('paths that tools refuse', () => {
  const outward = [
    '../outside.txt',
    'a/../../outside.txt',
    '/etc/passwd',
    '~/.ssh/id_rsa',
    'C:/x',
    'a\\..\\b',
    'a/./b',
    'a//b',
    'a/',
    '.',
    '..',
    '',
    'a\0b',
    'a\nb',
    '\uD800',
    '.git/config',
    '.GIT/hooks/pre-commit',
    'sub/.Git/config',
    '.g\u200Cit/config',
    '.git::$INDEX_ALLOCATION/config',
    'git~1/config',
    '.git./config',
    '.git /config',
    '.ｇｉｔ/config',
    'x'.repeat(300),
    'x/'.repeat(600),
    'folder-link/inside.txt',
    'up/outside.txt',
    'file-link',
    'dangling',
    'hard',
  ];
  test.each(outward.map((path) => [path]))('no tool reads or writes %j', async (path) => {
    await using b = await bench({ 'real/inside.txt': 'in', 'a/x': 'x' });
    writeFileSync(join(b.outside, 'outside.txt'), 'canary');
    symlinkSync('real', join(b.folders.checkout, 'folder-link'));
    symlinkSync('../..', join(b.folders.checkout, 'up'));
    symlinkSync(join(b.outside, 'outside.txt'), join(b.folders.checkout, 'file-link'));
    symlinkSync(join(b.outside, 'made.txt'), join(b.folders.checkout, 'dangling'));
    linkSync(join(b.outside, 'outside.txt'), join(b.folders.checkout, 'hard'));
    const patch = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
    const calls: [string, object][] = [
      ['read_file', { path }],
      ['write_file', { path, content: 'x' }],
      ['edit_file', { path, old: 'canary', new: 'x' }],
      ['apply_patch', { patch }],
      ['move_file', { from: path, to: 'b' }],
      ['move_file', { from: 'a/x', to: path }],
    ];
    for (const [name, args] of calls) {
      const answer = await b.call(name, args);
      expect(answer.outcome, `${name}: ${answer.text}`).not.toBe('done');
      expect(answer.text).not.toContain('canary');
      expect(answer.text).not.toContain(b.outside);
    }
    expect(readdirSync(b.outside).sort()).toEqual(['outside.txt', 'run']);
    expect(b.text('hard')).toBe('canary');
  });

  test('no file is read or written through a folder that is swapped for a link all the time', async () => {
    await using b = await bench({ 'a/b/file.txt': 'inside' });
    for (const name of ['file.txt', 'other.txt']) writeFileSync(join(b.outside, name), 'canary');
    const swapping = spawn(process.execPath, ['-e', swapper, b.outside], { cwd: join(b.folders.checkout, 'a') });
    const ended = once(swapping, 'exit');
    const seen = { inside: 0, refused: 0 };
    while (swapping.exitCode === null && (seen.inside < 20 || seen.refused < 20)) {
      const read = await b.call('read_file', { path: 'a/b/file.txt' });
      expect(read.text).not.toContain('canary');
      if (read.text === 'inside') seen.inside += 1;
      if (read.outcome === 'refused') seen.refused += 1;
      await b.call('write_file', { path: 'a/b/file.txt', content: 'inside' });
      await b.call('delete_file', { path: 'a/b/other.txt' });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(swapping.exitCode).toBeNull();
    swapping.kill('SIGKILL');
    await ended;
    expect(seen.inside).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
    expect(readdirSync(b.outside).sort()).toEqual(['file.txt', 'other.txt', 'run']);
    for (const name of ['file.txt', 'other.txt']) expect(readFileSync(join(b.outside, name), 'utf8')).toBe('canary');
  });

  test.each([
    '.github/workflows/ci.yml',
    '.GitHub/Workflows/ci.yml',
    '.service/config.yml',
    'CODEOWNERS',
    '.github/CODEOWNERS',
    '.gitlab-ci.yml',
    'Jenkinsfile',
    '.gitattributes',
    'sub/.gitmodules',
  ])('%s is written only if workflow files are allowed', async (path) => {
    await using b = await bench();
    const refused = await b.call('write_file', { path, content: 'x' });
    expect(refused.outcome).toBe('refused');
    expect(refused.text).toContain('updateRunbookDefaults');
    expect(readdirSync(b.folders.checkout)).toEqual([]);
    await using allowed = await bench({}, { policy: { workflowFiles: true, files: 9, bytesPerFile: 9, bytes: 9 } });
    expect((await allowed.call('write_file', { path, content: 'x' })).outcome).toBe('done');
  });
});

describe('commands', () => {
  test('a command runs in the worktree, and the answer has its exit code, its last line and its output', async () => {
    await using b = await bench({ 'a.txt': 'hello\n' });
    const done = await b.call('run_command', { command: 'cat a.txt; echo oops >&2; echo made > made.txt' });
    expect(done).toMatchObject({ outcome: 'done' });
    expect(done.text).toMatch(/^Succeeded after [\d.]+ s\n\nhello\noops\n$/);
    expect(b.text('made.txt')).toBe('made\n');
    expect(b.output()).toBe('hello\noops\n');
    const failed = await b.call('run_command', { command: 'echo first; echo last; exit 7' });
    expect(failed).toMatchObject({ outcome: 'failed' });
    expect(failed.text).toMatch(/^Exited with code 7 after [\d.]+ s: last\n\nfirst\nlast\n$/);
    await b.call('write_file', { path: 'made.txt', content: 'again\n' });
    expect((await b.call('run_command', { command: 'echo more >> made.txt; cat made.txt' })).text).toContain(
      'again\nmore\n',
    );
  });

  test('a command is stopped at its time limit, its output is cut, and its processes end', async () => {
    await using b = await bench({}, { limits: { answerLength: 100, followedLength: 1_000 } });
    const stopped = await b.call('run_command', { command: 'sleep 60', timeout_sec: 1 });
    expect(stopped).toEqual({ outcome: 'failed', text: 'Stopped after its time limit of 1 s.' });
    const loud = await b.call('run_command', { command: 'seq 1 10000; (sleep 2; touch late) &' });
    expect(loud.text).toContain('1\n2\n3\n');
    expect(loud.text).toContain('characters left out');
    expect(loud.text).toContain('10000\n');
    expect(loud.text.length).toBeLessThan(200);
    expect(b.output().length).toBeLessThan(1_100);
    expect(b.output()).toContain('[what follows is not shown]');
  });

  test('commands that write without end are stopped; files that were there before are not counted', async () => {
    const limits = { grownBytes: 5_000_000, grownFiles: 300, fileBytes: 2_000_000, outputBytes: 1_000_000 };
    await using b = await bench({ 'there.bin': 'x'.repeat(10_000_000) }, { limits });
    const forEver = 'i=0; while :; do i=$((i+1));';
    for (const [command, message] of [
      ['cat /dev/zero > file', 'one of its files reached 2 MB, the limit for a file'],
      ['yes', 'it wrote more than 1 MB of output'],
      [`${forEver} head -c 100000 /dev/zero > "f$i"; done`, 'its files take more than 15 MB together'],
      [`${forEver} : > "e$i"; done`, 'it has more than'],
    ] as const) {
      const { outcome, text } = await b.call('run_command', { command });
      expect([outcome, text]).toEqual(['failed', expect.stringMatching(/^Stopped after \d+\.\d s: /)]);
      expect(text).toContain(message);
      // The worktree may now be larger than the limit. Commands that add nothing are still allowed, because they may
      // clean up.
      for (const nothing of ['ls > /dev/null', 'rm -f file; find . -name "[ef][0-9]*" -delete'])
        expect(await b.call('run_command', { command: nothing })).toMatchObject({ outcome: 'done' });
    }
    const { text } = await b.call('run_command', { command: 'ls' });
    expect(text).toContain('there.bin');
    expect(b.output().length).toBeLessThan(1_100_000);
  });

  test('without a sandbox no command runs, and the message says what to install', async () => {
    await using b = await bench({}, { sandbox: null });
    expect(await b.call('run_command', { command: 'touch x' })).toEqual({
      outcome: 'refused',
      text: 'No command was run, because this worker has no sandbox. The operator can install bubblewrap (apt-get install bubblewrap), or allow user namespaces. Files can be read and written without a sandbox.',
    });
  });
});

const folders = examples({ standard: 40, full: 200 });

test(`a worktree of ${folders * 100} files is listed, searched and changed quickly`, async () => {
  await using b = await bench();
  const content = 'export const value = 1;\n'.repeat(60);
  for (let folder = 0; folder < folders; folder += 1) {
    mkdirSync(join(b.folders.checkout, `src/module-${folder}`), { recursive: true });
    for (let file = 0; file < 100; file += 1)
      writeFileSync(join(b.folders.checkout, `src/module-${folder}/file-${file}.ts`), content);
  }
  b.put('src/module-39/file-99.ts', `${content}needle\n`);
  const timed = async (name: string, args: object): Promise<string> => {
    const before = process.cpuUsage();
    const { text } = await b.call(name, args);
    expect(cpuMsSince(before)).toBeLessThan(folders * 50);
    return text;
  };
  expect(await timed('list_files', { glob: '*/file-99.ts' })).toContain('src/module-7/file-99.ts');
  expect(await timed('list_files', {})).toContain('more: name a folder or a glob');
  expect(await timed('search_files', { text: 'needle' })).toBe('src/module-39/file-99.ts:61: needle');
  expect(await timed('search_files', { text: '^need+le$', regex: true })).toContain(':61: needle');
  expect(await timed('edit_file', { path: 'src/module-39/file-99.ts', old: 'needle', new: 'pin' })).toContain('once');
  expect(await timed('run_command', { command: 'grep -rl pin src | wc -l' })).toContain('\n1\n');
});

test('of three commands of agents, two run at once and the third waits for room; one that is aborted meanwhile never runs', async () => {
  const inTurn = atMost(2);
  const stop = new AbortController();
  await using first = await bench({}, { inTurn });
  await using second = await bench({}, { inTurn });
  await using third = await bench({}, { inTurn });
  await using aborted = await bench({}, { inTurn, signal: stop.signal });
  const command = 'echo started; while ! test -e open; do sleep 0.05; done';
  const running = [first, second].map(async (b) => await b.call('run_command', { command }));
  await expect.poll(() => [first.output(), second.output()]).toEqual(['started\n', 'started\n']);
  // The time limit does not count the wait.
  const last = third.call('run_command', { command, timeout_sec: 30 });
  const never = aborted.call('run_command', { command });
  const waits = '[interlock] The command waits until this worker has room for it.\n';
  await expect.poll(() => [third.output(), aborted.output()]).toEqual([waits, waits]);
  stop.abort(new Error('The runbook was canceled.'));
  await expect(never).rejects.toThrow('The runbook was canceled.');
  expect(third.output()).toBe(waits);
  for (const b of [first, second, third]) b.put('open', '');
  for (const { outcome } of await Promise.all([...running, last])) expect(outcome).toBe('done');
  expect([third.output(), aborted.output()]).toEqual([`${waits}started\n`, waits]);
});
