import { describe, expect, test } from 'vitest';
import {
  decideAdmission,
  type AdmissionFacts,
  type AdmissionRequest,
  type AdmissionRules,
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
