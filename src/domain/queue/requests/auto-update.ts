// Which open pull requests are brought up to date with a base that moved. Those in line are not: the queue tests them
// together with its tip anyway, and a new head would throw away their builds.
//
// A few at a time: one counts as under way from when it is planned until the checks of its new head have ended, so that
// a base that moves often keeps CI busy with no more than that. The one that waited longest is next, whoever is behind
// more, so that each gets its turn. A head whose checks still run is left to end them, or a busy base would start them
// over without end; a head that could not be brought up to date waits for its author.

/** Per base branch. */
export const mostUpdatesUnderWay = 5;

/** Checks that have not ended after this long are not waited for. */
const patienceMs = 30 * 60_000;

export interface UpdateCandidate {
  readonly id: string;
  readonly number: number;
  readonly labels: readonly string[];
  /** Automatic updates so far. */
  readonly runs: number;
  /** Null: never. */
  readonly lastUpdatedAt: number | null;
  /** Its head contains the tip. */
  readonly isUpToDate: boolean;
  /** Its present head is the one that could not be brought up to date. */
  readonly hasFailed: boolean;
  /** Since when the checks of its head run; null: they ended, or there are none. */
  readonly checksRunSince: number | null;
  /** Its present head is what an automatic update made. */
  readonly isAutomatic: boolean;
  /** A sync of it is open, whoever asked. */
  readonly isPlanned: boolean;
}

export interface AutoUpdateRules {
  readonly enabled: boolean;
  /** '': all of them. */
  readonly label: string;
  /** Null: no limit. */
  readonly maxRuns: number | null;
}

export interface AutoUpdatePlan {
  readonly update: readonly string[];
  /** Some wait for the checks of heads to end. */
  readonly waits: boolean;
  /** When to look again although no check ends; null: nobody waits. */
  readonly lookAgainAt: number | null;
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
    .slice(0, Math.max(0, mostUpdatesUnderWay - underWay.length))
    .map((candidate) => candidate.id);
  const waits = due.length > update.length;
  const ends = waits
    ? candidates.filter((each) => isRunning(each, now)).map((each) => (each.checksRunSince ?? now) + patienceMs)
    : [];
  return { update, waits, lookAgainAt: ends.length === 0 ? null : Math.min(...ends) };
}

function isDue(rules: AutoUpdateRules, candidate: UpdateCandidate): boolean {
  const { isUpToDate, hasFailed, isPlanned, runs, labels } = candidate;
  if (isUpToDate || hasFailed || isPlanned) return false;
  if (rules.maxRuns !== null && runs >= rules.maxRuns) return false;
  return rules.label === '' || labels.includes(rules.label);
}

function isRunning({ checksRunSince }: UpdateCandidate, now: number): boolean {
  return checksRunSince !== null && now - checksRunSince < patienceMs;
}
