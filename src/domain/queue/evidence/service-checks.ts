// Checks that the service itself reports, such as a verification. They are of a pull request's own head: no build has
// them, and none is asked for them.
import { editDistance } from '../../edit-distance.ts';
import { matchesGlob } from '../../glob.ts';
import { verificationCheckName } from '../../previews/check.ts';

const prefix = 'interlock/';
const names: readonly string[] = [verificationCheckName];

/** Of a check's name, or of a glob that can match nothing else. */
export function isServiceCheck(name: string): boolean {
  return name.startsWith(prefix);
}

/**
 * Why a check of that name, or a glob that can match none but the service's, would be waited for for ever; null: it would
 * not. Names are told apart by their case, prefixes are not: nobody else's begin with it.
 */
export function unknownServiceCheck(name: string): string | null {
  const meant = name.toLowerCase();
  if (!isServiceCheck(meant) || names.some((known) => matchesGlob(name, known))) return null;
  const [nearest = ''] = names.toSorted((a, b) => editDistance(meant, a) - editDistance(meant, b));
  return `is no check of the service, to which names that begin with ${prefix} belong: write ${nearest}`;
}

/** SQL over a column of names: it is CI's. */
export function isOfCi(column: string): string {
  return `${column} not like '${prefix}%'`;
}
