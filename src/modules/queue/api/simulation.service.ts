// Simulates the past days of a queue, under its own configuration and under another one. Nothing is written.
import type { Context, Scope } from '../../../context.ts';
import { parseConfiguration, toQueueRules, type HostDemands } from '../../../domain/configuration/index.ts';
import type { Problem } from '../../../domain/configuration/problem.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type { Comparison, Past } from '../../../domain/simulation/comparison.ts';
import { logOfMerges } from '../../../domain/simulation/history.ts';
import { hostClient, toHostedRepository, type HostedRepository } from '../../../hosts/port.ts';
import { Thread, ThreadTimeout, threadScript } from '../../../platform/threads.ts';
import { requireScope } from '../../accounts/index.ts';
import { loadRepository, type RepositoryName } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { rulesOf } from '../store/rules-in-force.ts';
import { maxRows, readBatches, readLog } from './simulation.history.ts';
import type { ReplayTask } from './simulation.thread.ts';

export interface SimulationRequest {
  readonly repository: RepositoryName;
  /** Null: the default branch of the repository. */
  readonly baseBranch: string | null;
  readonly days: number;
  /** Null: only the present configuration is simulated. */
  readonly yaml: string | null;
}

export type SimulationResult =
  | { readonly problems: readonly Problem[] }
  /** `other` is null if no other configuration was given. */
  | { readonly present: Comparison; readonly other: Comparison | null };

const maxDays = 90;
const budgetMs = 50_000;
/** The time for converting the history to a workload, before the time limit begins. */
const preparationMs = 25_000;

const runningAccounts = new Set<string>();

/** The checked input of a simulation. */
export interface PreparedSimulation {
  readonly repository: RepositoryRow;
  readonly queueId: string;
  readonly baseBranch: string;
  readonly present: QueueRules;
  /** Null: only the present configuration is simulated. */
  readonly changed: QueueRules | null;
  readonly since: Date;
}

/**
 * Checks the input of a simulation. Throws RATE_LIMITED while another simulation of the account runs in this process.
 * If `atHost` is given, throws FORBIDDEN if the permission of the caller at GitHub does not include this scope.
 */
export async function prepareSimulation(
  ctx: Context,
  request: SimulationRequest,
  atHost?: Scope,
): Promise<{ readonly problems: readonly Problem[] } | PreparedSimulation> {
  requireScope(ctx, 'analytics:read');
  const { days, yaml } = request;
  if (!Number.isInteger(days) || days < 1 || days > maxDays)
    throw new DomainError('BAD_INPUT', `days must be from 1 to ${maxDays}.`, 'days');
  const repository = await loadRepository(ctx, request.repository, atHost);
  const other = yaml === null ? null : parseConfiguration(yaml);
  if (other?.ok === false) return { problems: other.problems };
  const baseBranch = request.baseBranch ?? repository.defaultBranch;
  const queue = await readQueue(ctx, repository.id, baseBranch);
  if (queue === undefined)
    throw new DomainError(
      'NOT_FOUND',
      `${baseBranch} has no queue: name a branch that a pull request was queued for.`,
      'baseBranch',
    );
  const present = rulesOf(repository, queue).rules;
  const changed = other === null ? null : toQueueRules(other.configuration, queue);
  requireLine(present);
  if (changed !== null) requireLine(changed);
  requireNoOther(ctx);
  const since = new Date(ctx.clock().getTime() - days * 24 * 3_600_000);
  return { repository, queueId: queue.id, baseBranch, present, changed, since };
}

/**
 * Simulates a queue. One simulation of an account runs at a time, because it uses two processors for up to a minute.
 */
export async function simulateQueue(ctx: Context, request: SimulationRequest): Promise<SimulationResult> {
  const prepared = await prepareSimulation(ctx, request);
  return 'problems' in prepared ? prepared : await runSimulation(ctx, prepared, { budgetMs });
}

export interface RunOptions {
  /** Time limit of the simulation, in milliseconds. If the history takes longer, only parts of it are simulated. */
  readonly budgetMs: number;
  /** Called with the share of the simulation that is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

export async function runSimulation(
  ctx: Context,
  { repository, queueId, baseBranch, present, changed, since }: PreparedSimulation,
  options: RunOptions,
): Promise<{ readonly present: Comparison; readonly other: Comparison | null }> {
  requireNoOther(ctx);
  runningAccounts.add(ctx.accountId);
  try {
    const span = { repositoryId: repository.id, queueId, since };
    const log = await readLog(ctx, span);
    const batches = await readBatches(ctx, span, present);
    const past: Past =
      log.length === 0
        ? await readPastOfGit(ctx, toHostedRepository(repository), { baseBranch, since })
        : { log, batches, isCut: log.length >= maxRows || batches.length >= maxRows };
    const shares = [0, changed === null ? 1 : 0];
    const reportShare = (at: number) => (share: number) => {
      shares[at] = share;
      const [ofPresent = 0, ofOther = 0] = shares;
      options.onProgress?.(changed === null ? ofPresent : (ofPresent + ofOther) / 2);
    };
    const [underPresent, underOther] = await Promise.all([
      replay(past, present, { ...options, onProgress: reportShare(0) }),
      changed === null ? Promise.resolve(null) : replay(past, changed, { ...options, onProgress: reportShare(1) }),
    ]);
    return { present: underPresent, other: underOther };
  } finally {
    runningAccounts.delete(ctx.accountId);
  }
}

function requireNoOther({ accountId }: Context): void {
  if (runningAccounts.has(accountId))
    throw new DomainError('RATE_LIMITED', 'A simulation of this account is running. Try again when it has ended.');
}

const maxMerges = 5_000;

/** The queue of an imported branch may have no events. Then the commits of the branch are taken as its history. */
async function readPastOfGit(
  ctx: Context,
  repository: HostedRepository,
  { baseBranch, since }: { readonly baseBranch: string; readonly since: Date },
): Promise<Past> {
  const client = hostClient(ctx, repository);
  const tip = await client.readRef(`refs/heads/${baseBranch}`);
  if (tip === null) return { log: [], batches: [] };
  const commits = await client.listFirstParents({ from: null, to: tip.commit, limit: maxMerges });
  const merges = commits
    .filter(({ authoredAt, parents }) => authoredAt >= since.getTime() && parents.length > 0)
    .map(({ commit, authorName, authoredAt }) => ({ commit, author: authorName, at: authoredAt }));
  return { log: logOfMerges(merges), batches: [], isFromGit: true, isCut: merges.length >= maxMerges };
}

async function readQueue(
  ctx: Context,
  repositoryId: string,
  baseBranch: string,
): Promise<(HostDemands & { readonly id: string }) | undefined> {
  const [queue] = await ctx.db.read<HostDemands & { id: string }>(ctx.accountId, {
    name: 'queue_to_simulate',
    text: `select q.id, q.host_required_checks as "hostRequiredChecks", q.host_rules as "hostRules" from queue q
           where q.account_id = $1 and q.repository_id = $2 and q.base_branch = $3`,
    values: [ctx.accountId, repositoryId, baseBranch],
  });
  return queue;
}

function requireLine({ mode }: QueueRules): void {
  if (mode === 'no-queue')
    throw new DomainError('NOT_SUPPORTED', 'In the mode no-queue there is no line, and nothing to simulate.');
}

/** Each simulation runs in its own thread. */
async function replay(past: Past, rules: QueueRules, { budgetMs: of, onProgress }: RunOptions): Promise<Comparison> {
  const thread = new Thread(threadScript(import.meta.url, 'simulation.thread'));
  try {
    const task: ReplayTask = { kind: 'replay', past, rules, budgetMs: of };
    return await thread.ask<Comparison>(task, of + preparationMs, onProgress);
  } catch (error) {
    if (!(error instanceof ThreadTimeout)) throw error;
    throw new DomainError('TOO_LARGE', 'This history takes too long to simulate: ask for fewer days.', 'days');
  } finally {
    thread.stop();
  }
}
