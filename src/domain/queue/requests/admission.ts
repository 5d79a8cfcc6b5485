// Decides whether a pull request may enter the line: when somebody queues it, and again at every turn while it is
// pending. To add a precondition, add it to `preconditionKinds` and to one of the lists below.
import { hasLabel } from '../../label-names.ts';
import { blockText, failedChecksText } from '../model/status.ts';
import type { QueueRules } from '../model/rules.ts';
import type { BlockCode, Verdict } from '../model/snapshot.ts';

/** The facts about the pull request, from the host and from the database. */
export interface AdmissionFacts {
  readonly isBaseBranchManaged: boolean;
  readonly draft: boolean;
  /** Whether the host still shows an older head, so that its reviews and labels may be about that head. */
  readonly isHeadUnseen: boolean;
  /** The labels of the pull request, without the labels that the queue itself added. */
  readonly labels: readonly string[];
  readonly approvals: number;
  readonly changesRequested: boolean;
  readonly unresolvedConversations: number;
  /** Verdict of its own required checks on its head (`none`: no check has been seen yet). */
  readonly ownVerdict: Verdict;
  readonly ownFailedChecks: readonly string[];
  /** The failed checks that never ran. */
  readonly ownMissingChecks: readonly string[];
  /** The canceled required checks of the head, if the verdict is pending because of them alone. */
  readonly ownCanceledChecks: readonly string[];
  /** Whether it is known to conflict with the present tip of the base branch. */
  readonly conflictsWithBase: boolean;
  readonly ownerReviewMissing: boolean;
  /** Whether the rules of the code host demand a review that is missing. */
  readonly requiredReviewMissing: boolean;
  readonly hasUnverifiedCommits: boolean;
  /**
   * The sentence about a pull request that waits for the pull request below it in its stack. Null: the pull request
   * below is before it in line or merged, or there is none.
   */
  readonly waitsForBelow: string | null;
  /** Names of the validations that are not met. */
  readonly failedValidations: readonly string[];
}

export interface AdmissionRules {
  readonly mode: QueueRules['mode'];
  /**
   * Null: the rule of the code host applies. A host does not enforce its rule on a queue that may bypass it, so the
   * queue enforces the rule.
   */
  readonly numberOfApprovals: number | null;
  /** The keys of `merge_rules.preconditions`. */
  readonly preconditions: {
    readonly conversation_resolution_required: boolean;
    readonly require_verified_commits: boolean;
  };
  /** Whether a running own check keeps a pull request pending in parallel mode too. */
  readonly checkMergeabilityToQueue: boolean;
  /** Labels that keep a pull request out of the queue. */
  readonly blockingLabels: readonly string[];
}

export interface AdmissionRequest {
  readonly facts: AdmissionFacts;
  readonly rules: AdmissionRules;
  readonly skipValidation: boolean;
}

/** Who must act before the pull request can be merged. */
export type Actor = 'author' | 'reviewer' | 'ci' | 'queue' | 'admin';

export interface Obstacle<Code = BlockCode> {
  readonly code: Code;
  readonly text: string;
  readonly who: Actor;
  /** Failed checks with code 107, failed validations with 108, labels with 105. */
  readonly names: readonly string[];
}

/** The code of `pend` is null if nothing has failed, for example while own checks run. */
export type Admission =
  | { readonly kind: 'queue' }
  | ({ readonly kind: 'pend' } & Obstacle<BlockCode | null>)
  | ({ readonly kind: 'block' } & Obstacle);

/**
 * Every precondition. `subject`: the subject of its sentence in an explanation. `meaning`: its description in the API.
 */
export const preconditionKinds = {
  base_branch: { subject: 'Its base branch', meaning: 'Its base branch is managed.' },
  draft: { subject: 'Its state', meaning: 'It is not a draft.' },
  head: {
    subject: 'Its head',
    meaning:
      'The code host shows the tip of its branch as its head. Listed only while the code host shows an older head.',
  },
  labels: { subject: 'Its labels', meaning: 'It has no label that blocks.' },
  review: { subject: 'Its reviews', meaning: 'No reviewer wants changes.' },
  validations: {
    subject: 'Its validations',
    meaning: 'The validations of the configuration hold. Each part of this condition is one validation.',
  },
  verified_commits: {
    subject: 'Signatures of its commits',
    meaning: 'The code host has verified the signature of each of its commits.',
  },
  mergeable: { subject: 'Merging it', meaning: 'No conflict with its base branch is known.' },
  approvals: { subject: 'Its approvals', meaning: 'It has as many approvals as are required.' },
  owner_review: {
    subject: 'The review of an owner',
    meaning: 'An owner of the changed code approved. Listed only while the code host says that this is missing.',
  },
  conversations: { subject: 'Its conversations', meaning: 'All review conversations are resolved.' },
  stack: {
    subject: 'The pull request below it in its stack',
    meaning: 'The pull request below it in its stack is in line before it. Listed only while this does not hold.',
  },
  own_checks: {
    subject: 'Its own required checks',
    meaning: 'The required checks of its own head passed. Each part of this condition is one check.',
  },
} as const satisfies Record<string, { readonly subject: string; readonly meaning: string }>;

export type PreconditionKind = keyof typeof preconditionKinds;

/** One precondition of being in line. `observed` and `needed` are texts for people. */
export interface Precondition {
  readonly kind: PreconditionKind;
  readonly observed: string;
  readonly needed: string;
  readonly who: Actor;
  /** Null: the precondition holds. */
  readonly obstacle: Obstacle<BlockCode | null> | null;
}

/**
 * Hard failures come first. A precondition that can resolve itself, such as a missing review, only counts without a
 * hard failure.
 */
export function decideAdmission(request: AdmissionRequest): Admission {
  const obstacles = listPreconditions(request).flatMap(({ obstacle }) => obstacle ?? []);
  const failure = obstacles.find(isFailure);
  if (failure !== undefined) return { kind: 'block', ...failure };
  const [missing] = obstacles;
  return missing === undefined ? { kind: 'queue' } : { kind: 'pend', ...missing };
}

const selfResolving: readonly (BlockCode | null)[] = [null, 101, 109, 113];

function isFailure(obstacle: Obstacle<BlockCode | null>): obstacle is Obstacle {
  return !selfResolving.includes(obstacle.code);
}

/** The preconditions by the configured rules. `decideAdmission` reports the first one that does not hold. */
export function listPreconditions(request: AdmissionRequest): Precondition[] {
  return [...listFacts(request), ...listReviews(request), listOwnChecks(request)];
}

function listFacts({ facts, rules }: AdmissionRequest): Precondition[] {
  const { isBaseBranchManaged, changesRequested } = facts;
  const labels = facts.labels.filter((label) => hasLabel(rules.blockingLabels, label));
  return [
    {
      kind: 'base_branch',
      observed: isBaseBranchManaged ? 'managed' : 'not managed',
      needed: 'managed',
      who: 'admin',
      obstacle: isBaseBranchManaged ? null : obstacle(118, 'admin'),
    },
    {
      kind: 'draft',
      observed: facts.draft ? 'a draft' : 'ready for review',
      needed: 'ready for review',
      who: 'author',
      obstacle: facts.draft ? obstacle(114, 'author') : null,
    },
    {
      kind: 'labels',
      observed: labels.length === 0 ? 'none that blocks' : labels.join(', '),
      needed: 'none that blocks',
      who: 'author',
      obstacle: labels.length === 0 ? null : obstacle(105, 'author', labels),
    },
    {
      kind: 'review',
      observed: changesRequested ? 'changes requested' : 'no changes requested',
      needed: 'no changes requested',
      who: 'author',
      obstacle: changesRequested ? obstacle(117, 'author') : null,
    },
    ...(facts.isHeadUnseen ? [headUnseen] : []),
    ...listContent({ facts, rules }),
  ];
}

/** Listed only while it does not hold, because hosts mostly show a new head within seconds. */
const headUnseen: Precondition = {
  kind: 'head',
  observed: 'an older head',
  needed: 'the tip of the branch',
  who: 'queue',
  obstacle: {
    code: null,
    text: 'The code host still shows an older head than the tip of its branch.',
    who: 'queue',
    names: [],
  },
};

/** The preconditions about the text and the commits of the pull request. */
function listContent({ facts, rules }: Pick<AdmissionRequest, 'facts' | 'rules'>): Precondition[] {
  const { failedValidations } = facts;
  const verified: Precondition = {
    kind: 'verified_commits',
    observed: facts.hasUnverifiedCommits ? 'commits without a verified signature' : 'verified',
    needed: 'verified',
    who: 'author',
    obstacle: facts.hasUnverifiedCommits ? obstacle(115, 'author') : null,
  };
  return [
    {
      kind: 'validations',
      observed: failedValidations.length === 0 ? 'met' : `not met: ${failedValidations.join(', ')}`,
      needed: 'met',
      who: 'author',
      obstacle: failedValidations.length === 0 ? null : obstacle(108, 'author', failedValidations),
    },
    ...(rules.preconditions.require_verified_commits ? [verified] : []),
    {
      kind: 'mergeable',
      observed: facts.conflictsWithBase ? 'conflicts' : 'no conflict is known',
      needed: 'no conflict',
      who: 'author',
      obstacle: facts.conflictsWithBase ? obstacle(106, 'author') : null,
    },
  ];
}

function listReviews({ facts, rules }: AdmissionRequest): Precondition[] {
  const { numberOfApprovals, preconditions } = rules;
  const ownerReview: Precondition = {
    kind: 'owner_review',
    observed: 'missing',
    needed: 'an approval',
    who: 'reviewer',
    obstacle: obstacle(109, 'reviewer'),
  };
  const unresolved = facts.unresolvedConversations;
  const conversations: Precondition = {
    kind: 'conversations',
    observed: `${unresolved} unresolved`,
    needed: '0 unresolved',
    who: 'author',
    obstacle: unresolved > 0 ? obstacle(113, 'author') : null,
  };
  return [
    ...(numberOfApprovals === null ? [] : [enoughApprovals(facts, numberOfApprovals)]),
    // Hosts report that these reviews are missing, but not that they are required, so they are listed only while
    // missing.
    ...(numberOfApprovals === null && facts.requiredReviewMissing && !facts.ownerReviewMissing
      ? [missingReview(facts)]
      : []),
    ...(facts.ownerReviewMissing ? [ownerReview] : []),
    ...(preconditions.conversation_resolution_required ? [conversations] : []),
    ...(facts.waitsForBelow === null ? [] : [belowInLine(facts.waitsForBelow)]),
  ];
}

function enoughApprovals({ approvals }: AdmissionFacts, needed: number): Precondition {
  const text = `It has ${approvals} of ${needed} required approvals.`;
  return {
    kind: 'approvals',
    observed: String(approvals),
    needed: String(needed),
    who: 'reviewer',
    obstacle: approvals >= needed ? null : { code: 101, text, who: 'reviewer', names: [] },
  };
}

function missingReview({ approvals }: AdmissionFacts): Precondition {
  const text = 'The rules of the code host demand a review that is missing.';
  return {
    kind: 'approvals',
    observed: String(approvals),
    needed: 'as many as the rules of the code host demand',
    who: 'reviewer',
    obstacle: { code: 101, text, who: 'reviewer', names: [] },
  };
}

/** Listed only while it does not hold, because most pull requests are not stacked. */
function belowInLine(text: string): Precondition {
  return {
    kind: 'stack',
    observed: 'not in line before it',
    needed: 'in line before it',
    who: 'author',
    obstacle: { code: null, text, who: 'author', names: [] },
  };
}

function listOwnChecks({ facts, rules, skipValidation }: AdmissionRequest): Precondition {
  // In parallel mode the landing waits for the checks, not the admission.
  const holdsForChecks = rules.mode !== 'parallel' || rules.checkMergeabilityToQueue;
  const isCanceled = facts.ownVerdict === 'pending' && facts.ownCanceledChecks.length > 0;
  const own: Omit<Precondition, 'obstacle'> = {
    kind: 'own_checks',
    observed: isCanceled ? 'canceled' : ownCheckTexts[facts.ownVerdict],
    needed: skipValidation ? 'nothing: validation is skipped' : holdsForChecks ? 'passed' : 'not failed',
    who: facts.ownVerdict === 'red' || isCanceled ? 'author' : 'ci',
  };
  if (skipValidation) return { ...own, obstacle: null };
  if (facts.ownVerdict === 'red') {
    const { ownFailedChecks: names, ownMissingChecks } = facts;
    const text = names.length === 0 ? blockText(107) : failedChecksText(names, ownMissingChecks);
    return { ...own, obstacle: { code: 107, text, who: 'author', names } };
  }
  const isWaitedFor = holdsForChecks && facts.ownVerdict === 'pending';
  const text = isCanceled
    ? `Its own required checks were canceled: ${facts.ownCanceledChecks.join(', ')}. Run them again.`
    : 'Its own required checks are running.';
  return { ...own, obstacle: isWaitedFor ? { code: null, text, who: own.who, names: [] } : null };
}

const ownCheckTexts = { pending: 'running', green: 'passed', red: 'failed', none: 'none seen' } as const;

function obstacle(code: BlockCode, who: Actor, names: readonly string[] = []): Obstacle {
  return { code, text: blockText(code, names), who, names };
}
