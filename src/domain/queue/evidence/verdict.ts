// The verdict of each live batch, from the results of CI and the evidence for its tree, by the rules in force now.
import { isComposed } from './composed-evidence.ts';
import {
  checksOfMerge,
  collectEvidence,
  failedChecksOfBuild,
  findEvidence,
  isCanceledAgain,
  isKnownRed,
  judgeBuild,
  missingChecks,
  pendingUntil,
  waitsAgainSince,
  type Evidence,
} from './evidence.ts';
import { judgeGates } from './final-gates.ts';
import { blockText } from '../model/status.ts';
import type { QueueRules } from '../model/rules.ts';
import type { BatchState, BuildState, PullRequestState, Snapshot } from '../model/snapshot.ts';

/**
 * `worthless`: the build was canceled, is too old to prove anything, or contradicts a green build of its tree. It must be
 * repeated. A build that was canceled again is red. `evidence` is '' when validation is skipped.
 */
export type BatchVerdict =
  | { readonly kind: 'pending' }
  | { readonly kind: 'green'; readonly evidence: string }
  | { readonly kind: 'red'; readonly failedChecks: readonly string[]; readonly missing: readonly string[] }
  /** `text` says what did not finish in time. */
  | { readonly kind: 'timed_out'; readonly text: string }
  | { readonly kind: 'worthless'; readonly code: 308 | 309 }
  /** The build is green, and a final gate did not pass. */
  | { readonly kind: 'gate_closed'; readonly text: string };

interface Facts {
  readonly snapshot: Snapshot;
  readonly rules: QueueRules;
  readonly now: number;
  readonly evidence: Evidence;
  readonly builds: ReadonlyMap<string, BuildState>;
  readonly pullRequests: ReadonlyMap<string, PullRequestState>;
  readonly readings: ReadonlyMap<string, number | null>;
}

/** Verdicts by batch. */
export function judgeBatches(snapshot: Snapshot, now: number): Map<string, BatchVerdict> {
  const facts: Facts = {
    snapshot,
    rules: snapshot.rules,
    now,
    evidence: collectEvidence(snapshot, now),
    builds: new Map(snapshot.builds.map((build) => [build.commit, build])),
    pullRequests: new Map(snapshot.pullRequests.map((pullRequest) => [pullRequest.id, pullRequest])),
    readings: readingsOf(snapshot),
  };
  return new Map(snapshot.batches.map((batch) => [batch.id, judge(batch, facts)]));
}

/**
 * The ids of the batches that were started without a build of their own, and that no other build justifies any more.
 * Each needs its own build now. During a pause there are none, unless the configuration allows builds during a pause.
 */
export function findUnbuiltBatches(snapshot: Snapshot, now: number): ReadonlySet<string> {
  const { queue, rules, batches } = snapshot;
  const unbuilt = batches.filter(({ needsNoBuild, state }) => needsNoBuild && state === 'building');
  if (unbuilt.length === 0 || (queue.paused && (rules.maxParallelPausedBuilds ?? 0) === 0)) return new Set();
  const verdicts = judgeBatches(snapshot, now);
  return new Set(unbuilt.flatMap(({ id }) => (verdicts.get(id)?.kind === 'pending' ? [id] : [])));
}

function judge(batch: BatchState, facts: Facts): BatchVerdict {
  if (batch.commit === null || batch.tree === null) return { kind: 'pending' };
  // A red build proves nothing while there is a green build of the same tree.
  const evidence = findEvidence(facts.evidence, batch.tree, {
    preferredCommit: batch.testedCommit ?? batch.commit,
    rules: facts.rules,
  });
  if (evidence !== null) return judgeByGates(batch, evidence.commit, facts.now);
  const [part] = batch.restsOn;
  if (part !== undefined && !facts.rules.landsBuiltCommitsOnly && isJustifiedByParts(batch, facts))
    return judgeByGates(batch, part, facts.now);
  if (skipsValidation(batch, facts)) return { kind: 'green', evidence: '' };
  const build = facts.builds.get(batch.testedCommit ?? batch.commit);
  if (build !== undefined && waitsForOtherChecks(build, facts)) return { kind: 'pending' };
  return (build === undefined ? null : judgeByBuild(build, facts)) ?? judgeByClock(batch, build, facts);
}

/**
 * Whether green speculative builds justify the landing. Together they must prove as much about its members as one build
 * of the whole landing would. No build of its tree may be red.
 */
function isJustifiedByParts(batch: BatchState, { evidence, snapshot, rules, pullRequests }: Facts): boolean {
  if (batch.tree !== null && isKnownRed(batch.tree, snapshot.builds, rules)) return false;
  const parts = snapshot.batches.filter(
    ({ sideBuild, commit, tree }) =>
      sideBuild === 'speculative' &&
      commit !== null &&
      batch.restsOn.includes(commit) &&
      findEvidence(evidence, tree ?? '', { preferredCommit: null, rules }),
  );
  const targetsOf = (id: string): readonly string[] | null =>
    rules.useAffectedTargets ? (pullRequests.get(id)?.targets ?? null) : null;
  return isComposed({
    tip: batch.parentCommit,
    members: batch.members.map((member) => ({ ...member, targets: targetsOf(member.pullRequest) })),
    parts: parts.map(({ base, assumes, members }) => ({ base, content: [...assumes, ...members] })),
    landings: snapshot.landings,
  });
}

/**
 * Whether all required checks of the build are green, and the build only waits for other checks. No time limit of CI
 * applies to the other checks.
 */
function waitsForOtherChecks(build: BuildState, { rules, now }: Pick<Facts, 'rules' | 'now'>): boolean {
  return judgeBuild(build, rules.requiredChecks) === 'green' && pendingUntil(build, rules) > now;
}

function judgeByGates({ gates = [] }: BatchState, evidence: string, now: number): BatchVerdict {
  const outlook = judgeGates(gates, now);
  return outlook.kind === 'closed' ? { kind: 'gate_closed', text: outlook.text } : { kind: 'green', evidence };
}

/** Null while the checks of the build run. */
function judgeByBuild(build: BuildState, facts: Facts): BatchVerdict | null {
  const { rules, snapshot } = facts;
  const verdict = judgeBuild(build, rules.requiredChecks);
  switch (verdict) {
    case 'red':
      return isRefuted(build, facts) ? { kind: 'worthless', code: 309 } : redBy(build, rules);
    case 'none':
      return isCanceledAgain(build, snapshot.builds, rules) ? redBy(build, rules) : { kind: 'worthless', code: 309 };
    case 'green':
      // A green build that is no evidence may have tested the head together with other commits. Otherwise it ended more
      // than a day ago, or its base stopped being the tip more than a day ago.
      return { kind: 'worthless', code: checksOfMerge(build, rules.requiredChecks).length > 0 ? 309 : 308 };
    case 'pending':
      return null;
    default:
      return verdict satisfies never;
  }
}

/**
 * Whether the red build must be repeated, because another commit with its tree is green and no second build of the tree
 * is red. If the host accepts only commits that were built themselves, the green build does not justify a landing. In
 * serial mode the next batch has the same head and so the same red build, so nothing would be repeated.
 */
function isRefuted({ tree }: BuildState, { rules, snapshot, evidence }: Facts): boolean {
  if (!rules.landsBuiltCommitsOnly || rules.mode === 'serial' || !evidence.has(tree)) return false;
  const ofTree = snapshot.builds.filter((build) => build.tree === tree);
  return ofTree.filter((build) => judgeBuild(build, rules.requiredChecks) === 'red').length < 2;
}

function redBy(build: BuildState, { requiredChecks }: QueueRules): BatchVerdict {
  const failedChecks = failedChecksOfBuild(build, requiredChecks);
  return { kind: 'red', failedChecks, missing: missingChecks(build, requiredChecks) };
}

function judgeByClock(batch: BatchState, build: BuildState | undefined, facts: Facts): BatchVerdict {
  const { rules, now, readings } = facts;
  const deadline = ciDeadline(batch, build, rules);
  if (deadline !== null && now >= deadline) return { kind: 'timed_out', text: blockText(111) };
  const start = startDeadline(batch, build, rules);
  if (start === null || now < start || !wasReadSince(readings.get(batch.testedCommit ?? ''), start))
    return { kind: 'pending' };
  return { kind: 'timed_out', text: `CI started no check within ${rules.checksStartedTimeoutMins} min.` };
}

/** When the checks of a commit were last read from the host again, by commit. Null: not yet. */
export function readingsOf(snapshot: Snapshot): ReadonlyMap<string, number | null> {
  return new Map(snapshot.readings.map((reading) => [reading.commit, reading.doneAt]));
}

export function wasReadSince(doneAt: number | null | undefined, since: number): boolean {
  return typeof doneAt === 'number' && doneAt >= since;
}

/** When a build without any check times out. Null: the build has a check, was not started, or has no such limit. */
export function startDeadline(batch: BatchState, build: BuildState | undefined, rules: QueueRules): number | null {
  const hasStarted = build !== undefined && build.checks.length > 0;
  const startedAt = ciStart(batch);
  return rules.checksStartedTimeoutMins === 0 || startedAt === null || hasStarted
    ? null
    : startedAt + rules.checksStartedTimeoutMins * 60_000;
}

/**
 * When a pending build times out. Null: never, or the build was not started. A check that runs again has the whole time
 * again, because the build may have waited for its landing before.
 */
export function ciDeadline(batch: BatchState, build: BuildState | undefined, rules: QueueRules): number | null {
  const startedAt = ciStart(batch);
  if (rules.ciTimeoutMins === 0 || startedAt === null) return null;
  const againAt = build === undefined ? -Infinity : waitsAgainSince(build, rules.requiredChecks);
  return Math.max(startedAt, againAt) + rules.ciTimeoutMins * 60_000;
}

/** When CI started to test the batch. Null: not yet. If the batch gets its own build later, its start is set again. */
function ciStart({ buildStartedAt, needsNoBuild }: BatchState): number | null {
  return needsNoBuild ? null : buildStartedAt;
}

function skipsValidation(batch: BatchState, { rules, pullRequests }: Facts): boolean {
  const members = batch.members.map((member) => pullRequests.get(member.pullRequest) ?? { skipValidation: false });
  return isValidationSkipped(rules, members);
}

/** Whether a batch of these pull requests lands without evidence. */
export function isValidationSkipped(
  { mode }: Pick<QueueRules, 'mode'>,
  members: readonly Pick<PullRequestState, 'skipValidation'>[],
): boolean {
  return mode === 'no-queue' || members.every(({ skipValidation }) => skipValidation);
}
