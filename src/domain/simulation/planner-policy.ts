// The planner of the service as a policy. Its decisions are applied to rows as in the service. Commits and landings,
// which the service makes at the code host, take no time in the simulated world.
import { compareInLine } from '../queue/model/order.ts';
import { plan } from '../queue/plan.ts';
import type { QueueRules } from '../queue/model/rules.ts';
import type { BatchState, BuildState, PullRequestState, Snapshot } from '../queue/model/snapshot.ts';
import { bisections, isGreen, isProven, keepConflict, newBatch, untag, type StartBatch } from './planner-batches.ts';
import { PlannerRows, addAll, idOf, numberOf } from './planner-rows.ts';
import type { Build, BuildContent, Change, QueueActions, Past, Policy, QueueView } from './policy.ts';
import type { Decision } from '../queue/model/decision.ts';

export interface PlannerOptions {
  readonly rules: QueueRules;
  /** Returns the columns in which the row of an arriving change differs from the usual ones. Absent: no row differs. */
  readonly rowOf?: (change: Change) => Partial<PullRequestState>;
  /**
   * Returns what git would find if the changes were merged one after the other: the index of the first change that
   * conflicts with those before it, or -1 if none conflicts. Absent: no changes conflict.
   */
  readonly conflictAt?: (changes: readonly number[]) => number;
  /** The live batches at the start of the simulation, each after its parent. Absent: there are none. */
  readonly initial?: readonly InitialBatch[];
  /** The earlier results from which the planner estimates success probabilities. Absent: none. */
  readonly past?: Past;
  /** Called for every plan, before its decisions are applied. */
  readonly onPlan?: (snapshot: Snapshot, decisions: readonly Decision[]) => void;
}

export interface InitialBatch {
  /** Neither its members nor its assumptions contain a change that has landed. */
  readonly batch: BatchState;
  /** How long the build still takes, and whether it passes. Null: the commit of the batch is not made yet. */
  readonly build: NonNullable<BuildContent['resumed']> | null;
}

export function plannerPolicy(options: PlannerOptions): PlannerPolicy {
  return new PlannerPolicy(options, new PlannerRows(options.rules, options.past));
}

interface Making {
  readonly queue: QueueView;
  readonly actions: QueueActions;
  readonly resumed: InitialBatch['build'];
}

const check = { name: 'ci', attempt: 1 } as const;

export class PlannerPolicy implements Policy {
  /** True if the line does not begin empty: the evidence of its landings may be from before the simulation. */
  readonly knowsOutcomes: boolean;
  readonly #options: PlannerOptions;
  readonly #rows: PlannerRows;
  /** The builds by tested commit. */
  readonly #builds = new Map<string, Build>();
  readonly #commitOf = new Map<number, string>();
  /**
   * For the commit of each batch: the changes that the commit contains on top of its base, including changes that have
   * landed since.
   */
  readonly #contents = new Map<string, readonly number[]>();
  #batchesMade = 0;
  #planAgainAt = -Infinity;
  #initial: readonly InitialBatch[];

  constructor(options: PlannerOptions, rows: PlannerRows) {
    this.#options = options;
    this.#rows = rows;
    this.knowsOutcomes = options.initial !== undefined;
    this.#initial = options.initial ?? [];
  }

  /** Returns a copy. Later changes of the copy do not change the original, and later changes of the original not the copy. */
  copy(): PlannerPolicy {
    const copy = new PlannerPolicy(this.#options, this.#rows.copy());
    addAll(copy.#builds, this.#builds);
    addAll(copy.#commitOf, this.#commitOf);
    addAll(copy.#contents, this.#contents);
    copy.#batchesMade = this.#batchesMade;
    copy.#planAgainAt = this.#planAgainAt;
    copy.#initial = this.#initial;
    return copy;
  }

  /** The input of the planner at this instant. */
  snapshot(now: number): Snapshot {
    return this.#rows.snapshot(now);
  }

  decide(queue: QueueView, actions: QueueActions): void {
    for (const change of queue.news.arrived) this.#admit(change);
    for (const build of queue.news.finished) this.#finish(build);
    if (this.#initial.length > 0) return this.#resume(queue, actions);
    while (this.#advance(queue, actions));
  }

  #admit(change: Change): void {
    this.#rows.admit(change);
    const overrides = this.#options.rowOf?.(change);
    if (overrides !== undefined) this.#rows.changePullRequest(idOf(change.number), overrides);
  }

  /**
   * Adds the initial batches and plans nothing yet. The results of initial builds that have ended follow as events at
   * the same instant, before the first plan.
   */
  #resume(queue: QueueView, actions: QueueActions): void {
    for (const { batch, build } of this.#initial) {
      this.#rows.addBatch(batch);
      this.#make(batch, { queue, actions, resumed: build });
    }
    this.#initial = [];
    actions.wakeAt(queue.now);
  }

  /**
   * Makes one plan and applies its decisions. Returns true if the decisions changed facts from which another plan could
   * follow.
   */
  #advance(queue: QueueView, actions: QueueActions): boolean {
    const snapshot = this.#rows.snapshot(queue.now);
    const decisions = plan(snapshot, queue.now);
    this.#options.onPlan?.(snapshot, decisions);
    let hasFacts = false;
    for (const decision of decisions) {
      this.#apply(decision, queue, actions);
      hasFacts ||= this.#changesFacts(decision);
    }
    return hasFacts;
  }

  /**
   * Whether another plan at this instant could decide more. One plan starts all speculative builds that are useful.
   * Until CI has results, only the announcement of the first pull request and the next time limit can follow.
   */
  #changesFacts(decision: Decision): boolean {
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

  #apply(decision: Decision, queue: QueueView, actions: QueueActions): void {
    const rows = this.#rows;
    switch (decision.kind) {
      case 'StartBatch':
        return this.#make(this.#addBatch(decision, queue.now), { queue, actions, resumed: null });
      case 'LandBatch':
        return this.#land(rows.batch(decision.batch), decision.evidence, { queue, actions });
      case 'SupersedeBatch':
      case 'ReturnBatch':
      case 'FailBatch':
      case 'BisectBatch':
        for (const [id, bisection] of bisections(decision, rows)) rows.changePullRequest(id, { bisection });
        return this.#end(rows.batch(decision.batch), actions);
      case 'BlockPullRequest':
        rows.leave(decision.pullRequest, ['blocked', decision.code]);
        rows.recordOutcome(queue.change(numberOf(decision.pullRequest)), false);
        return actions.eject(numberOf(decision.pullRequest));
      case 'RequeuePullRequest': {
        const attempts = rows.pullRequests.get(decision.pullRequest)?.requeueAttempts ?? 0;
        return rows.changePullRequest(decision.pullRequest, { requeueAttempts: attempts + 1 });
      }
      case 'Reorder':
        return rows.reorder(decision.pullRequest, decision.reason);
      case 'AnnounceTop':
        return rows.changePullRequest(decision.pullRequest, { topAnnounced: true });
      case 'PlanAgainAt':
        if (decision.at === this.#planAgainAt) return;
        this.#planAgainAt = decision.at;
        return actions.wakeAt(decision.at);
      case 'PendPullRequest':
        rows.leave(decision.pullRequest, ['pending', null]);
        return actions.eject(numberOf(decision.pullRequest));
      case 'AnnounceStuck':
      case 'ReadChecks':
      case 'RunGate':
        throw new Error(`A simulated queue has no decision ${decision.kind}.`);
      default:
        return decision satisfies never;
    }
  }

  #addBatch(decision: StartBatch, now: number): BatchState {
    this.#batchesMade += 1;
    const { buildKeysHash } = this.#rows.rules;
    const batch = newBatch(decision, { id: `b${this.#batchesMade}`, buildKeysHash, createdAt: now });
    this.#rows.addBatch(batch);
    return batch;
  }

  /** Makes the commit of the batch. Starts a build unless the tree, or the parts of the batch, are green already. */
  #make(batch: BatchState, { queue, actions, resumed }: Making): void {
    const members = batch.members.map((member) => numberOf(member.pullRequest));
    const below =
      batch.sideBuild === 'speculative'
        ? batch.assumes.map((assumed) => numberOf(assumed.pullRequest))
        : (this.#contents.get(batch.parentCommit) ?? []);
    const assumes = below.filter((change) => queue.isPending(change));
    const conflictAt = this.#options.conflictAt?.([...assumes, ...members]) ?? -1;
    if (conflictAt >= 0) return keepConflict(this.#rows, batch, { assumes, at: conflictAt });
    const commit = `c${batch.id}`;
    const tree = `t${queue.treeOf([...assumes, ...members])}`;
    this.#contents.set(commit, [...assumes, ...members]);
    const made = { commit, tree, testedCommit: commit, state: 'building' } as const;
    this.#rows.changeBatch(batch.id, made);
    if (batch.restsOn.length > 0 ? isGreen(this.#rows, batch.id, queue.now) : isProven(this.#rows, tree, queue.now))
      return;
    const build = actions.start({ assumes, members, ...(resumed !== null && { resumed }) });
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
      startedAt,
      finishedAt: null,
      lastEndAt: null,
    });
    if (batch.sideBuild !== 'isolation')
      for (const { pullRequest } of batch.members) this.#rows.changePullRequest(pullRequest, { status: 'tagged' });
  }

  #land(
    batch: BatchState,
    evidence: string,
    { queue, actions }: { readonly queue: QueueView; readonly actions: QueueActions },
  ): void {
    const changes = batch.members.map((member) => numberOf(member.pullRequest));
    const restsOn = [evidence, ...batch.restsOn].flatMap((commit) => this.#builds.get(commit) ?? []);
    actions.land(changes, restsOn);
    this.#rows.moveTip(batch, queue.now);
    this.#rows.batches.delete(batch.id);
    for (const change of changes) {
      this.#rows.leave(idOf(change), ['merged', null]);
      this.#rows.recordOutcome(queue.change(change), true);
    }
  }

  /** Removes the batch, and cancels its build if the build has not ended. */
  #end(batch: BatchState, actions: QueueActions): void {
    this.#rows.batches.delete(batch.id);
    if (batch.sideBuild !== 'isolation') untag(this.#rows, batch);
    const state = this.#stateOf(batch.commit ?? '');
    const build = this.#builds.get(batch.commit ?? '');
    if (state === undefined || build === undefined || state.finishedAt !== null) return;
    actions.cancel(build.id);
    this.#rows.writeBuild({ ...state, checks: [{ ...check, conclusion: 'cancelled' }] });
  }

  #finish(build: Build): void {
    const state = this.#stateOf(this.#commitOf.get(build.id) ?? '');
    if (state === undefined) return;
    const isSecondBuild = this.#rows
      .buildsOf(state.tree)
      .some((other) => other.complete && other.commit !== state.commit);
    if (isSecondBuild) this.#rows.recordSecondTry(build.verdict === 'green');
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
