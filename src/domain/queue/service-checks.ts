// Checks that the service itself reports, such as a verification. They are of a pull request's own head: no build has
// them, and none is asked for them.
const prefix = 'interlock/';

/** Of a check's name, or of a glob that can match nothing else. */
export function isServiceCheck(name: string): boolean {
  return name.startsWith(prefix);
}

/** SQL over a column of names: it is CI's. */
export function isOfCi(column: string): string {
  return `${column} not like '${prefix}%'`;
}
