// What a speculative build still proves when pull requests have landed, left the line or got other places since it
// began.
import { expect, test } from 'vitest';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import { viewGraph } from '../../../src/domain/queue/speculation/view-graph.ts';
import type { BatchState, Landing, PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { now, pr, situation, type BatchSpec, type Situation } from './situation.ts';

const rules = { speculation: 'adaptive', useAffectedTargets: true } as const;
const on = (number: number, change: Partial<PullRequestState> = {}) => pr(number, { targets: ['a'], ...change });
const b = { targets: ['b'] };
const reordered = { reorderedForFailure: true };
const pinned = (number: number) => ({ pullRequest: `p${number}`, head: `h${number}` });

/** A speculative build on the tip of the pull requests in `of`, which assumes those in `assumed`. */
function built(build: BatchSpec['build'], of: readonly number[], assumed: readonly number[] = []): BatchSpec {
  return { of, build, change: { sideBuild: 'speculative', assumes: assumed.map(pinned) } };
}

/** The build, with other properties of its batch. */
function but(spec: BatchSpec, change: Partial<BatchState>): BatchSpec {
  return { ...spec, change: { ...spec.change, ...change } };
}

/** The build, made before the landings. */
const older = (spec: BatchSpec, base = 'root'): BatchSpec => but(spec, { base, parentCommit: base });

/**
 * Landings, one after the other, of these pull requests. The last one is the tip. Pull requests from 8 on have the
 * target b, all others the target a.
 */
function landed(...numbers: readonly (readonly number[])[]): Pick<Situation, 'queue' | 'change'> {
  const commitOf = (at: number): string => (at === numbers.length - 1 ? 'tip' : `l${at + 1}`);
  const landings: Landing[] = numbers.map((of, at) => ({
    commit: commitOf(at),
    firstParent: at === 0 ? 'root' : commitOf(at - 1),
    members: of.map((number) => ({ ...pinned(number), targets: number > 7 ? ['b'] : ['a'] })),
  }));
  return {
    queue: { lineage: [...landings.map(({ commit }) => commit), 'root'] },
    change: {
      landings,
      departures: numbers.flat().map((number) => ({ pullRequest: `p${number}`, code: 303 as const })),
    },
  };
}

interface Row extends Situation {
  readonly name: string;
  /** What each build still proves, in the order of the builds. */
  readonly judged: readonly string[];
}

const rows: readonly Row[] = [
  { name: 'a build on the tip counts', waiting: [on(1)], line: [built('pending', [1])], judged: ['counts for 0'] },
  {
    name: 'a build of other rules ends',
    waiting: [on(1)],
    line: [but(built('pending', [1]), { buildKeysHash: 'others' })],
    judged: ['reset 307'],
  },
  {
    name: 'a build that shows whether one pull request is red by itself is not speculative, and ends',
    waiting: [on(1)],
    line: [but(built('pending', [1]), { sideBuild: 'isolation' })],
    judged: ['reset 307'],
  },
  {
    name: 'a build on a base that is not known ends',
    waiting: [on(1)],
    line: [older(built('pending', [1]), 'elsewhere')],
    judged: ['reset 305'],
  },
  {
    name: 'a canceled build ends',
    waiting: [on(1)],
    line: [built('cancelled', [1])],
    judged: ['reset 309'],
  },
  {
    name: 'a build that was given up ends',
    waiting: [on(1)],
    line: [but(built('pending', [1]), { givenUp: true })],
    judged: ['ends'],
  },
  // Pull requests that are gone.
  {
    name: 'a build whose member has another head ends',
    waiting: [on(1, { head: 'new' })],
    line: [built('pending', [1])],
    judged: ['reset 310 by p1'],
  },
  {
    name: 'a build whose member has left ends',
    waiting: [on(1)],
    line: [built('pending', [1, 2])],
    change: { departures: [{ pullRequest: 'p2', code: 304 }] },
    judged: ['reset 304 by p2'],
  },
  {
    name: 'a build whose assumed pull request has left ends',
    waiting: [on(1)],
    line: [built('pending', [1], [9])],
    judged: ['reset 303 by p9'],
  },
  {
    name: 'a build of a pull request that skips validation ends',
    waiting: [on(1), on(2, { skipValidation: true })],
    line: [built('pending', [1, 2])],
    judged: ['ends'],
  },
  // Pull requests that skip the line.
  {
    name: 'a build without a pull request that skipped the line ends',
    waiting: [on(1), on(2, { skipLine: true, rank: 0 })],
    line: [built('pending', [1])],
    judged: ['reset 302 by p2'],
  },
  {
    name: 'a build with the pull request that skipped the line counts',
    waiting: [on(1), on(2, { skipLine: true, rank: 0 })],
    line: [built('pending', [1], [2])],
    judged: ['counts for 1'],
  },
  {
    name: 'a disjoint pull request that skipped the line changes nothing',
    waiting: [on(1), on(2, { skipLine: true, rank: 0, ...b })],
    line: [built('pending', [1])],
    judged: ['counts for 1'],
  },
  {
    name: 'a pull request that skipped the line and conflicts changes nothing',
    waiting: [on(1), on(2, { skipLine: true, rank: 0, conflict: { parent: 'tip', after: [] } })],
    line: [built('pending', [1])],
    judged: ['counts for 1'],
  },
  // The order of the line.
  {
    name: 'a build in another order ends',
    waiting: [on(1), on(2)],
    line: [built('pending', [1], [2])],
    judged: ['ends'],
  },
  {
    name: 'a build of disjoint pull requests may be in another order',
    waiting: [on(1), on(2, b)],
    line: [built('pending', [1], [2])],
    judged: ['counts for 0'],
  },
  {
    name: 'a build in another order ends if targets are unknown',
    waiting: [on(1), on(2, { targets: null })],
    line: [built('pending', [1], [2])],
    judged: ['ends'],
  },
  {
    name: 'only pull requests that overlap must be in order',
    waiting: [on(1), on(2, b), on(3, b)],
    line: [built('pending', [1], [2, 3]), built('pending', [1], [3, 2])],
    judged: ['counts for 0', 'ends'],
  },
  // Pull requests that landed.
  {
    name: 'a build whose assumed pull request has landed counts',
    waiting: [on(2)],
    line: [older(built('success', [2], [1]))],
    ...landed([1]),
    judged: ['counts for 0'],
  },
  {
    name: 'a build whose members have all landed ends',
    waiting: [on(2)],
    line: [older(built('success', [1]))],
    ...landed([1]),
    judged: ['ends'],
  },
  {
    name: 'a build with another head of the landed pull request ends',
    waiting: [on(2)],
    line: [older(but(built('success', [2]), { assumes: [{ pullRequest: 'p1', head: 'old' }] }))],
    ...landed([1]),
    judged: ['reset 303 by p1'],
  },
  {
    name: 'a build that assumes a pull request that landed before its base ends',
    waiting: [on(2)],
    line: [older(built('pending', [3]), 'root'), older(built('success', [2], [1]), 'l1')],
    ...landed([1], [3]),
    judged: ['ends', 'reset 303 by p1'],
  },
  {
    name: 'a running build that lacks a landed change ends',
    waiting: [on(2)],
    line: [older(built('pending', [2]))],
    ...landed([1]),
    judged: ['ends'],
  },
  {
    name: 'a build that lacks a disjoint landed change counts',
    waiting: [on(2)],
    line: [older(built('pending', [2]))],
    ...landed([8]),
    judged: ['counts for 0'],
  },
  {
    name: 'a red build of one pull request that lacks a landed change counts as one of two failures',
    waiting: [on(2)],
    line: [older(built('failure', [2]))],
    ...landed([1]),
    judged: ['is one of two'],
  },
  {
    name: 'a red build of several pull requests that lacks a landed change ends',
    waiting: [on(2), on(3)],
    line: [older(built('failure', [2, 3]))],
    ...landed([1]),
    judged: ['ends'],
  },
  {
    name: 'a red build of a reordered pull request and others counts as one of two failures',
    waiting: [on(2, { timesPassed: 1 }), on(3)],
    line: [built('failure', [2], [3])],
    judged: ['is one of two'],
  },
  {
    name: 'a running build of a reordered pull request and others ends',
    waiting: [on(2, { timesPassed: 1 }), on(3)],
    line: [built('pending', [2], [3])],
    judged: ['ends'],
  },
  {
    name: 'a red build in another order ends if no member was reordered',
    waiting: [on(2), on(3)],
    line: [built('failure', [2], [3])],
    judged: ['ends'],
  },
  {
    name: 'a red build that only assumed a reordered pull request counts for it when all others have landed',
    waiting: [on(2, { timesPassed: 1 })],
    line: [older(built('failure', [1], [2]))],
    ...landed([1]),
    judged: ['counts for 0'],
  },
  {
    name: 'a green build that only assumed a reordered pull request ends when all others have landed',
    waiting: [on(2, { timesPassed: 1 })],
    line: [older(built('success', [1], [2]))],
    ...landed([1]),
    judged: ['ends'],
  },
  {
    name: 'a red build that only assumed a pull request in its place ends when all others have landed',
    waiting: [on(2)],
    line: [older(built('failure', [1], [2]))],
    ...landed([1]),
    judged: ['ends'],
  },
  // Isolated retries.
  {
    name: 'the running build of an isolated retry goes on',
    waiting: [on(2, reordered)],
    line: [older(built('pending', [2]))],
    ...landed([1]),
    judged: ['counts for 0'],
  },
  {
    name: 'the running build of an isolated retry ends if another one is green',
    waiting: [on(2, reordered)],
    line: [older(built('pending', [2])), built('success', [2])],
    ...landed([1]),
    judged: ['ends', 'counts for 0'],
  },
  {
    name: 'the running build of an isolated retry goes on if the pull request that it assumed has landed',
    waiting: [on(2, reordered)],
    line: [older(built('pending', [2], [1]))],
    ...landed([1], [3]),
    judged: ['counts for 0'],
  },
  {
    name: 'of several late builds of an isolated retry only the oldest goes on',
    waiting: [on(2, reordered)],
    line: [older(built('pending', [2])), older(built('pending', [2], [1])), older(built('pending', [2]), 'l1')],
    ...landed([1], [3]),
    judged: ['counts for 0', 'ends', 'ends'],
  },
  {
    name: 'the build of an isolated retry on the tip goes on beside a late one',
    waiting: [on(2, reordered)],
    line: [older(built('pending', [2])), built('pending', [2])],
    ...landed([1]),
    judged: ['counts for 0', 'counts for 0'],
  },
  {
    name: 'late builds of two pull requests go on',
    waiting: [on(2, reordered), on(4, { ...reordered, rank: 9 })],
    line: [older(built('pending', [2])), older(built('pending', [4]))],
    ...landed([1]),
    judged: ['counts for 0', 'counts for 1'],
  },
  {
    name: 'a running build of several pull requests is no isolated retry',
    waiting: [on(2, reordered), on(3)],
    line: [older(built('pending', [2, 3]))],
    ...landed([1]),
    judged: ['ends'],
  },
  {
    name: 'a running build with an assumption is no isolated retry',
    waiting: [on(3), on(2, { ...reordered, rank: 9 })],
    line: [older(built('pending', [2], [3]))],
    ...landed([1]),
    judged: ['ends'],
  },
  {
    name: 'a running build of a stack is no isolated retry',
    waiting: [on(2, { ...reordered, stack: 'p2' })],
    line: [older(built('pending', [2]))],
    ...landed([1]),
    judged: ['ends'],
  },
];

test.each(rows)('$name', ({ judged, name: _name, ...from }) => {
  const graph = viewGraph(viewLine(situation({ ...from, rules: { ...rules, ...from.rules } }), now));
  const describe = (id: string): string => {
    const isIt = ({ batch }: { readonly batch: BatchState }): boolean => batch.id === id;
    const obsolete = graph.obsolete.find(isIt);
    if (obsolete !== undefined) {
      const { isReported, cause } = obsolete;
      const by = cause.causedBy === null ? '' : ` by ${cause.causedBy}`;
      return isReported ? `reset ${cause.code}${by}` : cause.code === 309 && by === '' ? 'ends' : `ends ${cause.code}`;
    }
    const build = graph.builds.find(isIt);
    if (build !== undefined) return `counts for ${build.members.join()}`;
    if (graph.invalidated.some(isIt)) return 'is one of two';
    return graph.inconclusive.some(isIt) ? 'is inconclusive' : 'is nowhere';
  };
  expect((from.line ?? []).map((_, at) => describe(`b${at + 1}`))).toEqual(judged);
});
