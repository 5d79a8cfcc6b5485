// The loops of a service: what a process does by itself, and in which order the loops start.
import type { Ports } from './context.ts';
import { readRetention, type Retention } from './domain/retention/catalogue.ts';
import type { Secrets } from './modules/accounts/index.ts';
import { eventsAreDue, rollUpEvents } from './modules/analytics/index.ts';
import { carryOutErasures } from './modules/erasure/index.ts';
import { installationsAreDue, markInstallations, redeliverMissing, syncInstallations } from './modules/github/index.ts';
import {
  expireDueRegistrations,
  registrationsAreDue,
  verificationsAreDue,
  wakeDueVerifications,
} from './modules/previews/index.ts';
import { proofsAreDue, signProofs } from './modules/proofs/index.ts';
import { hintsAreDue, type HostInbox } from './modules/queue/index.ts';
import {
  announceDueFreezes,
  candidatesAreDue,
  freezesAreDue,
  lookAtNewCandidates,
  releasesAreDue,
  wakeDueReleases,
} from './modules/releases/index.ts';
import { removeDeletedRepositories } from './modules/repositories/index.ts';
import { runbooksAreDue, wakeDueRunbooks } from './modules/runbooks/index.ts';
import type { SlackRelay } from './modules/slack/index.ts';
import { webhooksAreDue, type WebhookRelay } from './modules/webhooks/index.ts';
import type { DueWork } from './platform/due-work.ts';
import { type Loop, repeat } from './platform/repeat.ts';
import { refreshStatistics } from './platform/statistics.ts';
import { haltRestoredQueues } from './reconciler.ts';
import { deleteOldRecords } from './retention.ts';

const minute = 60_000;
const fiveMinutes = 5 * minute;
const hour = 60 * minute;

const defaultRetention = readRetention({});

/** Makes one loop of all loops. Its start does not wait until the wakers have started. */
export function joinLoops(
  ports: Ports,
  onError: (error: unknown) => void,
  { housekeeping, wakers }: { readonly housekeeping: readonly Loop[]; readonly wakers: readonly Loop[] },
): Loop {
  let started: Promise<readonly Loop[]> = Promise.resolve([]);
  let surveyed: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const halt = async (host: 'local' | 'other'): Promise<void> =>
    await haltRestoredQueues(ports, host, stopping.signal).catch(onError);
  return {
    start() {
      for (const loop of housekeeping) loop.start();
      // If the database is older than its repositories, the queues of the local host are halted before they can be
      // woken. Rejected: to wait for other hosts too, because a slow host would delay all work of this process. A queue
      // of such a host may be woken before it is halted. It lands nothing, because it looks for unknown landings before
      // it accepts a tip that it did not make.
      started = halt('local').then(() => {
        if (stopping.signal.aborted) return housekeeping;
        for (const loop of wakers) loop.start();
        return [...housekeeping, ...wakers];
      });
      surveyed = halt('other');
    },
    async stop() {
      stopping.abort();
      await Promise.all((await started).map(async (loop) => await loop.stop()));
      await surveyed;
    },
  };
}

interface HousekeepingOptions {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly secrets?: Secrets;
  /** Default: docs/retention.md. */
  readonly retention?: Retention;
}

/** The loops that delete old records and erased data, and update statistics and the lists of installations. */
export function housekeepingOf(
  ports: Ports,
  onError: (error: unknown) => void,
  { databaseUrl, dataDir, secrets, retention = defaultRetention }: HousekeepingOptions,
): Loop[] {
  const { db, meter, log, clock } = ports;
  const every = (ms: number, work: (signal: AbortSignal) => Promise<unknown>): Loop => repeat(ms, work, onError);
  return [
    every(hour, async (signal) => await deleteOldRecords({ db, meter, log, clock, dataDir, retention }, signal)),
    every(minute, async () => await refreshStatistics(databaseUrl)),
    every(minute, async () => await removeDeletedRepositories(ports)),
    every(minute, async () => await carryOutErasures(ports)),
    ...(secrets === undefined
      ? []
      : [
          every(hour, async () => await signProofs(ports, secrets)),
          every(fiveMinutes, async () => await markInstallations(ports, 'compared')),
          every(minute, async () => await redeliverMissing(ports, secrets)),
        ]),
  ];
}

export interface Relays {
  /** Null: this process sends no webhooks. */
  readonly webhooks: WebhookRelay | null;
  /** Null: this process posts nothing to Slack. */
  readonly slack: SlackRelay | null;
}

interface DueWorkParts extends Relays {
  readonly inbox: HostInbox;
  readonly secrets: Secrets | undefined;
}

/** The work that is looked for every second. */
export function dueWorkOf(ports: Ports, { secrets, inbox, webhooks, slack }: DueWorkParts): DueWork[] {
  return [
    { isDue: releasesAreDue, act: async () => await wakeDueReleases(ports) },
    { isDue: verificationsAreDue, act: async () => await wakeDueVerifications(ports) },
    { isDue: runbooksAreDue, act: async () => await wakeDueRunbooks(ports) },
    { isDue: freezesAreDue, act: async () => await announceDueFreezes(ports) },
    { isDue: registrationsAreDue, act: async () => await expireDueRegistrations(ports) },
    { isDue: candidatesAreDue, act: async () => await lookAtNewCandidates(ports) },
    { isDue: eventsAreDue, act: async () => await rollUpEvents(ports.db) },
    ...(secrets === undefined
      ? []
      : [
          { isDue: proofsAreDue, act: async () => await signProofs(ports, secrets) },
          { isDue: installationsAreDue, act: async () => await syncInstallations(ports, secrets, false) },
        ]),
    { isDue: hintsAreDue, act: async () => await inbox.look() },
    ...(webhooks === null ? [] : [{ isDue: webhooksAreDue, act: async () => await webhooks.look() }]),
    ...(slack === null ? [] : [{ isDue: slack.isDue, act: async () => await slack.look() }]),
  ];
}
