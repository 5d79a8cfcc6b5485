// What an account has in the database, as one digest for each table.
import type { TestServer } from '../support/server.ts';

/** Tables that the service writes by itself. */
const moving: ReadonlySet<string> = new Set(
  'event event_head webhook_delivery webhook_cursor slack_cursor analytics_progress rate_spent'.split(' '),
);
/** Columns that change when a token is used, and when a worker looks for work. */
const movingColumns = ['last_used_at', 'next_look_at', 'lease_owner', 'lease_until'];

export async function contentOf(s: Pick<TestServer, 'rows'>, accountId: string): Promise<Map<string, string>> {
  const tables = await s.rows<{ name: string; column: string }>(
    `select c.relname::text as name, a.attname::text as column from pg_class c
     join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
     join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
       and a.attname = case when c.relname = 'account' then 'id' else 'account_id' end
     where c.relkind = 'r' order by 1`,
  );
  const content = new Map<string, string>();
  for (const { name, column } of tables.filter((table) => !moving.has(table.name))) {
    const [row] = await s.rows<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(text, E'\\n' order by text)), '') as digest
       from (select (to_jsonb(t) - $2::text[])::text as text from ${name} t where ${column} = $1) rows`,
      [accountId, movingColumns],
    );
    content.set(name, row?.digest ?? '');
  }
  return content;
}
