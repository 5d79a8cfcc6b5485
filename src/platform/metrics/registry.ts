// The metrics of a process, kept by prom-client: all metrics of the catalogue, and no others.
import { setTimeout as delay } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  catalogue,
  entryOf,
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
  type MetricName,
} from '../../domain/metrics/catalogue.ts';
import type { Measurement } from '../../domain/metrics/of-event.ts';

/** Records measurements. Its methods are synchronous and never throw. */
export interface Meter {
  /** Adds to a counter. `by`: how much. Default: 1. */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  time<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, seconds: number): void;
  take(measurements: readonly Measurement[]): void;
}

/** One value of a gauge, with its labels. */
export interface Series<Name extends GaugeName> {
  readonly labels: LabelsOf<Name>;
  readonly value: number;
}

export interface Metrics {
  readonly meter: Meter;
  /** Replaces all series of a gauge. */
  set<Name extends GaugeName>(name: Name, series: readonly Series<Name>[]): void;
  /**
   * Also measures this process: memory, CPU, the lag of its event loop. The measuring begins with the first page, because
   * prom-client measures the event loop by a timer that wakes an idle process a hundred times a second.
   */
  measureProcess(): void;
  /** Appends the text of another source to the page. Its metrics must have names of their own. */
  include(source: () => Promise<string>): void;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

const firstMeasuresMs = 50;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const counters = new Map<MetricName, Counter>();
  const gauges = new Map<MetricName, Gauge>();
  const histograms = new Map<MetricName, Histogram>();
  for (const name of Object.keys(catalogue) as MetricName[]) {
    const { kind, labels: labelNames, help, buckets, fromStart } = entryOf(name);
    const described = { name, help, labelNames, registers: [registry] };
    if (kind === 'counter') {
      const counter = new Counter(described);
      for (const labels of fromStart ?? []) counter.inc(labels, 0);
      counters.set(name, counter);
    } else if (kind === 'gauge') gauges.set(name, new Gauge(described));
    else histograms.set(name, new Histogram({ ...described, ...(buckets && { buckets: [...buckets] }) }));
  }
  const sources: (() => Promise<string>)[] = [];
  let ofProcess: 'ignored' | 'wanted' | 'measured' = 'ignored';
  const beginToMeasure = async (): Promise<void> => {
    ofProcess = 'measured';
    collectDefaultMetrics({ register: registry });
    // Without this pause, the first page would show the lag of an event loop that was never measured.
    await delay(firstMeasuresMs);
  };
  const count = (name: CounterName, labels: Readonly<Record<string, string>>, by = 1): void =>
    counters.get(name)?.inc(labels, by);
  const time = (name: HistogramName, labels: Readonly<Record<string, string>>, seconds: number): void =>
    histograms.get(name)?.observe(labels, seconds);
  return {
    meter: {
      count,
      time,
      take(measurements) {
        for (const each of measurements) {
          if (each.kind === 'count') count(each.name, each.labels);
          else time(each.name, each.labels, each.seconds);
        }
      },
    },
    set(name, series) {
      const gauge = gauges.get(name);
      gauge?.reset();
      for (const { labels, value } of series) gauge?.set(labels, value);
    },
    measureProcess: () => void (ofProcess = 'wanted'),
    include: (source) => void sources.push(source),
    async text() {
      if (ofProcess === 'wanted') await beginToMeasure();
      const texts = await Promise.all([registry.metrics(), ...sources.map(async (source) => await source())]);
      return texts.join('\n');
    },
    contentType: registry.contentType,
  };
}
