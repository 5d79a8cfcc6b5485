// An agent works only while a worker supervises it. If the worker is lost, another worker starts the agent again. The
// result is written only if the rows of the runbook still need it, which is false after a cancellation.
import { once } from 'node:events';
import type { Context } from '../../../context.ts';
import { pastItsLimit, pauseAfter, type AgentWork } from '../../../domain/runbooks/drive.ts';
import { HostRefused, retryAtOf } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { AgentBusy, AgentRefused, BudgetSpent } from '../../../platform/agents/port.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import type { PieceLog } from '../../../platform/log-pieces.ts';
import { createMask, maskSecrets } from '../../../platform/providers/mask.ts';
import { removeAbandonedFolders } from '../../../platform/sandbox/index.ts';
import {
  WorkHandedOver,
  delayAfterHost,
  supervise,
  type SuperviseOf,
  type DueStep,
  type SupervisedWork,
} from '../../../platform/turns/index.ts';
import type { RunbookDriving } from './agent-session.ts';
import { HostAway } from './bases.ts';
import { workOnLeaf } from './leaf.ts';
import { planPrompt } from './planning.ts';
import { runbookKind, untried, type RunbookTypes } from './runbook.advance.ts';
import { attemptsOf, type RunbookRows } from './runbook.rows.ts';
import type { WorkResult, Work } from './work.ts';
import { openRunbookLog } from './session.rows.ts';
import { startStepLimit } from './step-limit.ts';

const cleaned = new Set<string>();

export async function superviseAgent(
  ctx: Context,
  due: DueStep<RunbookTypes, SuperviseOf<RunbookTypes>>,
  driving: RunbookDriving,
): Promise<string> {
  const wanted = due.step.work;
  const work = wanted.kind === 'plan' ? planPrompt(ctx, wanted.prompt) : workOnLeaf(ctx, wanted.leafId);
  return await supervise(ctx, {
    kind: runbookKind,
    due,
    by: driving,
    leased: { table: 'runbook', id: due.id, ...work.leased },
    openLog: () => openMaskedLog(ctx, due, driving.secret),
    again: (attempt) => `The work starts again: attempt ${attempt}.`,
    beforeWrite: `runbook:before_${wanted.kind}_written`,
    afterWrite: `runbook:after_${wanted.kind}_written`,
    work: async (supervised) => {
      cleanOnce(driving.workDir);
      const started = await begin(ctx, supervised, { work, limitMs: driving.stepLimitMs });
      if (started === null) return notWanted;
      await passFailpoint(`runbook:supervising_${wanted.kind}`);
      const outcome = await workInTime(ctx, { due, driving, supervised, work, started });
      supervised.log.write(`\n[interlock] ${outcome.message}\n`);
      return { message: outcome.message, write: async (tx, rows) => await conclude(ctx, tx, { rows, work, outcome }) };
    },
  });
}

function openMaskedLog(
  ctx: Context,
  { id: runbookId, step: { work } }: DueStep<RunbookTypes, SuperviseOf<RunbookTypes>>,
  secret: string | null,
): PieceLog {
  const log = openRunbookLog(ctx, { runbookId, stepId: work.kind === 'plan' ? null : work.leafId });
  const mask = createMask(secret, log.write);
  return {
    write: mask.write,
    close: async () => {
      mask.end();
      await log.close();
    },
  };
}

/** Writes the start of the work. Null: the work is not needed any more. */
async function begin(
  ctx: Context,
  { write }: SupervisedWork<RunbookTypes>,
  { work, limitMs }: { readonly work: Work; readonly limitMs: number },
): Promise<RunbookRows | null> {
  return await write(async (tx, rows) => {
    if (!work.isWanted(rows)) return null;
    rows.runbook.dueAt = new Date(ctx.clock().getTime() + limitMs);
    await work.begin(tx, rows);
    return rows;
  });
}

const notWanted: WorkResult = {
  message: 'The work is not needed any more.',
  write: async (_tx, { runbook }) => void Object.assign(runbook, { dueAt: null, ...untried }),
};

interface Started {
  readonly due: DueStep<RunbookTypes, SuperviseOf<RunbookTypes>>;
  readonly driving: RunbookDriving;
  readonly supervised: SupervisedWork<RunbookTypes>;
  readonly work: Work;
  readonly started: RunbookRows;
}

/**
 * Runs the agent until it ends or the time limit passes. The agent gets a signal to stop at the limit, and the function
 * does not wait for an agent that ignores the signal. While a command waits for room, the runbook has no time at which
 * its work is due.
 */
async function workInTime(ctx: Context, { due, driving, supervised, work, started }: Started): Promise<Outcome> {
  const { stepLimitMs } = driving;
  const reporting = reportSometimes(due.report);
  const limit = startStepLimit({
    limitMs: stepLimitMs,
    inTurn: driving.inTurn,
    onLeft: async (leftMs) => {
      await supervised.write(async (_tx, { runbook }) => {
        runbook.dueAt = leftMs === null ? null : new Date(ctx.clock().getTime() + leftMs);
        await Promise.resolve();
      });
      reporting.onChange();
    },
  });
  const signal = AbortSignal.any([supervised.signal, limit.signal]);
  reporting.onChange();
  const { write } = supervised.log;
  const { inTurn } = limit;
  const agent = { ctx, runbookId: due.id, driving, signal, inTurn, write, onChange: reporting.onChange };
  const outcome = await Promise.race([work.carryOut(agent, started), aborted(limit.signal)])
    .catch((error: unknown) =>
      limit.signal.aborted ? asLate(due.step.work, stepLimitMs) : asFailure(driving, error, ctx.clock()),
    )
    .finally(() => {
      limit.end();
      reporting.end();
    });
  if (signal.aborted && supervised.isHandedOver()) throw new WorkHandedOver();
  return outcome;
}

interface Failure {
  readonly message: string;
  readonly isFinal: boolean;
  readonly isHostAway: boolean;
  /** Until when a busy agent or the code host asks to wait, in milliseconds since the epoch. Null: it does not ask. */
  readonly retryAt: number | null;
}

type Outcome = WorkResult | Failure;

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

function asLate({ kind }: AgentWork, limitMs: number): Failure {
  return { message: pastItsLimit(kind, limitMs), isFinal: true, isHostAway: false, retryAt: null };
}

function asFailure({ secret }: RunbookDriving, error: unknown, now: Date): Outcome {
  const isFinal = error instanceof AgentRefused || error instanceof BudgetSpent || error instanceof HostRefused;
  const message = error instanceof Error ? error.message : String(error);
  return {
    message: maskSecrets(secret, message).slice(0, 2_000).toWellFormed() || 'The agent failed without a message.',
    isFinal,
    isHostAway: error instanceof HostAway,
    retryAt: error instanceof AgentBusy ? now.getTime() + error.waitMs : retryAtOf(error),
  };
}

async function conclude(
  ctx: Context,
  tx: Transaction,
  { rows, work, outcome }: { readonly rows: RunbookRows; readonly work: Work; readonly outcome: Outcome },
): Promise<void> {
  const { runbook } = rows;
  runbook.dueAt = null;
  const isFailure = 'isFinal' in outcome;
  if (work.isWanted(rows) && isFailure && !outcome.isFinal) {
    const { message: problem, retryAt } = outcome;
    const now = ctx.clock().getTime();
    // The present attempt counts, whatever a worker of an earlier version has counted before.
    runbook.calls = Math.max(1, attemptsOf(runbook));
    if (outcome.isHostAway) {
      delayAfterHost(runbook, { now, retryAt, problem });
      runbook.uncountedCallAt = runbook.callAt ?? null;
    } else {
      const callAt = new Date(Math.max(now + pauseAfter(runbook.calls), retryAt ?? 0));
      Object.assign(runbook, { callAt, problem, failingSince: null });
    }
    return;
  }
  Object.assign(runbook, untried);
  if (!work.isWanted(rows)) return;
  await (isFailure ? work.fail(tx, rows, outcome.message) : outcome.write(tx, rows));
}

/**
 * Removes the folders of killed processes. The caller does not wait for the removal, because there may be many folders,
 * and they do not disturb the work.
 */
function cleanOnce(workDir: string): void {
  if (cleaned.has(workDir)) return;
  cleaned.add(workDir);
  void removeAbandonedFolders(workDir).catch(() => {});
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Reports the runbook's progress to its workflow while the agent works. Each report stays in the history of the
 * workflow, so the pauses between reports grow.
 */
function reportSometimes(report: () => Promise<void>): { readonly onChange: () => void; readonly end: () => void } {
  let pauseMs = firstPauseMs;
  let timer: NodeJS.Timeout | undefined;
  return {
    onChange: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
        void report();
      }, pauseMs);
    },
    end: () => clearTimeout(timer),
  };
}
