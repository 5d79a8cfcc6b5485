// The baseline: the same two answers by Fastify and pg alone, prepared statements, no tokens, no row-level security, no limits, no GraphQL. What
// a service of two endpoints written by hand would cost.
import fastify, { type FastifyRequest } from 'fastify';
import pg from 'pg';
import { beMeasured } from './measured-process.ts';

interface Row {
  readonly number: number;
  readonly title: string;
  readonly author: string;
  readonly head_branch: string;
  readonly base_branch: string;
  readonly status: string;
  readonly skip_line: boolean;
  readonly queued_at: Date | null;
  readonly merged_at: Date | null;
  readonly created_at: Date;
  readonly org: string;
  readonly repo: string;
}

interface RowWithBot extends Row {
  readonly bot_number: number | null;
  readonly bot_url: string;
  readonly target_branch: string;
  readonly head_commit_sha: string;
  readonly pre_batch_sha: string;
}

const columns = `p.number, p.title, p.author, p.head_branch, p.base_branch, p.status, p.skip_line, p.queued_at, p.merged_at,
  p.created_at, r.owner as org, r.name as repo`;

const one = {
  name: 'one',
  text: `select ${columns}, b.number as bot_number, b.url as bot_url, b.target_branch, b.head_commit_sha, b.pre_batch_sha
    from repository r
    join pull_request p on p.account_id = r.account_id and p.repository_id = r.id and p.number = $4
    left join lateral (
      select b.number, b.url, b.target_branch, b.head_commit_sha, b.pre_batch_sha
      from batch_member m join bot_pull_request b on b.account_id = m.account_id and b.batch_id = m.batch_id
      where m.account_id = p.account_id and m.pull_request_id = p.id order by m.batch_id desc limit 1
    ) b on true
    where r.account_id = $1 and r.owner = $2 and r.name = $3`,
};

const line = {
  name: 'line',
  text: `select ${columns}
    from repository r
    join queue q on q.account_id = r.account_id and q.repository_id = r.id
    join pull_request p on p.account_id = q.account_id and p.queue_id = q.id and p.status in ('queued', 'tagged')
    where r.account_id = $1 and r.owner = $2 and r.name = $3 order by q.id, p.rank`,
};

const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: 8 });
const server = fastify();

interface Query {
  readonly org: string;
  readonly repo: string;
  readonly number: string;
}

server.get<{ Querystring: Query }>('/api/v1/pull_request', async (request, reply) => {
  const { org, repo, number } = request.query;
  const { rows } = await pool.query<RowWithBot>({ ...one, values: [accountOf(request), org, repo, Number(number)] });
  const row = rows[0];
  if (row === undefined) return await reply.code(404).send({ error: 'Pull request not found' });
  return { ...pullRequest(row), bot_pull_request: row.bot_number === null ? null : botPullRequest(row) };
});

server.get<{ Querystring: Query }>('/api/v1/pull_request/queued', async (request) => {
  const { rows } = await pool.query<Row>({
    ...line,
    values: [accountOf(request), request.query.org, request.query.repo],
  });
  return { pull_requests: rows.map(pullRequest) };
});

function accountOf(request: FastifyRequest): unknown {
  return request.headers['x-account'];
}

function pullRequest(row: Row): object {
  return {
    number: row.number,
    status: row.status,
    queued: row.status === 'queued' || row.status === 'tagged',
    title: row.title,
    author: row.author,
    head_branch: row.head_branch,
    base_branch: row.base_branch,
    repository: { org: row.org, name: row.repo },
    skip_line: row.skip_line,
    queued_at: row.queued_at,
    merged_at: row.merged_at,
    created_at: row.created_at,
  };
}

function botPullRequest(row: RowWithBot): object {
  return {
    number: row.bot_number,
    github_url: row.bot_url,
    target_branch: row.target_branch,
    head_commit_sha: row.head_commit_sha,
    head_branch_oid: row.head_commit_sha,
    codemix_pre_batch_sha: row.pre_batch_sha,
  };
}

beMeasured(await server.listen({ host: '127.0.0.1', port: 0 }));
