// `npm run demo` checks its own outcome; its exit code is what this test believes.
import { expect, test } from 'vitest';
import { runProgram } from './interlock.ts';

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
