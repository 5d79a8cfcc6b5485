// What results of CI prove. Evidence belongs to trees: a green build justifies every landing of its tree.
import { isGlob, matchesGlob } from '../../glob.ts';
import { isServiceCheck } from './service-checks.ts';
import type { CheckConclusion, QueueRules, RequiredCheck } from '../model/rules.ts';
import type { BuildState, CheckState, Snapshot, Verdict } from '../model/snapshot.ts';

/** The conclusions that count as passed unless the configuration names others. */
export const passingByDefault: readonly CheckConclusion[] = ['success', 'skipped', 'neutral'];
export const evidenceLifetimeMs = 24 * 60 * 60 * 1000;

/** The checks of one commit. `complete`: no further check will start by itself. */
export interface CheckList {
  readonly checks: readonly CheckState[];
  readonly complete: boolean;
}

/**
 * The verdict of the checks of a commit. The newest attempt of each name counts. If `required` is null, every check
 * that ran counts; if no check ran, the verdict is `none`. If `required` is empty, the verdict is green. A missing
 * required check is pending until the list is complete. If a required check was canceled, and no required check failed
 * or is pending, the verdict is `none`.
 */
export function judgeChecks(list: CheckList, required: readonly RequiredCheck[] | null): Verdict {
  const checks = newestAttempts(list.checks);
  if (required === null) {
    if (checks.length === 0) return 'none';
    return judgeConclusions(checks, { accepted: passingByDefault, mayGrow: !list.complete });
  }
  return worst(required.map((requirement) => judgeRequirement(requirement, checks, list.complete)));
}

/**
 * The verdict of a pull request's own checks on its head. A canceled required check is pending, because it has not
 * passed and may run again. In serial mode the head is the build. If the build proves nothing, the batch repeats every
 * canceled check of CI, so the verdict is `none`.
 */
export function judgeOwnHead(
  build: BuildState,
  rules: Pick<QueueRules, 'mode' | 'ownRequiredChecks' | 'requiredChecks'>,
): Verdict {
  const verdict = judgeChecks(build, rules.ownRequiredChecks);
  const canceled = verdict === 'none' ? newestAttempts(build.checks).filter(isCanceled) : [];
  const isRepeated = rules.mode === 'serial' && judgeBuild(build, rules.requiredChecks) === 'none';
  const isOfCi = !canceled.some(({ name }) => isServiceCheck(name));
  return canceled.length === 0 || (isRepeated && isOfCi) ? verdict : 'pending';
}

/**
 * The verdict of a build. It is `none` if the build proves nothing because a required check was canceled. A complete
 * build without any check is red, also if every required check may be missing: nothing has tested it.
 */
export function judgeBuild(build: BuildState, required: readonly RequiredCheck[] | null): Verdict {
  const list = ofCi(build);
  if (list.checks.length === 0) return build.complete ? 'red' : 'pending';
  return judgeChecks(list, atLeastOne(required));
}

/**
 * Whether a canceled build repeats a canceled build of the same tree, or its check was canceled in an earlier attempt
 * too. A canceled build is repeated only once, because the reason may be permanent, such as a time limit of a job. Builds
 * and attempts that the service itself stopped do not count.
 */
export function isCanceledAgain(
  build: BuildState,
  builds: readonly BuildState[],
  { requiredChecks }: Pick<QueueRules, 'requiredChecks'>,
): boolean {
  const { checks, stoppedAttempts = [] } = ofCi(build);
  const isStopped = (check: CheckState): boolean =>
    stoppedAttempts.some(({ name, attempt }) => name === check.name && attempt === check.attempt);
  const canceledByCi = checks.filter((check) => isCanceled(check) && !isStopped(check));
  const isRepeated = newestAttempts(checks)
    .filter(isCanceled)
    .some(({ name, attempt }) => canceledByCi.some((check) => check.name === name && check.attempt < attempt));
  const isOther = ({ tree, commit, isStopped }: BuildState): boolean =>
    tree === build.tree && commit !== build.commit && !isStopped;
  return (
    (isRepeated && !build.isStopped) ||
    builds.some((other) => isOther(other) && judgeBuild(other, requiredChecks) === 'none')
  );
}

/**
 * Names of the checks of a head that may have tested the head together with other commits. GitHub runs workflows of
 * `pull_request` and the like on the merge of the head into its base branch. This merge has the tree of the head only if
 * the head contained the tip of its base branch. A workflow of `pull_request_target` runs on a base branch, and may merge
 * the head into it. Only checks that count for `required` are named.
 */
export function checksOfMerge(
  build: Pick<BuildState, 'base' | 'otherBaseUntil' | 'checks'>,
  required: readonly RequiredCheck[] | null,
): string[] {
  return newestAttempts(build.checks)
    .filter((check) => check.event?.startsWith('pull_request') && mayBeOfOtherBase(check, build))
    .map(({ name }) => name)
    .filter((name) => !isServiceCheck(name))
    .filter((name) => atLeastOne(required)?.some((requirement) => matchesGlob(requirement.name, name)) ?? true);
}

function mayBeOfOtherBase(
  { workflowRunAt = -Infinity }: CheckState,
  { base, otherBaseUntil = -Infinity }: Pick<BuildState, 'base' | 'otherBaseUntil'>,
): boolean {
  return base === '' || (otherBaseUntil > -Infinity && workflowRunAt <= otherBaseUntil);
}

/**
 * Whether checks of a head may still begin or end that `checksOfMerge` would name. Until then it is not known whether the
 * checks test the head.
 */
export function mayTestMerge(build: BuildState, required: readonly RequiredCheck[] | null): boolean {
  const hasVerdict = ['green', 'red'].includes(judgeBuild(build, required));
  return build.base === '' && !build.complete && !hasVerdict;
}

/**
 * Names of the checks that make a build red. If CI ended without running any check, the build is red and the list is
 * empty.
 */
export function failedChecksOfBuild(build: BuildState, required: readonly RequiredCheck[] | null): string[] {
  return failedChecks(ofCi(build), atLeastOne(required));
}

// The head commit of a pull request may also be tested as a build. The checks that the service itself reports on a head
// do not belong to the build.
function ofCi(build: BuildState): BuildState {
  const isServiceCheckState = ({ name }: CheckState): boolean => isServiceCheck(name);
  return build.checks.some(isServiceCheckState)
    ? { ...build, checks: build.checks.filter((check) => !isServiceCheckState(check)) }
    : build;
}

// An untested commit is never green, even if no check is required.
function atLeastOne(required: readonly RequiredCheck[] | null): readonly RequiredCheck[] | null {
  return required?.length === 0 ? null : required;
}

/**
 * Names of the failed and canceled checks, in the order of the host. A missing check appears by its required name.
 */
export function failedChecks(list: CheckList, required: readonly RequiredCheck[] | null): string[] {
  const checks = newestAttempts(list.checks);
  if (required === null)
    return checks.filter((check) => isFailure(check.conclusion, passingByDefault)).map((check) => check.name);
  const failed = required.flatMap((requirement) => {
    const matching = checks.filter((check) => matchesGlob(requirement.name, check.name));
    if (matching.length === 0)
      return judgeRequirement(requirement, [], list.complete) === 'red' ? [requirement.name] : [];
    return matching
      .filter((check) => isFailure(check.conclusion, requirement.acceptableStatuses))
      .map((check) => check.name);
  });
  return [...new Set(failed)];
}

/** The checks of `failedChecks` that never ran, by their required names. */
export function missingChecks(list: CheckList, required: readonly RequiredCheck[] | null): string[] {
  const isSeen = ({ name }: RequiredCheck): boolean => list.checks.some((check) => matchesGlob(name, check.name));
  const missing = (required ?? []).filter(
    (requirement) => !isSeen(requirement) && judgeRequirement(requirement, [], list.complete) === 'red',
  );
  return [...new Set(missing.map((requirement) => requirement.name))];
}

/** The newest attempt of each check. */
export function newestAttempts(checks: readonly CheckState[]): CheckState[] {
  const newest = new Map<string, CheckState>();
  for (const check of checks) {
    const known = newest.get(check.name);
    if (known === undefined || check.attempt > known.attempt) newest.set(check.name, check);
  }
  return [...newest.values()];
}

function judgeRequirement(requirement: RequiredCheck, checks: readonly CheckState[], complete: boolean): Verdict {
  const accepted = requirement.acceptableStatuses;
  const matching = checks.filter((check) => matchesGlob(requirement.name, check.name));
  if (matching.length === 0) {
    if (!complete || requirement.isAwaited) return 'pending';
    if (accepted.includes('missing')) return 'green';
    // The check may be missing because a check that it needs was canceled.
    return checks.some(isCanceled) ? 'none' : 'red';
  }
  // A glob may still match a check that has not started.
  return judgeConclusions(matching, { accepted, mayGrow: isGlob(requirement.name) && !complete });
}

function judgeConclusions(
  checks: readonly CheckState[],
  { accepted, mayGrow }: { readonly accepted: readonly CheckConclusion[]; readonly mayGrow: boolean },
): Verdict {
  const others = checks.filter(({ conclusion }) => !accepted.includes(conclusion));
  const isRed = others.some((check) => check.conclusion !== 'pending' && !isCanceled(check));
  if (isRed) return 'red';
  if (mayGrow || others.some(({ conclusion }) => conclusion === 'pending')) return 'pending';
  return others.length === 0 ? 'green' : 'none';
}

function isCanceled({ conclusion }: CheckState): boolean {
  return conclusion === 'cancelled';
}

function isFailure(conclusion: CheckConclusion, accepted: readonly CheckConclusion[]): boolean {
  return conclusion !== 'pending' && !accepted.includes(conclusion);
}

function worst(verdicts: readonly Verdict[]): Verdict {
  return (['red', 'pending', 'none'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'green';
}

/** The part of a snapshot that evidence is read from. */
export interface EvidenceSource {
  readonly queue: Pick<Snapshot['queue'], 'lineage'>;
  readonly rules: Pick<QueueRules, 'requiredChecks' | 'waitsForPendingWorkflows' | 'landsBuiltCommitsOnly'>;
  readonly builds: readonly BuildState[];
}

type HeadRules = Pick<QueueRules, 'mode' | 'skipDraftWhenUpToDate'>;

/**
 * Whether the build of a head commit itself may be evidence. False if every pull request must be tested in a bot pull
 * request.
 */
export function mayHeadsBeEvidence(rules: HeadRules): boolean {
  return rules.mode !== 'parallel' || rules.skipDraftWhenUpToDate;
}

/** Removes the builds of `heads` if builds of head commits must not be evidence. */
export function withoutHeads(
  builds: readonly BuildState[],
  rules: HeadRules,
  heads: readonly string[],
): readonly BuildState[] {
  if (mayHeadsBeEvidence(rules)) return builds;
  const own = new Set(heads);
  return builds.filter((build) => !own.has(build.commit));
}

const longestPendingMs = 60 * 60_000;

/**
 * When a green build stops waiting for running checks that are not required: one hour after the last check on its
 * commit ended. `-Infinity`: the build does not wait.
 */
export function pendingUntil(build: BuildState, rules: Pick<QueueRules, 'waitsForPendingWorkflows'>): number {
  const isPending =
    rules.waitsForPendingWorkflows &&
    newestAttempts(ofCi(build).checks).some((check) => check.conclusion === 'pending');
  return isPending ? (build.lastEndAt ?? build.startedAt) + longestPendingMs : -Infinity;
}

/**
 * Since when a pending build waits, if all checks for which it waits run again. -Infinity: it waits for a check that
 * runs for the first time or has not started, or the instant is not known.
 */
export function waitsAgainSince(build: BuildState, required: readonly RequiredCheck[] | null): number {
  const checks = newestAttempts(ofCi(build).checks);
  const needed = atLeastOne(required);
  const isPending = ({ conclusion }: CheckState): boolean => conclusion === 'pending';
  const groups =
    needed === null
      ? [build.complete ? checks : []]
      : needed
          .filter((requirement) => judgeRequirement(requirement, checks, build.complete) === 'pending')
          .map(({ name }) =>
            isGlob(name) && !build.complete ? [] : checks.filter((check) => matchesGlob(name, check.name)),
          );
  const earliest = (instants: readonly number[]): number => (instants.length === 0 ? -Infinity : Math.min(...instants));
  return earliest(groups.map((group) => earliest(group.filter(isPending).map(({ heardAt = -Infinity }) => heardAt))));
}

/** Green builds by tree, judged by the checks that are required now. A plan computes this once. */
export type Evidence = ReadonlyMap<string, readonly BuildState[]>;

export function collectEvidence(snapshot: EvidenceSource, now: number): Evidence {
  const lineage = new Set(snapshot.queue.lineage);
  const evidence = new Map<string, BuildState[]>();
  for (const build of snapshot.builds) {
    if (
      !lineage.has(build.base) ||
      !isFresh(build, now) ||
      judgeBuild(build, snapshot.rules.requiredChecks) !== 'green' ||
      checksOfMerge(build, snapshot.rules.requiredChecks).length > 0 ||
      pendingUntil(build, snapshot.rules) > now
    )
      continue;
    const known = evidence.get(build.tree);
    if (known === undefined) evidence.set(build.tree, [build]);
    else known.push(build);
  }
  return evidence;
}

/** Whether a build is recent enough to be evidence. */
export function isFresh(build: BuildState, now: number): boolean {
  // `finishedAt` is null while checks that are not required still run.
  return build.finishedAt === null || now - build.finishedAt <= evidenceLifetimeMs;
}

/**
 * Prefers the build of `preferredCommit`, so that the landed commit itself was tested, and not only its tree. If the
 * host accepts only commits that were built themselves, no other build counts.
 */
export function findEvidence(
  evidence: Evidence,
  tree: string,
  { preferredCommit, rules }: { readonly preferredCommit: string | null; readonly rules: EvidenceSource['rules'] },
): BuildState | null {
  const builds = evidence.get(tree) ?? [];
  const preferred = builds.find((build) => build.commit === preferredCommit);
  return preferred ?? (rules.landsBuiltCommitsOnly && preferredCommit !== null ? null : (builds[0] ?? null));
}

/**
 * Whether the tree was built as a whole and was red. Only another build of the same tree can refute this result; builds
 * of its parts cannot.
 */
export function isKnownRed(
  tree: string,
  builds: readonly BuildState[],
  { requiredChecks }: Pick<QueueRules, 'requiredChecks'>,
): boolean {
  return builds.some((build) => build.tree === tree && judgeBuild(build, requiredChecks) === 'red');
}

/**
 * The build that justifies a landing of `tree` now: green, ended at most 24 h ago, on a commit of the lineage. Null:
 * there is none.
 */
export function evidenceFor(
  tree: string,
  snapshot: EvidenceSource,
  { now, preferredCommit = null }: { readonly now: number; readonly preferredCommit?: string | null },
): BuildState | null {
  const builds = snapshot.builds.filter((build) => build.tree === tree);
  return findEvidence(collectEvidence({ ...snapshot, builds }, now), tree, { preferredCommit, rules: snapshot.rules });
}
