// A model of the service and the workers around the planner: intents with a point of no return, landings of two refs,
// and steps that may run late, twice or in any order. `applyDecisions` writes what the service would write.
import { gatesFor, judgeGates } from '../../../src/domain/queue/evidence/final-gates.ts';
import { plan } from '../../../src/domain/queue/plan.ts';
import { judgeBatches } from '../../../src/domain/queue/evidence/verdict.ts';
import { resetCodeOfDeparture } from '../../../src/domain/queue/model/status.ts';
import type { BuildState, GateState, Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import {
  changeOf,
  contentOf,
  entered,
  failsGates,
  isInLine,
  Records,
  type BatchRow,
  type Mutable,
  type Setup,
} from './records.ts';
import type { Decision } from '../../../src/domain/queue/model/decision.ts';

export interface Observer {
  onDecisions(world: World, before: Snapshot, decisions: readonly Decision[]): void;
  onAdvanced(world: World, decisions: readonly Decision[]): void;
  /** The gate has passed, and the host was not called yet. */
  onLandingStarted(world: World, batch: BatchRow): void;
}

const day = 24 * 60 * 60_000;

export class World extends Records {
  readonly observer: Observer;
  readonly #flakes: boolean[];
  /** Every kind of decision so far. Blocks and resets have their code. */
  readonly seen = new Set<string>();
  #position = 1;

  constructor(setup: Setup & { readonly flakes: readonly boolean[]; readonly observer: Observer }) {
    super(setup);
    this.#flakes = [...setup.flakes];
    this.observer = setup.observer;
  }

  // The activity of the planner.

  advance(): readonly Decision[] {
    this.letIn();
    const before = this.snapshot();
    const decisions = plan(before, this.now);
    this.observer.onDecisions(this, before, decisions);
    this.applyDecisions(decisions);
    this.observer.onAdvanced(this, decisions);
    return decisions;
  }

  snapshot(): Snapshot {
    const live = this.liveBatches();
    const trees = new Set(live.map((batch) => batch.tree));
    const commits = new Set(live.map((batch) => batch.testedCommit));
    const members = new Set(live.flatMap((batch) => contentOf(batch).map((member) => member.pullRequest)));
    return {
      queue: {
        id: 'q',
        baseBranch: 'main',
        tip: this.tip,
        tipTree: this.forest.treeOf(this.tip),
        paused: this.paused,
        haltedReason: null,
        landingsFrom: this.opensAt > this.now ? this.opensAt : null,
        ownLine: this.ownLine(),
        lineage: [this.tip, ...this.tips.filter((past) => past.until > this.now - day).map((past) => past.commit)],
        nextPosition: this.#position,
        buildsElsewhere: 0,
      },
      rules: this.rules,
      pullRequests: this.waiting(),
      departures: this.pullRequests
        .filter((row) => members.has(row.id) && !isInLine(row))
        .map((row) => ({ pullRequest: row.id, code: resetCodeOfDeparture(row.status, row.code) })),
      batches: live.map((batch) => ({
        ...batch,
        state: batch.state === 'making' ? 'making' : 'building',
        landingStarted: batch.landing === 'started',
        landingPlanned: batch.landing !== 'none',
        gates: this.gatesOf(batch),
      })),
      builds: this.builds
        .filter((build) => commits.has(build.commit) || trees.has(build.tree))
        .map((build) => ({ ...build })),
      readings: [...this.readings].map(([commit, doneAt]) => ({ commit, doneAt })),
      landings: this.landings,
      mergeResults: this.mergeResults,
    };
  }

  applyDecisions(decisions: readonly Decision[]): void {
    for (const decision of decisions) this.#apply(decision);
  }

  #apply(decision: Decision): void {
    if (decision.kind === 'StartBatch' && decision.sideBuild !== null)
      this.seen.add(`StartBatch ${decision.sideBuild}`);
    if (decision.kind === 'Reorder') this.seen.add(`Reorder ${decision.reason.kind}`);
    this.seen.add('code' in decision ? `${decision.kind} ${decision.code}` : decision.kind);
    switch (decision.kind) {
      case 'SupersedeBatch':
      case 'ReturnBatch':
      case 'FailBatch':
      case 'BisectBatch': {
        const batch = this.batch(decision.batch);
        Object.assign(batch, { state: 'ended', landing: 'none' });
        if (batch.sideBuild !== 'isolation')
          for (const row of this.members(batch))
            if (row.status === 'tagged' && !this.#hasRunningBuild(row.id)) row.status = 'queued';
        if (decision.kind === 'ReturnBatch')
          for (const row of this.members(batch))
            if (row.bisection !== null) row.bisection = { ...row.bisection, phase: 'returned' };
        if (decision.kind !== 'BisectBatch') break;
        const bisection = {
          group: decision.group,
          max: decision.halves[0]?.length ?? 1,
          attempts: decision.attempts,
          phase: decision.phase,
        };
        for (const id of decision.halves.flat()) this.pullRequest(id).bisection = bisection;
        break;
      }
      case 'BlockPullRequest':
        Object.assign(this.pullRequest(decision.pullRequest), { ...entered, status: 'blocked', code: decision.code });
        break;
      case 'PendPullRequest':
        Object.assign(this.pullRequest(decision.pullRequest), { ...entered, status: 'pending' });
        break;
      case 'RequeuePullRequest':
        this.pullRequest(decision.pullRequest).requeueAttempts += 1;
        break;
      case 'Reorder':
        this.goBehindAll(this.pullRequest(decision.pullRequest), decision.reason);
        break;
      case 'StartBatch':
        this.batches.push({
          id: `b${this.batches.length + 1}`,
          position: decision.position,
          sideBuild: decision.sideBuild,
          assumes: decision.assumes,
          restsOn: decision.restsOn,
          state: 'making',
          members: decision.members,
          parentBatch: decision.parentBatch,
          parentCommit: decision.parentCommit,
          base: decision.base,
          commit: null,
          tree: null,
          testedCommit: null,
          buildKeysHash: this.rules.buildKeysHash,
          createdAt: this.now,
          buildStartedAt: null,
          landing: 'none',
          gateRuns: [],
        });
        this.#position = Math.max(this.#position, decision.position + 1);
        break;
      case 'LandBatch':
        this.batch(decision.batch).landing = 'planned';
        break;
      case 'RunGate':
        this.batch(decision.batch).gateRuns.push({
          workflow: decision.workflow,
          state: 'running',
          plannedAt: this.now,
        });
        break;
      case 'AnnounceTop':
        this.pullRequest(decision.pullRequest).topAnnounced = true;
        break;
      case 'AnnounceStuck':
        this.pullRequest(decision.pullRequest).stuckAnnounced = true;
        break;
      case 'ReadChecks':
        this.readings.set(decision.commit, null);
        break;
      case 'PlanAgainAt':
        break;
      default:
        decision satisfies never;
    }
  }

  /** Whether another build of the batch runs. */
  #hasRunningBuild(id: string): boolean {
    return this.liveBatches().some(
      (batch) =>
        batch.sideBuild !== 'isolation' &&
        batch.buildStartedAt !== null &&
        batch.members.some((member) => member.pullRequest === id),
    );
  }

  // Steps of workers. Each step may run at any time, and twice.

  /** All steps that a worker could take now. */
  steps(): (() => void)[] {
    const unread = [...this.readings].filter(([, doneAt]) => doneAt === null);
    const reads = unread.map(
      ([commit]) =>
        () =>
          void this.readings.set(commit, this.now),
    );
    const steps = this.liveBatches().flatMap((batch) => {
      if (batch.landing === 'planned') return [() => this.passGate(batch)];
      if (batch.landing === 'started') return [() => this.moveBase(batch), () => this.conclude(batch)];
      if (batch.commit === null) return batch.givenUp === true ? [] : [() => this.compose(batch)];
      if (this.#needsBuild(batch)) return [() => this.startBuild(batch)];
      const build = this.builds.find((candidate) => candidate.commit === batch.testedCommit && !candidate.complete);
      const gate = batch.gateRuns.find((run) => run.state === 'running');
      if (gate !== undefined) return [() => this.finishGate(batch, gate)];
      if (build === undefined || this.#isSilent(build)) return [];
      return [() => (build.checks.length === 0 ? this.startChecks(build) : this.finishCheck(build))];
    });
    return [...steps, ...reads];
  }

  compose(batch: BatchRow): void {
    if (batch.state !== 'making' || batch.givenUp === true) return;
    const merged = this.forest.merge(
      this.forest.treeOf(batch.parentCommit),
      contentOf(batch).map((member) => changeOf(member.head)),
    );
    if ('conflictAt' in merged && batch.sideBuild !== null) {
      batch.givenUp = true;
      const heads = contentOf(batch).map((member) => member.head);
      if (batch.sideBuild === 'speculative')
        this.mergeResults.push({ parent: batch.parentCommit, heads, tree: null, conflictAt: merged.conflictAt });
      return;
    }
    if ('conflictAt' in merged) {
      const member = batch.members[merged.conflictAt];
      const row = this.pullRequests.find(
        (candidate) => candidate.id === member?.pullRequest && candidate.head === member.head,
      );
      if (row !== undefined)
        row.conflict = {
          parent: batch.parentCommit,
          after: batch.members.slice(0, merged.conflictAt).map((earlier) => earlier.head),
        };
      return;
    }
    const commit = this.forest.addCommit({ id: `c-${batch.id}`, tree: merged.tree, firstParent: batch.parentCommit });
    const testedCommit = this.rules.mode === 'serial' ? `${commit.id}-head` : commit.id;
    Object.assign(batch, { commit: commit.id, tree: commit.tree, testedCommit, state: 'building' });
  }

  startBuild(batch: BatchRow): void {
    if (
      batch.testedCommit === null ||
      batch.tree === null ||
      this.builds.some((build) => build.commit === batch.testedCommit)
    )
      return;
    batch.buildStartedAt = this.now;
    this.builds.push({
      commit: batch.testedCommit,
      tree: batch.tree,
      base: batch.base,
      checks: [],
      complete: false,
      startedAt: this.now,
      finishedAt: null,
      lastEndAt: null,
    });
    // If the rules do not wait for the start of checks, the checks start at once.
    const build = this.builds.at(-1);
    if (build !== undefined && this.rules.checksStartedTimeoutMins === 0) this.startChecks(build);
    if (this.rules.mode === 'parallel' && batch.sideBuild !== 'isolation')
      for (const row of this.members(batch)) if (row.status === 'queued') row.status = 'tagged';
  }

  /** CI forgets some builds, if the rules have a time limit for the start of checks. */
  #isSilent(build: BuildState): boolean {
    const isForgotten = this.builds.findIndex((other) => other.commit === build.commit) % 3 === 2;
    return this.rules.checksStartedTimeoutMins > 0 && build.checks.length === 0 && isForgotten;
  }

  startChecks(build: Mutable<BuildState>): void {
    if (build.checks.length === 0)
      build.checks = ['unit', 'lint'].map((name) => ({ name, attempt: 1, conclusion: 'pending' }));
  }

  gatesOf(batch: BatchRow): GateState[] {
    return gatesFor(this.rules.finalGates, new Set()).map((gate) => {
      const run = batch.gateRuns.find(({ workflow }) => workflow === gate.workflow);
      return { ...gate, run: run === undefined ? null : { ...run, reason: null } };
    });
  }

  /** Some changes never pass a gate. */
  finishGate(batch: BatchRow, gate: BatchRow['gateRuns'][number]): void {
    if (gate.state !== 'running') return;
    gate.state = batch.members.some((member) => failsGates(member.head)) ? 'failed' : 'passed';
  }

  /** The next check of a build ends. `lint` always passes. `unit` has the result of the forest, or is a flake. */
  finishCheck(build: Mutable<BuildState>): void {
    const next = build.checks.find((check) => check.conclusion === 'pending');
    const isRed = next?.name === 'unit' && ((this.#flakes.shift() ?? false) || !this.forest.isGreen(build.tree));
    build.checks = build.checks.map((check) =>
      check === next ? { ...check, conclusion: isRed ? ('failure' as const) : ('success' as const) } : check,
    );
    build.complete = build.checks.every((check) => check.conclusion !== 'pending');
    build.finishedAt = build.complete ? this.now : null;
    build.lastEndAt = this.now;
  }

  passGate(batch: BatchRow): void {
    if (batch.landing !== 'planned') return;
    const stands = batch.members.every(({ pullRequest, head }) => {
      const row = this.pullRequest(pullRequest);
      return isInLine(row) && row.head === head;
    });
    const isJustified = this.skipsValidation(batch) || this.#isProven(batch);
    const passes =
      stands &&
      isJustified &&
      (this.skipsValidation(batch) || judgeGates(this.gatesOf(batch), this.now).kind === 'open') &&
      !this.paused &&
      this.opensAt <= this.now &&
      batch.parentCommit === this.tip &&
      batch.buildKeysHash === this.rules.buildKeysHash;
    batch.landing = passes ? 'started' : 'none';
    if (passes) this.observer.onLandingStarted(this, batch);
  }

  /** Moves two refs in one atomic transaction. git refuses a second landing of a batch. */
  moveBase(batch: BatchRow): void {
    if (
      batch.landing !== 'started' ||
      batch.commit === null ||
      this.landingRefs.has(batch.id) ||
      this.main !== batch.parentCommit
    )
      return;
    this.main = batch.commit;
    this.landingRefs.set(batch.id, batch.commit);
  }

  conclude(batch: BatchRow): void {
    if (batch.landing !== 'started') return;
    // If the host does not know a landing yet, the landing can only end by a call of the host.
    if (!this.landingRefs.has(batch.id) && this.main === batch.parentCommit) return;
    batch.landing = 'none';
    const hasLanded = this.landingRefs.has(batch.id);
    if (hasLanded) batch.state = 'landed';
    for (const row of this.members(batch)) {
      if (hasLanded) Object.assign(row, { ...entered, status: 'merged' });
      else if (row.pushedHead !== null) this.takeHead(row, row.pushedHead);
      row.pushedHead = null;
    }
    if (hasLanded && batch.commit !== null) this.moveTip(batch.commit);
    this.observeBase();
  }

  #needsBuild(batch: BatchRow): boolean {
    if (
      batch.tree === null ||
      this.skipsValidation(batch) ||
      this.builds.some((build) => build.commit === batch.testedCommit)
    )
      return false;
    return !this.#isProven(batch);
  }

  #isProven(batch: BatchRow): boolean {
    const verdict = judgeBatches(this.snapshot(), this.now).get(batch.id)?.kind;
    return verdict === 'green' || verdict === 'gate_closed';
  }
}
