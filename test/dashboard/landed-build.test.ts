// The sentence about the build by which a pull request landed.
import { expect, it } from 'vitest';
import { describeBuild } from '../../dashboard/src/queue/landed-build.ts';

type Landed = NonNullable<Parameters<typeof describeBuild>[0]['landedBatch']>;

const head = 'a'.repeat(40);
const own = 'b'.repeat(40);

const landedBy = (checks: Landed['checks']): Parameters<typeof describeBuild>[0] => ({
  landedBatch: {
    id: '3',
    position: 3,
    grade: null,
    commit: own,
    tree: null,
    parentCommit: own,
    restsOn: [],
    endedAt: null,
    members: [],
    checks,
    proof: null,
  },
});

it.each([
  [
    'its own build',
    [{ name: 'test', commit: own, conclusion: 'SUCCESS', attempt: 1 }],
    'Batch 3 passed its check test.',
  ],
  [
    'the build of a head',
    [{ name: 'test', commit: head, conclusion: 'SUCCESS', attempt: 1 }],
    'Batch 3 landed by the build of aaaaaaaa, which passed its check test.',
  ],
  [
    'builds of two commits',
    [
      { name: 'lint', commit: head, conclusion: 'SUCCESS', attempt: 1 },
      { name: 'test', commit: own, conclusion: 'SUCCESS', attempt: 1 },
    ],
    'Batch 3 landed by the builds of aaaaaaaa and bbbbbbbb, which passed its checks lint and test.',
  ],
] as const)('%s', (_case, checks, sentence) => {
  expect(describeBuild(landedBy([...checks]))).toBe(sentence);
});
