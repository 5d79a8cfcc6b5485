// Lets the agent plan steps for a prompt, and appends the steps to the plan. Earlier steps keep their numbers.
import type { Context } from '../../../context.ts';
import { asTitle, maxPlannedLeaves, numberSteps } from '../../../domain/runbooks/steps.ts';
import { AgentRefused, type Plan } from '../../../platform/agents/port.ts';
import { toStorableText } from '../../../platform/storable-text.ts';
import { withRunFolders } from '../../../platform/sandbox/index.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RunbookStepEntity, type RunbookPromptRow } from '../runbooks.entities.ts';
import { announceRunbook } from '../runbooks.events.ts';
import { endOfPlan, failPlanning } from '../steps.writer.ts';
import type { WorkResult, Work } from './work.ts';
import type { SupervisedAgent } from './agent-session.ts';
import { agentOf, openAgentSession, outlineOf } from './agent-session.ts';
import { checkOutBase } from './bases.ts';
import type { RunbookRows } from './runbook.rows.ts';

export function planPrompt(ctx: Context, ordinal: number): Work {
  const wanted = `exists (select 1 from runbook_prompt p where p.account_id = runbook.account_id and p.runbook_id = runbook.id
                          and p.ordinal = ${ordinal} and p.planned_at is null)`;
  return {
    leased: { wanted, kept: 'true' },
    isWanted: (rows) => !promptOf(rows, ordinal).plannedAt,
    begin: async (_tx, rows) => {
      promptOf(rows, ordinal).attempts += 1;
      rows.runbook.cancelRequestedAt = null;
    },
    carryOut: async (supervised, rows) => await plan(supervised, rows, ordinal),
    fail: async (tx, rows, message) =>
      await failPlanning(ctx, tx, { runbook: rows.runbook, prompt: promptOf(rows, ordinal), message }),
  };
}

async function plan(supervised: SupervisedAgent, rows: RunbookRows, ordinal: number): Promise<WorkResult> {
  const { ctx, driving } = supervised;
  const agent = agentOf(driving, rows);
  const planned = await withRunFolders(driving.workDir, async (folders) => {
    const into = { folder: folders.checkout, bounds: driving.sandbox?.bounds };
    await checkOutBase(ctx, rows, { ...into, leaf: `${rows.steps.length + 1}.1` });
    const session = openAgentSession(supervised, rows, { stepId: null, folders });
    return requireSteps(await agent.plan(outlineOf(rows, ordinal), session));
  });
  const leaves = countLeaves(planned);
  return {
    message: `Planned ${leaves} ${leaves === 1 ? 'step' : 'steps'}.`,
    write: async (tx, now) => await writePlan(ctx, tx, { rows: now, ordinal, planned }),
  };
}

/** A step without parts is its own leaf. */
function countLeaves({ steps }: Plan): number {
  return steps.reduce((sum, { leaves }) => sum + Math.max(1, leaves.length), 0);
}

function requireSteps(planned: Plan): Plan {
  const leaves = countLeaves(planned);
  if (leaves === 0) throw new AgentRefused('The plan has no steps. Say in the prompt what is to be changed.');
  if (leaves > maxPlannedLeaves)
    throw new AgentRefused(
      `The plan has ${leaves} steps, and at most ${maxPlannedLeaves} are allowed. Divide the prompt into several prompts.`,
    );
  return planned;
}

async function writePlan(
  ctx: Context,
  tx: Transaction,
  { rows, ordinal, planned }: { readonly rows: RunbookRows; readonly ordinal: number; readonly planned: Plan },
): Promise<void> {
  const { runbook } = rows;
  const { accountId, id: runbookId } = runbook;
  if (ordinal === 1 && !runbook.titleGiven) runbook.title = asTitle(planned.title, runbook.title);
  const steps = numberSteps(planned.steps, await endOfPlan(tx, runbook));
  for (const { leaves, ...step } of steps) {
    const parent = tx.em.create(RunbookStepEntity, { accountId, runbookId, promptOrdinal: ordinal, ...step });
    await tx.em.flush();
    for (const leaf of leaves)
      tx.em.create(RunbookStepEntity, {
        accountId,
        runbookId,
        parentId: parent.id,
        promptOrdinal: ordinal,
        ...leaf,
        instructions: storableJson(leaf.instructions),
        status: 'not_started',
      });
    await tx.em.flush();
  }
  promptOf(rows, ordinal).plannedAt = ctx.clock();
  const more = { prompt: ordinal, title: runbook.title, steps: steps.map(({ number, title }) => ({ number, title })) };
  await announceRunbook(ctx, tx, { runbook, action: 'runbook_planned', more });
}

function storableJson(value: unknown): unknown {
  const clean = (_key: string, inner: unknown): unknown => (typeof inner === 'string' ? toStorableText(inner) : inner);
  return JSON.parse(JSON.stringify(value ?? {}, clean)) as unknown;
}

function promptOf({ prompts, runbook }: RunbookRows, ordinal: number): RunbookPromptRow {
  const prompt = prompts.find((row) => row.ordinal === ordinal);
  if (prompt === undefined) throw new Error(`Runbook ${runbook.number} has no prompt ${ordinal}.`);
  return prompt;
}
