// Carries out deployments and builds. It makes one call to a provider, or supervises a run in this process. A provider
// that is called twice with the key of one run starts only one run.
import { retryAtOf } from '../../../hosts/port.ts';
import { NotFoundError } from '@mikro-orm/core';
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { ProviderCall, RunStep } from '../../../domain/releases/drive.ts';
import { isDatabaseError, type Transaction } from '../../../platform/database.ts';
import { cutText } from '../../../platform/storable-text.ts';
import { ProviderRefused, type ProviderReading } from '../../../platform/providers/port.ts';
import {
  WorkHandedOver,
  writeDone,
  type CarryOut,
  type WorkOutcome,
  type DueStep,
  type KindTypes,
} from '../../../platform/turns/index.ts';
import { superviseRun, type SupervisedRun, type ReleaseDriving } from './supervise-run.ts';
import { callProvider, outcomeText, type CallOutcome } from './provider-call.ts';
import type { RunOrRefusal } from './provider-run.ts';

interface ProviderTypes extends KindTypes {
  readonly left: RunStep | { readonly kind: 'ended' };
  readonly by: ReleaseDriving;
}

/** The part in which deployments and builds differ. */
export interface ProviderWork<T extends ProviderTypes> extends Pick<SupervisedRun<T>, 'kind' | 'subject' | 'endsAt'> {
  runOf(driving: ReleaseDriving, rows: T['rows'], now: Date): RunOrRefusal;
  /** The provider's name for the run. Null: the provider has given no name. */
  nameOf(rows: T['rows']): string | null;
  /** Writes the outcome of a call, if the outcome is still needed. */
  writeCallOutcome(ctx: Context, tx: Transaction, called: MadeCall<T>): Promise<void>;
  /** Writes the result of a supervised run, if the result is still needed. */
  writeRunResult(ctx: Context, tx: Transaction, ended: EndedRun<T>): Promise<void>;
  /** Delays the next call after a failure with this message. */
  delayNextCall(ctx: Context, rows: T['rows'], message: string): void;
}

export interface MadeCall<T extends ProviderTypes> {
  /** The rows after the call. */
  readonly rows: T['rows'];
  readonly due: DueStep<T>;
  readonly call: ProviderCall;
  readonly outcome: CallOutcome;
}

export interface EndedRun<T extends ProviderTypes> {
  /** The rows after the run. */
  readonly rows: T['rows'];
  readonly due: DueStep<T>;
  readonly reading: ProviderReading;
}

export function carryOutByProvider<T extends ProviderTypes>(work: ProviderWork<T>): CarryOut<T> {
  const { kind, subject } = work;
  return {
    kind,
    call: async (ctx, due, driving) => {
      const run = work.runOf(driving, due.rows, ctx.clock());
      return await callBy(ctx, work, { due, run, call: due.step.call, driving });
    },
    supervise: async (ctx, due, driving) => {
      const run = work.runOf(driving, due.rows, ctx.clock());
      if (run instanceof ProviderRefused)
        return await writeDone(
          ctx,
          { kind, id: due.id },
          await callBy(ctx, work, { due, run, call: 'trigger', driving }),
        );
      const conclude: SupervisedRun<T>['conclude'] = async (tx, rows, reading) =>
        await work.writeRunResult(ctx, tx, { rows, due, reading });
      return await superviseRun(ctx, { due, by: driving }, { kind, subject, run, endsAt: work.endsAt, conclude });
    },
    failureOf: ({ log }, error, { id, by: { signal } }) => {
      if (!mustBeWritten(error, signal)) return null;
      const retryAt = retryAtOf(error);
      if (retryAt !== null)
        return { message: error instanceof Error ? error.message : String(error), isFinal: false, retryAt };
      log.error(
        { ...kind.whose(id), error },
        'An error in Interlock interrupted a call to a provider or a supervised run.',
      );
      return { message: messageOf(error), isFinal: false };
    },
    // An error of Interlock itself is written to the row like a failure of the provider. The call is tried again after
    // a back-off, until the time limit of the deployment or the build.
    fail: async (ctx, tx, { rows, message }) => {
      const step = kind.decide(await kind.read(ctx, tx, rows), ctx.clock().getTime());
      if (step.kind === 'call') work.delayNextCall(ctx, rows, message);
      // A supervised run needs no back-off: its lease counts the attempts, and the next attempt starts when the lease
      // ends.
      else if (step.kind !== 'ended') kind.rowOf(rows).problem = message;
    },
  };
}

async function callBy<T extends ProviderTypes>(
  ctx: Context,
  work: ProviderWork<T>,
  {
    due,
    run,
    call,
    driving,
  }: {
    readonly due: DueStep<T>;
    readonly run: RunOrRefusal;
    readonly call: ProviderCall;
    readonly driving: ReleaseDriving;
  },
): Promise<WorkOutcome<T>> {
  const name = work.nameOf(due.rows);
  const outcome = await callProvider(driving.providers, { run, name, call, subject: work.subject });
  return {
    message: outcomeText(outcome),
    write: async (tx, rows) => await work.writeCallOutcome(ctx, tx, { rows, due, call, outcome }),
  };
}

/**
 * Whether the error is written to the row. False if the rows were deleted. Also false if this worker is stopping,
 * because another worker then continues.
 */
function mustBeWritten(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted || error instanceof WorkHandedOver) return false;
  return !(error instanceof NotFoundError || (error instanceof DomainError && error.code === 'NOT_FOUND'));
}

const maxCharacters = 500;

/**
 * The text of an error for users. The message of a database error is left out, because it may contain SQL. The log has
 * the whole error.
 */
function messageOf(error: unknown): string {
  if (!(error instanceof Error) || isDatabaseError(error))
    return 'An error in Interlock interrupted the run. The log of Interlock says why.';
  return cutText(`An error in Interlock interrupted the run: ${error.message}`, maxCharacters);
}
