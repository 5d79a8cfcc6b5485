// Finds the rule that decides whether a base branch is paused (interface 2.3).
import { isGlob, literalLength, matchesGlob } from '../../glob.ts';

/** A rule without its message. A message may have 60,000 characters, and only that of the rule in force is needed. */
export interface PatternRule {
  readonly pattern: string;
  readonly paused: boolean;
}

export interface PauseRule extends PatternRule {
  readonly pausedMessage: string | null;
}

/** A pause in force: its message, and the pattern of its rule. */
export interface Pause {
  readonly message: string | null;
  /** Null: the repository itself is paused. */
  readonly pattern: string | null;
}

/**
 * The rule that decides about a base branch. Among the matching rules a plain name comes first, then the rule with most
 * literal characters, then the newest. Null: none matches.
 */
export function findRuleInForce<Rule extends PatternRule>(
  newestFirst: readonly Rule[],
  baseBranch: string,
): Rule | null {
  let found: Rule | null = null;
  for (const rule of newestFirst) {
    if (!matchesGlob(rule.pattern, baseBranch)) continue;
    if (found === null || specificity(rule) > specificity(found)) found = rule;
  }
  return found;
}

/** The repository's own pause overrides all rules. If the repository is not paused, the rules decide. */
export function decidePause<Rule extends PatternRule>(
  repository: { readonly paused: boolean },
  newestFirst: readonly Rule[],
  baseBranch: string,
): { readonly by: Rule | 'repository' } | null {
  if (repository.paused) return { by: 'repository' };
  const rule = findRuleInForce(newestFirst, baseBranch);
  return rule?.paused ? { by: rule } : null;
}

/**
 * Whether one of the newer rules could decide instead of the rule with this pattern about a base branch that both match.
 * Rules with plain names match no common base branch.
 */
export function couldBeOverridden(pattern: string, newer: readonly Pick<PatternRule, 'pattern'>[]): boolean {
  return (
    isGlob(pattern) &&
    newer.some((rule) => specificity(rule) === specificity({ pattern }) && mayMatchTheSame(rule.pattern, pattern))
  );
}

/** False only if the beginnings or the ends of two globs contradict each other. */
function mayMatchTheSame(one: string, other: string): boolean {
  const [start, otherStart] = [one.slice(0, one.indexOf('*')), other.slice(0, other.indexOf('*'))];
  const [end, otherEnd] = [one.slice(one.lastIndexOf('*') + 1), other.slice(other.lastIndexOf('*') + 1)];
  return (
    (start.startsWith(otherStart) || otherStart.startsWith(start)) && (end.endsWith(otherEnd) || otherEnd.endsWith(end))
  );
}

function specificity({ pattern }: Pick<PatternRule, 'pattern'>): number {
  return isGlob(pattern) ? literalLength(pattern) : Number.POSITIVE_INFINITY;
}

/**
 * Lists every rule, and every base branch without a rule of exactly its name, with the result of the rules. With
 * `pattern`: only the rule with exactly this pattern, and the base branches that it matches. Sorted by pattern.
 */
export function listPauses(
  newestFirst: readonly PauseRule[],
  baseBranches: readonly string[],
  pattern: string | null,
): PauseRule[] {
  const named = new Set(newestFirst.map((rule) => rule.pattern));
  const unnamed = [...new Set(baseBranches)]
    .filter((branch) => !named.has(branch))
    .map((branch): PauseRule => {
      const rule = findRuleInForce(newestFirst, branch);
      return { pattern: branch, paused: rule?.paused ?? false, pausedMessage: rule?.pausedMessage ?? null };
    });
  return [...newestFirst, ...unnamed]
    .filter((each) => pattern === null || each.pattern === pattern || isBranchOf(pattern, each.pattern))
    .toSorted((a, b) => (a.pattern < b.pattern ? -1 : 1));
}

// A rule with a plain name represents this base branch. A glob represents no single branch.
function isBranchOf(pattern: string, entry: string): boolean {
  return !isGlob(entry) && matchesGlob(pattern, entry);
}
