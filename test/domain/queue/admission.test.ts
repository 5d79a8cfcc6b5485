import { describe, expect, test } from 'vitest';
import {
  decideAdmission,
  listPreconditions,
  type AdmissionFacts,
  type AdmissionRequest,
  type AdmissionRules,
  type Precondition,
} from '../../../src/domain/queue/requests/admission.ts';

const facts: AdmissionFacts = {
  isHeadUnseen: false,
  isBaseBranchManaged: true,
  draft: false,
  labels: [],
  approvals: 1,
  changesRequested: false,
  unresolvedConversations: 0,
  ownVerdict: 'green',
  ownFailedChecks: [],
  ownMissingChecks: [],
  ownCanceledChecks: [],
  conflictsWithBase: false,
  ownerReviewMissing: false,
  requiredReviewMissing: false,
  hasUnverifiedCommits: false,
  waitsForBelow: null,
  failedValidations: [],
};
const rules: AdmissionRules = {
  mode: 'parallel',
  numberOfApprovals: 1,
  preconditions: { conversation_resolution_required: false, require_verified_commits: false },
  checkMergeabilityToQueue: false,
  blockingLabels: ['wip'],
};

interface Asked {
  readonly facts?: Partial<AdmissionFacts>;
  readonly rules?: Partial<AdmissionRules>;
  readonly preconditions?: Partial<AdmissionRules['preconditions']>;
  readonly skipValidation?: boolean;
}

function request(asked: Asked): AdmissionRequest {
  return {
    facts: { ...facts, ...asked.facts },
    rules: { ...rules, ...asked.rules, preconditions: { ...rules.preconditions, ...asked.preconditions } },
    skipValidation: asked.skipValidation ?? false,
  };
}

describe('a request to queue', () => {
  const cases: readonly (readonly [
    name: string,
    asked: Asked,
    outcome: readonly [kind: string, code?: number | null, who?: string],
  ])[] = [
    ['is queued when its preconditions hold', {}, ['queue']],
    ['of an unmanaged base branch', { facts: { isBaseBranchManaged: false, draft: true } }, ['block', 118, 'admin']],
    ['of a draft', { facts: { draft: true } }, ['block', 114, 'author']],
    ['with a label that keeps it out', { facts: { labels: ['bug', 'wip'] } }, ['block', 105, 'author']],
    ['with changes requested', { facts: { changesRequested: true, approvals: 0 } }, ['block', 117, 'author']],
    ['with a failed validation', { facts: { failedValidations: ['ticket in title'] } }, ['block', 108, 'author']],
    [
      'with unverified commits',
      { facts: { hasUnverifiedCommits: true }, preconditions: { require_verified_commits: true } },
      ['block', 115, 'author'],
    ],
    ['with unverified commits, if verification is not required', { facts: { hasUnverifiedCommits: true } }, ['queue']],
    ['with a conflict', { facts: { conflictsWithBase: true } }, ['block', 106, 'author']],
    [
      'with a failed check of its own',
      { facts: { ownVerdict: 'red', ownFailedChecks: ['unit'] } },
      ['block', 107, 'author'],
    ],
    [
      'with a failed check of its own, validation skipped',
      { facts: { ownVerdict: 'red' }, skipValidation: true },
      ['queue'],
    ],
    ['without approval', { facts: { approvals: 0 } }, ['pend', 101, 'reviewer']],
    ['without approval where none is needed', { facts: { approvals: 0 }, rules: { numberOfApprovals: 0 } }, ['queue']],
    [
      "without approval where the host's rule holds",
      { facts: { approvals: 0 }, rules: { numberOfApprovals: null } },
      ['queue'],
    ],
    [
      "without a review that the host's rules demand",
      { facts: { approvals: 0, requiredReviewMissing: true }, rules: { numberOfApprovals: null } },
      ['pend', 101, 'reviewer'],
    ],
    [
      "with the number of approvals that is configured, which counts instead of the host's rules",
      { facts: { requiredReviewMissing: true }, rules: { numberOfApprovals: 0 } },
      ['queue'],
    ],
    [
      'with unresolved conversations',
      { facts: { unresolvedConversations: 2 }, preconditions: { conversation_resolution_required: true } },
      ['pend', 113, 'author'],
    ],
    [
      'with unresolved conversations, if resolution is not required',
      { facts: { unresolvedConversations: 2 } },
      ['queue'],
    ],
    ['while its own checks run, in parallel mode', { facts: { ownVerdict: 'pending' } }, ['queue']],
    [
      'while its own checks run, in serial mode',
      { facts: { ownVerdict: 'pending' }, rules: { mode: 'serial' } },
      ['pend', null, 'ci'],
    ],
    [
      'while its own checks run, in no-queue mode',
      { facts: { ownVerdict: 'pending' }, rules: { mode: 'no-queue' } },
      ['pend', null, 'ci'],
    ],
    [
      'while its own checks run, with check_mergeability_to_queue',
      { facts: { ownVerdict: 'pending' }, rules: { checkMergeabilityToQueue: true } },
      ['pend', null, 'ci'],
    ],
    [
      'while its own checks run, validation skipped',
      { facts: { ownVerdict: 'pending' }, rules: { mode: 'serial' }, skipValidation: true },
      ['queue'],
    ],
    [
      'whose checks have never started, in serial mode',
      { facts: { ownVerdict: 'none' }, rules: { mode: 'serial' } },
      ['queue'],
    ],
    [
      'with a failure and a missing approval is blocked for the failure',
      { facts: { approvals: 0, conflictsWithBase: true } },
      ['block', 106, 'author'],
    ],
  ];
  test.each(cases)('%s', (_name, asked, [kind, code, who]) => {
    expect(decideAdmission(request(asked))).toMatchObject(code === undefined ? { kind } : { kind, code, who });
  });

  test('a refusal names what failed', () => {
    expect(decideAdmission(request({ facts: { ownVerdict: 'red', ownFailedChecks: ['unit', 'lint'] } }))).toMatchObject(
      { text: 'A required check failed: unit, lint.', names: ['unit', 'lint'] },
    );
    const facts = { ownVerdict: 'red', ownFailedChecks: ['unit', 'lint'], ownMissingChecks: ['lint'] } as const;
    expect(decideAdmission(request({ facts }))).toMatchObject({
      text: 'A required check failed: unit. A required check did not run: lint.',
      names: ['unit', 'lint'],
    });
    expect(decideAdmission(request({ facts: { failedValidations: ['ticket in title'] } }))).toMatchObject({
      text: 'A validation failed: ticket in title.',
    });
    expect(decideAdmission(request({ facts: { approvals: 1 }, rules: { numberOfApprovals: 2 } }))).toMatchObject({
      text: 'It has 1 of 2 required approvals.',
    });
  });
});

describe('the preconditions', () => {
  /** Kind, what is observed, what is needed, who acts, and of the obstacle: code, who acts, names. */
  function row({ kind, observed, needed, who, obstacle }: Precondition): readonly unknown[] {
    const shown = [kind, observed, needed, who];
    return obstacle === null ? shown : [...shown, obstacle.code, obstacle.who, ...obstacle.names];
  }
  const everyRule: Asked = {
    preconditions: { conversation_resolution_required: true, require_verified_commits: true },
    rules: { blockingLabels: ['wip', 'hold'] },
  };

  test('are listed with what is observed and needed while they hold', () => {
    expect(listPreconditions(request({ ...everyRule, facts: { labels: ['bug'] } })).map(row)).toEqual([
      ['base_branch', 'managed', 'managed', 'admin'],
      ['draft', 'ready for review', 'ready for review', 'author'],
      ['labels', 'none that blocks', 'none that blocks', 'author'],
      ['review', 'no changes requested', 'no changes requested', 'author'],
      ['validations', 'met', 'met', 'author'],
      ['verified_commits', 'verified', 'verified', 'author'],
      ['mergeable', 'no conflict is known', 'no conflict', 'author'],
      ['approvals', '1', '1', 'reviewer'],
      ['conversations', '0 unresolved', '0 unresolved', 'author'],
      ['own_checks', 'passed', 'not failed', 'ci'],
    ]);
  });

  test('are listed with who must act while they do not hold', () => {
    const broken = request({
      ...everyRule,
      facts: {
        isBaseBranchManaged: false,
        draft: true,
        labels: ['bug', 'wip', 'hold'],
        changesRequested: true,
        isHeadUnseen: true,
        failedValidations: ['ticket', 'size'],
        hasUnverifiedCommits: true,
        conflictsWithBase: true,
        approvals: 0,
        ownerReviewMissing: true,
        unresolvedConversations: 2,
        waitsForBelow: 'It is stacked on #1, which is blocked.',
        ownVerdict: 'red',
        ownFailedChecks: ['unit'],
      },
    });
    expect(listPreconditions(broken).map(row)).toEqual([
      ['base_branch', 'not managed', 'managed', 'admin', 118, 'admin'],
      ['draft', 'a draft', 'ready for review', 'author', 114, 'author'],
      ['labels', 'wip, hold', 'none that blocks', 'author', 105, 'author', 'wip', 'hold'],
      ['review', 'changes requested', 'no changes requested', 'author', 117, 'author'],
      ['head', 'an older head', 'the tip of the branch', 'queue', null, 'queue'],
      ['validations', 'not met: ticket, size', 'met', 'author', 108, 'author', 'ticket', 'size'],
      ['verified_commits', 'commits without a verified signature', 'verified', 'author', 115, 'author'],
      ['mergeable', 'conflicts', 'no conflict', 'author', 106, 'author'],
      ['approvals', '0', '1', 'reviewer', 101, 'reviewer'],
      ['owner_review', 'missing', 'an approval', 'reviewer', 109, 'reviewer'],
      ['conversations', '2 unresolved', '0 unresolved', 'author', 113, 'author'],
      ['stack', 'not in line before it', 'in line before it', 'author', null, 'author'],
      ['own_checks', 'failed', 'not failed', 'author', 107, 'author', 'unit'],
    ]);
    const texts = listPreconditions(broken).flatMap(({ kind, obstacle }) =>
      obstacle?.code === null ? [[kind, obstacle.text]] : [],
    );
    expect(texts).toEqual([
      ['head', 'The code host still shows an older head than the tip of its branch.'],
      ['stack', 'It is stacked on #1, which is blocked.'],
    ]);
  });

  const hostRule: Asked = { rules: { numberOfApprovals: null }, facts: { approvals: 0, requiredReviewMissing: true } };
  test.each<[string, Asked, readonly (readonly unknown[])[]]>([
    [
      'of the host are listed while a review is missing',
      hostRule,
      [['approvals', '0', 'as many as the rules of the code host demand', 'reviewer', 101, 'reviewer']],
    ],
    [
      'of the host are listed once if an owner is missing',
      { ...hostRule, facts: { ...hostRule.facts, ownerReviewMissing: true } },
      [['owner_review', 'missing', 'an approval', 'reviewer', 109, 'reviewer']],
    ],
    ['of the host are not listed while they hold', { rules: { numberOfApprovals: null } }, []],
  ])('about reviews %s', (_name, asked, expected) => {
    const reviews = listPreconditions(request(asked)).filter(
      ({ kind }) => kind === 'approvals' || kind === 'owner_review',
    );
    expect(reviews.map(row)).toEqual(expected);
    for (const { obstacle } of reviews)
      expect(obstacle?.text).toBe(
        obstacle?.code === 109
          ? 'The review of an owner is missing.'
          : 'The rules of the code host demand a review that is missing.',
      );
  });

  test.each<[string, Asked, readonly unknown[]]>([
    ['run, in parallel mode', { facts: { ownVerdict: 'pending' } }, ['own_checks', 'running', 'not failed', 'ci']],
    [
      'run, in serial mode',
      { facts: { ownVerdict: 'pending' }, rules: { mode: 'serial' } },
      ['own_checks', 'running', 'passed', 'ci', null, 'ci'],
    ],
    [
      'were canceled, in parallel mode',
      { facts: { ownVerdict: 'pending', ownCanceledChecks: ['unit'] } },
      ['own_checks', 'canceled', 'not failed', 'author'],
    ],
    [
      'were canceled, where a pull request waits for them',
      { facts: { ownVerdict: 'pending', ownCanceledChecks: ['unit'] }, rules: { checkMergeabilityToQueue: true } },
      ['own_checks', 'canceled', 'passed', 'author', null, 'author'],
    ],
    ['were never seen', { facts: { ownVerdict: 'none' } }, ['own_checks', 'none seen', 'not failed', 'ci']],
    [
      'failed, while validation is skipped',
      { facts: { ownVerdict: 'red', ownFailedChecks: ['unit'] }, skipValidation: true },
      ['own_checks', 'failed', 'nothing: validation is skipped', 'author'],
    ],
  ])('say that own checks %s', (_name, asked, expected) => {
    expect(row(listPreconditions(request(asked)).at(-1)!)).toEqual(expected);
  });

  test('have a sentence that says who must act if an own check was canceled', () => {
    const facts = { ownVerdict: 'pending', ownCanceledChecks: ['unit', 'lint'] } as const;
    expect(decideAdmission(request({ facts, rules: { checkMergeabilityToQueue: true } }))).toMatchObject({
      kind: 'pend',
      text: 'Its own required checks were canceled: unit, lint. Run them again.',
    });
  });

  test('have a sentence if an own check failed that has no name', () => {
    expect(decideAdmission(request({ facts: { ownVerdict: 'red' } }))).toMatchObject({
      text: 'A required check failed.',
    });
  });
});
