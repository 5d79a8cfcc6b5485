// The life of a batch between its plan and its verdict. The batch row is its own intent. While it is `making`, its
// commit is still to be composed; while it is `building` without a start, its checks are still to be requested. Every
// step may run twice and writes facts only where the batch still lives; zero rows mean it was superseded. A batch is no
// kind of src/platform/turns: its planner decides about it, and each step is one short activity without a lease.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { causes } from '../planning/open-work.ts';
import { cleanUp } from './batch.clean-up.ts';
import { makeBuild } from './batch.compose.ts';
import { openBuild, watchBuild } from './batch.open.ts';
import { takeStep } from './batch.refusals.ts';
import { loadBatch, loadBatchIn, needOfRow, type BatchNeed } from '../store/batch.rows.ts';
import { PullRequestEntity, type BatchRow, type BatchRowState } from '../store/queue.entities.ts';

/** The progress of a batch, for its workflow and for people who read the workflow. */
export interface BatchProgress {
  readonly need: BatchNeed;
  readonly state: BatchRowState;
  readonly repository: string;
  readonly baseBranch: string;
  readonly summary: string;
  /** Markdown. */
  readonly details: string;
}

/** Takes the one step that the batch needs now, and returns what it needs next. */
export async function driveBatch(ctx: Context, batchId: string): Promise<BatchProgress> {
  const loaded = await loadBatch(ctx, batchId);
  const need = needOfRow(loaded.batch);
  if (need === 'make') await takeStep(ctx, loaded, async () => await makeBuild(ctx, loaded));
  if (need === 'open') await takeStep(ctx, loaded, async () => await openBuild(ctx, loaded));
  if (need === 'wait') await watchBuild(ctx, loaded);
  if (need === 'clean_up') await cleanUp(ctx, loaded);
  return await describeBatch(ctx, batchId);
}

async function describeBatch(ctx: Context, batchId: string): Promise<BatchProgress> {
  const facts = await ctx.db.transaction(ctx.accountId, async (tx) => await readFacts(ctx, tx, batchId));
  const { batch, repository, baseBranch, named } = facts;
  const outcome = outcomeOf(facts);
  return {
    need: needOfRow(batch),
    state: batch.state,
    repository: `${repository.owner}/${repository.name}`,
    baseBranch,
    summary: `${named}: ${batch.state}${outcome === '' ? '' : `, ${outcome}`}`,
    details: linesOf(facts, outcome).join('\n'),
  };
}

/** The facts about a batch that people read. */
interface BatchFacts {
  readonly batch: BatchRow;
  readonly repository: RepositoryRow;
  readonly baseBranch: string;
  /** Numbers of its members, and of the pull requests that it assumes to land first. */
  readonly named: string;
  readonly assumed: string;
  readonly checks: readonly {
    readonly name: string;
    readonly attempt: number;
    readonly conclusion: string;
    readonly context: string | null;
  }[];
  readonly gates: readonly { readonly workflow: string; readonly state: string; readonly reason: string | null }[];
  readonly grade: string | null;
}

async function readFacts(ctx: Context, tx: Transaction, batchId: string): Promise<BatchFacts> {
  const { batch, repository, baseBranch, assumed, members } = await loadBatchIn(tx, batchId);
  const ids = [...assumed, ...members].map((row) => row.pullRequestId);
  const rows = await tx.em.find(PullRequestEntity, { id: { $in: ids } });
  const numbers = new Map(rows.map((row) => [row.id, row.number]));
  const checks = await tx.query<BatchFacts['checks'][number]>(
    `select c.name, c.attempt, c.conclusion, r.context from check_result c
     left join check_retry r on r.account_id = c.account_id and r.repository_id = c.repository_id and r.commit = c.commit
       and r.name = c.name and r.attempt = c.attempt - 1
     where c.account_id = $1 and c.repository_id = $2 and c.commit = $3 order by c.name, c.attempt`,
    [ctx.accountId, batch.repositoryId, batch.testedCommit ?? ''],
  );
  const [landing] = await tx.query<{ grade: string }>(
    'select grade from landing where account_id = $1 and batch_id = $2',
    [ctx.accountId, batch.id],
  );
  const gates = await tx.query<BatchFacts['gates'][number]>(
    'select workflow, state, reason from gate_run where account_id = $1 and batch_id = $2 order by id',
    [ctx.accountId, batch.id],
  );
  const nameAll = (of: readonly { readonly pullRequestId: string }[]): string =>
    of.map(({ pullRequestId }) => `#${numbers.get(pullRequestId) ?? '?'}`).join(', ');
  return {
    batch,
    repository,
    baseBranch,
    named: nameAll(members),
    assumed: nameAll(assumed),
    checks,
    gates,
    grade: landing?.grade ?? null,
  };
}

/** Empty if there is none yet. */
function outcomeOf({ batch, checks, grade }: BatchFacts): string {
  if (grade !== null) return `tree verified: ${grade}`;
  const failed = checks.filter(
    ({ name, attempt, conclusion }) =>
      !['success', 'skipped', 'neutral', 'pending'].includes(conclusion) &&
      !checks.some((other) => other.name === name && other.attempt > attempt),
  );
  const failure = failed.length === 0 ? '' : `failed: ${failed.map((check) => check.name).join(', ')}`;
  return batch.endedReason ?? failure;
}

function linesOf({ batch, repository, baseBranch, ...facts }: BatchFacts, outcome: string): string[] {
  return [
    `**${facts.named}** → \`${baseBranch}\` of ${repository.owner}/${repository.name}: **${batch.state}** ${outcome}`,
    `- why it exists: ${causes[batch.cause] ?? batch.cause}`,
    `- parent \`${batch.preBatchCommit ?? batch.parentCommit}\``,
    ...(facts.assumed === '' ? [] : [`- assumed to land first: ${facts.assumed}`]),
    ...(batch.restsOn.length === 0 ? [] : [`- rests on the builds of ${batch.restsOn.join(', ')}`]),
    `- commit \`${batch.commit ?? 'not made yet'}\`, tree \`${batch.tree ?? '-'}\``,
    ...facts.checks.map(
      (check) =>
        `- check ${check.name} (attempt ${check.attempt}): ${check.conclusion}${check.context ? `. Tried again: ${check.context}` : ''}`,
    ),
    ...facts.gates.map(
      (gate) => `- final gate ${gate.workflow}: ${gate.state}${gate.reason === null ? '' : `, ${gate.reason}`}`,
    ),
  ];
}
