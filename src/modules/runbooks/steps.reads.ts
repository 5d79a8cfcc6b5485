// Reads the plans, commits and pull requests of several runbooks with one statement each.
import DataLoader from 'dataloader';
import { runbookStatus } from '../../domain/runbooks/runbook.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { loadMany } from '../../graphql/loaders.ts';
import { requireScope } from '../accounts/index.ts';
import type { RunbookBranch, RunbookCommit, RunbookLeaf, RunbookPullRequest, RunbookStep } from './steps.types.ts';

interface StepRow extends Omit<RunbookLeaf, 'status' | 'commit'> {
  readonly promptOrdinal: number;
  readonly parentId: string | null;
  readonly status: RunbookLeaf['status'] | null;
  readonly commit: (Omit<RunbookCommit, 'at'> & { readonly at: string }) | null;
}

const commitColumns = `c.commit, c.parent, c.message, c.files, c.state, s.number as "stepNumber", p.branch, c.at`;

/** The steps of each runbook, in order, with their leaves. */
export function stepsOfRunbook(ctx: GraphQLContext): DataLoader<string, RunbookStep[]> {
  return new DataLoader(
    async (ids) => {
      requireScope(ctx, 'runbook:write');
      const rows = await ctx.db.read<StepRow>(ctx.accountId, {
        name: 'runbook_steps',
        text: `select s.id, s.runbook_id as "runbookId", s.parent_id as "parentId", s.prompt_ordinal as "promptOrdinal", s.number, s.title,
                 s.status, s.summary, s.error_message as error, s.attempts, s.base_commit as "baseCommit",
                 s.started_at as "startedAt", s.ended_at as "endedAt", to_jsonb(made) as commit
               from runbook_step s left join lateral (
                 select ${commitColumns} from runbook_commit c
                   join runbook_pull_request p on p.account_id = c.account_id and p.id = c.pull_request_id
                 where c.account_id = s.account_id and c.step_id = s.id and c.state <> 'void') made on true
               where s.account_id = $1 and s.runbook_id = any ($2::bigint[]) order by s.runbook_id, s.position`,
        values: [ctx.accountId, ids],
      });
      const steps = Map.groupBy(rows, ({ runbookId }) => runbookId);
      return ids.map((id) => toTree(steps.get(id) ?? []));
    },
    { cache: false },
  );
}

function toTree(rows: readonly StepRow[]): RunbookStep[] {
  const leavesOf = Map.groupBy(rows, ({ parentId }) => parentId);
  return (leavesOf.get(null) ?? []).map(({ id, number, title, promptOrdinal }) => {
    const leaves = (leavesOf.get(id) ?? []).flatMap(toLeaf);
    const status = runbookStatus(leaves.map((leaf) => leaf.status));
    return { number, title, promptOrdinal, status, leaves };
  });
}

function toLeaf({ status, commit, ...row }: StepRow): RunbookLeaf[] {
  return status === null ? [] : [{ ...row, status, commit: commit && { ...commit, at: new Date(commit.at) } }];
}

/** The commits of each runbook, oldest first. */
export function commitsOfRunbook(ctx: GraphQLContext): DataLoader<string, RunbookCommit[]> {
  return loadMany('runbookId', async (ids) => {
    requireScope(ctx, 'runbook:write');
    return await ctx.db.read<RunbookCommit & { readonly runbookId: string }>(ctx.accountId, {
      name: 'runbook_commits',
      text: `select c.runbook_id as "runbookId", ${commitColumns} from runbook_commit c
               join runbook_step s on s.account_id = c.account_id and s.id = c.step_id
               join runbook_pull_request p on p.account_id = c.account_id and p.id = c.pull_request_id
             where c.account_id = $1 and c.runbook_id = any ($2::bigint[]) and c.state <> 'void' order by c.id`,
      values: [ctx.accountId, ids],
    });
  });
}

interface PullRequestRow extends Omit<RunbookPullRequest, 'number' | 'url' | 'state'> {
  readonly runbookId: string;
  readonly number: number | null;
  readonly url: string | null;
  readonly state: RunbookPullRequest['state'] | 'planned';
}

/** The branches of each runbook, in the order of the stack. */
export function branchesOfRunbook(ctx: GraphQLContext): DataLoader<string, RunbookBranch[]> {
  return new DataLoader(
    async (ids) => {
      requireScope(ctx, 'runbook:write');
      const rows = await ctx.db.read<PullRequestRow>(ctx.accountId, {
        name: 'runbook_pull_requests',
        text: `select p.runbook_id as "runbookId", known.id as "pullRequestId", p.number, p.url, p.state, p.branch,
                 p.base_branch as "baseBranch", p.head_commit as "headCommit", p.queued_at as "queuedAt",
                 p.opened_at as "openedAt", p.ended_at as "endedAt", coalesce(made.numbers, '{}') as "stepNumbers"
               from runbook_pull_request p
               join runbook r on r.account_id = p.account_id and r.id = p.runbook_id
               left join pull_request known on known.account_id = p.account_id and known.repository_id = r.repository_id and known.number = p.number
               left join lateral (
                 select array_agg(s.number order by s.position) as numbers
                 from runbook_commit c join runbook_step s on s.account_id = c.account_id and s.id = c.step_id
                 where c.account_id = p.account_id and c.runbook_id = p.runbook_id and c.pull_request_id = p.id and c.state <> 'void'
               ) made on true
               where p.account_id = $1 and p.runbook_id = any ($2::bigint[]) order by p.runbook_id, p.ordinal`,
        values: [ctx.accountId, ids],
      });
      const branches = Map.groupBy(rows, ({ runbookId }) => runbookId);
      return ids.map((id) => (branches.get(id) ?? []).map(toBranch));
    },
    { cache: false },
  );
}

function toBranch(row: PullRequestRow): RunbookBranch {
  const { number, url, state, ...rest } = row;
  const isOpened = number !== null && state !== 'planned';
  return {
    name: row.branch,
    baseBranch: row.baseBranch,
    headCommit: row.headCommit,
    pullRequest: isOpened ? { ...rest, number, url: url ?? '', state } : null,
  };
}

/**
 * The pull requests of branches. If several branches have the same pull request, it appears once, with the leaves of
 * all these branches (interface 2.12).
 */
export function pullRequestsOf(branches: readonly RunbookBranch[]): RunbookPullRequest[] {
  const byNumber = Map.groupBy(
    branches.flatMap(({ pullRequest }) => pullRequest ?? []),
    ({ number }) => number,
  );
  return [...byNumber.values()].flatMap((same) => {
    const newest = same.at(-1);
    const stepNumbers = [...new Set(same.flatMap((each) => each.stepNumbers))];
    return newest ? [Object.assign({}, newest, { stepNumbers })] : [];
  });
}

export interface PullRequestPlace {
  readonly repositoryId: string;
  readonly number: number;
}

/** The id of the runbook that opened a pull request. Null: no runbook opened the pull request. */
export function runbookIdOfPullRequest(ctx: GraphQLContext): DataLoader<PullRequestPlace, string | null> {
  return new DataLoader(
    async (places) => {
      requireScope(ctx, 'runbook:write');
      const rows = await ctx.db.read<PullRequestPlace & { readonly runbookId: string }>(ctx.accountId, {
        name: 'runbooks_of_pull_requests',
        text: `select distinct on (r.repository_id, p.number) r.repository_id as "repositoryId", p.number, p.runbook_id as "runbookId"
               from unnest($2::bigint[], $3::integer[]) as asked (repository_id, number)
               join runbook_pull_request p on p.account_id = $1 and p.number = asked.number
               join runbook r on r.account_id = p.account_id and r.id = p.runbook_id and r.repository_id = asked.repository_id
               order by r.repository_id, p.number, p.id desc`,
        values: [ctx.accountId, places.map(({ repositoryId }) => repositoryId), places.map(({ number }) => number)],
      });
      const found = new Map(rows.map((row) => [keyOf(row), row.runbookId]));
      return places.map((place) => found.get(keyOf(place)) ?? null);
    },
    { cache: false },
  );
}

function keyOf({ repositoryId, number }: PullRequestPlace): string {
  return `${repositoryId}#${number}`;
}
