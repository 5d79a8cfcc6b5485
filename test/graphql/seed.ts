// Inserts rows as the engine would write them, for tests that read them: one repository with a queue of three pull
// requests, two of them in a batch, and one merged, one blocked and one open pull request.
import type { TestServer } from '../support/server.ts';

export const sha = (digit: number | string): string => String(digit).repeat(40).slice(0, 40);

export interface SeededRepository {
  readonly owner: string;
  readonly name: string;
  readonly repositoryId: string;
  readonly queueId: string;
  readonly batchId: string;
  readonly landedBatchId: string;
  readonly botNumber: number;
}

export async function seed(
  s: TestServer,
  options: { readonly name?: string; readonly token?: string; readonly accountId?: string } = {},
): Promise<SeededRepository> {
  const owner = 'acme';
  const name = options.name ?? 'shop';
  const accountId = options.accountId ?? s.accountId;
  const created = await s.graphql<{ createRepository: unknown }>(
    'mutation ($owner: String!, $name: String!) { createRepository(input: {owner: $owner, name: $name, host: LOCAL}) { repository { id } } }',
    { owner, name },
    options.token,
  );
  if (created.errors.length > 0) throw new Error(created.text);
  const one = async (text: string, values: readonly unknown[]): Promise<string> =>
    (await s.rows<{ id: string }>(text, values))[0]?.id ?? '';
  const repositoryId = await one('select id from repository where account_id = $1 and name = $2', [accountId, name]);
  const queueId = await one(
    `insert into queue (account_id, repository_id, base_branch, waiting, tagged, base_tip) values ($1, $2, 'main', 1, 2, $3) returning id`,
    [accountId, repositoryId, sha('a')],
  );
  const pullRequest = async (number: number, status: string, rank: number | null, more = ''): Promise<string> =>
    await one(
      `insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch, base_branch, head_sha, url, status, rank,
       queued_at, created_at, status_code, status_text, failed_checks, merged_at, merge_commit_sha, own_commit_sha, merged_by_queue)
     values ($1, $2, $3, $4::integer, 'Change ' || $4::integer, 'ada', 'Ada', 'ada@example.test', 'topic-' || $4::integer, 'main', $5, 'https://example.test/pull/' || $4::integer, $6, $7,
       timestamptz '2026-01-02T03:04:05Z', timestamptz '2026-01-01T00:00:00Z', ${more || "null, null, '{}', null, null, null, null"}) returning id`,
      [accountId, repositoryId, queueId, number, sha(number), status, rank],
    );
  const first = await pullRequest(1, 'tagged', 1);
  const second = await pullRequest(2, 'tagged', 2);
  await pullRequest(3, 'queued', 3);
  await pullRequest(4, 'blocked', null, "107, 'The check test failed.', '{test}', null, null, null, null");
  const merged = await pullRequest(
    5,
    'merged',
    null,
    `null, null, '{}', timestamptz '2026-01-03T00:00:00Z', '${sha('b')}', '${sha('c')}', true`,
  );
  await pullRequest(6, 'open', null);
  const batch = async (position: number, state: string, commit: string): Promise<string> =>
    await one(
      `insert into batch (account_id, queue_id, repository_id, position, cause, mode, state, parent_commit, base_commit, strategy, batch_commit, build_keys_hash,
       group_message, commit, tree, tested_commit, created_at, build_started_at)
     values ($1, $2, $3, $4, 'new', 'parallel', $5, $6, $6, 'squash', 'group', 'x', 'Group', $7, $8, $7, now(), now()) returning id`,
      [accountId, queueId, repositoryId, position, state, sha('a'), commit, sha('f')],
    );
  const landedBatchId = await batch(1, 'landed', sha('b'));
  const batchId = await batch(2, 'building', sha('e'));
  for (const [ordinal, id] of [first, second].entries()) {
    await s.rows(
      `insert into batch_member (account_id, batch_id, pull_request_id, ordinal, pinned_head, message, author_name, author_email)
       values ($1, $2, $3, $4, $5, 'm', 'Ada', 'ada@example.test')`,
      [accountId, batchId, id, ordinal, sha(ordinal + 1)],
    );
  }
  await s.rows(
    `insert into batch_member (account_id, batch_id, pull_request_id, ordinal, pinned_head, message, author_name, author_email, own_commit)
     values ($1, $2, $3, 0, $4, 'm', 'Ada', 'ada@example.test', $5)`,
    [accountId, landedBatchId, merged, sha(5), sha('c')],
  );
  const botNumber = 7;
  await s.rows(
    `insert into bot_pull_request (account_id, repository_id, batch_id, number, url, branch, target_branch, head_commit_sha, pre_batch_sha)
     values ($1, $2, $3, $4, 'https://example.test/pull/7', 'mq-bot-1', 'main', $5, $6)`,
    [accountId, repositoryId, batchId, botNumber, sha('e'), sha('a')],
  );
  for (const [commit, attempt, conclusion] of [
    [sha('e'), 1, 'failure'],
    [sha('e'), 2, 'pending'],
    [sha(1), 1, 'success'],
  ] as const) {
    await s.rows(
      `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion, url) values ($1, $2, $3, 'test', $4, $5, 'https://example.test/log')`,
      [accountId, repositoryId, commit, attempt, conclusion],
    );
  }
  const landing = await one(
    `insert into landing (account_id, queue_id, repository_id, batch_id, commit, first_parent, tree, grade, landed_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'exact', now()) returning id`,
    [accountId, queueId, repositoryId, landedBatchId, sha('b'), sha('a'), sha('f')],
  );
  await s.rows(
    `insert into proof (account_id, queue_id, landing_id, body, digest, created_at) values ($1, $2, $3, '{"grade": "exact"}', 'd1', now())`,
    [accountId, queueId, landing],
  );
  return { owner, name, repositoryId, queueId, batchId, landedBatchId, botNumber };
}
