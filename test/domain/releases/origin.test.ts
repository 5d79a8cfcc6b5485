import { describe, expect, it } from 'vitest';
import { originsOf, type HistoryCommit, type KnownMerges } from '../../../src/domain/releases/origin.ts';
import { descendantsOf } from '../../../src/domain/releases/reach.ts';

/** `b<a` is a commit b with the parent a, and `m<b,x` a merge. */
function history(...commits: readonly string[]): HistoryCommit[] {
  return commits.map((each) => {
    const [commit = '', parents = ''] = each.split('<');
    return { commit, parents: parents.split(',').filter((parent) => parent !== '') };
  });
}

const pushed = 'The commit was pushed, and no known pull request contains it.';

function originTexts(
  commits: readonly HistoryCommit[],
  tip: string,
  known: Partial<KnownMerges>,
): Record<string, string> {
  const origins = originsOf(commits, tip, { landings: [], merged: [], ...known });
  return Object.fromEntries(
    [...origins].map(([commit, { batchId, pullRequestIds, withoutProof }]) => [
      commit,
      `${batchId ?? withoutProof} ${pullRequestIds.join()}`.trim(),
    ]),
  );
}

describe('the commits of a candidate came', () => {
  it.each([
    ['by pushes', history('b<a', 'c<b'), 'c', {}, { b: pushed, c: pushed }],
    [
      'by a landing, by a pull request past the queue, and by a push',
      history('b<a', 'c<b', 'd<c'),
      'd',
      {
        landings: [{ batchId: 'batch', commit: 'b', after: 'a' }],
        merged: [
          { pullRequestId: 'one', number: 1, commit: 'b' },
          { pullRequestId: 'two', number: 2, commit: 'c' },
        ],
      },
      { b: 'batch one', c: 'Pull request #2 was merged past the queue. two', d: pushed },
    ],
    [
      'by a landing of several commits, all with the proof, and nothing before it',
      history('b<a', 'c<b', 'd<c', 'e<d'),
      'e',
      {
        landings: [{ batchId: 'batch', commit: 'd', after: 'b' }],
        merged: [
          { pullRequestId: 'one', number: 1, commit: 'd' },
          { pullRequestId: 'two', number: 2, commit: 'd' },
        ],
      },
      { b: pushed, c: 'batch one,two', d: 'batch one,two', e: pushed },
    ],
    [
      'by two landings, one after the other',
      history('b<a', 'c<b', 'd<c'),
      'd',
      {
        landings: [
          { batchId: 'first', commit: 'b', after: 'a' },
          { batchId: 'second', commit: 'd', after: 'b' },
        ],
      },
      { b: 'first', c: 'second', d: 'second' },
    ],
    [
      'by the merge that brought them first',
      history('x<a', 'y<x', 'm<a,x', 'n<m,y', 'z<y', 'o<n,z'),
      'o',
      { landings: [{ batchId: 'batch', commit: 'n', after: 'm' }] },
      { x: pushed, m: pushed, y: 'batch', n: 'batch', z: pushed, o: pushed },
    ],
    ['from nowhere known, if newer commits are left out', history('b<a'), 'd', {}, {}],
  ] as const)('%s', (_, commits, tip, known, expected) => {
    expect(originTexts(commits, tip, known as Partial<KnownMerges>)).toEqual(expected);
  });

  it('from a landing, in a very long history too', () => {
    const commits = Array.from({ length: 10_000 }, (_, n) => ({ commit: `${n + 1}`, parents: [`${n}`] }));
    const landings = [{ batchId: 'batch', commit: '10000', after: '0' }];
    expect(originsOf(commits, '10000', { landings, merged: [] }).get('1')?.batchId).toBe('batch');
  });
});

it('the descendants of a commit are found among all later commits', () => {
  const beyond = history('b<a', 'x<w', 'c<b,x', 'y<x');
  expect([...descendantsOf('a', beyond)]).toEqual(['a', 'b', 'c']);
  expect([...descendantsOf('a', [])]).toEqual(['a']);
});
