// Compares a report of the host about the checks of a commit with what is recorded.
import { matchesGlob } from '../../glob.ts';
import type { RequiredCheck } from '../model/rules.ts';
import type { CheckState } from '../model/snapshot.ts';
import { isServiceCheck } from './service-checks.ts';

interface Check {
  readonly name: string;
  readonly attempt: number;
  readonly conclusion: string;
  /** The host's number of the newest run of the check, at this attempt. Null or absent: not known. */
  readonly newestRun?: number | null;
}

export interface RecordedChecks {
  readonly checks: readonly Check[];
  /** Whether the host said that no further check will start. Once true, it stays true. */
  readonly complete: boolean;
  readonly canceled: boolean;
}

interface Report extends RecordedChecks {
  /** Names of workflows that have begun and are no checks. Absent: none. */
  readonly begun?: readonly string[];
}

/**
 * Names of the recorded checks that the host has withdrawn: workflows that waited for an approval, and have begun.
 * Their runs count instead.
 */
export function withdrawnChecks({ begun = [] }: Pick<Report, 'begun'>, { checks }: RecordedChecks): string[] {
  return begun.filter((name) =>
    checks.some((check) => check.name === name && check.conclusion === 'action_required' && !isServiceCheck(name)),
  );
}

/**
 * The checks of a report, with numbers of attempts that do not decrease.
 *
 * - The host counts runs, and a person may delete runs. A later run would then be an attempt before those that are
 *   recorded, and an earlier result would hide its result.
 * - An App may set a run that has ended back to running. The run keeps its number, and is a new attempt here. If a later
 *   run follows while this attempt is pending, the attempt is that of the later run.
 *
 * `recorded` was read before the host was asked, so that a recorded end is older than the report.
 */
export function withLastingAttempts<Reported extends Check>(
  checks: readonly Reported[],
  recorded: readonly Check[],
): Reported[] {
  const added = new Map<string, number>();
  for (const { name, attempt, newestRun, conclusion } of checks) {
    if (newestRun === undefined || newestRun === null) continue;
    const ofName = recorded.filter((check) => check.name === name);
    const known = ofName.filter((check) => check.newestRun);
    const ofRun = known.filter((check) => check.newestRun === newestRun);
    const greatest = Math.max(0, ...ofName.map((check) => check.attempt));
    // A process of an earlier version records no number, so its greatest attempt may be the one of the reported run.
    const isComparable = known.some((check) => check.attempt === greatest);
    const isLater = isComparable && known.every((check) => (check.newestRun ?? 0) < newestRun);
    const before = isLater ? (awaitsRun(ofName, greatest) ? greatest : greatest + 1) : 0;
    const lasting = Math.max(attempt, before, ...ofRun.map((check) => check.attempt));
    const isReopened =
      conclusion === 'pending' &&
      lasting === greatest &&
      ofName.some((check) => check.attempt === lasting && hasEndedBefore(check, newestRun));
    added.set(name, (isReopened ? lasting + 1 : lasting) - attempt);
  }
  return checks.map((check) => ({ ...check, attempt: check.attempt + (added.get(check.name) ?? 0) }));
}

/** Whether the greatest attempt is pending and has no run of its own, because an ended run was set back. */
function awaitsRun(ofName: readonly Check[], greatest: number): boolean {
  const last = ofName.find(({ attempt }) => attempt === greatest);
  return (
    last?.conclusion === 'pending' &&
    ofName.some(({ attempt, newestRun }) => attempt < greatest && newestRun === last.newestRun)
  );
}

/** Whether the recorded attempt has ended, and no run of it is newer than the given one. */
function hasEndedBefore({ conclusion, newestRun }: Check, run: number): boolean {
  return conclusion !== 'pending' && (newestRun ?? run) <= run;
}

/**
 * Whether a check whose last attempt has ended is reported as pending for the first time. Either it runs again, or the
 * report is outdated, because a server of the host answers late. No event of the host says which, so the host must be
 * asked again.
 */
export function runsAgain(report: Pick<Report, 'checks'>, recorded: Pick<RecordedChecks, 'checks'>): boolean {
  return report.checks.some(({ name, attempt, conclusion }) => {
    const ofName = recorded.checks.filter((check) => check.name === name);
    return (
      conclusion === 'pending' &&
      ofName.length > 0 &&
      ofName.every((check) => check.attempt < attempt && check.conclusion !== 'pending')
    );
  });
}

/** An attempt that has ended does not run again: a run that was set back is a new attempt (`withLastingAttempts`). */
export function hasNews(report: Report, recorded: RecordedChecks): boolean {
  if (withdrawnChecks(report, recorded).length > 0) return true;
  if (report.complete && !recorded.complete) return true;
  if (report.canceled && !recorded.canceled) return true;
  const known = new Map(recorded.checks.map((check) => [`${check.attempt} ${check.name}`, check.conclusion]));
  return report.checks
    .filter(({ name }) => !isServiceCheck(name))
    .some(({ name, attempt, conclusion }) => {
      const before = known.get(`${attempt} ${name}`);
      return before === undefined || (conclusion !== 'pending' && conclusion !== before);
    });
}

/**
 * The results of a proof that must be on record. A check that was allowed to be pending at the landing proves nothing,
 * and has ended since. `gate`: the required checks. Null: every check that ran was required.
 */
export function provingResults(checks: readonly CheckState[], gate: readonly RequiredCheck[] | null): CheckState[] {
  const mustEnd = (check: string): boolean =>
    gate === null ||
    gate.some(({ name, acceptableStatuses }) => matchesGlob(name, check) && !acceptableStatuses.includes('pending'));
  return checks.filter(({ name, conclusion }) => conclusion !== 'pending' || mustEnd(name));
}
