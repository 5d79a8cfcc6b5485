// `npm run demo` is broken off, and is played at the emulator of GitHub.
import { readdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { dataDirectory, processesNaming, removeDirectory, runProgram, stopInterlock, until } from './interlock.ts';

test('a demo that is broken off says nothing of its outcome and leaves nothing running', async () => {
  const place = await dataDirectory();
  onTestFinished(async () => await removeDirectory(place));
  const demo = runProgram('demo', [], { TMPDIR: place });
  await until(async () => / s {2}queued {4}#1 /.test(demo.said()));
  const stoppedAt = performance.now();
  const { code, said, stderr } = await stopInterlock(demo);
  // Connections kept alive for requests that will not come once held it for 72 s.
  expect(performance.now() - stoppedAt).toBeLessThan(45_000);
  expect({ code, stderr }, said).toEqual({ code: 130, stderr: '' });
  expect(await processesNaming(place)).toEqual([]);
  expect((await readdir(place)).filter((name) => name.startsWith('interlock-demo-'))).toEqual([]);
});

test.each([
  ['closed', []],
  ['merged', ['--show-as-merged']],
] as const)(
  'the demo at GitHub comes out as on the local host, and GitHub shows what landed as %s',
  async (_shown, args) => {
    const { code, said } = await runProgram('demo', ['--host', 'github', ...args]).ended;
    expect(code, said).toBe(0);
    expect(said).toMatch(/^Look at http:\S+\/demo\/tea-shop$/m);
    expect(said.match(/ s {2}queued {4}#\d+ /g)).toHaveLength(12);
    expect(said).toContain('10 merged, 2 blocked');
    for (const told of [
      'forced    1.1-rc1 to production',
      'opened    #19 with steps 1.1, 1.2',
      'passed    4 steps passed.',
    ])
      expect(said).toContain(` s  ${told}`);
    expect(said).toContain('every proof was derived again from git and the records');
  },
);
