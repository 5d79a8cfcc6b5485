// Where everything overlaps, the first build of a doubtful pull request is made alone on the tip.
import { describe, expect, it } from 'vitest';
import type { BatchState, PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { planned as plannedLinearly, pr, type BatchSpec, type Situation } from './situation.ts';

const doubtful = 0.8;

function planned(situation: Situation): string[] {
  return plannedLinearly({ ...situation, rules: { speculation: 'adaptive', ...situation.rules } });
}

function speculative(
  of: readonly number[],
  build: BatchSpec['build'],
  assumes: readonly number[] = [],
  change: Partial<BatchState> = {},
): BatchSpec {
  const pinned = assumes.map((number) => ({ pullRequest: `p${number}`, head: `h${number}` }));
  return { of, build, change: { sideBuild: 'speculative', assumes: pinned, ...change } };
}

/** Four pull requests whose outcome is open, and a fifth behind them. */
function line(fifth: Partial<PullRequestState>): PullRequestState[] {
  return [...[1, 2, 3, 4].map((number) => pr(number, { successProbability: 0.85 })), pr(5, fifth)];
}

const isolated = 'speculate new p5 on tip';

describe('a pull request behind others is first built alone', () => {
  it('if it is doubtful and overlaps everything', () => {
    expect(planned({ waiting: line({ successProbability: doubtful }) })).toContain(isolated);
  });

  it.each<[string, Partial<PullRequestState>, Situation['rules']]>([
    ['it is not doubtful', { successProbability: 0.99 }, {}],
    ['its targets are known', { successProbability: doubtful, targets: ['a'] }, { useAffectedTargets: true }],
    ['it is in a stack', { successProbability: doubtful, stack: 'p4', below: 'p4' }, {}],
    ['it conflicts', { successProbability: doubtful, conflict: { parent: 'tip', after: ['h1'] } }, {}],
    ['speculation is linear', { successProbability: doubtful }, { speculation: 'linear', useAffectedTargets: true }],
  ])('but not if %s', (_, fifth, rules) => {
    expect(planned({ waiting: line(fifth), rules: rules ?? {} })).not.toContain(isolated);
  });

  it('but not if what is before it is nearly certain', () => {
    const sure = [1, 2, 3, 4].map((number) => pr(number, { successProbability: 0.99 }));
    expect(planned({ waiting: [...sure, pr(5, { successProbability: doubtful })] })).not.toContain(isolated);
  });

  it('but not if more than three times as many pull requests are in line as builds may run', () => {
    const waiting = line({ successProbability: doubtful });
    expect(planned({ waiting, rules: { maxParallelBuilds: 2 } })).toContain(isolated);
    expect(planned({ waiting, rules: { maxParallelBuilds: 1 } })).not.toContain(isolated);
  });

  it('but not behind a barrier, and not behind a pull request that skipped the line', () => {
    const [first = pr(1), ...others] = line({ successProbability: doubtful });
    expect(planned({ waiting: [{ ...first, isBarrier: true }, ...others] })).not.toContain(isolated);
    expect(planned({ waiting: [{ ...first, skipLine: true }, ...others] })).not.toContain(isolated);
  });

  it('but not if it has another build already', () => {
    const waiting = line({ successProbability: doubtful });
    expect(planned({ waiting, line: [speculative([5], 'pending', [1, 2, 3, 4])] })).not.toContain(isolated);
  });
});

describe('when others land', () => {
  /** Pull request 9 has landed since the base of the isolated build of pull request 2. */
  const since = (build: BatchSpec['build'], waiting: readonly PullRequestState[]): Situation => ({
    waiting,
    line: [speculative([1], 'pending'), speculative([2], build, [], { base: 'root', parentCommit: 'root' })],
    queue: { lineage: ['tip', 'root'] },
    change: {
      landings: [{ commit: 'tip', firstParent: 'root', members: [{ pullRequest: 'p9', head: 'h9', targets: null }] }],
    },
  });
  const waiting = [pr(1, { status: 'tagged' }), pr(2, { status: 'tagged', successProbability: doubtful })];

  it('the isolated build goes on', () => {
    expect(planned(since('pending', waiting)).filter((decision) => decision.includes('return'))).toEqual([]);
  });

  it('a green isolated build shows that its pull request is sound', () => {
    const third = pr(3);
    // If the second pull request is sound, the third one is not built without it.
    expect(planned(since('pending', [...waiting, third]))).toContain('speculate new p3 on p1');
    expect(planned(since('success', [...waiting, third]))).not.toContain('speculate new p3 on p1');
  });

  it('the isolated build ends if nothing is before its pull request any more', () => {
    const { line: builds = [], ...situation } = since('pending', waiting.slice(1));
    expect(planned({ ...situation, line: builds.slice(1) })).toEqual(['return b1', 'speculate new p2 on tip']);
  });
});
