// Loads a queue now or at an instant, for explanations. The same statements read the present and the past, so that an
// explanation of now agrees with a later explanation of the same instant.
import type { Context } from '../../../context.ts';
import { landingsFrom } from '../../../domain/configuration/index.ts';
import type { Configuration } from '../../../domain/configuration/keys.ts';
import { mayHeadsBeEvidence, withoutHeads } from '../../../domain/queue/evidence/evidence.ts';
import type { Cause } from '../../../domain/queue/explain/condition.ts';
import type { BatchCause } from '../../../domain/queue/explain/line-position.ts';
import { decideLandingsFrom } from '../../../domain/queue/landing/landing-time.ts';
import { viewLine, type LineView } from '../../../domain/queue/planning/line.ts';
import type { Pause } from '../../../domain/queue/requests/pause.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type { BuildState, PinnedHead, PullRequestState, Snapshot } from '../../../domain/queue/model/snapshot.ts';
import { withStacks } from '../../../domain/queue/requests/stacks.ts';
import { findFreezeInForce, type FreezeInForce } from '../../../domain/releases/freeze.ts';
import type { Transaction } from '../../../platform/database.ts';
import { freezesOf, loadBranchFreezes, readPauseNow, type StoredFreeze } from '../../repositories/index.ts';
import { haltOf, rulesOf } from '../store/rules-in-force.ts';
import { labelBatches, loadGates } from '../facts/final-gates.ts';
import { findFront } from '../facts/front-of-line.ts';
import { lineageOf, loadLandings, type RecordedLanding } from '../facts/landings.loader.ts';
import { loadJudgedBuilds } from '../facts/judged-builds.ts';
import { toPullRequestState } from '../planning/snapshot.rows.ts';
import { freezeCause, readHaltCause, readPauseAt, readPauseCause } from './as-of.gates.ts';
import {
  configurationAt,
  readBatches,
  readLandingsAt,
  readLineAt,
  readMergeResults,
  readQueue,
  readTargetsAt,
  toBatch,
  usualValues,
  type BatchRow,
  type LineAt,
  type WaitingRow,
  type QueueRow,
} from './as-of.rows.ts';

export interface QueueAsOf {
  /** Null: now. */
  readonly at: Date | null;
  readonly now: number;
  readonly repositoryId: string;
  readonly defaultBranch: string;
  readonly baseBranch: string;
  readonly tip: string;
  readonly configuration: Configuration;
  readonly rules: QueueRules;
  /** The line. Own checks of pull requests that only wait are not read, and have the verdict `none`. */
  readonly view: LineView;
  /** The rank of the first pull request that cannot be explained by `view`. Infinity: `view` has the whole line. */
  readonly coveredTo: number;
  /** Why each live batch was started. */
  readonly causes: ReadonlyMap<string, BatchCause>;
  readonly pause: Pause | null;
  readonly pausedBy: Cause | null;
  readonly frozen: FreezeInForce<StoredFreeze> | null;
  readonly frozenBy: Cause | null;
  /** When the next merge window opens. Null: landings do not wait for a merge window. */
  readonly windowFrom: number | null;
  readonly haltedReason: string | null;
  /** Why the rules of the host may refuse a landing. Null: no reason is known, or the queue is halted. */
  readonly hostWarning: string | null;
  /** Until when the host refuses requests. Null: the host accepts them, or the time is not on record. */
  readonly hostWaitUntil: number | null;
  readonly preparingSince: number | null;
  /** False for an instant in the past, because only the present activity is on record. */
  readonly isInactive: boolean;
  readonly haltedAt: number | null;
  readonly haltedBy: Cause | null;
}

interface QueueAtInstant {
  readonly queueId: string;
  /** Null: now. */
  readonly at: Date | null;
  /** How many pull requests at the front of the line must be covered. Absent, or not now: the whole line is read. */
  readonly front?: number | null;
}

/** Whether the pull request is in the part of the line that was read, and everything that it waits for is too. */
export function isCovered({ view, coveredTo }: QueueAsOf, pullRequestId: string): boolean {
  if (coveredTo === Infinity) return true;
  const pullRequest = view.pullRequests.get(pullRequestId);
  return pullRequest !== undefined && (pullRequest.skipLine || pullRequest.rank < coveredTo);
}

/** Null: there is no record of the queue at that instant. */
export async function loadQueueAsOf(ctx: Context, tx: Transaction, request: QueueAtInstant): Promise<QueueAsOf | null> {
  const { queueId, at } = request;
  const instant = at?.toISOString() ?? 'infinity';
  const now = (at ?? ctx.clock()).getTime();
  const queue = await readQueue(ctx, tx, { queueId, instant });
  if (queue === undefined) return null;
  const { repositoryId, defaultBranch, baseBranch, haltedAt } = queue;
  const configurationYaml =
    at === null ? queue.configurationYaml : await configurationAt(ctx, tx, { repositoryId, instant });
  const { configuration, rules } = rulesOf({ configurationYaml }, queue);
  const haltedReason = haltOf({ configurationYaml }, queue);
  const [{ freezes, ...holds }, rows, landed] = await Promise.all([
    loadHolds(ctx, tx, { ...request, queue, now, instant }),
    readBatches(ctx, tx, { queueId, instant }),
    readLandingsAt(ctx, tx, { queueId, now, instant }),
  ]);
  const { coveredTo, ...parts } = await readParts(ctx, tx, { ...request, queue, rules, rows, landed, now, instant });
  const snapshot: Snapshot = {
    ...parts,
    queue: {
      ...queueState(queueId, queue, parts.lineage),
      paused: holds.pause !== null,
      haltedReason,
      landingsFrom: decideLandingsFrom({ configuration, baseBranch, freezes }, now),
    },
    rules,
    departures: [],
    // The rows about repeated reads of checks are deleted after some time. Only ejections need them.
    readings: [],
  };
  return {
    ...holds,
    at,
    now,
    repositoryId,
    defaultBranch,
    baseBranch,
    tip: snapshot.queue.tip,
    configuration,
    rules,
    view: viewLine(snapshot, now),
    coveredTo,
    causes: new Map(rows.map((row) => [row.id, row.cause])),
    windowFrom: landingsFrom(configuration, baseBranch, now),
    haltedReason,
    hostWarning: haltedReason === null ? (queue.hostRules?.why ?? null) : null,
    preparingSince: at === null ? queue.preparingSince : null,
    isInactive: at === null && !queue.active,
    hostWaitUntil: at === null && (queue.hostWaitUntil ?? 0) > now ? queue.hostWaitUntil : null,
    haltedAt,
  };
}

interface HoldsOf extends QueueAtInstant {
  readonly queue: QueueRow;
  readonly now: number;
  readonly instant: string;
}

/** The reasons why landings of the queue wait, each with its event. */
async function loadHolds(ctx: Context, tx: Transaction, { queueId, at, queue, now, instant }: HoldsOf) {
  const { repositoryId, baseBranch } = queue;
  const of = { queueId, repositoryId, instant };
  const repository = { accountId: ctx.accountId, id: repositoryId, paused: queue.paused };
  const [pause, haltedBy, stored] = await Promise.all([
    at === null ? readPauseNow(tx, repository, baseBranch) : readPauseAt(ctx, tx, { ...of, baseBranch }),
    queue.haltedReason === null ? null : readHaltCause(ctx, tx, of),
    loadBranchFreezes(tx, { accountId: ctx.accountId, repositoryId, at }),
  ]);
  const freezes = freezesOf(stored, baseBranch);
  const frozen = findFreezeInForce(freezes, now);
  return {
    freezes,
    pause,
    pausedBy: pause === null ? null : await readPauseCause(ctx, tx, { ...of, pattern: pause.pattern }),
    frozen,
    frozenBy: frozen === null ? null : freezeCause(frozen),
    haltedBy,
  };
}

function queueState(id: string, { baseBranch, tip, tree }: QueueRow, lineage: readonly string[]) {
  return {
    id,
    baseBranch,
    tip: tip ?? '',
    tipTree: tree ?? '',
    lineage,
    // Only side builds of the planner need the earlier tips. Explanations do not need them.
    ownLine: [tip ?? ''],
    nextPosition: 0,
    buildsElsewhere: 0,
  };
}

interface Read extends HoldsOf {
  readonly rules: QueueRules;
  readonly rows: readonly BatchRow[];
  readonly landed: readonly RecordedLanding[];
}

interface Parts
  extends Pick<Snapshot, 'pullRequests' | 'batches' | 'builds' | 'mergeResults' | 'landings'>,
    Pick<QueueAsOf, 'coveredTo'> {
  readonly lineage: string[];
}

async function readParts(ctx: Context, tx: Transaction, of: Read): Promise<Parts> {
  const { at, queue, rules, rows, landed, instant } = of;
  const { repositoryId } = queue;
  const tip = queue.tip ?? '';
  const batches = rows.map((row) => toBatch(row, instant));
  const members = batches.flatMap((batch) => batch.members);
  const lineage = lineageOf(landed, tip);
  const parents = [...lineage, ...batches.flatMap((batch) => [batch.parentCommit, batch.commit ?? batch.parentCommit])];
  const mergeResults = await readMergeResults(ctx, tx, { repositoryId, parents, instant });
  const { line, coveredTo } = await readLine(ctx, tx, { ...of, members, mergeResults });
  const bases = batches.flatMap((batch) => (batch.sideBuild === 'speculative' ? [batch.base] : []));
  const heads = [...line.waiting, ...line.others].map(({ headSha }) => headSha);
  const tested = batches.flatMap(({ testedCommit, restsOn }) => [...(testedCommit ? [testedCommit] : []), ...restsOn]);
  const commits = [...tested, ...line.others.map(({ headSha }) => headSha)];
  const trees = batches.flatMap((batch) => batch.tree ?? []);
  const evidenceHeads = mayHeadsBeEvidence(rules) ? heads : [];
  const membersOf = batches.map((batch) => [batch.id, batch.members.map(({ pullRequest }) => pullRequest)] as const);
  const inLine = [...line.waiting, ...line.others].map(({ id }) => id);
  const [builds, gates, landings, targets] = await Promise.all([
    loadJudgedBuilds(ctx, tx, { wanted: { repositoryId, commits, trees, heads: evidenceHeads, at }, rules }),
    loadGates(ctx, tx, { rules, batches: labelBatches(membersOf, line.others), at }),
    loadLandings(ctx, tx, { landed, tip, since: bases }),
    rules.useAffectedTargets ? readTargetsAt(ctx, tx, { ids: inLine, instant }) : new Map<string, string[]>(),
  ]);
  return {
    coveredTo,
    lineage,
    landings,
    pullRequests: toPullRequests({ line, builds, rules, targets }),
    batches: batches.map((batch) => ({ ...batch, gates: gates.get(batch.id) ?? [] })),
    builds: withoutHeads(builds, rules, [...heads, ...members.map(({ head }) => head)]),
    mergeResults,
  };
}

interface LineOf extends Read {
  readonly members: readonly PinnedHead[];
  readonly mergeResults: Snapshot['mergeResults'];
}

/** Reads the whole line, or the front of a long line. */
async function readLine(
  ctx: Context,
  tx: Transaction,
  { queueId, at, front: size = null, queue: { repositoryId }, rules, instant, members, mergeResults }: LineOf,
): Promise<{ readonly line: LineAt; readonly coveredTo: number }> {
  // Explanations name the pull requests with these heads.
  const conflicting = mergeResults.flatMap((result) => result.heads.slice(0, result.conflictAt));
  const heads = [...conflicting, ...members.map(({ head }) => head)];
  const of = { queueId, repositoryId, rules, heads };
  const front = at === null && size !== null ? await findFront(ctx, tx, { ...of, size }) : null;
  const inBatches = [...new Set(members.map(({ pullRequest }) => pullRequest))];
  const { barrierLabel } = rules;
  return {
    line: await readLineAt(ctx, tx, { queueId, instant, barrierLabel, inBatches, ids: front?.ids ?? null }),
    coveredTo: front?.coveredTo ?? Infinity,
  };
}

interface PullRequestsOf {
  readonly line: LineAt;
  readonly builds: readonly BuildState[];
  readonly rules: QueueRules;
  readonly targets: ReadonlyMap<string, readonly string[]>;
}

const emptyRow: WaitingRow = { id: '', number: 0, headSha: '', rank: 0, queuedAt: 0 };

function toPullRequests({
  line: { waiting, others },
  builds,
  rules,
  targets,
}: PullRequestsOf): readonly PullRequestState[] {
  const inLine = new Set([...waiting, ...others].map(({ id }) => id));
  const buildOf = new Map(builds.map((build) => [build.commit, build]));
  const waitingState = toPullRequestState({ ...usualValues, ...emptyRow }, undefined, rules);
  return withStacks([
    ...waiting.map(({ id, number, headSha: head, rank, queuedAt }) => ({
      ...waitingState,
      id,
      number,
      head,
      rank,
      queuedAt: Math.round(queuedAt),
      targets: targets.get(id) ?? null,
    })),
    ...others.map((row) => ({
      ...toPullRequestState(row, buildOf.get(row.headSha), rules),
      targets: targets.get(row.id) ?? null,
      below: row.belowId && inLine.has(row.belowId) ? row.belowId : null,
    })),
  ]);
}
