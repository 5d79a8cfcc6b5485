// Rows of comments and review threads on pull requests of the local host, by people and by the service.
import type { Database } from '../../platform/database.ts';
import type { HostRepository } from '../port.ts';

export interface UserCommentRow {
  readonly sequence: string;
  readonly number: number;
  readonly author: string;
  readonly body: string;
  readonly created_at: Date;
}

interface NewContribution {
  readonly number: number;
  readonly author: string;
  readonly body: string;
  readonly at: Date;
}

/** The lock serialises the comments of a repository, so a reader that continues from a sequence misses no comment. */
export async function insertComment(
  db: Database,
  repository: HostRepository,
  { number, author, body, at }: NewContribution,
): Promise<UserCommentRow> {
  return await db.transaction(repository.accountId, async (tx) => {
    const keys = [repository.accountId, repository.id];
    await tx.query('select 1 from local_repository where account_id = $1 and repository_id = $2 for update', keys);
    const [row] = await tx.query<UserCommentRow>(
      `insert into local_comment (account_id, repository_id, number, key, author, body, created_at, by_user)
       values ($1, $2, $3, 'user:' || gen_random_uuid(), $4, $5, $6, true)
       returning sequence::text as sequence, number, author, body, created_at`,
      [...keys, number, author, body, at],
    );
    if (row === undefined) throw new Error('The comment was not written.');
    return { ...row, created_at: new Date(row.created_at) };
  });
}

export const maxComments = 100;

export async function findCommentsAfter(
  db: Database,
  repository: HostRepository,
  after: { readonly sequence: string; readonly since: Date },
): Promise<UserCommentRow[]> {
  return await db.read<UserCommentRow>(repository.accountId, {
    name: 'local_comments_after',
    text: `select sequence::text as sequence, number, author, body, created_at from local_comment
where account_id = $1 and repository_id = $2 and by_user and sequence > $3::bigint and created_at >= $4::timestamptz
order by local_comment.sequence limit ${maxComments}`,
    values: [repository.accountId, repository.id, after.sequence, after.since],
  });
}

export interface ThreadRow {
  readonly id: string;
  readonly author: string;
  readonly body: string;
  readonly opened_at: Date;
  readonly resolved_at: Date | null;
}

const threadColumns = 'id::text as id, author, body, opened_at, resolved_at';

export async function findThreads(db: Database, repository: HostRepository, number: number): Promise<ThreadRow[]> {
  return await db.read<ThreadRow>(repository.accountId, {
    name: 'local_threads',
    text: `select ${threadColumns} from local_thread
where account_id = $1 and repository_id = $2 and number = $3 order by local_thread.id`,
    values: [repository.accountId, repository.id, number],
  });
}

export async function insertThread(
  db: Database,
  repository: HostRepository,
  { number, author, body, at }: NewContribution,
): Promise<ThreadRow> {
  const row = await one(db, repository, {
    text: `insert into local_thread (account_id, repository_id, number, author, body, opened_at) values ($1, $2, $3, $4, $5, $6) returning ${threadColumns}`,
    values: [number, author, body, at],
  });
  if (row === null) throw new Error('The thread was not written.');
  return row;
}

export async function markThread(
  db: Database,
  repository: HostRepository,
  mark: {
    readonly number: number;
    readonly thread: string;
    readonly by: string;
    readonly resolved: boolean;
    readonly at: Date;
  },
): Promise<ThreadRow | null> {
  if (!/^\d{1,18}$/.test(mark.thread)) return null;
  const set = mark.resolved
    ? 'resolved_at = coalesce(resolved_at, $6), resolved_by = case when resolved_at is null then $5 else resolved_by end'
    : 'resolved_at = null, resolved_by = null';
  const values = mark.resolved ? [mark.number, mark.thread, mark.by, mark.at] : [mark.number, mark.thread];
  return await one(db, repository, {
    text: `update local_thread set ${set} where account_id = $1 and repository_id = $2 and number = $3 and id = $4 returning ${threadColumns}`,
    values,
  });
}

async function one(
  db: Database,
  repository: HostRepository,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
): Promise<ThreadRow | null> {
  const [row] = await db.transaction(
    repository.accountId,
    async (tx) => await tx.query<ThreadRow>(text, [repository.accountId, repository.id, ...values]),
  );
  if (row === undefined) return null;
  return {
    ...row,
    opened_at: new Date(row.opened_at),
    resolved_at: row.resolved_at === null ? null : new Date(row.resolved_at),
  };
}

export interface Comment {
  readonly key: string;
  readonly author: string;
  readonly body: string;
}

export interface NewComment extends Comment {
  readonly number: number;
  readonly version: number;
}

/** Comments are stored in the order of their keys, so that two writers cannot deadlock. */
export async function storeComments(
  db: Database,
  repository: HostRepository,
  { comments, at }: { readonly comments: readonly NewComment[]; readonly at: Date },
): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.send(
      `insert into local_comment as c (account_id, repository_id, number, key, author, body, created_at, version)
       select $1::bigint, $2::bigint, w.number, w.key, w.author, w.body, $8::timestamptz, w.version
       from unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::bigint[]) as w (number, key, author, body, version)
       order by w.number, w.key
       on conflict (account_id, repository_id, number, key) do update
         set body = excluded.body, version = excluded.version,
             edited_at = case when c.body = excluded.body then c.edited_at else excluded.created_at end
       where excluded.version >= c.version and (c.body, c.version) <> (excluded.body, excluded.version)`,
      [
        repository.accountId,
        repository.id,
        comments.map(({ number }) => number),
        comments.map(({ key }) => key),
        comments.map(({ author }) => author),
        comments.map(({ body }) => body),
        comments.map(({ version }) => version),
        at,
      ],
    );
  });
}

export async function findComments(
  db: Database,
  repository: HostRepository,
  number: number,
): Promise<(Comment & { readonly created_at: Date; readonly edited_at: Date | null })[]> {
  return await db.read(repository.accountId, {
    name: 'local_comment_all',
    text: `select key, author, body, created_at, edited_at from local_comment
where account_id = $1 and repository_id = $2 and number = $3 order by created_at, key`,
    values: [repository.accountId, repository.id, number],
  });
}
