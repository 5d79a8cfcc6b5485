// Starts a final gate at the host.
import type { Context } from '../../../context.ts';
import { hostClient, HostRefused, type HostedRepository } from '../../../hosts/port.ts';
import { loadBatch } from '../store/batch.rows.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { finishIntent } from '../store/intents.ts';
import type { IntentRow } from '../store/queue.entities.ts';
import { type GateRun, readGateRuns, type GateOutcome, writeGateOutcome } from '../facts/final-gates.ts';

/**
 * Starts the run of a final gate. The id of its row is the key at the host, so that repeated requests start one run.
 */
export async function carryOutGate(ctx: Context, intent: IntentRow): Promise<void> {
  const { host, batch } = await loadBatch(ctx, intent.batchId ?? '');
  const [gate] = await readGateRuns(ctx, 'id', intent.key);
  if (gate?.state === 'planned' && batch.state === 'building') {
    const outcome = await startGate(ctx, host, gate);
    await passFailpoint('gate:after_host');
    const isMoved = await writeGateOutcome(ctx, host, { gate, outcome });
    if (!isMoved && outcome.state === 'running') await stopUnwanted(ctx, host, { id: gate.id, run: outcome.run });
  }
  await finishIntent(ctx, intent);
}

async function startGate(ctx: Context, host: HostedRepository, gate: GateRun): Promise<GateOutcome> {
  const client = hostClient(ctx, host);
  try {
    const { workflow, commit } = gate;
    const branch = await findBotBranch(ctx, gate.batchId);
    const run = await client.dispatchWorkflow({ workflow, commit, key: `gate-${gate.id}`, branch });
    return { state: 'running', run, url: (await client.readWorkflowRun(run))?.url ?? null };
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    return { state: 'failed', url: null, reason: `it could not be started: ${error.message}` };
  }
}

/** The branch of the batch's open bot pull request, whose head is the commit of the batch. Null: the batch has none. */
async function findBotBranch(ctx: Context, batchId: string): Promise<string | null> {
  const [bot] = await ctx.db.read<{ branch: string }>(ctx.accountId, {
    name: 'open_bot_branch',
    text: `select branch from bot_pull_request
           where account_id = $1 and batch_id = $2 and opened_at is not null and closed_at is null and heir_batch_id is null`,
    values: [ctx.accountId, batchId],
  });
  return bot?.branch ?? null;
}

/**
 * Cancels the run if the batch ended while the host was starting the run, because the clean-up of the batch did not
 * find this run.
 */
async function stopUnwanted(
  ctx: Context,
  host: HostedRepository,
  { id, run }: { readonly id: string; readonly run: string },
): Promise<void> {
  const [gate] = await readGateRuns(ctx, 'id', id);
  if (gate?.state === 'failed') await hostClient(ctx, host).cancelWorkflowRun(run);
}
