// Runs simulations in the background: one at a time for each account, in the process that received the request. If the
// process ends, the lease of the simulation's row runs out, and readers see the simulation as lost.
import type { Context } from '../../../context.ts';
import type { Problem } from '../../../domain/configuration/problem.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Comparison } from '../../../domain/simulation/comparison.ts';
import { requireScope } from '../../accounts/index.ts';
import {
  prepareSimulation,
  runSimulation,
  type PreparedSimulation,
  type SimulationRequest,
} from './simulation.service.ts';

export interface SimulationRead {
  readonly id: string;
  readonly baseBranch: string;
  readonly days: number;
  readonly yaml: string | null;
  readonly state: 'running' | 'done' | 'failed' | 'lost';
  readonly progress: number;
  readonly result: { readonly present: Comparison; readonly other: Comparison | null } | null;
  readonly problem: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

const budgetMs = 5 * 60_000;
const leaseSec = 60;
const prolongEveryMs = 2_000;
const maxKept = 20;
const lost = 'The process that ran the simulation has ended. Start the simulation again.';

const columns = `s.id, s.base_branch as "baseBranch", s.days, s.yaml,
  case when s.state = 'running' and s.leased_until < $3::timestamptz then 'lost' else s.state end as state, s.progress, s.result,
  case when s.state = 'lost' or (s.state = 'running' and s.leased_until < $3::timestamptz) then '${lost}' else s.problem end as problem,
  s.created_by as "createdBy", s.created_at as "createdAt", s.ended_at as "endedAt"`;

/** The newest simulations of a repository, newest first. */
export async function readSimulations(ctx: Context, repositoryId: string, max: number): Promise<SimulationRead[]> {
  requireScope(ctx, 'analytics:read');
  return await ctx.db.read<SimulationRead>(ctx.accountId, {
    name: 'simulations',
    text: `select ${columns} from simulation s where s.account_id = $1 and s.repository_id = $2 order by s.id desc limit $4::integer`,
    values: [ctx.accountId, repositoryId, ctx.clock().toISOString(), max],
  });
}

/**
 * Starts a simulation. Resolves when the simulation is running. `ended` resolves when the simulation has ended, and
 * never rejects.
 */
export async function startSimulation(
  ctx: Context,
  request: SimulationRequest,
): Promise<
  { readonly problems: readonly Problem[] } | { readonly simulation: SimulationRead; readonly ended: Promise<void> }
> {
  // A simulation uses two processors for minutes, so a person who may only read the repository at GitHub may not start
  // one.
  const prepared = await prepareSimulation(ctx, request, 'queue:write');
  if ('problems' in prepared) return prepared;
  const id = await insert(ctx, request, prepared);
  const ended = run(ctx, id, prepared);
  const [simulation] = await readSimulations(ctx, prepared.repository.id, 1);
  if (simulation === undefined) throw new Error('The simulation was erased.');
  return { simulation, ended };
}

/** Inserts the row. Throws RATE_LIMITED if another simulation of the account is running. */
async function insert(ctx: Context, { days, yaml }: SimulationRequest, prepared: PreparedSimulation): Promise<string> {
  const now = ctx.clock();
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send(
      `update simulation set state = 'lost', ended_at = leased_until where account_id = $1 and state = 'running' and leased_until < $2`,
      [ctx.accountId, now.toISOString()],
    );
    const [made] = await tx.query<{ id: string }>(
      `insert into simulation (account_id, repository_id, base_branch, days, yaml, leased_until, created_by, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning id`,
      [
        ctx.accountId,
        prepared.repository.id,
        prepared.baseBranch,
        days,
        yaml,
        leaseUntil(now),
        ctx.actor.email ?? 'interlock',
        now.toISOString(),
      ],
    );
    if (made === undefined)
      throw new DomainError('RATE_LIMITED', 'A simulation of this account is running: try again when it has ended.');
    await tx.send(
      `delete from simulation where account_id = $1 and id not in (
         select id from simulation where account_id = $1 order by id desc limit ${maxKept})`,
      [ctx.accountId],
    );
    return made.id;
  });
}

function leaseUntil(now: Date): string {
  return new Date(now.getTime() + leaseSec * 1_000).toISOString();
}

async function run(ctx: Context, id: string, prepared: PreparedSimulation): Promise<void> {
  let progress = 0;
  let writing = Promise.resolve();
  const write = async (change: string, values: readonly unknown[]): Promise<void> => {
    await ctx.db
      .transaction(ctx.accountId, async (tx) => {
        await tx.send(`update simulation set ${change} where account_id = $1 and id = $2 and state = 'running'`, [
          ctx.accountId,
          id,
          ...values,
        ]);
      })
      .catch((error: unknown) => ctx.log.warn({ err: error }, 'The state of a simulation could not be written.'));
  };
  const prolonging = setInterval(() => {
    writing = write('progress = $3, leased_until = $4', [progress, leaseUntil(ctx.clock())]);
  }, prolongEveryMs);
  try {
    const result = await runSimulation(ctx, prepared, {
      budgetMs,
      onProgress: (share) => {
        progress = share;
      },
    });
    clearInterval(prolonging);
    await writing;
    await write(`state = 'done', progress = 1, result = $3, ended_at = $4`, [
      JSON.stringify(result),
      ctx.clock().toISOString(),
    ]);
  } catch (error) {
    clearInterval(prolonging);
    await writing;
    const isKnown = error instanceof DomainError;
    if (!isKnown) ctx.log.error({ err: error }, 'A simulation failed.');
    const problem = isKnown ? error.message : 'The simulation failed. The log of the service has the reason.';
    await write(`state = 'failed', problem = $3, ended_at = $4`, [problem, ctx.clock().toISOString()]);
  }
}
