// Decides which open pull requests are updated after their base branch moved. Pull requests in line are not updated:
// the queue tests them together with the tip, and a new head would discard their builds.
//
// Only a few updates run at a time. An update counts as running from its plan until the checks of the new head have
// ended. So a base branch that moves often occupies CI with only a few updates. The pull request whose last update is
// oldest comes next, so that every pull request is updated in the end. A head whose checks still run is not updated,
// because a busy base would restart its checks without end. A head whose update failed waits for its author.
import { hasLabel } from '../../label-names.ts';

/** The greatest number of updates that run at a time for each base branch. */
export const maxUpdatesUnderWay = 5;

/** A head whose checks run longer than this is treated as if they had ended. */
const longestWaitMs = 30 * 60_000;

export interface UpdateCandidate {
  readonly id: string;
  readonly number: number;
  readonly labels: readonly string[];
  /** Number of automatic updates so far. */
  readonly runs: number;
  /** Null: it was never updated. */
  readonly lastUpdatedAt: number | null;
  /**
   * Whether its head contains the tip of its base branch. In a stack, that is the head of the pull request below. If the
   * one below is merged or closed, the pull request counts as up to date until it has another base branch.
   */
  readonly isUpToDate: boolean;
  /** Whether the update of its present head failed. */
  readonly hasFailed: boolean;
  /** When the checks of its head started. Null: they have ended, or there are none. */
  readonly checksRunSince: number | null;
  /** Whether an automatic update made its present head. */
  readonly isAutomatic: boolean;
  /** Whether an update of the pull request, automatic or requested, is planned or under way. */
  readonly isPlanned: boolean;
}

export interface AutoUpdateRules {
  readonly enabled: boolean;
  /** '': all pull requests. */
  readonly label: string;
  /** Null: no limit. */
  readonly maxRuns: number | null;
}

export interface AutoUpdatePlan {
  readonly update: readonly string[];
  /** Whether some pull requests that should be updated must wait. */
  readonly waits: boolean;
  /** When to plan again even if no check ends. Null: not needed. */
  readonly planAgainAt: number | null;
}

export function planAutoUpdates(
  rules: AutoUpdateRules,
  candidates: readonly UpdateCandidate[],
  now: number,
): AutoUpdatePlan {
  const due = rules.enabled ? candidates.filter((candidate) => isDue(rules, candidate)) : [];
  const underWay = candidates.filter((each) => each.isPlanned || (each.isAutomatic && isRunning(each, now)));
  const ready = due.filter((candidate) => !isRunning(candidate, now));
  const update = ready
    .toSorted((a, b) => (a.lastUpdatedAt ?? 0) - (b.lastUpdatedAt ?? 0) || a.number - b.number)
    .slice(0, Math.max(0, maxUpdatesUnderWay - underWay.length))
    .map((candidate) => candidate.id);
  const waits = due.length > update.length;
  const ends = waits
    ? candidates.filter((each) => isRunning(each, now)).map((each) => (each.checksRunSince ?? now) + longestWaitMs)
    : [];
  return { update, waits, planAgainAt: ends.length === 0 ? null : Math.min(...ends) };
}

function isDue(rules: AutoUpdateRules, candidate: UpdateCandidate): boolean {
  const { isUpToDate, hasFailed, isPlanned, runs, labels } = candidate;
  if (isUpToDate || hasFailed || isPlanned) return false;
  if (rules.maxRuns !== null && runs >= rules.maxRuns) return false;
  return rules.label === '' || hasLabel(labels, rules.label);
}

function isRunning({ checksRunSince }: UpdateCandidate, now: number): boolean {
  return checksRunSince !== null && now - checksRunSince < longestWaitMs;
}
