import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitForEnd, project } from './project.ts';

const demo = `console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 3;`;

test('run.mjs builds, passes the arguments on and returns the exit code', async () => {
  const clone = await project();
  await clone.write('src/demo.ts', demo);
  const { code, stdout } = await clone.run('run.mjs', ['demo', '--port', '4001', 'a b']);
  expect(code).toBe(3);
  expect(stdout).toMatch(/^build: .+\nbuild … \d+\.\d s\n\["--port","4001","a b"\]\n$/);
});

test('with --json only the JSON is on the standard output', async () => {
  const clone = await project();
  await clone.write('src/demo.ts', demo);
  const { stdout, stderr } = await clone.run('run.mjs', ['demo', '--json']);
  expect(stdout).toBe('["--json"]\n');
  expect(stderr).toMatch(/^build: .+\nbuild … /);
});

test('run.mjs compiles only if a source was changed, added or removed', async () => {
  const clone = await project();
  await clone.write('src/demo.ts', demo);
  await clone.run('run.mjs', ['demo']);
  await clone.run('run.mjs', ['demo']);
  expect(await clone.calls()).toEqual(['tsc']);
  await clone.write('src/demo.ts', `${demo}\nconsole.log('more');`);
  await clone.write('src/verify.ts', demo);
  expect((await clone.run('run.mjs', ['demo'])).stdout).toContain('more');
  await clone.remove('src/verify.ts');
  const gone = await clone.run('run.mjs', ['verify']);
  expect(gone).toMatchObject({ code: 1, stderr: 'The build did not make dist/programs/verify.js.\n' });
  for (const place of ['src', 'programs'])
    expect(existsSync(join(clone.folder, 'dist', place, 'verify.js'))).toBe(false);
  expect(await clone.calls()).toEqual(['tsc', 'tsc', 'tsc']);
});

test('sources that do not compile are not run, neither now nor the next time', async () => {
  const clone = await project();
  await clone.write('src/demo.ts', demo);
  await clone.write('src/broken.ts', '');
  for (const attempt of [1, 2]) {
    const { code, stdout, stderr } = await clone.run('run.mjs', ['demo']);
    expect([attempt, code, stdout, stderr]).toEqual([
      attempt,
      1,
      'build: programs, pages and workflows\n',
      'The build failed: the sources have type errors.\n',
    ]);
  }
});

test('generate runs although sources do not compile yet, because they may import what it writes', async () => {
  const clone = await project();
  await clone.write('src/generate.ts', demo);
  await clone.write('src/broken.ts', '');
  expect((await clone.run('run.mjs', ['generate', '--check'])).stdout).toContain('["--check"]');
});

test('an unknown program is refused by name', async () => {
  const clone = await project();
  expect(await clone.run('run.mjs', ['toString'])).toMatchObject({
    code: 1,
    stderr:
      'Unknown program toString. Use one of start, demo, verify, doctor, import, recover, backup, restore, export, simulate, generate, bench, bench:all, bench:planner, github:emulator.\n',
  });
});

const listener = `
  let count = 0;
  process.on('SIGTERM', () => { count += 1; setImmediate(() => { console.log('signals', count); process.exit(5); }); });
  setInterval(() => undefined, 1000);
  console.log('pid', process.pid);`;

test.each([
  ['run.mjs becomes the program', []],
  ['without exec, run.mjs is the parent of the program', ['--require', './no-exec.cjs']],
])('a signal reaches the program once: %s', async (_, flags) => {
  const clone = await project();
  await clone.write('no-exec.cjs', 'process.execve = undefined;');
  await clone.write('src/main.ts', listener);
  const nodeFlags = flags.map((flag) => flag.replace('.', clone.folder));
  const child = clone.start('run.mjs', ['start'], { nodeFlags });
  const end = waitForEnd(child);
  let stdout = '';
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  while (!stdout.includes('pid')) await once(child.stdout ?? child, 'data');
  expect(stdout.includes(`pid ${child.pid}\n`)).toBe(flags.length === 0);
  child.kill('SIGTERM');
  const { code, stdout: all } = await end;
  expect([code, all.match(/signals (\d+)/)?.[1]]).toEqual([5, '1']);
});

test('under npm the program gets the id of the process to watch', async () => {
  const clone = await project();
  await clone.write('src/main.ts', `console.log(process.env.INTERLOCK_PARENT === String(process.ppid))`);
  expect((await clone.run('run.mjs', ['start'], { env: { npm_lifecycle_event: 'start' } })).stdout).toContain('true');
  expect((await clone.run('run.mjs', ['start'])).stdout).toContain('false');
});
