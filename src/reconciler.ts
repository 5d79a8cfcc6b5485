// Compares repositories with their code hosts, to find changes whose host hints were lost. Each repository has its own
// time for the next comparison, and comparisons of repositories that were made together move apart. Repositories with
// pull requests in line are compared more often. A slow host delays only some of the comparisons. An idle repository at
// the local host is compared only if something has changed that a comparison reads, and otherwise once an hour.
import { systemContext, type Context, type Ports } from './context.ts';
import { nextTime } from './domain/even-times.ts';
import { retryAtOf, toHostedRepository } from './hosts/port.ts';
import { haltOnUnknownLandings, readIdleStamp, reconcileRepository } from './modules/queue/index.ts';
import { reconcileVerifications } from './modules/previews/index.ts';
import { reconcileReleases } from './modules/releases/index.ts';
import {
  endComparison,
  hasLine,
  planComparisons,
  renewComparisons,
  takeDueComparison,
  type DueComparison,
} from './modules/repositories/index.ts';
import { RepositoryEntity, type RepositoryRow } from './modules/repositories/repositories.entities.ts';
import { atMost } from './platform/at-most.ts';
import { type Loop, repeat } from './platform/repeat.ts';

const second = 1_000;
const minute = 60 * second;
const lookEveryMs = 5 * second;
// Short, because a process that was killed delays the next comparison of a repository by this time.
const leaseMs = 30 * second;

/** The longest time between two comparisons of a repository, with and without pull requests in line. */
const pauses = { withLineMs: minute, withoutMs: 15 * minute } as const;

/** For how long the stamp of a repository may replace comparisons. */
const stampCountsMs = 60 * minute;

/** Comparisons that this process made, by repository id: the stamp before the comparison, and its time. */
type Compared = Map<string, { readonly stamp: string; readonly at: number }>;

/**
 * The pause after failed comparisons. A failed comparison may have missed a change, so it is repeated soon. The pause
 * doubles with each failure.
 */
function backOffAfter(failures: number): number {
  return Math.min(pauses.withoutMs, minute * 2 ** (failures - 1));
}

/** The most comparisons at once: in a process, at one kind of host, and of one account. */
const limits = { atOnce: 8, ofHost: 6, ofAccount: 2 } as const;

export interface Reconciler extends Loop {
  /** Compares all repositories that are due now. Resolves when all comparisons have ended. */
  drain(): Promise<void>;
}

export function createReconciler(ports: Ports): Reconciler {
  return new RepositoryReconciler(ports);
}

class RepositoryReconciler implements Reconciler {
  readonly #ports: Ports;
  readonly #loop: Loop;
  readonly #underWay = new Map<Promise<void>, DueComparison>();
  readonly #surveyed = new Set<string>();
  readonly #compared: Compared = new Map();
  readonly #failuresOf = new Map<string, number>();
  #plannedAt: number | null = null;
  #isStopping = false;
  #taking: Promise<unknown> = Promise.resolve();

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#loop = repeat(
      lookEveryMs,
      async () => await this.#look(),
      () => {},
    );
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#taking.catch(() => {});
    // The loop renews the leases until then.
    await Promise.all(this.#underWay.keys());
    await this.#loop.stop();
  }

  async drain(): Promise<void> {
    for (;;) {
      await Promise.all(this.#underWay.keys());
      if ((await this.#begin()) && this.#underWay.size === 0) return;
    }
  }

  async #look(): Promise<void> {
    await this.#renew();
    if (!this.#isStopping) await this.#startQuietly();
  }

  async #plan(now: Date): Promise<void> {
    if (this.#plannedAt !== null && now.getTime() - this.#plannedAt < minute) return;
    // When a process starts, repositories with pull requests in line are compared at once.
    const inMs = this.#plannedAt === null ? 0 : pauses.withLineMs;
    await planComparisons(this.#ports.db.system.query, now, { withLineBy: new Date(now.getTime() + inMs) });
    this.#plannedAt = now.getTime();
  }

  /**
   * Starts comparisons until none is due or a limit is reached. Does not wait for their end. True: none is due that has
   * not been started.
   */
  async #takeDue(): Promise<boolean> {
    const now = this.#ports.clock();
    await this.#plan(now);
    while (this.#underWay.size < limits.atOnce) {
      const until = new Date(now.getTime() + leaseMs);
      const except = atTheirLimit([...this.#underWay.values()]);
      const taken = await takeDueComparison(this.#ports.db.system.query, { now, until }, except);
      if (taken === null) return except.accounts.length === 0 && except.hosts.length === 0;
      const compared: Promise<void> = this.#compare(taken).finally(() => {
        this.#underWay.delete(compared);
        if (!this.#isStopping) void this.#startQuietly();
      });
      this.#underWay.set(compared, taken);
    }
    return false;
  }

  /** Renews the leases of comparisons. If a lease ends before that, another process compares the repository too. */
  async #renew(): Promise<void> {
    const until = new Date(this.#ports.clock().getTime() + leaseMs);
    await renewComparisons(this.#ports.db.system.query, [...this.#underWay.values()], until).catch((error: unknown) =>
      this.#ports.log.warn({ error }, 'The leases of comparisons could not be renewed.'),
    );
  }

  /** Only one `takeDue` runs at a time, because two together could exceed the limits. */
  async #begin(): Promise<boolean> {
    const take = async (): Promise<boolean> => await this.#takeDue();
    const taking = this.#taking.then(take, take);
    this.#taking = taking;
    return await taking;
  }

  async #startQuietly(): Promise<void> {
    await this.#begin().catch((error: unknown) => this.#ports.log.warn({ error }, 'No repository could be compared.'));
  }

  async #compare(comparison: DueComparison): Promise<void> {
    const { isDone, retryAt } = await compareOne(this.#ports, comparison, {
      surveyed: this.#surveyed,
      compared: this.#compared,
    });
    const failures = isDone ? 0 : (this.#failuresOf.get(comparison.repositoryId) ?? 0) + 1;
    if (failures === 0) this.#failuresOf.delete(comparison.repositoryId);
    else this.#failuresOf.set(comparison.repositoryId, failures);
    const now = this.#ports.clock().getTime();
    const next = (pauseMs: number): number => nextTime(comparison.repositoryId, now, pauseMs);
    const notBefore = (at: number): Date => new Date(Math.max(at, retryAt ?? 0));
    await endComparison(this.#ports.db.system.query, comparison, {
      withLine: notBefore(next(pauses.withLineMs)),
      without: notBefore(failures === 0 ? next(pauses.withoutMs) : now + backOffAfter(failures)),
    }).catch((error: unknown) =>
      this.#ports.log.warn(
        { error },
        'The result of a comparison was not written. The repository is compared again when its lease ends.',
      ),
    );
  }
}

/** Accounts and hosts that have reached their limit of comparisons at once. */
function atTheirLimit(comparisons: readonly DueComparison[]): {
  readonly accounts: readonly string[];
  readonly hosts: readonly string[];
} {
  const manyOf = (of: (comparison: DueComparison) => string, limit: number): string[] =>
    [...Map.groupBy(comparisons, of)].flatMap(([each, those]) => (those.length >= limit ? [each] : []));
  return {
    accounts: manyOf(({ accountId }) => accountId, limits.ofAccount),
    hosts: manyOf(({ host }) => host, limits.ofHost),
  };
}

/** `retryAt`: until when the host has asked to wait, in milliseconds since the epoch. Null: the host has not asked. */
async function compareOne(
  ports: Ports,
  { accountId, repositoryId }: Pick<DueComparison, 'accountId' | 'repositoryId'>,
  { surveyed, compared }: { readonly surveyed: Set<string>; readonly compared: Compared },
): Promise<{ readonly isDone: boolean; readonly retryAt: number | null }> {
  const ctx = systemContext(ports, accountId);
  try {
    const row = await ctx.db.load(accountId, RepositoryEntity, repositoryId);
    if (row !== null) await compareIfChanged(ctx, row, { surveyed, compared });
    return { isDone: true, retryAt: null };
  } catch (error) {
    ports.log.warn(
      { error: String(error), repository: repositoryId },
      'A repository could not be compared with its code host. Interlock tries again later.',
    );
    return { isDone: false, retryAt: retryAtOf(error) };
  }
}

async function compareIfChanged(
  ctx: Context,
  row: RepositoryRow,
  { surveyed, compared }: { readonly surveyed: Set<string>; readonly compared: Compared },
): Promise<void> {
  const now = ctx.clock().getTime();
  const stamp = await readIdleStamp(ctx, toHostedRepository(row));
  const last = compared.get(row.id);
  if (stamp !== null && stamp === last?.stamp && now - last.at < stampCountsMs) return;
  compared.delete(row.id);
  await compareWithHost(ctx, row, surveyed);
  if (stamp !== null) compared.set(row.id, { stamp, at: now });
}

/**
 * Compares one repository, and looks for unknown landings. A queue also looks for them before it accepts a tip that it
 * did not make. At the local host, each comparison looks for them. At other hosts, only the first comparison in each
 * process does, because reading landing refs there needs a call to the host.
 */
async function compareWithHost(ctx: Context, row: RepositoryRow, surveyed: Set<string>): Promise<void> {
  const repository = toHostedRepository(row);
  if (row.host === 'local' || !surveyed.has(row.id)) await haltOnUnknownLandings(ctx, repository);
  surveyed.add(row.id);
  await reconcileRepository(ctx, repository);
  await reconcileReleases(ctx, repository);
  await reconcileVerifications(ctx, row);
}

/** Compares every repository now, whether it is due or not. */
export async function reconcileAll(ports: Ports): Promise<void> {
  const inTurn = atMost(limits.atOnce);
  const repositories = await readActive(ports, 'true');
  await Promise.all(
    repositories.map(
      async (repository) =>
        await inTurn(async () => await compareOne(ports, repository, { surveyed: new Set(), compared: new Map() })),
    ),
  );
}

/**
 * Halts the queues of repositories that are newer than the database, because the database was restored. At hosts that
 * must be called (`other`), only repositories with pull requests in line are examined, because only their queues land
 * anything. After the signal, no further repository is examined.
 */
export async function haltRestoredQueues(ports: Ports, host: 'local' | 'other', signal: AbortSignal): Promise<void> {
  const repositories = await readActive(
    ports,
    host === 'local' ? "r.host = 'local'" : `r.host <> 'local' and ${hasLine('r.account_id', 'r.id')}`,
  );
  const inTurn = atMost(limits.atOnce);
  const examine = async (repository: Omit<DueComparison, 'host'>): Promise<void> => {
    if (!signal.aborted) await haltOne(ports, repository);
  };
  await Promise.all(repositories.map(async (repository) => await inTurn(async () => await examine(repository))));
}

async function haltOne(ports: Ports, { accountId, repositoryId }: Omit<DueComparison, 'host'>): Promise<void> {
  const ctx = systemContext(ports, accountId);
  try {
    const row = await ctx.db.load(accountId, RepositoryEntity, repositoryId);
    if (row !== null) await haltOnUnknownLandings(ctx, toHostedRepository(row));
  } catch (error) {
    ports.log.warn({ error: String(error), repository: repositoryId }, 'The landings at a host could not be read.');
  }
}

async function readActive(ports: Ports, condition: string): Promise<Omit<DueComparison, 'host'>[]> {
  return await ports.db.system.query(
    `select r.account_id as "accountId", r.id as "repositoryId" from repository r where r.active and ${condition} order by r.id`,
  );
}
