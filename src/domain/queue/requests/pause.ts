// Which rule decides whether a base branch is paused (interface 2.3).
import { isGlob, literalLength, matchesGlob } from '../../glob.ts';

export interface PauseRule {
  readonly pattern: string;
  readonly paused: boolean;
  readonly pausedMessage: string | null;
}

/** A pause that is in force: what it says, and the rule it comes from. */
export interface Pause {
  readonly message: string | null;
  /** Null: the repository itself is paused. */
  readonly pattern: string | null;
}

/** Of the rules that match: the plain name, then the one with most literal characters, then the newest. Null: none matches. */
export function findRuleInForce<Rule extends PauseRule>(newestFirst: readonly Rule[], baseBranch: string): Rule | null {
  let found: Rule | null = null;
  for (const rule of newestFirst) {
    if (!matchesGlob(rule.pattern, baseBranch)) continue;
    if (found === null || specificity(rule) > specificity(found)) found = rule;
  }
  return found;
}

/** The repository's own pause stands above all rules; a repository that is not paused leaves it to them. */
export function decidePause(
  repository: { readonly paused: boolean },
  newestFirst: readonly PauseRule[],
  baseBranch: string,
): Pause | null {
  if (repository.paused) return { message: null, pattern: null };
  const rule = findRuleInForce(newestFirst, baseBranch);
  return rule?.paused ? { message: rule.pausedMessage, pattern: rule.pattern } : null;
}

function specificity({ pattern }: PauseRule): number {
  return isGlob(pattern) ? literalLength(pattern) : Number.POSITIVE_INFINITY;
}

/**
 * How base branches stand: every rule, and each base branch that no rule names literally with what the rules say of
 * it. With `pattern`: the rule of that very text, and the base branches it matches. By pattern.
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

// A rule that is a plain name stands for that base branch; a glob stands for none in particular.
function isBranchOf(pattern: string, entry: string): boolean {
  return !isGlob(entry) && matchesGlob(pattern, entry);
}
