// The agent works only while somebody attends to it, under the lease of the runbook's row: begun again when its worker is
// lost. What it comes to is written where the row still says that it is wanted.
import { once } from 'node:events';
import type { Context } from '../../../context.ts';
import { pastItsLimit, pauseAfter, type AgentWork } from '../../../domain/runbooks/drive.ts';
import { HostRefused } from '../../../hosts/port.ts';
import { unattended } from '../../../platform/turns/columns.ts';
import { AgentBusy, AgentRefused, BudgetSpent } from '../../../platform/agents/port.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { takeLease, type Lease } from '../../../platform/turns/lease.ts';
import { createMask, masked } from '../../../platform/providers/mask.ts';
import { removeAbandonedFolders } from '../../../platform/sandbox/index.ts';
import { tellingStatus } from '../steps.writer.ts';
import type { RunbookAttending } from './attending.ts';
import { HostAway } from './bases.ts';
import { workOnLeaf } from './leaf.ts';
import { planPrompt } from './planning.ts';
import { untried } from './runbook.advance.ts';
import type { Done, Work } from './work.ts';
import { lockRows } from './runbook.rows.ts';
import { openRunbookLog } from './session.rows.ts';

const atRest = { ...unattended, dueAt: null };
const longestTimerMs = 2 ** 31 - 1;
const cleaned = new Set<string>();

export async function attend(
  ctx: Context,
  runbookId: string,
  { work: wanted, attending }: { readonly work: AgentWork; readonly attending: RunbookAttending },
): Promise<string> {
  const work = wanted.kind === 'plan' ? planPrompt(ctx, wanted.prompt) : workOnLeaf(ctx, wanted.leafId);
  const lease = await takeLease(ctx, { table: 'runbook', id: runbookId, ...work.leased });
  if (lease === null) return 'somebody else attends to it';
  const log = openRunbookLog(ctx, { runbookId, stepId: wanted.kind === 'plan' ? null : wanted.leafId });
  const mask = createMask(attending.secret, log.write);
  const telling = tellSometimes(ctx, runbookId);
  if (lease.times > 1) mask.write(`[interlock] It is begun again, for the ${lease.times}. time.\n`);
  const { stepLimitMs } = attending;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.min(stepLimitMs, longestTimerMs));
  const signal = AbortSignal.any([
    lease.signal,
    late.signal,
    ...(attending.signal === undefined ? [] : [attending.signal]),
  ]);
  try {
    cleanOnce(attending.workDir);
    const begun = await lease.write(
      async () =>
        await ctx.db.transaction(ctx.accountId, async (tx) => {
          const rows = await lockRows(ctx, tx, runbookId);
          if (!work.isWanted(rows)) return null;
          rows.runbook.dueAt = new Date(ctx.clock().getTime() + stepLimitMs);
          await tellingStatus(ctx, tx, rows.runbook, async () => await work.begin(tx, rows));
          return rows;
        }),
    );
    if (begun === null) return await release(ctx, runbookId, lease);
    await passFailpoint(`runbook:attending_${wanted.kind}`);
    telling.onChange();
    const attended = { ctx, runbookId, attending, signal, write: mask.write, onChange: telling.onChange };
    // An agent that does not hear that it is stopped is left alone.
    const carriedOut = Promise.race([work.carryOut(attended, begun), aborted(late.signal)]);
    const outcome = await carriedOut.catch((error: unknown) =>
      late.signal.aborted ? asLate(wanted, stepLimitMs) : asFailure(attending, error),
    );
    if (signal.aborted && (attending.signal?.aborted || lease.isLost())) {
      mask.write('[interlock] Its worker cannot go on with it. Another begins it again.\n');
      await lease.giveBack();
      throw new Error('This worker cannot go on; another begins the work again.');
    }
    // Who follows the log has all of it before it is over.
    mask.write(`\n[interlock] ${outcome.words}\n`);
    mask.end();
    await log.close();
    await passFailpoint(`runbook:before_${wanted.kind}_written`);
    const words = await lease.write(async () => await conclude(ctx, { runbookId, lease, work, outcome }));
    await passFailpoint(`runbook:after_${wanted.kind}_written`);
    return words;
  } finally {
    clearTimeout(timer);
    telling.end();
    await lease.end();
    mask.end();
    await log.close();
  }
}

interface Failure {
  readonly words: string;
  readonly isFinal: boolean;
  readonly isHostAway: boolean;
  /** What whoever was asked wants it to be left alone for. */
  readonly waitMs: number;
}

type Outcome = Done | Failure;

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

function asLate({ kind }: AgentWork, limitMs: number): Failure {
  return { words: pastItsLimit(kind, limitMs), isFinal: true, isHostAway: false, waitMs: 0 };
}

function asFailure({ secret }: RunbookAttending, error: unknown): Outcome {
  const isFinal = error instanceof AgentRefused || error instanceof BudgetSpent || error instanceof HostRefused;
  const words = error instanceof Error ? error.message : String(error);
  return {
    words: masked(secret, words).slice(0, 2_000).toWellFormed() || 'It failed without a word.',
    isFinal,
    isHostAway: error instanceof HostAway,
    waitMs: error instanceof AgentBusy ? error.waitMs : 0,
  };
}

async function conclude(
  ctx: Context,
  { runbookId, lease, work, outcome }: { runbookId: string; lease: Lease; work: Work; outcome: Outcome },
): Promise<string> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const rows = await lockRows(ctx, tx, runbookId);
    const { runbook } = rows;
    if (runbook.attendedBy !== lease.attendant) return 'somebody else attends to it by now';
    Object.assign(runbook, atRest);
    if (!work.isWanted(rows)) {
      Object.assign(runbook, untried);
      return 'it was not wanted any more';
    }
    await tellingStatus(ctx, tx, runbook, async () => {
      if ('isFinal' in outcome && !outcome.isFinal) {
        // Times it was begun in vain since the host was away count from there on.
        if (!outcome.isHostAway && runbook.failingSince) runbook.calls = 1;
        runbook.failingSince = outcome.isHostAway ? (runbook.failingSince ?? ctx.clock()) : null;
        const pauseMs = Math.max(pauseAfter(runbook.calls), outcome.waitMs);
        runbook.callAt = new Date(ctx.clock().getTime() + pauseMs);
        runbook.problem = outcome.words;
        return;
      }
      Object.assign(runbook, untried);
      await ('write' in outcome ? outcome.write(tx, rows) : work.fail(tx, rows, outcome.words));
    });
    return outcome.words;
  });
}

async function release(ctx: Context, runbookId: string, lease: Lease): Promise<string> {
  await lease.write(
    async () =>
      await ctx.db.transaction(ctx.accountId, async (tx) => {
        const { runbook } = await lockRows(ctx, tx, runbookId);
        if (runbook.attendedBy === lease.attendant) Object.assign(runbook, { ...atRest, ...untried });
      }),
  );
  return 'it was not wanted any more';
}

/** What killed processes left, beside the work: there may be much of it, and none of it is in the way. */
function cleanOnce(workDir: string): void {
  if (cleaned.has(workDir)) return;
  cleaned.add(workDir);
  void removeAbandonedFolders(workDir).catch(() => {});
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** Has the runbook shown anew while its agent works: ever more seldom, as each time is kept for ever. */
function tellSometimes(ctx: Context, runbookId: string): { readonly onChange: () => void; readonly end: () => void } {
  let pauseMs = firstPauseMs;
  let timer: NodeJS.Timeout | undefined;
  return {
    onChange: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
        void ctx.wake({ accountId: ctx.accountId, runbookId });
      }, pauseMs);
    },
    end: () => clearTimeout(timer),
  };
}
