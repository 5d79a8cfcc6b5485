// Reads the state of the final gates of a batch from the rows and from the host. Each gate of a batch has one row, so
// that its workflow is started once even after a crash. Other folders plan, start and stop the gates.
import type { Context } from '../../../context.ts';
import { gatesFor } from '../../../domain/queue/evidence/final-gates.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type { GateState } from '../../../domain/queue/model/snapshot.ts';
import { hostClient, type WorkflowRun, type HostedRepository } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { appendEvents } from '../../events/index.ts';
import { changeQueue } from '../store/queue.locks.ts';

/** A batch with the labels of all its members. */
interface LabelledBatch {
  readonly id: string;
  readonly labels: ReadonlySet<string>;
}

interface GatesOf {
  readonly rules: Pick<QueueRules, 'finalGates'>;
  readonly batches: readonly LabelledBatch[];
  readonly at?: Date | null;
}

/** The gates that each batch must pass, with their runs, by batch id. `at` absent or null: now. */
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

/** Gives each batch the labels of its members that are in line. */
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

export interface GateRun {
  readonly id: string;
  readonly batchId: string;
  readonly queueId: string;
  readonly workflow: string;
  readonly commit: string;
  readonly state: 'planned' | 'running' | 'passed' | 'failed';
  /** The host's id of the run. */
  readonly run: string | null;
}

const gateRunsOf = {
  id: 'id = $2',
  batch: "batch_id = $2 and state in ('planned', 'running')",
  commit: "repository_id = $2 and commit = $3 and state = 'running'",
} as const;

/** Reads one gate by its id, or the open gates of a batch, or the running gates of a commit. */
export async function readGateRuns(ctx: Context, by: keyof typeof gateRunsOf, ...values: string[]): Promise<GateRun[]> {
  return await ctx.db.read<GateRun>(ctx.accountId, {
    name: `gate_runs_by_${by}`,
    text: `select id, batch_id as "batchId", queue_id as "queueId", workflow, commit, state, run
           from gate_run where account_id = $1 and ${gateRunsOf[by]} order by id`,
    values: [ctx.accountId, ...values],
  });
}

/**
 * The result of a gate. The transaction that writes it to the row also writes the event, so that there is one event.
 */
export type GateOutcome =
  | { readonly state: 'running'; readonly run: string; readonly url: string | null }
  | { readonly state: 'passed'; readonly url: string | null }
  | { readonly state: 'failed'; readonly url: string | null; readonly reason: string };
const movesFrom: Readonly<Record<GateOutcome['state'], readonly GateRun['state'][]>> = {
  running: ['planned'],
  passed: ['running'],
  failed: ['planned', 'running'],
};

/** Writes the outcome of a gate. False: another writer has written it before, or the batch has ended. */
export async function writeGateOutcome(
  ctx: Context,
  host: HostedRepository,
  { gate, outcome }: { readonly gate: GateRun; readonly outcome: GateOutcome },
): Promise<boolean> {
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

/** Reads the running gates of a commit from the host, and writes the outcomes of the gates that have ended. */
export async function recordGates(ctx: Context, host: HostedRepository, commit: string): Promise<void> {
  const running = await readGateRuns(ctx, 'commit', host.id, commit);
  for (const gate of running) {
    const outcome = outcomeOf(await hostClient(ctx, host).readWorkflowRun(gate.run ?? ''));
    if (outcome !== null) await writeGateOutcome(ctx, host, { gate, outcome });
  }
}

/** Null: the workflow is still running. A gate passes only by the conclusion `success`. */
function outcomeOf(run: WorkflowRun | null): GateOutcome | null {
  if (run === null) return { state: 'failed', url: null, reason: 'the code host no longer has the run of the gate' };
  if (run.conclusion === 'pending') return null;
  if (run.conclusion === 'success') return { state: 'passed', url: run.url };
  return { state: 'failed', url: run.url, reason: run.summary ?? run.conclusion };
}

export interface PassedGate {
  readonly workflow: string;
  /** The commit that the gate ran on. */
  readonly commit: string;
  /** The host's id of the run. */
  readonly run: string;
}

/** The gates that a batch has passed, for its proof. */
export async function readPassedGates(ctx: Context, tx: Transaction, batchId: string): Promise<PassedGate[]> {
  return await tx.query<PassedGate>(
    `select workflow, commit, run from gate_run where account_id = $1 and batch_id = $2 and state = 'passed' order by id`,
    [ctx.accountId, batchId],
  );
}
