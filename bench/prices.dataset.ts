// Fills an account. Most of its lists have more rows than a page, so that a document reads as many rows as it may.
import type { BenchInstallation } from './installation.ts';

const account = '$1::bigint';

/** The parts of the data set in order. Each part refers to rows of the parts before it. */
const statements = [
  `insert into account_user (account_id, email, handle, role)
   select ${account}, 'user' || n || '@example.test', 'user' || n, 'member' from generate_series(1, 120) n`,
  `insert into account_team (account_id, org, slug, name, created_at)
   select ${account}, 'acme', 'team-' || n, 'Team ' || n, now() from generate_series(1, 120) n`,
  `insert into account_team_member (account_id, team_id, user_id, created_at)
   select ${account}, t.id, u.id, now() from account_team t, (select id from account_user where account_id = ${account} order by id limit 20) u
   where t.account_id = ${account}`,
  `insert into api_token (account_id, user_id, kind, name, lookup, token_hmac, scopes)
   select ${account}, id, 'user', 'Token', 'lookup' || id, '\\x00', '{queue:read}' from account_user where account_id = ${account}`,
  `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
   select ${account}, 'acme', 'other-' || n, 'local', E'merge_rules:\\n  labels:\\n    trigger: mergequeue\\n', '' from generate_series(1, 120) n`,
  `insert into queue (account_id, repository_id, base_branch, waiting, tagged)
   select account_id, id, b, case when name = 'shop' and b = 'main' then 25 else 0 end, case when name = 'shop' and b = 'main' then 25 else 0 end
   from repository, unnest('{main,next,release}'::text[]) b where account_id = ${account}`,
  // Only acme/shop has a line, of fifty pull requests. The other repositories have only merged pull requests.
  `insert into pull_request (account_id, repository_id, queue_id, number, title, body, author, author_name, author_email, head_branch, base_branch,
     head_sha, url, status, rank, queued_at, created_at, merged_at, merge_commit_sha, own_commit_sha, merged_by_queue)
   select q.account_id, q.repository_id, q.id, n, 'Make the checkout faster, part ' || n, repeat('Why this is faster. ', 20), 'user' || (n % 100 + 1), 'User',
     'user@example.test', 'topic-' || n, 'main', md5(q.repository_id || 'h' || n) || '00000000', 'https://example.test/pulls/' || n,
     case when n > 50 or r.name <> 'shop' then 'merged' when n <= 25 then 'tagged' else 'queued' end,
     case when n <= 50 and r.name = 'shop' then n end, now() - interval '1 hour', now() - interval '1 day',
     case when n > 50 or r.name <> 'shop' then now() end, md5(q.repository_id || 'm' || n) || '00000000', md5(q.repository_id || 'm' || n) || '00000000', true
   from queue q join repository r on r.account_id = q.account_id and r.id = q.repository_id,
     lateral generate_series(1, case when r.name = 'shop' then 300 else 12 end) n
   where q.account_id = ${account} and q.base_branch = 'main'`,
  `insert into batch (account_id, queue_id, repository_id, position, cause, mode, state, parent_commit, base_commit, strategy, batch_commit,
     build_keys_hash, group_message, commit, tree, tested_commit, created_at, build_started_at, cleaned_up_at)
   select p.account_id, p.queue_id, p.repository_id, p.number + 1000 * k, 'new', 'parallel',
     case when p.status = 'merged' then 'landed' when k = 12 then 'building' else 'failed' end, repeat('a', 40), repeat('a', 40), 'squash', 'group', '', 'Group',
     md5(p.id || 'c' || k) || '00000000', repeat('f', 40), md5(p.id || 'c' || k) || '00000000', now(), now(), now()
   from pull_request p, lateral generate_series(case when p.status = 'tagged' then 1 else 12 end, 12) k
   where p.account_id = ${account} and p.status in ('merged', 'tagged')`,
  `insert into batch_member (account_id, batch_id, pull_request_id, ordinal, pinned_head, message, author_name, author_email, own_commit)
   select b.account_id, b.id, p.id, 0, p.head_sha, p.title, p.author_name, p.author_email, p.own_commit_sha
   from batch b join pull_request p on p.account_id = b.account_id and p.repository_id = b.repository_id and p.number = b.position % 1000
   where b.account_id = ${account}`,
  `insert into bot_pull_request (account_id, repository_id, batch_id, number, url, branch, target_branch, head_commit_sha, pre_batch_sha)
   select account_id, repository_id, id, 100000 + id, 'https://example.test/pulls/' || id, 'mq-bot-' || id, 'main', commit, repeat('a', 40)
   from batch where account_id = ${account}`,
  `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion, url, summary)
   select account_id, repository_id, commit, 'check-' || n, 1, 'success', 'https://example.test/log', 'All is well.'
   from (select account_id, repository_id, head_sha as commit from pull_request union select account_id, repository_id, commit from batch) c,
     generate_series(1, 10) n where account_id = ${account}`,
  `insert into landing (account_id, queue_id, repository_id, batch_id, commit, first_parent, tree, grade, landed_at)
   select account_id, queue_id, repository_id, id, commit, repeat('a', 40), repeat('f', 40), 'exact', now() from batch
   where account_id = ${account} and state = 'landed'`,
  `insert into proof (account_id, queue_id, landing_id, body, digest, created_at)
   select account_id, queue_id, id, '{"grade": "exact", "members": [1, 2, 3]}', 'd' || id, now() from landing where account_id = ${account}`,
  `with head as (select coalesce(max(position), 0) as position from event where account_id = ${account})
   insert into event (account_id, repository_id, action, at, position, pull_request_id, payload)
   select p.account_id, p.repository_id, 'queued', now(), head.position + row_number() over (order by p.id), p.id, '{"status": "queued"}' from pull_request p, head
   where p.account_id = ${account}`,
  `insert into configuration_change (account_id, repository_id, yaml, diff, modified_at, email)
   select account_id, id, configuration_yaml, repeat(E'+  trigger: go\\n', 20), now() - n * interval '1 minute', 'user1@example.test'
   from repository, generate_series(1, 40) n where account_id = ${account}`,
  `insert into user_action (account_id, action, actor, entity, at)
   select ${account}, 'pull_request_queued', 'user1@example.test', 'merge_queue', now() from generate_series(1, 300) n`,
  `insert into branch_pause (account_id, repository_id, pattern, paused, paused_message, created_at)
   select account_id, id, 'release/' || n || '*', true, 'Later', now() from repository, generate_series(1, 10) n where account_id = ${account}`,
  `insert into permission_grant (account_id, repository_id, permission, user_id, granted_by, created_at)
   select u.account_id, r.id, 'skip_line', u.id, 'user1@example.test', now() from account_user u, repository r
   where u.account_id = ${account} and r.account_id = ${account} and r.name in ('shop', 'other-1')`,
  `insert into webhook_endpoint (account_id, url, actions, from_position, created_at, updated_at)
   select ${account}, 'https://hooks.example.test/' || n, '{*}', 0, now(), now() from generate_series(1, 20) n`,
  `insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, body, state, attempts, created_at, ended_at)
   select account_id, id, 'm' || n, 'queued', 'l', repeat('x', 600), 'succeeded', 1, now(), now() from webhook_endpoint, generate_series(1, 100) n
   where account_id = ${account}`,
  `insert into webhook_attempt (account_id, delivery_id, number, started_at, request_headers, response_status, response_headers, response_body)
   select account_id, id, 1, now(), '{"a": "b"}', 200, '{}', 'ok' from webhook_delivery where account_id = ${account}`,
  `insert into release_project (account_id, name, repository_id, created_at)
   select account_id, name, id, now() from repository where account_id = ${account}`,
  `insert into environment (account_id, project_id, name, position, tier, provider, created_at)
   select account_id, id, e, o, e, '{"kind": "none"}', now() from release_project, unnest('{development,staging,production}'::text[]) with ordinality t (e, o)
   where account_id = ${account}`,
  `insert into release (account_id, project_id, version, created_at)
   select account_id, id, '1.' || n, now() from release_project, generate_series(1, 20) n where account_id = ${account}`,
  `insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at)
   select r.account_id, r.project_id, r.id, r.version || '-rc' || n, n, repeat('a', 40), p.repository_id, 'ready', 'user1@example.test', now()
   from release r join release_project p on p.account_id = r.account_id and p.id = r.project_id, generate_series(1, 5) n where r.account_id = ${account}`,
  `insert into deployment (account_id, environment_id, candidate_id, kind, status, actor, created_at, status_at, deploy_start_at, deploy_end_at)
   select e.account_id, e.id, c.id, 'forward', 'success', 'user1@example.test', now(), now(), now(), now()
   from environment e join release_candidate c on c.account_id = e.account_id and c.project_id = e.project_id
   where e.account_id = ${account} and c.number <= 2`,
  `insert into deployment_log (account_id, deployment_id, text, at)
   select account_id, id, 'A line of a log', now() from deployment, generate_series(1, 3) n where account_id = ${account}`,
  `insert into runbook (account_id, repository_id, number, title, title_given, author_email, author_handle, created_by, draft, pr_mode, target_branch,
     queue_when_green, workflow_files, agent, budget_micros, created_at)
   select account_id, id, row_number() over (order by name <> 'shop', id, n), 'New colours', true, 'user1@example.test', 'user1', 'user1@example.test', false,
     'single_pr', 'main', false, false, 'script', 5000000, now() from repository, generate_series(1, 2) n where account_id = ${account}`,
  `insert into runbook_prompt (account_id, runbook_id, ordinal, text, author, created_at, planned_at)
   select account_id, id, 1, repeat('Bring the colours up to date. ', 10), 'user1@example.test', now(), now() from runbook where account_id = ${account}`,
  `insert into runbook_step (account_id, runbook_id, parent_id, prompt_ordinal, number, position, title, status)
   select account_id, id, null, 1, s::text, s * 10, 'Step ' || s, null from runbook, generate_series(1, 5) s where account_id = ${account}`,
  `insert into runbook_step (account_id, runbook_id, parent_id, prompt_ordinal, number, position, title, status, started_at, ended_at)
   select account_id, runbook_id, id, 1, number || '.' || l, position + l, 'Leaf ' || l, 'completed', now(), now()
   from runbook_step, generate_series(1, 3) l where account_id = ${account} and parent_id is null`,
  `insert into verification (account_id, repository_id, pull_request_id, head_commit, attempt, cause, status, preview, preview_name, created_by, created_at)
   select account_id, repository_id, id, head_sha, n, 'head', 'passed',
     '{"method": "sandbox", "name": "default", "image": "web", "port": 80, "setup": "up.sh", "teardown": null, "secrets": [], "verifySkill": "s.md"}',
     'default', 'interlock', now() from pull_request, generate_series(1, 3) n where account_id = ${account}`,
  `insert into verification_step (account_id, verification_id, ordinal, scenario, step, conclusion, duration_ms, at)
   select account_id, id, n, 'Shop', 'Step ' || n, 'passed', 12, now() from verification, generate_series(1, 5) n where account_id = ${account}`,
];

export async function fillAccount({ owner }: BenchInstallation, accountId: string): Promise<void> {
  for (const statement of statements) {
    await owner.query(statement, [accountId]).catch((error: unknown) => {
      throw new Error(`The account of the bench could not be filled: ${statement.slice(0, 60)} …`, { cause: error });
    });
  }
  await owner.query('vacuum analyze');
}
