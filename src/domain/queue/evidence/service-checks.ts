// Checks that the service itself reports, such as a verification. They are on the head commits of pull requests, and
// never on builds.
import { editDistance } from '../../edit-distance.ts';
import { matchesGlob } from '../../glob.ts';
import { verificationCheckName } from '../../previews/check.ts';

const prefix = 'interlock/';
const names: readonly string[] = [verificationCheckName];

/** Whether the name, or every name that the glob can match, is a check of the service. */
export function isServiceCheck(name: string): boolean {
  return name.startsWith(prefix);
}

/**
 * The reason, as a clause, why a required check with this name or glob would be awaited for ever: the name has the
 * prefix of the service, but the service reports no such check. Null: the name has another prefix, or the service
 * reports the check. The prefix is compared without regard to case, because only checks of the service may begin with
 * it. Names are compared with regard to case.
 */
export function unknownServiceCheck(name: string): string | null {
  const lowerCased = name.toLowerCase();
  if (!isServiceCheck(lowerCased) || names.some((known) => matchesGlob(name, known))) return null;
  const [nearest = ''] = names.toSorted((a, b) => editDistance(lowerCased, a) - editDistance(lowerCased, b));
  return `is not a check of Interlock, although only checks of Interlock begin with ${prefix}: write ${nearest}`;
}

/**
 * Returns the SQL condition that a check is reported by CI and not by the service. `column` has the name of the check.
 */
export function isCheckOfCi(column: string): string {
  return `${column} not like '${prefix}%'`;
}
