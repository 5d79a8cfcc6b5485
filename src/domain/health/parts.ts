// Whether the parts of an installation work, in sentences for people: the servers it needs, the workers, and work that
// is older than its own time limit.

import { timeText } from '../calendar/time.text.ts';
import { findingsText, type InvariantReport } from './invariants.ts';

/** Work that has a time limit of its own. */
export type OverdueKind =
  | 'checks'
  | 'landings'
  | 'deployments'
  | 'builds'
  | 'verifications'
  | 'runbooks'
  | 'webhooks'
  | 'retention';

/** `invariants` concerns all accounts, so only operators see this part. */
export type PartName = 'database' | 'temporal' | 'worker' | 'invariants' | OverdueKind;

export interface Part {
  readonly name: PartName;
  readonly well: boolean;
  /** Since when the part does not work. Null while the part works, and always for the database. */
  readonly since: Date | null;
  /** What is wrong, and what to do about it. Null while the part works. */
  readonly sentence: string | null;
}

export interface TemporalHealth {
  /** Since when Temporal does not answer, or lacks the namespace. Null: it answers. */
  readonly silentSince: Date | null;
  /** The namespace of this process, if Temporal has answered that it does not exist. Absent: Temporal has it. */
  readonly missingNamespace?: string;
  /** Since when no worker asks Temporal for work, by Temporal's last answer. Null: a worker asks. */
  readonly idleSince: Date | null;
}

/** Temporal's answer to a query for the workers, or its silence. */
export type TemporalAnswer =
  | { readonly kind: 'Silent' }
  | { readonly kind: 'NoNamespace'; readonly namespace: string }
  /** `askedAt`: when a worker last asked Temporal for work (`LastAsk.seenAt`). Null: no worker is registered at Temporal. */
  | { readonly kind: 'Answered'; readonly askedAt: Date | null };

/** When a worker last asked Temporal for work. */
export interface LastAsk {
  /** By the clock of Temporal. */
  readonly at: Date;
  /** By the clock of this process. At the first look nothing is known but the clock of Temporal. */
  readonly seenAt: Date;
}

export interface PartFacts {
  /** The kinds of work of which some has exceeded its time limit. Null: the database does not answer. */
  readonly overdue: readonly { readonly what: OverdueKind; readonly count: number; readonly since: Date }[] | null;
  /** The state of Temporal. Null: this server has not queried Temporal yet. */
  readonly temporal: TemporalHealth | null;
}

/** A worker asks at least once a minute, because a request for work that finds none ends after a minute. */
const asksWithinMs = 90_000;

/**
 * The last request of a worker, after an answer of Temporal with `askedAt`. The clocks of Temporal and of this process
 * may differ, so a request that was made since the last look counts as made now. No worker could ask while Temporal did
 * not answer (since `silentSince`, null: it answered), so this time does not count. Temporal forgets its workers when it
 * restarts, so the request that was known before counts for 90 seconds. Null: no worker has asked Temporal.
 */
export function nextAsk(
  before: LastAsk | null,
  askedAt: Date | null,
  now: Date,
  silentSince: Date | null = null,
): LastAsk | null {
  if (before === null) return askedAt === null ? null : { at: askedAt, seenAt: askedAt };
  if (askedAt !== null && askedAt > before.at) return { at: askedAt, seenAt: now };
  const silentMs = silentSince === null ? 0 : now.getTime() - silentSince.getTime();
  const seenAt = new Date(before.seenAt.getTime() + silentMs);
  if (askedAt === null) return isRecent(seenAt, now) ? { at: before.at, seenAt } : null;
  return { at: askedAt, seenAt };
}

function isRecent(askedAt: Date, now: Date): boolean {
  return now.getTime() - askedAt.getTime() <= asksWithinMs;
}

/** The state of Temporal after an answer. During an outage, the instant at which the outage was first seen is kept. */
export function nextHealth(before: TemporalHealth | null, answer: TemporalAnswer, now: Date): TemporalHealth {
  if (answer.kind !== 'Answered')
    return {
      silentSince: before?.silentSince ?? now,
      idleSince: before?.idleSince ?? null,
      ...(answer.kind === 'NoNamespace' && { missingNamespace: answer.namespace }),
    };
  const { askedAt } = answer;
  const isIdle = askedAt === null || !isRecent(askedAt, now);
  return { silentSince: null, idleSince: isIdle ? (before?.idleSince ?? askedAt ?? now) : null };
}

const one: Readonly<Record<OverdueKind, string>> = {
  checks: 'check',
  landings: 'landing',
  deployments: 'deployment',
  builds: 'build',
  verifications: 'verification',
  runbooks: 'runbook',
  webhooks: 'webhook delivery',
  retention: 'deletion of old rows',
};
const many: Readonly<Record<OverdueKind, string>> = {
  checks: 'checks',
  landings: 'landings',
  deployments: 'deployments',
  builds: 'builds',
  verifications: 'verifications',
  runbooks: 'runbooks',
  webhooks: 'webhook deliveries',
  retention: 'deletions of old rows',
};

/** The known state of each part. A part with an unknown state is left out. */
export function judgeParts({ overdue, temporal }: PartFacts): readonly Part[] {
  const database: Part =
    overdue === null
      ? { name: 'database', well: false, since: null, sentence: 'The database does not answer.' }
      : wellPart('database');
  return [database, ...(temporal === null ? [] : judgeTemporal(temporal)), ...(overdue ?? []).map(judgeOverdue)];
}

/** The part `invariants`. Null: this process has no comparison yet, so the list is empty. */
export function judgeInvariants(report: InvariantReport | null): readonly Part[] {
  if (report === null) return [];
  const { isOutdated, endedAt } = report;
  const sentence = isOutdated
    ? `The invariants were last compared at ${timeText(endedAt.getTime())}. The logs of the servers and workers say why later comparisons failed.`
    : findingsText(report);
  return [{ name: 'invariants', well: sentence === null, since: isOutdated ? endedAt : null, sentence }];
}

/** Why Temporal cannot be used. */
export function temporalSentence({ missingNamespace }: Pick<TemporalHealth, 'missingNamespace'>): string {
  return missingNamespace === undefined
    ? standstillTexts.temporal_silent
    : `Temporal has no namespace ${missingNamespace}. Correct TEMPORAL_NAMESPACE of this process, or create the namespace.`;
}

/** Why nothing moves in any queue: Temporal does not answer, or no worker runs. */
export type Standstill = 'temporal_silent' | 'no_worker';

/** A shorter outage is no standstill: a single late answer of Temporal does not show that work has stopped. */
const standstillAfterMs = 15_000;

/**
 * Null: work goes on or has stopped for less than 15 seconds, or it is not known whether work goes on. It is not known
 * before this process has queried Temporal, and if this process has a namespace that does not exist: other processes
 * may have the right one.
 */
export function standstillOf(temporal: TemporalHealth | null, now: Date): Standstill | null {
  if (temporal === null || temporal.missingNamespace !== undefined) return null;
  const { silentSince, idleSince } = temporal;
  const since = silentSince ?? idleSince;
  if (since === null || now.getTime() - since.getTime() < standstillAfterMs) return null;
  return silentSince === null ? 'no_worker' : 'temporal_silent';
}

/** What a standstill means for users. */
export const standstillTexts = {
  temporal_silent: 'Temporal does not answer: nothing is planned, built or landed until Temporal answers.',
  no_worker: 'No worker is running: nothing is planned, built or landed until a worker starts.',
} as const satisfies Record<Standstill, string>;

function judgeTemporal({ silentSince, idleSince, ...namespace }: TemporalHealth): readonly Part[] {
  const server = partOf('temporal', silentSince, temporalSentence(namespace));
  // While Temporal does not answer, it is not known whether workers ask for work.
  if (silentSince !== null) return [server];
  const worker = partOf('worker', idleSince, standstillTexts.no_worker);
  return [server, worker];
}

function judgeOverdue({ what, count, since }: NonNullable<PartFacts['overdue']>[number]): Part {
  const subject = count === 1 ? `1 ${one[what]} is past its` : `${count} ${many[what]} are past their`;
  return partOf(what, since, `${subject} own time limit. Restart the worker, and report what its log says.`);
}

function partOf(name: PartName, since: Date | null, sentence: string): Part {
  return since === null ? wellPart(name) : { name, well: false, since, sentence };
}

function wellPart(name: PartName): Part {
  return { name, well: true, since: null, sentence: null };
}
