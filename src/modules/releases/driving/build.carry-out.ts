// What the build of a candidate needs done outside of a transaction; as for deployments, its row is its own intent.
import type { Context } from '../../../context.ts';
import { candidateStatusByReading, decideBuild, pauseAfter, type BuildStep } from '../../../domain/releases/drive.ts';
import type { Transaction } from '../../../platform/database.ts';
import { unattended } from '../../../platform/driven-columns.ts';
import { ProviderRefused, type ProviderReading, type ProviderRun } from '../../../platform/providers/port.ts';
import { attend, type Attended, type Attending } from './attendance.ts';
import { buildSituationOf, endBuild, lockCandidate } from './build.rows.ts';
import type { CandidateRows } from './deployment.rows.ts';
import { callProvider, outcomeText, type CallOutcome } from './provider-call.ts';
import { isOwnFailure, wordsOfOwn } from './own-failure.ts';
import { runOfBuild, type RunOrRefusal } from './provider-run.ts';

interface Due {
  readonly step: BuildStep;
  readonly run: RunOrRefusal;
  readonly name: string | null;
}

/** As `carryOutDeployment`. */
export async function carryOutBuild(ctx: Context, candidateId: string, attending: Attending): Promise<string> {
  try {
    return await carryOut(ctx, candidateId, attending);
  } catch (error) {
    if (!isOwnFailure(error, attending)) throw error;
    const words = wordsOfOwn(ctx, error, { candidateId });
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      const rows = await lockCandidate(ctx, tx, candidateId);
      const step = decideBuild(buildSituationOf(rows), ctx.clock().getTime());
      // Whoever attends counts by its lease, and waits as long as that holds.
      if (step.kind === 'call') putOff(ctx, rows, words);
      else if (step.kind !== 'ended') rows.candidate.problem = words;
    });
    return `failed, and is tried again: ${words}`;
  }
}

async function carryOut(ctx: Context, candidateId: string, attending: Attending): Promise<string> {
  const { step, run, name } = await ctx.db.transaction(ctx.accountId, async (tx): Promise<Due> => {
    const rows = await lockCandidate(ctx, tx, candidateId);
    return {
      step: decideBuild(buildSituationOf(rows), ctx.clock().getTime()),
      run: runOfBuild(attending.secrets, rows, ctx.clock()),
      name: rows.candidate.providerRun ?? null,
    };
  });
  if (step.kind !== 'attend' && step.kind !== 'call') return 'nothing was left to do';
  if (step.kind === 'attend' && !(run instanceof ProviderRefused))
    return await attend(ctx, attending, attendedOf(ctx, candidateId, run));
  const call = step.kind === 'call' ? step.call : 'trigger';
  const outcome = await callProvider(attending.providers, { run, name, call, subject: 'build' });
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const rows = await lockCandidate(ctx, tx, candidateId);
    if (rows.candidate.status === 'building') await conclude(ctx, tx, rows, outcome);
  });
  return outcomeText(outcome);
}

async function conclude(ctx: Context, tx: Transaction, rows: CandidateRows, outcome: CallOutcome): Promise<void> {
  switch (outcome.kind) {
    case 'triggered':
      Object.assign(rows.candidate, {
        triggeredAt: ctx.clock(),
        providerRun: outcome.name,
        callAt: null,
        calls: 0,
        problem: null,
      });
      return;
    case 'read':
      return await writeReading(ctx, tx, rows, outcome.reading);
    case 'refused':
      return await endBuild(ctx, tx, rows, { status: 'failed', errorMessage: outcome.words });
    case 'failed':
      return putOff(ctx, rows, outcome.words);
    case 'told_to_cancel':
      throw new Error('A build is not canceled.');
  }
}

async function writeReading(
  ctx: Context,
  tx: Transaction,
  rows: CandidateRows,
  reading: ProviderReading | null,
): Promise<void> {
  const { state, message } = reading ?? { state: 'unknown', message: null };
  const status = candidateStatusByReading(state);
  if (status === null || status === 'building') return putOff(ctx, rows, state === 'running' ? null : message);
  await endBuild(ctx, tx, rows, {
    status,
    errorMessage: status === 'ready' ? null : (message ?? `Its build ended as ${state}.`),
  });
}

function putOff(ctx: Context, { candidate }: CandidateRows, problem: string | null): void {
  candidate.calls += 1;
  candidate.callAt = new Date(ctx.clock().getTime() + pauseAfter(candidate.calls));
  candidate.problem = problem;
}

function attendedOf(ctx: Context, candidateId: string, run: ProviderRun): Attended {
  return {
    table: 'release_candidate',
    id: candidateId,
    run,
    conclude: async (tx, reading, attendant) => {
      const rows = await lockCandidate(ctx, tx, candidateId);
      const { candidate } = rows;
      if (candidate.attendedBy !== attendant) return;
      Object.assign(candidate, unattended);
      if (candidate.status === 'building') await writeReading(ctx, tx, rows, reading);
    },
  };
}
