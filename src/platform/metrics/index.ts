export { createMetrics, type Meter, type Metrics, type Series } from './registry.ts';
