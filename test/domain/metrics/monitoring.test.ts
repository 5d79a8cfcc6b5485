// The dashboard and the alerts of deploy/monitoring are PromQL that names metrics and labels that exist, and the docs name
// each alert.
import { expect, it } from 'vitest';
import { catalogue, entryOf, type MetricName } from '../../../src/domain/metrics/catalogue.ts';
import { metricsMarkdown } from '../../../src/domain/metrics/markdown.ts';
import { alertRules, expressions, readExpression, ruleTests } from '../../support/monitoring.ts';

/** Metrics of the process and of Temporal's SDK. Tests with servers and workers check that they exist. */
const foreign = /^(?:temporal_workflow_failed_total|nodejs_eventloop_lag_p99_seconds|process_resident_memory_bytes)$/;
const labelsOfPrometheus = ['le', 'instance', 'workflow_type'];

function metricOf(name: string): MetricName | undefined {
  const base = name.replace(/_(?:bucket|count|sum)$/, '');
  return [name, base].find((each): each is MetricName => Object.hasOwn(catalogue, each));
}

it.each(expressions)('%s names metrics that exist, with labels that they have: %s', (_title, expr) => {
  const { metrics, labels, errors } = readExpression(expr);
  expect(errors).toEqual([]);
  expect(metrics).not.toEqual([]);
  const own = metrics.filter((name) => !foreign.test(name));
  expect(own.filter((name) => metricOf(name) === undefined)).toEqual([]);
  const known = own.flatMap((name) => {
    const metric = metricOf(name);
    return metric === undefined ? [] : entryOf(metric).labels;
  });
  expect(labels.filter((label) => ![...known, ...labelsOfPrometheus].includes(label))).toEqual([]);
});

it.each([
  ['sum by (what (interlock_overdue_work)', ['(interlock_overdue_work)']],
  ['max(interlock_queues_halted) >', ['']],
  ['rate(interlock_landings_total[5m]', ['']],
])('the parser finds what is wrong with %s', (expr, errors) => {
  expect(readExpression(expr).errors).toEqual(errors);
});

it('deploy/monitoring/alerts.test.yml tests each alert, for promtool', () => {
  const tested = new Set(ruleTests.match(/Interlock[A-Z]\w+/g));
  expect([...tested].sort()).toEqual(alertRules.map(({ alert }) => alert).sort());
});

it('the docs explain each alert, and no other', () => {
  const said = metricsMarkdown()
    .split('\n')
    .filter((line) => line.startsWith('| `Interlock'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(said.sort()).toEqual(alertRules.map(({ alert }) => alert).sort());
});
