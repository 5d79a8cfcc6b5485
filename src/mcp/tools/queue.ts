// Tools about the queue: they list and explain pull requests, put them into the queue and take them out.
import { z } from 'zod';
import {
  McpDefaultBranchDocument,
  McpDequeuePullRequestDocument,
  McpExplainDocument,
  McpQueueDocument,
  McpQueuePullRequestDocument,
  McpRepositoriesDocument,
  type McpConditionFragment,
  type McpPullRequestFragment,
} from '../generated/operations.ts';
import {
  confirmed,
  defineTool,
  lower,
  notDone,
  repository,
  repositoryOf,
  ToolRefusal,
  unknownRepository,
  untrusted,
} from '../tool.ts';

const number = z
  .int()
  .positive()
  .max(2 ** 31 - 1)
  .describe('The number of the pull request, such as 42.');

const listRepositories = defineTool({
  name: 'list_repositories',
  title: 'List repositories',
  description: 'Lists the repositories that this token may see, with how many pull requests are in line in each.',
  effect: 'reads',
  scopes: ['queue:read'],
  input: z.strictObject({
    after: z.string().optional().describe('next_page of the answer before. Left out: the first page.'),
  }),
  run: async ({ after }, { api }) => {
    const { repositories } = await api.ask(McpRepositoriesDocument, { after });
    return {
      total: repositories.totalCount,
      repositories: repositories.nodes.map(({ owner, name, defaultBranch, paused, active, queueDepth }) => ({
        repository: `${owner}/${name}`,
        default_branch: defaultBranch,
        paused,
        active,
        depth: queueDepth,
      })),
      next_page: repositories.pageInfo.hasNextPage ? repositories.pageInfo.endCursor : null,
    };
  },
});

const showQueue = defineTool({
  name: 'show_queue',
  title: 'Show a queue',
  description:
    'Shows the line of a base branch: whether it is paused, frozen or halted, and each pull request in line with its place, what it waits for, and when it is likely merged (ISO 8601, UTC).',
  effect: 'reads',
  scopes: ['queue:read'],
  input: z.strictObject({
    repository,
    base_branch: z
      .string()
      .min(1)
      .optional()
      .describe('The branch that pull requests are merged into. Left out: the default branch.'),
    first: z.int().min(1).max(50).default(20).describe('How many pull requests of the line to show, from its head.'),
  }),
  run: async ({ repository: text, base_branch, first }, { api }) => {
    const named = repositoryOf(text);
    const baseBranch = base_branch ?? (await api.ask(McpDefaultBranchDocument, named)).repository?.defaultBranch;
    const { repository: found } =
      baseBranch === undefined
        ? { repository: null }
        : await api.ask(McpQueueDocument, { ...named, baseBranch, first });
    if (!found) throw unknownRepository(text);
    const { queue } = found;
    return {
      repository: text,
      base_branch: baseBranch,
      paused: found.paused || queue?.paused === true,
      pause_message: untrusted(queue?.pause?.message ?? null),
      halted: untrusted(queue?.haltedReason ?? null),
      frozen: untrusted(queue?.frozen?.sentence ?? null),
      depth: queue?.depth ?? { queued: 0, processing: 0, waiting: 0 },
      total: queue?.line.totalCount ?? 0,
      line: (queue?.line.nodes ?? []).map(({ position, eta, explain, pullRequest }) => ({
        position,
        number: pullRequest.number,
        title: untrusted(pullRequest.title),
        author: pullRequest.author,
        status: lower(pullRequest.status),
        why: untrusted(explain.sentence),
        who_acts_next: lower(explain.who),
        merges_at: eta?.p50 ?? null,
        merges_by: eta?.p90 ?? null,
      })),
    };
  },
});

const explainPullRequest = defineTool({
  name: 'explain_pull_request',
  title: 'Explain a pull request',
  description:
    'Explains why a pull request is not merged: its status, the reason in a sentence, who acts next, each condition of a merge and whether it holds, and its failed checks. Ask this before guessing.',
  effect: 'reads',
  scopes: ['queue:read'],
  input: z.strictObject({ repository, number }),
  run: async ({ repository: text, number: wanted }, { api }) => {
    const { repository: found } = await api.ask(McpExplainDocument, { ...repositoryOf(text), number: wanted });
    if (!found) throw unknownRepository(text);
    if (!found.pullRequest) throw new ToolRefusal('NOT_FOUND', `${text} has no pull request #${wanted}.`, 'number');
    const { title, author, status, baseBranch, headBranch, url, mergeCommit, failedChecks, explain } =
      found.pullRequest;
    return {
      repository: text,
      number: wanted,
      title: untrusted(title),
      author,
      status: lower(status),
      base_branch: baseBranch,
      head_branch: untrusted(headBranch),
      url,
      merge_commit: mergeCommit,
      failed_checks: failedChecks.map((name) => untrusted(name)),
      why: untrusted(explain.sentence),
      who_acts_next: lower(explain.who),
      merges_at: explain.eta?.p50 ?? null,
      merges_by: explain.eta?.p90 ?? null,
      conditions: explain.conditions.map((condition) => ({
        ...conditionOf(condition),
        parts: condition.conditions.map(conditionOf),
      })),
    };
  },
});

function conditionOf({ kind, name, holds, sentence, who }: McpConditionFragment): object {
  return {
    kind: lower(kind),
    name: untrusted(name),
    holds,
    sentence: untrusted(sentence),
    who_acts_next: lower(who),
  };
}

const queuePullRequest = defineTool({
  name: 'queue_pull_request',
  title: 'Queue a pull request',
  description:
    'Asks to merge a pull request once its conditions hold and its tests pass in the queue. A merge cannot be taken back, so without confirm: true the answer only says what would happen. Queueing again changes nothing, except that skip_line moves it to the front.',
  effect: 'acts',
  scopes: ['queue:write'],
  input: z.strictObject({
    repository,
    number,
    skip_line: z
      .boolean()
      .default(false)
      .describe('true: to the front of the line, which resets the builds of others. Needs a permission of its own.'),
    skip_line_reason: z.string().max(1000).optional().describe('Why it skips the line. Some repositories require it.'),
    head_commit_sha: z
      .string()
      .regex(/^[0-9a-f]{40}$/, 'must be a full commit hash of 40 hexadecimal digits')
      .optional()
      .describe('The head commit that was reviewed. The call is refused if the branch has moved since.'),
    ...confirmed,
  }),
  run: async (args, { api }) => {
    const input = {
      repository: repositoryOf(args.repository),
      number: args.number,
      ...(args.skip_line && { skipLine: true }),
      ...(args.skip_line_reason !== undefined && { skipLineReason: args.skip_line_reason }),
      ...(args.head_commit_sha !== undefined && { headCommitSha: args.head_commit_sha }),
    };
    const preview = !args.confirm;
    const key = preview ? undefined : args.idempotency_key;
    const { queuePullRequest } = await api.ask(McpQueuePullRequestDocument, { input: { ...input, preview } }, key);
    if (preview) return notDone(queuePullRequest.impact?.sentence);
    return { done: true, ...pullRequestOf(args.repository, queuePullRequest.pullRequest) };
  },
});

const dequeuePullRequest = defineTool({
  name: 'dequeue_pull_request',
  title: 'Take a pull request out of the queue',
  description:
    'Takes a pull request out of the queue. Builds that contain it are reset. Without confirm: true the answer only says what would happen.',
  effect: 'acts',
  scopes: ['queue:write'],
  input: z.strictObject({ repository, number, ...confirmed }),
  run: async (args, { api }) => {
    const preview = !args.confirm;
    const input = { repository: repositoryOf(args.repository), number: args.number, preview };
    const key = preview ? undefined : args.idempotency_key;
    const { dequeuePullRequest } = await api.ask(McpDequeuePullRequestDocument, { input }, key);
    if (preview) return notDone(dequeuePullRequest.impact?.sentence);
    return { done: true, ...pullRequestOf(args.repository, dequeuePullRequest.pullRequest) };
  },
});

function pullRequestOf(repository: string, { number, title, status, explain }: McpPullRequestFragment): object {
  return {
    repository,
    number,
    title: untrusted(title),
    status: lower(status),
    why: untrusted(explain.sentence),
    who_acts_next: lower(explain.who),
  };
}

export const queueTools = [listRepositories, showQueue, explainPullRequest, queuePullRequest, dequeuePullRequest];
