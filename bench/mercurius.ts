// Serves GraphQL by mercurius with jit from the statements of the baseline, without tokens, row-level security and
// limits.
import fastify from 'fastify';
import mercurius from 'mercurius';
import pg from 'pg';
import { serveMeasurements } from './measured-process.ts';
import { line, one, type PlainRow, type PlainRowWithBot } from './plain-rows.ts';

const schema = `
  type Query { repository(owner: String!, name: String!): Repository }
  type Repository { owner: String! name: String! pullRequest(number: Int!): PullRequest queuedPullRequests: [PullRequest!]! }
  enum Status { QUEUED TAGGED MERGED }
  type PullRequest {
    number: Int! status: Status! queued: Boolean! title: String! author: String! headBranch: String! baseBranch: String!
    repository: Repository! skipLine: Boolean! queuedAt: String mergedAt: String createdAt: String! latestBotPullRequest: BotPullRequest
  }
  type BotPullRequest { number: Int! githubUrl: String! targetBranch: String! headCommitSha: String! headBranchOid: String! codemixPreBatchSha: String! }
`;

interface Named {
  readonly owner: string;
  readonly name: string;
}

interface Caller {
  readonly account: unknown;
}

const pool = new pg.Pool({ connectionString: process.env['BENCH_DATABASE_URL'], max: 8 });
const server = fastify();

await server.register(mercurius, {
  schema,
  jit: 1,
  context: (request): Caller => ({ account: request.headers['x-account'] }),
  resolvers: {
    Query: { repository: (_root: unknown, { owner, name }: Named) => ({ owner, name }) },
    Repository: {
      pullRequest: async ({ owner, name }: Named, { number }: { readonly number: number }, context: unknown) => {
        const values = [(context as Caller).account, owner, name, number];
        const { rows } = await pool.query<PlainRowWithBot>({ ...one, values });
        return rows[0] === undefined
          ? null
          : { ...pullRequest(rows[0]), latestBotPullRequest: botPullRequest(rows[0]) };
      },
      queuedPullRequests: async ({ owner, name }: Named, _none: unknown, context: unknown) => {
        const values = [(context as Caller).account, owner, name];
        return (await pool.query<PlainRow>({ ...line, values })).rows.map(pullRequest);
      },
    },
  },
});

function pullRequest(row: PlainRow): object {
  return {
    number: row.number,
    status: row.status.toUpperCase(),
    queued: row.status === 'queued' || row.status === 'tagged',
    title: row.title,
    author: row.author,
    headBranch: row.head_branch,
    baseBranch: row.base_branch,
    repository: { owner: row.org, name: row.repo },
    skipLine: row.skip_line,
    queuedAt: row.queued_at?.toISOString() ?? null,
    mergedAt: row.merged_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

function botPullRequest(row: PlainRowWithBot): object | null {
  if (row.bot_number === null) return null;
  return {
    number: row.bot_number,
    githubUrl: row.bot_url,
    targetBranch: row.target_branch,
    headCommitSha: row.head_commit_sha,
    headBranchOid: row.head_commit_sha,
    codemixPreBatchSha: row.pre_batch_sha,
  };
}

serveMeasurements(await server.listen({ host: '127.0.0.1', port: 0 }));
