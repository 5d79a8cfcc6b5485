// Writes in bulk the rows that a queue has after years. PostgreSQL has no statistics about them (no ANALYZE).
import pg from 'pg';

/** `$1` landed pull requests, each in a batch of its own, with builds, checks, intents, landings and events. */
const statements = [
  `insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch, base_branch, head_sha, url, status, created_at, merged_at, merge_commit_sha, merged_by_queue)
   select q.account_id, q.repository_id, q.id, 1000000 + n, 'Change ' || n, 'ada', 'Ada', 'ada@example.test', 'topic-' || n, q.base_branch, md5('h' || n) || '00000000', 'https://example.test/' || n, 'merged', now() - interval '2 days', now() - interval '2 days', md5('m' || n) || '00000000', true
   from queue q, generate_series(1, $1::int) n`,
  `insert into batch (account_id, queue_id, repository_id, position, cause, mode, state, parent_commit, base_commit, strategy, batch_commit, build_keys_hash, commit, tree, tested_commit, created_at, build_started_at, ended_at, cleaned_up_at)
   select q.account_id, q.id, q.repository_id, 1000000 + n, 'new', 'parallel', 'landed', md5('p' || n) || '00000000', md5('p' || n) || '00000000', 'squash', 'group', 'x', md5('m' || n) || '00000000', md5('t' || n) || '00000000', md5('m' || n) || '00000000',
          now() - interval '2 days', now() - interval '2 days', now() - interval '2 days', now() - interval '2 days'
   from queue q, generate_series(1, $1::int) n`,
  `insert into batch_member (account_id, batch_id, pull_request_id, ordinal, pinned_head, message, author_name, author_email)
   select b.account_id, b.id, p.id, 1, p.head_sha, 'Change', 'Ada', 'ada@example.test'
   from (select *, row_number() over (order by id) as n from batch where position > 1000000) b join (select *, row_number() over (order by id) as n from pull_request where number > 1000000) p using (n)`,
  `insert into bot_pull_request (account_id, repository_id, batch_id, number, url, branch, target_branch, head_commit_sha, pre_batch_sha, created_at, opened_at, closed_at)
   select account_id, repository_id, id, 2000000 + position, '', 'mq-bot-' || id, 'main', commit, parent_commit, created_at, created_at, ended_at from batch where position > 1000000`,
  `insert into build (account_id, repository_id, commit, tree, base_commit, started_at, complete, finished_at, complete_at)
   select account_id, repository_id, commit, tree, base_commit, created_at, true, ended_at, ended_at from batch where position > 1000000`,
  `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion, started_at, completed_at, heard_at, end_heard_at)
   select account_id, repository_id, commit, name, 1, 'success', created_at, ended_at, created_at, ended_at from batch, unnest('{test,lint,types}'::text[]) name where position > 1000000`,
  `insert into merge_result (account_id, repository_id, parent, heads, tree, conflict_at)
   select account_id, repository_id, parent_commit, array[commit], tree, -1 from batch where position > 1000000`,
  `insert into intent (account_id, queue_id, batch_id, kind, key, state, planned_at, started_at, concluded_at)
   select account_id, queue_id, id, kind, kind || position, 'done', created_at, created_at, ended_at from batch, unnest('{land,read_checks,close_bot_pull_request}'::text[]) kind where position > 1000000`,
  `insert into intent (account_id, queue_id, pull_request_id, kind, key, state, planned_at, concluded_at)
   select account_id, queue_id, id, kind, kind || number, 'done', created_at, merged_at from pull_request, unnest('{comment,status_check,conclude_pull_request}'::text[]) kind where number > 1000000`,
  `insert into landing (account_id, queue_id, batch_id, commit, first_parent, tree, grade, landed_at)
   select account_id, queue_id, id, commit, parent_commit, tree, 'exact', ended_at from batch where position > 1000000`,
  `insert into landed_member (account_id, landing_id, pull_request_id, pinned_head)
   select l.account_id, l.id, m.pull_request_id, m.pinned_head from landing l join batch_member m on m.account_id = l.account_id and m.batch_id = l.batch_id`,
  `insert into event (account_id, repository_id, queue_id, pull_request_id, action, payload, at, position)
   select p.account_id, p.repository_id, p.queue_id, p.id, action, '{}', created_at, row_number() over () + 1000000 from pull_request p, unnest('{opened,queued,merged}'::text[]) action where number > 1000000`,
  `insert into local_pull_request (account_id, repository_id, number, title, body, author, head_branch, base_branch, head_sha, state, created_at)
   select account_id, repository_id, number, title, '', 'ada', head_branch, base_branch, head_sha, 'merged', created_at from pull_request where number > 1000000`,
  `insert into local_check_run (account_id, repository_id, commit, ref, name, attempt, command, timeout_sec, state, conclusion, created_at, started_at, completed_at)
   select account_id, repository_id, commit, '', name, 1, 'true', 600, 'completed', 'success', created_at, created_at, ended_at from batch, unnest('{test,lint,types}'::text[]) name where position > 1000000`,
];

/** Turns autovacuum off for every table, so that PostgreSQL never collects statistics about these rows. */
export async function writeHistory(databaseUrl: string, count: number): Promise<void> {
  await asOwner(databaseUrl, async (client) => {
    await client.query(`do $$ declare t text; begin
      for t in select quote_ident(relname) from pg_stat_user_tables loop
        execute 'alter table ' || t || ' set (autovacuum_enabled = false)';
        commit;
      end loop; end $$`);
    // Gives a default to every required column that the statements leave out. Commits after each column, so that this
    // cannot deadlock with the service.
    await client.query(`do $$ declare c record; begin
      for c in select table_name as t, column_name as n, data_type as y from information_schema.columns
        where table_schema = 'public' and is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER'
          and data_type in ('text', 'integer', 'bigint', 'timestamp with time zone', 'jsonb', 'boolean', 'ARRAY') loop
        execute format('alter table %I alter column %I set default %L', c.t, c.n,
          case c.y when 'text' then '' when 'jsonb' then '{}' when 'boolean' then 'false' when 'ARRAY' then '{}' when 'timestamp with time zone' then '2026-01-01' else '0' end);
        commit;
      end loop; end $$`);
    for (const text of statements) await client.query(text, text.includes('$1') ? [count] : []);
  });
}

/**
 * Puts `count` pull requests in line, each a member of thirty ended batches, and marks `count` bot pull requests as
 * idle.
 */
export async function writeIdleBotPullRequests(databaseUrl: string, count: number): Promise<void> {
  await asOwner(databaseUrl, async (client) => {
    for (const text of [
      "update pull_request set status = 'queued', rank = number where number > 1000000 and number <= 1000000 + $1",
      'update bot_pull_request set idle = true, closed_at = null where number > 3000000 and number <= 3000000 + $1',
      `insert into batch_member (account_id, batch_id, pull_request_id, ordinal, pinned_head)
       select p.account_id, b.id, p.id, 2 + p.number % 30, p.head_sha
       from pull_request p join batch b on b.position > 1000000 and (b.position - 1000001) / 30 = (p.number - 1000001) / 30 + $1 / 30
       where p.number > 1000000 and p.number <= 1000000 + $1`,
    ])
      await client.query(text, [count]);
  });
}

/**
 * `events`: deletes the events of `writeHistory`, whose empty payloads the check at the end of a world would report.
 * `idle bot pull requests`: undoes `writeIdleBotPullRequests`.
 */
export async function deleteHistoryRows(
  databaseUrl: string,
  what: 'events' | 'idle bot pull requests' = 'events',
): Promise<void> {
  await asOwner(databaseUrl, async (client) => {
    if (what === 'events') return void (await client.query('delete from event where position > 1000000'));
    await client.query(
      "update pull_request set status = 'merged', rank = null where number > 1000000 and status = 'queued'",
    );
    await client.query('update bot_pull_request set idle = false, closed_at = now() where idle');
  });
}

/** Runs `work` without foreign keys and without triggers. */
async function asOwner(databaseUrl: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = 'replica'");
    await work(client);
  } finally {
    await client.end();
  }
}
