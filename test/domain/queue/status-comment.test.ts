import { describe, expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import {
  holdSentence,
  isPublished,
  openQueueMethods,
  publicationOf,
  statusCheck,
  statusComment,
  type Publication,
  type StatusFacts,
} from '../../../src/domain/queue/explain/status-comment.ts';
import { explain } from '../../../src/domain/queue/explain/explain.ts';
import type { FreezeInForce } from '../../../src/domain/releases/freeze.ts';
import { isQueued, transitions } from '../../../src/domain/queue/model/status.ts';
import type { PullRequestStatus } from '../../../src/domain/queue/model/snapshot.ts';

const silent = { open: '', queued: '', blocked: '' };
const open: StatusFacts = {
  status: 'open',
  code: null,
  text: null,
  isDequeued: false,
  baseBranch: 'main',
  trigger: 'mergequeue',
  ways: ['label', 'slash_command', 'api'],
  failedChecks: [],
  line: null,
  landed: null,
};
const line: NonNullable<StatusFacts['line']> = {
  since: Date.parse('2026-03-01T12:03:59Z'),
  skipsLine: false,
  isTop: false,
  isStuck: false,
  hold: null,
  batch: null,
  reset: null,
};
const queued: StatusFacts = { ...open, status: 'queued', line };
const bot = { number: 12, url: 'http://host/acme/shop/pull/12' };
const stands = 'It is in line to merge into `main` since 2026-03-01 12:03 UTC';

const comments: readonly (readonly [name: string, facts: StatusFacts, comment: string])[] = [
  [
    'it was dequeued',
    { ...open, isDequeued: true },
    '**Not queued**\n\nIt was dequeued. The label `mergequeue` queues it, and so does the comment `/interlock queue`.',
  ],
  [
    'nobody has queued it',
    open,
    '**Not queued**\n\nNobody has asked to merge it. The label `mergequeue` queues it, and so does the comment `/interlock queue`.',
  ],
  [
    'nobody has queued it, and labels do not queue',
    { ...open, ways: ['slash_command', 'api'] },
    '**Not queued**\n\nNobody has asked to merge it. The comment `/interlock queue` queues it.',
  ],
  [
    'nobody has queued it, and comments do not queue',
    { ...open, ways: ['label'] },
    '**Not queued**\n\nNobody has asked to merge it. The label `mergequeue` queues it.',
  ],
  [
    'nobody has queued it, and only programs can queue',
    { ...open, ways: ['api'] },
    '**Not queued**\n\nNobody has asked to merge it. Queue it by GraphQL or REST: this repository accepts no labels or comments.',
  ],
  ['nobody can queue it', { ...open, ways: [] }, '**Not queued**\n\nNobody has asked to merge it.'],
  [
    'an approval is missing',
    { ...open, status: 'pending', code: 101, text: 'It has 0 of 1 required approvals.' },
    '**Waits to be queued (101)**\n\nIt has 0 of 1 required approvals. A reviewer must act. It is queued automatically as soon as nothing is missing.',
  ],
  [
    'its checks are running',
    { ...open, status: 'pending', text: 'Its own required checks are running.' },
    '**Waits to be queued**\n\nIts own required checks are running. It is queued automatically as soon as nothing is missing.',
  ],
  ['in line', queued, `**Queued**\n\n${stands}.`],
  [
    'in line, before all that do not skip the line',
    { ...queued, line: { ...line, skipsLine: true } },
    `**Queued**\n\n${stands}, ahead of all that do not skip the line.`,
  ],
  [
    'in a batch',
    {
      ...queued,
      status: 'tagged',
      line: { ...line, batch: { otherMembers: [2, 3], skipsValidation: false, botPullRequest: bot } },
    },
    `**Queued**\n\n${stands}. It is validated together with #2, #3 in bot pull request [#12](${bot.url}).`,
  ],
  [
    'first, and tested on its own branch',
    {
      ...queued,
      line: { ...line, isTop: true, batch: { otherMembers: [], skipsValidation: false, botPullRequest: null } },
    },
    `**Queued**\n\n${stands}. It is validated. It is first in line.`,
  ],
  [
    'its validation is skipped, and its bot pull request is open',
    { ...queued, line: { ...line, batch: { otherMembers: [], skipsValidation: true, botPullRequest: bot } } },
    `**Queued**\n\n${stands}. Its validation is skipped.`,
  ],
  [
    'first, and the queue is paused',
    { ...queued, line: { ...line, isTop: true, hold: 'The queue is paused: Lunch.' } },
    `**Queued**\n\n${stands}. It is first in line. The queue is paused: Lunch.`,
  ],
  [
    'stuck',
    { ...queued, status: 'tagged', line: { ...line, isTop: true, isStuck: true } },
    `**Queued**\n\n${stands}. It is stuck: its build is green, and its own required checks are still running.`,
  ],
  [
    'reset by another pull request',
    { ...queued, line: { ...line, reset: { code: 301, causedBy: 4 } } },
    `**Queued**\n\n${stands}. It was put back in its place by #4 (301): the queue was reset because a pull request failed.`,
  ],
  [
    'reset without a pull request as the cause',
    { ...queued, line: { ...line, reset: { code: 307, causedBy: null } } },
    `**Queued**\n\n${stands}. It was put back in its place (307): the queue was reset because the configuration changed.`,
  ],
  [
    'a check failed',
    {
      ...open,
      status: 'blocked',
      code: 107,
      text: 'A required check failed: unit, e2e [chrome].',
      failedChecks: [
        { name: 'unit', url: null },
        { name: 'e2e [chrome]', url: 'http://host/checks/7' },
      ],
    },
    '**Blocked (107)**\n\nA required check failed: unit, e2e [chrome]. Its author must act. Queue it again once that is settled.\n\n- [e2e \\[chrome\\]](http://host/checks/7)',
  ],
  [
    'the host refuses',
    { ...open, status: 'blocked', code: 110, text: 'The merge was refused: hook declined.' },
    '**Blocked (110)**\n\nThe merge was refused: hook declined. An admin must act. Queue it again once that is settled.',
  ],
  [
    'merged with others',
    { ...open, status: 'merged', landed: { commit: 'abc', grade: 'same_tree', isEmpty: false, otherMembers: [2] } },
    '**Merged**\n\nIt was merged into `main` as abc together with #2. Its tree was verified against what was tested (same_tree).',
  ],
  [
    'merged untested',
    { ...open, status: 'merged', landed: { commit: 'abc', grade: 'unvalidated', isEmpty: false, otherMembers: [] } },
    '**Merged**\n\nIt was merged into `main` as abc. It was not validated, as requested.',
  ],
  [
    'merged without a change',
    { ...open, status: 'merged', landed: { commit: 'abc', grade: 'exact', isEmpty: true, otherMembers: [] } },
    '**Merged**\n\nIt was merged into `main` as abc. Its tree was verified against what was tested (exact). It changed nothing: the base branch already had its changes.',
  ],
  [
    'merged elsewhere',
    { ...open, status: 'merged', landed: { commit: 'abc', grade: 'external', isEmpty: false, otherMembers: [] } },
    '**Merged**\n\nIt was merged into `main` as abc, outside of the queue.',
  ],
  [
    'merged, with an unknown commit',
    { ...open, status: 'merged' },
    '**Merged**\n\nIt was merged into `main`, outside of the queue.',
  ],
  [
    'closed',
    { ...open, status: 'closed' },
    '**Closed**\n\nIt is closed: reopen it to merge it. If its head branch was deleted, push the branch again first.',
  ],
];

describe('the status comment', () => {
  test.each(comments)('%s', (_name, facts, comment) => {
    expect(statusComment(facts, silent)).toBe(comment);
  });

  test.each([
    ['open', 'the rules'],
    ['pending', 'the rules'],
    ['queued', 'who is on call'],
    ['tagged', 'who is on call'],
    ['blocked', 'where to ask'],
    ['merged', null],
    ['closed', null],
  ] as const)('of a pull request with the status %s ends with %s', (status, added) => {
    const messages = { open: 'the rules\n', queued: 'who is on call', blocked: 'where to ask' };
    const facts = { ...open, status };
    const bare = statusComment(facts, silent);
    expect(statusComment(facts, messages)).toBe(added === null ? bare : `${bare}\n\n${added}`);
  });

  test.each(Object.keys(transitions) as PullRequestStatus[])(
    'of a pull request with the status %s, out of line, says what explain says',
    (status) => {
      if (isQueued(status) || status === 'merged')
        return expect(statusComment({ ...open, status }, silent)).toContain('`main`');
      const facts: StatusFacts = { ...open, status, code: 113, text: 'Conversations are unresolved.' };
      const { sentence } = explain({
        ...facts,
        dequeued: null,
        ahead: null,
        skippers: [],
        hold: null,
        ownChecks: null,
        finalGate: null,
        batch: null,
        paused: null,
        haltedReason: null,
        frozen: null,
        landingsFrom: null,
      });
      expect(statusComment(facts, silent)).toContain(sentence);
    },
  );
});

const frozen = {
  freeze: { source: 'manual', reason: 'Fair', createdBy: 'ada@x' },
  until: null,
  atLeastUntil: null,
} as unknown as FreezeInForce;
const walk = fc.record({
  status: fc.constantFrom<PullRequestStatus>('open', 'pending', 'queued', 'tagged', 'blocked', 'closed'),
  isTop: fc.boolean(),
  isStuck: fc.boolean(),
  otherMembers: fc.option(fc.uniqueArray(fc.integer({ min: 2, max: 9 }), { maxLength: 3 })),
  hasCommit: fc.boolean(),
  verdict: fc.constantFrom('pending' as const, 'green' as const, 'red' as const),
  ahead: fc.nat(3),
  haltedReason: fc.option(fc.constant('A commit is unknown.')),
  paused: fc.option(fc.record({ message: fc.option(fc.constant('Lunch.')), pattern: fc.constant(null) })),
  isFrozen: fc.boolean(),
  landingsFrom: fc.option(fc.constant(Date.parse('2026-03-02T08:00:00Z'))),
  finalGate: fc.option(fc.constant('smoke')),
  blocked: fc.uniqueArray(fc.constantFrom('label', 'slash_command', 'graphql_api', 'rest_api')),
});

describe('the comment, the check and explain', () => {
  test('agree about a pull request at every moment of a random walk', () => {
    fc.assert(
      fc.property(walk, (now) => {
        const { status, otherMembers, haltedReason, paused } = now;
        const facts = { haltedReason, paused, frozen: now.isFrozen ? frozen : null };
        const message = { status, code: 113 as const, text: 'Conversations are unresolved.' };
        const reason = explain({
          ...message,
          ...facts,
          dequeued: null,
          ahead: now.ahead,
          skippers: [],
          hold: null,
          ownChecks: null,
          finalGate: now.finalGate,
          landingsFrom: now.landingsFrom,
          batch: otherMembers && {
            ...{ otherMembers, hasCommit: now.hasCommit, verdict: now.verdict, cause: 'new' },
            ...{ landingStarted: false, assumes: [], mayBePassed: false },
          },
        });
        const isNear = now.isTop || otherMembers !== null;
        const shown: StatusFacts = {
          ...open,
          ...message,
          ways: openQueueMethods(now.blocked),
          line: isQueued(status)
            ? {
                ...line,
                ...{ isTop: now.isTop, isStuck: now.isStuck, hold: isNear ? holdSentence(facts) : null },
                batch: otherMembers && { otherMembers, skipsValidation: false, botPullRequest: null },
              }
            : null,
        };
        const comment = statusComment(shown, silent);
        expect(comment).toBe(`**${statusCheck(shown).title}**\n\n${statusCheck(shown).summary}`);
        // Out of line, and while nothing lands, the comment has the same sentence.
        const isSaid = !isQueued(status) || (isNear && (reason.kind === 'halted' || reason.kind === 'paused'));
        if (isSaid) expect(comment).toContain(reason.sentence);
        expect(comment.includes('paused')).toBe(isQueued(status) && isNear && reason.kind === 'paused');
        // The comment promises nothing that a pause, a freeze, a merge window, a gate or another pull request may
        // change.
        expect(comment).not.toMatch(/merges as soon as|Nothing is before it/);
        expect(comment.includes('`/interlock queue`')).toBe(
          status === 'open' && !now.blocked.includes('slash_command'),
        );
        expect(comment.includes('The label')).toBe(status === 'open' && !now.blocked.includes('label'));
        expect(comment).not.toContain('ada@x');
      }),
    );
  });
});

describe('the status check', () => {
  test.each([
    [open, { state: 'pending', title: 'Not queued', url: null }],
    [queued, { state: 'pending', title: 'Queued', url: null }],
    [
      { ...queued, line: { ...line, batch: { otherMembers: [], skipsValidation: false, botPullRequest: bot } } },
      { state: 'pending', title: 'Queued', url: bot.url },
    ],
    [{ ...open, status: 'blocked', code: 106 } as const, { state: 'failure', title: 'Blocked (106)', url: null }],
    [{ ...open, status: 'merged' } as const, { state: 'success', title: 'Merged', url: null }],
    [{ ...open, status: 'closed' } as const, { state: 'pending', title: 'Closed', url: null }],
  ] as const)('%#', (facts, expected) => {
    const check = statusCheck(facts);
    expect(check).toMatchObject(expected);
    expect(statusComment(facts, silent)).toBe(`**${check.title}**\n\n${check.summary}`);
  });
});

describe('the setting of publication', () => {
  test.each([
    [true, 'ready'],
    [false, 'never'],
    ['queued', 'queued'],
  ] as const)('`%s` means %s', (setting, publication) => {
    expect(publicationOf(setting)).toBe(publication);
  });

  const all: readonly Publication[] = ['always', 'ready', 'queued', 'never'];
  test.each([
    ['open, something is missing', { status: 'open', mergedByQueue: false, isReady: false }, ['always']],
    ['open, ready', { status: 'open', mergedByQueue: false, isReady: true }, ['always', 'ready']],
    ['pending', { status: 'pending', mergedByQueue: false, isReady: false }, ['always']],
    ['queued', { status: 'queued', mergedByQueue: false, isReady: false }, ['always', 'ready', 'queued']],
    ['tagged', { status: 'tagged', mergedByQueue: false, isReady: false }, ['always', 'ready', 'queued']],
    ['blocked', { status: 'blocked', mergedByQueue: false, isReady: false }, ['always', 'ready', 'queued']],
    ['merged by the queue', { status: 'merged', mergedByQueue: true, isReady: false }, ['always', 'ready', 'queued']],
    ['merged elsewhere', { status: 'merged', mergedByQueue: false, isReady: false }, ['always']],
    ['closed, never published before', { status: 'closed', mergedByQueue: false, isReady: false }, []],
  ] as const)('publishes about a pull request as in the table: %s', (_name, pullRequest, expected) => {
    expect(all.filter((publication) => isPublished(publication, pullRequest))).toEqual(expected);
  });
});
