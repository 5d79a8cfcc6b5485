// Writes a simulated past as the rows that the service would have written.
import { sequenceEvents } from '../../src/modules/events/index.ts';
import type { TestServer } from '../support/server.ts';
import type { Past } from '../domain/simulation/past.ts';
import type { SeededRepository } from './seed.ts';

/** Shifts all times, so that the last event happened just now. */
export async function writePast(
  s: TestServer,
  { repositoryId, queueId }: SeededRepository,
  { log, batches }: Past,
): Promise<void> {
  const last = log.at(-1)?.at ?? 0;
  const shift = Date.now() - last;
  const instant = (at: number | null) => (at === null ? null : new Date(at + shift).toISOString());
  const base = [s.accountId, repositoryId, queueId];
  await s.rows(
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch, base_branch, head_sha, url, status, created_at)
     select $1, $2, $3, 1000 + substr(id, 2)::integer, id, author, author, 'ada@example.test', id, 'main', md5(id), 'https://example.test/' || id, 'merged', now()
     from (select distinct on (id) id, author from jsonb_to_recordset($4) as e (id text, author text)) arrived`,
    [...base, JSON.stringify(log.map(({ pullRequest, author }) => ({ id: pullRequest, author })))],
  );
  await s.rows(
    `insert into event (account_id, repository_id, queue_id, pull_request_id, action, payload, at)
     select $1, $2, $3, p.id, e.action, jsonb_build_object('statusCode', e.code, 'skipLine', false), e.at
     from jsonb_to_recordset($4) as e (n integer, name text, action text, code integer, at timestamptz)
     join pull_request p on p.account_id = $1 and p.repository_id = $2 and p.title = e.name order by e.n`,
    [
      ...base,
      JSON.stringify(
        log.map((e, n) => ({ n, name: e.pullRequest, action: e.action, code: e.code, at: instant(e.at) })),
      ),
    ],
  );
  const rows = batches.map(({ id, parent, members, startedAt, endedAt, verdict }, n) => ({
    n,
    commit: `past${id}`,
    parent: parent === null ? null : `past${parent}`,
    members,
    at: instant(startedAt),
    ended: instant(endedAt),
    state: verdict === null ? 'superseded' : verdict === 'green' ? 'landed' : 'failed',
  }));
  await s.rows(
    `insert into batch (account_id, repository_id, queue_id, position, cause, mode, state, parent_commit, base_commit, strategy, batch_commit, build_keys_hash,
       group_message, commit, tree, tested_commit, created_at, build_started_at)
     select $1, $2, $3, 1000 + b.n, 'new', 'parallel', b.state, 'x', 'x', 'squash', 'group', '', '', b.commit, b.commit, b.commit, b.at, b.at
     from jsonb_to_recordset($4) as b (n integer, state text, commit text, at timestamptz) order by b.n`,
    [...base, JSON.stringify(rows)],
  );
  await s.rows(
    `update batch set parent_batch_id = parent.id from jsonb_to_recordset($2) as b (commit text, parent text)
     join batch parent on parent.account_id = $1 and parent.commit = b.parent where batch.account_id = $1 and batch.commit = b.commit`,
    [s.accountId, JSON.stringify(rows)],
  );
  await s.rows(
    `insert into batch_member (account_id, batch_id, pull_request_id, ordinal, pinned_head, message, author_name, author_email)
     select $1, made.id, p.id, m.ordinal, p.head_sha, '', '', ''
     from jsonb_to_recordset($3) as b (commit text, members jsonb) cross join lateral jsonb_array_elements_text(b.members) with ordinality as m (name, ordinal)
     join pull_request p on p.account_id = $1 and p.repository_id = $2 and p.title = m.name
     join batch made on made.account_id = $1 and made.commit = b.commit`,
    [s.accountId, repositoryId, JSON.stringify(rows)],
  );
  await s.rows(
    `insert into build (account_id, repository_id, commit, tree, base_commit, started_at, finished_at, complete)
     select $1, $2, b.commit, b.commit, 'x', b.at, b.ended, true
     from jsonb_to_recordset($3) as b (commit text, at timestamptz, ended timestamptz) where b.ended is not null`,
    [s.accountId, repositoryId, JSON.stringify(rows)],
  );
  while ((await s.rows('select 1 from event where position is null limit 1')).length > 0)
    await sequenceEvents(s.ports.db);
}
