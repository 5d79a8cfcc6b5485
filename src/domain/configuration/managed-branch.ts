import { branchPattern } from './merge-rules.keys.ts';
import { matchesWhole } from './regex.ts';
import type { Configuration } from './keys.ts';

/** Whether the branch has a queue. Without base_branches only the default branch has a queue. */
export function isManagedBranch(configuration: Configuration, branch: string, defaultBranch: string): boolean {
  const managed = configuration.merge_rules.base_branches;
  if (managed.length === 0) return branch === defaultBranch;
  return managed.some((name) => matchesBranch(name, branch));
}

/**
 * Whether `name` matches the branch. A name between slashes is a regular expression that must match the whole branch
 * name.
 */
export function matchesBranch(name: string, branch: string): boolean {
  const pattern = branchPattern(name);
  return pattern === null ? branch === name : matchesWhole(pattern, branch);
}

/**
 * The base branches that the configuration lists by name. Branches that match a regular expression are not among them.
 */
export function namedBaseBranches(configuration: Configuration, defaultBranch: string): string[] {
  const managed = configuration.merge_rules.base_branches;
  return managed.length === 0 ? [defaultBranch] : managed.filter((name) => branchPattern(name) === null);
}
