// A page reads only the front of a long line (src/modules/queue/facts/front-of-line.ts). Explanations and forecasts of
// the front must be the same as with the whole line. `frontOf` is the rule; test/queue/front-of-line.test.ts tests the SQL
// that implements it.
import { expect, test } from 'vitest';
import { linePositionOf, type LinePosition } from '../../../src/domain/queue/explain/line-position.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import type { PullRequestState, Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import { buildStatisticsOf } from '../../../src/domain/simulation/build-statistics.ts';
import { forecast } from '../../../src/domain/simulation/forecast.ts';
import { draw } from '../../../src/domain/simulation/randomness.ts';
import { frontOf, loaded } from '../../support/front-of-line.ts';
import { fc, seed as fcSeed } from '../../support/properties.ts';
import { examples } from '../../support/tier.ts';
import { histories, runHistory } from './history.ts';
import { minute, now, pr, situation, type Situation } from './situation.ts';

const returned = { group: 'g', max: 2, attempts: 1, phase: 'returned' } as const;

/** Adds `count` pull requests behind the line. Many of them have something that could matter to the others. */
function lengthened(snapshot: Snapshot, count: number): Snapshot {
  const { pullRequests, queue } = snapshot;
  const last = Math.max(0, ...pullRequests.map(({ rank }) => rank));
  const key = pullRequests.reduce((sum, { rank }) => sum + rank, count);
  const before = (place: number): PullRequestState | undefined =>
    pullRequests[Math.floor(draw(key, place) * pullRequests.length)];
  const behind = Array.from({ length: count }, (_, place): PullRequestState => {
    const kind = Math.floor(draw(key, place, 1) * 24);
    const other = before(place);
    return pr(1000 + place, {
      rank: last + 1 + place,
      ...(kind === 0 && { skipLine: true }),
      ...(kind === 1 && { isBarrier: true }),
      ...(kind < 5 && kind > 1 && { below: other?.id ?? null }),
      ...(kind === 5 && place > 0 && { below: `p${999 + place}` }),
      ...(kind === 6 && { conflict: { parent: queue.tip, after: [] } }),
      ...(kind === 7 && { bisection: returned }),
      ...(kind === 8 && { bisection: { group: 'g', max: 2, attempts: 1, phase: 'side_build' } }),
      ...(kind === 9 && { skipValidation: true }),
      targets: [`target ${place % 3}`],
    });
  });
  // Facts of the front that refer to pull requests behind it.
  const batched = new Set(snapshot.batches.flatMap(({ members }) => members.map(({ pullRequest }) => pullRequest)));
  const front = pullRequests.map((row, at): PullRequestState => {
    const kind = Math.floor(draw(key, at, 2) * 10);
    if (kind === 0) return { ...row, conflict: { parent: queue.tip, after: [`h${1000 + at}`] } };
    if (kind === 1 && !batched.has(row.id)) return { ...row, below: `p${1000 + at}` };
    if (kind < 4 && !batched.has(row.id)) return { ...row, bisection: returned };
    return row;
  });
  const mergeResults = front.flatMap(({ head }, at) =>
    draw(key, at, 3) < 0.1
      ? [{ parent: queue.tip, heads: [`h${1000 + count - 1 - at}`, head], tree: null, conflictAt: 1 }]
      : [],
  );
  return {
    ...snapshot,
    pullRequests: loaded([...front, ...behind]),
    mergeResults: [...snapshot.mergeResults, ...mergeResults],
  };
}

function positionsOf(snapshot: Snapshot, at: number, ids: readonly string[]): Map<string, LinePosition | null> {
  const view = viewLine(snapshot, at);
  const causes = new Map(snapshot.batches.map(({ id }) => [id, 'new' as const]));
  return new Map(ids.map((id) => [id, linePositionOf(view, id, { causes })]));
}

/** Rules by which a pull request without a build waits for others that share its build. */
const patient = { batchSize: 3, batchMaxWaitMinutes: 600, maxParallelBuilds: null } as const;

function batchedOf({ batches }: Snapshot): number {
  return batches.reduce((sum, { members }) => sum + members.length, 0);
}

/** Expects the same explanations of the front and of the whole line. Returns the number of pull requests in the front. */
function compare(whole: Snapshot, at: number, size: number): number {
  const front = frontOf(whole, size);
  if (front === null) return 0;
  const ids = front.snapshot.pullRequests.filter(front.isCovered).map(({ id }) => id);
  expect(positionsOf(front.snapshot, at, ids)).toEqual(positionsOf(whole, at, ids));
  return front.snapshot.pullRequests.length < whole.pullRequests.length ? ids.length : 0;
}

test.each<[string, Situation, number, number]>([
  [
    'the next pull requests may share its build',
    { line: [{ of: [1], build: 'pending' }], rules: { batchSize: 3, batchMaxWaitMinutes: 60 } },
    2,
    100,
  ],
  [
    'it is placed behind the builds that run',
    {
      line: Array.from({ length: 12 }, (_, at) => ({ of: [at + 2], build: 'pending' as const })),
      waiting: [pr(1, { bisection: returned })],
    },
    1,
    1,
  ],
  [
    'it keeps its place, because another one is stacked on it',
    {
      line: [{ of: [2], build: 'pending' }],
      waiting: [pr(1, { bisection: returned }), pr(900, { below: 'p1' })],
    },
    2,
    1,
  ],
  [
    'it is stacked on one behind it',
    { line: [{ of: [2], build: 'pending' }], waiting: [pr(1, { bisection: returned, below: 'p950' })] },
    2,
    1,
  ],
])('a pull request at the front is explained as by the whole line if %s', (_, from, size, number) => {
  const many = Array.from({ length: 40 }, (__, at) => pr(100 + at));
  const given = situation({ ...from, waiting: [...(from.waiting ?? []), ...many, pr(950)] });
  const whole = { ...given, pullRequests: loaded(given.pullRequests) };
  const view = viewLine(whole, now);
  expect(linePositionOf(view, `p${number}`, { causes: new Map() })).not.toBeNull();
  expect(compare(whole, now, size)).toBeGreaterThan(0);
});

test(`explanations of the front are those of the whole line (FC_SEED=${fcSeed})`, () => {
  let compared = 0;
  fc.assert(
    fc.property(histories, (history) => {
      runHistory(history, (snapshot, at) => {
        if (snapshot.pullRequests.length === 0 || draw(snapshot.pullRequests.length, at) > 0.3) return;
        const rules = draw(at, 1) < 0.5 ? snapshot.rules : { ...snapshot.rules, ...patient };
        const whole = { ...lengthened(snapshot, 40), rules };
        compared += compare(whole, at, draw(at, 2) < 0.5 ? batchedOf(snapshot) + 1 : 1 + Math.floor(draw(at) * 12));
      });
    }),
    { numRuns: examples({ standard: 60, full: 1_000 }) },
  );
  expect(compared).toBeGreaterThan(1_000);
});

test(`forecasts of the front are those of the whole line (FC_SEED=${fcSeed})`, () => {
  let compared = 0;
  fc.assert(
    fc.property(histories, (history) => {
      let isDone = false;
      runHistory(history, (snapshot, at) => {
        if (isDone || snapshot.batches.length === 0 || draw(snapshot.pullRequests.length, at) > 0.3) return;
        const whole = lengthened(snapshot, 200);
        const front = frontOf(whole, 110);
        if (front === null) throw new Error('The line is long.');
        const builds = whole.pullRequests.map(({ id }, place) => ({
          members: [id],
          startedAt: at - (300 - place) * minute,
          lastedMs: (10 + (place % 20)) * minute,
          hasEnded: place % 3 > 0,
        }));
        const ask = (of: Snapshot) => {
          const statistics = buildStatisticsOf(builds, { now: at, line: of.pullRequests, flakeRate: 0.02 });
          const common = { ...statistics!, arrivalsPerHour: 4 };
          return forecast(of, at, { statistics: common, isOver: () => true });
        };
        const { etas, behind } = ask(front.snapshot);
        const isRead = new Set(front.snapshot.pullRequests.map(({ id }) => id));
        for (const [id, eta] of ask(whole).etas) expect(isRead.has(id) ? etas.get(id) : behind).toEqual(eta);
        compared += whole.pullRequests.length - isRead.size;
        isDone = true;
      });
    }),
    { numRuns: examples({ standard: 4, full: 100 }) },
  );
  expect(compared).toBeGreaterThan(50);
});

test('arrivals behind the front count as if the whole line was read', () => {
  const builds = [{ members: ['p1'], startedAt: now - 60 * minute, lastedMs: minute, hasEnded: true }];
  const line = Array.from({ length: 10 }, (_, at) => pr(at + 1, { queuedAt: now - (at + 55) * minute }));
  const of = { now, flakeRate: 0 };
  const whole = buildStatisticsOf(builds, { ...of, line });
  expect(whole?.arrivalsPerHour).toBe(5);
  expect(buildStatisticsOf(builds, { ...of, line: line.slice(0, 2), arrivedBehind: 3 })).toEqual(whole);
});
