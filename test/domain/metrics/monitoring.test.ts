// The dashboard and the alerts of deploy/monitoring name metrics and labels that exist, and the docs name each alert.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { catalogue, entryOf, type MetricName } from '../../../src/domain/metrics/catalogue.ts';
import { metricsMarkdown } from '../../../src/domain/metrics/markdown.ts';
import { projectRoot } from '../../../src/platform/project-root.ts';

const read = (name: string): string => readFileSync(join(projectRoot, 'deploy', 'monitoring', name), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const rules = (parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: readonly Panel[] };
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => (targets ?? []).map(({ expr }) => [title, expr] as const)),
];
/** Metrics of the process and of Temporal's SDK. Tests with servers and workers check that they exist. */
const foreign = /^(?:temporal_workflow_failed_total|nodejs_eventloop_lag_p99_seconds|process_resident_memory_bytes)$/;
const labelsOfPrometheus = ['le', 'instance', 'workflow_type'];

function metricOf(name: string): MetricName | undefined {
  const base = name.replace(/_(?:bucket|count|sum)$/, '');
  return [name, base].find((each): each is MetricName => Object.hasOwn(catalogue, each));
}

it.each(expressions)('%s names metrics that exist, with labels that they have: %s', (_title, expr) => {
  const names = expr.match(/\b(?:interlock|temporal|nodejs|process)_\w+/g) ?? [];
  expect(names).not.toEqual([]);
  const own = names.filter((name) => !foreign.test(name));
  expect(own.filter((name) => metricOf(name) === undefined)).toEqual([]);
  const known = own.flatMap((name) => {
    const metric = metricOf(name);
    return metric === undefined ? [] : entryOf(metric).labels;
  });
  const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
  const selected = [...expr.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
  expect([...grouped, ...selected].filter((label) => ![...known, ...labelsOfPrometheus].includes(label))).toEqual([]);
});

it('the docs explain each alert, and no other', () => {
  const said = metricsMarkdown()
    .split('\n')
    .filter((line) => line.startsWith('| `Interlock'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(said.sort()).toEqual(rules.map(({ alert }) => alert).sort());
});
