// Creates runbooks, and adds follow-up prompts (interface 4.9).
import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import {
  requireBudget,
  requireDescription,
  requirePrompt,
  requireTitle,
  isBudgetSpent,
  mergeLabels,
  maxPrompts,
  provisionalTitle,
} from '../../domain/runbooks/request.ts';
import type { PrMode } from '../../domain/runbooks/runbook.ts';
import type { Transaction } from '../../platform/database.ts';
import { findUserByEmail, recordUserAction, requireAction, requireScope } from '../accounts/index.ts';
import {
  loadRepository,
  readRepositoriesById,
  requireActive,
  lockRepositoryForShare,
  requireAtHostOf,
  type RepositoryName,
} from '../repositories/index.ts';
import { findRunbookDefaults } from './defaults.reads.ts';
import { actorOf, requireBranch, requireRightToLabel, requireRightToQueue } from './runbooks.preconditions.ts';
import { RunbookEntity, RunbookPromptEntity, type RunbookRow } from './runbooks.entities.ts';
import { announceRunbook } from './runbooks.events.ts';
import { changeRunbook } from './runbooks.locks.ts';
import { loadRunbook } from './runbooks.reads.ts';
import { wakeRunbook } from './runbooks.wake.ts';
import { passOverFailed, withStatusEvent } from './steps.writer.ts';

export interface CreateRunbookRequest {
  readonly repository: RepositoryName;
  readonly prompt: string;
  readonly title?: string | null | undefined;
  readonly draft?: boolean | null | undefined;
  readonly prMode?: PrMode | null | undefined;
  readonly targetBranch?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
  readonly authorEmail?: string | null | undefined;
  readonly queueWhenGreen?: boolean | null | undefined;
  /** Millionths of a US dollar, at most the budget in the repository's defaults. */
  readonly budgetMicros?: number | null | undefined;
}

interface Author {
  readonly userId: string | null;
  readonly email: string;
  readonly handle: string | null;
}

/** Creates a runbook, and wakes its workflow. Returns the number of the runbook. */
export async function createRunbook(ctx: Context, request: CreateRunbookRequest): Promise<number> {
  const { prompt, repositoryId, row } = await checkRequest(ctx, request);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    requireActive(await lockRepositoryForShare(tx, repositoryId));
    const number = await nextNumber(ctx, tx);
    const runbook = tx.em.create(RunbookEntity, { ...row, number, createdAt: ctx.clock() });
    await tx.em.flush();
    await addPrompt(ctx, tx, { runbook, prompt, ordinal: 1 });
    const { title, prMode, targetBranch, agent, authorEmail: author } = runbook;
    await announceRunbook(ctx, tx, {
      runbook,
      action: 'runbook_created',
      more: { title, prMode, targetBranch, agent, author },
    });
    await recordUserAction(ctx, tx, { action: 'runbook_created', target: String(runbook.number) });
    return runbook.number;
  });
}

/**
 * Returns the columns of the new runbook. Throws if the caller may not create the runbook, or if the request is wrong.
 */
async function checkRequest(ctx: Context, request: CreateRunbookRequest) {
  requireAction(ctx, 'start_runbook');
  const prompt = requirePrompt(request.prompt);
  const title = requireTitle(request.title);
  const description = requireDescription(request.description);
  const labels = mergeLabels([], request.labels);
  const repository = await loadRepository(ctx, request.repository, 'runbook:write');
  requireActive(repository);
  await requireRightToLabel(ctx, repository, labels);
  const defaults = await findRunbookDefaults(ctx, repository.id);
  const queueWhenGreen = request.queueWhenGreen ?? defaults.queueWhenGreen;
  requireRightToQueue(ctx, { queueWhenGreen });
  const budgetMicros = requireBudget(request.budgetMicros ?? defaults.budgetMicros, defaults.budgetMicros);
  const author = await findAuthor(ctx, request.authorEmail);
  const targetBranch = request.targetBranch ?? defaults.targetBranch ?? repository.defaultBranch;
  await requireBranch(ctx, repository, targetBranch);
  const row = {
    accountId: ctx.accountId,
    repositoryId: repository.id,
    title: title ?? provisionalTitle(prompt),
    titleGiven: title !== null,
    authorUserId: author.userId,
    authorEmail: author.email,
    authorHandle: author.handle,
    createdBy: actorOf(ctx),
    draft: request.draft ?? defaults.draft,
    prMode: request.prMode ?? defaults.prMode,
    targetBranch,
    description,
    labels,
    queueWhenGreen,
    workflowFiles: defaults.workflowFiles,
    agent: ctx.runbookAgent,
    budgetMicros,
  };
  return { prompt, repositoryId: repository.id, row };
}

export interface ContinueRunbookRequest {
  readonly number: number;
  readonly prompt: string;
  /** Left out or null: the stored description stays. Blank: the description is removed. */
  readonly description?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
}

/** Adds a prompt. The runbook may be in any state, because prompts are consumed in order. */
export async function continueRunbook(ctx: Context, request: ContinueRunbookRequest): Promise<void> {
  requireScope(ctx, 'runbook:write');
  const prompt = requirePrompt(request.prompt);
  const description = requireDescription(request.description);
  const labels = mergeLabels([], request.labels);
  const known = await loadRunbook(ctx, request.number);
  await requireAtHostOf(ctx, known.repositoryId, 'runbook:write');
  requireRightToQueue(ctx, known);
  for (const repository of await readRepositoriesById(ctx, [known.repositoryId])) {
    requireActive(repository);
    await requireRightToLabel(ctx, repository, [...known.labels, ...labels]);
  }
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const runbook = await changeRunbook(ctx, tx, request.number);
    if (isBudgetSpent(runbook)) throw budgetSpent(runbook);
    const prompts = await tx.em.count(RunbookPromptEntity, { accountId: ctx.accountId, runbookId: runbook.id });
    if (prompts >= maxPrompts) {
      const message = `Runbook ${runbook.number} already has ${maxPrompts} prompts: create another runbook`;
      throw new DomainError('CONFLICT', message, 'input.prompt');
    }
    runbook.labels = mergeLabels(runbook.labels, request.labels);
    if (typeof request.description === 'string') Object.assign(runbook, { description, descriptionIn: null });
    // A new prompt ends a cancellation and the back-off of a failed call.
    Object.assign(runbook, { cancelRequestedAt: null, callAt: null, calls: 0, problem: null, failingSince: null });
    await withStatusEvent(ctx, tx, { runbook, work: async () => await passOverFailed(ctx, tx, runbook) });
    await addPrompt(ctx, tx, { runbook, prompt, ordinal: prompts + 1 });
    await announceRunbook(ctx, tx, { runbook, action: 'runbook_prompted', more: { ordinal: prompts + 1 } });
    await recordUserAction(ctx, tx, { action: 'runbook_prompted', target: String(runbook.number) });
  });
}

export function budgetSpent({ number }: Pick<RunbookRow, 'number'>): DomainError {
  return new DomainError(
    'RUNBOOK_BUDGET_SPENT',
    `The budget of runbook ${number} is spent: raise it with retryRunbook, or create another runbook`,
  );
}

async function addPrompt(
  ctx: Context,
  tx: Transaction,
  { runbook, prompt, ordinal }: { readonly runbook: RunbookRow; readonly prompt: string; readonly ordinal: number },
): Promise<void> {
  tx.em.create(RunbookPromptEntity, {
    accountId: ctx.accountId,
    runbookId: runbook.id,
    ordinal,
    text: prompt,
    author: actorOf(ctx),
    createdAt: ctx.clock(),
  });
  wakeRunbook(ctx, tx, runbook);
  await tx.em.flush();
}

/** Updates the account's row, so that concurrent requests get different numbers, and no number is left out. */
async function nextNumber(ctx: Context, tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ number: number }>(
    'update account set runbooks = runbooks + 1 where id = $1 returning runbooks as number',
    [ctx.accountId],
  );
  if (row === undefined) throw new Error(`The account ${ctx.accountId} is gone.`);
  return row.number;
}

async function findAuthor(ctx: Context, email: string | null | undefined): Promise<Author> {
  if (email === null || email === undefined)
    return { userId: ctx.actor.userId, email: actorOf(ctx), handle: ctx.actor.handle };
  const user = await findUserByEmail(ctx, email);
  if (user === null) {
    throw new DomainError(
      'BAD_INPUT',
      'author_email must be the email address of a user of this account: add that user, or leave it out to be the author yourself',
      'input.authorEmail',
    );
  }
  return { userId: user.id, email: user.email, handle: user.handle };
}
