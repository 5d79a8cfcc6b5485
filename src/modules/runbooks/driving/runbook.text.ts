// The text about a runbook that the Temporal UI shows at the runbook's workflow: the plan with the status of each step,
// the commits and pull requests, the cost, and the reason why the runbook waits.
import { code, inOneLine, plain, section } from '../../../domain/markdown.ts';
import { runbookStatus, type RunbookStatus } from '../../../domain/runbooks/runbook.ts';
import type { RunbookCall, RunbookStep } from '../../../domain/runbooks/drive.ts';
import type { AfterTurn } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { readLogTail } from '../../../platform/log-pieces.ts';
import { ownerOfLog } from './session.rows.ts';
import type { RunbookRow, RunbookStepRow } from '../runbooks.entities.ts';
import { leafOf, leavesIn, pullRequestOf, type RunbookRows } from './runbook.rows.ts';
import { dollars } from './session.ts';

export type RunbookLeft = Extract<RunbookStep, AfterTurn>;

export interface RunbookSummary {
  readonly repository: string;
  readonly number: number;
  readonly status: RunbookStatus;
  /** The runbook in one line. */
  readonly title: string;
  /** Markdown. */
  readonly details: string;
}

export async function describeRunbook(tx: Transaction, rows: RunbookRows, step: RunbookLeft): Promise<RunbookSummary> {
  const { runbook, repository, leaves, prompts } = rows;
  const status = runbookStatus(leaves.map((leaf) => leaf.status ?? 'not_started'));
  const details = [
    `**Runbook ${runbook.number}** of ${plain(`${repository.owner}/${repository.name}`)}: ${plain(runbook.title)}: **${status}**`,
    '',
    `- next: ${plain(stepText(step, rows))}`,
    `- for ${plain(runbook.authorEmail)}, requested by ${plain(runbook.createdBy)} at ${runbook.createdAt.toISOString()}`,
    `- by the ${runbook.agent} agent, ${code(runbook.prMode)} into ${code(runbook.targetBranch)}${runbook.queueWhenGreen ? ', queued when green' : ''}`,
    `- cost: ${plain(dollars(runbook.spentMicros))} of ${plain(dollars(runbook.budgetMicros))}, ${runbook.inputTokens} tokens in, ${runbook.outputTokens} out`,
    ...problemText(runbook),
    ...section('Steps', planText(rows)),
    ...section('Pull requests', pullRequestTexts(rows)),
    ...section('Last tool calls, newest first', await lastCalls(tx, runbook)),
    ...section(
      'End of the log',
      await readLogTail(tx, runbook.accountId, ownerOfLog({ runbookId: runbook.id, stepId: null })),
    ),
    ...section(
      'Prompts',
      prompts.map(({ ordinal, text, author }) => `- ${ordinal}, by ${plain(author)}: ${plain(text)}`),
    ),
  ];
  return {
    repository: `${repository.owner}/${repository.name}`,
    number: runbook.number,
    status,
    title: `Runbook ${runbook.number}: ${runbook.title}`,
    details: details.join('\n'),
  };
}

function problemText({ problem, calls, callAt, failingSince }: RunbookRow): string[] {
  if (!problem) return [];
  const since = failingSince ? ` since ${failingSince.toISOString()}` : '';
  const next = callAt ? `; tried again at ${callAt.toISOString()}` : '';
  if (calls === 0 && !callAt) return [`- not done: ${plain(problem)}`];
  const times = calls === 0 ? '' : ` ${calls} times`;
  return [`- failed${times}${since}: ${plain(problem)}${next}`];
}

/** The plan. A long plan shows only the steps around the next leaf. */
function planText(rows: RunbookRows): string[] {
  const shown = rows.steps.filter((step) => Boolean(step.status) || leavesOf(rows, step.id) > 1);
  const next = shown.findIndex(({ status }) => status !== 'completed' && Boolean(status));
  const from = Math.max(0, (next === -1 ? shown.length : next) - shownSteps / 2);
  const window = shown.slice(from, from + shownSteps);
  const after = shown.length - from - window.length;
  return [
    ...(from === 0 ? [] : [`- … ${from} before`]),
    ...window.map(({ status, number, title, ...step }) =>
      status === null || status === undefined
        ? `- **${number} ${plain(title)}**`
        : `- ${number} ${plain(title)}: **${status}**${leafText(rows, step)}`,
    ),
    ...(after === 0 ? [] : [`- … ${after} after`]),
  ];
}

function leavesOf({ leaves }: RunbookRows, stepId: string): number {
  return leaves.filter(({ parentId }) => parentId === stepId).length;
}

function leafText(
  { commits }: RunbookRows,
  leaf: Pick<RunbookStepRow, 'id' | 'attempts' | 'errorMessage' | 'summary'>,
): string {
  const commit = commits.find(({ stepId }) => stepId === leaf.id);
  return [
    ...(commit === undefined
      ? []
      : [`commit ${code(commit.commit.slice(0, 10))}${commit.state === 'pushed' ? '' : ', not pushed yet'}`]),
    ...(leaf.attempts > 1 ? [`attempt ${leaf.attempts}`] : []),
    ...(leaf.errorMessage ? [plain(leaf.errorMessage)] : leaf.summary ? [plain(leaf.summary)] : []),
  ]
    .map((part) => ` · ${part}`)
    .join('');
}

function pullRequestTexts(rows: RunbookRows): string[] {
  return rows.pullRequests.map((row) => {
    const name = row.number ? `[#${row.number}](${row.url ?? ''})` : 'not opened yet';
    const steps = leavesIn(rows, row.id).map(({ number }) => number);
    return `- ${name} ${row.state}, ${code(row.branch)} into ${code(row.baseBranch)}, steps ${steps.join(', ')}${row.queuedAt ? ', asked to be queued' : ''}`;
  });
}

async function lastCalls(tx: Transaction, { accountId, id }: RunbookRow): Promise<string[]> {
  const calls = await tx.query<{ tool: string; outcome: string; args: string; answer: string }>(
    `select tool, outcome, left(arguments::text, 200) as args, left(answer, 300) as answer
     from runbook_tool_call where account_id = $1 and runbook_id = $2 order by id desc limit ${shownCalls}`,
    [accountId, id],
  );
  return calls.map(({ tool, outcome, args, answer }) => {
    const text = outcome === 'done' ? '' : ` ${plain(answer)}`;
    return `- ${code(tool)} ${outcome}: ${code(args)}${text}`;
  });
}

const shownSteps = 60;
const shownCalls = 8;

/** The next step of the runbook, or what it waits for. */
export function stepText(step: RunbookLeft, rows: RunbookRows): string {
  switch (step.kind) {
    case 'ended':
      return 'nothing, until the runbook gets another prompt';
    case 'supervise': {
      if (step.work.kind === 'plan') return `plan the steps of prompt ${step.work.prompt}`;
      const { number, title } = leafOf(rows, step.work.leafId);
      return `work on ${number} ${inOneLine(title)}`;
    }
    case 'call':
      return callText(step.call, rows);
    case 'wait':
      return waitText(step, rows);
  }
}

function callText(call: RunbookCall, rows: RunbookRows): string {
  if (call.kind === 'push') return `push the commit of ${leafOf(rows, call.leafId).number}`;
  const { number, branch, baseBranch } = pullRequestOf(rows, call.pullRequestId);
  switch (call.kind) {
    case 'open':
      return `open a pull request of ${branch} into ${baseBranch}`;
    case 'refresh':
      return `update the description and the labels of #${number ?? ''}`;
    case 'retarget':
      return `change the base branch of #${number ?? ''} to ${rows.runbook.targetBranch}`;
    case 'queue':
      return `ask to queue #${number ?? ''}`;
  }
}

function waitText({ for: what, until }: Extract<RunbookLeft, { kind: 'wait' }>, rows: RunbookRows): string {
  switch (what) {
    case 'lease': {
      const leaf = rows.leaves.find(({ status }) => status === 'in_progress');
      if (leaf === undefined) return 'the agent plans';
      const worksOn = `the agent works on ${leaf.number} ${inOneLine(leaf.title)}`;
      return rows.runbook.dueAt ? worksOn : `${worksOn}, and waits until its worker has room for a command`;
    }
    case 'call':
      return `try again at ${new Date(until ?? 0).toISOString()}`;
    case 'activation':
      return 'wait until the repository is active again';
    case 'merge': {
      const waiting = rows.pullRequests.find(({ state }) => state === 'open');
      return `wait until #${waiting?.number ?? ''} is merged or closed`;
    }
  }
}
