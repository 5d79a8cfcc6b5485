import { expect, it } from 'vitest';
import {
  afterOvertaking,
  overtakenText,
  overtakingText,
  type Overtaking,
} from '../../../src/domain/queue/model/reordered.ts';

const failed: Overtaking = { kind: 'failed', failedChecks: ['test'] };
const doubtful: Overtaking = { kind: 'doubtful', chance: 0.432 };
const aside: Overtaking = { kind: 'aside' };

it.each<[Overtaking, string, ReturnType<typeof afterOvertaking>]>([
  [
    failed,
    'Its build failed: it lets those behind it pass, and is built once more.',
    { letPass: true, passedInDoubt: 1 },
  ],
  [doubtful, 'Others behind it were ready to merge while it was 43 % likely to.', { letPass: false, passedInDoubt: 2 }],
  [aside, 'Others behind it were ready to merge while it was built once more.', { letPass: false, passedInDoubt: 2 }],
])('of one that is overtaken the log says why, and its row how often: $kind', (reason, text, kept) => {
  expect(overtakingText(reason)).toBe(text);
  expect(afterOvertaking({ letPass: false, passedInDoubt: 1 }, reason)).toEqual(kept);
});

it.each([
  [false, 0, ''],
  [true, 0, 'Its build failed, so it let those that were behind it pass, and is built once more.'],
  [false, 2, 'Others that were ready passed it twice, as it was in doubt; they do so at most three times.'],
  [
    true,
    3,
    'Its build failed, so it let those that were behind it pass, and is built once more. Others that were ready passed it three times, as it was in doubt; they do so at most three times.',
  ],
])('its place is explained by who passed it: failed %s, in doubt %i', (letPass, passedInDoubt, text) => {
  expect(overtakenText({ letPass, passedInDoubt })).toBe(text);
});
