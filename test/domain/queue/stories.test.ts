// Stories on the model: the result of a sequence of plans, steps of workers, and accidents.
import { describe, expect, test } from 'vitest';
import { plan } from '../../../src/domain/queue/plan.ts';
import type { QueueRules } from '../../../src/domain/queue/model/rules.ts';
import type { Physics } from './forest.ts';
import { World } from './model.ts';
import { Oracle } from './oracle.ts';
import { now, parallel, pr, situation } from './situation.ts';

function world(rules: Partial<QueueRules>, physics: Partial<Physics> = {}): World {
  return new World({
    physics: { bad: [], pairs: [], ...physics },
    rules: { ...parallel, ...rules },
    flakes: [],
    observer: new Oracle(true),
  });
}

function queue(queue: World, count: number): void {
  for (let n = 0; n < count; n += 1) queue.open({ skipLine: false, skipValidation: false });
}

/** Plans and takes every step of workers, until nothing happens any more. */
function settle(queue: World): void {
  for (let round = 0; round < 100; round += 1) {
    const decisions = queue.advance();
    const steps = queue.steps();
    for (const step of steps) step();
    if (steps.length === 0 && decisions.length === 0) return;
  }
  throw new Error('it did not settle');
}

/** Plans and steps until the landing of the first batch is planned, or started. */
function until(queue: World, landing: 'planned' | 'started'): void {
  const isThere = () => queue.batches[0]?.landing === landing;
  for (let round = 0; round < 100 && !isThere(); round += 1) {
    queue.advance();
    if (!isThere()) for (const step of queue.steps()) step();
  }
  expect(isThere()).toBe(true);
}

function landings(queue: World): string[][] {
  const landed = queue.forest
    .lineOf(queue.main)
    .flatMap((commit) => queue.batches.filter((batch) => batch.commit === commit.id));
  return landed.toReversed().map((batch) => batch.members.map((member) => member.pullRequest));
}

const statuses = (queue: World) =>
  Object.fromEntries(
    queue.pullRequests.map((row) => [row.id, row.code === null ? row.status : `${row.status} ${row.code}`]),
  );

describe('stories', () => {
  test('if a later change repairs an earlier one, both land as one commit, without a third build', () => {
    const w = world({}, { pairs: [{ a: 0, b: 1, kind: 'fixed_by' }] });
    queue(w, 2);
    settle(w);
    expect(landings(w)).toEqual([['p1', 'p2']]);
    expect(w.builds).toHaveLength(2);
  });

  test('without optimistic validation, the first pull request is blocked, and the second lands alone', () => {
    const w = world({ useOptimisticValidation: false }, { pairs: [{ a: 0, b: 1, kind: 'fixed_by' }] });
    queue(w, 2);
    settle(w);
    expect(statuses(w)).toEqual({ p1: 'blocked 107', p2: 'merged' });
  });

  test('of two changes that are red only together, the later one is blocked', () => {
    const w = world({ batchSize: 2 }, { pairs: [{ a: 1, b: 0, kind: 'semantic_conflict' }] });
    queue(w, 2);
    settle(w);
    expect(statuses(w)).toEqual({ p1: 'merged', p2: 'blocked 107' });
  });

  test('of a batch of four with one bad change, three land', () => {
    const w = world({ batchSize: 4 }, { bad: [false, false, true, false] });
    queue(w, 4);
    settle(w);
    expect(statuses(w)).toEqual({ p1: 'merged', p2: 'merged', p3: 'blocked 107', p4: 'merged' });
    expect(landings(w)).toEqual([['p1', 'p2'], ['p4']]);
  });

  test('a conflict with an earlier change is decided on the tip, and those behind it keep their builds', () => {
    const w = world({}, { pairs: [{ a: 0, b: 1, kind: 'conflict' }] });
    queue(w, 3);
    settle(w);
    expect(statuses(w)).toEqual({ p1: 'merged', p2: 'blocked 106', p3: 'merged' });
    expect(w.builds).toHaveLength(2);
  });

  test('a pull request lands although it conflicted with one that was dequeued', () => {
    const w = world({}, { pairs: [{ a: 0, b: 1, kind: 'conflict' }] });
    queue(w, 3);
    for (let round = 0; round < 3; round += 1) {
      w.advance();
      for (const batch of w.liveBatches()) w.compose(batch);
    }
    w.dequeue(w.pullRequest('p1'));
    settle(w);
    expect(landings(w)).toEqual([['p2'], ['p3']]);
  });

  test('a landing that the host has done and nobody recorded is recorded once, with a push from outside on top', () => {
    const w = world({});
    queue(w, 2);
    until(w, 'started');
    const [first] = w.batches;
    if (first === undefined) throw new Error('no batch');
    w.moveBase(first);
    w.pushOutside();
    w.observeBase();
    w.advance();
    w.moveBase(first);
    expect(w.pullRequest('p1').status).toBe('tagged');
    settle(w);
    expect(statuses(w)).toEqual({ p1: 'merged', p2: 'merged' });
    expect(landings(w)).toEqual([['p1'], ['p2']]);
  });

  test('a pull request whose head is pushed while it lands, lands with the pinned head', () => {
    const w = world({});
    queue(w, 1);
    until(w, 'started');
    w.push(w.pullRequest('p1'));
    w.dequeue(w.pullRequest('p1'));
    settle(w);
    expect(statuses(w)).toEqual({ p1: 'merged' });
    expect(w.batches[0]?.members).toEqual([{ pullRequest: 'p1', head: 'h0' }]);
  });

  test('after a pause was answered before the gate, nothing lands until the pause ends', () => {
    const w = world({});
    queue(w, 1);
    until(w, 'planned');
    w.paused = true;
    settle(w);
    expect(statuses(w)).toEqual({ p1: 'tagged' });
    w.paused = false;
    settle(w);
    expect(statuses(w)).toEqual({ p1: 'merged' });
  });
});

test('a thousand pull requests in line with five hundred builds are planned within 10 ms', () => {
  const waiting = Array.from({ length: 1000 }, (_, index) => pr(index + 1));
  const line = Array.from({ length: 500 }, (_, index) => ({ of: [index + 1], build: 'pending' as const }));
  const snapshot = situation({ waiting, line, rules: { maxParallelBuilds: 501 } });
  const took = Array.from({ length: 40 }, () => {
    const started = performance.now();
    expect(plan(snapshot, now)).toHaveLength(1);
    return performance.now() - started;
  });
  // The fastest of many plans counts, because the machine may be busy.
  expect(Math.min(...took)).toBeLessThan(10);
});
