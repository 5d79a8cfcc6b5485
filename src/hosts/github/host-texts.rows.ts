// Rows of the comments and checks that Interlock creates once at GitHub and edits afterwards. A writer claims the row
// before it calls GitHub. So two writers create only one comment, and a delayed writer does not restore an old text.
import { createHash, randomUUID } from 'node:crypto';
import type { Database } from '../../platform/database.ts';
import type { HostRepository } from '../port.ts';

export type HostTextTable = 'host_comment' | 'host_check';

export interface HostTextKey {
  readonly table: HostTextTable;
  readonly repository: HostRepository;
  /** The number of the pull request of a comment, or the commit of a check. */
  readonly subject: string;
  readonly key: string;
}

export type Claim =
  /** GitHub has this text already, or a newer one. */
  | { readonly kind: 'done' }
  | { readonly kind: 'busy'; readonly until: number }
  | {
      readonly kind: 'write';
      readonly writer: string;
      /** GitHub's id of the comment or check. Null: no call that creates it was confirmed yet. */
      readonly githubId: string | null;
      /**
       * Whether an earlier writer may have created the text at GitHub. If so, the caller searches for the text first.
       */
      readonly mayBeThere: boolean;
    };

interface Row {
  readonly github_id: string | null;
  readonly version: string;
  readonly digest: string | null;
  readonly writing_until: string | null;
}

/** Longer than the time limit of a call. */
const leaseMs = 60_000;

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export async function claimHostText(
  db: Database,
  hostText: HostTextKey,
  { text, now }: { readonly text: { readonly version: number; readonly digest: string }; readonly now: Date },
): Promise<Claim> {
  const keys = [hostText.repository.accountId, hostText.repository.id, hostText.subject, hostText.key];
  return await db.transaction(hostText.repository.accountId, async (tx) => {
    const inserted = await tx.query(
      `insert into ${hostText.table} (account_id, repository_id, subject, key, version, created_at)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1`,
      [...keys, text.version, now],
    );
    const [row] = await tx.query<Row>(
      `select github_id, version::text as version, digest, writing_until from ${hostText.table}
       where account_id = $1 and repository_id = $2 and subject = $3 and key = $4 for update`,
      keys,
    );
    if (row === undefined) throw new Error(`The row of ${hostText.key} was not written.`);
    const isNewer = Number(row.version) > text.version;
    if (isNewer || (row.digest === text.digest && row.github_id !== null)) return { kind: 'done' };
    const writingUntil = row.writing_until === null ? 0 : Date.parse(row.writing_until);
    if (writingUntil > now.getTime()) return { kind: 'busy', until: writingUntil };
    const writer = randomUUID();
    await tx.send(
      `update ${hostText.table} set version = $5, digest = null, writer = $6, writing_until = $7
       where account_id = $1 and repository_id = $2 and subject = $3 and key = $4`,
      [...keys, text.version, writer, new Date(now.getTime() + leaseMs)],
    );
    const mayBeThere = row.github_id === null && inserted.length === 0;
    return { kind: 'write', writer, githubId: row.github_id, mayBeThere };
  });
}

/**
 * Ends a claim. If `written` is null, the call failed, and the next writer searches for a text that the call may have
 * created.
 */
export async function releaseHostText(
  db: Database,
  hostText: HostTextKey,
  { writer, written }: { readonly writer: string; readonly written: { githubId: string; digest: string } | null },
): Promise<void> {
  await db.transaction(hostText.repository.accountId, async (tx) => {
    await tx.send(
      `update ${hostText.table} set writer = null, writing_until = null,
         github_id = coalesce($6, github_id), digest = coalesce($7, digest)
       where account_id = $1 and repository_id = $2 and subject = $3 and key = $4 and writer = $5`,
      [
        hostText.repository.accountId,
        hostText.repository.id,
        hostText.subject,
        hostText.key,
        writer,
        written?.githubId ?? null,
        written?.digest ?? null,
      ],
    );
  });
}

/** Called after the comment or check was deleted at GitHub. The next writer creates it again. */
export async function forgetHostText(db: Database, hostText: HostTextKey): Promise<void> {
  await db.transaction(hostText.repository.accountId, async (tx) => {
    await tx.send(
      `update ${hostText.table} set github_id = null, digest = null, writer = null, writing_until = null
       where account_id = $1 and repository_id = $2 and subject = $3 and key = $4`,
      [hostText.repository.accountId, hostText.repository.id, hostText.subject, hostText.key],
    );
  });
}
