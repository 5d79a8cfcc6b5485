// May a pull request enter the queue? Asked when somebody queues it, and again whenever a fact changes while it is pending.
import { blockText } from './status.ts';
import type { BlockCode, QueueRules, Verdict } from './snapshot.ts';

/** What the host and the records say of the pull request. */
export interface AdmissionFacts {
  readonly isBaseBranchManaged: boolean;
  readonly draft: boolean;
  /** Without those the queue itself put on. */
  readonly labels: readonly string[];
  readonly approvals: number;
  readonly changesRequested: boolean;
  readonly unresolvedConversations: number;
  /** Verdict of its own required checks on its head (`none`: no check has been seen yet). */
  readonly ownVerdict: Verdict;
  readonly ownFailedChecks: readonly string[];
  /** It is known not to merge onto the base's present tip. */
  readonly conflictsWithBase: boolean;
  readonly ownerReviewMissing: boolean;
  readonly hasUnverifiedCommits: boolean;
  /** Names of the validations whose expressions do not match. */
  readonly failedValidations: readonly string[];
}

export interface AdmissionRules {
  readonly mode: QueueRules['mode'];
  /** Null: the code host's own rule holds, and it is the host that refuses. */
  readonly numberOfApprovals: number | null;
  readonly conversationResolutionRequired: boolean;
  readonly requireVerifiedCommits: boolean;
  /** A running own check holds it back in parallel mode as well. */
  readonly checkMergeabilityToQueue: boolean;
  /** Labels that keep a pull request out. */
  readonly blockingLabels: readonly string[];
}

export interface AdmissionRequest {
  readonly facts: AdmissionFacts;
  readonly rules: AdmissionRules;
  readonly skipValidation: boolean;
}

/** Who must act before it can go on. */
export type Actor = 'author' | 'reviewer' | 'ci' | 'queue' | 'admin';

export interface Obstacle<Code = BlockCode> {
  readonly code: Code;
  readonly text: string;
  readonly who: Actor;
  /** Failed checks with 107, failed validations with 108, labels with 105. */
  readonly names: readonly string[];
}

/** A pending one has no code while it only waits for CI: nothing has failed. */
export type Admission =
  | { readonly kind: 'queue' }
  | ({ readonly kind: 'pend' } & Obstacle<BlockCode | null>)
  | ({ readonly kind: 'block' } & Obstacle);

/** Hard failures first: what comes by itself or from a reviewer only matters when nothing else is in the way. */
export function decideAdmission(request: AdmissionRequest): Admission {
  const failure = findFailure(request);
  if (failure !== null) return { kind: 'block', ...failure };
  const missing = findMissing(request);
  return missing === null ? { kind: 'queue' } : { kind: 'pend', ...missing };
}

function findFailure({ facts, rules, skipValidation }: AdmissionRequest): Obstacle | null {
  if (!facts.isBaseBranchManaged) return obstacle(118, 'admin');
  if (facts.draft) return obstacle(114, 'author');
  const labels = facts.labels.filter((label) => rules.blockingLabels.includes(label));
  if (labels.length > 0) return obstacle(105, 'author', labels);
  if (facts.changesRequested) return obstacle(117, 'author');
  if (facts.failedValidations.length > 0) return obstacle(108, 'author', facts.failedValidations);
  if (rules.requireVerifiedCommits && facts.hasUnverifiedCommits) return obstacle(115, 'author');
  if (facts.conflictsWithBase) return obstacle(106, 'author');
  if (facts.ownVerdict === 'red' && !skipValidation) return obstacle(107, 'author', facts.ownFailedChecks);
  return null;
}

function findMissing({ facts, rules, skipValidation }: AdmissionRequest): Obstacle<BlockCode | null> | null {
  if (rules.numberOfApprovals !== null && facts.approvals < rules.numberOfApprovals) {
    return {
      code: 101,
      text: `It has ${facts.approvals} of ${rules.numberOfApprovals} required approvals.`,
      who: 'reviewer',
      names: [],
    };
  }
  if (facts.ownerReviewMissing) return obstacle(109, 'reviewer');
  if (rules.conversationResolutionRequired && facts.unresolvedConversations > 0) return obstacle(113, 'author');
  // In parallel mode its landing waits for them instead.
  const holdsForChecks = rules.mode !== 'parallel' || rules.checkMergeabilityToQueue;
  if (holdsForChecks && facts.ownVerdict === 'pending' && !skipValidation) {
    return { code: null, text: 'Its own required checks are running.', who: 'ci', names: [] };
  }
  return null;
}

function obstacle(code: BlockCode, who: Actor, names: readonly string[] = []): Obstacle {
  return { code, text: blockText(code, names), who, names };
}
