// Carries out the calls of a candidate's build outside of a transaction, like `deployment.carry-out.ts`. A build has no
// slot, so its status and its provider decide whether a result is written.
import type { Context } from '../../../context.ts';
import { endOfBuild } from '../../../domain/releases/drive.ts';
import { candidateStatusByReading, pauseAfter } from '../../../domain/releases/provider-answers.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { ProviderReading } from '../../../platform/providers/port.ts';
import { carryOutDue, delayNextCall, type DueStep, noFailedCalls } from '../../../platform/turns/index.ts';
import type { ReleaseDriving } from './supervise-run.ts';
import { buildKind, type BuildTypes } from './build.advance.ts';
import { buildSituationOf, endBuild } from './build.rows.ts';
import type { CandidateRows } from './deployment.rows.ts';
import type { CallOutcome } from './provider-call.ts';
import { carryOutByProvider } from './provider.carry-out.ts';
import { runOfBuild } from './provider-run.ts';

const carryOut = carryOutByProvider<BuildTypes>({
  kind: buildKind,
  subject: 'build',
  endsAt: (rows) => endOfBuild(buildSituationOf(rows)),
  runOf: ({ secrets }, rows, now) => runOfBuild(secrets, rows, now),
  nameOf: ({ candidate }) => candidate.providerRun ?? null,
  writeCallOutcome: async (ctx, tx, { rows, due, outcome }) => {
    if (isSameRun(rows, due)) await conclude(ctx, tx, { rows, outcome });
  },
  writeRunResult: async (ctx, tx, { rows, due, reading }) => {
    if (isSameRun(rows, due)) await writeReading(ctx, tx, { rows, reading });
  },
  delayNextCall: putOffBuild,
});

/** Carries out the call or the supervised run that is due. Returns the outcome as a sentence. */
export async function carryOutBuild(ctx: Context, id: string, by: ReleaseDriving): Promise<string> {
  return await carryOutDue(ctx, carryOut, { id, by });
}

/** Whether the build goes on at the provider that was called. The answer of an earlier provider proves nothing. */
function isSameRun({ candidate, project }: CandidateRows, due: DueStep<BuildTypes>): boolean {
  const before = due.rows.project.buildProviderSince ?? null;
  return candidate.status === 'building' && before?.getTime() === (project.buildProviderSince ?? null)?.getTime();
}

async function conclude(
  ctx: Context,
  tx: Transaction,
  { rows, outcome }: { readonly rows: CandidateRows; readonly outcome: CallOutcome },
): Promise<void> {
  switch (outcome.kind) {
    case 'triggered':
      Object.assign(rows.candidate, {
        triggeredAt: ctx.clock(),
        providerRun: outcome.name,
        ...noFailedCalls,
      });
      return;
    case 'read':
      return await writeReading(ctx, tx, { rows, reading: outcome.reading });
    case 'refused':
      return await endBuild(ctx, tx, { rows, status: 'failed', errorMessage: outcome.message });
    case 'failed':
      return putOffBuild(ctx, rows, outcome.message);
    case 'cancel_sent':
      Object.assign(rows.candidate, { cancelSentAt: ctx.clock(), ...noFailedCalls });
      return;
  }
}

async function writeReading(
  ctx: Context,
  tx: Transaction,
  { rows, reading }: { readonly rows: CandidateRows; readonly reading: ProviderReading | null },
): Promise<void> {
  const { state, message } = reading ?? { state: 'unknown', message: null };
  const status = candidateStatusByReading(state);
  if (status === null || status === 'building') return putOffBuild(ctx, rows, state === 'running' ? null : message);
  await endBuild(ctx, tx, {
    rows,
    status,
    errorMessage: status === 'ready' ? null : (message ?? `The build ended with the status ${state}.`),
  });
}

function putOffBuild(ctx: Context, { candidate }: CandidateRows, problem: string | null): void {
  delayNextCall(candidate, { now: ctx.clock(), pauseAfter, problem });
}
