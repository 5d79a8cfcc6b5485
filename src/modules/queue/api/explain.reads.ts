// Facts for `explain`, now or at an instant in the past: read when somebody asks, never stored.
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
import type {
  BlockCode,
  BuildState,
  CheckConclusion,
  PullRequestStatus,
} from '../../../domain/queue/model/snapshot.ts';
import { validationsDigest, type Configuration } from '../../../domain/configuration/index.ts';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { requireScope } from '../../accounts/index.ts';
import { admissionRequest } from '../admission/admission.service.ts';
import { conclusionBy, hadEndedBy, wasSeenBy } from '../facts/build.records.ts';
import { lineColumns, type LineRow } from '../store/line.rows.ts';
import { toCause } from './as-of.gates.ts';
import { loadMoment, type Moment } from './as-of.loader.ts';
import type { PullRequest } from './pull-requests.types.ts';
import { loadJudgedBuilds } from '../facts/retries.ts';
import { judgeOwn } from '../facts/own-checks.ts';
import { obstacleBelow } from '../facts/stacks.ts';
import { validationFacts } from '../admission/validations.service.ts';

export interface Explained extends Reason {
  /** The instant it is about. */
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
    throw new DomainError('BAD_INPUT', 'asOf must not be in the future: what will be is not known.', 'asOf');
  return await loaderOf(ctx, explanations).load({ pullRequest, asOf });
}

interface Question {
  readonly pullRequest: PullRequest;
  readonly asOf: Date | null;
}

/** All that is asked together about one instant is read together, and each queue once. */
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
      return questions.map((question) => answers.get(question) ?? new Error('It was not explained.'));
    },
    { cache: false },
  );
}

/** A pull request as it was from `since` on. */
interface Version extends LineRow {
  readonly queueId: string | null;
  readonly repositoryId: string;
  readonly since: number;
  readonly statusCode: number | null;
  readonly title: string;
  readonly body: string;
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
  const versions = await readVersions(ctx, tx, ids, instant);
  const standsOn = [...versions.values()].flatMap(([newest]) => newest?.belowId ?? []);
  const below = standsOn.length === 0 ? new Map<string, Version[]>() : await readVersions(ctx, tx, standsOn, instant);
  const events = await readEvents(ctx, tx, ids, instant);
  const moments = new Map<string, Moment | null>();
  const answers = new Map<string, Explained>();
  for (const pullRequest of pullRequests) {
    const known = versions.get(pullRequest.id) ?? [];
    const queueId = known[0]?.queueId ?? null;
    if (queueId !== null && !moments.has(queueId))
      moments.set(queueId, await loadMoment(ctx, tx, { queueId, at: asOf }));
    const moment = queueId === null ? null : (moments.get(queueId) ?? null);
    answers.set(
      pullRequest.id,
      moment === null
        ? unknown(pullRequest, asOf ?? ctx.clock())
        : await explainOne(ctx, tx, {
            versions: known,
            below: below.get(known[0]?.belowId ?? '')?.[0] ?? null,
            events: events.get(pullRequest.id) ?? [],
            moment,
          }),
    );
  }
  return answers;
}

/** What is not on record is said, and not guessed. */
function unknown({ createdAt }: Pick<PullRequest, 'createdAt'>, at: Date): Explained {
  const sentence =
    at < createdAt
      ? 'It was not known here yet.'
      : 'What kept it from being merged at that moment is not on record any more.';
  return { kind: 'unknown', who: null, sentence, at, conditions: [] };
}

interface Known {
  /** Newest first; the first is how it stood. */
  readonly versions: readonly Version[];
  /** What it stood on, as that stood then. */
  readonly below: Version | null;
  /** Newest first. */
  readonly events: readonly Cause[];
  readonly moment: Moment;
}

async function explainOne(ctx: Context, tx: Transaction, known: Known): Promise<Explained> {
  const { versions, below, events, moment } = known;
  const [version] = versions;
  if (version === undefined) throw new Error('A moment without a version was explained.');
  const standing = isQueued(version.status) ? linePositionOf(moment.view, version.id, moment.causes) : null;
  const own = await buildOf(ctx, tx, moment, version.headSha);
  const tested = standing?.tested?.testedCommit ?? '';
  const checks = await readChecks(ctx, tx, moment, [version.headSha, tested]);
  const preconditions = preconditionsOf(moment, version, { own, below });
  const pullRequest = explainedPullRequest(known, version, standing);
  const { ownRequiredChecks, requiredChecks } = moment.rules;
  const facts: ConditionFacts = {
    pullRequest,
    standing,
    preconditions,
    validations: moment.configuration.merge_rules.preconditions.validations.map(({ name }) => name),
    own: {
      checks: checks.get(version.headSha) ?? [],
      required: ownRequiredChecks,
      startedAt: own?.startedAt ?? null,
    },
    build: {
      checks: checks.get(tested) ?? [],
      required: requiredChecks,
      startedAt: standing?.tested?.buildStartedAt ?? null,
    },
    since: {
      status: statusSince(versions, version),
      preconditions: preconditionsSince(known, preconditions),
      halted: moment.haltedAt,
    },
    causes: {
      status: events.find(({ action }) => causesOf[version.status as PullRequestStatus].includes(action)) ?? null,
      pause: moment.pausedBy,
      halt: moment.haltedBy,
      freeze: moment.frozenBy,
      build: events.find(({ action }) => action === 'added_to_batch') ?? null,
      stuck: version.stuckAnnounced ? (events.find(({ action }) => action === 'stuck') ?? null) : null,
    },
  };
  return { ...explain(pullRequest), at: new Date(moment.now), conditions: listConditions(facts) };
}

function explainedPullRequest(
  { events, moment }: Known,
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
    paused: moment.pause,
    haltedReason: moment.haltedReason,
    frozen: standing === null ? null : moment.frozen,
    landingsFrom: standing === null ? null : moment.windowFrom,
  };
}

/** Events that bring a status about. */
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
  moment: Moment,
  version: Version,
  { own, below }: { readonly own?: BuildState | undefined; readonly below: Version | null },
): Precondition[] {
  const { configuration, rules, tip } = moment;
  const judged = judgeOwn(own, rules);
  const conflictsWithBase = moment.view.snapshot.mergeResults.some(
    ({ parent, heads, conflictAt }) =>
      parent === tip && heads.length === 1 && heads[0] === version.headSha && conflictAt === 0,
  );
  const failedValidations = failedValidationsOf(configuration, version);
  const waitsForBelow = below === null ? null : obstacleBelow(new Map([[below.id, below]]), version.belowId);
  const request = admissionRequest(
    { configuration, rules, validated: new Map([[version.id, failedValidations]]) },
    {
      repository: moment,
      queue: moment,
      pullRequest: version,
      seen: { ownVerdict: judged.verdict, ownFailedChecks: judged.failed, conflictsWithBase, waitsForBelow },
    },
  );
  return listPreconditions(request);
}

/** Where it was judged by validations that are no more: again, or what is left of them where its words are not kept. */
function failedValidationsOf(configuration: Configuration, version: Version): readonly string[] {
  const { validations } = configuration.merge_rules.preconditions;
  if (version.validatedBy === validationsDigest(validations)) return version.failedValidations;
  if (version.title !== '') return validationFacts(configuration, version).failedValidations;
  return version.failedValidations.filter((failed) => validations.some(({ name }) => name === failed));
}

/** Since when what is observed has been so: the versions before it are judged by the rules of this moment. */
function preconditionsSince(
  { versions, moment }: Known,
  preconditions: readonly Precondition[],
): Partial<Record<PreconditionKind, number>> {
  const since: Partial<Record<PreconditionKind, number>> = {};
  const open = new Map(preconditions.map(({ kind, observed }) => [kind, observed]));
  // Of these the versions say nothing.
  open.delete('own_checks');
  open.delete('mergeable');
  open.delete('stack');
  for (const version of versions) {
    const observed = new Map(
      preconditionsOf(moment, version, { below: null }).map((each) => [each.kind, each.observed]),
    );
    for (const [kind, now] of open) {
      if (observed.get(kind) === now) since[kind] = version.since;
      else open.delete(kind);
    }
  }
  return since;
}

const mostVersions = 100;
const mostEvents = 50;

async function readVersions(
  ctx: Context,
  tx: Transaction,
  ids: readonly string[],
  instant: string,
): Promise<Map<string, Version[]>> {
  const rows = await tx.query<Version>(
    `select ${lineColumns}, title, body, repository_id as "repositoryId", queue_id as "queueId", status_code as "statusCode",
            extract(epoch from standing_since)::float8 * 1000 as since
     from unnest($2::bigint[]) as asked (one), lateral (
       select * from (
         select p.* from pull_request p where p.account_id = $1 and p.id = asked.one
         union all
         select r.* from pull_request_past v, jsonb_populate_record(null::pull_request, v.facts) r
         where v.account_id = $1 and v.pull_request_id = asked.one) stood
       where stood.standing_since <= $3 order by stood.standing_since desc limit ${mostVersions}) version
     order by standing_since desc`,
    [ctx.accountId, ids, instant],
  );
  return Map.groupBy(rows, (row) => row.id);
}

async function readEvents(
  ctx: Context,
  tx: Transaction,
  ids: readonly string[],
  instant: string,
): Promise<Map<string, Cause[]>> {
  const rows = await tx.query<Cause & { readonly pullRequestId: string }>(
    `select e.pull_request_id as "pullRequestId", e.action, extract(epoch from e.at)::float8 * 1000 as at, e.actor
     from unnest($2::bigint[]) as asked (one), lateral (
       select * from event where account_id = $1 and pull_request_id = asked.one and at <= $3 order by id desc limit ${mostEvents}) e
     order by e.id desc`,
    [ctx.accountId, ids, instant],
  );
  const causes = new Map<string, Cause[]>();
  for (const [id, events] of Map.groupBy(rows, (row) => row.pullRequestId)) causes.set(id, events.map(toCause));
  return causes;
}

/** Of those in line it is read with the line. */
async function buildOf(ctx: Context, tx: Transaction, moment: Moment, commit: string): Promise<BuildState | undefined> {
  const known = moment.view.snapshot.builds.find((build) => build.commit === commit);
  if (known !== undefined) return known;
  const { repositoryId, rules, at } = moment;
  const [build] = await loadJudgedBuilds(ctx, tx, { repositoryId, commits: [commit], trees: [], at }, rules);
  return build;
}

/** The newest attempt of each check, by commit. */
async function readChecks(
  ctx: Context,
  tx: Transaction,
  { repositoryId, at }: Moment,
  commits: readonly string[],
): Promise<Map<string, CheckFact[]>> {
  const rows = await tx.query<CheckFact & { readonly commit: string; readonly conclusion: CheckConclusion }>(
    `select distinct on (r.commit, r.name) r.commit, r.name, ${conclusionBy('$4')} as conclusion,
            case when ${hadEndedBy('$4')} then extract(epoch from r.completed_at)::float8 * 1000 end as "endedAt"
     from check_result r
     where r.account_id = $1 and r.repository_id = $2 and r.commit = any($3) and ${wasSeenBy('$4')}
     order by r.commit, r.name, r.attempt desc`,
    [ctx.accountId, repositoryId, commits, at?.toISOString() ?? 'infinity'],
  );
  return Map.groupBy(rows, (row) => row.commit);
}
