// Supervises a run that cannot outlive its worker. If the worker is lost, another worker starts the run again with the
// same key.
import type { Context } from '../../../context.ts';
import { hostFailureOf } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { withoutLimit, type InTurn } from '../../../platform/at-most.ts';
import type { ProviderReading, ProviderRun, Providers } from '../../../platform/providers/index.ts';
import {
  WorkHandedOver,
  supervise,
  type DueStep,
  type Kind,
  type KindTypes,
  type SupervisedWork,
} from '../../../platform/turns/index.ts';
import type { Secrets } from '../../accounts/index.ts';
import { openRunLog } from '../logs/run-log.ts';
import { readingText, type Subject } from './provider-call.ts';

/** What a worker needs, besides the ports, to carry out deployments and builds. */
export interface ReleaseDriving {
  readonly providers: Providers;
  readonly secrets: Secrets;
  /** Limits how many builds run commands at once. Left out: there is no limit. Deployments never wait. */
  readonly buildsInTurn?: InTurn;
  /** Aborted when this process stops. Then the run stops, and another process starts it again. */
  readonly signal?: AbortSignal;
}

export interface SupervisedRun<T extends KindTypes> {
  readonly kind: Kind<T>;
  readonly subject: Subject;
  readonly run: ProviderRun;
  /**
   * When a turn ends the run at the latest, waits and checkouts included, in milliseconds since the epoch. Null: only the
   * command has a time limit.
   */
  readonly endsAt: (rows: T['rows']) => number | null;
  /** Writes the result of the run. */
  readonly conclude: (tx: Transaction, rows: T['rows'], reading: ProviderReading) => Promise<void>;
}

const leases = {
  deployment: {
    table: 'deployment',
    wanted: "status = 'in_progress'",
    kept: "status in ('in_progress', 'canceling')",
  },
  build: {
    table: 'release_candidate',
    wanted: "status = 'building' and cancel_requested_at is null",
    kept: "status = 'building'",
  },
} as const;

export async function superviseRun<T extends KindTypes & { readonly by: ReleaseDriving }>(
  ctx: Context,
  { due, by }: { readonly due: DueStep<T>; readonly by: ReleaseDriving },
  { kind, subject, run, endsAt, conclude }: SupervisedRun<T>,
): Promise<string> {
  const { id } = due;
  if (run.settings.kind === 'none') throw new Error('There is no provider to supervise.');
  const provider = by.providers(run.settings.kind);
  if (provider.shape !== 'supervised') throw new Error(`The provider ${run.settings.kind} is called, not supervised.`);
  return await supervise(ctx, {
    kind,
    due,
    by,
    leased: { id, ...leases[subject] },
    isUrgent: subject === 'deployment',
    openLog: () => openRunLog(ctx, subject === 'deployment' ? { deploymentId: id } : { candidateId: id }),
    again: (attempt) => `The run is started again: attempt ${attempt}.`,
    hostFailureOf,
    work: async ({ log, signal, isHandedOver, write }) => {
      await passFailpoint(`${subject}:supervising`);
      const runNow = async (): Promise<ProviderReading> =>
        await provider.run(run, { signal, onOutput: (text) => log.write(text) });
      const turning = turnAtEnd(ctx, {
        firstEndsAt: endsAt(due.rows),
        readEndsAt: async () => await write(async (_tx, rows) => await Promise.resolve(endsAt(rows))),
        takeTurn: due.report,
      });
      const running = subject === 'build' ? runBuildInTurn(by, runNow, { log, signal }) : runNow();
      const reading = await running.finally(turning.stop);
      await passFailpoint(`${subject}:supervised`);
      // The run was stopped because this process stops, and not because of a cancellation.
      if (reading.state === 'canceled' && isHandedOver()) throw new WorkHandedOver();
      return {
        message: readingText(reading),
        write: async (tx, rows) => await conclude(tx, rows, reading),
      };
    },
  });
}

async function runBuildInTurn(
  { buildsInTurn = withoutLimit }: ReleaseDriving,
  runNow: () => Promise<ProviderReading>,
  { log, signal }: Pick<SupervisedWork<KindTypes>, 'log' | 'signal'>,
): Promise<ProviderReading> {
  let hasBegun = false;
  const begin = async (): Promise<ProviderReading> => {
    hasBegun = true;
    return await runNow();
  };
  const onWait = (): void => log.write('[interlock] The build waits until this worker has room for it.\n');
  return await buildsInTurn(begin, { signal, onWait }).catch((error: unknown): ProviderReading => {
    if (hasBegun || !signal.aborted) throw error;
    return { state: 'canceled', message: 'Canceled before it began', url: null };
  });
}

/** A command gets a moment to end by its own time limit, whose message is more precise. */
const afterEndMs = 2_000;
const againAfterMs = 60_000;

/**
 * Lets the workflow take a turn when the time of a supervised run is over. That turn ends the run, and the work stops
 * because the row no longer wants it. The workflow itself waits for the end of the supervised work. The end is read
 * again each minute, because a user may have shortened the time limit.
 */
export function turnAtEnd(
  { clock }: Pick<Context, 'clock'>,
  {
    firstEndsAt,
    readEndsAt,
    takeTurn,
  }: {
    readonly firstEndsAt: number | null;
    /** Reads the present end, in milliseconds since the epoch. Null: there is no time limit any more. */
    readonly readEndsAt: () => Promise<number | null>;
    readonly takeTurn: () => Promise<void>;
  },
): { readonly stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const lookIn = (ms: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => void look().catch(() => lookIn(againAfterMs)), Math.min(ms, againAfterMs));
  };
  const leftMs = (endsAt: number): number => Math.max(0, endsAt + afterEndMs - clock().getTime());
  async function look(): Promise<void> {
    const endsAt = await readEndsAt();
    if (endsAt === null) return;
    const left = leftMs(endsAt);
    if (left === 0) await takeTurn();
    lookIn(left === 0 ? againAfterMs : left);
  }
  if (firstEndsAt !== null) lookIn(leftMs(firstEndsAt));
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
