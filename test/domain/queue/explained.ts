// What `explain` is told about a pull request that is in line, about its build, and about a freeze.
import type { ExplainedBatch, ExplainedPullRequest } from '../../../src/domain/queue/explain/explain.ts';

export const queued: ExplainedPullRequest = {
  status: 'queued',
  code: null,
  text: null,
  dequeued: null,
  ahead: 0,
  skippers: [],
  hold: null,
  ownChecks: null,
  finalGate: null,
  batch: null,
  paused: null,
  haltedReason: null,
  frozen: null,
  landingsFrom: null,
};
export const building: ExplainedBatch = {
  verdict: 'pending',
  cause: 'new',
  hasCommit: true,
  landingStarted: false,
  otherMembers: [],
  assumes: [],
  mayBePassed: false,
};
export const opensAt = Date.parse('2026-01-05T08:00:00Z');
export const frozen = {
  freeze: {
    id: '1',
    source: 'manual',
    reason: 'release week',
    createdBy: 'ada@example.com',
    span: { startsAt: 0, endsAt: opensAt },
    createdAt: 0,
  },
  until: opensAt,
  atLeastUntil: null,
} as const;
