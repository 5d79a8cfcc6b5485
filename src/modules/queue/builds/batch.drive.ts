// The life of a batch between its plan and its verdict. The batch row is its own intent: while it is `making` its
// commit is still to be composed, while it is `building` without a start its checks are still to be asked for. Every
// step may run twice and writes facts only where the batch still lives; zero rows mean it was superseded.
import type { Context } from '../../../context.ts';
import { causes } from '../planning/advance.descriptions.ts';
import { cleanUp } from './batch.clean-up.ts';
import { makeBuild } from './batch.compose.ts';
import { openBuild, watchBuild } from './batch.open.ts';
import { takeStep } from './batch.refusals.ts';
import { loadBatch, loadBatchIn, needOfRow, type BatchNeed } from '../store/batch.rows.ts';
import { PullRequestEntity, type BatchRowState } from '../store/queue.entities.ts';

/** Where a batch stands, for its workflow and for people who read it there. */
export interface BatchProgress {
  readonly need: BatchNeed;
  readonly state: BatchRowState;
  readonly repository: string;
  readonly baseBranch: string;
  readonly summary: string;
  /** Markdown. */
  readonly details: string;
}

/** Takes the one step the batch needs and answers what it needs then. */
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
  const { batch, repository, baseBranch, ...facts } = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const { assumed, members, ...loaded } = await loadBatchIn(tx, batchId);
    const { batch } = loaded;
    const ids = [...assumed, ...members].map((row) => row.pullRequestId);
    const rows = await tx.em.find(PullRequestEntity, { id: { $in: ids } });
    const numbers = new Map(rows.map((row) => [row.id, row.number]));
    const checks = await tx.query<{ name: string; attempt: number; conclusion: string; context: string | null }>(
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
    const gates = await tx.query<{ workflow: string; state: string; reason: string | null }>(
      'select workflow, state, reason from gate_run where account_id = $1 and batch_id = $2 order by id',
      [ctx.accountId, batch.id],
    );
    return {
      ...loaded,
      gates,
      named: members.map((member) => `#${numbers.get(member.pullRequestId) ?? '?'}`).join(', '),
      assumed: assumed.map((row) => `#${numbers.get(row.pullRequestId) ?? '?'}`).join(', '),
      checks,
      grade: landing?.grade ?? null,
    };
  });
  const failed = facts.checks.filter(
    ({ name, attempt, conclusion }) =>
      !['success', 'skipped', 'neutral', 'pending'].includes(conclusion) &&
      !facts.checks.some((other) => other.name === name && other.attempt > attempt),
  );
  const failure = failed.length === 0 ? '' : `failed: ${failed.map((check) => check.name).join(', ')}`;
  const outcome = facts.grade === null ? (batch.endedReason ?? failure) : `tree verified: ${facts.grade}`;
  const lines = [
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
  return {
    need: needOfRow(batch),
    state: batch.state,
    repository: `${repository.owner}/${repository.name}`,
    baseBranch,
    summary: `${facts.named}: ${batch.state}${outcome === '' ? '' : `, ${outcome}`}`,
    details: lines.join('\n'),
  };
}
