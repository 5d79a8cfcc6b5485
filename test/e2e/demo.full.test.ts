// `npm run demo` is broken off.
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
