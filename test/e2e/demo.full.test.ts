// `npm run demo`, interrupted with Ctrl-C, and run on the emulator of GitHub.
import { readdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { dataDirectory, processesNaming, removeDirectory, runProgram, stopInterlock, until } from './interlock.ts';

test('an interrupted demo reports no outcome, and leaves no processes and no files', async () => {
  const folder = await dataDirectory();
  onTestFinished(async () => await removeDirectory(folder));
  const demo = runProgram('demo', [], { TMPDIR: folder });
  await until(async () => / s {2}queued {4}#1 /.test(demo.said()));
  const stoppedAt = performance.now();
  const { code, said, stderr } = await stopInterlock(demo);
  // A demo that waits for idle keep-alive connections takes 72 s to stop.
  expect(performance.now() - stoppedAt).toBeLessThan(45_000);
  expect({ code, stderr }, said).toEqual({ code: 130, stderr: '' });
  expect(await processesNaming(folder)).toEqual([]);
  expect((await readdir(folder)).filter((name) => name.startsWith('interlock-demo-'))).toEqual([]);
});

test.each([
  ['closed', []],
  ['merged', ['--show-as-merged']],
] as const)(
  'the demo on GitHub has the outcome of the demo on the local host, and GitHub shows landed pull requests as %s',
  async (_shown, args) => {
    const { code, said } = await runProgram('demo', ['--host', 'github', ...args]).ended;
    expect(code, said).toBe(0);
    expect(said).toMatch(/^Look at http:\S+\/demo\/tea-shop$/m);
    expect(said.match(/ s {2}queued {4}#\d+ /g)).toHaveLength(12);
    expect(said).toContain('10 merged, 2 blocked');
    for (const line of [
      'forced    1.1-rc1 to production',
      'opened    #19 with steps 1.1, 1.2',
      'passed    4 steps passed.',
    ])
      expect(said).toContain(` s  ${line}`);
    expect(said).toContain('every proof was derived again from git and the records');
  },
);
