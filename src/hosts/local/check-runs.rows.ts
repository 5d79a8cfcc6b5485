// Rows of check runs: which checks a commit has, which are queued, and which are canceled. `check-run-leases.rows.ts`
// has what runners do with these rows.
import type { Database, Transaction } from '../../platform/database.ts';
import type { CheckConclusion } from '../../domain/queue/model/rules.ts';
import type { HostRepository } from '../port.ts';

export interface CheckRunRow {
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
  readonly state: 'queued' | 'running' | 'completed';
  readonly conclusion: CheckConclusion | null;
  readonly summary: string | null;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
}

export interface NewCheckRun {
  readonly name: string;
  readonly command: string;
  readonly timeoutSec: number;
  /** Why the run failed before it could start. Left out: the run is queued. */
  readonly failure?: string;
}

/** The newest attempt of every check of a commit, by name. */
export async function findNewestCheckRuns(
  db: Database,
  repository: HostRepository,
  commit: string,
): Promise<CheckRunRow[]> {
  return await db.read<CheckRunRow>(repository.accountId, {
    name: 'local_check_run_newest',
    text: `select distinct on (name) id::text as id, name, attempt, state, conclusion, summary, started_at, completed_at
from local_check_run where account_id = $1 and repository_id = $2 and commit = $3 and dispatch_key is null order by name, attempt desc`,
    values: [repository.accountId, repository.id, commit],
  });
}

export async function findCheckRun(
  db: Database,
  repository: Pick<HostRepository, 'accountId' | 'id'>,
  checkRunId: string,
): Promise<CheckRunRow | null> {
  if (!/^[0-9]{1,18}$/.test(checkRunId)) return null;
  const rows = await db.read<CheckRunRow>(repository.accountId, {
    name: 'local_check_run_one',
    text: `select id::text as id, name, attempt, state, conclusion, summary, started_at, completed_at
from local_check_run where account_id = $1 and repository_id = $2 and id = $3`,
    values: [repository.accountId, repository.id, checkRunId],
  });
  return rows[0] ?? null;
}

/** The commits that have check runs. */
export async function findCheckedCommits(
  db: Database,
  repository: HostRepository,
  commits: readonly string[],
): Promise<Set<string>> {
  const rows = await db.read<{ commit: string }>(repository.accountId, {
    name: 'local_check_run_commits',
    text: 'select distinct commit from local_check_run where account_id = $1 and repository_id = $2 and commit = any($3::text[]) and dispatch_key is null',
    values: [repository.accountId, repository.id, commits],
  });
  return new Set(rows.map(({ commit }) => commit));
}

/** A commit whose checks are queued, and the ref whose tip it is. */
export interface QueuedBuild {
  readonly commit: string;
  readonly ref: string;
  readonly priority: number;
  /** Whether canceled checks start again, because a branch was moved to the commit. */
  readonly restartsCanceled: boolean;
  readonly at: Date;
}

/**
 * Queues the checks that the commit does not have yet. Branches with the same tip share its checks. Returns whether any
 * check was queued.
 */
export async function queueCheckRuns(
  db: Database,
  repository: HostRepository,
  { build, runs }: { readonly build: QueuedBuild; readonly runs: readonly NewCheckRun[] },
): Promise<boolean> {
  const keys = [repository.accountId, repository.id, build.commit];
  const known = await readNewestAttempts(db, repository, build);
  const newestOf = (name: string): NewestAttempt | undefined => known.find((run) => run.name === name);
  const wanted = runs.filter(({ name }) => {
    const newest = newestOf(name);
    return newest === undefined || (build.restartsCanceled && newest.canceled);
  });
  if (wanted.length === 0 && known[0]?.isBehind !== true) return false;
  return await db.transaction(repository.accountId, async (tx) => {
    for (const run of wanted)
      await insertCheckRun(tx, keys, { build, run, attempt: (newestOf(run.name)?.attempt ?? 0) + 1 });
    // If a bot branch has the same commit as a pull request whose checks wait, these checks get the priority of the bot
    // branch.
    await tx.send(
      `update local_check_run set priority = $4 where account_id = $1 and repository_id = $2 and commit = $3 and state = 'queued' and priority < $4`,
      [...keys, build.priority],
    );
    return wanted.length > 0;
  });
}

interface NewestAttempt {
  readonly name: string;
  readonly attempt: number;
  readonly canceled: boolean;
  /** Whether any check of the commit waits with a lower priority. */
  readonly isBehind: boolean;
}

async function readNewestAttempts(
  db: Database,
  repository: HostRepository,
  { commit, priority }: QueuedBuild,
): Promise<NewestAttempt[]> {
  return await db.read<NewestAttempt>(repository.accountId, {
    name: 'local_check_run_known',
    text: `select distinct on (name) name, attempt, conclusion is not distinct from 'cancelled' as canceled,
             bool_or(state = 'queued' and priority < $4) over () as "isBehind"
           from local_check_run where account_id = $1 and repository_id = $2 and commit = $3 and dispatch_key is null
           order by name, attempt desc`,
    values: [repository.accountId, repository.id, commit, priority],
  });
}

async function insertCheckRun(
  tx: Transaction,
  keys: readonly string[],
  { build, run, attempt }: { readonly build: QueuedBuild; readonly run: NewCheckRun; readonly attempt: number },
): Promise<void> {
  const isOver = run.failure !== undefined;
  await tx.send(
    `insert into local_check_run (account_id, repository_id, commit, ref, name, attempt, command, timeout_sec, priority, created_at,
       state, conclusion, summary, completed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict (account_id, repository_id, commit, name, attempt) where dispatch_key is null do nothing`,
    [
      ...keys,
      build.ref,
      run.name,
      attempt,
      run.command,
      run.timeoutSec,
      build.priority,
      build.at,
      isOver ? 'completed' : 'queued',
      isOver ? 'failure' : null,
      run.failure ?? null,
      isOver ? build.at : null,
    ],
  );
}

/**
 * Queues a new attempt of each named check whose newest attempt is completed. Returns the names of the queued checks.
 */
export async function requeueCheckRuns(
  db: Database,
  repository: HostRepository,
  { commit, names, at }: { readonly commit: string; readonly names: readonly string[]; readonly at: Date },
): Promise<string[]> {
  return await db.transaction(repository.accountId, async (tx) => {
    const rows = await tx.query<{ name: string }>(
      `insert into local_check_run (account_id, repository_id, commit, ref, name, attempt, command, timeout_sec, priority, created_at)
       select account_id, repository_id, commit, ref, name, attempt + 1, command, timeout_sec, priority, $5
       from (select distinct on (name) * from local_check_run
         where account_id = $1 and repository_id = $2 and commit = $3 and name = any($4::text[]) and dispatch_key is null order by name, attempt desc) newest
       where state = 'completed' and command <> ''
       on conflict (account_id, repository_id, commit, name, attempt) where dispatch_key is null do nothing
       returning name`,
      [repository.accountId, repository.id, commit, [...names], at],
    );
    return rows.map(({ name }) => name);
  });
}

/**
 * Cancels the queued checks, and requests that their runners cancel the running ones. Returns the ids of the running
 * checks, and whether any row changed.
 */
export async function cancelCheckRuns(
  db: Database,
  repository: HostRepository,
  { commit, at }: { readonly commit: string; readonly at: Date },
): Promise<{ running: string[]; changed: boolean }> {
  const keys = [repository.accountId, repository.id, commit];
  return await db.transaction(repository.accountId, async (tx) => {
    const ended = await tx.query(
      `update local_check_run set state = 'completed', conclusion = 'cancelled', summary = 'Canceled before it started', completed_at = $4
       where account_id = $1 and repository_id = $2 and commit = $3 and dispatch_key is null and state = 'queued' returning id`,
      [...keys, at],
    );
    const running = await tx.query<{ id: string }>(
      `update local_check_run set cancel_requested = true
       where account_id = $1 and repository_id = $2 and commit = $3 and dispatch_key is null and state = 'running' returning id::text as id`,
      keys,
    );
    return { running: running.map(({ id }) => id), changed: ended.length + running.length > 0 };
  });
}
