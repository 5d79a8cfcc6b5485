import { stringify } from 'yaml';
import { parseConfiguration, problemText } from '../../../src/domain/configuration/index.ts';
import type { Configuration, Problem } from '../../../src/domain/configuration/index.ts';

/** Returns a configuration as YAML: the required key `merge_rules.labels.trigger`, and `key` with `value`. */
export function documentWith(key: string, value: unknown): string {
  const path = key.split('.');
  const root: Record<string, unknown> = { merge_rules: { labels: { trigger: 'mergequeue' } } };
  let group = root;
  for (const name of path.slice(0, -1)) {
    group[name] ??= {};
    group = group[name] as Record<string, unknown>;
  }
  group[path.at(-1) ?? ''] = value;
  return stringify(root);
}

export function accepted(text: string): Configuration {
  const parsed = parseConfiguration(text);
  if (!parsed.ok) throw new Error(`refused: ${parsed.problems.map(problemText).join('\n')}`);
  return parsed.configuration;
}

export function problemsOf(text: string): Problem[] {
  const parsed = parseConfiguration(text);
  return parsed.ok ? [] : parsed.problems;
}

export const rules = (yaml: string) => accepted(`merge_rules:\n  labels: {trigger: mergequeue}\n${yaml}`);
