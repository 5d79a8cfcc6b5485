// The baseline of `reads`: Fastify and pg give the same two answers from prepared statements, without tokens, row-level
// security, limits and GraphQL. It shows what a hand-written service with two endpoints costs.
import fastify, { type FastifyRequest } from 'fastify';
import pg from 'pg';
import { serveMeasurements } from './measured-process.ts';
import { line, one, type PlainRow, type PlainRowWithBot } from './plain-rows.ts';

const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: 8 });
const server = fastify();

interface Query {
  readonly org: string;
  readonly repo: string;
  readonly number: string;
}

server.get<{ Querystring: Query }>('/api/v1/pull_request', async (request, reply) => {
  const { org, repo, number } = request.query;
  const { rows } = await pool.query<PlainRowWithBot>({
    ...one,
    values: [accountOf(request), org, repo, Number(number)],
  });
  const row = rows[0];
  if (row === undefined) return await reply.code(404).send({ error: 'Pull request not found' });
  return { ...pullRequest(row), bot_pull_request: row.bot_number === null ? null : botPullRequest(row) };
});

server.get<{ Querystring: Query }>('/api/v1/pull_request/queued', async (request) => {
  const { rows } = await pool.query<PlainRow>({
    ...line,
    values: [accountOf(request), request.query.org, request.query.repo],
  });
  return { pull_requests: rows.map(pullRequest) };
});

function accountOf(request: FastifyRequest): unknown {
  return request.headers['x-account'];
}

function pullRequest(row: PlainRow): object {
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

function botPullRequest(row: PlainRowWithBot): object {
  return {
    number: row.bot_number,
    github_url: row.bot_url,
    target_branch: row.target_branch,
    head_commit_sha: row.head_commit_sha,
    head_branch_oid: row.head_commit_sha,
    codemix_pre_batch_sha: row.pre_batch_sha,
  };
}

serveMeasurements(await server.listen({ host: '127.0.0.1', port: 0 }));
