// Whether a landing began while its base branch was paused. Instants of two processes may differ by five seconds.
import { expect, it } from 'vitest';
import { isBegunWhilePaused, type StartedLanding } from '../../../src/domain/health/invariants.ts';

/** A rule for main, in force from one second to another. The landing began at second 0. */
function rule(
  paused: boolean,
  since: number,
  until: number | null,
  pattern = 'main',
): StartedLanding['pauses'][number] {
  const at = (seconds: number): Date => new Date(seconds * 1_000);
  return { pattern, paused, since: at(since), until: until === null ? null : at(until) };
}

it.each<[string, boolean, StartedLanding['pauses']]>([
  ['during a pause', true, [rule(true, -60, null)]],
  ['during a pause that has ended since', true, [rule(true, -60, 60)]],
  ['after a pause', false, [rule(false, -10, null), rule(true, -60, -10)]],
  ['before a pause', false, [rule(true, 10, null)]],
  ['in the instant in which a pause begins', false, [rule(true, -3, null)]],
  ['in the instant in which a pause ends', false, [rule(true, -60, 3)]],
  ['while another pause replaces a pause', true, [rule(true, 2, null), rule(true, -60, 2)]],
  ['in a moment between two pauses', false, [rule(true, 2, null), rule(false, -2, 2), rule(true, -60, -2)]],
  ['under a rule that a wider pause does not override', false, [rule(true, -60, null, 'ma*'), rule(false, -90, null)]],
  ['under a wider pause before its branch got a rule', true, [rule(false, 60, null), rule(true, -60, null, 'ma*')]],
  ['during a pause of another branch', false, [rule(true, -60, null, 'release')]],
])('a landing that began %s: %s', (_when, isPaused, pauses) => {
  expect(isBegunWhilePaused({ baseBranch: 'main', startedAt: new Date(0), pauses })).toBe(isPaused);
});
