/** Joins class names, and leaves out those that are undefined or false. */
export function cx(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
