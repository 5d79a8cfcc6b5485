// What server and worker have in common: the database, the hosts, the sequencer, the relay, and the ports made of them.
import type { Logger } from 'pino';
import type { Ports } from './context.ts';
import { readRetention, type Retention } from './domain/retention/catalogue.ts';
import type { Committer } from './hosts/git/index.ts';
import { createGitHubHost, type MirrorSettings, type PushPace } from './hosts/github/index.ts';
import { createLocalHost, type LocalHost } from './hosts/local/index.ts';
import type { HostAdapter, HostEvent, Hosts } from './hosts/port.ts';
import type { Secrets } from './modules/accounts/index.ts';
import { eventsAreDue, rollUpEvents } from './modules/analytics/index.ts';
import { entities } from './modules/entities.ts';
import { createSequencer } from './modules/events/index.ts';
import {
  installationFinder,
  installationsAreDue,
  personAdmission,
  redeliverMissing,
  syncInstallations,
} from './modules/github/index.ts';
import { carryOutErasures } from './modules/erasure/index.ts';
import type { Violation } from './domain/health/invariants.ts';
import {
  createMetricsPage,
  watchInvariants,
  watchOverdue,
  type MetricsPage,
  type Overdue,
} from './modules/health/index.ts';
import { createHostInbox, createRelay, hintsAreDue } from './modules/queue/index.ts';
import {
  expireDueRegistrations,
  registrationsAreDue,
  verificationsAreDue,
  wakeDueVerifications,
} from './modules/previews/index.ts';
import {
  announceDueFreezes,
  candidatesAreDue,
  freezesAreDue,
  lookAtNewCandidates,
  releasesAreDue,
  wakeDueReleases,
} from './modules/releases/index.ts';
import { removeDeletedRepositories } from './modules/repositories/index.ts';
import { proofsAreDue, signProofs } from './modules/proofs/index.ts';
import { runbooksAreDue, wakeDueRunbooks } from './modules/runbooks/index.ts';
import { createSlackRelay, type SlackOptions, type SlackRelay } from './modules/slack/index.ts';
import { createWebhookRelay, type WebhookOptions, type WebhookSender } from './modules/webhooks/index.ts';
import { connectDatabase, type Database } from './platform/database.ts';
import { lookForDueWork, type DueWork } from './platform/due-work.ts';
import { createMetrics, type Metrics } from './platform/metrics/index.ts';
import { type Loop, repeat } from './platform/repeat.ts';
import { refreshStatistics } from './platform/statistics.ts';
import { createReconciler, haltRestored } from './reconciler.ts';
import { deleteOld } from './retention.ts';

export interface ServiceOptions {
  readonly databaseUrl: string;
  /** Connections to it, which the service closes when it stops. Left out: the service opens them. */
  readonly database?: Database;
  readonly dataDir: string;
  readonly publicUrl: string;
  readonly log: Logger;
  readonly wake: Ports['wake'];
  /** Who executes runbooks; without it prompts are scripts. */
  readonly runbookAgent?: Ports['runbookAgent'];
  readonly clock?: () => Date;
  readonly poolSize?: number;
  /** Without it no webhooks are sent from here. */
  readonly webhooks?: WebhookOptions;
  /** Without it nothing is posted to Slack. */
  readonly slack?: SlackOptions;
  /** What the secrets of GitHub Apps are sealed by. Without it there is no host `github`. */
  readonly secrets?: Secrets;
  /** How pushes to GitHub are spread. Default: as GitHub recommends. */
  readonly pushPace?: PushPace;
  readonly mirrors?: MirrorSettings;
  /** Who commits what Interlock makes, if it signs. Default: Interlock, or the bot of an App, without a signature. */
  readonly committer?: Committer | undefined;
  /** How long what is kept. Default: docs/retention.md. */
  readonly retention?: Retention;
  /** How many queues have series of their own at /metrics; 100 unless given. */
  readonly mostSeries?: number;
}

export interface Service {
  readonly ports: Ports;
  /** Null where nothing is posted to Slack. */
  readonly slack: SlackRelay | null;
  /** Null where no webhooks are sent from. */
  readonly webhooks: WebhookSender | null;
  readonly localHost: LocalHost;
  /** Work that is older than its own time limit, as of half a minute ago at most. */
  readonly overdue: () => readonly Overdue[];
  /** Invariants that did not hold a minute ago. Null: this process has not compared them yet. */
  readonly violations: () => readonly Violation[] | null;
  readonly metrics: Metrics;
  readonly metricsPage: MetricsPage;
  /** Once for the process tree that owns the data directory, before anything else uses the code hosts. */
  recover(): Promise<void>;
  /** Starts what goes on by itself: sequencer, relay, reconciler. */
  start(): void;
  /** Resolves when events of a host are stored. From then on they are handled, even if this process dies. */
  storeHostEvents(events: readonly HostEvent[]): Promise<void>;
  /** Lists the installations of all Apps and their repositories now. */
  syncInstallations(): Promise<void>;
  /** Resolves when every host event received so far is handled. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

const second = 1_000;
const halfMinute = 30 * second;
const minute = 60 * second;
const fiveMinutes = 5 * minute;
const hour = 60 * minute;

const defaultRetention = readRetention({});

export async function createService(options: ServiceOptions): Promise<Service> {
  const { log, dataDir, publicUrl, committer, secrets, mostSeries, clock = () => new Date() } = options;
  const onError = (error: unknown): void => log.error({ error: String(error) }, 'A part of the service failed.');
  const db = await openDatabase(options, onError);
  const sequencer = createSequencer({ db, log });
  const metrics = createMetrics();
  const { meter } = metrics;
  const inbox = createHostInbox(() => ports);
  const emit = (event: HostEvent): void => inbox.receive(event);
  const localHost = createLocalHost({ dataDir, db, emit, publicUrl, clock, committer });
  const codeHosts: readonly HostAdapter[] = [
    localHost,
    ...openGitHub(options, { db, clock, meter, ports: () => ports }),
  ];
  const ports: Ports = {
    db,
    clock,
    log,
    publicUrl,
    runbookAgent: options.runbookAgent ?? 'script',
    wake: options.wake,
    eventsWritten: () => sequencer.nudge(),
    meter,
    hosts: chooseFrom(codeHosts),
    ...(secrets === undefined ? {} : { admitPerson: personAdmission(() => ports, secrets) }),
  };
  const webhookRelay = options.webhooks === undefined ? null : createWebhookRelay(ports, options.webhooks);
  const slackRelay = options.slack === undefined ? null : createSlackRelay(ports, options.slack);
  const overdue = watchOverdue(ports);
  const invariants = watchInvariants(ports);
  const seriesLimit = mostSeries === undefined ? {} : { mostSeries };
  const metricsPage = createMetricsPage({
    metrics,
    db,
    clock,
    overdue: overdue.found,
    violations: invariants.violations,
    ...seriesLimit,
  });
  const every: Every = (ms, work) => repeat(ms, work, onError);
  const housekeeping: readonly Loop[] = [
    ...codeHosts.map((host) => host.reconciler({ onError })),
    sequencer,
    ...(webhookRelay === null ? [] : [webhookRelay]),
    every(halfMinute, async () => await overdue.look()),
    every(minute, async () => await invariants.look()),
    ...housekeepingOf(options, ports, every),
  ];
  const wakers: readonly Loop[] = [
    createRelay(ports),
    lookForDueWork(
      [
        ...dueWorkOf(options, ports),
        { isDue: hintsAreDue, act: async () => await inbox.look() },
        ...(slackRelay === null ? [] : [{ isDue: slackRelay.isDue, act: async () => await slackRelay.look() }]),
      ],
      { db, clock: ports.clock, everyMs: second, onError },
    ),
    createReconciler(ports),
  ];
  let started: Promise<readonly Loop[]> = Promise.resolve([]);
  let isStopping = false;
  return {
    ports,
    localHost,
    slack: slackRelay,
    webhooks: webhookRelay?.sender ?? null,
    overdue: overdue.found,
    violations: invariants.violations,
    metrics,
    metricsPage,
    async recover() {
      for (const host of codeHosts) await host.recover();
    },
    start() {
      for (const loop of housekeeping) loop.start();
      // A database older than its repositories halts its queues before anything wakes them.
      started = haltRestored(ports)
        .catch(onError)
        .then(() => {
          if (isStopping) return housekeeping;
          for (const loop of wakers) loop.start();
          return [...housekeeping, ...wakers];
        });
    },
    storeHostEvents: async (events) => await inbox.store(events),
    async syncInstallations() {
      if (secrets !== undefined) await syncInstallations(ports, secrets, true);
    },
    drain: async () => await inbox.drain(),
    async stop() {
      isStopping = true;
      await Promise.all((await started).map(async (loop) => await loop.stop()));
      await inbox.drain();
      for (const host of codeHosts) await host.stop();
      await db.close();
    },
  };
}

async function openDatabase(
  { database, databaseUrl, poolSize }: ServiceOptions,
  onError: (error: unknown) => void,
): Promise<Database> {
  if (database !== undefined) return database;
  return await connectDatabase({
    url: databaseUrl,
    entities,
    onError,
    ...(poolSize === undefined ? {} : { poolSize }),
  });
}

type Every = (ms: number, work: (signal: AbortSignal) => Promise<unknown>) => Loop;

/** Deletes what is old or erased, and keeps statistics and the lists of installations up to date. */
function housekeepingOf(options: ServiceOptions, ports: Ports, every: Every): Loop[] {
  const { databaseUrl, dataDir, secrets, retention = defaultRetention } = options;
  const { db, meter, log, clock } = ports;
  return [
    every(hour, async (signal) => await deleteOld({ db, meter, log, clock, dataDir, retention }, signal)),
    every(minute, async () => await refreshStatistics(databaseUrl)),
    every(minute, async () => await removeDeletedRepositories(ports)),
    every(minute, async () => await carryOutErasures(ports)),
    ...(secrets === undefined
      ? []
      : [
          every(fiveMinutes, async () => await syncInstallations(ports, secrets, true)),
          every(minute, async () => await redeliverMissing(ports, secrets)),
        ]),
  ];
}

/** What finds due rows of releases, previews, runbooks and events, and does what is due. */
function dueWorkOf({ secrets }: ServiceOptions, ports: Ports): DueWork[] {
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
  ];
}

/** The host `github`, where the secrets of Apps can be opened. */
function openGitHub(
  { dataDir, secrets, pushPace, mirrors, committer }: ServiceOptions,
  { ports, ...given }: Pick<Ports, 'db' | 'clock' | 'meter'> & { readonly ports: () => Ports },
): HostAdapter[] {
  if (secrets === undefined) return [];
  const findInstallation = installationFinder(ports, secrets);
  const pace = pushPace === undefined ? {} : { pace: pushPace };
  const settings = mirrors === undefined ? {} : { settings: mirrors };
  return [createGitHubHost({ dataDir, ...given, findInstallation, committer, ...pace, ...settings })];
}

function chooseFrom(codeHosts: readonly HostAdapter[]): Hosts {
  return (kind) => {
    const host = codeHosts.find((each) => each.kind === kind);
    if (host === undefined) throw new Error(`This installation has no ${kind} host.`);
    return host;
  };
}
