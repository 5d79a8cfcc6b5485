import { expect, test } from 'vitest';
import { explain, type ExplainedPullRequest } from '../../../src/domain/queue/explain.ts';

const queued: ExplainedPullRequest = {
  status: 'queued',
  code: null,
  text: null,
  ahead: 0,
  batch: null,
  paused: null,
  haltedReason: null,
};
const building = { verdict: 'pending', hasCommit: true, landingBegun: false, companions: [] } as const;

const cases: readonly (readonly [Partial<ExplainedPullRequest>, string, string | null, string])[] = [
  [{ status: 'open' }, 'not_asked', 'author', 'Nobody has asked to merge it.'],
  [{ status: 'merged' }, 'merged', null, 'It is merged.'],
  [{ status: 'closed' }, 'closed', 'author', 'It is closed: reopen it to merge it.'],
  [
    { status: 'pending', code: 101, text: 'It has 0 of 1 required approvals.' },
    'precondition',
    'reviewer',
    'It has 0 of 1 required approvals.',
  ],
  [
    { status: 'blocked', code: 107, text: 'A required check failed: unit.' },
    'blocked',
    'author',
    'A required check failed: unit.',
  ],
  [{ status: 'blocked', code: 118 }, 'blocked', 'admin', 'Its base branch is not managed by the queue.'],
  [{ haltedReason: 'DATABASE_RESTORED', batch: building }, 'halted', 'admin', 'The queue is halted: DATABASE_RESTORED'],
  [{ paused: { message: 'release day' } }, 'paused', 'admin', 'The queue is paused: release day'],
  [
    { paused: { message: null }, batch: { ...building, verdict: 'green', landingBegun: true } },
    'landing',
    'queue',
    'It is being merged now.',
  ],
  [{ ahead: 0 }, 'in_line', 'queue', 'It waits for a build; nothing is before it.'],
  [{ ahead: 3 }, 'in_line', 'queue', 'It waits for a build; 3 pull requests are before it.'],
  [
    { status: 'tagged', batch: { ...building, companions: [4, 7] } },
    'building',
    'ci',
    'Its build together with #4, #7 is running.',
  ],
  [{ batch: { ...building, hasCommit: false } }, 'building', 'ci', 'Its build is being made.'],
  [
    { status: 'tagged', batch: { ...building, verdict: 'red' } },
    'build_failed',
    'queue',
    'Its build failed; the queue finds out which change is at fault.',
  ],
  [
    { status: 'tagged', ahead: 1, batch: { ...building, verdict: 'green' } },
    'in_line',
    'queue',
    'Its build is green; one pull request is before it.',
  ],
  [
    { status: 'tagged', batch: { ...building, verdict: 'green' } },
    'own_checks',
    'ci',
    'Its build is green; it merges as soon as its own required checks have passed.',
  ],
];
test.each(cases)('%j: %s', (change, kind, who, sentence) =>
  expect(explain({ ...queued, ...change })).toEqual({ kind, who, sentence }),
);
