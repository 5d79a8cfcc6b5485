// The rows that the service keeps for a queue, but in memory. `snapshot` returns them as the input of the planner. A
// changed row is replaced by a new object, so that earlier snapshots do not change.
import { evidenceLifetimeMs } from '../queue/evidence/evidence.ts';
import { resetCodeOfDeparture } from '../queue/model/status.ts';
import { recordReorder } from '../queue/model/reordered.ts';
import { estimateSuccessProbability, type PastResults } from '../queue/model/success-probability.ts';
import type { QueueRules } from '../queue/model/rules.ts';
import type {
  BatchState,
  BuildState,
  Landing,
  PullRequestState,
  ResetCode,
  Snapshot,
} from '../queue/model/snapshot.ts';
import type { Change, Past } from './policy.ts';
import type { ReorderReason } from '../queue/model/decision.ts';

export type MergeResult = Snapshot['mergeResults'][number];

const nothing: Past = { ends: [], secondTries: { passed: 0, judged: 0 } };

export class PlannerRows {
  readonly rules: QueueRules;
  readonly pullRequests = new Map<string, PullRequestState>();
  readonly batches = new Map<string, BatchState>();
  /** Merges that conflict according to git. */
  readonly mergeResults: MergeResult[] = [];
  /** The builds by tree. */
  readonly #builds = new Map<string, readonly BuildState[]>();
  /** For each pull request that has left the line: the code with which batches that contain it are reset. */
  readonly #departures = new Map<string, ResetCode>();
  /** The commits of the base branch, the tip first, each with the instant at which the next commit followed. */
  readonly #baseCommits: { readonly commit: string; readonly until: number }[] = [{ commit: 'root', until: Infinity }];
  /** Landings of the base branch, oldest first. */
  readonly #landings: Landing[] = [];
  readonly #results = new Map<number | 'all', PastResults>();
  #secondTries: PastResults;
  tipTree = '';
  #nextPosition = 1;
  #nextRank = 0;

  constructor(rules: QueueRules, past: Past = nothing) {
    this.rules = rules;
    this.#secondTries = past.secondTries;
    for (const { author, hasLanded } of past.ends) this.recordOutcome({ author }, hasLanded);
  }

  copy(): PlannerRows {
    const copy = new PlannerRows(this.rules, { ends: [], secondTries: this.#secondTries });
    addAll(copy.pullRequests, this.pullRequests);
    addAll(copy.batches, this.batches);
    copy.mergeResults.push(...this.mergeResults);
    addAll(copy.#builds, this.#builds);
    addAll(copy.#departures, this.#departures);
    copy.#baseCommits.splice(0, 1, ...this.#baseCommits);
    copy.#landings.push(...this.#landings);
    addAll(copy.#results, this.#results);
    copy.tipTree = this.tipTree;
    copy.#nextPosition = this.#nextPosition;
    copy.#nextRank = this.#nextRank;
    return copy;
  }

  get tip(): string {
    return this.#baseCommits[0]?.commit ?? 'root';
  }

  admit(change: Change): void {
    this.#nextRank += 1;
    this.pullRequests.set(idOf(change.number), {
      id: idOf(change.number),
      number: change.number + 1,
      status: 'queued',
      head: `h${change.number}`,
      stack: null,
      isHeadUnseen: false,
      below: null,
      isBarrier: false,
      rank: this.#nextRank,
      reorderedForFailure: false,
      timesPassed: 0,
      skipLine: false,
      skipValidation: false,
      queuedAt: change.arrivedAt,
      requeueAttempts: 0,
      ownVerdict: 'green',
      ownFailedChecks: [],
      ownMissingChecks: [],
      bisection: null,
      topAnnounced: false,
      stuckAnnounced: false,
      conflict: null,
      targets: this.rules.useAffectedTargets ? change.targets : null,
      successProbability: estimateSuccessProbability({
        repository: this.#resultsOf('all'),
        author: this.#resultsOf(change.author),
      }),
    });
  }

  /** Records whether a change landed. The success probability of later changes is estimated from these results. */
  recordOutcome({ author }: Pick<Change, 'author'>, passed: boolean): void {
    for (const key of ['all', author] as const) {
      const known = this.#resultsOf(key);
      this.#results.set(key, { passed: known.passed + (passed ? 1 : 0), judged: known.judged + 1 });
    }
  }

  #resultsOf(key: number | 'all'): PastResults {
    return this.#results.get(key) ?? { passed: 0, judged: 0 };
  }

  recordSecondTry(passed: boolean): void {
    const { passed: known, judged } = this.#secondTries;
    this.#secondTries = { passed: known + (passed ? 1 : 0), judged: judged + 1 };
  }

  changePullRequest(id: string, change: Partial<PullRequestState>): void {
    const row = this.pullRequests.get(id);
    if (row === undefined) return;
    this.pullRequests.set(id, { ...row, ...change });
    this.#nextRank = Math.max(this.#nextRank, change.rank ?? 0);
  }

  /** Moves the pull request behind all others in line. */
  reorder(id: string, reason: ReorderReason): void {
    const row = this.pullRequests.get(id);
    if (row === undefined) return;
    this.#nextRank += 1;
    this.changePullRequest(id, { rank: this.#nextRank, ...recordReorder(row, reason) });
  }

  leave(id: string, as: Parameters<typeof resetCodeOfDeparture>): void {
    this.pullRequests.delete(id);
    // The pull request above a merged one in a stack now has the base branch as its base.
    if (as[0] === 'merged')
      for (const row of this.pullRequests.values())
        if (row.below === id) this.changePullRequest(row.id, { below: null });
    this.#departures.set(id, resetCodeOfDeparture(...as));
  }

  batch(id: string): BatchState {
    const row = this.batches.get(id);
    if (row === undefined) throw new Error(`There is no live batch ${id}.`);
    return row;
  }

  changeBatch(id: string, change: Partial<BatchState>): BatchState {
    const changed = { ...this.batch(id), ...change };
    this.batches.set(id, changed);
    this.#nextPosition = Math.max(this.#nextPosition, changed.position + 1);
    return changed;
  }

  addBatch(batch: BatchState): void {
    this.batches.set(batch.id, batch);
    this.#nextPosition = Math.max(this.#nextPosition, batch.position + 1);
  }

  buildsOf(tree: string): readonly BuildState[] {
    return this.#builds.get(tree) ?? [];
  }

  writeBuild(build: BuildState): void {
    const others = this.buildsOf(build.tree).filter((other) => other.commit !== build.commit);
    this.#builds.set(build.tree, [...others, build]);
  }

  moveTip(batch: BatchState, now: number): void {
    const firstParent = this.tip;
    const commit = batch.commit ?? '';
    const members = batch.members.map((member) => ({
      ...member,
      targets: this.pullRequests.get(member.pullRequest)?.targets ?? null,
    }));
    this.#landings.push({ commit, firstParent, members });
    this.#baseCommits[0] = { commit: firstParent, until: now };
    this.#baseCommits.unshift({ commit, until: Infinity });
    this.tipTree = batch.tree ?? '';
  }

  lineage(now: number): string[] {
    while ((this.#baseCommits.at(-1)?.until ?? Infinity) <= now - evidenceLifetimeMs) {
      this.#baseCommits.pop();
      this.#landings.shift();
    }
    return this.#baseCommits.map(({ commit }) => commit);
  }

  /** The landings since the oldest of `bases`. The planner does not read earlier ones. */
  #landingsSince(bases: readonly string[]): Landing[] {
    const firstParents = new Set(bases);
    const first = this.#landings.findIndex((landing) => firstParents.has(landing.firstParent));
    return first === -1 ? [] : this.#landings.slice(first);
  }

  snapshot(now: number): Snapshot {
    const lineage = this.lineage(now);
    const batches = [...this.batches.values()];
    const trees = new Set(batches.flatMap((batch) => batch.tree ?? []));
    const departed = new Set(
      batches
        .flatMap((batch) => [...batch.assumes, ...batch.members].map((pinned) => pinned.pullRequest))
        .filter((id) => !this.pullRequests.has(id)),
    );
    return {
      queue: {
        id: 'q',
        baseBranch: 'main',
        tip: this.tip,
        tipTree: this.tipTree,
        lineage,
        ownLine: lineage,
        paused: false,
        haltedReason: null,
        nextPosition: this.#nextPosition,
        landingsFrom: null,
        buildsElsewhere: 0,
      },
      rules: this.rules,
      pullRequests: [...this.pullRequests.values()],
      departures: [...departed].map((pullRequest) => ({ pullRequest, code: this.#departures.get(pullRequest) ?? 303 })),
      batches,
      landings: this.#landingsSince(batches.map((batch) => batch.base)),
      builds: [...trees].flatMap((tree) => this.buildsOf(tree)),
      secondTries: this.#secondTries,
      readings: [],
      mergeResults: [...this.mergeResults],
    };
  }
}

export function addAll<K, V>(to: Map<K, V>, from: ReadonlyMap<K, V>): void {
  for (const [key, value] of from) to.set(key, value);
}

export function idOf(change: number): string {
  return `p${change}`;
}

export function numberOf(id: string): number {
  return Number(id.slice(1));
}
