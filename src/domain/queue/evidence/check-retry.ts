// Decides about retries of flaky checks. A failed check is retried once before it counts as failed. A retry is a new
// attempt, and the newest attempt counts. A check that must not be retried counts as failed immediately.
import { matchesGlob } from '../../glob.ts';
import { failedChecks, failedChecksOfBuild } from './evidence.ts';
import { isServiceCheck } from './service-checks.ts';
import type { QueueRules } from '../model/rules.ts';
import type { BuildState, CheckState } from '../model/snapshot.ts';

/** A retry of one check on one commit. A check is retried at most once on each commit. */
export interface Retry {
  readonly commit: string;
  readonly name: string;
  /** The attempt that failed. */
  readonly attempt: number;
  /** `planned`: the host was not asked yet to start the retry. `refused`: the host refused to start a new attempt. */
  readonly state: 'planned' | 'started' | 'refused';
  /** When the host was asked to start the retry. Null: not yet. */
  readonly startedAt: number | null;
}

export interface CheckRetries {
  /** Failed checks that must be retried. */
  readonly due: readonly CheckState[];
  /**
   * Names of failed checks that do not count as failed yet: the checks of `due`, and retried checks whose new attempt
   * has not appeared.
   */
  readonly undecided: readonly string[];
  /**
   * When the first retried check counts as failed because its new attempt has not appeared. Null: no attempt is
   * awaited.
   */
  readonly until: number | null;
}

type RetryRules = Pick<QueueRules, 'retriableChecks' | 'requiredChecks' | 'ownRequiredChecks'>;

/** How long after the start of a retry its new attempt must appear at the host. */
export const attemptAppearsWithinMs = 10 * 60_000;

const nothing: CheckRetries = { due: [], undecided: [], until: null };

/**
 * Decides which of the checks that make a build or a head red are retried. A check that never ran, or was canceled, is
 * not retried.
 */
export function decideRetries(
  build: BuildState,
  of: { readonly rules: RetryRules; readonly retries: readonly Retry[]; readonly now: number },
): CheckRetries {
  const { retriableChecks } = of.rules;
  if (retriableChecks === null) return nothing;
  const due: CheckState[] = [];
  const awaited: CheckState[] = [];
  const ends: number[] = [];
  for (const check of failuresOf(build, of.rules)) {
    if (check.conclusion === 'cancelled' || isServiceCheck(check.name)) continue;
    if (!retriableChecks.some((glob) => matchesGlob(glob, check.name))) continue;
    const retry = of.retries.find(({ commit, name }) => commit === build.commit && name === check.name);
    if (retry === undefined) due.push(check);
    else if (retry.attempt === check.attempt && retry.state !== 'refused') {
      const end = retry.startedAt === null ? null : retry.startedAt + attemptAppearsWithinMs;
      if (end !== null && end <= of.now) continue;
      awaited.push(check);
      if (end !== null) ends.push(end);
    }
  }
  const until = ends.length === 0 ? null : Math.min(...ends);
  return { due, undecided: [...due, ...awaited].map((check) => check.name), until };
}

/** The build with its undecided checks as pending. */
export function withUndecidedChecks(build: BuildState, undecided: readonly string[]): BuildState {
  if (undecided.length === 0) return build;
  const checks = build.checks.map((check) =>
    undecided.includes(check.name) ? { ...check, conclusion: 'pending' as const } : check,
  );
  return { ...build, checks };
}

/** The newest attempts of all checks that fail the build by the rules for builds or by the rules for heads. */
function failuresOf(build: BuildState, rules: RetryRules): CheckState[] {
  const names = new Set([
    ...failedChecksOfBuild(build, rules.requiredChecks),
    ...failedChecks(build, rules.ownRequiredChecks),
  ]);
  return [...names].flatMap((name) => {
    const attempts = build.checks.filter((check) => check.name === name);
    return attempts.length === 0 ? [] : [attempts.reduce((a, b) => (b.attempt > a.attempt ? b : a))];
  });
}

/** The text of the configuration about a retried check, inline or in a file. */
export interface RetryContext {
  readonly context?: string | undefined;
  readonly contextFile?: string | undefined;
}

/** Chooses the text for the check `name`: its own text, or else the text for all checks. */
export function chooseRetryContext(
  name: string,
  retry: RetryContext & { readonly checks: readonly (RetryContext & { readonly name: string })[] },
): RetryContext {
  const own = retry.checks.find((check) => matchesGlob(check.name, name));
  const chosen = own?.context || own?.contextFile ? own : retry;
  return { context: chosen.context || undefined, contextFile: chosen.contextFile };
}
