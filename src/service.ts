// The service, which server and worker share: the database, the code hosts, the sequencer, the relay, and the ports.
import type { Logger } from 'pino';
import type { Ports } from './context.ts';
import type { Retention } from './domain/retention/catalogue.ts';
import type { Committer } from './hosts/git/index.ts';
import { createGitHubHost, type MirrorSettings, type PushPace } from './hosts/github/index.ts';
import { createLocalHost, openChecks, type LocalHost } from './hosts/local/index.ts';
import type { HostAdapter, HostEvent, Hosts } from './hosts/port.ts';
import type { Secrets } from './modules/accounts/index.ts';
import { entities } from './modules/entities.ts';
import { createSequencer, unpositionedEvents } from './modules/events/index.ts';
import { installationFinder, personAdmission, syncInstallations } from './modules/github/index.ts';
import type { InvariantReport } from './domain/health/invariants.ts';
import {
  createMetricsPage,
  watchInvariants,
  watchOverdue,
  type MetricsPage,
  type Overdue,
} from './modules/health/index.ts';
import { createHostInbox, createRelay, planBeforeWake, queuesAreDue, type HostInbox } from './modules/queue/index.ts';
import { warnOfLocalRepositories } from './modules/repositories/index.ts';
import { createSlackRelay, type SlackOptions, type SlackRelay } from './modules/slack/index.ts';
import { createWebhookRelay, type WebhookOptions, type WebhookSender } from './modules/webhooks/index.ts';
import { connectDatabase, type Database } from './platform/database.ts';
import { openDatabaseClock, withoutComparison } from './platform/database-clock.ts';
import { lookForDueWork, type DueWork } from './platform/due-work.ts';
import { createMetrics, type Metrics } from './platform/metrics/index.ts';
import { createFailureLog } from './platform/outage.ts';
import { repeat } from './platform/repeat.ts';
import { wakeUnlessRunning } from './platform/turns/index.ts';
import { createReconciler } from './reconciler.ts';
import { dueWorkOf, housekeepingOf, joinLoops, type Relays } from './service-loops.ts';

export interface ServiceOptions {
  readonly databaseUrl: string;
  /** Open connections to the database, which the service closes when it stops. Left out: the service opens them. */
  readonly database?: Database;
  readonly dataDir: string;
  readonly publicUrl: string;
  readonly log: Logger;
  readonly wake: Ports['wake'];
  /** Whether this process may plan a queue instead of waking it, if it runs turns of the queue too. Default: no. */
  readonly plansBeforeWake?: boolean;
  /** The kind of agent for new runbooks. Default: `script`. */
  readonly runbookAgent?: Ports['runbookAgent'];
  /** Default: the clock of the database. */
  readonly clock?: () => Date;
  readonly poolSize?: number;
  /** Left out: this process sends no webhooks. */
  readonly webhooks?: WebhookOptions;
  /** Left out: this process posts nothing to Slack. */
  readonly slack?: SlackOptions;
  /** The secrets with which the secrets of GitHub Apps are sealed. Left out: there is no host `github`. */
  readonly secrets?: Secrets;
  /** How fast pushes to GitHub may follow each other. Default: as GitHub recommends. */
  readonly pushPace?: PushPace;
  readonly mirrors?: MirrorSettings;
  /**
   * Whether all processes have the same data directory, which is kept. Default: yes, unless each machine has its own
   * mirrors (`GITHUB_MIRRORS=own`).
   */
  readonly sharesDataDirectory?: boolean;
  /**
   * The committer of signed commits. Default: commits are not signed, and the committer is Interlock or the bot of an
   * App.
   */
  readonly committer?: Committer | undefined;
  /** How often repositories of the local host are packed if they need it. Null: never. Default: once an hour. */
  readonly packEveryMs?: number | null;
  /** How long each kind of record is kept. Default: docs/retention.md. */
  readonly retention?: Retention;
  /** How many queues have series of their own at /metrics. Default: 100. */
  readonly maxSeries?: number;
}

export interface Service {
  readonly ports: Ports;
  /** Null: this process posts nothing to Slack. */
  readonly slack: SlackRelay | null;
  /** Null: this process sends no webhooks. */
  readonly webhooks: WebhookSender | null;
  readonly localHost: LocalHost;
  /** Work that is older than its own time limit. The service looks for such work every half minute. */
  readonly overdue: () => readonly Overdue[];
  /** Invariants that do not hold. They are checked every minute. Null: this process has not checked them yet. */
  readonly invariants: () => InvariantReport | null;
  readonly metrics: Metrics;
  readonly metricsPage: MetricsPage;
  /**
   * Repairs the code hosts after a crash. The process that owns the data directory calls it once, before the code hosts
   * are used.
   */
  recover(): Promise<void>;
  /** Starts the loops, such as the sequencer, the relay and the reconciler. */
  start(): void;
  /** Stores events of a host. When it resolves, the events will be handled even if this process dies. */
  storeHostEvents(events: readonly HostEvent[]): Promise<void>;
  /** Reads the installations of all GitHub Apps and their repositories now. */
  syncInstallations(): Promise<void>;
  /** Ends the calls of code hosts that wait for their turn. Called at the begin of a stop. */
  giveBackCalls(): void;
  /** Resolves when all host events that were received so far are handled. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

const second = 1_000;
const fiveSeconds = 5 * second;
const halfMinute = 30 * second;
const minute = 60 * second;

export async function createService(options: ServiceOptions): Promise<Service> {
  const { log, publicUrl, secrets } = options;
  const onError = createFailureLog(log, 'A part of the service failed.');
  const db = await openDatabase(options, onError);
  const { now: clock, compare: compareClocks } =
    options.clock === undefined ? await openDatabaseClock({ db, log, onError }) : withoutComparison(options.clock);
  const sequencer = createSequencer({ db, log, intervalMs: fiveSeconds });
  const metrics = createMetrics();
  const { meter } = metrics;
  const inbox = createHostInbox(() => ports);
  const localHost = openLocalHost(options, { db, clock, inbox });
  const codeHosts: readonly HostAdapter[] = [
    localHost,
    ...openGitHub(options, { db, clock, meter, ports: () => ports }),
  ];
  const plansBeforeWake = planBeforeWake(() => ports, options.wake, options.plansBeforeWake ?? false);
  const ports: Ports = {
    db,
    clock,
    log,
    publicUrl,
    runbookAgent: options.runbookAgent ?? 'script',
    wake: wakeUnlessRunning(db, plansBeforeWake.wake),
    eventsWritten: () => sequencer.nudge(),
    meter,
    hosts: chooseFrom(codeHosts),
    ...(secrets === undefined ? {} : { admitPerson: personAdmission(() => ports, secrets) }),
  };
  const relays = createRelays(options, ports);
  const health = watchHealth(ports, metrics, options.maxSeries);
  const relay = createRelay(ports);
  const dueWork: DueWork[] = [
    { isDue: unpositionedEvents, act: async () => sequencer.nudge() },
    { isDue: queuesAreDue, act: async () => await relay.look() },
    { isDue: openChecks, act: async () => localHost.wakeRunners() },
    ...dueWorkOf(ports, { secrets, inbox, ...relays }),
  ];
  const loops = joinLoops(ports, onError, {
    housekeeping: [
      ...codeHosts.map((host) => host.reconciler({ onError })),
      sequencer,
      repeat(fiveSeconds, compareClocks, onError),
      ...(relays.webhooks === null ? [] : [relays.webhooks]),
      repeat(halfMinute, async () => await health.overdue.look(), onError),
      repeat(minute, async () => await health.invariants.look(), onError),
      ...housekeepingOf(ports, onError, options),
    ],
    wakers: [lookForDueWork(dueWork, { db, clock, everyMs: second, onError }), createReconciler(ports)],
  });
  const giveBackCalls = (): void => {
    for (const host of codeHosts) host.giveBackCalls();
  };
  return {
    ports,
    localHost,
    slack: relays.slack,
    webhooks: relays.webhooks?.sender ?? null,
    overdue: health.overdue.found,
    invariants: health.invariants.report,
    metrics,
    metricsPage: health.metricsPage,
    async recover() {
      for (const host of codeHosts) await host.recover(onError);
    },
    start() {
      loops.start();
      void warnOfLocalRepositories(ports).catch(onError);
    },
    storeHostEvents: async (events) => await inbox.store(events),
    async syncInstallations() {
      if (secrets !== undefined) await syncInstallations(ports, secrets, true);
    },
    drain: async () => await inbox.drain(),
    giveBackCalls,
    async stop() {
      giveBackCalls();
      await loops.stop();
      await inbox.drain();
      await plansBeforeWake.ended();
      for (const host of codeHosts) await host.stop();
      await db.close();
    },
  };
}

function createRelays({ webhooks, slack }: ServiceOptions, ports: Ports): Relays {
  return {
    webhooks: webhooks === undefined ? null : createWebhookRelay(ports, webhooks),
    slack: slack === undefined ? null : createSlackRelay(ports, slack),
  };
}

/** What shows whether the service works: overdue work, invariants, and the page of metrics with both. */
function watchHealth(ports: Ports, metrics: Metrics, maxSeries: number | undefined) {
  const overdue = watchOverdue(ports);
  const invariants = watchInvariants(ports);
  const metricsPage = createMetricsPage({
    metrics,
    db: ports.db,
    clock: ports.clock,
    overdue: overdue.found,
    invariants: invariants.report,
    ...(maxSeries === undefined ? {} : { maxSeries }),
  });
  return { overdue, invariants, metricsPage };
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

function openLocalHost(
  { dataDir, publicUrl, committer, packEveryMs, sharesDataDirectory, mirrors }: ServiceOptions,
  { db, clock, inbox }: Pick<Ports, 'db' | 'clock'> & { readonly inbox: HostInbox },
): LocalHost {
  const emit = (event: HostEvent): void => inbox.receive(event);
  const hasOwnDisk = !(sharesDataDirectory ?? !mirrors?.keepsAtGitHub);
  return createLocalHost({ dataDir, db, emit, publicUrl, clock, committer, hasOwnDisk, packEveryMs });
}

/** The host `github`. Empty if the installation has no secrets, with which the secrets of GitHub Apps are opened. */
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
