// The expressions of the alerts and of the dashboard in deploy/monitoring, read by the parser of Prometheus's own user
// interface.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { projectRoot } from '../../src/platform/project-root.ts';

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const read = (name: string): string => readFileSync(join(projectRoot, 'deploy', 'monitoring', name), 'utf8');

export const alertRules = (parse(read('alerts.yml')) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
/** The tests of the alerts, for promtool. */
export const ruleTests = read('alerts.test.yml');
const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: readonly Panel[] };

/** Grafana puts a duration in the place of this variable. */
const interval = '$__rate_interval';

/** The title of each alert and panel, with its expression. */
export const expressions: readonly (readonly [string, string])[] = [
  ...alertRules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) =>
    (targets ?? []).map(({ expr }) => [title, expr.replaceAll(interval, '5m')] as const),
  ),
];

interface ReadExpression {
  readonly metrics: readonly string[];
  /** The labels that select series or group results. */
  readonly labels: readonly string[];
  /** The text from each place at which the expression is not PromQL. */
  readonly errors: readonly string[];
}

export function readExpression(expr: string): ReadExpression {
  const found = { metrics: new Set<string>(), labels: new Set<string>(), errors: [] as string[] };
  parser.parse(expr).iterate({
    enter: ({ name, from, to, type, node }) => {
      const text = expr.slice(from, to);
      if (type.isError) found.errors.push(expr.slice(from));
      else if (name === 'Identifier' && node.parent?.name === 'VectorSelector') found.metrics.add(text);
      else if (name === 'LabelName') found.labels.add(text);
    },
  });
  return { metrics: [...found.metrics], labels: [...found.labels], errors: found.errors };
}
