export { compareWithInvariants, watchInvariants } from './invariants/find.ts';
export { createMetricsPage, type MetricsPage } from './metrics-page.ts';
export { findOverdue, overdueAnswer, watchOverdue, type Overdue } from './overdue.reads.ts';
export { findParts } from './readiness.reads.ts';
