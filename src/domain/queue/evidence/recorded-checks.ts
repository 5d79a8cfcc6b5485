// Whether a report of the host about the checks of a commit contains anything that is not recorded yet.
import { isServiceCheck } from './service-checks.ts';

interface Check {
  readonly name: string;
  readonly attempt: number;
  readonly conclusion: string;
}

export interface RecordedChecks {
  readonly checks: readonly Check[];
  /** Whether the host said that no further check will start. Once true, it stays true. */
  readonly complete: boolean;
  readonly canceled: boolean;
}

/** An attempt that has ended does not run again, so a report that calls the attempt pending is outdated. */
export function hasNews(report: RecordedChecks, recorded: RecordedChecks): boolean {
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
