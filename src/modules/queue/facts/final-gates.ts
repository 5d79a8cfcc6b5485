// Final gates of a batch: planned in a turn of the queue, started at the host, read back, and stopped when their batch
// ends. A row for each, so that a gate is asked once for a batch whatever dies in between.
import type { Context } from '../../../context.ts';
import { gatesFor } from '../../../domain/queue/evidence/final-gates.ts';
import type { GateState, QueueRules } from '../../../domain/queue/model/snapshot.ts';
import { HostRefused, type WorkflowRun } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { appendEvents } from '../../events/index.ts';
import { loadBatch, type LoadedBatch } from '../store/batch.rows.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';
import { finishIntent } from '../store/intents.finish.ts';
import type { PassedGate } from '../landing/proof.ts';
import type { IntentRow } from '../store/queue.entities.ts';
import { changeQueue } from '../store/queue.locks.ts';
import type { QueueWork } from '../store/status.writer.ts';

/** A batch with the labels of all of its members. */
interface LabelledBatch {
  readonly id: string;
  readonly labels: ReadonlySet<string>;
}

interface GatesOf {
  readonly rules: Pick<QueueRules, 'finalGates'>;
  readonly batches: readonly LabelledBatch[];
  readonly at?: Date | null;
}

/** The gates each batch has to pass, with their runs: now, or as they were at an instant. */
export async function loadGates(
  ctx: Context,
  tx: Transaction,
  { rules, batches, at = null }: GatesOf,
): Promise<Map<string, GateState[]>> {
  const { finalGates } = rules;
  if (finalGates.length === 0 || batches.length === 0) return new Map();
  const runs = await tx.query<NonNullable<GateState['run']> & { readonly batchId: string; readonly workflow: string }>(
    `select batch_id as "batchId", workflow, extract(epoch from planned_at)::float8 * 1000 as "plannedAt", reason,
            case when coalesce(ended_at, started_at) <= $3 then state when started_at <= $3 then 'running' else 'planned' end as state
     from gate_run where account_id = $1 and batch_id = any($2::bigint[]) and planned_at <= $3`,
    [ctx.accountId, batches.map((batch) => batch.id), at?.toISOString() ?? 'infinity'],
  );
  const known = new Map(runs.map(({ batchId, workflow, ...run }) => [`${batchId}:${workflow}`, run]));
  return new Map(
    batches.map(({ id, labels }) => [
      id,
      gatesFor(finalGates, labels).map((gate) => ({ ...gate, run: known.get(`${id}:${gate.workflow}`) ?? null })),
    ]),
  );
}

/** Batches with the labels their members carry in line. */
export function labelBatches(
  batches: Iterable<readonly [id: string, members: readonly string[]]>,
  line: readonly { readonly id: string; readonly labels: readonly string[] }[],
): LabelledBatch[] {
  const labels = new Map(line.map((row) => [row.id, row.labels]));
  return [...batches].map(([id, members]) => ({
    id,
    labels: new Set(members.flatMap((member) => labels.get(member) ?? [])),
  }));
}

export async function planGate(
  { ctx, tx, queue, now }: QueueWork,
  gate: { readonly batchId: string; readonly workflow: string; readonly commit: string },
): Promise<void> {
  await tx.query(
    `with planned as (
       insert into gate_run (account_id, repository_id, queue_id, batch_id, workflow, commit, planned_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id)
     insert into intent (account_id, queue_id, batch_id, kind, key, payload, planned_at)
     select $1, $3, $4, 'run_gate', id::text, jsonb_build_object('workflow', $5::text), $7 from planned
     on conflict do nothing`,
    [ctx.accountId, queue.repositoryId, queue.id, gate.batchId, gate.workflow, gate.commit, now.toISOString()],
  );
}

interface GateRun {
  readonly id: string;
  readonly batchId: string;
  readonly queueId: string;
  readonly workflow: string;
  readonly commit: string;
  readonly state: 'planned' | 'running' | 'passed' | 'failed';
  /** The host's name for the run. */
  readonly run: string | null;
}

const gateRunsOf = {
  id: 'id = $2',
  batch: "batch_id = $2 and state in ('planned', 'running')",
  commit: "repository_id = $2 and commit = $3 and state = 'running'",
} as const;

/** By its id, or those that are open of a batch, or those that run on a commit of a repository. */
async function readGateRuns(ctx: Context, by: keyof typeof gateRunsOf, ...values: string[]): Promise<GateRun[]> {
  return await ctx.db.read<GateRun>(ctx.accountId, {
    name: `gate_runs_by_${by}`,
    text: `select id, batch_id as "batchId", queue_id as "queueId", workflow, commit, state, run
           from gate_run where account_id = $1 and ${gateRunsOf[by]} order by id`,
    values: [ctx.accountId, ...values],
  });
}

/** Starts the run. The row's id is its key at the host: however often it is asked for, it is one run. */
export async function carryOutGate(ctx: Context, intent: IntentRow): Promise<void> {
  const { host, batch } = await loadBatch(ctx, intent.batchId ?? '');
  const [gate] = await readGateRuns(ctx, 'id', intent.key);
  if (gate?.state === 'planned' && batch.state === 'building') {
    const outcome = await startGate(ctx, host, gate);
    await passFailpoint('gate:after_host');
    const isMoved = await moveGate(ctx, host, gate, outcome);
    if (!isMoved && outcome.state === 'running') await stopUnwanted(ctx, host, { id: gate.id, run: outcome.run });
  }
  await finishIntent(ctx, intent);
}

/** What became of a gate: each is told once, by the transaction that moves its row. */
type GateOutcome =
  | { readonly state: 'running'; readonly run: string; readonly url: string | null }
  | { readonly state: 'passed'; readonly url: string | null }
  | { readonly state: 'failed'; readonly url: string | null; readonly reason: string };

async function startGate(ctx: Context, host: HostedRepository, gate: GateRun): Promise<GateOutcome> {
  const adapter = ctx.hosts(host.host);
  try {
    const { workflow, commit } = gate;
    const run = await adapter.dispatchWorkflow(host, { workflow, commit, key: `gate-${gate.id}` });
    return { state: 'running', run, url: (await adapter.readWorkflowRun(host, run))?.url ?? null };
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    return { state: 'failed', url: null, reason: `it could not be started: ${error.message}` };
  }
}

const movesFrom: Readonly<Record<GateOutcome['state'], readonly GateRun['state'][]>> = {
  running: ['planned'],
  passed: ['running'],
  failed: ['planned', 'running'],
};

/** False: another writer was faster, or its batch has ended. */
async function moveGate(ctx: Context, host: HostedRepository, gate: GateRun, outcome: GateOutcome): Promise<boolean> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    await changeQueue(ctx, tx, gate.queueId);
    const reason = outcome.state === 'failed' ? outcome.reason : null;
    const moved = await tx.query(
      `update gate_run set state = $3, run = coalesce(run, $4), url = coalesce($5, url), reason = $6,
         started_at = case when $3 = 'running' then $7::timestamptz else started_at end,
         ended_at = case when $3 <> 'running' then $7::timestamptz end
       where account_id = $1 and id = $2 and state = any($8) returning 1`,
      [
        ctx.accountId,
        gate.id,
        outcome.state,
        outcome.state === 'running' ? outcome.run : null,
        outcome.url,
        reason,
        ctx.clock().toISOString(),
        movesFrom[outcome.state],
      ],
    );
    if (moved.length === 0) return false;
    await appendEvents(ctx, tx, [
      {
        repositoryId: host.id,
        queueId: gate.queueId,
        batchId: gate.batchId,
        action: outcome.state === 'running' ? 'final_gate_started' : `final_gate_${outcome.state}`,
        payload: { workflow: gate.workflow, commit: gate.commit, ...(reason !== null && { reason }) },
      },
    ]);
    return true;
  });
}

/** Its batch ended while the host was starting it: who stopped the gates of the batch knew of no run. */
async function stopUnwanted(
  ctx: Context,
  host: HostedRepository,
  { id, run }: { readonly id: string; readonly run: string },
): Promise<void> {
  const [gate] = await readGateRuns(ctx, 'id', id);
  if (gate?.state === 'failed') await ctx.hosts(host.host).cancelWorkflowRun(host, run);
}

/** Reads the gates that run on a commit from the host, and keeps what has ended. */
export async function recordGates(ctx: Context, host: HostedRepository, commit: string): Promise<void> {
  const running = await readGateRuns(ctx, 'commit', host.id, commit);
  for (const gate of running) {
    const outcome = outcomeOf(await ctx.hosts(host.host).readWorkflowRun(host, gate.run ?? ''));
    if (outcome !== null) await moveGate(ctx, host, gate, outcome);
  }
}

/** Null: it still runs. Nothing but a success opens a gate. */
function outcomeOf(run: WorkflowRun | null): GateOutcome | null {
  if (run === null) return { state: 'failed', url: null, reason: 'the code host no longer knows its run' };
  if (run.conclusion === 'pending') return null;
  if (run.conclusion === 'success') return { state: 'passed', url: run.url };
  return { state: 'failed', url: run.url, reason: run.summary ?? run.conclusion };
}

/** What still runs for a batch that has ended is stopped. */
export async function stopGates(ctx: Context, { batch, host }: LoadedBatch): Promise<void> {
  const open = await readGateRuns(ctx, 'batch', batch.id);
  for (const { run } of open) if (run !== null) await ctx.hosts(host.host).cancelWorkflowRun(host, run);
  if (open.length === 0) return;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query(
      `update gate_run set state = 'failed', reason = 'its batch ended before it did', ended_at = $3
       where account_id = $1 and batch_id = $2 and state in ('planned', 'running')`,
      [ctx.accountId, batch.id, ctx.clock().toISOString()],
    );
  });
}

/** The gates a batch has passed, for its proof. */
export async function readPassedGates(ctx: Context, tx: Transaction, batchId: string): Promise<PassedGate[]> {
  return await tx.query<PassedGate>(
    `select workflow, commit, run from gate_run where account_id = $1 and batch_id = $2 and state = 'passed' order by id`,
    [ctx.accountId, batchId],
  );
}
