// Opens the pull requests of a runbook at the code host, and updates them after further commits of the agent.
import { hasLabel } from '../../../domain/label-names.ts';
import type { Context } from '../../../context.ts';
import { labelsNow, pullRequestBody } from '../../../domain/runbooks/pull-requests.ts';
import { isLive } from '../../../domain/runbooks/runbook.ts';
import { handleOf } from '../../../domain/accounts/handle.ts';
import { DomainError } from '../../../domain/errors.ts';
import { hostClient, openOnce, type HostPullRequest, toHostedRepository } from '../../../hosts/port.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { configurationOf, labelRulesOf, syncBase, syncPullRequest } from '../../queue/index.ts';
import type { RunbookPullRequestRow } from '../runbooks.entities.ts';
import { runbookUrl } from '../runbooks.reads.ts';
import { announcePullRequest } from './pull-requests.ended.ts';
import type { Transaction } from '../../../platform/database.ts';
import { leavesIn, pullRequestOf, type RunbookRows } from './runbook.rows.ts';

/** The result of a call to the code host. `write` runs in a transaction that locks the runbook's row. */
export interface CallResult {
  readonly message: string;
  write(tx: Transaction, rows: RunbookRows): Promise<void>;
}

export async function openPullRequest(ctx: Context, rows: RunbookRows, id: string): Promise<CallResult> {
  const { repository, runbook } = rows;
  const row = pullRequestOf(rows, id);
  await passFailpoint('runbook:before_open');
  const labels = wantedLabels(rows);
  const body = bodyOf(ctx, rows, row);
  const opened = await openOnce(hostClient(ctx, repository), {
    title: titleOf(rows, row),
    body,
    author: authorOf(rows),
    headBranch: row.branch,
    baseBranch: row.baseBranch,
    draft: runbook.draft,
    labels,
  });
  await passFailpoint('runbook:opened');
  await syncOpened(ctx, rows, opened);
  return {
    message: `Opened #${opened.number}`,
    write: async (tx, now) => {
      const there = pullRequestOf(now, id);
      if (there.state !== 'planned') return;
      const { number, url } = opened;
      Object.assign(there, { state: 'open', number, url, openedAt: ctx.clock(), labels: [...opened.labels] });
      // A pull request that was opened by a killed worker may have an older description.
      there.isStale = opened.body !== body || labels.some((label) => !hasLabel(opened.labels, label));
      await announcePullRequest(ctx, tx, { runbook: now.runbook, pullRequest: there });
    },
  };
}

/** Reads an opened pull request into the queue at once, without waiting for the host's notification. */
async function syncOpened(ctx: Context, { repository }: RunbookRows, opened: HostPullRequest): Promise<void> {
  await syncBase(ctx, toHostedRepository(repository), opened.baseBranch);
  await syncPullRequest(ctx, toHostedRepository(repository), opened.number);
}

export async function refreshPullRequest(ctx: Context, rows: RunbookRows, id: string): Promise<CallResult> {
  const { repository } = rows;
  const row = pullRequestOf(rows, id);
  const number = numberOf(row);
  const client = hostClient(ctx, repository);
  await passFailpoint('runbook:before_refresh');
  await client.editPullRequest({ number }, { body: bodyOf(ctx, rows, row) });
  const labels = wantedLabels(rows).filter((label) => !hasLabel(row.labels, label));
  for (const label of labels) await client.setLabel(number, { label, present: true, by: authorOf(rows) });
  await passFailpoint('runbook:refreshed');
  return {
    message: `Updated the description and the labels of #${number}`,
    write: async (_tx, now) => {
      const there = pullRequestOf(now, id);
      there.labels = [...new Set([...there.labels, ...labels])];
      if (there.headCommit === row.headCommit) there.isStale = false;
    },
  };
}

/** Marks pull requests for an update after a commit, if they lack a label or the description of a follow-up prompt. */
export function markOutdated(rows: RunbookRows): void {
  const { runbook, pullRequests } = rows;
  const labels = wantedLabels(rows);
  for (const row of pullRequests)
    if (isLive(row) && labels.some((label) => !hasLabel(row.labels, label))) row.isStale = true;
  const lowest = pullRequests.find(isLive);
  if (typeof runbook.descriptionIn === 'number' || lowest === undefined) return;
  runbook.descriptionIn = lowest.ordinal;
  lowest.isStale = true;
}

/**
 * Changes the base branch of a pull request after the pull request below it has merged, so that the host shows only the
 * pull request's own changes.
 */
export async function retargetPullRequest(ctx: Context, rows: RunbookRows, id: string): Promise<CallResult> {
  const { repository, runbook } = rows;
  const number = numberOf(pullRequestOf(rows, id));
  await hostClient(ctx, repository).setBaseBranch(number, runbook.targetBranch);
  await syncBase(ctx, toHostedRepository(repository), runbook.targetBranch);
  await syncPullRequest(ctx, toHostedRepository(repository), number);
  return {
    message: `Changed the base branch of #${number} to ${runbook.targetBranch}`,
    write: async (_tx, now) => {
      pullRequestOf(now, id).baseBranch = now.runbook.targetBranch;
    },
  };
}

export function numberOf({ number }: RunbookPullRequestRow): number {
  if (number === null || number === undefined) throw new DomainError('CONFLICT', 'The pull request is not open.');
  return number;
}

function authorOf({ runbook }: RunbookRows): string {
  const { authorHandle: handle, authorEmail: email, authorUserId: userId } = runbook;
  return handleOf({ handle: handle ?? null, email, userId: userId ?? null });
}

function titleOf({ runbook, steps, ...rows }: RunbookRows, row: RunbookPullRequestRow): string {
  if (runbook.prMode !== 'stacked_pr') return runbook.title;
  const [leaf] = leavesIn({ runbook, steps, ...rows }, row.id);
  return steps.find(({ id }) => id === leaf?.parentId)?.title ?? runbook.title;
}

function bodyOf(ctx: Context, rows: RunbookRows, row: RunbookPullRequestRow): string {
  const { runbook, pullRequests } = rows;
  const described = runbook.descriptionIn ?? pullRequests.find(isLive)?.ordinal;
  return pullRequestBody({
    runbookNumber: runbook.number,
    title: runbook.title,
    url: runbookUrl(ctx.publicUrl, runbook.number),
    description: row.ordinal === described ? (runbook.description ?? null) : null,
    leaves: leavesIn(rows, row.id).map(({ number, title, status, summary }) => ({
      number,
      title,
      status: status ?? 'not_started',
      summary: summary ?? null,
    })),
    below: belowOf(rows, row),
    agent: runbook.agent,
  });
}

function belowOf({ pullRequests }: RunbookRows, row: RunbookPullRequestRow): number[] {
  const below = pullRequests.find(({ branch, state }) => branch === row.baseBranch && state === 'open');
  return below?.number === undefined || below.number === null ? [] : [below.number];
}

/**
 * The labels that the runbook's pull requests must have now. Labels that queue a pull request are added only after the
 * last leaf. A leaf whose commit is pushed counts as done here.
 */
function wantedLabels({ runbook, repository, prompts, leaves, commits }: RunbookRows): readonly string[] {
  const { trigger, skipLine } = labelRulesOf(configurationOf(repository));
  const pushed = new Set(commits.filter(({ state }) => state === 'pushed').map(({ stepId }) => stepId));
  const isDone =
    prompts.every(({ plannedAt }) => plannedAt) &&
    leaves.every(({ id, status }) => status === 'completed' || (status === 'in_progress' && pushed.has(id)));
  return labelsNow(runbook.labels, { triggering: [trigger, skipLine], isDone });
}
