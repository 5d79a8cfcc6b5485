// The APIs for the two reads: the routes of the baseline, the documented REST paths, and the same fields in GraphQL.
import { target } from './dataset.ts';
import type { MeasuredProcess } from './measured-process.ts';
import { restPaths, type Way } from './reads.ts';

const pullRequestFields = `
  number status queued title author head_branch: headBranch base_branch: baseBranch
  repository { org: owner name } skip_line: skipLine queued_at: queuedAt merged_at: mergedAt created_at: createdAt`;

const oneQuery = `query One($org: String!, $repo: String!, $number: Int!) {
  repository(owner: $org, name: $repo) { pullRequest(number: $number) { ${pullRequestFields}
    bot_pull_request: latestBotPullRequest {
      number github_url: githubUrl target_branch: targetBranch head_commit_sha: headCommitSha
      head_branch_oid: headBranchOid codemix_pre_batch_sha: codemixPreBatchSha
    } } } }`;

const fiftyQuery = `query Fifty($org: String!, $repo: String!) {
  repository(owner: $org, name: $repo) { pull_requests: queuedPullRequests { ${pullRequestFields} } } }`;

export function waysOf({
  baseline,
  mercurius,
  contender,
}: {
  readonly baseline: MeasuredProcess;
  readonly mercurius: MeasuredProcess;
  readonly contender: MeasuredProcess;
}): Way[] {
  const names = { org: target.owner, repo: target.name };
  const rest = {
    one: { method: 'GET', path: restPaths.one },
    fifty: { method: 'GET', path: restPaths.fifty },
  } as const;
  const withToken: Way['headers'] = ({ token }) => ({ authorization: `Bearer ${token}` });
  const graphQl: Way['calls'] = {
    one: {
      method: 'POST',
      path: '/graphql',
      body: JSON.stringify({ query: oneQuery, variables: { ...names, number: target.number } }),
      record: (answer) => toRestValues((answer as OneAnswer).data.repository.pullRequest),
    },
    fifty: {
      method: 'POST',
      path: '/graphql',
      body: JSON.stringify({ query: fiftyQuery, variables: names }),
      record: (answer) => toRestValues((answer as FiftyAnswer).data.repository),
    },
  };
  return [
    {
      name: 'raw Fastify + pg',
      server: baseline,
      calls: rest,
      headers: ({ accountId }) => ({ 'x-account': accountId }),
    },
    { name: 'REST', server: contender, calls: rest, headers: withToken },
    {
      name: 'mercurius with jit',
      server: mercurius,
      headers: ({ accountId }) => ({ 'x-account': accountId, 'content-type': 'application/json' }),
      calls: graphQl,
    },
    {
      name: 'GraphQL',
      server: contender,
      headers: (tenant) => ({ ...withToken(tenant), 'content-type': 'application/json' }),
      calls: graphQl,
    },
  ];
}

interface OneAnswer {
  readonly data: { readonly repository: { readonly pullRequest: unknown } };
}
interface FiftyAnswer {
  readonly data: { readonly repository: unknown };
}

// GraphQL writes `QUEUED`, and REST writes `queued`. Otherwise the answers are equal.
function toRestValues(record: unknown): unknown {
  return JSON.parse(
    JSON.stringify(record, (key, value: unknown) =>
      key === 'status' && typeof value === 'string' ? value.toLowerCase() : value,
    ),
  );
}
