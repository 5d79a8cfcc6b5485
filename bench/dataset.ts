// Gives each account a repository with a line of fifty pull requests. One of them has a bot pull request. Merged pull
// requests make the tables so large that indexes matter.
import pg from 'pg';
import { insertPullRequests } from './pull-requests.ts';

export const target = { owner: 'acme', name: 'shop', number: 42 } as const;

const lineLength = 50;

const repositories = [
  `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
   select id, '${target.owner}', '${target.name}', 'local', E'merge_rules:\\n  labels:\\n    trigger: mergequeue\\n', '' from account`,
  `insert into queue (account_id, repository_id, base_branch, waiting) select account_id, id, 'main', ${lineLength} from repository`,
];

const pullRequests = `insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email,
     head_branch, base_branch, head_sha, url, status, rank, queued_at, created_at, merged_at)
   select q.account_id, q.repository_id, q.id, n, 'Make the checkout faster, part ' || n, 'octavia', 'Octavia', 'octavia@example.com',
     'octavia/checkout-' || n, 'main', md5(n::text) || '00000000', 'https://example.com/pulls/' || n,
     case when n <= ${lineLength} then 'queued' else 'merged' end, case when n <= ${lineLength} then n end, now(), now(),
     case when n > ${lineLength} then now() end
   from queue q, generate_series(1, ${lineLength} + $1::int) n`;

const builds = [
  `insert into batch (account_id, queue_id, repository_id, position, cause, mode, parent_commit, base_commit, strategy,
     batch_commit, build_keys_hash, group_message, created_at)
   select account_id, id, repository_id, 1, 'new', 'parallel', repeat('a', 40), repeat('a', 40), 'squash', 'group', '', '', now() from queue`,
  `insert into batch_member (account_id, batch_id, pull_request_id, ordinal, pinned_head, message, author_name, author_email)
   select b.account_id, b.id, p.id, 0, p.head_sha, p.title, p.author_name, p.author_email
   from batch b join pull_request p on p.account_id = b.account_id and p.repository_id = b.repository_id and p.number = ${target.number}`,
  `insert into bot_pull_request (account_id, repository_id, batch_id, number, url, branch, target_branch, head_commit_sha, pre_batch_sha)
   select account_id, repository_id, id, 9001, 'https://example.com/pulls/9001', 'mq-bot-main-1', 'main', repeat('b', 40), repeat('a', 40)
   from batch`,
  'vacuum analyze',
];

/** Fills a migrated database whose accounts exist. `merged`: how many pull requests of each account are merged. */
export async function fillDataSet(databaseUrl: string, merged = 450): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const statement of repositories) await client.query(statement);
    await insertPullRequests(client, pullRequests, [merged]);
    for (const statement of builds) await client.query(statement);
  } finally {
    await client.end();
  }
}
