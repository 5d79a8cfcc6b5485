// How deployments and builds are carried out alike: by one call to a provider, or by attending to what runs here. Called
// twice under the key of the run, a provider does it once.
import { retryAtOf } from '../../../hosts/port.ts';
import { DriverException, NotFoundError } from '@mikro-orm/core';
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { ProviderCall, RunStep } from '../../../domain/releases/drive.ts';
import type { Transaction } from '../../../platform/database.ts';
import { ProviderRefused, type ProviderReading } from '../../../platform/providers/port.ts';
import { writeDone, type CarryOut, type Done, type Due, type KindTypes } from '../../../platform/turns/index.ts';
import { attend, type Attended, type Attending } from './supervise-run.ts';
import { callProvider, outcomeText, type CallOutcome } from './provider-call.ts';
import type { RunOrRefusal } from './provider-run.ts';

interface ProviderTypes extends KindTypes {
  readonly left: RunStep | { readonly kind: 'ended' };
  readonly by: Attending;
}

export interface ByProvider<T extends ProviderTypes> extends Pick<Attended<T>, 'kind' | 'subject'> {
  runOf(attending: Attending, rows: T['rows'], now: Date): RunOrRefusal;
  /** What the provider calls the run. Null: it has not said. */
  nameOf(rows: T['rows']): string | null;
  /** Writes what came of a call, where that is still wanted. */
  conclude(ctx: Context, tx: Transaction, rows: T['rows'], called: Called<T>): Promise<void>;
  /** Writes how what was attended to ended, where that is still wanted. */
  end(ctx: Context, tx: Transaction, rows: T['rows'], ended: Ended<T>): Promise<void>;
  putOff(ctx: Context, rows: T['rows'], words: string): void;
}

export interface Called<T extends ProviderTypes> {
  readonly due: Due<T>;
  readonly call: ProviderCall;
  readonly outcome: CallOutcome;
}

export interface Ended<T extends ProviderTypes> {
  readonly due: Due<T>;
  readonly reading: ProviderReading;
}

export function carryOutByProvider<T extends ProviderTypes>(by: ByProvider<T>): CarryOut<T> {
  const { kind, subject } = by;
  return {
    kind,
    call: async (ctx, due, attending) => {
      const run = by.runOf(attending, due.rows, ctx.clock());
      return await callBy(ctx, by, { due, run, call: due.step.call, attending });
    },
    attend: async (ctx, due, attending) => {
      const run = by.runOf(attending, due.rows, ctx.clock());
      if (run instanceof ProviderRefused)
        return await writeDone(
          ctx,
          { kind, id: due.id },
          await callBy(ctx, by, { due, run, call: 'trigger', attending }),
        );
      const conclude: Attended<T>['conclude'] = async (tx, rows, reading) =>
        await by.end(ctx, tx, rows, { due, reading });
      return await attend(ctx, { due, by: attending }, { kind, subject, run, conclude });
    },
    failureOf: ({ log }, error, { id, by: { signal } }) => {
      if (!isOwnFailure(error, signal)) return null;
      const retryAt = retryAtOf(error);
      if (retryAt !== null)
        return { words: error instanceof Error ? error.message : String(error), isFinal: false, retryAt };
      log.error({ ...kind.whose(id), error }, 'A provider could not be called, or attended to.');
      return { words: wordsOf(error), isFinal: false };
    },
    // What fails in here and not at the provider is kept in the row like the provider's own failures: tried again after a
    // while, shown, and ended by the time of the deployment or the build.
    fail: async (ctx, tx, rows, { words }) => {
      const step = kind.decide(await kind.read(ctx, tx, rows), ctx.clock().getTime());
      // Attempts of an attendant are counted by its lease, and the next attempt waits until the lease ends.
      if (step.kind === 'call') by.putOff(ctx, rows, words);
      else if (step.kind !== 'ended') kind.rowOf(rows).problem = words;
    },
  };
}

async function callBy<T extends ProviderTypes>(
  ctx: Context,
  by: ByProvider<T>,
  {
    due,
    run,
    call,
    attending,
  }: {
    readonly due: Due<T>;
    readonly run: RunOrRefusal;
    readonly call: ProviderCall;
    readonly attending: Attending;
  },
): Promise<Done<T>> {
  const name = by.nameOf(due.rows);
  const outcome = await callProvider(attending.providers, { run, name, call, subject: by.subject });
  return {
    words: outcomeText(outcome),
    write: async (tx, rows) => await by.conclude(ctx, tx, rows, { due, call, outcome }),
  };
}

/** False for rows that are gone and for a worker that stops: the first needs nothing more, the second another worker. */
function isOwnFailure(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted) return false;
  return !(error instanceof NotFoundError || (error instanceof DomainError && error.code === 'NOT_FOUND'));
}

const longestWords = 500;

/** For people who read the run; the log has all of it. What a database says may show its statements. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error) || error instanceof DriverException)
    return 'The service failed at it: its log says why.';
  return `The service failed at it: ${error.message}`.slice(0, longestWords);
}
