// Flaky checks: what failed is tried again once before it counts. A retry adds an attempt and waits for it. It never
// makes anything green: the newest attempt counts, and what may not be tried again has failed at once.
import { matchesGlob } from '../../glob.ts';
import { failedChecks, failedChecksOfBuild } from './evidence.ts';
import { isServiceCheck } from './service-checks.ts';
import type { BuildState, CheckState, QueueRules } from '../model/snapshot.ts';

/** That a check of a commit is tried again: one retry for each, for good. */
export interface Retry {
  readonly commit: string;
  readonly name: string;
  /** The attempt that failed. */
  readonly attempt: number;
  /** `planned`: the host has not been asked yet. `refused`: there will be no new attempt. */
  readonly state: 'planned' | 'started' | 'refused';
  /** When the host was asked. */
  readonly startedAt: number | null;
}

export interface RetryOutlook {
  /** Checks that failed and are to be tried again. */
  readonly due: readonly CheckState[];
  /** Names of failed checks that do not count yet: those that are due, and those whose new attempt has not appeared. */
  readonly undecided: readonly string[];
  /** When one whose new attempt never appears counts as failed. Null: none is waited for. */
  readonly until: number | null;
}

type RetryRules = Pick<QueueRules, 'retriableChecks' | 'requiredChecks' | 'ownRequiredChecks'>;

/** A host that said it starts an attempt has this long to show it. */
export const attemptAppearsWithinMs = 10 * 60_000;

const nothing: RetryOutlook = { due: [], undecided: [], until: null };

/** Of the checks that make a build or a head red. One that never ran, and one of a canceled build, is not tried again. */
export function decideRetries(
  build: BuildState,
  of: { readonly rules: RetryRules; readonly retries: readonly Retry[]; readonly now: number },
): RetryOutlook {
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

/** The build as it is judged meanwhile: what is tried again is pending. */
export function withUndecided(build: BuildState, undecided: readonly string[]): BuildState {
  if (undecided.length === 0) return build;
  const checks = build.checks.map((check) =>
    undecided.includes(check.name) ? { ...check, conclusion: 'pending' as const } : check,
  );
  return { ...build, checks };
}

/** The newest attempts of what failed, as a build or as a pull request's own head. */
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

/** What the repository says of a check that is tried again: its own words before those for all. */
export interface RetryContext {
  readonly context?: string | undefined;
  readonly contextFile?: string | undefined;
}

export function contextOf(
  name: string,
  retry: RetryContext & { readonly checks: readonly (RetryContext & { readonly name: string })[] },
): RetryContext {
  const own = retry.checks.find((check) => matchesGlob(check.name, name));
  const says = own?.context || own?.contextFile ? own : retry;
  return { context: says.context || undefined, contextFile: says.contextFile };
}
