// Reads the facts for `explain`, now or at an instant in the past. The facts are read for each request and never
// stored.
import DataLoader from 'dataloader';
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import {
  linePositionOf,
  type FactsBesideLine,
  type LinePosition,
} from '../../../domain/queue/explain/line-position.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import type { Database, Transaction } from '../../../platform/database.ts';
import { SharedReads } from '../../../platform/shared-reads.ts';
import { requireScope } from '../../accounts/index.ts';
import { isCovered, loadQueueAsOf, type QueueAsOf } from './as-of.loader.ts';
import { judgeOwnChecks } from '../facts/judged-builds.ts';
import { ownVerdictOf } from '../planning/snapshot.rows.ts';
import { explainBriefly, explainOne, type PullRequestExplanation, type ExplanationFacts } from './explain.answers.ts';
import { type Version, readVersions, readEvents, readBuildsOf, readChecks } from './explain.rows.ts';
import type { PullRequest } from './pull-requests.types.ts';

/** What to explain about pull requests. */
export interface ExplainOptions {
  /** The instant to explain. Null: now. */
  readonly asOf: Date | null;
  /** Whether only the reason is wanted. Conditions need versions, events and checks, which cost ten times as much. */
  readonly isBrief: boolean;
}

export async function explainPullRequest(
  ctx: GraphQLContext,
  pullRequest: PullRequest,
  { asOf, isBrief }: ExplainOptions,
): Promise<PullRequestExplanation> {
  requireScope(ctx, 'queue:read');
  if (asOf !== null && asOf > ctx.clock())
    throw new DomainError('BAD_INPUT', 'asOf must not be in the future.', 'asOf');
  return await loaderOf(ctx, explanations).load({ pullRequest, asOf, isBrief });
}

interface Question extends ExplainOptions {
  readonly pullRequest: PullRequest;
}

/** Explains pull requests. Pull requests at the same instant are read together, and each queue is read once. */
function explanations(ctx: GraphQLContext): DataLoader<Question, PullRequestExplanation> {
  return new DataLoader(
    async (questions) => {
      const answers = new Map<Question, PullRequestExplanation>();
      const groups = Map.groupBy(questions, ({ asOf, isBrief }) => `${asOf?.getTime()} ${isBrief}`);
      for (const [first, ...others] of groups.values()) {
        if (first === undefined) continue;
        const grouped = [first, ...others];
        const pullRequests = grouped.map(({ pullRequest }) => pullRequest);
        const queues = first.asOf === null ? await readQueuesNow(ctx, pullRequests) : nothingRead;
        const explained = await ctx.db.transaction(
          ctx.accountId,
          async (tx) => await explainAll(ctx, tx, { ...first, pullRequests, queues }),
        );
        for (const question of grouped) {
          const answer = explained.get(question.pullRequest.id);
          if (answer !== undefined) answers.set(question, answer);
        }
      }
      return questions.map((question) => answers.get(question) ?? new Error('The pull request has no explanation.'));
    },
    { cache: false },
  );
}

type Queues = ReadonlyMap<string, QueueAsOf | null>;

const nothingRead: Queues = new Map();

/** How many pull requests at the front of the line are read first, and then if these do not cover all asked ones. */
const fronts = [256, 4_096] as const;

/**
 * Reads the front of the line, or the whole line if the front does not cover all pull requests with these ids. Null:
 * there is no record of the queue.
 */
async function readCovering(
  ids: readonly string[],
  read: (front: number | null) => Promise<QueueAsOf | null>,
): Promise<QueueAsOf | null> {
  for (const front of fronts) {
    const queue = await read(front);
    if (queue === null || ids.every((id) => isCovered(queue, id))) return queue;
  }
  return await read(null);
}

const sharedOf = new WeakMap<Database, SharedReads<QueueAsOf | null>>();

/**
 * Reads the queues before the transaction. Otherwise a request could keep a connection while the request waits for a
 * read that needs another connection.
 */
async function readQueuesNow(ctx: Context, pullRequests: readonly PullRequest[]): Promise<Queues> {
  const shared = sharedOf.get(ctx.db) ?? new SharedReads<QueueAsOf | null>();
  sharedOf.set(ctx.db, shared);
  const queues = new Map<string, QueueAsOf | null>();
  for (const [queueId, inQueue] of Map.groupBy(pullRequests, (pullRequest) => pullRequest.queueId)) {
    if (queueId === null) continue;
    const inLine = inQueue.flatMap(({ id, queued }) => (queued ? [id] : []));
    const read = async (front: number | null): Promise<QueueAsOf | null> =>
      await shared.read(
        `${ctx.accountId} ${queueId} ${front}`,
        async () =>
          await ctx.db.transaction(
            ctx.accountId,
            async (tx) => await loadQueueAsOf(ctx, tx, { queueId, at: null, front }),
            { asOf: 'start' },
          ),
      );
    queues.set(queueId, await readCovering(inLine, read));
  }
  return queues;
}

interface ExplainRequest extends ExplainOptions {
  readonly pullRequests: readonly Pick<PullRequest, 'id' | 'createdAt'>[];
  /** The queues that were already read, by id. */
  readonly queues?: Queues;
}

/** The explanations, by id of the pull request. */
export async function explainAll(
  ctx: Context,
  tx: Transaction,
  { pullRequests, asOf, isBrief, queues = nothingRead }: ExplainRequest,
): Promise<Map<string, PullRequestExplanation>> {
  const instant = asOf?.toISOString() ?? 'infinity';
  const ids = [...new Set(pullRequests.map(({ id }) => id))];
  const [versions, events] = await Promise.all([
    readVersions(ctx, tx, { ids, instant, isBrief }),
    readEvents(ctx, tx, { ids, instant, isBrief }),
  ]);
  const answers = new Map<string, PullRequestExplanation>();
  const byQueue = Map.groupBy(pullRequests, ({ id }) => versions.get(id)?.[0]?.queueId ?? null);
  for (const [queueId, inQueue] of byQueue) {
    const inLine = inQueue.flatMap(({ id }) => (isQueued(versions.get(id)?.[0]?.status ?? 'open') ? [id] : []));
    const queueAsOf = queueId === null ? null : await queueFor(ctx, tx, { queueId, at: asOf, inLine, queues });
    if (queueAsOf === null) {
      for (const each of inQueue) answers.set(each.id, unknown(each, asOf ?? ctx.clock()));
      continue;
    }
    const recorded = inQueue.flatMap(({ id }): Recorded[] => {
      const known = versions.get(id) ?? [];
      const [version] = known;
      return version === undefined ? [] : [{ version, versions: known, events: events.get(id) ?? [], queueAsOf }];
    });
    const explained = isBrief
      ? recorded.map((each) => explainBriefly({ ...each, position: positionOf(each, {}) }))
      : await explainFully(ctx, tx, { queueAsOf, recorded });
    for (const [index, { version }] of recorded.entries()) {
      const answer = explained[index];
      if (answer !== undefined) answers.set(version.id, answer);
    }
  }
  return answers;
}

/** Returns the queue as it was read before, unless it does not cover all of `inLine`. */
async function queueFor(
  ctx: Context,
  tx: Transaction,
  of: {
    readonly queueId: string;
    readonly at: Date | null;
    readonly inLine: readonly string[];
    readonly queues: Queues;
  },
): Promise<QueueAsOf | null> {
  const { queueId, at, inLine } = of;
  const known = of.queues.get(queueId) ?? null;
  // A pull request may have entered the line, or have moved to its end, since the queue was read.
  if (known !== null && inLine.every((id) => isCovered(known, id))) return known;
  return await readCovering(inLine, async (front) => await loadQueueAsOf(ctx, tx, { queueId, at, front }));
}

type Recorded = Pick<ExplanationFacts, 'version' | 'versions' | 'events' | 'queueAsOf'>;

/**
 * Explains with conditions. They need the checks and the pull request below each pull request. Returns the explanations
 * in the given order.
 */
async function explainFully(
  ctx: Context,
  tx: Transaction,
  { queueAsOf, recorded }: { readonly queueAsOf: QueueAsOf; readonly recorded: readonly Recorded[] },
): Promise<PullRequestExplanation[]> {
  const instant = queueAsOf.at?.toISOString() ?? 'infinity';
  const belowIds = recorded.flatMap(({ version }) => version.belowId ?? []);
  const heads = recorded.map(({ version }) => version.headSha);
  const [below, builds] = await Promise.all([
    belowIds.length === 0
      ? new Map<string, Version[]>()
      : readVersions(ctx, tx, { ids: belowIds, instant, isBrief: true }),
    readBuildsOf(ctx, tx, { queue: queueAsOf, commits: [...new Set(heads)] }),
  ]);
  const known = recorded.map((each) => {
    const own = builds.get(each.version.headSha);
    const ownVerdict = ownVerdictOf(each.version, judgeOwnChecks(own, queueAsOf.rules));
    return { ...each, own, position: positionOf(each, { ownVerdict }) };
  });
  const tested = known.flatMap(({ position }) => position?.tested?.testedCommit ?? []);
  const checks = await readChecks(ctx, tx, { queue: queueAsOf, commits: [...new Set([...heads, ...tested])] });
  return known.map((each) =>
    explainOne({ ...each, checks, below: below.get(each.version.belowId ?? '')?.[0] ?? null }),
  );
}

/** Null: the pull request was not in line. */
function positionOf(
  { version: { id, status }, queueAsOf: { view, causes } }: Recorded,
  own: Pick<FactsBesideLine, 'ownVerdict'>,
): LinePosition | null {
  return isQueued(status) ? linePositionOf(view, id, { causes, ...own }) : null;
}

/** The explanation of an instant without records. */
function unknown({ createdAt }: Pick<PullRequest, 'createdAt'>, at: Date): PullRequestExplanation {
  const sentence =
    at < createdAt
      ? 'Interlock did not know the pull request yet.'
      : 'The reason at that instant is not on record any more.';
  return { kind: 'unknown', who: null, sentence, at, conditions: [] };
}
