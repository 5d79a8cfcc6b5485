// Whether a host's report of a commit's checks says anything that is not kept yet.
import { isServiceCheck } from './service-checks.ts';

interface Check {
  readonly name: string;
  readonly attempt: number;
  readonly conclusion: string;
}

export interface KeptChecks {
  readonly checks: readonly Check[];
  /** Whether the host said that no further check comes. It stays so. */
  readonly complete: boolean;
  readonly canceled: boolean;
}

/** An attempt that has ended does not run again: a report that it is pending is an old one. */
export function hasNews(report: KeptChecks, kept: KeptChecks): boolean {
  if (report.complete && !kept.complete) return true;
  if (report.canceled && !kept.canceled) return true;
  const known = new Map(kept.checks.map((check) => [`${check.attempt} ${check.name}`, check.conclusion]));
  return report.checks
    .filter(({ name }) => !isServiceCheck(name))
    .some(({ name, attempt, conclusion }) => {
      const before = known.get(`${attempt} ${name}`);
      return before === undefined || (conclusion !== 'pending' && conclusion !== before);
    });
}
