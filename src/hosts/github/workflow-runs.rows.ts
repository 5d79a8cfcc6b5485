// Workflow runs that were asked for by name: one for each key.
import { randomUUID } from 'node:crypto';
import type { Database } from '../../platform/database.ts';
import type { HostRepository } from '../port.ts';

export interface RunRow {
  readonly key: string;
  readonly workflow: string;
  readonly commit: string;
  /** The branch that was made for the run. Null: there was a branch already. */
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
  run: { readonly key: string; readonly workflow: string; readonly commit: string; readonly ownBranch: string | null },
  now: Date,
): Promise<RunClaim> {
  const keys = [repository.accountId, repository.id, run.key];
  return await db.transaction(repository.accountId, async (tx) => {
    await tx.query(
      `insert into host_run (account_id, repository_id, key, workflow, commit, own_branch)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
      [...keys, run.workflow, run.commit, run.ownBranch],
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
    await tx.query(
      'update host_run set writer = $4, writing_until = $5 where account_id = $1 and repository_id = $2 and key = $3',
      [...keys, writer, new Date(now.getTime() + leaseMs)],
    );
    return { kind: 'ask', writer, row };
  });
}

/** Written before GitHub is asked: an answer that is lost may have started a run. */
export async function noteAsked(db: Database, repository: HostRepository, key: string, at: Date): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.query('update host_run set asked_at = $4 where account_id = $1 and repository_id = $2 and key = $3', [
      repository.accountId,
      repository.id,
      key,
      at,
    ]);
  });
}

export async function releaseRun(
  db: Database,
  repository: HostRepository,
  { key, writer, run }: { readonly key: string; readonly writer: string; readonly run: string | null },
): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.query(
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

/** The branch of the run is deleted. */
export async function forgetOwnBranch(db: Database, repository: HostRepository, key: string): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.query('update host_run set own_branch = null where account_id = $1 and repository_id = $2 and key = $3', [
      repository.accountId,
      repository.id,
      key,
    ]);
  });
}
