// Invariants that must hold in every history. They read the rows of the model, and do not use code of the planner.
import assert from 'node:assert/strict';
import { plan } from '../../../src/domain/queue/plan.ts';
import type { BuildState, Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import type { Observer, World } from './model.ts';
import { changeOf, contentOf, type BatchRow, type PullRequestRow } from './records.ts';
import type { Decision } from '../../../src/domain/queue/model/decision.ts';

const day = 24 * 60 * 60_000;
type Of<K extends Decision['kind']> = Extract<Decision, { kind: K }>;

export class Oracle implements Observer {
  /** CI always gives a tree the same result, so that the oracle can check who is blocked. */
  readonly isDeterministic: boolean;

  constructor(isDeterministic: boolean) {
    this.isDeterministic = isDeterministic;
  }

  onDecisions(world: World, before: Snapshot, decisions: readonly Decision[]): void {
    const leaving = [...of(decisions, 'BlockPullRequest'), ...of(decisions, 'PendPullRequest')];
    const left = new Set(leaving.map((decision) => decision.pullRequest));
    let line = world
      .inLine()
      .filter((row) => !left.has(row.id) && hasPlace(world, row))
      .sort(isBefore);
    for (const decision of of(decisions, 'Reorder')) {
      const passed = checkPassing(world, decision, { line, landing: landedBy(world, decisions) });
      line = [...line.filter((row) => row !== passed), passed];
    }
    assert.ok(of(decisions, 'LandBatch').length <= 1, 'one landing at a time');
    const ended = new Set(of(decisions, 'SupersedeBatch').map((decision) => decision.batch));
    for (const decision of of(decisions, 'LandBatch')) {
      this.#checkLanding(world, line, world.batch(decision.batch));
      const isAlone = world.batches.every((other) => other.landing === 'none' || ended.has(other.id));
      assert.ok(isAlone, 'no landing beside another');
    }
    const failed = of(decisions, 'FailBatch').map((decision) => world.batch(decision.batch));
    for (const decision of of(decisions, 'BlockPullRequest')) this.#checkBlame(world, decision, failed);
    for (const decision of of(decisions, 'AnnounceStuck')) checkStuck(world, decision);
    for (const decision of of(decisions, 'AnnounceTop'))
      assert.ok(
        decision.pullRequest === line[0]?.id || !hasPlace(world, world.pullRequest(decision.pullRequest)),
        'the top of the queue is the first in line',
      );
    if (before.batches.some((batch) => batch.landingStarted)) {
      const kinds = new Set(decisions.map((decision) => decision.kind));
      for (const kind of [
        'SupersedeBatch',
        'BisectBatch',
        'FailBatch',
        'BlockPullRequest',
        'RequeuePullRequest',
        'Reorder',
        'LandBatch',
      ] as const)
        assert.ok(!kinds.has(kind), `${kind} while a landing is started`);
    }
  }

  onAdvanced(world: World, decisions: readonly Decision[]): void {
    const started = of(decisions, 'StartBatch');
    assert.ok(
      !world.paused || started.length === 0 || (world.rules.maxParallelPausedBuilds ?? 0) > 0,
      'nothing starts while paused',
    );
    for (const decision of started) checkStart(world, decision);
    const again = plan(world.snapshot(), world.now).filter((decision) => decision.kind !== 'PlanAgainAt');
    assert.deepEqual(again, [], 'what was decided is not decided again');
  }

  onLandingStarted(world: World, batch: BatchRow): void {
    assert.equal(batch.parentCommit, world.tip, 'its first parent is the tip');
    assert.equal(world.forest.commits.get(batch.commit ?? '')?.firstParent, world.tip, 'its commit stands on the tip');
    assert.ok(!world.paused, 'no landing after a pause was answered');
    assert.ok(world.opensAt <= world.now, 'no landing outside of the merge windows');
    assert.ok(!world.batches.some((other) => other !== batch && other.landing === 'started'), 'one landing started');
    for (const { pullRequest, head } of batch.members)
      assert.equal(world.pullRequest(pullRequest).head, head, 'the pinned head is the head');
    if (world.skipsValidation(batch)) return;
    assert.ok(isProven(world, batch), 'a green build of its tree, or of all that affects what its members do');
    if (world.rules.waitsForPendingWorkflows && world.builds.some((build) => proves(world, build, batch.tree)))
      assert.ok(
        world.builds.some(
          (build) =>
            proves(world, build, batch.tree) &&
            (build.checks.every((check) => check.conclusion !== 'pending') ||
              world.now >= (build.lastEndAt ?? build.startedAt) + 60 * 60_000),
        ),
        'nothing else runs on its commit, or it was waited for',
      );
    if (this.isDeterministic && requiresUnit(world))
      assert.ok(isSound(world, batch), 'its tree is green, as far as its members affect it');
    for (const { workflow } of world.rules.finalGates)
      assert.equal(
        batch.gateRuns.find((run) => run.workflow === workflow)?.state,
        'passed',
        `the final gate ${workflow} was passed`,
      );
  }

  #checkLanding(world: World, line: readonly PullRequestRow[], batch: BatchRow): void {
    assert.ok(
      !world.paused && world.opensAt <= world.now,
      'no landing is planned while paused or outside of the windows',
    );
    assert.equal(batch.parentCommit, world.tip, 'it stands on the tip');
    if (batch.sideBuild === 'speculative')
      assert.deepEqual(batch.assumes, [], 'a speculative build on others does not land');
    else assert.equal(batch.sideBuild, null, 'what is built beside the line does not land');
    const placed = world.members(batch).filter((row) => hasPlace(world, row));
    if (isAdaptive(world)) checkOrder(world, line, placed);
    else
      assert.deepEqual(
        placed.map((row) => row.id),
        line.slice(0, placed.length).map((row) => row.id),
        'nothing in line is passed over',
      );
    for (const row of world.members(batch)) {
      if (!row.skipValidation) assert.notEqual(row.ownVerdict, 'red', 'its own checks do not fail');
      if (!row.skipValidation && world.rules.mode === 'parallel')
        assert.notEqual(row.ownVerdict, 'pending', 'its own checks are done');
    }
    assert.ok(world.skipsValidation(batch) || isProven(world, batch), 'evidence for its tree');
  }

  #checkBlame(world: World, decision: Of<'BlockPullRequest'>, failed: readonly BatchRow[]): void {
    const row = world.pullRequest(decision.pullRequest);
    const alone = world.forest.merge(world.forest.treeOf(world.tip), [changeOf(row.head)]);
    if (decision.code === 106) assert.ok('conflictAt' in alone, 'it conflicts with the tip');
    if (decision.code === 112) assert.ok(!world.rules.bypassStuckState, 'a bypassed one is not blocked');
    if (decision.code === 119) checkGateBlame(world, decision, failed);
    if (decision.code !== 107 || row.ownVerdict === 'red') return;
    const batch = failed.find((candidate) => candidate.members.some((member) => member.pullRequest === row.id));
    // Members that have landed since are not at fault.
    const suspects = batch?.members.filter(({ pullRequest }) =>
      world.inLine().includes(world.pullRequest(pullRequest)),
    );
    if (batch !== undefined && suspects !== undefined && suspects.length > 1) {
      assert.notEqual(world.rules.maxBisectionAttempts, null, 'who is blamed with others was bisected often enough');
      assert.match(decision.text, /tested together with/);
      if (!isAdaptive(world)) assert.equal(batch.parentCommit, world.tip, 'what is blamed together failed on the tip');
      return;
    }
    if (!this.isDeterministic || wasCanceledAgain(world, row)) return;
    if (isAdaptive(world)) {
      assert.ok('tree' in alone && requiresUnit(world), 'it merges, and what it failed is required');
      const isRed = [world.tip, ...tipsAskedOn(world, row)].some((parent) => {
        const merged = world.forest.merge(world.forest.treeOf(parent), [changeOf(row.head)]);
        // On a red base branch, every build is red.
        const isBaseRed = !world.forest.isGreen(world.forest.treeOf(parent));
        return 'tree' in merged && (isBaseRed || !isSoundIn(world, merged.tree, [changeOf(row.head)]));
      });
      assert.ok(isRed, 'it is red on the tip, or on what was the tip when it was asked, as far as it affects that');
      return;
    }
    const parents = [world.tip, ...tipsAskedOn(world, row)];
    const isRed = parents.some((parent) => {
      const merged = world.forest.merge(world.forest.treeOf(parent), [changeOf(row.head)]);
      return 'tree' in merged && !world.forest.isGreen(merged.tree);
    });
    assert.ok(isRed && requiresUnit(world), 'it is red alone on the tip, or on what was the tip when it was asked');
  }
}

/** Whether two builds of one tree that contains the change of the pull request were canceled. */
function wasCanceledAgain(world: World, { head }: PullRequestRow): boolean {
  const trees = world.builds
    .filter(({ checks }) => checks.some(({ conclusion }) => conclusion === 'cancelled'))
    .map(({ tree }) => tree)
    .filter((tree) => world.forest.changesOf(tree).includes(changeOf(head)));
  return new Set(trees).size < trees.length;
}

/** The pull requests that the decisions land. */
function landedBy(world: World, decisions: readonly Decision[]): readonly PullRequestRow[] {
  const started = of(decisions, 'StartBatch').filter(({ sideBuild }) => sideBuild === null);
  const landed = of(decisions, 'LandBatch').map(({ batch }) => world.batch(batch));
  return [...started, ...landed].flatMap(({ members }) =>
    members.map((member) => world.pullRequest(member.pullRequest)),
  );
}

/** Checks a reorder: all that binds the pull request to its place stays. */
function checkPassing(
  world: World,
  { pullRequest, reason }: Of<'Reorder'>,
  { line, landing }: Readonly<Record<'line' | 'landing', readonly PullRequestRow[]>>,
): PullRequestRow {
  const row = world.pullRequest(pullRequest);
  assert.ok(isAdaptive(world), 'nobody passes in a chain');
  assert.ok(!row.skipLine && !row.isBarrier && row.stack === null, 'who has a place by what it is keeps it');
  if (reason.kind === 'failed') checkFailed(world, row, { line, landing });
  else {
    assert.ok(row.timesPassed < 3, 'nobody is passed more than three times by what is ready');
    if (reason.kind === 'isolated_retry')
      assert.ok(row.reorderedForFailure, 'an isolated retry follows a reorder for a failure');
    else assert.ok(reason.probability < 0.8, 'who is passed otherwise is unlikely to land');
    const behind = line.slice(line.indexOf(row) + 1);
    const passing = landing.filter((other) => behind.includes(other));
    assert.ok(
      passing.some((other) => holdUp(world, other, row)),
      'a pull request that lands would have waited for it',
    );
    assert.ok(!landing.includes(row), 'and does not land with it');
  }
  return row;
}

/**
 * Checks a reorder after a failure: it happens once, for a pull request that is red alone or with what lands instead,
 * and that overlaps nothing before it.
 */
function checkFailed(
  world: World,
  row: PullRequestRow,
  { line, landing }: Readonly<Record<'line' | 'landing', readonly PullRequestRow[]>>,
): void {
  assert.ok(!row.reorderedForFailure, 'nobody lets others pass twice for a red build');
  const isOver = (id: string): boolean =>
    world.pullRequest(id).status === 'merged' || landing.includes(world.pullRequest(id));
  const red = world.liveBatches().filter(({ sideBuild, members, assumes }) => {
    const content = [...assumes, ...members].map(({ pullRequest }) => pullRequest);
    const isAlone = members.length === 1 && members[0]?.pullRequest === row.id;
    return (
      sideBuild === 'speculative' &&
      (isAlone || (content.includes(row.id) && content.every((id) => id === row.id || isOver(id))))
    );
  });
  assert.ok(
    red.some((batch) => isSeenRed(world, batch)),
    'it failed by itself',
  );
  checkOrder(world, line, [row]);
}

/**
 * Checks a block after a final gate: the batch was first in line and green, and a gate failed or ran out of time. A
 * batch of several must have been bisected often enough.
 */
function checkGateBlame(world: World, { pullRequest }: Of<'BlockPullRequest'>, failed: readonly BatchRow[]): void {
  const batch = failed.find((candidate) => candidate.members.some((member) => member.pullRequest === pullRequest));
  assert.ok(batch !== undefined && batch.parentCommit === world.tip, 'a gate is asked of the first in line');
  assert.ok(isProven(world, batch), 'and only of what is green');
  const closed = batch.gateRuns.filter(
    (run) => run.state === 'failed' || (run.state === 'running' && world.now >= run.plannedAt + 10 * 60_000),
  );
  assert.equal(closed.length, 1, 'one gate is closed, and none was asked behind it');
  if (batch.members.length > 1) assert.notEqual(world.rules.maxBisectionAttempts, null, 'it was bisected first');
}

/**
 * Whether the pull request has the place of its rank. Members of a batch that is bisected beside the line have no
 * place.
 */
function hasPlace(world: World, row: PullRequestRow): boolean {
  const isOut = row.bisection !== null && row.bisection.phase !== 'in_place' && world.rules.mode === 'parallel';
  return !isOut || row.skipLine || row.skipValidation || row.isBarrier || row.stack !== null;
}

/**
 * The tips on which the pull request was built alone and red, and after which only landings have moved the base branch.
 */
function tipsAskedOn(world: World, row: PullRequestRow): readonly string[] {
  const line = world.forest.lineOf(world.tip).map((commit) => commit.id);
  const own = line.slice(0, line.findIndex((commit) => !commit.startsWith('c-')) + 1);
  return world.batches
    .filter((batch) => batch.sideBuild !== null && batch.members.length === 1 && batch.members[0]?.head === row.head)
    .filter((batch) => own.includes(batch.parentCommit) && isSeenRed(world, batch))
    .map((batch) => batch.parentCommit);
}

function isSeenRed(world: World, batch: BatchRow): boolean {
  const build = world.builds.find((candidate) => candidate.commit === batch.testedCommit);
  return build?.checks.some((check) => check.conclusion === 'failure' && isRequired(world, check.name)) ?? false;
}

/** The second canceled build of a tree is red. */
function wasSeenCanceled(world: World, batch: BatchRow): boolean {
  const build = world.builds.find((candidate) => candidate.commit === batch.testedCommit);
  return build?.checks.some(({ conclusion }) => conclusion === 'cancelled') ?? false;
}

function checkSideBuild(world: World, decision: Of<'StartBatch'>): void {
  const { rules } = world;
  const members = decision.members.map((member) => world.pullRequest(member.pullRequest));
  const live = world.liveBatches().filter((batch) => batch.sideBuild === decision.sideBuild);
  if (decision.sideBuild === 'isolation') {
    assert.ok(rules.useProactiveDequeue && members.length === 1, 'asked about one');
    const [row] = members;
    const own = world
      .liveBatches()
      .find((batch) => batch.sideBuild === null && batch.members[0]?.pullRequest === row?.id);
    assert.ok(own?.members.length === 1 && isSeenRed(world, own), 'about a pull request that is red in line');
    assert.ok(own.parentCommit !== world.tip, 'and not first');
    return;
  }
  assert.ok(rules.useParallelBisection, 'parts are built where they may be');
  const running = live.filter((batch) => batch.commit === null || isRunning(world, batch));
  assert.ok(running.length <= (rules.maxParallelBisectedBuilds ?? Infinity), 'max_parallel_bisected_builds kept');
  assert.equal(new Set(members.map((row) => row.bisection?.group)).size, 1, 'of one batch');
  const [first] = members;
  const before = world.inLine().filter((row) => !row.skipLine && row.rank < (first?.rank ?? 0));
  if (members.length === 1) assert.deepEqual(before, [], 'one by itself when nothing is left before it');
}

function checkStart(world: World, decision: Of<'StartBatch'>): void {
  const { rules } = world;
  const parent = decision.parentBatch === null ? null : world.batch(decision.parentBatch);
  assert.equal(decision.parentCommit, parent === null ? world.tip : parent.commit, 'its parent has that commit');
  const started = world.batches.findLast((batch) => batch.position === decision.position);
  const live = world.liveBatches();
  if (decision.sideBuild === 'speculative') checkSpeculative(world, decision);
  else if (decision.sideBuild !== null) checkSideBuild(world, decision);
  if (!isAdaptive(world))
    for (const { pullRequest } of decision.members) {
      assert.equal(
        live.filter(
          (batch) =>
            (batch.sideBuild === 'isolation') === (decision.sideBuild === 'isolation') &&
            batch.members.some((member) => member.pullRequest === pullRequest),
        ).length,
        1,
        'a pull request is in one batch',
      );
    }
  assert.equal(new Set(live.map((batch) => batch.position)).size, live.length, 'positions are unique');
  if (decision.restsOn.length > 0) checkRest(world, decision);
  const members = decision.members.map((member) => world.pullRequest(member.pullRequest));
  if (decision.cause !== 'optimistic') checkShape(world, members);
  if (rules.mode !== 'parallel')
    assert.ok(
      live.filter((batch) => batch.sideBuild === null).length === 1 && decision.members.length === 1,
      'one at a time',
    );
  if (
    started === undefined ||
    rules.mode !== 'parallel' ||
    rules.maxParallelBuilds === null ||
    world.skipsValidation(started) ||
    decision.cause === 'optimistic'
  )
    return;
  const running = live.filter(
    (batch) =>
      batch.givenUp !== true &&
      !world.skipsValidation(batch) &&
      batch.restsOn.length === 0 &&
      (batch.commit === null || isRunning(world, batch)),
  );
  assert.ok(running.length <= rules.maxParallelBuilds, 'max_parallel_builds kept');
  if (world.paused) assert.ok(running.length <= (rules.maxParallelPausedBuilds ?? 0), 'fewer builds while paused');
  const isFirstHeld = live.some((batch) => !running.includes(batch) && waitsOnlyForOwnChecks(world, batch));
  const counted = isFirstHeld ? Math.max(0, 1 - rules.maxTopupBuilds) : 0;
  assert.ok(running.length + counted <= rules.maxParallelBuilds, 'topped up by no more than allowed');
}

function checkShape(world: World, members: readonly PullRequestRow[]): void {
  const isOneStack = members.every((row) => row.stack !== null && row.stack === members[0]?.stack);
  assert.ok(members.length <= world.rules.batchSize || isOneStack, 'batch size kept, except by a stack');
  const [first] = members;
  if (first === undefined) return;
  assert.ok(members.length === 1 || !members.some((row) => row.isBarrier), 'a barrier is built alone');
  const before = world.inLine().filter((row) => isBefore(row, first) < 0);
  if (before.length > 0 && members.some((row) => !hasPlace(world, row))) return;
  assert.ok(!before.some((row) => row.isBarrier), 'nothing is built behind a barrier');
}

function isAdaptive({ rules }: World): boolean {
  return rules.mode === 'parallel' && (rules.speculation === 'adaptive' || rules.useAffectedTargets);
}

/** The targets of a change. Null: unknown. */
function targetsIn(world: World, change: number): readonly string[] | null {
  const head = `h${change}`;
  const isKnown = world.rules.useAffectedTargets && world.pullRequests.some((row) => row.head === head);
  return isKnown ? world.forest.targetsOf(change) : null;
}

function overlaps(world: World, a: number, b: number): boolean {
  const targets = targetsIn(world, a);
  const others = targetsIn(world, b);
  return targets === null || others === null || targets.some((target) => others.includes(target));
}

/** Whether the later one of the two must wait for the other. */
function holdUp(world: World, one: PullRequestRow, other: PullRequestRow): boolean {
  return one.isBarrier || other.isBarrier || overlaps(world, changeOf(one.head), changeOf(other.head));
}

/** Checks that no pull request lands before an earlier one in line that it overlaps. */
function checkOrder(world: World, line: readonly PullRequestRow[], landing: readonly PullRequestRow[]): void {
  for (const row of landing) {
    const before = line.slice(
      0,
      line.findIndex((other) => other.id === row.id),
    );
    const passed = before.filter((other) => !landing.includes(other) && holdUp(world, other, row));
    assert.deepEqual(
      passed.map(({ id }) => id),
      [],
      'nothing it overlaps is passed over',
    );
    const below = world.pullRequests.find(({ id }) => id === row.below);
    assert.ok(
      below === undefined || below.status === 'merged' || landing.includes(below),
      'nothing lands before what it stands on',
    );
  }
}

/**
 * Whether there is a green build of the tree; or, for each target of each member, a green build of the same changes
 * that affect the target, in the same order.
 */
function isProven(world: World, batch: Pick<BatchRow, 'tree' | 'members' | 'restsOn'>): boolean {
  if (world.builds.some((build) => proves(world, build, batch.tree))) return true;
  if (batch.restsOn.length === 0) return false;
  const greens = world.builds.filter((build) => proves(world, build, build.tree));
  const affecting = (tree: string, target: string): string =>
    world.forest
      .changesOf(tree)
      .filter((change) => targetsIn(world, change)?.includes(target) ?? true)
      .join();
  return batch.members.every(({ head }) => {
    const targets = targetsIn(world, changeOf(head));
    return (
      targets !== null &&
      targets.every((target) =>
        greens.some(
          (build) =>
            world.forest.changesOf(build.tree).includes(changeOf(head)) &&
            affecting(build.tree, target) === affecting(batch.tree ?? '', target),
        ),
      )
    );
  });
}

/** Whether the batch is really green: as a whole or, if it is composed, in everything that overlaps its members. */
function isSound(world: World, batch: BatchRow): boolean {
  return (
    world.forest.isGreen(batch.tree ?? '') ||
    (batch.restsOn.length > 0 &&
      isSoundIn(
        world,
        batch.tree ?? '',
        batch.members.map(({ head }) => changeOf(head)),
      ))
  );
}

function isSoundIn(world: World, tree: string, members: readonly number[]): boolean {
  // A red base stays red, after skipped validation or a push from outside. That is not the fault of this landing.
  const before = new Set(world.forest.failing(world.forest.treeOf(world.tip)));
  return world.forest
    .failing(tree)
    .every((change) => before.has(change) || !members.some((member) => overlaps(world, member, change)));
}

/**
 * Checks that a batch that rests on builds needs no build of its own, because otherwise the line would wait for one.
 */
function checkRest(world: World, { members, restsOn }: Of<'StartBatch'>): void {
  const merged = world.forest.merge(
    world.forest.treeOf(world.tip),
    members.map(({ head }) => changeOf(head)),
  );
  assert.ok(
    'conflictAt' in merged || isProven(world, { tree: merged.tree, members, restsOn }),
    'its builds justify it',
  );
}

/** Checks that a speculative build is new, and that nothing it contains is known to have gone. */
function checkSpeculative(world: World, decision: Of<'StartBatch'>): void {
  assert.ok(isAdaptive(world), 'speculative builds are made where they are configured');
  const whole = [...decision.assumes, ...decision.members];
  for (const { pullRequest, head } of whole) {
    const row = world.pullRequest(pullRequest);
    assert.ok(world.inLine().includes(row) && row.head === head, 'a speculative build is on what is in line');
  }
  const key = (batch: Pick<BatchRow, 'assumes' | 'members' | 'base'>): string =>
    JSON.stringify([batch.assumes, batch.members, batch.base]);
  const same = world.liveBatches().filter((batch) => batch.sideBuild === 'speculative' && key(batch) === key(decision));
  const open = same.filter((batch) => !isSeenRed(world, batch) && !wasSeenCanceled(world, batch));
  assert.ok(open.length <= 1, 'nothing is asked twice at once');
  assert.ok(same.length <= 2, 'nothing is asked three times');
}

function isHeld(world: World, batch: BatchRow): boolean {
  const isGreen = world.builds.some((build) => proves(world, build, batch.tree));
  return (
    isGreen &&
    world
      .members(batch)
      .some((row) => world.inLine().includes(row) && row.ownVerdict === 'pending' && !row.skipValidation)
  );
}

/** Whether the batch is green, its content is first in line on the tip, and only own checks of its members delay it. */
function waitsOnlyForOwnChecks(world: World, batch: BatchRow): boolean {
  if (world.paused || world.opensAt > world.now || world.batches.some(({ landing }) => landing !== 'none'))
    return false;
  const content = contentOf(batch).map(({ pullRequest }) => pullRequest);
  const line = world
    .inLine()
    .filter((row) => hasPlace(world, row))
    .sort(isBefore);
  return (
    (batch.sideBuild === null || batch.sideBuild === 'speculative') &&
    batch.restsOn.length === 0 &&
    batch.parentCommit === world.tip &&
    isHeld(world, batch) &&
    content.every((id, index) => line[index]?.id === id)
  );
}

/**
 * Checks that a stuck pull request is green and first, only waits for its own checks, and that the host was asked
 * again.
 */
function checkStuck(world: World, decision: Of<'AnnounceStuck'>): void {
  const row = world.pullRequest(decision.pullRequest);
  const adaptive = isAdaptive(world);
  // A green build of a later pull request on top of it says as much as a build of its own.
  const batch = world
    .liveBatches()
    .find((live) => (adaptive ? contentOf(live) : live.members).some(({ pullRequest }) => pullRequest === row.id));
  assert.ok(batch !== undefined, 'what is stuck is built');
  if (adaptive) {
    assert.equal(row.ownVerdict, 'pending', 'its own checks run');
    assert.ok(
      !row.stuckAnnounced && (world.readings.get(row.head) ?? null) !== null,
      'it is announced once, and the host was asked',
    );
    return;
  }
  assert.ok(batch.parentCommit === world.tip, 'what is stuck is first in line');
  assert.equal(row.ownVerdict, 'pending', 'its own checks run');
  assert.ok(!row.stuckAnnounced, 'it is announced once');
  const green = world.builds.filter((build) => proves(world, build, batch.tree));
  const read = world.readings.get(row.head) ?? null;
  const stuckAfterMs = (world.rules.stuckTimeoutMins ?? Infinity) * 60_000;
  assert.ok(read !== null && green.some((build) => read >= (build.lastEndAt ?? 0) + stuckAfterMs), 'after its time');
}

/** Whether a build of the batch runs or will run: it is not green, red, ended or out of time. */
function isRunning(world: World, batch: BatchRow): boolean {
  if (world.builds.some((build) => proves(world, build, batch.tree))) return false;
  const build = world.builds.find((candidate) => candidate.commit === batch.testedCommit);
  if (build === undefined) return true;
  if (isOutOfTime(world, batch, build)) return false;
  return (
    !build.complete && !build.checks.some((check) => check.conclusion === 'failure' && isRequired(world, check.name))
  );
}

function isOutOfTime(world: World, batch: BatchRow, build: BuildState): boolean {
  const { ciTimeoutMins, checksStartedTimeoutMins } = world.rules;
  const hasPassed = (minutes: number, at: number): boolean =>
    minutes > 0 && batch.buildStartedAt !== null && at >= batch.buildStartedAt + minutes * 60_000;
  const wasReadAt = world.readings.get(build.commit) ?? -Infinity;
  const isSilent = build.checks.length === 0 && hasPassed(checksStartedTimeoutMins, wasReadAt);
  return isSilent || hasPassed(ciTimeoutMins, world.now);
}

function proves(world: World, build: BuildState, tree: string | null): boolean {
  if (build.tree !== tree || (build.finishedAt !== null && world.now - build.finishedAt > day)) return false;
  const wasTip =
    build.base === world.tip || world.tips.some((past) => past.commit === build.base && past.until > world.now - day);
  const required = build.checks.filter((check) => isRequired(world, check.name));
  // A check that has not started has not passed.
  const started = new Set(build.checks.map((check) => check.name));
  const isWhole = world.rules.requiredChecks?.every(({ name }) => started.has(name)) ?? build.complete;
  return wasTip && isWhole && required.every((check) => check.conclusion === 'success');
}

function isRequired(world: World, name: string): boolean {
  return world.rules.requiredChecks === null || world.rules.requiredChecks.some((check) => check.name === name);
}

function requiresUnit(world: World): boolean {
  return isRequired(world, 'unit');
}

function isBefore(a: PullRequestRow, b: PullRequestRow): number {
  return Number(b.skipLine) - Number(a.skipLine) || a.rank - b.rank;
}

function of<K extends Decision['kind']>(decisions: readonly Decision[], kind: K): Of<K>[] {
  return decisions.filter((decision): decision is Of<K> => decision.kind === kind);
}

/**
 * Checks the end of a history: the first-parent line has only landings and commits from outside, and each pull request
 * has landed at most once.
 */
export function checkHistory(world: World): void {
  const landed = world.batches.filter((batch) => batch.state === 'landed');
  const ours = world.forest.lineOf(world.main).filter((commit) => commit.id.startsWith('c-'));
  assert.deepEqual(
    ours.map((commit) => commit.id).sort(),
    landed.map((batch) => batch.commit).sort(),
    'what is on the base landed once',
  );
  const members = landed.flatMap((batch) => batch.members.map((member) => member.pullRequest));
  assert.equal(new Set(members).size, members.length, 'at most one landing per pull request');
  const merged = world.pullRequests.filter((row) => row.status === 'merged').map((row) => row.id);
  assert.deepEqual([...members].sort(), merged.sort(), 'merged means landed');
}
