// Rows of workflow runs that were started by name, one row for each key.
import { randomUUID } from 'node:crypto';
import type { Database } from '../../platform/database.ts';
import type { HostRepository } from '../port.ts';

export interface RunRow {
  readonly key: string;
  readonly workflow: string;
  readonly commit: string;
  /** The branch that was made for the run and is not deleted yet. Null: there is no such branch. */
  readonly own_branch: string | null;
  readonly run_id: string | null;
  readonly asked_at: string | null;
}

export type RunClaim =
  | { readonly kind: 'known'; readonly run: string }
  | { readonly kind: 'busy'; readonly until: number }
  | { readonly kind: 'ask'; readonly writer: string; readonly row: RunRow };

const leaseMs = 60_000;
const columns = 'key, workflow, commit, own_branch, run_id, asked_at, writing_until';

export async function claimRun(
  db: Database,
  repository: HostRepository,
  {
    run,
    now,
  }: { readonly run: { readonly key: string; readonly workflow: string; readonly commit: string }; readonly now: Date },
): Promise<RunClaim> {
  const keys = [repository.accountId, repository.id, run.key];
  return await db.transaction(repository.accountId, async (tx) => {
    await tx.send(
      `insert into host_run (account_id, repository_id, key, workflow, commit)
       values ($1, $2, $3, $4, $5) on conflict do nothing`,
      [...keys, run.workflow, run.commit],
    );
    const [row] = await tx.query<RunRow & { writing_until: string | null }>(
      `select ${columns} from host_run where account_id = $1 and repository_id = $2 and key = $3 for update`,
      keys,
    );
    if (row === undefined) throw new Error(`The row of the run ${run.key} was not written.`);
    if (row.run_id !== null) return { kind: 'known', run: row.run_id };
    const until = row.writing_until === null ? 0 : Date.parse(row.writing_until);
    if (until > now.getTime()) return { kind: 'busy', until };
    const writer = randomUUID();
    await tx.send(
      'update host_run set writer = $4, writing_until = $5 where account_id = $1 and repository_id = $2 and key = $3',
      [...keys, writer, new Date(now.getTime() + leaseMs)],
    );
    return { kind: 'ask', writer, row };
  });
}

interface RunRequest {
  readonly key: string;
  readonly writer: string;
  /** Null: GitHub refused to start a run. */
  readonly at: Date | null;
}

/**
 * Stores that the run is requested. Called before the request, because a request whose answer is lost may have started
 * a run. False: the claim has expired in the meantime, and another process may make the request.
 */
export async function noteAsked(
  db: Database,
  repository: HostRepository,
  { key, writer, at }: RunRequest,
): Promise<boolean> {
  return await db.transaction(repository.accountId, async (tx) => {
    const noted = await tx.query(
      `update host_run set asked_at = $5, writing_until = coalesce($6::timestamptz, writing_until)
       where account_id = $1 and repository_id = $2 and key = $3 and writer = $4 returning 1`,
      [repository.accountId, repository.id, key, writer, at, at === null ? null : new Date(at.getTime() + leaseMs)],
    );
    return noted.length > 0;
  });
}

export async function releaseRun(
  db: Database,
  repository: HostRepository,
  { key, writer, run }: { readonly key: string; readonly writer: string; readonly run: string | null },
): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.send(
      `update host_run set writer = null, writing_until = null, run_id = coalesce($5, run_id)
       where account_id = $1 and repository_id = $2 and key = $3 and writer = $4`,
      [repository.accountId, repository.id, key, writer, run],
    );
  });
}

export async function findRun(db: Database, repository: HostRepository, run: string): Promise<RunRow | null> {
  const [row] = await db.read<RunRow>(repository.accountId, {
    name: 'host_run_by_id',
    text: `select ${columns} from host_run where account_id = $1 and repository_id = $2 and run_id = $3`,
    values: [repository.accountId, repository.id, run],
  });
  return row ?? null;
}

/** Ids of the runs of other keys for the same commit. */
export async function listOtherRuns(
  db: Database,
  repository: HostRepository,
  { key, commit }: { readonly key: string; readonly commit: string },
): Promise<ReadonlySet<string>> {
  const rows = await db.read<{ run_id: string }>(repository.accountId, {
    name: 'host_runs_of_commit',
    text: `select run_id from host_run
           where account_id = $1 and repository_id = $2 and commit = $3 and key <> $4 and run_id is not null`,
    values: [repository.accountId, repository.id, commit, key],
  });
  return new Set(rows.map(({ run_id }) => run_id));
}

interface OwnBranch {
  readonly key: string;
  readonly branch: string;
}

/**
 * Stores the branch of a run. Called before the branch is made, so that the branch is deleted even if the process dies.
 */
export async function noteOwnBranch(
  db: Database,
  repository: HostRepository,
  { key, branch }: OwnBranch,
): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.send(
      `update host_run set own_branch = $4, ended_at = null where account_id = $1 and repository_id = $2 and key = $3`,
      [repository.accountId, repository.id, key, branch],
    );
  });
}

/** Stores that the run has ended. False: no branch was made for the run, or its end was stored before. */
export async function endRun(
  db: Database,
  repository: HostRepository,
  { key, at }: { readonly key: string; readonly at: Date },
): Promise<boolean> {
  return await db.transaction(repository.accountId, async (tx) => {
    const ended = await tx.query(
      `update host_run set ended_at = $4
       where account_id = $1 and repository_id = $2 and key = $3 and ended_at is null and own_branch is not null returning 1`,
      [repository.accountId, repository.id, key, at],
    );
    return ended.length > 0;
  });
}

/** Branches of runs that have ended. */
export async function findEndedBranches(db: Database, repository: HostRepository): Promise<readonly OwnBranch[]> {
  return await db.read<OwnBranch>(repository.accountId, {
    name: 'host_run_ended_branches',
    text: `select key, own_branch as branch from host_run
           where account_id = $1 and repository_id = $2 and own_branch is not null and ended_at is not null`,
    values: [repository.accountId, repository.id],
  });
}

/** Called after the branch was deleted. */
export async function forgetOwnBranch(
  db: Database,
  repository: HostRepository,
  { key, branch }: OwnBranch,
): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.send(
      `update host_run set own_branch = null
       where account_id = $1 and repository_id = $2 and key = $3 and own_branch = $4 and ended_at is not null`,
      [repository.accountId, repository.id, key, branch],
    );
  });
}
