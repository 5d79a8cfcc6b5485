// Makes snapshots from short descriptions: pull requests by number, and a line of batches that are chained on the tip,
// with one check named `test`.
import { noParallelRules } from '../../../src/domain/configuration/queue-rules.ts';
import { plan } from '../../../src/domain/queue/plan.ts';
import type { CheckConclusion, QueueRules, RequiredCheck } from '../../../src/domain/queue/model/rules.ts';
import type { BatchState, BuildState, PullRequestState, Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import type { Decision } from '../../../src/domain/queue/model/decision.ts';

export const minute = 60_000;
export const hour = 60 * minute;
/** The default instant of every situation. */
export const now = 100 * hour;

export const parallel: QueueRules = {
  ...noParallelRules,
  mode: 'parallel',
  maxParallelBuilds: null,
  batchSize: 1,
  batchMaxWaitMinutes: 0,
  useOptimisticValidation: true,
  optimisticValidationFailureDepth: 1,
  maxRequeueAttempts: 0,
  ciTimeoutMins: 0,
  skipDraftWhenUpToDate: true,
  strategy: 'squash',
  batchCommit: 'group',
  requiredChecks: null,
  ownRequiredChecks: [],
  retriableChecks: null,
  finalGates: [],
  waitsForPendingWorkflows: false,
  speculation: 'linear',
  useAffectedTargets: false,
  buildKeysHash: 'keys',
};
export const serial: QueueRules = { ...parallel, mode: 'serial', useOptimisticValidation: false };

export function pr(number: number, change: Partial<PullRequestState> = {}): PullRequestState {
  return {
    id: `p${number}`,
    number,
    status: 'queued',
    head: `h${number}`,
    stack: null,
    isHeadUnseen: false,
    below: null,
    isBarrier: false,
    rank: number,
    reorderedForFailure: false,
    timesPassed: 0,
    skipLine: false,
    skipValidation: false,
    queuedAt: now - minute,
    requeueAttempts: 0,
    ownVerdict: 'green',
    ownFailedChecks: [],
    ownMissingChecks: [],
    bisection: null,
    topAnnounced: true,
    stuckAnnounced: false,
    targets: null,
    successProbability: 0.9,
    conflict: null,
    ...change,
  };
}

export interface BatchSpec {
  readonly of: readonly number[];
  readonly build: 'making' | 'unstarted' | CheckConclusion;
  readonly change?: Partial<BatchState>;
  readonly buildChange?: Partial<BuildState>;
}

export interface Situation {
  /** Pull requests in addition to the plain ones of the line. */
  readonly waiting?: readonly PullRequestState[];
  readonly line?: readonly BatchSpec[];
  readonly rules?: Partial<QueueRules>;
  readonly queue?: Partial<Snapshot['queue']>;
  readonly change?: Partial<Snapshot>;
}

export function situation({ waiting = [], line = [], rules = {}, queue = {}, change = {} }: Situation): Snapshot {
  const known = new Set(waiting.map((pullRequest) => pullRequest.number));
  const gone = new Set((change.departures ?? []).map((departure) => departure.pullRequest));
  const implied = line.flatMap((spec) =>
    spec.of
      .filter((number) => !known.has(number) && !gone.has(`p${number}`))
      .map((number) => pr(number, { status: 'tagged' })),
  );
  const batches: BatchState[] = [];
  for (const [index, spec] of line.entries())
    batches.push(
      toBatch(spec, index, spec.change?.sideBuild ? undefined : batches.findLast((batch) => batch.sideBuild === null)),
    );
  return {
    queue: {
      id: 'q',
      baseBranch: 'main',
      tip: 'tip',
      tipTree: 'tree of tip',
      lineage: ['tip'],
      ownLine: ['tip'],
      paused: false,
      haltedReason: null,
      nextPosition: 100,
      landingsFrom: null,
      buildsElsewhere: 0,
      ...queue,
    },
    rules: { ...parallel, ...rules },
    pullRequests: [...waiting, ...implied],
    departures: [],
    batches,
    builds: line.flatMap((spec, index) => toBuild(spec, batches[index]) ?? []),
    readings: [],
    landings: [],
    mergeResults: [],
    ...change,
  };
}

/** Reads a text such as `unit:success lint#2:failure`. The newest attempt of a check counts. */
export function checksOf(text: string): BuildState['checks'] {
  if (text === '') return [];
  return text.split(' ').map((part) => {
    const [, name = '', attempt, conclusion] = /^([^#:]+)(?:#(\d+))?:(\w+)$/.exec(part) ?? [];
    return { name, attempt: Number(attempt ?? 1), conclusion: conclusion as CheckConclusion };
  });
}

export function requiredChecks(...names: string[]): RequiredCheck[] {
  return names.map((name) => ({ name, acceptableStatuses: ['success', 'skipped', 'neutral'] }));
}

function toBatch(spec: BatchSpec, index: number, before: BatchState | undefined): BatchState {
  const id = `b${index + 1}`;
  const made = spec.build === 'making' ? null : `commit of ${id}`;
  return {
    id,
    position: 10 * (index + 1),
    sideBuild: null,
    state: made === null ? 'making' : 'building',
    members: spec.of.map((number) => ({ pullRequest: `p${number}`, head: `h${number}` })),
    assumes: [],
    restsOn: [],
    parentBatch: before?.id ?? null,
    parentCommit: before?.commit ?? 'tip',
    base: 'tip',
    commit: made,
    tree: made === null ? null : `tree of ${id}`,
    testedCommit: made,
    buildKeysHash: 'keys',
    createdAt: now - minute,
    buildStartedAt: made === null || spec.build === 'unstarted' ? null : now - minute,
    landingStarted: false,
    landingPlanned: false,
    ...spec.change,
  };
}

function toBuild({ build, buildChange }: BatchSpec, batch: BatchState | undefined): BuildState | null {
  if (build === 'making' || build === 'unstarted' || !batch?.testedCommit || batch.tree === null) return null;
  const isOver = build !== 'pending';
  return {
    commit: batch.testedCommit,
    tree: batch.tree,
    base: batch.base,
    checks: [{ name: 'test', attempt: 1, conclusion: build }],
    complete: isOver,
    startedAt: now - minute,
    finishedAt: isOver ? now : null,
    lastEndAt: isOver ? now : null,
    ...buildChange,
  };
}

/** Decisions as short texts: `start p1 p2 on tip`, `supersede b2 302`, `block p1 107`, … */
export function planned(from: Situation): string[] {
  return plan(situation(from), now).map(describeDecision);
}

export function describeDecision(decision: Decision): string {
  switch (decision.kind) {
    case 'StartBatch':
      if (decision.sideBuild === 'speculative')
        return `speculate ${decision.cause} ${namesOf(decision.members)} on ${namesOf(decision.assumes) || decision.parentCommit}`;
      return `${decision.sideBuild === null ? 'start' : `build ${decision.sideBuild}`} ${decision.cause} ${decision.members.map((member) => member.pullRequest).join(' ')} on ${decision.parentBatch ?? decision.parentCommit}`;
    case 'SupersedeBatch':
      return `supersede ${decision.batch} ${decision.code}${decision.causedBy === null ? '' : ` by ${decision.causedBy}`}`;
    case 'BisectBatch':
      return `bisect ${decision.batch} ${decision.halves.map((half) => half.join('+')).join(' | ')}`;
    case 'ReturnBatch':
      return `return ${decision.batch}`;
    case 'FailBatch':
      return `fail ${decision.batch}`;
    case 'BlockPullRequest':
      return `block ${decision.pullRequest} ${decision.code}`;
    case 'RequeuePullRequest':
      return `requeue ${decision.pullRequest}`;
    case 'LandBatch':
      return `land ${decision.batch} by ${decision.evidence === '' ? 'nothing' : decision.evidence}`;
    case 'RunGate':
      return `gate ${decision.workflow} for ${decision.batch}`;
    case 'AnnounceTop':
      return `announce ${decision.pullRequest}`;
    case 'PendPullRequest':
      return `pend ${decision.pullRequest} below ${decision.below}`;
    case 'Reorder':
      return `reorder ${decision.pullRequest}${decision.reason.kind === 'failed' ? '' : ` ${decision.reason.kind}`}`;
    case 'AnnounceStuck':
      return `stuck ${decision.pullRequest}`;
    case 'ReadChecks':
      return `read ${decision.commit}`;
    case 'PlanAgainAt':
      return `look again in ${(decision.at - now) / minute} min`;
    default:
      return decision satisfies never;
  }
}

function namesOf(pinned: BatchState['members']): string {
  return pinned.map((member) => member.pullRequest).join(' ');
}
