// The product's own planner as a policy. Its decisions are applied to rows as in the service. The work with a host and
// CI happens at once in the simulated world.
import { evidenceFor } from '../queue/evidence/evidence.ts';
import { compareInLine } from '../queue/model/order.ts';
import { plan } from '../queue/plan.ts';
import type { QueueRules } from '../queue/model/rules.ts';
import type { BatchState, BuildState, PullRequestState, Snapshot } from '../queue/model/snapshot.ts';
import { judgeBatches } from '../queue/evidence/verdict.ts';
import { PlannerRows, addAll, idOf, numberOf } from './planner-rows.ts';
import type { Build, BuildContent, Change, QueueActions, Past, Policy, QueueView } from './policy.ts';
import type { Decision } from '../queue/model/decision.ts';

export interface PlannerOptions {
  readonly rules: QueueRules;
  /** Overrides for a change's row when it arrives. */
  readonly rowOf?: (change: Change) => Partial<PullRequestState>;
  /**
   * Git's answer for changes that are merged one after the other: the index of the first that conflicts with those
   * before it; -1 if none. Absent: all merge.
   */
  readonly conflictAt?: (changes: readonly number[]) => number;
  /** Live batches at the start, each after its parent. Absent: the line begins empty. */
  readonly initial?: readonly InitialBatch[];
  /** What it has learned already. Absent: nothing. */
  readonly past?: Past;
  /** Called for every plan, before its decisions are applied. */
  readonly onPlan?: (snapshot: Snapshot, decisions: readonly Decision[]) => void;
}

export interface InitialBatch {
  /** Changes that have landed are neither among its members nor assumed. */
  readonly batch: BatchState;
  /** Null: its commit is not made yet. */
  readonly build: NonNullable<BuildContent['resumed']> | null;
}

export function plannerPolicy(options: PlannerOptions): PlannerPolicy {
  return new PlannerPolicy(options, new PlannerRows(options.rules, options.past));
}

interface Making {
  readonly queue: QueueView;
  readonly desk: QueueActions;
  readonly resumed: InitialBatch['build'];
}

const check = { name: 'ci', attempt: 1 } as const;

export class PlannerPolicy implements Policy {
  /** Landings from the initial line may have been justified before the simulation. */
  readonly knowsOutcomes: boolean;
  readonly #options: PlannerOptions;
  readonly #rows: PlannerRows;
  /** The builds by tested commit. */
  readonly #builds = new Map<string, Build>();
  readonly #commitOf = new Map<number, string>();
  /**
   * For each live batch's commit: the changes on the base that it contains, including changes that have landed since.
   */
  readonly #contents = new Map<string, readonly number[]>();
  #batchesMade = 0;
  #lookAt = -Infinity;
  #initial: readonly InitialBatch[];

  constructor(options: PlannerOptions, rows: PlannerRows) {
    this.#options = options;
    this.#rows = rows;
    this.knowsOutcomes = options.initial !== undefined;
    this.#initial = options.initial ?? [];
  }

  /** A copy that continues independently. */
  copy(): PlannerPolicy {
    const copy = new PlannerPolicy(this.#options, this.#rows.copy());
    addAll(copy.#builds, this.#builds);
    addAll(copy.#commitOf, this.#commitOf);
    addAll(copy.#contents, this.#contents);
    copy.#batchesMade = this.#batchesMade;
    copy.#lookAt = this.#lookAt;
    copy.#initial = this.#initial;
    return copy;
  }

  /** What the planner would see now. */
  snapshot(now: number): Snapshot {
    return this.#rows.snapshot(now);
  }

  decide(queue: QueueView, desk: QueueActions): void {
    for (const change of queue.news.arrived) this.#admit(change);
    for (const build of queue.news.finished) this.#finish(build);
    if (this.#initial.length > 0) return this.#resume(queue, desk);
    while (this.#advance(queue, desk));
  }

  #admit(change: Change): void {
    this.#rows.admit(change);
    const different = this.#options.rowOf?.(change);
    if (different !== undefined) this.#rows.changePullRequest(idOf(change.number), different);
  }

  /** Nothing is planned before the builds that have ended are known. */
  #resume(queue: QueueView, desk: QueueActions): void {
    for (const { batch, build } of this.#initial) {
      this.#rows.addBatch(batch);
      this.#make(batch, { queue, desk, resumed: build });
    }
    this.#initial = [];
    desk.wakeAt(queue.now);
  }

  /** One plan and all its consequences. True: there are new facts to plan on. */
  #advance(queue: QueueView, desk: QueueActions): boolean {
    const snapshot = this.#rows.snapshot(queue.now);
    const decisions = plan(snapshot, queue.now);
    this.#options.onPlan?.(snapshot, decisions);
    let hasFacts = false;
    for (const decision of decisions) {
      this.#apply(decision, queue, desk);
      hasFacts ||= this.#isNews(decision);
    }
    return hasFacts;
  }

  /**
   * Whether there is more to decide. Speculative builds are all chosen at once, so that until CI has results only the
   * announcement of the first pull request and the next time limit can follow.
   */
  #isNews(decision: Decision): boolean {
    if (decision.kind !== 'StartBatch') return decision.kind === 'LandBatch';
    const isRunning = this.#rows.batches.get(`b${this.#batchesMade}`)?.buildStartedAt !== null;
    if (decision.sideBuild !== 'speculative' || !isRunning || this.#rows.rules.ciTimeoutMins > 0) return true;
    return decision.members.some(({ pullRequest }) => this.#isToBeAnnounced(pullRequest));
  }

  #isToBeAnnounced(pullRequest: string): boolean {
    const { pullRequests } = this.#rows;
    const row = pullRequests.get(pullRequest);
    if (row === undefined || row.topAnnounced) return false;
    for (const other of pullRequests.values()) if (compareInLine(other, row) < 0) return false;
    return true;
  }

  #apply(decision: Decision, queue: QueueView, desk: QueueActions): void {
    const rows = this.#rows;
    switch (decision.kind) {
      case 'StartBatch':
        return this.#make(this.#addBatch(decision, queue.now), { queue, desk, resumed: null });
      case 'LandBatch':
        return this.#land(rows.batch(decision.batch), decision.evidence, { queue, desk });
      case 'SupersedeBatch':
      case 'ReturnBatch':
      case 'FailBatch':
      case 'BisectBatch':
        for (const [id, bisection] of bisections(decision, rows)) rows.changePullRequest(id, { bisection });
        return this.#end(rows.batch(decision.batch), desk);
      case 'BlockPullRequest':
        rows.leave(decision.pullRequest, ['blocked', decision.code]);
        rows.recordOutcome(queue.change(numberOf(decision.pullRequest)), false);
        return desk.eject(numberOf(decision.pullRequest));
      case 'RequeuePullRequest': {
        const attempts = rows.pullRequests.get(decision.pullRequest)?.requeueAttempts ?? 0;
        return rows.changePullRequest(decision.pullRequest, { requeueAttempts: attempts + 1 });
      }
      case 'Reorder':
        return rows.reorder(decision.pullRequest, decision.reason);
      case 'AnnounceTop':
        return rows.changePullRequest(decision.pullRequest, { topAnnounced: true });
      case 'PlanAgainAt':
        if (decision.at === this.#lookAt) return;
        this.#lookAt = decision.at;
        return desk.wakeAt(decision.at);
      case 'PendPullRequest':
        rows.leave(decision.pullRequest, ['pending', null]);
        return desk.eject(numberOf(decision.pullRequest));
      case 'AnnounceStuck':
      case 'ReadChecks':
      case 'RunGate':
        throw new Error(`Nothing in a simulated queue asks for ${decision.kind}.`);
      default:
        return decision satisfies never;
    }
  }

  #addBatch(decision: Extract<Decision, { kind: 'StartBatch' }>, now: number): BatchState {
    const { kind: _kind, cause: _cause, ...start } = decision;
    this.#batchesMade += 1;
    const batch: BatchState = {
      ...start,
      id: `b${this.#batchesMade}`,
      state: 'making',
      commit: null,
      tree: null,
      testedCommit: null,
      buildKeysHash: this.#rows.rules.buildKeysHash,
      createdAt: now,
      buildStartedAt: null,
      landingStarted: false,
      landingPlanned: false,
    };
    this.#rows.addBatch(batch);
    return batch;
  }

  /** Makes its commit, and starts a build unless its tree or its parts are green already. */
  #make(batch: BatchState, { queue, desk, resumed }: Making): void {
    const members = batch.members.map((member) => numberOf(member.pullRequest));
    const below =
      batch.sideBuild === 'speculative'
        ? batch.assumes.map((assumed) => numberOf(assumed.pullRequest))
        : (this.#contents.get(batch.parentCommit) ?? []);
    const assumes = below.filter((change) => queue.isPending(change));
    const conflictAt = this.#options.conflictAt?.([...assumes, ...members]) ?? -1;
    if (conflictAt >= 0) return this.#keepConflict(batch, { assumes, at: conflictAt });
    const commit = `c${batch.id}`;
    const tree = `t${queue.treeOf([...assumes, ...members])}`;
    this.#contents.set(commit, [...assumes, ...members]);
    const made = { commit, tree, testedCommit: commit, state: 'building' } as const;
    this.#rows.changeBatch(batch.id, made);
    if (batch.restsOn.length > 0 ? this.#isGreen(batch.id, queue.now) : this.#isProven(tree, queue.now)) return;
    const build = desk.start({ assumes, members, ...(resumed !== null && { resumed }) });
    const startedAt = batch.buildStartedAt ?? queue.now;
    this.#builds.set(commit, build);
    this.#commitOf.set(build.id, commit);
    this.#rows.changeBatch(batch.id, { buildStartedAt: startedAt });
    this.#rows.writeBuild({
      commit,
      tree,
      base: batch.base,
      checks: [{ ...check, conclusion: 'pending' }],
      complete: false,
      canceled: false,
      startedAt,
      finishedAt: null,
      lastEndAt: null,
    });
    if (batch.sideBuild !== 'isolation')
      for (const { pullRequest } of batch.members) this.#rows.changePullRequest(pullRequest, { status: 'tagged' });
  }

  /**
   * A conflict beside the line blames nobody. For a speculative build it is also a fact about what the build assumes.
   */
  #keepConflict(
    batch: BatchState,
    { assumes, at }: { readonly assumes: readonly number[]; readonly at: number },
  ): void {
    const rows = this.#rows;
    const heads = batch.members.map((member) => member.head);
    if (batch.sideBuild === null) {
      const place = Math.max(0, at - assumes.length);
      const conflict = { parent: batch.parentCommit, after: heads.slice(0, place) };
      rows.changePullRequest(batch.members[place]?.pullRequest ?? '', { conflict });
      return;
    }
    const layers = [...batch.assumes.map((assumed) => assumed.head), ...heads];
    if (batch.sideBuild === 'speculative')
      rows.mergeResults.push({
        parent: batch.parentCommit,
        heads: layers.slice(0, at + 1),
        tree: null,
        conflictAt: at,
      });
    rows.changeBatch(batch.id, { givenUp: true });
  }

  /** Whether the batch is green. A batch whose parts do not suffice as evidence is built like any other batch. */
  #isGreen(batch: string, now: number): boolean {
    return judgeBatches(this.#rows.snapshot(now), now).get(batch)?.kind === 'green';
  }

  #isProven(tree: string, now: number): boolean {
    const builds = this.#rows.buildsOf(tree);
    if (builds.length === 0) return false;
    const { rules } = this.#rows;
    return evidenceFor(tree, { queue: { lineage: this.#rows.lineage(now) }, rules, builds }, { now }) !== null;
  }

  #land(
    batch: BatchState,
    evidence: string,
    { queue, desk }: { readonly queue: QueueView; readonly desk: QueueActions },
  ): void {
    const changes = batch.members.map((member) => numberOf(member.pullRequest));
    const restsOn = [evidence, ...batch.restsOn].flatMap((commit) => this.#builds.get(commit) ?? []);
    desk.land(changes, restsOn);
    this.#rows.moveTip(batch, queue.now);
    this.#rows.batches.delete(batch.id);
    for (const change of changes) {
      this.#rows.leave(idOf(change), ['merged', null]);
      this.#rows.recordOutcome(queue.change(change), true);
    }
  }

  /** Cancels a build that nobody waits for any more. */
  #end(batch: BatchState, desk: QueueActions): void {
    this.#rows.batches.delete(batch.id);
    if (batch.sideBuild !== 'isolation') this.#untag(batch);
    const state = this.#stateOf(batch.commit ?? '');
    const build = this.#builds.get(batch.commit ?? '');
    if (state === undefined || build === undefined || state.finishedAt !== null) return;
    desk.cancel(build.id);
    this.#rows.writeBuild({ ...state, canceled: true });
  }

  #untag({ members, sideBuild }: BatchState): void {
    const held = new Set<string>();
    if (sideBuild === 'speculative')
      for (const other of this.#rows.batches.values())
        for (const { pullRequest } of other.members) held.add(pullRequest);
    for (const { pullRequest } of members)
      if (!held.has(pullRequest)) this.#rows.changePullRequest(pullRequest, { status: 'queued' });
  }

  #finish(build: Build): void {
    const state = this.#stateOf(this.#commitOf.get(build.id) ?? '');
    if (state === undefined) return;
    const isSecond = this.#rows.buildsOf(state.tree).some((other) => other.complete && other.commit !== state.commit);
    if (isSecond) this.#rows.recordSecondTry(build.verdict === 'green');
    const conclusion = build.verdict === 'green' ? 'success' : 'failure';
    this.#rows.writeBuild({
      ...state,
      checks: [{ ...check, conclusion }],
      complete: true,
      finishedAt: build.finishedAt,
      lastEndAt: build.finishedAt,
    });
  }

  #stateOf(commit: string): BuildState | undefined {
    const build = this.#builds.get(commit);
    return build === undefined
      ? undefined
      : this.#rows.buildsOf(`t${build.tree}`).find((state) => state.commit === commit);
  }
}

type Bisection = NonNullable<Parameters<PlannerRows['changePullRequest']>[1]['bisection']>;

function bisections(
  decision: Extract<Decision, { kind: 'SupersedeBatch' | 'ReturnBatch' | 'FailBatch' | 'BisectBatch' }>,
  rows: PlannerRows,
): readonly (readonly [string, Bisection])[] {
  if (decision.kind === 'BisectBatch') {
    const { group, attempts, phase, halves } = decision;
    return halves.flat().map((id) => [id, { group, max: halves[0]?.length ?? 1, attempts, phase }] as const);
  }
  if (decision.kind !== 'ReturnBatch') return [];
  return rows.batch(decision.batch).members.flatMap(({ pullRequest }) => {
    const bisection = rows.pullRequests.get(pullRequest)?.bisection ?? null;
    return bisection === null ? [] : [[pullRequest, { ...bisection, phase: 'returned' }] as const];
  });
}
