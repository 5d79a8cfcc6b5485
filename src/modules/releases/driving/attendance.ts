// A run that lives only while somebody attends to it, under the lease of its row: started again under the same key when
// its worker is lost.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { takeLease } from '../../../platform/lease.ts';
import type { ProviderReading, ProviderRun, Providers } from '../../../platform/providers/index.ts';
import type { Secrets } from '../../accounts/index.ts';
import { openRunLog } from '../logs/log.writer.ts';
import { readingText } from './provider-call.ts';

/** What carrying out needs beside the ports. */
export interface Attending {
  readonly providers: Providers;
  readonly secrets: Secrets;
  /** Aborted when this process can attend no longer. The run is stopped, and another process starts it again. */
  readonly signal?: AbortSignal;
}

export interface Attended {
  readonly table: 'deployment' | 'release_candidate';
  readonly id: string;
  readonly run: ProviderRun;
  /** Gives the lease back and writes how it ended, if that attendant still has it. */
  conclude(tx: Transaction, reading: ProviderReading, attendant: string): Promise<void>;
}

const subjects = { deployment: 'deployment', release_candidate: 'build' } as const;
const leases = {
  deployment: { wanted: "status = 'in_progress'", kept: "status in ('in_progress', 'canceling')" },
  release_candidate: { wanted: "status = 'building'", kept: "status = 'building'" },
} as const;

export async function attend(ctx: Context, { providers, signal }: Attending, attended: Attended): Promise<string> {
  const { run, table, id } = attended;
  if (run.settings.kind === 'none') throw new Error('There is no provider to attend to.');
  const provider = providers(run.settings.kind);
  if (provider.shape !== 'attended') throw new Error(`The provider ${run.settings.kind} is called, not attended to.`);
  const lease = await takeLease(ctx, { table, id, ...leases[table] });
  if (lease === null) return 'somebody else attends to it';
  const log = openRunLog(ctx, table === 'deployment' ? { deploymentId: id } : { candidateId: id });
  if (lease.times > 1)
    log.write(`[interlock] Its worker was lost. It is started again, as attempt ${lease.times} of the same run.\n`);
  const stop = signal === undefined ? lease.signal : AbortSignal.any([lease.signal, signal]);
  try {
    await passFailpoint(`${subjects[table]}:attending`);
    const reading = await provider.run(run, { signal: stop, onOutput: (text) => log.write(text) });
    await passFailpoint(`${subjects[table]}:attended`);
    // Stopped by us, and not because nobody wants it any more.
    if (reading.state === 'canceled' && (signal?.aborted || lease.isLost())) {
      log.write('[interlock] Its worker cannot go on with it. Another starts it again.\n');
      await lease.giveBack();
      throw new Error('This worker cannot go on; another starts the run again.');
    }
    // Who follows the log has all of it before it is over.
    await log.close();
    await lease.write(
      async () =>
        await ctx.db.transaction(ctx.accountId, async (tx) => await attended.conclude(tx, reading, lease.attendant)),
    );
    return readingText(reading);
  } finally {
    await lease.end();
    await log.close();
  }
}
