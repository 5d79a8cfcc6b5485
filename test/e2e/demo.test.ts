// `npm run demo` checks its own outcome; its exit code is what this test believes.
import { readdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { dataDirectory, processesNaming, removeDirectory, runProgram, stopInterlock, until } from './interlock.ts';

test('the demo shows batches, the bisection and its landings, and comes out as it should', async () => {
  const { code, said, stderr } = await runProgram('demo', []).ended;
  expect({ code, stderr }, said).toEqual({ code: 0, stderr: '' });
  expect(said.match(/ s {2}queued {4}#\d+ /g)).toHaveLength(12);
  for (const word of ['batch', 'bisected', 'landed', 'blocked']) expect(said).toMatch(new RegExp(` s  ${word} +#\\d`));
  expect(said).toMatch(/landed .* tree verified \((exact|same_tree)\)$/m);
  expect(said).toContain('10 merged, 2 blocked');
  expect(said).toMatch(/the check run again at each: \d+ green, 0 red$/m);
  expect(said).toContain('The demo came out as it should.');
});

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
