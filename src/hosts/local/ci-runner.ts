// Runs queued checks. A runner claims a row under a lease, checks the commit out, runs the command in the sandbox and
// writes the result. If a runner dies, its leases expire, and another runner runs its checks again.
import { randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckConclusion } from '../../domain/queue/model/rules.ts';
import { keptOutput } from '../../platform/log-pieces.ts';
import { keepBothEnds, type BothEnds } from '../../platform/long-output.ts';
import { isAlive, machineName } from '../../platform/process.ts';
import {
  lastLineOf,
  removeAbandonedFolders,
  withRunFolders,
  describeOutcome,
  type SandboxOutcome,
} from '../../platform/sandbox/index.ts';
import { checkOut } from '../git/index.ts';
import { HostRefused, type HostRepository, type CheckRunning, type CiRunner } from '../port.ts';
import { inputVariable } from './ci-file.ts';
import {
  type ClaimedCheckRun,
  claimCheckRun,
  concludeCheckRun,
  findLeaseOwners,
  hasOpenCheckRuns,
  recoverLeases,
  releaseCheckRun,
  renewLeases,
} from './check-run-leases.rows.ts';
import { checkLogPath } from './installation.ts';
import type { LocalHost } from './local-host.port.ts';

export interface CiRunnerOptions extends CheckRunning {
  readonly host: LocalHost;
}

interface Running {
  readonly run: ClaimedCheckRun;
  readonly stop: AbortController;
  /** Why the run was stopped. Left out: the run was not stopped. */
  why?: 'canceled' | 'lease lost' | 'shutdown';
  done: Promise<void>;
}

// The runners of this process. An owner with the pid of this process that is not in this set belonged to an earlier
// process.
const ownersHere = new Set<string>();

export function createCiRunner(options: CiRunnerOptions): CiRunner {
  return new LeasedCiRunner(options);
}

class LeasedCiRunner implements CiRunner {
  readonly #options: CiRunnerOptions;
  readonly #owner = `${machineName()}/${process.pid}/${randomUUID()}`;
  readonly #leaseSec: number;
  readonly #running = new Map<string, Running>();
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isTurnWaiting = false;

  constructor(options: CiRunnerOptions) {
    this.#options = options;
    this.#leaseSec = options.leaseSec ?? 15;
  }

  start(): void {
    const { host, workDir, onError } = this.#options;
    ownersHere.add(this.#owner);
    host.installation.onChecksQueued.add(this.#wake);
    host.installation.onChecksCanceled.add(this.#cancel);
    void removeAbandonedFolders(workDir ?? tmpdir()).catch(onError);
    this.#wake();
  }

  async stop(): Promise<void> {
    const { installation } = this.#options.host;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    installation.onChecksQueued.delete(this.#wake);
    installation.onChecksCanceled.delete(this.#cancel);
    await this.#turn;
    clearTimeout(this.#timer);
    for (const id of this.#running.keys()) this.#stopRun(id, 'shutdown');
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
    ownersHere.delete(this.#owner);
  }

  // Reads the rows again, one read at a time. All wakes during a read cause one more read after it.
  readonly #wake = (): void => {
    if (this.#isStopped || this.#isTurnWaiting) return;
    this.#isTurnWaiting = true;
    this.#turn = this.#turn.then(async () => {
      this.#isTurnWaiting = false;
      clearTimeout(this.#timer);
      if (this.#isStopped) return;
      await this.#look().catch(this.#options.onError);
      this.#timer = setTimeout(this.#wake, this.#pauseMs());
    });
  };

  /** While no check runs here, the service asks for open checks every second, and calls `wakeRunners`. */
  #pauseMs(): number {
    return this.#options.pollMs ?? (this.#running.size > 0 ? 500 : 5_000);
  }

  readonly #cancel = (ids: readonly string[]): void => ids.forEach((id) => this.#stopRun(id, 'canceled'));

  #stopRun(id: string, why: Running['why']): void {
    const found = this.#running.get(id);
    if (found === undefined || found.why !== undefined) return;
    found.why = why;
    found.stop.abort();
  }

  // The runner renews its leases before it recovers expired ones. So it keeps a run that continued during an outage of
  // the database.
  async #look(): Promise<void> {
    const { db } = this.#options.host.installation;
    const owner = this.#owner;
    const ids = [...this.#running.keys()];
    if (ids.length === 0 && !(await hasOpenCheckRuns(db))) return;
    const renewed = await renewLeases(db, { owner, ids, leaseSec: this.#leaseSec });
    const held = new Map(renewed.map((row) => [row.id, row.cancel_requested]));
    for (const id of ids) {
      if (held.get(id) === true) this.#stopRun(id, 'canceled');
      else if (!held.has(id)) this.#stopRun(id, 'lease lost');
    }
    await recoverLeases(db, { owner, ids, deadOwners: (await findLeaseOwners(db)).filter(isDeadOwner) });
    await this.#fill();
  }

  async #fill(): Promise<void> {
    const { host, concurrency, onError } = this.#options;
    while (this.#running.size < concurrency) {
      if (this.#isStopped) return;
      const run = await claimCheckRun(host.installation.db, this.#owner, this.#leaseSec);
      if (run === null) return;
      const started: Running = { run, stop: new AbortController(), done: Promise.resolve() };
      this.#running.set(run.id, started);
      started.done = carryOut(this.#options, this.#owner, started)
        .catch(onError)
        .finally(() => {
          this.#running.delete(run.id);
          this.#wake();
        });
    }
  }
}

async function carryOut(options: CiRunnerOptions, owner: string, running: Running): Promise<void> {
  const { installation } = options.host;
  const { run } = running;
  const repository: HostRepository = {
    accountId: run.account_id,
    id: run.repository_id,
    owner: run.owner,
    name: run.repository_name,
  };
  installation.emit({ kind: 'checks', repository, commit: run.commit });
  const startedAt = performance.now();
  const log = await openLog(
    checkLogPath(installation.dataDir, run.account_id, run.id),
    options.keptOutput ?? keptOutput,
  );
  const outcome = await execute(options, repository, { running, log }).catch(
    (error: Error): SandboxOutcome =>
      error instanceof HostRefused
        ? { kind: 'stopped', because: error.message }
        : { kind: 'failed', reason: error.message },
  );
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const facts = { what: 'The check', seconds, timeoutSec: run.timeout_sec, lastLine: log.lastLine() };
  const result = { conclusion: conclusionOf(outcome), summary: describeOutcome(outcome, facts) };
  await log.close(`\n[interlock] ${result.summary}\n`);
  if (running.why === 'lease lost') return;
  if (running.why === 'shutdown' && outcome.kind !== 'exited')
    await releaseCheckRun(installation.db, { run, leaseOwner: owner });
  else
    await untilWritten(
      options,
      running,
      async () => await concludeCheckRun(installation.db, { run, leaseOwner: owner }, result),
    );
  // Emitted even if `concludeCheckRun` returned false: an earlier try may have written the result, and its answer was
  // lost.
  installation.emit({ kind: 'checks', repository, commit: run.commit });
}

const firstPauseMs = 100;
const longestPauseMs = 2_000;

/** Retries while this runner has the lease of the run, because no other runner can write the result. */
async function untilWritten(
  { onError }: CiRunnerOptions,
  running: Running,
  write: () => Promise<unknown>,
): Promise<void> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return void (await write());
    } catch (error) {
      if (running.why === 'lease lost' || running.why === 'shutdown') throw error;
      if (pauseMs === firstPauseMs) onError(error);
      await delay(pauseMs);
    }
  }
}

async function execute(
  options: CiRunnerOptions,
  repository: HostRepository,
  { running: { run, stop }, log }: { readonly running: Running; readonly log: Log },
): Promise<SandboxOutcome> {
  return await withRunFolders(options.workDir ?? tmpdir(), async (folders) => {
    await checkOut(options.host.installation.git, options.host.installation.directoryOf(repository), {
      commit: run.commit,
      folder: folders.checkout,
      bounds: options.sandbox.bounds,
    });
    if (stop.signal.aborted) return { kind: 'canceled' };
    return await options.sandbox.run({
      command: run.command,
      folders,
      env: {
        ...inputVariables(run),
        INTERLOCK: 'true',
        INTERLOCK_CHECK: run.name,
        INTERLOCK_COMMIT: run.commit,
        INTERLOCK_REF: run.ref,
        INTERLOCK_REPOSITORY: `${run.owner}/${run.repository_name}`,
        INTERLOCK_ATTEMPT: String(run.attempt),
      },
      timeoutMs: run.timeout_sec * 1000,
      onOutput: log.write,
      signal: stop.signal,
    });
  });
}

function inputVariables({ inputs }: ClaimedCheckRun): Record<string, string> {
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [inputVariable(name), value]));
}

const conclusions = { 'timed out': 'timed_out', canceled: 'cancelled', stopped: 'failure', failed: 'error' } as const;

function conclusionOf(outcome: SandboxOutcome): CheckConclusion {
  if (outcome.kind !== 'exited') return conclusions[outcome.kind];
  return outcome.code === 0 ? 'success' : 'failure';
}

interface Log {
  readonly write: (chunk: Buffer) => void;
  /** The last line that is not empty, shortened. */
  lastLine(): string;
  close(note: string): Promise<void>;
}

async function openLog(path: string, kept: BothEnds): Promise<Log> {
  // If the disk is full, the log is lost, but the result is still written.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(() => {});
  const stream: WriteStream = createWriteStream(path, { mode: 0o600 });
  stream.on('error', () => {});
  const output = keepBothEnds(kept);
  let tail = '';
  return {
    write: (chunk) => {
      tail = (tail + chunk.toString('utf8')).slice(-1000);
      stream.write(output.take(chunk));
    },
    lastLine: () => lastLineOf(tail),
    async close(note) {
      stream.write(output.takeEnd());
      stream.end(note);
      await finished(stream).catch(() => {});
    },
  };
}

function isDeadOwner(owner: string): boolean {
  const [machine, pid] = owner.split('/');
  if (machine !== machineName()) return false;
  return Number(pid) === process.pid ? !ownersHere.has(owner) : !isAlive(Number(pid));
}
