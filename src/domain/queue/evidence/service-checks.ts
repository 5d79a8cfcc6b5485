// Checks that the service itself reports, such as a verification. They are on the heads of pull requests. Builds never
// have them and never require them.
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
 * Why a check of that name, or a glob of service checks only, would be awaited for ever. Null: it would not be. Names
 * are compared with their case. The prefix is compared without it: no check of another system may begin with it.
 */
export function unknownServiceCheck(name: string): string | null {
  const meant = name.toLowerCase();
  if (!isServiceCheck(meant) || names.some((known) => matchesGlob(name, known))) return null;
  const [nearest = ''] = names.toSorted((a, b) => editDistance(meant, a) - editDistance(meant, b));
  return `is no check of the service, to which names that begin with ${prefix} belong: write ${nearest}`;
}

/** An SQL condition over a column of names: the check is one of CI's. */
export function isOfCi(column: string): string {
  return `${column} not like '${prefix}%'`;
}
