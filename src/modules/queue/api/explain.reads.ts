// Facts for `explain`, now or at an instant in the past. They are read at each request and never stored.
import DataLoader from 'dataloader';
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import {
  listPreconditions,
  type Precondition,
  type PreconditionKind,
} from '../../../domain/queue/requests/admission.ts';
import { explain, type ExplainedPullRequest, type Reason } from '../../../domain/queue/explain/explain.ts';
import type { Cause, CheckFact, Condition, ConditionFacts } from '../../../domain/queue/explain/condition.ts';
import { listConditions } from '../../../domain/queue/explain/conditions.ts';
import { linePositionOf, type LinePosition } from '../../../domain/queue/explain/line-position.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import type { BlockCode, BuildState, PullRequestStatus } from '../../../domain/queue/model/snapshot.ts';
import { validationsDigest, type Configuration } from '../../../domain/configuration/index.ts';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { requireScope } from '../../accounts/index.ts';
import { admissionRequest } from '../admission/admission.service.ts';
import { loadQueueAsOf, type QueueAsOf } from './as-of.loader.ts';
import type { PullRequest } from './pull-requests.types.ts';
import { judgeOwn } from '../facts/judged-builds.ts';
import { obstacleBelow } from '../facts/stacks.ts';
import { type Version, readVersions, readEvents, readBuildsOf, readChecks } from './explain.rows.ts';
import { validationFacts } from '../admission/validations.service.ts';

export interface Explained extends Reason {
  /** The instant of the explanation. */
  readonly at: Date;
  readonly conditions: readonly Condition[];
}

/** `asOf` null: now. */
export async function explainPullRequest(
  ctx: GraphQLContext,
  pullRequest: PullRequest,
  asOf: Date | null,
): Promise<Explained> {
  requireScope(ctx, 'queue:read');
  if (asOf !== null && asOf > ctx.clock())
    throw new DomainError('BAD_INPUT', 'asOf must not be in the future.', 'asOf');
  return await loaderOf(ctx, explanations).load({ pullRequest, asOf });
}

interface Question {
  readonly pullRequest: PullRequest;
  readonly asOf: Date | null;
}

/** Requests about one instant are read together, and each queue once. */
function explanations(ctx: GraphQLContext): DataLoader<Question, Explained> {
  return new DataLoader(
    async (questions) => {
      const answers = new Map<Question, Explained>();
      for (const asked of Map.groupBy(questions, ({ asOf }) => asOf?.getTime() ?? null).values()) {
        const about = asked.map(({ pullRequest }) => pullRequest);
        const asOf = asked[0]?.asOf ?? null;
        const explained = await ctx.db.transaction(ctx.accountId, async (tx) => await explainAll(ctx, tx, about, asOf));
        for (const question of asked) {
          const answer = explained.get(question.pullRequest.id);
          if (answer !== undefined) answers.set(question, answer);
        }
      }
      return questions.map((question) => answers.get(question) ?? new Error('The pull request has no explanation.'));
    },
    { cache: false },
  );
}

/** By id. `asOf` null: now. */
export async function explainAll(
  ctx: Context,
  tx: Transaction,
  pullRequests: readonly Pick<PullRequest, 'id' | 'createdAt'>[],
  asOf: Date | null,
): Promise<Map<string, Explained>> {
  const instant = asOf?.toISOString() ?? 'infinity';
  const ids = [...new Set(pullRequests.map(({ id }) => id))];
  const versions = await readVersions(ctx, tx, { ids, instant });
  const standsOn = [...versions.values()].flatMap(([newest]) => newest?.belowId ?? []);
  const below =
    standsOn.length === 0 ? new Map<string, Version[]>() : await readVersions(ctx, tx, { ids: standsOn, instant });
  const events = await readEvents(ctx, tx, { ids, instant });
  const answers = new Map<string, Explained>();
  const byQueue = Map.groupBy(pullRequests, ({ id }) => versions.get(id)?.[0]?.queueId ?? null);
  for (const [queueId, inQueue] of byQueue) {
    const queueAsOf = queueId === null ? null : await loadQueueAsOf(ctx, tx, { queueId, at: asOf });
    if (queueAsOf === null) {
      for (const each of inQueue) answers.set(each.id, unknown(each, asOf ?? ctx.clock()));
      continue;
    }
    const known = inQueue.flatMap(({ id }) => {
      const [version, ...earlier] = versions.get(id) ?? [];
      if (version === undefined) return [];
      const position = isQueued(version.status) ? linePositionOf(queueAsOf.view, id, queueAsOf.causes) : null;
      return [{ version, versions: [version, ...earlier], position, queueAsOf }];
    });
    const { builds, checks } = await readFacts(ctx, tx, queueAsOf, known);
    for (const each of known) {
      const { id, belowId, headSha } = each.version;
      const own = builds.get(headSha);
      answers.set(
        id,
        explainOne({
          ...each,
          own,
          checks,
          below: below.get(belowId ?? '')?.[0] ?? null,
          events: events.get(id) ?? [],
        }),
      );
    }
  }
  return answers;
}

/** The builds of the heads, and the checks of these heads and of the commits that are tested, each in one statement. */
async function readFacts(
  ctx: Context,
  tx: Transaction,
  queueAsOf: QueueAsOf,
  known: readonly Pick<Known, 'version' | 'position'>[],
): Promise<{ readonly builds: ReadonlyMap<string, BuildState>; readonly checks: Known['checks'] }> {
  const heads = [...new Set(known.map(({ version }) => version.headSha))];
  const tested = known.flatMap(({ position }) => position?.tested?.testedCommit ?? []);
  return {
    builds: await readBuildsOf(ctx, tx, queueAsOf, heads),
    checks: await readChecks(ctx, tx, queueAsOf, [...new Set([...heads, ...tested])]),
  };
}

/** For an instant without records the answer says so. */
function unknown({ createdAt }: Pick<PullRequest, 'createdAt'>, at: Date): Explained {
  const sentence =
    at < createdAt
      ? 'It was not known here yet.'
      : 'What kept it from being merged at that moment is not on record any more.';
  return { kind: 'unknown', who: null, sentence, at, conditions: [] };
}

interface Known {
  /** The version at the instant. */
  readonly version: Version;
  /** Newest first, from that version on. */
  readonly versions: readonly Version[];
  /** Null: it was not in line. */
  readonly position: LinePosition | null;
  /** The build of its head. */
  readonly own: BuildState | undefined;
  /** By commit. */
  readonly checks: ReadonlyMap<string, readonly CheckFact[]>;
  /** The version at the instant of the pull request below it. */
  readonly below: Version | null;
  /** Newest first. */
  readonly events: readonly Cause[];
  readonly queueAsOf: QueueAsOf;
}

function explainOne(known: Known): Explained {
  const { version, versions, position, own, checks, below, events, queueAsOf } = known;
  const tested = position?.tested?.testedCommit ?? '';
  const preconditions = preconditionsOf(queueAsOf, version, { own, below });
  const pullRequest = explainedPullRequest(known, version, position);
  const { ownRequiredChecks, requiredChecks } = queueAsOf.rules;
  const facts: ConditionFacts = {
    pullRequest,
    standing: position,
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
  { events, queueAsOf }: Pick<Known, 'events' | 'queueAsOf'>,
  version: Version,
  standing: LinePosition | null,
): ExplainedPullRequest {
  const left = events.find(({ action }) => action === 'dequeued' || action === 'queued' || action === 'opened');
  return {
    status: version.status,
    code: version.statusCode as BlockCode | null,
    text: version.statusText,
    dequeued: left?.action === 'dequeued' ? { by: left.actor } : null,
    ahead: standing?.ahead ?? null,
    skippers: standing?.skippers ?? [],
    hold: standing?.hold ?? null,
    ownChecks: standing?.ownChecks ?? null,
    finalGate: standing?.finalGate ?? null,
    batch: standing?.batch ?? null,
    paused: queueAsOf.pause,
    haltedReason: queueAsOf.haltedReason,
    hostWarning: queueAsOf.hostWarning,
    hostWaitUntil: queueAsOf.hostWaitUntil,
    preparingSince: queueAsOf.preparingSince,
    frozen: standing === null ? null : queueAsOf.frozen,
    landingsFrom: standing === null ? null : queueAsOf.windowFrom,
  };
}

/** Events that lead to a status. */
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
  { own, below }: { readonly own?: BuildState | undefined; readonly below: Version | null },
): Precondition[] {
  const { configuration, rules, tip } = queueAsOf;
  const judged = judgeOwn(own, rules);
  const conflictsWithBase = queueAsOf.view.snapshot.mergeResults.some(
    ({ parent, heads, conflictAt }) =>
      parent === tip && heads.length === 1 && heads[0] === version.headSha && conflictAt === 0,
  );
  const failedValidations = failedValidationsOf(configuration, version);
  const waitsForBelow = below === null ? null : obstacleBelow(new Map([[below.id, below]]), version.belowId);
  const request = admissionRequest(
    { configuration, rules, validated: new Map([[version.id, failedValidations]]) },
    {
      repository: queueAsOf,
      queue: queueAsOf,
      pullRequest: version,
      seen: { ownVerdict: judged.verdict, ownFailedChecks: judged.failed, conflictsWithBase, waitsForBelow },
    },
  );
  return listPreconditions(request);
}

/**
 * If the stored result belongs to older validations, they are judged again, or, where the text is not kept, the still
 * existing ones of the result count.
 */
function failedValidationsOf(configuration: Configuration, version: Version): readonly string[] {
  const { validations } = configuration.merge_rules.preconditions;
  if (version.validatedBy === validationsDigest(validations)) return version.failedValidations;
  if (version.title !== '') return validationFacts(configuration, version).failedValidations;
  return version.failedValidations.filter((failed) => validations.some(({ name }) => name === failed));
}

/** Since when each precondition has its present value: earlier versions are judged by the rules of the instant. */
function preconditionsSince(
  { versions, queueAsOf }: Known,
  preconditions: readonly Precondition[],
): Partial<Record<PreconditionKind, number>> {
  const since: Partial<Record<PreconditionKind, number>> = {};
  const open = new Map(preconditions.map(({ kind, observed }) => [kind, observed]));
  // The versions have no facts about these.
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
