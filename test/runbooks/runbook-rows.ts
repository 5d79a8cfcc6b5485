// Writes a runbook as rows, as the worker would write them. For tests that read and request runbooks, not for tests
// that execute them.
import { sha } from '../graphql/seed.ts';
import type { TestServer } from '../support/server.ts';

/** The number and the status of a leaf, and the pull request of its commit; null for a commit without one. */
export type SeededLeaf = readonly [number: string, status: string, pullRequest?: number | null];

export interface SeededRunbook {
  readonly id: string;
  readonly number: number;
}

export interface RunbookSeed {
  readonly repositoryId: string;
  readonly accountId?: string;
  readonly leaves?: readonly SeededLeaf[];
  readonly more?: Readonly<Record<string, unknown>>;
}

type Rows = Pick<TestServer, 'rows' | 'accountId'>;

/** Inserts a runbook with one prompt. The prompt has a plan if the seed has leaves. */
export async function seedRunbook(s: Rows, seed: RunbookSeed): Promise<SeededRunbook> {
  const accountId = seed.accountId ?? s.accountId;
  const columns = {
    title: 'New colours',
    title_given: true,
    author_email: 'ada@acme.test',
    author_handle: 'ada',
    created_by: 'ada@acme.test',
    draft: false,
    pr_mode: 'single_pr',
    target_branch: 'main',
    queue_when_green: false,
    workflow_files: false,
    agent: 'script',
    budget_micros: 5_000_000,
    created_at: '2026-01-02T03:04:05Z',
    ...seed.more,
  };
  const names = Object.keys(columns);
  const [made] = await s.rows<SeededRunbook>(
    `with numbered as (update account set runbooks = runbooks + 1 where id = $1 returning runbooks)
     insert into runbook (account_id, repository_id, number, ${names.join(', ')})
     select $1, $2, runbooks, ${names.map((_, at) => `$${at + 3}`).join(', ')} from numbered returning id::text, number`,
    [accountId, seed.repositoryId, ...Object.values(columns)],
  );
  if (made === undefined) throw new Error('No runbook was made.');
  await s.rows(
    `insert into runbook_prompt (account_id, runbook_id, ordinal, text, author, created_at, planned_at)
     values ($1, $2, 1, 'Bring the colours up to date.', 'ada@acme.test', now(), case when $3 then now() end)`,
    [accountId, made.id, (seed.leaves?.length ?? 0) > 0],
  );
  await seedLeaves(s, { accountId, runbookId: made.id }, seed.leaves ?? []);
  return made;
}

async function seedLeaves(
  { rows }: Pick<Rows, 'rows'>,
  { accountId, runbookId }: { readonly accountId: string; readonly runbookId: string },
  leaves: readonly SeededLeaf[],
): Promise<void> {
  const steps = new Map<string, string>();
  const pullRequests = new Map<number, string>();
  let position = 0;
  const insert = async (
    step: Readonly<{ number: string; title: string; parent: string | null; status: string | null }>,
  ): Promise<string> => {
    position += 1;
    const [row] = await rows<{ id: string }>(
      `insert into runbook_step (account_id, runbook_id, parent_id, prompt_ordinal, number, position, title, status, started_at, ended_at)
       values ($1, $2, $3, 1, $4, $5, $6, $7, case when $7 in ('in_progress', 'completed') then now() end,
         case when $7 in ('completed', 'failed') then now() end) returning id::text`,
      [accountId, runbookId, step.parent, step.number, position, step.title, step.status],
    );
    return row?.id ?? '';
  };
  for (const [number, status, pullRequest = null] of leaves) {
    const top = number.split('.')[0] ?? number;
    const parent = steps.get(top) ?? (await insert({ number: top, title: `Step ${top}`, parent: null, status: null }));
    steps.set(top, parent);
    const leaf = await insert({ number, title: `Leaf ${number}`, parent, status });
    if (pullRequest === null) continue;
    const opened =
      pullRequests.get(pullRequest) ??
      (await seedPullRequest({ rows }, { accountId, runbookId, ordinal: pullRequests.size + 1, number: pullRequest }));
    pullRequests.set(pullRequest, opened);
    await rows(
      `insert into runbook_commit (account_id, runbook_id, step_id, pull_request_id, parent, commit, message, files, state, at)
       values ($1, $2, $3, $4, $5, $6, $7, 2, 'pushed', now())`,
      [accountId, runbookId, leaf, opened, sha('a'), sha(position), `Do ${number}`],
    );
  }
}

async function seedPullRequest(
  { rows }: Pick<Rows, 'rows'>,
  at: { readonly accountId: string; readonly runbookId: string; readonly ordinal: number; readonly number: number },
): Promise<string> {
  const [row] = await rows<{ id: string }>(
    `insert into runbook_pull_request (account_id, runbook_id, ordinal, branch, base_branch, base_commit, head_commit, state, number, url, opened_at)
     values ($1, $2, $3::integer, 'interlock/runbook-' || $3::integer, 'main', $4, $5, 'open', $6::integer, 'https://code.example/acme/web/pull/' || $6::integer, now())
     returning id::text`,
    [at.accountId, at.runbookId, at.ordinal, sha('a'), sha(at.ordinal), at.number],
  );
  return row?.id ?? '';
}
