// The state of a line as a label and a sentence, for badges and wall screens.
import { describe, expect, it } from 'vitest';
import { describeLine, type LineFacts } from '../../../src/domain/queue/explain/line-summary.ts';

describe('the summary of a line', () => {
  const calm: LineFacts = {
    baseBranch: 'main',
    queued: 0,
    building: 0,
    haltedReason: null,
    isPaused: false,
    pauseMessage: null,
    frozen: null,
  };
  it.each([
    [{}, 'green', 'none in line', 'No pull request is in line.'],
    [{ queued: 1 }, 'blue', '1 in line', '1 pull request is in line. No build runs yet.'],
    [{ queued: 4, building: 2 }, 'blue', '4 in line, 2 building', '4 pull requests are in line. 2 builds run.'],
    [{ queued: 1, building: 1 }, 'blue', '1 in line, 1 building', '1 pull request is in line. 1 build runs.'],
    [
      { haltedReason: 'Wait!', queued: 1 },
      'red',
      'halted, 1 in line',
      'main is halted: Wait! 1 pull request is in line.',
    ],
    [{ isPaused: true }, 'amber', 'paused', 'main is paused. No pull request is in line.'],
    [
      { isPaused: true, pauseMessage: 'audit', queued: 2, building: 1 },
      'amber',
      'paused, 2 in line',
      'main is paused: audit. 2 pull requests are in line.',
    ],
    [
      { frozen: 'main is frozen until Monday.', queued: 2 },
      'amber',
      'frozen, 2 in line',
      'main is frozen until Monday. 2 pull requests are in line.',
    ],
    [
      { haltedReason: 'Leak', isPaused: true, frozen: 'x' },
      'red',
      'halted',
      'main is halted: Leak. No pull request is in line.',
    ],
  ] as const)('of %j is right', (facts, tone, short, sentence) => {
    expect(describeLine({ ...calm, ...facts })).toEqual({ tone, short, sentence });
  });
});
