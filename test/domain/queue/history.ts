// A random history: requests and steps of workers in any order, and at the end steps without requests until the queue
// is empty.
import assert from 'node:assert/strict';
import { noParallelRules } from '../../../src/domain/configuration/queue-rules.ts';
import { fc } from '../../support/properties.ts';
import type { QueueRules, RequiredCheck } from '../../../src/domain/queue/model/rules.ts';
import type { Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import type { PairKind } from './forest.ts';
import { World } from './model.ts';
import { Oracle, checkHistory } from './oracle.ts';
import type { PullRequestRow } from './records.ts';

export interface History {
  readonly bad: readonly boolean[];
  readonly pairs: readonly { readonly a: number; readonly b: number; readonly kind: PairKind }[];
  readonly flakes: readonly boolean[];
  readonly rules: readonly number[];
  /** Each number is a move: its kind, its pull request and its variant. */
  readonly moves: readonly number[];
}

const kinds: readonly PairKind[] = ['fixed_by', 'fixed_by', 'semantic_conflict', 'conflict'];
// Neighbours by number are mostly neighbours in line.
const pair = fc
  .tuple(fc.nat(7), fc.integer({ min: 1, max: 2 }), fc.constantFrom(...kinds))
  .map(([a, distance, kind]) => ({ a, b: a + distance, kind }));

export const histories: fc.Arbitrary<History> = fc.record({
  bad: fc.array(
    fc.nat(3).map((n) => n === 3),
    { maxLength: 8 },
  ),
  pairs: fc.array(pair, { maxLength: 4 }),
  flakes: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.boolean(), { maxLength: 6 }) },
  ),
  rules: fc.array(fc.nat(9999), { minLength: 7, maxLength: 7 }),
  moves: fc.array(fc.nat(99_999), { maxLength: 70, size: 'max' }),
});

type Move = (world: World, index: number, how: number) => void;

const moves: readonly (readonly [weight: number, move: Move])[] = [
  [9, (world, _whom, how) => world.open(anOpening(world, how))],
  [
    3,
    (world, index, how) => {
      const isStack = how % 3 === 0;
      repeat(1 + (index % 4), (n) => {
        const below = isStack && n > 0 ? (world.pullRequests.at(-1)?.id ?? null) : null;
        world.open({ skipLine: false, skipValidation: false, below });
      });
    },
  ],
  [28, (world, index, how) => repeat(1 + (how % 4), (n) => pick(world.steps(), index + n)?.())],
  [18, (world) => world.advance()],
  [2, (world, index) => onLine(world, index, (row) => world.dequeue(row))],
  [2, (world, index) => onLine(world, index, (row) => world.push(row))],
  [1, (world, index) => onLine(world, index, (row) => world.close(row))],
  [2, (world, index) => onLine(world, index, (row) => world.skipLine(row))],
  [1, (world, index) => onLine(world, index, (row) => (row.skipValidation = true))],
  [2, (world, index) => world.queue(index % (world.pullRequests.length + 1))],
  [
    4,
    (world, index, how) =>
      onLine(world, index, (row) =>
        world.setOwnVerdict(row, how % 13 === 0 ? 'red' : how % 4 !== 0 ? 'pending' : 'green'),
      ),
  ],
  [2, (world) => world.pushOutside()],
  [3, (world) => world.observeBase()],
  [1, (world) => (world.paused = true)],
  [2, (world) => (world.paused = false)],
  [
    1,
    (world, index, how) =>
      (world.rules = rulesOf([
        index,
        how,
        index + how,
        how * 7 + index,
        index * 31 + how,
        index * 13 + how,
        index + how * 3,
      ])),
  ],
  [1, (world, index) => cancelBuild(world, index)],
  [1, (world, index) => (world.opensAt = world.now + index * 5 * 60_000)],
  [1, (world, index) => onLine(world, index, (row) => (row.isBarrier = !row.isBarrier && hasBarriers(world)))],
  [2, (world, index, how) => (world.now += how % 9 === 0 ? 25 * 3_600_000 : index * 5 * 60_000)],
];
const wheel = moves.flatMap(([weight, move]) => Array.from({ length: weight }, () => move));

/** `watch` gets the snapshot of the planner after each move. */
export function runHistory(history: History, watch?: (snapshot: Snapshot, now: number) => void): World {
  const isDeterministic = !history.flakes.includes(true);
  const world = new World({
    physics: history,
    rules: rulesOf(history.rules),
    flakes: history.flakes,
    observer: new Oracle(isDeterministic),
  });
  world.onCommitAdded = (history.rules[0] ?? 0) % 2 === 0 ? 'block' : 'requeue';
  for (const number of history.moves) {
    world.now += 1000;
    wheel[number % wheel.length]?.(
      world,
      Math.floor(number / wheel.length) % 16,
      Math.floor(number / wheel.length / 16),
    );
    watch?.(world.snapshot(), world.now);
  }
  drain(world);
  checkHistory(world);
  return world;
}

/** Runs the history without new input: the line must become empty within a limited number of rounds. */
function drain(world: World): void {
  world.paused = false;
  // Also pull requests that wait for the one below them.
  for (const row of world.pullRequests) if (row.ownVerdict === 'pending') world.setOwnVerdict(row, 'green');
  const rounds = 100 + 60 * world.pullRequests.length;
  for (let round = 0; round < rounds; round += 1) {
    world.now += 1000;
    world.observeBase();
    const decisions = world.advance();
    const steps = world.steps();
    for (const step of round % 2 === 0 ? steps : steps.toReversed()) step();
    const planAgain = decisions.find((decision) => decision.kind === 'PlanAgainAt');
    if (steps.length > 0 || decisions.some((decision) => decision.kind !== 'PlanAgainAt')) continue;
    if (planAgain === undefined) break;
    world.now = Math.max(world.now, planAgain.at);
  }
  assert.deepEqual(
    world.inLine().map((row) => row.id),
    [],
    'the queue drains',
  );
  assert.deepEqual(
    world.liveBatches().map((batch) => batch.id),
    [],
    'no batch is left over',
  );
}

function hasBarriers(world: World): boolean {
  return world.rules.barrierLabel !== null;
}

function anOpening(world: World, how: number): Parameters<World['open']>[0] {
  return {
    skipLine: how % 15 === 7,
    skipValidation: how % 19 === 7,
    isBarrier: how % 5 === 3 && hasBarriers(world),
    // Any pull request may be below, whether it is in line or has left the line.
    below: how % 7 === 2 ? (pick(world.pullRequests, how)?.id ?? null) : null,
  };
}

export function rulesOf([
  first = 0,
  second = 0,
  third = 0,
  fourth = 0,
  fifth = 0,
  sixth = 0,
  seventh = 0,
]: readonly number[]): QueueRules {
  const mode =
    (['parallel', 'parallel', 'parallel', 'serial', 'parallel', 'no-queue'] as const)[first % 6] ?? 'parallel';
  const speculating = speculationRules(mode === 'parallel' ? seventh : 0);
  const batchSize = mode === 'parallel' ? 1 + (second % 4) : 1;
  const strategy = (['squash', 'merge', 'rebase'] as const)[third % 3] ?? 'squash';
  const gates: readonly (readonly RequiredCheck[] | null)[] = [
    null,
    [required('unit')],
    [required('unit'), required('lint')],
    [required('lint')],
  ];
  return {
    ...noParallelRules,
    mode,
    batchSize,
    strategy,
    maxParallelBuilds: [null, 1, 2, 3, 4][Math.floor(first / 6) % 5] ?? null,
    batchMaxWaitMinutes: [0, 0, 5][Math.floor(second / 4) % 3] ?? 0,
    useOptimisticValidation: Math.floor(second / 12) % 3 !== 0,
    optimisticValidationFailureDepth: 1 + (Math.floor(third / 3) % 3),
    maxRequeueAttempts: [0, 0, 1, 2][Math.floor(third / 9) % 4] ?? 0,
    ciTimeoutMins: [0, 20][Math.floor(third / 36) % 2] ?? 0,
    ...(mode === 'parallel' ? laterRules(fourth, fifth) : laterRules(0, 0)),
    ...sideBuildRules(mode === 'parallel' ? sixth : 0),
    batchCommit: third % 5 === 0 ? 'linear' : 'group',
    requiredChecks: gates[Math.floor(first / 30) % 4] ?? null,
    ownRequiredChecks: [required('own')],
    skipDraftWhenUpToDate: true,
    retriableChecks: null,
    waitsForPendingWorkflows: mode === 'parallel' && Math.floor(fifth / 80) % 4 === 0,
    ...speculating,
    buildKeysHash: `${mode}/${batchSize}/${strategy}/${third % 5 === 0}/${Object.values(speculating).join('/')}`,
  };
}

/** Each key is off half of the time, so that combinations and single keys are tested. */
function laterRules(fourth: number, fifth: number) {
  return {
    checksStartedTimeoutMins: [0, 0, 0, 10][fourth % 4] ?? 0,
    maxParallelPausedBuilds: [null, null, 0, 1, 2][Math.floor(fourth / 4) % 5] ?? null,
    maxTopupBuilds: [0, 0, 1, 2][Math.floor(fourth / 20) % 4] ?? 0,
    maxBisectionAttempts: [null, null, null, 0, 1, 2][Math.floor(fourth / 80) % 6] ?? null,
    maxBisectedBatchSize: [null, null, 1, 2][Math.floor(fourth / 480) % 4] ?? null,
    barrierLabel: fifth % 2 === 0 ? null : 'barrier',
    stuckTimeoutMins: [null, 0, 0, 10][Math.floor(fifth / 2) % 4] ?? null,
    bypassStuckState: Math.floor(fifth / 8) % 2 === 0,
    finalGates: ['smoke', 'canary']
      .slice(0, [0, 0, 0, 1, 2][Math.floor(fifth / 16) % 5])
      .map((workflow) => ({ workflow, timeoutMins: 10, label: null })),
  };
}

function sideBuildRules(sixth: number) {
  return {
    useParallelBisection: sixth % 3 !== 0,
    maxParallelBisectedBuilds: [null, null, 1, 2][Math.floor(sixth / 3) % 4] ?? null,
    useProactiveDequeue: Math.floor(sixth / 12) % 2 === 1,
    proactiveDequeueDelaySeconds: [0, 0, 5, 600][Math.floor(sixth / 24) % 4] ?? 0,
  };
}

function speculationRules(seventh: number) {
  return {
    speculation: (['linear', 'linear', 'adaptive', 'adaptive'] as const)[seventh % 4] ?? 'linear',
    useAffectedTargets: [false, true, true, false][seventh % 4] ?? false,
  };
}

function required(name: string): RequiredCheck {
  return { name, acceptableStatuses: ['success', 'skipped', 'neutral'] };
}

function onLine(world: World, index: number, act: (row: PullRequestRow) => void): void {
  const row = pick(world.inLine(), index);
  if (row !== undefined) act(row);
}

function repeat(times: number, act: (n: number) => void): void {
  for (let n = 0; n < times; n += 1) act(n);
}

function cancelBuild(world: World, index: number): void {
  const build = pick(world.builds, index);
  if (build === undefined) return;
  world.startChecks(build);
  build.checks = build.checks.map((check) => ({ ...check, conclusion: 'cancelled' }));
  Object.assign(build, { complete: true, finishedAt: world.now, lastEndAt: world.now });
}

function pick<T>(from: readonly T[], which: number): T | undefined {
  return from.length === 0 ? undefined : from[which % from.length];
}
