import { expect, test } from 'vitest';
import { explain, type ExplainedBatch, type ExplainedPullRequest } from '../../../src/domain/queue/explain/explain.ts';

const queued: ExplainedPullRequest = {
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
const building: ExplainedBatch = {
  verdict: 'pending',
  cause: 'new',
  hasCommit: true,
  landingStarted: false,
  otherMembers: [],
  assumes: [],
  mayBePassed: false,
};
const opensAt = Date.parse('2026-01-05T08:00:00Z');
const frozen = {
  freeze: {
    id: '1',
    source: 'manual',
    reason: 'release week',
    createdBy: 'ada@example.com',
    span: { startsAt: 0, endsAt: opensAt },
  },
  until: opensAt,
} as const;

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
    { status: 'pending', actor: 'ci', text: 'Its own required checks are running.' },
    'precondition',
    'ci',
    'Its own required checks are running.',
  ],
  [
    { status: 'pending', actor: 'queue', text: 'The code host still shows an older head than the tip of its branch.' },
    'precondition',
    'queue',
    'The code host still shows an older head than the tip of its branch.',
  ],
  [
    { status: 'pending', actor: 'author', text: '#4, which it is stacked on, is not in line.' },
    'precondition',
    'author',
    '#4, which it is stacked on, is not in line.',
  ],
  [
    { status: 'blocked', code: 107, text: 'A required check failed: unit.' },
    'blocked',
    'author',
    'A required check failed: unit.',
  ],
  [{ status: 'blocked', code: 118 }, 'blocked', 'admin', 'Its base branch is not managed by the queue.'],
  [
    { preparingSince: Date.parse('2026-11-02T10:00:00Z'), hostWaitUntil: Date.parse('2026-11-02T10:00:20Z') },
    'host_wait',
    'queue',
    'Interlock has been copying the repository from its code host since 2026-11-02 10:00 UTC. The first copy of a large repository takes up to half an hour.',
  ],
  [{ haltedReason: 'DATABASE_RESTORED', batch: building }, 'halted', 'admin', 'The queue is halted: DATABASE_RESTORED'],
  [{ paused: { message: 'release day', pattern: null } }, 'paused', 'admin', 'The queue is paused: release day'],
  [
    { paused: { message: null, pattern: 'main' }, batch: { ...building, verdict: 'green', landingStarted: true } },
    'landing',
    'queue',
    'It is being merged now.',
  ],
  [
    { haltedReason: 'A signature is missing.', batch: { ...building, landingStarted: true } },
    'landing',
    'queue',
    'It is being merged now.',
  ],
  [
    {
      haltedReason: 'Landing batch 7 failed 20 times: acme/shop is archived at GitHub',
      batch: { ...building, landingStarted: true },
    },
    'halted',
    'admin',
    'Its landing has started and cannot go on: Landing batch 7 failed 20 times: acme/shop is archived at GitHub',
  ],
  [{ ahead: 0 }, 'in_line', 'queue', 'It waits for a build; nothing is before it.'],
  [{ ahead: 3 }, 'in_line', 'queue', 'It waits for a build; 3 pull requests are before it.'],
  [
    { status: 'tagged', batch: { ...building, otherMembers: [4, 7] } },
    'building',
    'ci',
    'Its build together with #4, #7 is running.',
  ],
  [{ batch: { ...building, hasCommit: false } }, 'building', 'ci', 'Its build is being made.'],
  [
    { status: 'tagged', batch: { ...building, verdict: 'red' } },
    'build_failed',
    'queue',
    'Its build failed; the queue finds out whether it is at fault.',
  ],
  [
    { status: 'tagged', ahead: 1, batch: { ...building, verdict: 'green' } },
    'in_line',
    'queue',
    'Its build is green; one pull request is before it.',
  ],
  [
    { dequeued: { by: 'ada@example.test' }, status: 'open' },
    'not_asked',
    'author',
    'It was dequeued by ada@example.test.',
  ],
  [
    { ahead: 2, hold: { kind: 'conflict', with: [] } },
    'in_line',
    'queue',
    'It conflicts with a pull request before it. It is built again when nothing is before it.',
  ],
  [
    { ahead: 2, hold: { kind: 'barrier', number: 4 } },
    'in_line',
    'queue',
    'Nothing is built behind #4, which has to merge alone.',
  ],
  [
    { hold: { kind: 'company', until: opensAt } },
    'in_line',
    'queue',
    'It waits until 2026-01-05 08:00 UTC for other pull requests to share its build.',
  ],
  [
    { status: 'tagged', batch: { ...building, cause: 'bisect' } },
    'building',
    'ci',
    'Its build is running: it is a part of a batch that failed.',
  ],
  [
    { status: 'tagged', batch: { ...building, verdict: 'red', mayBePassed: true } },
    'build_failed',
    'queue',
    'Its build failed; a later build that still runs may pass it.',
  ],
  [
    { status: 'tagged', batch: { ...building, verdict: 'green' }, landingsFrom: opensAt, frozen },
    'frozen',
    'queue',
    'Its build is green; its base branch is frozen until 2026-01-05 08:00 UTC, by ada@example.com: release week.',
  ],
  [
    { status: 'tagged', batch: { ...building, verdict: 'green' }, frozen: { ...frozen, until: null } },
    'frozen',
    'admin',
    'Its build is green; its base branch is frozen until somebody ends it, by ada@example.com: release week.',
  ],
  [{ status: 'tagged', batch: building, frozen }, 'building', 'ci', 'Its build is running.'],
  [
    { status: 'tagged', batch: { ...building, verdict: 'green' }, landingsFrom: opensAt },
    'merge_window',
    'queue',
    'Its build is green; landings wait for the merge window that opens at 2026-01-05 08:00 UTC.',
  ],
  [
    { status: 'tagged', batch: { ...building, verdict: 'green' }, landingsFrom: Infinity },
    'merge_window',
    'queue',
    'Its build is green; landings wait for a merge window, but no window will open.',
  ],
  [
    { status: 'tagged', batch: { ...building, verdict: 'green' } },
    'landing',
    'queue',
    'Its build is green; it is merged next.',
  ],
  [
    { status: 'tagged', finalGate: 'smoke', batch: { ...building, verdict: 'green' } },
    'final_gate',
    'ci',
    'Its build is green; it is merged as soon as the final gate smoke is passed.',
  ],
  [
    { status: 'tagged', ownChecks: { own: true, others: [] }, batch: { ...building, verdict: 'green' } },
    'own_checks',
    'ci',
    'Its build is green; it merges as soon as its own required checks have passed.',
  ],
  [
    { status: 'queued', ahead: 2, batch: { ...building, assumes: [3, 4] } },
    'building',
    'ci',
    'Its build on top of #3, #4 is running.',
  ],
  [{ dequeued: { by: null }, status: 'open' }, 'not_asked', 'author', 'It was dequeued.'],
  [
    { ahead: 2, hold: { kind: 'conflict', with: [3, 4] } },
    'in_line',
    'queue',
    'It conflicts with #3, #4 before it. It is built again when nothing is before it.',
  ],
  [{ hold: { kind: 'part' } }, 'in_line', 'queue', 'Its batch failed, and it waits to be built apart from the others.'],
  [
    { ahead: 2, hold: { kind: 'judgement', of: [3, 4] } },
    'in_line',
    'queue',
    'It waits until the queue has decided about the failed build of #3, #4 before it.',
  ],
  [
    { ahead: 3, skippers: [7], hold: { kind: 'room', builds: 2 } },
    'in_line',
    'queue',
    'It waits until fewer than 2 builds run; 3 pull requests are before it (#7 skips the line).',
  ],
  [
    {
      status: 'tagged',
      ownChecks: { own: true, others: [4] },
      batch: { ...building, verdict: 'green', otherMembers: [4] },
    },
    'own_checks',
    'ci',
    'Its build together with #4 is green; it merges as soon as its own required checks and those of #4 have passed.',
  ],
  [
    {
      status: 'tagged',
      ownChecks: { own: false, others: [4] },
      batch: { ...building, verdict: 'green', otherMembers: [4] },
    },
    'own_checks',
    'ci',
    'Its build together with #4 is green; it merges as soon as the own required checks of #4 have passed.',
  ],
];
test.each(cases)('%j: %s', (change, kind, who, sentence) =>
  expect(explain({ ...queued, ...change })).toEqual({ kind, who, sentence }),
);
