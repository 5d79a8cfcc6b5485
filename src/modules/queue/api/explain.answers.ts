// Makes the explanation of a pull request from facts about the pull request and its queue.
import {
  listPreconditions,
  type Precondition,
  type PreconditionKind,
} from '../../../domain/queue/requests/admission.ts';
import { explain, type ExplainedPullRequest, type Reason } from '../../../domain/queue/explain/explain.ts';
import type { Cause, CheckFact, Condition, ConditionFacts } from '../../../domain/queue/explain/condition.ts';
import { listConditions } from '../../../domain/queue/explain/condition-tree.ts';
import type { LinePosition } from '../../../domain/queue/explain/line-position.ts';
import type { BlockCode, BuildState, PullRequestStatus } from '../../../domain/queue/model/snapshot.ts';
import { validationsDigest, type Configuration } from '../../../domain/configuration/index.ts';
import { admissionRequest } from '../admission/admission.service.ts';
import { validationFacts } from '../admission/validations.service.ts';
import { judgeOwnChecks } from '../facts/judged-builds.ts';
import { obstacleBelow } from '../facts/stacks.ts';
import type { QueueAsOf } from './as-of.loader.ts';
import type { Version } from './explain.rows.ts';

export interface PullRequestExplanation extends Reason {
  /** The instant that is explained. */
  readonly at: Date;
  /** Empty if only the reason was requested. */
  readonly conditions: readonly Condition[];
}

export interface ExplanationFacts {
  /** The pull request at that instant. */
  readonly version: Version;
  /** All versions of the pull request up to that instant, newest first. */
  readonly versions: readonly Version[];
  /** Null: the pull request was not in line. */
  readonly position: LinePosition | null;
  /** The build of its head commit. Undefined: there is none. */
  readonly own: BuildState | undefined;
  /** The checks of the head and of the build of the pull request, by commit. */
  readonly checks: ReadonlyMap<string, readonly CheckFact[]>;
  /** The pull request below it in its stack, at that instant. Null: there is none. */
  readonly below: Version | null;
  /** The events of the pull request up to that instant, newest first. */
  readonly events: readonly Cause[];
  readonly queueAsOf: QueueAsOf;
}

/** Returns the reason without conditions. */
export function explainBriefly(
  known: Pick<ExplanationFacts, 'version' | 'position' | 'events' | 'queueAsOf'>,
): PullRequestExplanation {
  const reason = explain(explainedPullRequest(known, known.version, known.position));
  return { ...reason, at: new Date(known.queueAsOf.now), conditions: [] };
}

export function explainOne(known: ExplanationFacts): PullRequestExplanation {
  const { version, versions, position, own, checks, below, events, queueAsOf } = known;
  const tested = position?.tested?.testedCommit ?? '';
  const preconditions = preconditionsOf(queueAsOf, version, { own, below, blockedFor: conflictFound(versions) });
  const pullRequest = explainedPullRequest(known, version, position);
  const { ownRequiredChecks, requiredChecks } = queueAsOf.rules;
  const facts: ConditionFacts = {
    pullRequest,
    position,
    preconditions,
    validations: queueAsOf.configuration.merge_rules.preconditions.validations.map(({ name }) => name),
    own: {
      checks: checks.get(version.headSha) ?? [],
      required: ownRequiredChecks,
      startedAt: own?.startedAt ?? null,
    },
    build: {
      checks: checks.get(tested) ?? [],
      required: requiredChecks,
      startedAt: position?.tested?.buildStartedAt ?? null,
    },
    since: {
      status: statusSince(versions, version),
      preconditions: preconditionsSince(known, preconditions),
      halted: queueAsOf.haltedAt,
    },
    causes: {
      status: events.find(({ action }) => causesOf[version.status as PullRequestStatus].includes(action)) ?? null,
      pause: queueAsOf.pausedBy,
      halt: queueAsOf.haltedBy,
      freeze: queueAsOf.frozenBy,
      build: events.find(({ action }) => action === 'added_to_batch') ?? null,
      stuck: version.stuckAnnounced ? (events.find(({ action }) => action === 'stuck') ?? null) : null,
    },
  };
  return { ...explain(pullRequest), at: new Date(queueAsOf.now), conditions: listConditions(facts) };
}

function explainedPullRequest(
  { events, queueAsOf }: Pick<ExplanationFacts, 'events' | 'queueAsOf'>,
  version: Version,
  position: LinePosition | null,
): ExplainedPullRequest {
  const left = events.find(({ action }) => action === 'dequeued' || action === 'queued' || action === 'opened');
  return {
    status: version.status,
    code: version.statusCode as BlockCode | null,
    text: version.statusText,
    actor: version.statusActor,
    dequeued: left?.action === 'dequeued' ? { by: left.actor } : null,
    isInactive: queueAsOf.isInactive,
    ahead: position?.ahead ?? null,
    skippers: position?.skippers ?? [],
    hold: position?.hold ?? null,
    ownChecks: position?.ownChecks ?? null,
    finalGate: position?.finalGate ?? null,
    batch: position?.batch ?? null,
    paused: queueAsOf.pause,
    haltedReason: queueAsOf.haltedReason,
    hostWarning: queueAsOf.hostWarning,
    hostWaitUntil: queueAsOf.hostWaitUntil,
    preparingSince: queueAsOf.preparingSince,
    frozen: position === null ? null : queueAsOf.frozen,
    landingsFrom: position === null ? null : queueAsOf.windowFrom,
  };
}

/** The events that lead to each status. */
const causesOf: Readonly<Record<PullRequestStatus, readonly string[]>> = {
  open: ['dequeued', 'opened'],
  pending: ['labeled'],
  queued: ['queued', 'reset'],
  tagged: ['queued'],
  blocked: ['blocked'],
  merged: ['merged'],
  closed: [],
};

function statusSince(versions: readonly Version[], { status, since }: Version): number {
  const before = versions.findIndex((version) => version.status !== status);
  return versions[(before === -1 ? versions.length : before) - 1]?.since ?? since;
}

function preconditionsOf(
  queueAsOf: QueueAsOf,
  version: Version,
  {
    own,
    below,
    blockedFor = null,
  }: {
    readonly own?: BuildState | undefined;
    readonly below: Version | null;
    /** The head commit that was blocked because of a conflict. Null: there is none. */
    readonly blockedFor?: string | null;
  },
): Precondition[] {
  const { configuration, rules } = queueAsOf;
  const judged = judgeOwnChecks(own, rules);
  // A conflict that blocked this head counts even if the tip has moved since.
  const conflictsWithBase = blockedFor === version.headSha || conflictsWithTip(queueAsOf, version.headSha);
  const failedValidations = failedValidationsOf(configuration, version);
  const waitsForBelow = below === null ? null : obstacleBelow(new Map([[below.id, below]]), version.belowId);
  const request = admissionRequest(
    { configuration, rules, validated: new Map([[version.id, failedValidations]]) },
    {
      repository: queueAsOf,
      queue: queueAsOf,
      pullRequest: version,
      seen: {
        ownVerdict: judged.verdict,
        ownFailedChecks: judged.failed,
        ownMissingChecks: judged.missing,
        ownCanceledChecks: judged.canceled,
        conflictsWithBase,
        waitsForBelow,
      },
    },
  );
  return listPreconditions(request);
}

function conflictsWithTip({ view, tip }: QueueAsOf, head: string): boolean {
  return view.snapshot.mergeResults.some(
    ({ parent, heads, conflictAt }) => parent === tip && heads.length === 1 && heads[0] === head && conflictAt === 0,
  );
}

/**
 * The head commit that was blocked because of a conflict. Null: the pull request is not blocked because of a conflict.
 */
function conflictFound(versions: readonly Version[]): string | null {
  const isOther = ({ status, statusCode }: Version): boolean => status !== 'blocked' || statusCode !== 106;
  const before = versions.findIndex(isOther);
  return versions[(before === -1 ? versions.length : before) - 1]?.headSha ?? null;
}

/**
 * The failed validations under the configuration of the instant. If the stored result is about other validations, the
 * text is judged again. If there is no text, the stored failed validations count that the configuration still has.
 */
function failedValidationsOf(configuration: Configuration, version: Version): readonly string[] {
  const { validations } = configuration.merge_rules.preconditions;
  if (version.validatedBy === validationsDigest(validations)) return version.failedValidations;
  if (version.title !== '') return validationFacts(configuration, version).failedValidations;
  return version.failedValidations.filter((failed) => validations.some(({ name }) => name === failed));
}

/** When each precondition got its present value. Earlier versions are judged under the configuration of the instant. */
function preconditionsSince(
  { versions, queueAsOf }: ExplanationFacts,
  preconditions: readonly Precondition[],
): Partial<Record<PreconditionKind, number>> {
  const since: Partial<Record<PreconditionKind, number>> = {};
  const open = new Map(preconditions.map(({ kind, observed }) => [kind, observed]));
  // Versions contain no facts about these preconditions.
  open.delete('own_checks');
  open.delete('mergeable');
  open.delete('stack');
  for (const version of versions) {
    const observed = new Map(
      preconditionsOf(queueAsOf, version, { below: null }).map((each) => [each.kind, each.observed]),
    );
    for (const [kind, now] of open) {
      if (observed.get(kind) === now) since[kind] = version.since;
      else open.delete(kind);
    }
  }
  return since;
}
