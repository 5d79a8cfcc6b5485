import { afterAll, beforeAll, expect, it } from 'vitest';
import { parallel } from '../domain/queue/situation.ts';
import { pastOf } from '../domain/simulation/past.ts';
import type { TemporalHealth } from '../../src/domain/health/parts.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { writePast } from './past.ts';
import { seed, sha } from './seed.ts';

let health: TemporalHealth | null = null;
let s: TestServer;
beforeAll(async () => {
  s = await startServer({ temporal: { ui: null, urlOf: () => null, health: () => health } });
  const seeded = await seed(s);
  await s.rows(
    "update repository set configuration_yaml = 'merge_rules: {labels: {trigger: a}, merge_mode: {type: parallel, parallel_mode: {max_parallel_builds: 3}}}'",
  );
  await s.rows('update queue set base_tree = $1', [sha(0)]);
  await writePast(
    s,
    seeded,
    pastOf({ seed: 21, count: 60, perHour: 10, failure: 0.02 }, { ...parallel, maxParallelBuilds: 3 }),
  );
});
afterAll(async () => await s.close());

interface Eta {
  readonly p50: string | null;
  readonly p90: string | null;
  readonly p50Seconds: number | null;
  readonly p90Seconds: number | null;
  readonly unknown: string | null;
  readonly sentence: string;
}

const eta = 'p50 p90 p50Seconds p90Seconds unknown sentence';

async function ask() {
  const answer = await s.graphql<{
    repository: {
      queue: { etas: { number: number; eta: Eta }[] };
      third: { explain: { reason: string; sentence: string; eta: Eta | null } };
      merged: { explain: { reason: string; sentence: string; eta: Eta | null } };
    };
  }>(`{ repository(owner: "acme", name: "shop") {
    queue(baseBranch: "main") { etas { number eta { ${eta} } } }
    third: pullRequest(number: 3) { explain { reason sentence eta { ${eta} } } }
    merged: pullRequest(number: 5) { explain { reason sentence eta { ${eta} } } } } }`);
  expect(answer.errors).toEqual([]);
  return answer.data.repository;
}

it('a queue shows when each pull request in line will be merged, and the explanation shows the same', async () => {
  const { queue, third, merged } = await ask();
  expect(queue.etas.map(({ number }) => number)).toEqual([1, 2, 3]);
  for (const { eta: estimate } of queue.etas) {
    const [p50, p90] = [Date.parse(estimate.p50 ?? ''), Date.parse(estimate.p90 ?? '')];
    expect(estimate.unknown).toBeNull();
    expect(p90).toBeGreaterThanOrEqual(p50);
    expect(estimate.p50Seconds).toBeGreaterThan(60);
    expect((p90 - p50) / 1000).toBeCloseTo((estimate.p90Seconds ?? 0) - (estimate.p50Seconds ?? 0));
  }
  expect(third.explain.eta).toEqual(queue.etas[2]?.eta);
  expect(third.explain.sentence).toMatch(
    /It will probably be merged at about (\d{4}-\d\d-\d\d )?\d\d:\d\d, and in 9 of 10 cases by (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC\.$/,
  );
  // A page that draws the forecast shows only the reason.
  expect(third.explain.sentence).toBe(`${third.explain.reason} ${third.explain.eta?.sentence}`);
  expect(third.explain.reason).not.toContain('It will probably be merged');
  expect(merged.explain).toEqual({ reason: 'It is merged.', sentence: 'It is merged.', eta: null });
});

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

it.each([
  [
    { silentSince: secondsAgo(15), idleSince: null },
    'TEMPORAL_SILENT',
    'Temporal does not answer: nothing is planned, built or landed until Temporal answers.',
  ],
  [
    { silentSince: null, idleSince: secondsAgo(15) },
    'NO_WORKER',
    'No worker is running: nothing is planned, built or landed until a worker starts.',
  ],
] as const)(
  'while nothing can land, no time is named, and the explanation says why: %j',
  async (outage, unknown, why) => {
    const known = (await ask()).third.explain;
    health = outage;
    const { queue, third, merged } = await ask();
    health = null;
    expect(queue.etas.map(({ eta: estimate }) => [estimate.p50, estimate.unknown, estimate.sentence])).toEqual(
      [1, 2, 3].map(() => [null, unknown, why]),
    );
    expect(third.explain).toMatchObject({ reason: `${known.reason} ${why}`, sentence: `${known.reason} ${why}` });
    expect(merged.explain.sentence).toBe('It is merged.');
    expect((await ask()).third.explain).toEqual(known);
  },
);

it('a preview names no moved landings during an outage', async () => {
  const moved = async (): Promise<readonly { number: number }[] | null> => {
    const { data, errors } = await s.graphql<{
      pauseRepository: { impact: { etasMoved: { number: number }[] | null } };
    }>(
      'mutation { pauseRepository(input: {repository: {owner: "acme", name: "shop"}, paused: true, preview: true}) { impact { etasMoved { number } } } }',
    );
    expect(errors).toEqual([]);
    return data.pauseRepository.impact.etasMoved;
  };
  expect((await moved())?.map(({ number }) => number)).toEqual([1, 2, 3]);
  health = { silentSince: null, idleSince: secondsAgo(60) };
  const during = await moved();
  health = null;
  expect(during).toBeNull();
});

it('the first estimate that somebody sees after an outage is stored, and none is stored during the outage', async () => {
  const stored = async (): Promise<number[]> => {
    const rows = await s.rows<{ number: number }>(
      'select p.number from first_eta e join pull_request p on p.id = e.pull_request_id order by p.number',
    );
    return rows.map(({ number }) => number);
  };
  await s.rows('delete from first_eta');
  // The line changes, as it does when a pull request enters it.
  await s.rows('update queue set version = version + 1');
  health = { silentSince: secondsAgo(60), idleSince: null };
  await ask();
  expect(await stored()).toEqual([]);
  health = null;
  const { queue } = await ask();
  expect(queue.etas.map(({ eta: estimate }) => estimate.unknown)).toEqual([null, null, null]);
  expect(await stored()).toEqual([1, 2, 3]);
});

it('one late answer of Temporal changes neither the explanation nor the times', async () => {
  const before = await ask();
  health = { silentSince: secondsAgo(3), idleSince: null };
  const during = await ask();
  health = null;
  expect(during).toEqual(before);
});

it('an estimate is cached for some seconds, and computed again if the queue has changed', async () => {
  const before = await ask();
  expect((await ask()).queue.etas).toEqual(before.queue.etas);
  await s.rows("update queue set halted_reason = 'an unknown commit', version = version + 1");
  const { queue, third } = await ask();
  expect(queue.etas.map(({ eta: estimate }) => estimate.unknown)).toEqual(['HALTED', 'HALTED', 'HALTED']);
  expect(queue.etas[0]?.eta).toMatchObject({ p50: null, p90Seconds: null });
  expect(third.explain.sentence).toBe('The queue is halted: an unknown commit');
});

it('a pull request far back in a long line has no time', async () => {
  await s.rows('update queue set halted_reason = null, version = version + 1');
  const added = 400;
  await s.rows(
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch, base_branch, head_sha, url, status, rank, queued_at, created_at)
     select account_id, repository_id, id, 5000 + n, '', 'ada', 'Ada', 'ada@example.test', 'far' || n, 'main', md5('far' || n), '', 'queued', 5000 + n, now(), now()
     from queue, generate_series(1, ${added}) n where base_branch = 'main'`,
  );
  const { data, errors } = await s.graphql<{
    repository: {
      queue: { etas: { number: number; eta: Eta }[] };
      last: { explain: { reason: string; eta: Eta | null } };
    };
  }>(`{ repository(owner: "acme", name: "shop") { queue(baseBranch: "main") { etas { number eta { ${eta} } } }
    last: pullRequest(number: ${5000 + added}) { explain { reason eta { ${eta} } } } } }`);
  expect(errors).toEqual([]);
  const { queue, last } = data.repository;
  expect(queue.etas.map(({ number }) => number)).toEqual([
    1,
    2,
    3,
    ...Array.from({ length: added }, (_, n) => 5001 + n),
  ]);
  expect(queue.etas[0]?.eta.unknown).toBeNull();
  expect(queue.etas.at(-1)?.eta.unknown).toBe('TOO_FAR_BACK');
  expect(last.explain.eta).toEqual(queue.etas.at(-1)?.eta);
  expect(last.explain.reason).toContain('402 pull requests');
});
