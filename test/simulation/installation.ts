// The installation that is simulated: processes of the real service on one PostgreSQL and one folder of repositories.
// The simulation runs everything that would run by itself: relay, sequencer, Temporal, CI, webhooks.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemContext, type Context, type Ports } from '../../src/context.ts';
import type { ClaimedCheckRun } from '../../src/hosts/local/check-run-leases.rows.ts';
import type { LocalHost } from '../../src/hosts/local/index.ts';
import { reconcileRepository, type SeenTips } from '../../src/hosts/local/reconcile.ts';
import { toHostedRepository, type HostCommit, type HostedRepository, type HostEvent } from '../../src/hosts/port.ts';
import { findRepository, replaceConfiguration } from '../../src/modules/repositories/index.ts';
import { createWebhookEndpoint } from '../../src/modules/webhooks/endpoints.service.ts';
import type { Database } from '../../src/platform/database.ts';
import type { HttpAnswer, HttpOut, PostRequest } from '../../src/platform/http-out/index.ts';
import { createService, type Service } from '../../src/service.ts';
import { beginWorld, worldName } from '../support/world-template.ts';
import { configurationYaml } from '../support/world.ts';
import { hasRelease } from './configurations.ts';
import { takeSimulatedDatabase } from './kept-database.ts';
import { keepRows, type KeptRows } from './kept-rows.ts';
import { openRepository, type SimulatedRepository } from './repository.ts';
import { addHostBoundaries, pauseTask, withBoundaries } from './tasks.ts';
import { startVirtualTime, type VirtualTime } from './virtual-time.ts';

/** A server with a worker. */
export interface Process {
  /** Each start of a process gives it a new name. */
  readonly name: string;
  readonly service: Service;
  readonly ctx: Context;
  /** The owner of the leases of checks that this process takes. */
  readonly runner: string;
  /** The tips of branches that the comparison with the host has seen. It reports only tips that have changed since. */
  readonly seenTips: SeenTips;
  end(): Promise<void>;
}

/** A change at the host that nobody has handled. */
export interface Hint {
  /** The process that has the hint in memory. */
  readonly process: string;
  readonly event: HostEvent;
}

export interface RunningCheck {
  readonly process: string;
  readonly run: ClaimedCheckRun;
}

export interface Installation extends AsyncDisposable {
  readonly time: VirtualTime;
  readonly processes: Process[];
  readonly repository: HostedRepository;
  readonly accountId: string;
  readonly git: SimulatedRepository;
  /** The configurations between which people change. */
  readonly configurations: readonly string[];
  /** Connections that no process has, so that no fault concerns them. */
  readonly watcher: Database;
  readonly rows: KeptRows['execute'];
  /** The rows that the rules read, as of their last refresh. */
  readonly kept: KeptRows;
  /** Loses all hints in memory, as a process does that dies. */
  loseHints(): void;
  /** Ends a process as `kill -9` does, and starts another one in its place. The memory of the process is lost. */
  kill(at: number): Promise<void>;
  /** The ids of the queues that were woken. */
  readonly woken: Set<string>;
  /** Those of them whose wakes all said that the change is often irrelevant. */
  readonly wokenLightly: Set<string>;
  readonly hints: Hint[];
  readonly running: RunningCheck[];
  /** Owners of leases whose process has died. */
  readonly deadRunners: string[];
  /** By delivery: when its workflow looks at it next. */
  readonly retries: Map<string, number>;
  /** The bodies that the receiver of webhooks has received, by message. */
  readonly received: Map<string, string[]>;
  /** Lists of commits that the rules have read, by their range. */
  readonly lists: Map<string, readonly HostCommit[]>;
  /** How far the clock of each process is ahead. A negative number: the clock is behind. */
  readonly aheadMs: number[];
  /**
   * Whether the clock of a process has ever been wrong or was set back. Then `absolute_pause` does not count, because
   * this invariant compares instants of the landing and of the pause. The simulation has a rule about pauses that
   * compares no instants.
   */
  haveClocksDiffered(): boolean;
  /** Corrects the clocks of all processes, and returns the latest instant that any of them has ever shown. */
  correctClocks(): number;
  /** Until when the disk of the repositories is full. It may be in the past. */
  fullUntil: number;
  /** Until when no check ends, because CI is slow. It may be in the past. */
  slowUntil: number;
  /** Whether CI is slow only with the first build in line, so that the checks of other commits end. */
  isOnlyFirstSlow: boolean;
  /** The answer of the receiver to the next request. */
  answer: () => 'accepted' | 'refused' | 'silent' | 'accepted, and the answer is lost';
}

export const firstInstant = Date.UTC(2026, 0, 5, 8);
export const processCount = 2;

export async function openInstallation(
  rules: readonly string[],
  plant: (process: Process) => void = () => {},
): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-simulation-'));
  const own = await takeSimulatedDatabase();
  const time = await startVirtualTime(own.owner, { from: firstInstant, pause: pauseTask });
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  let starts = 0;
  let secrets: Awaited<ReturnType<typeof beginWorld>>['secrets'] | null = null;

  const i: Pick<Installation, 'woken' | 'wokenLightly' | 'hints' | 'running' | 'deadRunners' | 'retries' | 'received'> =
    {
      woken: new Set(),
      wokenLightly: new Set(),
      hints: [],
      running: [],
      deadRunners: [],
      retries: new Map(),
      received: new Map(),
    };
  const wake: Ports['wake'] = async (whose) => {
    if ('queueId' in whose) {
      const isLight =
        whose.isOftenIrrelevant === true && (!i.woken.has(whose.queueId) || i.wokenLightly.has(whose.queueId));
      i.woken.add(whose.queueId);
      if (isLight) i.wokenLightly.add(whose.queueId);
      else i.wokenLightly.delete(whose.queueId);
    }
    await Promise.resolve();
  };
  const http: HttpOut = {
    post: async (request) => await Promise.resolve(receive(request)),
    send: async () => await Promise.reject(new Error('Nothing is sent that way.')),
    close: () => {},
  };

  const aheadMs: number[] = Array.from({ length: processCount }, () => 0);
  let latestMs = firstInstant;
  let haveDiffered = false;

  function clockOf(at: number): Date {
    const ms = time.now() + (aheadMs[at] ?? 0);
    haveDiffered ||= ms !== time.now() || ms < latestMs;
    latestMs = Math.max(latestMs, ms);
    return new Date(ms);
  }

  function receive({ headers, body }: PostRequest): HttpAnswer {
    const how = installation.answer();
    const message = headers['x-service-delivery'] ?? '';
    if (how !== 'refused' && how !== 'silent')
      i.received.set(message, [...(i.received.get(message) ?? []), body.toString('utf8')]);
    const status = how === 'accepted' ? 200 : how === 'refused' ? 503 : null;
    return { status, headers: {}, body: '', error: status === null ? 'No answer.' : null, durationMs: 1 };
  }

  async function startService(at: number): Promise<{
    readonly service: Service;
    readonly name: string;
    readonly end: () => Promise<void>;
  }> {
    const database = await own.open();
    const name = `process ${(starts += 1)}`;
    const service = await createService({
      databaseUrl: own.url,
      database: withBoundaries(database),
      dataDir,
      publicUrl: 'http://localhost:4000',
      log,
      wake,
      clock: () => clockOf(at),
      ...(secrets !== null && {
        webhooks: {
          secrets,
          http,
          retry: async ({ deliveryId }) => {
            i.retries.set(deliveryId, time.now());
            await Promise.resolve();
          },
        },
      }),
    });
    const end = async (): Promise<void> => {
      await service.localHost.stop();
      await database.close();
    };
    return { service, name, end };
  }

  const watcher = await own.open();
  const first = await startService(0);
  const begun = await beginWorld(first.service, {
    'README.md': 'shop\n',
    'shared.txt': 'first\n',
    '.service/ci.yml': ci,
  });
  await first.service.drain();
  await first.end();
  secrets = begun.secrets;
  const accountId = begun.accountId;

  async function startProcess(at: number): Promise<Process> {
    const { service, name, end } = await startService(at);
    const seenTips: SeenTips = new Map();
    const ctx = systemContext(service.ports, accountId);
    const process = { name, service, ctx, runner: `simulated/${name}`, seenTips, end };
    plant(process);
    // The comparison remembers the tips, as it does in a process that compares once a minute.
    const compare: LocalHost['reconcile'] = async (repository) =>
      await reconcileRepository(service.localHost.installation, repository, seenTips);
    Object.assign(service.localHost, { reconcile: compare });
    addHostBoundaries(service.localHost, () => time.now() < installation.fullUntil);
    // Hints wait until the simulation handles them.
    Object.assign(service.localHost.installation, {
      emit: (event: HostEvent) => void i.hints.push({ process: name, event }),
    });
    return process;
  }

  const processes = [await startProcess(0), await startProcess(1)];
  const [{ ctx, service }] = processes as [Process];
  const found = await findRepository(ctx, worldName);
  if (found === null) throw new Error('The world has no repository.');
  const configurations = rules.map(configurationYaml);
  const [yaml = ''] = configurations;
  const configured = await replaceConfiguration(ctx, { repository: worldName, yaml });
  if (configured.kind !== 'accepted') throw new Error(JSON.stringify(configured));
  await createWebhookEndpoint(ctx, begun.secrets, { url: 'https://receiver.test/', actions: ['*'], ownSecret: false });
  const repository = toHostedRepository(found);
  const gitDir = service.localHost.installation.directoryOf(repository);
  const git = openRepository(gitDir, join(dataDir, 'git', 'gitconfig'));
  if (configurations.some(hasRelease)) git.writeRef('release', await git.tip());
  const kept = await keepRows(own.reader);

  const installation: Installation = {
    ...i,
    time,
    processes,
    repository,
    accountId,
    git,
    watcher,
    rows: kept.execute,
    kept,
    loseHints() {
      i.hints.splice(0);
      for (const { seenTips } of processes) seenTips.clear();
    },
    async kill(at) {
      const killed = processes[at];
      if (killed === undefined) return;
      const isLeft = ({ process }: { readonly process: string }): boolean => process !== killed.name;
      i.hints.splice(0, i.hints.length, ...i.hints.filter(isLeft));
      i.running.splice(0, i.running.length, ...i.running.filter(isLeft));
      i.deadRunners.push(killed.runner);
      await killed.end();
      processes[at] = await startProcess(at);
    },
    configurations,
    lists: new Map(),
    aheadMs,
    haveClocksDiffered: () => haveDiffered,
    correctClocks() {
      aheadMs.fill(0);
      return latestMs;
    },
    fullUntil: 0,
    slowUntil: 0,
    isOnlyFirstSlow: false,
    answer: () => 'accepted',
    async [Symbol.asyncDispose]() {
      for (const each of processes) await each.end();
      await git.close();
      await watcher.close();
      await time[Symbol.asyncDispose]();
      await own.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return installation;
}

/**
 * The ports of a process, but with the time of the simulation, and with connections that outlive the process. Rows are
 * as of the last refresh of the kept rows. Commits never change, so each range of them is listed only once.
 */
export function portsOf(
  { time, watcher, kept, lists }: Installation,
  { service: { ports } }: Process,
): Process['service']['ports'] {
  const hosts: Ports['hosts'] = (kind) => {
    const host = ports.hosts(kind);
    const listFirstParents: typeof host.listFirstParents = async (repository, range) => {
      const key = JSON.stringify(range);
      const listed = lists.get(key) ?? (await host.listFirstParents(repository, range));
      lists.set(key, listed);
      return [...listed];
    };
    return { ...host, listFirstParents };
  };
  const db: Database = { ...watcher, system: { ...watcher.system, query: kept.query } };
  return { ...ports, db, hosts, clock: () => new Date(time.now()) };
}

const ci = "checks:\n  test:\n    run: 'the simulation says what comes of it'\n";
