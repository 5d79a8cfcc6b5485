// The landing gate decides about a planned landing once more, on facts that are read under the locks. Its conditions
// are those of the planner. If the gate refused what the planner allows, the planner would plan the same landing for
// ever.
import { evidenceFor } from '../evidence/evidence.ts';
import { judgeGates } from '../evidence/final-gates.ts';
import { isServiceCheck } from '../evidence/service-checks.ts';
import { isValidationSkipped } from '../evidence/verdict.ts';
import { inLineOrder } from '../model/order.ts';
import { findOverlaps, type Targets } from '../model/overlap.ts';
import { buildsSpeculatively, type QueueRules } from '../model/rules.ts';
import type { BatchState, BuildState, GateState, PullRequestState } from '../model/snapshot.ts';

export interface GateFacts {
  readonly now: number;
  readonly rules: QueueRules;
  readonly queue: {
    /** Whether the repository is inactive, or a pause of the repository or of the base branch is in force. */
    readonly paused: boolean;
    readonly frozen: boolean;
    readonly inMergeWindow: boolean;
    readonly halted: boolean;
    /** Null: not known. */
    readonly tip: string | null;
    readonly lineage: readonly string[];
  };
  readonly batch: Pick<BatchState, 'commit' | 'tree' | 'parentCommit' | 'buildKeysHash' | 'sideBuild'> & {
    /** Whether the batch has neither ended nor started to land. */
    readonly isBuilding: boolean;
    readonly givenUp: boolean;
  };
  /** In queue order. */
  readonly members: readonly GateMember[];
  /**
   * All pull requests in line if builds are speculative. Otherwise empty, because the parents of the batches give the
   * order.
   */
  readonly line: readonly InLine[];
  /** The commit whose build the plan named as evidence. '' if validation is skipped. */
  readonly claimed: string;
  /** The builds of the commit `claimed` and of the tree of the batch that may be evidence. */
  readonly builds: readonly BuildState[];
  /** Whether green builds of parts justify the landing together. */
  readonly isComposed: boolean;
  readonly finalGates: readonly GateState[];
}

export interface GateMember {
  readonly pullRequest: string;
  /** The head that the batch pinned. */
  readonly pinned: string;
  /** The present state of the pull request. Null: it has left the line. */
  readonly current:
    | (Pick<PullRequestState, 'head' | 'below' | 'skipValidation' | 'ownVerdict' | 'ownFailedChecks'> & {
        /** Why the pull request would not be admitted now. Null: it would be admitted. */
        readonly obstacle: string | null;
      })
    | null;
}

type InLine = Pick<PullRequestState, 'id' | 'number' | 'rank' | 'skipLine'> & { readonly targets: Targets };

export type GateDecision =
  /**
   * `evidence`: the green build of the batch's tree. Null: the batch's parts justify the landing, or validation is
   * skipped.
   */
  { readonly kind: 'Pass'; readonly evidence: BuildState | null } | Refused;

interface Refused {
  readonly kind: 'Refused';
  readonly reason: string;
}

export function decideGate(facts: GateFacts): GateDecision {
  const reason = closedBy(facts) ?? batchFault(facts) ?? memberFault(facts) ?? orderFault(facts);
  return reason === null ? decideOnEvidence(facts) : refused(reason);
}

function refused(reason: string): Refused {
  return { kind: 'Refused', reason };
}

/** Why no batch of the queue may land now. Null: batches may land. */
function closedBy({ queue }: GateFacts): string | null {
  if (queue.paused) return 'paused';
  if (queue.frozen) return 'frozen';
  if (!queue.inMergeWindow) return 'outside of the merge windows';
  return queue.halted ? 'halted' : null;
}

function batchFault({ batch, queue, rules }: GateFacts): string | null {
  if (!batch.isBuilding || batch.givenUp || !batch.commit || !batch.tree) return 'superseded';
  if (!isOnTip(batch, queue.tip)) return 'base moved';
  return batch.buildKeysHash === rules.buildKeysHash ? null : 'configuration changed';
}

function memberFault({ members, rules }: GateFacts): string | null {
  const landing = new Set<string>();
  for (const { pullRequest, pinned, current } of members) {
    if (current === null) return 'a member left';
    if (current.head !== pinned) return 'a head moved';
    // The base branch of the pull request changed after the plan. The pull request stays in this queue, behind the pull
    // request that it is stacked on now.
    if (current.below !== null && !landing.has(current.below)) return 'the pull request below it has not landed';
    landing.add(pullRequest);
    if (current.obstacle !== null) return current.obstacle;
    if (hasFailedByItself(current)) return `an own check failed: ${current.ownFailedChecks.join(', ')}`;
    if (waitsForOwnChecks(rules, current)) return 'the own checks of a pull request run';
  }
  return null;
}

/** A batch lands only on the commit that it was built on. */
export function isOnTip({ parentCommit }: Pick<BatchState, 'parentCommit'>, tip: string | null): boolean {
  return parentCommit === tip;
}

/** Whether a required check of its own head is red, and validation is not skipped. */
export function hasFailedByItself(pullRequest: Pick<PullRequestState, 'ownVerdict' | 'skipValidation'>): boolean {
  return pullRequest.ownVerdict === 'red' && !pullRequest.skipValidation;
}

/**
 * Whether the landing of a pull request waits for its own required checks. In serial mode its head commit itself is
 * built, so only checks that the service itself reports count.
 */
export function waitsForOwnChecks(
  { mode, ownRequiredChecks }: Pick<QueueRules, 'mode' | 'ownRequiredChecks'>,
  { skipValidation, ownVerdict }: Pick<PullRequestState, 'ownVerdict' | 'skipValidation'>,
): boolean {
  const hasOwn = mode === 'serial' ? requiresServiceCheck(ownRequiredChecks) : ownRequiredChecks?.length !== 0;
  return !skipValidation && hasOwn && ownVerdict === 'pending';
}

function requiresServiceCheck(required: QueueRules['ownRequiredChecks']): boolean {
  return required?.some(({ name }) => isServiceCheck(name)) ?? false;
}

/** Whether checks of CI on the heads themselves are required. Null in the rules means that all checks are. */
export function requiresChecksOfCi({ ownRequiredChecks }: Pick<QueueRules, 'ownRequiredChecks'>): boolean {
  return ownRequiredChecks?.some(({ name }) => !isServiceCheck(name)) ?? true;
}

/** After the plan, a pull request may have skipped the line, or a pull request may have got more targets. */
function orderFault({ batch, rules, line, members }: GateFacts): string | null {
  if (!buildsSpeculatively(rules))
    return batch.sideBuild === 'speculative' ? 'speculative builds are no longer made' : null;
  const earlier = findEarlierOverlap(line, new Set(members.map(({ pullRequest }) => pullRequest)));
  return earlier === null ? null : `#${earlier.number}, which it overlaps, is before it in line`;
}

/**
 * The first pull request in line that must land before one of the landing pull requests, and is not among them: it
 * overlaps that pull request and is before it in line.
 */
export function findEarlierOverlap(line: readonly InLine[], landing: ReadonlySet<string>): InLine | null {
  const ordered = inLineOrder(line);
  const before = findOverlaps(ordered);
  for (const [index, { id }] of ordered.entries()) {
    if (!landing.has(id)) continue;
    const passed = before(index).find((other) => !landing.has(ordered[other]?.id ?? ''));
    if (passed !== undefined) return ordered[passed] ?? null;
  }
  return null;
}

function decideOnEvidence(facts: GateFacts): GateDecision {
  const { rules, queue, batch, builds, claimed, now } = facts;
  if (claimed === '') {
    const rows = facts.members.flatMap(({ current }) => current ?? []);
    return isValidationSkipped(rules, rows) ? { kind: 'Pass', evidence: null } : refused('no evidence');
  }
  if (rules.landsBuiltCommitsOnly && claimed !== batch.commit)
    return refused('the host takes only commits that were built themselves');
  const evidence = evidenceFor(batch.tree ?? '', { queue, rules, builds }, { now, preferredCommit: claimed });
  const isClaimed = evidence?.commit === claimed;
  if (!isClaimed && !facts.isComposed) return refused(`the build of ${claimed} is no longer evidence`);
  const outlook = judgeGates(facts.finalGates, now);
  if (outlook.kind !== 'open') return refused(`the final gate ${outlook.workflow} is not passed`);
  return { kind: 'Pass', evidence: isClaimed ? evidence : null };
}
