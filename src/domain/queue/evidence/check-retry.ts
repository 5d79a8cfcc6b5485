// Flaky checks. A failed check is tried again once before it counts. A retry adds an attempt and waits for its result.
// A retry never turns a check green by itself: the newest attempt counts, and a check that may not be tried again fails
// at once.
import { matchesGlob } from '../../glob.ts';
import { failedChecks, failedChecksOfBuild } from './evidence.ts';
import { isServiceCheck } from './service-checks.ts';
import type { QueueRules } from '../model/rules.ts';
import type { BuildState, CheckState } from '../model/snapshot.ts';

/** A retry of one check on one commit. There is at most one, ever. */
export interface Retry {
  readonly commit: string;
  readonly name: string;
  /** The attempt that failed. */
  readonly attempt: number;
  /** `planned`: the host has not been asked yet. `refused`: the host will not start a new attempt. */
  readonly state: 'planned' | 'started' | 'refused';
  /** When the host was asked. */
  readonly startedAt: number | null;
}

export interface CheckRetries {
  /** Checks that failed and are to be tried again. */
  readonly due: readonly CheckState[];
  /**
   * Names of failed checks that do not count yet: the `due` ones, and retried ones whose new attempt has not appeared.
   */
  readonly undecided: readonly string[];
  /** When a retried check whose new attempt never appears counts as failed. Null: no attempt is awaited. */
  readonly until: number | null;
}

type RetryRules = Pick<QueueRules, 'retriableChecks' | 'requiredChecks' | 'ownRequiredChecks'>;

/** How long a host that accepted a retry has to show the new attempt. */
export const attemptAppearsWithinMs = 10 * 60_000;

const nothing: CheckRetries = { due: [], undecided: [], until: null };

/**
 * Decides on the checks that make a build or a head red. A check that never ran, or whose build was canceled, is not
 * retried.
 */
export function decideRetries(
  build: BuildState,
  of: { readonly rules: RetryRules; readonly retries: readonly Retry[]; readonly now: number },
): CheckRetries {
  const { retriableChecks } = of.rules;
  if (retriableChecks === null || build.canceled) return nothing;
  const due: CheckState[] = [];
  const awaited: CheckState[] = [];
  const ends: number[] = [];
  for (const check of failuresOf(build, of.rules)) {
    if (isServiceCheck(check.name) || !retriableChecks.some((glob) => matchesGlob(glob, check.name))) continue;
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

/** The build with its retried checks as pending. */
export function withUndecided(build: BuildState, undecided: readonly string[]): BuildState {
  if (undecided.length === 0) return build;
  const checks = build.checks.map((check) =>
    undecided.includes(check.name) ? { ...check, conclusion: 'pending' as const } : check,
  );
  return { ...build, checks };
}

/** The newest attempts of the failed checks, judged as a build or as the head of a pull request. */
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

/** The configuration's text about a retried check, inline or in a file. A check's own text precedes the general one. */
export interface RetryContext {
  readonly context?: string | undefined;
  readonly contextFile?: string | undefined;
}

export function contextOf(
  name: string,
  retry: RetryContext & { readonly checks: readonly (RetryContext & { readonly name: string })[] },
): RetryContext {
  const own = retry.checks.find((check) => matchesGlob(check.name, name));
  const chosen = own?.context || own?.contextFile ? own : retry;
  return { context: chosen.context || undefined, contextFile: chosen.contextFile };
}
