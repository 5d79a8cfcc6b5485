// Tools about runbooks: prompts that an agent of the service turns into pull requests.
import { z } from 'zod';
import {
  McpCancelRunbookDocument,
  McpContinueRunbookDocument,
  McpRunbookDocument,
  McpRunbookLogDocument,
  McpRunbooksDocument,
  McpStartRunbookDocument,
  type McpRunbookFragment,
  type McpRunbookQuery,
} from '../generated/operations.ts';
import {
  confirmed,
  defineTool,
  lower,
  notDone,
  oncePerKey,
  repository,
  repositoryOf,
  ToolRefusal,
  unknownRepository,
  untrusted,
  type Api,
} from '../tool.ts';

const number = z
  .int()
  .positive()
  .max(2 ** 31 - 1)
  .describe('The number of the runbook, as list_runbooks has it.');
const scopes = ['runbook:write'];

function runbookOf({ number, title, status, url, problem, stepCounts, pullRequests }: McpRunbookFragment): object {
  return {
    number,
    title: untrusted(title),
    status: lower(status),
    url,
    problem: untrusted(problem),
    steps: {
      total: stepCounts.total,
      not_started: stepCounts.notStarted,
      in_progress: stepCounts.inProgress,
      completed: stepCounts.completed,
      failed: stepCounts.failed,
      queued: stepCounts.queued,
    },
    pull_requests: pullRequests.map((each) => ({ number: each.number, url: each.url })),
  };
}

const listRunbooks = defineTool({
  name: 'list_runbooks',
  title: 'List runbooks',
  description: 'Lists the newest 20 runbooks of a repository: status, steps and pull requests of each.',
  effect: 'reads',
  scopes,
  input: z.strictObject({ repository }),
  run: async ({ repository: text }, { api }) => {
    const { repository: found } = await api.ask(McpRunbooksDocument, repositoryOf(text));
    if (!found) throw unknownRepository(text);
    return { repository: text, runbooks: found.runbooks.nodes.map(runbookOf) };
  },
});

const prompt = z.string().min(1).max(200_000).describe('What is to be changed in the repository, in plain words.');

const startRunbook = defineTool({
  name: 'start_runbook',
  title: 'Start a runbook',
  description:
    'Begins a runbook: an agent of the service plans steps for the prompt, carries them out and opens pull requests, which people review. It spends the budget of runbooks. watch_runbook shows how it goes, cancel_runbook stops it.',
  effect: 'adds',
  scopes,
  input: z.strictObject({
    repository,
    prompt,
    title: z.string().min(1).max(200).optional().describe('One line. Left out: made of the prompt.'),
    target_branch: z
      .string()
      .min(1)
      .optional()
      .describe('The base branch of its pull requests. Left out: the default branch.'),
    pr_mode: z
      .enum(['manual', 'single_pr', 'stacked_pr'])
      .optional()
      .describe('One pull request, a stack of them, or none before a person asks. Left out: as the repository is set.'),
    draft: z.boolean().optional().describe('true: opens drafts. Left out: as the repository is set.'),
    ...oncePerKey,
  }),
  run: async (args, { api }) => {
    const input = {
      repository: repositoryOf(args.repository),
      prompt: args.prompt,
      ...(args.title !== undefined && { title: args.title }),
      ...(args.target_branch !== undefined && { targetBranch: args.target_branch }),
      ...(args.pr_mode !== undefined && { prMode: modes[args.pr_mode] }),
      ...(args.draft !== undefined && { draft: args.draft }),
    };
    const { createRunbook } = await api.ask(McpStartRunbookDocument, { input }, args.idempotency_key);
    return runbookOf(createRunbook.runbook);
  },
});

const modes = { manual: 'MANUAL', single_pr: 'SINGLE_PR', stacked_pr: 'STACKED_PR' } as const;

const continueRunbook = defineTool({
  name: 'continue_runbook',
  title: 'Add a prompt to a runbook',
  description: 'Adds a prompt to a runbook: its agent goes on, and pushes to the same branches.',
  effect: 'adds',
  scopes,
  input: z.strictObject({ number, prompt, ...oncePerKey }),
  run: async (args, { api }) => {
    const input = { number: args.number, prompt: args.prompt };
    const { continueRunbook } = await api.ask(McpContinueRunbookDocument, { input }, args.idempotency_key);
    return runbookOf(continueRunbook.runbook);
  },
});

type Watched = NonNullable<McpRunbookQuery['runbook']>;

async function readRunbook(api: Api, wanted: number, after: string | undefined): Promise<Watched> {
  const { runbook } = await api.ask(McpRunbookDocument, { number: wanted, after });
  if (!runbook) throw new ToolRefusal('NOT_FOUND', `There is no runbook ${wanted} for this token.`, 'number');
  return runbook;
}

/** Most clients time out after a minute by default. */
const longestWaitSec = 50;

const watchRunbook = defineTool({
  name: 'watch_runbook',
  title: 'Watch a runbook',
  description:
    'Shows how far a runbook is: its steps, its pull requests, and its log after a cursor. With wait_seconds it answers as soon as the log goes on or work has ended. To follow a runbook, call it again with the cursor of the answer.',
  effect: 'reads',
  scopes,
  input: z.strictObject({
    number,
    after: z.string().optional().describe('cursor of the answer before. Left out: the log from its beginning.'),
    wait_seconds: z
      .int()
      .min(0)
      .max(longestWaitSec)
      .default(0)
      .describe(`How long to wait for news if there is none, in seconds, at most ${longestWaitSec}.`),
  }),
  run: async ({ number: wanted, after, wait_seconds }, { api, signal }) => {
    let runbook = await readRunbook(api, wanted, after);
    if (wait_seconds > 0 && runbook.log.nodes.length === 0) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(wait_seconds * 1000)]);
      await api.nextChange(McpRunbookLogDocument, { number: wanted, after }, until);
      runbook = await readRunbook(api, wanted, after);
    }
    const pieces = runbook.log.nodes;
    return {
      ...runbookOf(runbook),
      plan: runbook.steps.map(({ number, title, status }) => ({
        step: number,
        title: untrusted(title),
        status: lower(status),
      })),
      log: untrusted(pieces.map(({ text }) => text).join('')),
      cursor: pieces.at(-1)?.cursor ?? after ?? null,
      more_log_now: runbook.log.pageInfo.hasNextPage,
    };
  },
});

const cancelRunbook = defineTool({
  name: 'cancel_runbook',
  title: 'Stop a runbook',
  description:
    'Stops a runbook. Its commits and pull requests stay. Without confirm: true the answer only says what would happen.',
  effect: 'acts',
  scopes,
  input: z.strictObject({ number, ...confirmed }),
  run: async (args, { api }) => {
    const preview = !args.confirm;
    const key = preview ? undefined : args.idempotency_key;
    const { cancelRunbook } = await api.ask(McpCancelRunbookDocument, { input: { number: args.number, preview } }, key);
    if (preview) return notDone(cancelRunbook.impact?.sentence);
    return { done: true, ...runbookOf(cancelRunbook.runbook) };
  },
});

export const runbookTools = [listRunbooks, startRunbook, continueRunbook, watchRunbook, cancelRunbook];
