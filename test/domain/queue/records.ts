// The rows of a repository and of its host in memory, the requests of users, and reads of the rows.
import type { QueueRules } from '../../../src/domain/queue/model/rules.ts';
import type {
  BatchState,
  BlockCode,
  BuildState,
  Landing,
  PullRequestState,
  PullRequestStatus,
  Snapshot,
  Verdict,
} from '../../../src/domain/queue/model/snapshot.ts';
import { withStacks } from '../../../src/domain/queue/requests/stacks.ts';
import { Forest, type Physics } from './forest.ts';
import type { ReorderReason } from '../../../src/domain/queue/model/decision.ts';

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface PullRequestRow extends Omit<Mutable<PullRequestState>, 'status'> {
  status: PullRequestStatus;
  code: BlockCode | null;
  /** A head that was pushed after the landing had started. It counts after the landing. */
  pushedHead: string | null;
  /** Whether the pull request was requested to skip the line. Whether it does depends on the pull requests below it. */
  asksToSkip: boolean;
}

export interface BatchRow extends Omit<Mutable<BatchState>, 'state' | 'landingStarted' | 'landingPlanned' | 'gates'> {
  state: BatchState['state'] | 'landed' | 'ended';
  landing: 'none' | 'planned' | 'started';
  gateRuns: { workflow: string; state: 'running' | 'passed' | 'failed'; plannedAt: number }[];
}

export interface Opening {
  readonly skipLine: boolean;
  readonly skipValidation: boolean;
  readonly isBarrier?: boolean;
  readonly below?: string | null;
}

export interface Setup {
  readonly physics: Physics;
  readonly rules: QueueRules;
}

export class Records {
  now = 1_000_000;
  readonly forest: Forest;
  readonly pullRequests: PullRequestRow[] = [];
  readonly batches: BatchRow[] = [];
  readonly builds: Mutable<BuildState>[] = [];
  readonly tips: { commit: string; until: number }[] = [];
  /** The host: the base branch, and the landing refs by batch. */
  main = 'root';
  readonly landingRefs = new Map<string, string>();
  /** The base branch as the rows have it. */
  tip = 'root';
  paused = false;
  /** The instant at which the merge window opens. */
  opensAt = 0;
  /** Commits whose checks the host was asked to read again. Null: the host has not answered. */
  readonly readings = new Map<string, number | null>();
  rules: QueueRules;
  /** The known conflicts. */
  readonly mergeResults: Snapshot['mergeResults'][number][] = [];
  readonly landings: Landing[] = [];
  onCommitAdded: 'block' | 'requeue' = 'block';
  #rank = 0;

  constructor(setup: Setup) {
    this.forest = new Forest(setup.physics);
    this.rules = setup.rules;
  }

  // Requests of users.

  open({ skipLine, ...options }: Opening): void {
    const number = this.pullRequests.length + 1;
    const change = this.forest.newChange();
    this.pullRequests.push({
      id: `p${number}`,
      number,
      status: 'open',
      head: `h${change}`,
      rank: 0,
      reorderedForFailure: false,
      timesPassed: 0,
      stack: null,
      isHeadUnseen: false,
      below: null,
      isBarrier: false,
      queuedAt: 0,
      requeueAttempts: 0,
      ownVerdict: 'none',
      ownFailedChecks: [],
      ownMissingChecks: [],
      bisection: null,
      topAnnounced: false,
      stuckAnnounced: false,
      targets: this.forest.targetsOf(change),
      successProbability: [0.5, 0.7, 0.9, 0.99][change % 4] ?? 0.9,
      conflict: null,
      code: null,
      pushedHead: null,
      skipLine,
      asksToSkip: skipLine,
      ...options,
    });
    this.queue(number - 1);
  }

  queue(index: number): void {
    const row = this.pullRequests[index];
    if (row === undefined || !['open', 'blocked', 'pending'].includes(row.status) || row.ownVerdict === 'red') return;
    if (this.#isLetIn(row))
      Object.assign(row, { ...entered, status: 'queued', queuedAt: this.now, rank: ++this.#rank });
    else Object.assign(row, { ...entered, status: 'pending' });
  }

  /** Queues the pending pull requests that no longer have to wait for the pull request below them. */
  letIn(): void {
    for (const [index, row] of this.pullRequests.entries())
      if (row.status === 'pending' && this.#isLetIn(row)) this.queue(index);
  }

  #isLetIn({ below }: PullRequestRow): boolean {
    return below === null || isInLine(this.pullRequest(below)) || this.pullRequest(below).status === 'merged';
  }

  dequeue(row: PullRequestRow): void {
    if (!this.isLanding(row))
      Object.assign(row, { ...entered, status: 'open', asksToSkip: false, skipValidation: false });
  }

  close(row: PullRequestRow): void {
    if (!this.isLanding(row)) Object.assign(row, { ...entered, status: 'closed' });
  }

  push(row: PullRequestRow): void {
    const head = `h${this.forest.newChange()}`;
    if (this.isLanding(row)) row.pushedHead = head;
    else this.takeHead(row, head);
  }

  /** Lets a pull request and all pull requests below it skip the line. */
  skipLine(row: PullRequestRow): void {
    const below = row.below === null ? null : this.pullRequest(row.below);
    if (below !== null && isInLine(below)) this.skipLine(below);
    if (!row.asksToSkip) Object.assign(row, { asksToSkip: true, rank: ++this.#rank });
  }

  /** Moves a pull request behind all others in line. */
  goBehindAll(row: PullRequestRow, reason: ReorderReason): void {
    Object.assign(row, { rank: ++this.#rank });
    if (reason.kind === 'failed') row.reorderedForFailure = true;
    else row.timesPassed += 1;
  }

  setOwnVerdict(row: PullRequestRow, verdict: Verdict): void {
    Object.assign(row, { ownVerdict: verdict, ownFailedChecks: verdict === 'red' ? ['own'] : [] });
  }

  pushOutside(): void {
    const merged = this.forest.merge(this.forest.treeOf(this.main), [this.forest.newChange()]);
    if ('tree' in merged)
      this.main = this.forest.addCommit({ id: `o${merged.tree}`, tree: merged.tree, firstParent: this.main }).id;
  }

  observeBase(): void {
    this.moveTip(this.main);
  }

  // Reading.

  liveBatches(): BatchRow[] {
    return this.batches.filter((batch) => batch.state !== 'landed' && batch.state !== 'ended');
  }

  inLine(): PullRequestRow[] {
    return this.pullRequests.filter(isInLine);
  }

  /** The pull requests in line, with their stacks. */
  waiting(): readonly PullRequestState[] {
    const merged = new Set(this.pullRequests.filter(({ status }) => status === 'merged').map(({ id }) => id));
    const links = this.inLine().map((row) => ({
      ...row,
      status: row.status === 'tagged' ? ('tagged' as const) : ('queued' as const),
      skipLine: row.asksToSkip,
      below: row.below !== null && merged.has(row.below) ? null : row.below,
    }));
    const waiting = withStacks(links);
    for (const { id, stack, skipLine } of waiting) Object.assign(this.pullRequest(id), { stack, skipLine });
    return waiting;
  }

  pullRequest(id: string): PullRequestRow {
    return found(
      this.pullRequests.find((row) => row.id === id),
      id,
    );
  }

  batch(id: string): BatchRow {
    return found(
      this.batches.find((row) => row.id === id),
      id,
    );
  }

  members(batch: BatchRow): PullRequestRow[] {
    return batch.members.map((member) => this.pullRequest(member.pullRequest));
  }

  skipsValidation(batch: BatchRow): boolean {
    return this.rules.mode === 'no-queue' || this.members(batch).every((row) => row.skipValidation);
  }

  isLanding(row: PullRequestRow): boolean {
    return this.batches.some(
      (batch) => batch.landing === 'started' && batch.members.some((member) => member.pullRequest === row.id),
    );
  }

  takeHead(row: PullRequestRow, head: string): void {
    const isQueued = isInLine(row);
    Object.assign(row, {
      head,
      targets: this.forest.targetsOf(changeOf(head)),
      conflict: null,
      ownVerdict: 'none',
      ownFailedChecks: [],
    });
    if (!isQueued) return;
    if (this.onCommitAdded === 'block') Object.assign(row, { ...entered, status: 'blocked', code: 116 });
    else Object.assign(row, { ...entered, status: 'queued', queuedAt: this.now, rank: ++this.#rank });
  }

  /** The commits of landings from the tip back to the first other commit. */
  ownLine(): string[] {
    const line = this.forest.lineOf(this.tip).map((commit) => commit.id);
    const foreign = line.findIndex((commit) => !commit.startsWith('c-'));
    return line.slice(0, foreign + 1);
  }

  moveTip(commit: string): void {
    if (commit === this.tip) return;
    this.tips.push({ commit: this.tip, until: this.now });
    const landed = this.batches.find((batch) => this.landingRefs.get(batch.id) === commit);
    const members = landed?.members.map((member) => ({
      ...member,
      targets: this.forest.targetsOf(changeOf(member.head)),
    }));
    this.landings.push({ commit, firstParent: this.tip, members: members ?? null });
    this.tip = commit;
  }
}

export const entered = {
  bisection: null,
  topAnnounced: false,
  stuckAnnounced: false,
  requeueAttempts: 0,
  reorderedForFailure: false,
  timesPassed: 0,
  code: null,
} as const;

export function isInLine(row: PullRequestRow): boolean {
  return row.status === 'queued' || row.status === 'tagged';
}

export function failsGates(head: string): boolean {
  return changeOf(head) % 6 === 5;
}

/** What the commit of a batch adds to its parent. */
export function contentOf(batch: Pick<BatchRow, 'assumes' | 'members'>): BatchRow['members'] {
  return [...batch.assumes, ...batch.members];
}

export function changeOf(head: string): number {
  return Number(head.slice(1));
}

function found<T>(row: T | undefined, id: string): T {
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
}
