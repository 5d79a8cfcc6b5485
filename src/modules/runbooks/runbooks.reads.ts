// Reads runbooks for GraphQL. The row of a runbook has its status and the counts of its leaves, which a write of a leaf
// updates.
import DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import { notFound } from '../../domain/errors.ts';
import { runbookStatuses, type RunbookStatus } from '../../domain/runbooks/runbook.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { loadMany, loadOne } from '../../graphql/loaders.ts';
import type { Statement } from '../../platform/database.ts';
import { requireScope } from '../accounts/index.ts';
import { maySeeInside, readRepositoriesById, requireAtHostOf } from '../repositories/index.ts';
import type { Repository } from '../repositories/repositories.types.ts';
import type { Runbook, RunbookPrompt } from './runbooks.types.ts';

interface Row extends Omit<Runbook, 'url' | 'stepCounts' | 'cost'> {
  readonly notStarted: number;
  readonly queued: number;
  readonly inProgress: number;
  readonly completed: number;
  readonly failed: number;
  readonly budgetMicros: number;
  readonly spentMicros: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const columns = `r.id, r.repository_id as "repositoryId", r.number, r.title, r.status, r.agent, r.author_email as "authorEmail",
  r.author_handle as "authorHandle", r.created_by as "createdBy", r.draft, r.pr_mode as "prMode", r.target_branch as "targetBranch",
  r.description, r.labels, r.queue_when_green as "queueWhenGreen", r.workflow_files as "workflowFiles", r.problem,
  case when r.problem is not null then r.call_at end as "nextTryAt", r.failing_since as "failingSince",
  r.cancel_requested_at as "cancelRequestedAt", r.publish_requested_at as "publishRequestedAt", r.created_at as "createdAt",
  r.not_started as "notStarted", r.queued, r.in_progress as "inProgress", r.completed, r.failed,
  r.budget_micros::float8 as "budgetMicros", r.spent_micros::float8 as "spentMicros",
  r.input_tokens::float8 as "inputTokens", r.output_tokens::float8 as "outputTokens"`;

/**
 * Null: the account has no runbook with this number, or the runbook's repository is at GitHub and GitHub hides it from
 * the caller.
 */
export async function readRunbook(ctx: Context, number: number): Promise<Runbook | null> {
  requireScope(ctx, 'runbook:write');
  const [row] = await ctx.db.read<Row>(ctx.accountId, {
    name: 'runbook_by_number',
    text: `select ${columns} from runbook r where r.account_id = $1 and r.number = $2::bigint`,
    values: [ctx.accountId, number],
  });
  return row && (await maySeeInside(ctx, row.repositoryId)) ? toRunbook(ctx, row) : null;
}

/** Throws NOT_FOUND. */
export async function loadRunbook(ctx: Context, number: number): Promise<Runbook> {
  const runbook = await readRunbook(ctx, number);
  if (runbook === null) throw notFound('Runbook');
  return runbook;
}

/**
 * For a caller of GitHub: throws NOT_FOUND if the caller sees no such runbook, and FORBIDDEN if the caller may not
 * write to the runbook's repository.
 */
export async function requireWriter(ctx: Context, number: number): Promise<void> {
  requireScope(ctx, 'runbook:write');
  if (ctx.actor.personAtGitHub === null) return;
  const { repositoryId } = await loadRunbook(ctx, number);
  await requireAtHostOf(ctx, repositoryId, 'runbook:write');
}

export interface RunbookPage {
  readonly size: number;
  readonly before: string;
  /** Null: runbooks of every status. */
  readonly statuses: readonly RunbookStatus[] | null;
}

/** Returns the newest runbooks first. Reads one more than the page holds, which shows whether there is a next page. */
export async function readRunbooks(ctx: Context, repositoryId: string, page: RunbookPage): Promise<Runbook[]> {
  requireScope(ctx, 'runbook:write');
  const statuses = page.statuses && runbookStatuses.filter((status) => page.statuses?.includes(status));
  if (statuses?.length === 0) return [];
  const rows = await ctx.db.read<Row>(ctx.accountId, pageOf(ctx, repositoryId, { ...page, statuses }));
  return rows.map((row) => toRunbook(ctx, row));
}

// The statement reads the newest rows of each requested status by an index, so that rare statuses need no scan. The
// statuses are literals in the text of the statement, because only then the planner of PostgreSQL knows how rare they
// are. There are at most 63 such texts.
function pageOf(ctx: Context, repositoryId: string, { statuses, before, size }: RunbookPage): Statement {
  const values = [ctx.accountId, repositoryId, before, size];
  if (statuses === null) {
    return {
      name: 'runbooks',
      text: `select ${columns} from runbook r
             where r.account_id = $1 and r.repository_id = $2 and r.id < $3::bigint order by r.id desc limit $4::bigint + 1`,
      values,
    };
  }
  const newest = statuses.map(
    (status) => `(select o.id from runbook o
       where o.account_id = $1 and o.repository_id = $2 and o.status = '${status}' and o.id < $3::bigint
       order by o.id desc limit $4::bigint + 1)`,
  );
  return {
    // Names of prepared statements have at most 63 characters.
    name: `runbooks_by_status_${statuses.map((status) => runbookStatuses.indexOf(status)).join('')}`,
    text: `select ${columns} from (
             select id from (${newest.join(' union all ')}) newest order by id desc limit $4::bigint + 1) found
           join runbook r on r.account_id = $1 and r.id = found.id
           order by r.id desc`,
    values,
  };
}

export interface RunbookSearch {
  readonly repositoryIds: readonly string[];
  /** Patterns of `ilike`, which must all match. */
  readonly patterns: readonly string[];
  /** The runbook with this number comes first, and is found even if it is old. Null: the search text is no number. */
  readonly number: number | null;
  readonly first: number;
  /** The number of newest runbooks that are searched in each repository. */
  readonly each: number;
}

export async function searchRunbooks(ctx: Context, search: RunbookSearch): Promise<Runbook[]> {
  requireScope(ctx, 'runbook:write');
  const rows = await ctx.db.read<Row>(ctx.accountId, {
    name: 'search_runbooks',
    text: `with candidate as materialized (
             select c.id from unnest($2::bigint[]) asked (id), lateral (
               select n.id from runbook n where n.account_id = $1 and n.repository_id = asked.id order by n.id desc limit $6) c
             union
             select n.id from runbook n where n.account_id = $1 and n.number = $4::bigint and n.repository_id = any ($2::bigint[]))
           select ${columns} from runbook r
           where r.account_id = $1 and r.id in (select id from candidate)
             and concat_ws(' ', '#' || r.number, r.title) ilike all ($3::text[])
           order by (r.number = $4::bigint) desc nulls last, r.id desc limit $5::integer`,
    values: [ctx.accountId, search.repositoryIds, search.patterns, search.number, search.first, search.each],
  });
  return rows.map((row) => toRunbook(ctx, row));
}

export async function countRunbooks(
  ctx: Context,
  repositoryId: string,
  statuses: readonly RunbookStatus[] | null,
): Promise<number> {
  requireScope(ctx, 'runbook:write');
  const [row] = await ctx.db.read<{ count: number }>(ctx.accountId, {
    name: 'runbooks_count',
    text: `select count(*)::integer as count from runbook
           where account_id = $1 and repository_id = $2 and status = any ($3::text[])`,
    values: [ctx.accountId, repositoryId, statuses ?? runbookStatuses],
  });
  return row?.count ?? 0;
}

export function runbookById(ctx: GraphQLContext): DataLoader<string, Runbook | null> {
  return loadOne('id', async (ids) => {
    requireScope(ctx, 'runbook:write');
    const rows = await ctx.db.read<Row>(ctx.accountId, {
      name: 'runbooks_by_id',
      text: `select ${columns} from runbook r where r.account_id = $1 and r.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
    return rows.map((row) => toRunbook(ctx, row));
  });
}

/** The prompts of each runbook, in their order. */
export function promptsOfRunbook(ctx: GraphQLContext): DataLoader<string, RunbookPrompt[]> {
  return loadMany('runbookId', async (ids) => {
    requireScope(ctx, 'runbook:write');
    return await ctx.db.read<RunbookPrompt & { readonly runbookId: string }>(ctx.accountId, {
      name: 'runbook_prompts',
      text: `select runbook_id as "runbookId", ordinal, text, author, created_at as "createdAt", planned_at as "plannedAt"
             from runbook_prompt where account_id = $1 and runbook_id = any ($2::bigint[]) order by runbook_id, ordinal`,
      values: [ctx.accountId, ids],
    });
  });
}

/** The number of the agent's turns in each runbook. */
export function turnsOfRunbook(ctx: GraphQLContext): DataLoader<string, number> {
  return new DataLoader(
    async (ids) => {
      requireScope(ctx, 'runbook:write');
      const rows = await ctx.db.read<{ runbookId: string; turns: number }>(ctx.accountId, {
        name: 'runbook_turns',
        text: `select runbook_id as "runbookId", count(*)::integer as turns from runbook_turn
               where account_id = $1 and runbook_id = any ($2::bigint[]) group by runbook_id`,
        values: [ctx.accountId, ids],
      });
      const turns = new Map(rows.map((row) => [row.runbookId, row.turns]));
      return ids.map((id) => turns.get(id) ?? 0);
    },
    { cache: false },
  );
}

/** Repositories by their ids. A runbook's repository always exists. */
export function repositoryOfRunbook(ctx: GraphQLContext): DataLoader<string, Repository> {
  return new DataLoader(
    async (ids) => {
      const found = new Map((await readRepositoriesById(ctx, ids)).map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? new Error(`The repository ${id} is gone.`));
    },
    { cache: false },
  );
}

function toRunbook({ publicUrl }: Context, row: Row): Runbook {
  const { notStarted, queued, inProgress, completed, failed, ...rest } = row;
  const { budgetMicros, spentMicros, inputTokens, outputTokens, ...runbook } = rest;
  const total = notStarted + queued + inProgress + completed + failed;
  return {
    ...runbook,
    url: runbookUrl(publicUrl, row.number),
    stepCounts: { total, notStarted, inProgress, completed, failed, queued },
    cost: { budgetMicros, spentMicros, inputTokens, outputTokens, runbookId: row.id },
  };
}

export function runbookUrl(publicUrl: string, number: number): string {
  return `${publicUrl}/runbooks/${number}`;
}
