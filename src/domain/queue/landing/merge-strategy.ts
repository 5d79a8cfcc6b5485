// The merge strategy of a pull request: the configured strategy, unless a label of the pull request names another.
import { hasLabel } from '../../label-names.ts';
import type { Configuration } from '../../configuration/keys.ts';
import type { MergeStrategy } from '../model/rules.ts';

type StrategyRules = Configuration['merge_rules']['merge_strategy'];

const strategies = ['squash', 'merge', 'rebase'] as const;

/** The strategies that the labels of a pull request ask for. More than one is a contradiction. */
function askedStrategies(labels: readonly string[], rules: StrategyRules): readonly MergeStrategy[] {
  return strategies.filter((strategy) => {
    const label = rules.override_labels[strategy];
    return label !== '' && hasLabel(labels, label);
  });
}

export function strategyOf(labels: readonly string[], rules: StrategyRules): MergeStrategy {
  const [asked, other] = askedStrategies(labels, rules);
  return asked === undefined || other !== undefined ? rules.name : asked;
}

/** The clause for the author if the labels ask for different strategies. Null: the labels agree. */
export function strategyContradiction(labels: readonly string[], rules: StrategyRules): string | null {
  const strategies = askedStrategies(labels, rules);
  if (strategies.length < 2) return null;
  const named = strategies.map((strategy) => `${rules.override_labels[strategy]} (${strategy})`);
  return `its labels ask for different merge strategies: ${named.join(', ')}; remove all except one`;
}
