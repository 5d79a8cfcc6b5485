// Takes a batch from its plan to its verdict. The state of a batch says what must be done. While its state is `making`,
// its commit must be composed. While its state is `building` and it has not started, its checks must be started. Every
// step may run twice, and writes facts only if the batch is still live. If an update changes no row, the batch was
// superseded. A batch does not use src/platform/turns, because the planner decides about it and each step is a short
// activity without a lease.
import type { Context } from '../../../context.ts';
import { HostRefused } from '../../../hosts/port.ts';
import { withTraceOfBatch } from '../facts/traces.ts';
import { causes } from '../planning/open-work.ts';
import { cleanUp } from './batch.clean-up.ts';
import { makeBuild } from './batch.compose.ts';
import { openBuild, watchBuild } from './batch.open.ts';
import { takeStep } from './batch.refusals.ts';
import { loadBatch, nextStepOf, nextStepOfRow, type NextBatchStep, type BatchStepFacts } from '../store/batch.rows.ts';
import type { BatchRow, BatchRowState } from '../store/queue.entities.ts';

/** The progress of a batch, for its workflow and for Temporal's UI. */
export interface BatchProgress {
  readonly need: NextBatchStep;
  readonly state: BatchRowState;
  readonly repository: string;
  readonly baseBranch: string;
  readonly summary: string;
  /** Markdown. */
  readonly details: string;
}

/** Takes the step that the batch needs now. Returns what the batch needs next. */
export async function driveBatch(ctx: Context, batchId: string): Promise<BatchProgress> {
  const loaded = await loadBatch(ctx, batchId);
  const need = nextStepOfRow(loaded.batch);
  const traced = async (name: string, work: () => Promise<void>): Promise<void> =>
    await withTraceOfBatch(ctx, { name, batchId }, async () => await takeStep(ctx, loaded, { take: work }));
  if (need === 'make') await traced('compose build', async () => await makeBuild(ctx, loaded));
  if (need === 'open') await traced('open build', async () => await openBuild(ctx, loaded));
  // A batch that waits for checks may wait through an outage of the host. Only a refusal would last.
  if (need === 'wait')
    await takeStep(ctx, loaded, {
      take: async () => await watchBuild(ctx, loaded),
      counts: (error) => error instanceof HostRefused,
    });
  if (need === 'clean_up') await cleanUp(ctx, loaded);
  return await describeBatch(ctx, batchId);
}

async function describeBatch(ctx: Context, batchId: string): Promise<BatchProgress> {
  const facts = await readFacts(ctx, batchId);
  const outcome = outcomeOf(facts);
  const membersText = numbersText(facts.members);
  return {
    need: nextStepOf(facts),
    state: facts.state,
    repository: `${facts.owner}/${facts.name}`,
    baseBranch: facts.baseBranch,
    summary: `${membersText}: ${facts.state}${outcome === '' ? '' : `, ${outcome}`}`,
    details: linesOf(facts, outcome).join('\n'),
  };
}

/** The facts from which the next step follows, and the facts that Temporal's UI shows. */
interface BatchFacts extends BatchStepFacts {
  readonly cause: BatchRow['cause'];
  readonly parent: string;
  readonly restsOn: readonly string[];
  readonly commit: string | null;
  readonly tree: string | null;
  readonly endedReason: string | null;
  readonly owner: string;
  readonly name: string;
  readonly baseBranch: string;
  /** Numbers of the members, and of the pull requests that the batch assumes to land first. */
  readonly members: readonly number[];
  readonly assumed: readonly number[];
  readonly checks: readonly {
    readonly name: string;
    readonly attempt: number;
    readonly conclusion: string;
    readonly context: string | null;
  }[];
  readonly gates: readonly { readonly workflow: string; readonly state: string; readonly reason: string | null }[];
  readonly grade: string | null;
}

async function readFacts(ctx: Context, batchId: string): Promise<BatchFacts> {
  const [facts] = await ctx.db.read<BatchFacts>(ctx.accountId, {
    name: 'batch_described',
    text: `select b.state, b.build_started_at is not null as "hasStarted", b.cleaned_up_at is not null as "isCleanedUp", b.given_up as "isGivenUp",
             b.cause, coalesce(b.pre_batch_commit, b.parent_commit) as parent, b.rests_on as "restsOn", b.commit, b.tree, b.ended_reason as "endedReason",
             r.owner, r.name, q.base_branch as "baseBranch",
             array(select p.number from batch_member m join pull_request p on p.account_id = $1 and p.id = m.pull_request_id
                   where m.account_id = $1 and m.batch_id = $2 order by m.ordinal) as members,
             array(select p.number from batch_assumption a join pull_request p on p.account_id = $1 and p.id = a.pull_request_id
                   where a.account_id = $1 and a.batch_id = $2 order by a.ordinal) as assumed,
             array(select jsonb_build_object('name', c.name, 'attempt', c.attempt, 'conclusion', c.conclusion, 'context', t.context)
                   from check_result c
                   left join check_retry t on t.account_id = c.account_id and t.repository_id = c.repository_id and t.commit = c.commit
                     and t.name = c.name and t.attempt = c.attempt - 1
                   where c.account_id = $1 and c.repository_id = b.repository_id and c.commit = b.tested_commit order by c.name, c.attempt) as checks,
             array(select jsonb_build_object('workflow', g.workflow, 'state', g.state, 'reason', g.reason) from gate_run g
                   where g.account_id = $1 and g.batch_id = $2 order by g.id) as gates,
             (select grade from landing where account_id = $1 and batch_id = $2) as grade
           from batch b join queue q on q.account_id = $1 and q.id = b.queue_id join repository r on r.account_id = $1 and r.id = b.repository_id
           where b.account_id = $1 and b.id = $2`,
    values: [ctx.accountId, batchId],
  });
  if (facts === undefined) throw new Error(`There is no batch ${batchId}.`);
  return facts;
}

function numbersText(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(', ');
}

/** The outcome of the batch as text. Empty if there is no outcome yet. */
function outcomeOf({ checks, grade, endedReason }: BatchFacts): string {
  if (grade !== null) return `tree verified: ${grade}`;
  const failed = checks.filter(
    ({ name, attempt, conclusion }) =>
      !['success', 'skipped', 'neutral', 'pending'].includes(conclusion) &&
      !checks.some((other) => other.name === name && other.attempt > attempt),
  );
  const failure = failed.length === 0 ? '' : `red: ${failed.map((check) => check.name).join(', ')}`;
  return endedReason ?? failure;
}

function linesOf(facts: BatchFacts, outcome: string): string[] {
  const assumed = numbersText(facts.assumed);
  return [
    `**${numbersText(facts.members)}** → \`${facts.baseBranch}\` of ${facts.owner}/${facts.name}: **${facts.state}** ${outcome}`,
    `- why it exists: ${causes[facts.cause] ?? facts.cause}`,
    `- parent \`${facts.parent}\``,
    ...(assumed === '' ? [] : [`- assumed to land first: ${assumed}`]),
    ...(facts.restsOn.length === 0 ? [] : [`- rests on the builds of ${facts.restsOn.join(', ')}`]),
    `- commit \`${facts.commit ?? 'not made yet'}\`, tree \`${facts.tree ?? '-'}\``,
    ...facts.checks.map(
      (check) =>
        `- check ${check.name} (attempt ${check.attempt}): ${check.conclusion}${check.context ? `. Retried: ${check.context}` : ''}`,
    ),
    ...facts.gates.map(
      (gate) => `- final gate ${gate.workflow}: ${gate.state}${gate.reason === null ? '' : `, ${gate.reason}`}`,
    ),
  ];
}
