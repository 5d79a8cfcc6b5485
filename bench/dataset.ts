// One repository with a line of fifty pull requests, one of them with a bot pull request, among others that make the
// tables large enough for indexes to matter.
import pg from 'pg';

export const target = { owner: 'acme', name: 'shop', number: 42 } as const;

const filler = { repositories: 20, pullRequests: 500 } as const;
const lineLength = 50;

/** Fills a migrated database; `accountId` must exist. */
export async function fillDataSet(databaseUrl: string, accountId: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const repositoryId = await insertRepository(client, accountId, target.name);
    const queueId = await insertQueue(client, accountId, repositoryId);
    await insertPullRequests(client, { accountId, repositoryId, queueId, from: 1, count: lineLength, status: 'queued' });
    await insertPullRequests(client, { accountId, repositoryId, queueId, from: lineLength + 1, count: filler.pullRequests, status: 'merged' });
    await insertBotPullRequest(client, { accountId, repositoryId, queueId });
    for (let n = 0; n < filler.repositories; n++) {
      const other = await insertRepository(client, accountId, `other-${n}`);
      const otherQueue = await insertQueue(client, accountId, other);
      await insertPullRequests(client, { accountId, repositoryId: other, queueId: otherQueue, from: 1, count: filler.pullRequests, status: 'merged' });
    }
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

async function insertRepository(client: pg.Client, accountId: string, name: string): Promise<string> {
  return await insertedId(client,
    `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
     values ($1, $2, $3, 'local', $4, '') returning id`,
    [accountId, target.owner, name, 'merge_rules:\n  labels:\n    trigger: mergequeue\n']);
}

async function insertQueue(client: pg.Client, accountId: string, repositoryId: string): Promise<string> {
  return await insertedId(client,
    `insert into queue (account_id, repository_id, base_branch, waiting) values ($1, $2, 'main', $3) returning id`,
    [accountId, repositoryId, lineLength]);
}

interface PullRequests {
  readonly accountId: string;
  readonly repositoryId: string;
  readonly queueId: string;
  readonly from: number;
  readonly count: number;
  readonly status: 'queued' | 'merged';
}

async function insertPullRequests(client: pg.Client, of: PullRequests): Promise<void> {
  await client.query(
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email,
       head_branch, base_branch, head_sha, url, status, rank, queued_at, created_at, merged_at)
     select $1::bigint, $2::bigint, $3::bigint, n, 'Make the checkout faster, part ' || n, 'octavia', 'Octavia', 'octavia@example.com',
       'octavia/checkout-' || n, 'main', md5(n::text) || '00000000', 'https://example.com/pulls/' || n, $6,
       case when $6 = 'queued' then n end, now(), now(), case when $6 = 'merged' then now() end
     from generate_series($4::int, $4::int + $5::int - 1) n`,
    [of.accountId, of.repositoryId, of.queueId, of.from, of.count, of.status],
  );
}

async function insertBotPullRequest(client: pg.Client, of: { readonly accountId: string; readonly repositoryId: string; readonly queueId: string }): Promise<void> {
  const sha = 'a'.repeat(40);
  const batchId = await insertedId(client,
    `insert into batch (account_id, queue_id, repository_id, position, cause, mode, parent_commit, base_commit, strategy,
       batch_commit, build_keys_hash, group_message, created_at)
     values ($1, $2, $3, 1, 'new', 'parallel', $4, $4, 'squash', 'group', '', '', now()) returning id`,
    [of.accountId, of.queueId, of.repositoryId, sha]);
  await client.query(
    `insert into batch_member (account_id, batch_id, pull_request_id, ordinal, pinned_head, message, author_name, author_email)
     select account_id, $2::bigint, id, 0, head_sha, title, author_name, author_email from pull_request
     where account_id = $1::bigint and repository_id = $3::bigint and number = $4::int`,
    [of.accountId, batchId, of.repositoryId, target.number]);
  await client.query(
    `insert into bot_pull_request (account_id, repository_id, batch_id, number, url, branch, target_branch, head_commit_sha, pre_batch_sha)
     values ($1, $2, $3, 9001, 'https://example.com/pulls/9001', 'mq-bot-main-1', 'main', $4, $4)`,
    [of.accountId, of.repositoryId, batchId, sha]);
}

async function insertedId(client: pg.Client, text: string, values: readonly unknown[]): Promise<string> {
  const { rows } = await client.query<{ id: string }>(text, [...values]);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('An insert of the data set returned no row.');
  return id;
}
