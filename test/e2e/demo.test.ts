// `npm run demo` checks its own outcome, and says by its exit code whether the outcome is right.
import { expect, test } from 'vitest';
import { runProgram, stopInterlock, until } from './interlock.ts';

test('the demo prints its batches, a bisection, landings and releases, has the right outcome, and with --stay keeps running', {
  timeout: 900_000,
}, async () => {
  const demo = runProgram('demo', ['--stay']);
  const isOver = (): boolean => demo.child.exitCode !== null || / {3}stays up until Ctrl-C$/m.test(demo.said());
  await until(async () => await Promise.resolve(isOver()), { withinMs: 880_000 });
  const { code, said, stderr } = await stopInterlock(demo);
  expect({ code, stderr }, said).toEqual({ code: 0, stderr: '' });
  expect(said.match(/ s {2}queued {4}#\d+ /g)).toHaveLength(12);
  for (const word of ['batch', 'bisected', 'landed', 'blocked']) expect(said).toMatch(new RegExp(` s  ${word} +#\\d`));
  expect(said).toMatch(/landed .* tree verified \((exact|same_tree)\)$/m);
  expect(said).toContain('10 merged, 2 blocked');
  expect(said).toMatch(/the check run again at each: \d+ green, 0 red$/m);
  expect(said.match(/ s {2}candidate 1\.\d-rc1 at [0-9a-f]{8}: built, ready$/gm)).toHaveLength(3);
  for (const sentence of [
    'deployed  1.1-rc1 to production',
    'failed    1.2-rc1 to staging: Exited with code 1',
    'went back staging to 1.1-rc1',
    'went back production to 1.0-rc1',
    'frozen    production, for tea time: 1.1-rc1 is refused',
    'forced    1.1-rc1 to production',
  ])
    expect(said).toContain(` s  ${sentence}`);
  expect(said).toMatch(/ s {2}runs {6}#\d+ .*: in staging since [\d:]+, in production since [\d:]+$/m);
  expect(said).toContain('every proof was derived again from git and the records');
  expect(said).toMatch(/The demo has the expected outcome\.\n\nhttp:\S+ {3}stays up until Ctrl-C\n$/);
});
