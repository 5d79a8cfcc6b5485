// The allowed names of projects and environments. Names are parts of paths and are compared exactly.
import { DomainError } from '../errors.ts';

/** In characters. */
export const longestName = 100;

export function requireReleaseName(name: string, field: string): string {
  const isPath = name === '.' || name === '..' || /[/\\\p{Cc}]/u.test(name);
  if (name.length === 0 || name.length > longestName || name !== name.trim() || isPath) {
    throw new DomainError(
      'BAD_INPUT',
      `${field} must have 1 to ${longestName} characters, no slash among them and no white space at either end`,
      field,
    );
  }
  return name;
}
