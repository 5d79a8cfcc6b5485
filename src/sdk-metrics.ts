// Adds the metrics of Temporal's SDK (`temporal_…`) to the page /metrics, so that a worker needs no second port for
// them.
import type { MetricsBuffer } from '@temporalio/worker';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface SdkMetrics {
  text(): Promise<string>;
}

/** How often updates are taken out of the SDK's buffer. If the buffer is full, updates are lost. */
const takeOutEveryMs = 2_000;
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600];

type Update = ReturnType<MetricsBuffer['retrieveUpdates']> extends Iterable<infer Each> ? Each : never;

interface Known {
  readonly metric: Counter | Gauge | Histogram;
  /**
   * The labels of the metric's first update. Other labels are left out, because prom-client allows a fixed set of
   * labels for each metric.
   */
  readonly labelNames: ReadonlySet<string>;
}

export function collectSdkMetrics(buffer: MetricsBuffer): SdkMetrics {
  const registry = new Registry();
  const known = new Map<string, Known>();

  function find({ metric, attributes }: Update): Known {
    const name = nameOf(metric);
    const found = known.get(name);
    if (found !== undefined) return found;
    const labelNames = Object.keys(attributes);
    const described = { name, help: metric.description || name, labelNames, registers: [registry] };
    const made =
      metric.kind === 'counter'
        ? new Counter(described)
        : metric.kind === 'gauge'
          ? new Gauge(described)
          : new Histogram({ ...described, buckets });
    const entry = { metric: made, labelNames: new Set(labelNames) };
    known.set(name, entry);
    return entry;
  }

  function takeOut(): void {
    for (const update of buffer.retrieveUpdates()) {
      const { metric, labelNames } = find(update);
      const given = Object.entries(update.attributes).filter(([name]) => labelNames.has(name));
      const labels = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
      if (metric instanceof Counter) metric.inc(labels, update.value);
      else if (metric instanceof Gauge) metric.set(labels, update.value);
      else metric.observe(labels, update.value);
    }
  }

  setInterval(takeOut, takeOutEveryMs).unref();
  return {
    async text() {
      takeOut();
      return await registry.metrics();
    },
  };
}

function nameOf({ name, kind }: Update['metric']): string {
  const clean = name.replace(/[^a-zA-Z0-9_]/g, '_');
  return kind === 'counter' && !clean.endsWith('_total') ? `${clean}_total` : clean;
}
