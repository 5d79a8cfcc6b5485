// Collects the work that remains after the transaction of a turn, as ids, and describes this work for Temporal's UI.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { nextStepOf, type NextBatchStep } from '../store/batch.rows.ts';
import { isBranchWork, type BranchWork } from './branch-work.ts';
import type { BatchRowState, IntentRow, QueueRow } from '../store/queue.entities.ts';

export interface OpenIntent {
  readonly id: string;
  readonly kind: IntentRow['kind'];
  readonly attempt: number;
  /** Numbers of the pull requests that the intent concerns. */
  readonly numbers: readonly number[];
}

interface OpenBatch {
  readonly id: string;
  readonly state: BatchRowState;
  readonly cause: string;
  readonly started: boolean;
  readonly given_up: boolean;
  readonly parent_commit: string;
  /** Numbers of the pull requests that the batch assumes to land before its members. */
  readonly assumed: readonly number[];
  readonly rests_on: readonly string[];
  readonly created_at: Date | string;
  readonly numbers: readonly number[];
}

export const causes: Readonly<Record<string, string>> = {
  new: 'next in line',
  optimistic: 'green builds show that its pull requests can land together',
  bisect: 'part of a batch that failed',
  probe: 'to find out whether the pull request still conflicts or is red by itself',
  retry: 'built once more',
};

/** Why the batch was made, and the commit that it is built on. */
function describeBatch({ cause, assumed, rests_on, parent_commit }: OpenBatch): string {
  const why = rests_on.length > 0 ? 'green builds of its parts justify its landing' : (causes[cause] ?? cause);
  const below = assumed.length === 0 ? '' : ` with ${numbersText(assumed)} on it`;
  return `${why}, on top of \`${parent_commit.slice(0, 12)}\`${below}`;
}

function numbersText(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(' ');
}

/**
 * The greatest amount of branch work that follows one turn, so that a landing that is planned in the meantime does not
 * wait long.
 */
const maxBranchWork = 4;

/**
 * The greatest number of notifications that follow one turn, so that a landing does not wait long, and because one
 * activity with one time limit sends them all.
 */
const maxNotifications = 80;

/** The queue waits for these effects before it decides, so they come before texts for people. */
const awaited: readonly OpenIntent['kind'][] = ['read_checks', 'retry_check', 'run_gate'];

const branchTitles = { refresh: 'Refresh', sync: 'Bring up to date', backport: 'Backport' } as const satisfies Record<
  BranchWork,
  string
>;

/** Chooses the effects of this turn that are neither landings nor branch work. */
function chooseNotifications(intents: readonly OpenIntent[]): readonly OpenIntent[] {
  return intents
    .filter(({ kind }) => kind !== 'land' && !isBranchWork(kind))
    .toSorted((a, b) => a.attempt - b.attempt || Number(awaited.includes(b.kind)) - Number(awaited.includes(a.kind)))
    .slice(0, maxNotifications);
}

/**
 * Whether the next turn must follow at once, because this turn is full of notifications and none of them has failed
 * before.
 */
export function hasMoreNotifications(intents: readonly OpenIntent[]): boolean {
  const chosen = chooseNotifications(intents);
  return chosen.length === maxNotifications && chosen.every(({ attempt }) => attempt === 0);
}

interface Effect {
  readonly intents: readonly string[];
  readonly title: string;
  /**
   * Whether the effect has only notifications, for which no decision of the queue waits. At a host on this machine,
   * such an effect takes only a moment.
   */
  readonly isNotification: boolean;
  /** Whether this is the first attempt of a landing at a host on this machine. Such an attempt takes a moment. */
  readonly isQuickLanding: boolean;
}

/**
 * Groups intents into effects. Each landing is an effect of its own, because later effects depend on it. All
 * notifications are one effect. Failed notifications and failed branch work come last, so that they do not delay the
 * others.
 */
export function effectsOf(
  intents: readonly OpenIntent[],
  { baseBranch, isLocal }: { readonly baseBranch: string; readonly isLocal: boolean },
): Effect[] {
  const landings = intents.filter((intent) => intent.kind === 'land');
  // The first attempt of a landing always wakes the queue. The next turn sends the notifications, including those about
  // the landing.
  const isFollowed = landings.length > 0 && landings.every(({ attempt }) => attempt === 0);
  const notifications = isFollowed ? [] : chooseNotifications(intents);
  const work = intents
    .flatMap((intent) => (isBranchWork(intent.kind) ? [{ ...intent, title: branchTitles[intent.kind] }] : []))
    .toSorted((a, b) => a.attempt - b.attempt)
    .slice(0, maxBranchWork);
  const numbersOf = (...kinds: readonly OpenIntent['kind'][]): number[] => [
    ...new Set(notifications.filter((intent) => kinds.includes(intent.kind)).flatMap((intent) => intent.numbers)),
  ];
  const statusNumbers = numbersOf('comment', 'status_check');
  const parts = [
    numbersOf('conclude_pull_request').length > 0
      ? `show ${numbersText(numbersOf('conclude_pull_request'))} as merged`
      : '',
    statusNumbers.length > 0 ? `publish the status of ${numbersText(statusNumbers)}` : '',
    numbersOf('reply').length > 0 ? `answer on ${numbersText(numbersOf('reply'))}` : '',
    numbersOf('run_gate').length > 0 ? `start a final gate for ${numbersText(numbersOf('run_gate'))}` : '',
    notifications.some((intent) => intent.kind === 'close_bot_pull_request') ? 'close bot pull requests' : '',
    notifications.some((intent) => intent.kind === 'retry_check') ? 'retry failed checks' : '',
    numbersOf('label').length > 0 ? `label ${numbersText(numbersOf('label'))}` : '',
  ].filter((part) => part !== '');
  const isNotification = notifications.every(({ kind }) => !awaited.includes(kind));
  return [
    ...landings.map((intent) => ({
      ...effect([intent], `Land ${numbersText(intent.numbers)} on ${baseBranch}`),
      isQuickLanding: isLocal && intent.attempt === 0,
    })),
    ...(notifications.length === 0
      ? []
      : [{ ...effect(notifications, `At the host: ${parts.join('; ')}`), isNotification }]),
    ...work.map((intent) => effect([intent], `${intent.title} ${numbersText(intent.numbers)}`)),
  ];
}

function effect(intents: readonly OpenIntent[], title: string): Effect {
  return { intents: intents.map(({ id }) => id), title, isNotification: false, isQuickLanding: false };
}

function describeQueue({
  queue,
  repository,
  state,
  batches,
}: {
  queue: OpenWorkOf['queue'];
  repository: string;
  state: string;
  batches: readonly OpenBatch[];
}): string {
  const head = `**${repository}** → \`${queue.baseBranch}\`: **${state}** · ${queue.waiting} waiting, ${queue.tagged} in builds · base \`${queue.baseTip?.slice(0, 12) ?? 'unknown'}\``;
  if (batches.length === 0) return head;
  const lines = batches.map(
    (batch) =>
      `**${numbersText(batch.numbers)}** ${batch.state} · batch ${batch.id}, ${describeBatch(batch)} · since ${timeOf(batch.created_at)}`,
  );
  return [head, '', ...lines].join('\n');
}

function timeOf(at: Date | string): string {
  return `${new Date(at).toISOString().slice(11, 19)} UTC`;
}

export interface OpenWork {
  /** The open intents: landings first, then all notifications, then branch work. */
  readonly effects: readonly Effect[];
  /** Batches that are live, or have ended and are not cleaned up. */
  readonly batches: readonly {
    readonly id: string;
    readonly need: NextBatchStep;
    readonly title: string;
    /** Markdown. */
    readonly details: string;
    /** Whether its steps usually take milliseconds, because its code host is the local one. */
    readonly isQuick: boolean;
  }[];
  /** A description of the queue for Temporal's UI, as Markdown. */
  readonly summary: {
    readonly repository: string;
    readonly baseBranch: string;
    readonly state: string;
    readonly details: string;
  };
}

/** The open intents and batches of a queue. `openRows` is the SQL that reads them. */
export interface OpenRows {
  readonly intents: readonly (OpenIntent & {
    /** Milliseconds since the epoch. Null: the intent is carried out at once. */
    readonly nextTryAt: number | null;
  })[];
  readonly batches: readonly OpenBatch[];
}

export async function readOpenRows(ctx: Context, tx: Transaction, queueId: string): Promise<OpenRows> {
  const [rows] = await tx.query<OpenRows>(`select ${openRows}`, [ctx.accountId, queueId]);
  return rows ?? { intents: [], batches: [] };
}

/** Whether an intent is carried out now. `now`: milliseconds since the epoch. */
export function isDue({ nextTryAt }: OpenRows['intents'][number], now: number): boolean {
  return (nextTryAt ?? 0) <= now;
}

export interface OpenWorkOf {
  readonly queue: Pick<QueueRow, 'baseBranch' | 'baseTip' | 'waiting' | 'tagged'>;
  readonly repository: Pick<RepositoryRow, 'owner' | 'name' | 'host'>;
  readonly halted: string | null;
  readonly isPaused: boolean;
  /** The ids of the batches that wait, and need a build of their own now (`findUnbuiltBatches`). Absent: none. */
  readonly unbuilt?: ReadonlySet<string>;
}

export function toOpenWork(
  rows: OpenRows,
  { queue, repository: row, halted, isPaused, unbuilt }: OpenWorkOf,
  now: number,
): {
  readonly work: OpenWork;
  readonly hasMore: boolean;
  /** When the first failed intent is tried again. Milliseconds since the epoch. Null: there is none. */
  readonly tryAgainAt: number | null;
} {
  const repository = `${row.owner}/${row.name}`;
  const { due: intents = [], later = [] } = Object.groupBy(rows.intents, (intent) =>
    isDue(intent, now) ? 'due' : 'later',
  );
  const state = describeState(queue, { halted, isPaused });
  const work = {
    effects: effectsOf(intents, { baseBranch: queue.baseBranch, isLocal: row.host === 'local' }),
    batches: rows.batches.map((batch) => ({
      id: batch.id,
      need: nextStepOf({
        state: batch.state,
        hasStarted: batch.started && unbuilt?.has(batch.id) !== true,
        isCleanedUp: false,
        isGivenUp: batch.given_up,
      }),
      title: `${numbersText(batch.numbers)} → ${queue.baseBranch} of ${repository}`,
      details: `Batch ${batch.id}: ${describeBatch(batch)}.`,
      isQuick: row.host === 'local',
    })),
    summary: {
      repository,
      baseBranch: queue.baseBranch,
      state,
      details: describeQueue({ queue, repository, state, batches: rows.batches }),
    },
  };
  const tryAgainAt = earliest(...later.map((intent) => intent.nextTryAt));
  return { work, hasMore: hasMoreNotifications(intents), tryAgainAt };
}

const numbersOfBatch = `array(select p.number from batch_member m join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
                              where m.account_id = $1 and m.batch_id = b.id order by m.ordinal)`;

/** SQL for the columns of `OpenRows`, for the queue $2 of the account $1. */
export const openRows = `(
     select coalesce(json_agg(o order by o.place), '[]') from (
       select i.id as place, i.id::text, i.kind, i.attempt, (extract(epoch from i.next_try_at) * 1000)::float8 as "nextTryAt",
         case when b.id is null then array[p.number] else ${numbersOfBatch} end as numbers
       from intent i left join batch b on b.account_id = i.account_id and b.id = i.batch_id
                     left join pull_request p on p.account_id = i.account_id and p.id = i.pull_request_id
       where i.account_id = $1 and i.queue_id = $2 and i.state in ('planned', 'started')) o) as intents,
     (
     select coalesce(json_agg(o order by o.position, o.place), '[]') from (
       select b.position, b.id as place, b.id::text, b.state, b.cause, b.given_up, b.build_started_at is not null as started, b.parent_commit, b.rests_on,
         b.created_at, ${numbersOfBatch} as numbers,
         array(select p.number from batch_assumption a join pull_request p on p.account_id = a.account_id and p.id = a.pull_request_id
               where a.account_id = $1 and a.batch_id = b.id order by a.ordinal) as assumed
       from batch b where b.account_id = $1 and b.queue_id = $2 and b.cleaned_up_at is null) o) as batches`;

function describeState(
  queue: Pick<QueueRow, 'waiting' | 'tagged'>,
  stopped: { readonly halted: string | null; readonly isPaused: boolean },
): string {
  if (stopped.halted !== null) return `halted: ${stopped.halted}`;
  if (stopped.isPaused) return 'paused';
  return queue.waiting + queue.tagged === 0 ? 'idle' : 'running';
}

/** The earliest of the instants that are not null. Null: all are null. */
export function earliest(...instants: readonly (number | null)[]): number | null {
  return instants.reduce<number | null>(
    (first, each) => (first === null || each === null ? (first ?? each) : Math.min(first, each)),
    null,
  );
}
