// Compares transactions that append an event with the same transactions without an event. Four sessions at once change
// one row in each transaction, while the sequencer gives the events their positions.
import { pino } from 'pino';
import { appendEvents } from '../src/modules/events/append.ts';
import { createSequencer } from '../src/modules/events/sequencer.ts';
import type { Context } from '../src/context.ts';
import { figure, type Figure } from './figures.ts';
import { withInstallation } from './installation.ts';

const atOnce = 4;
const rounds = 5;

export async function measureEvents(commits: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  await withInstallation(async ({ account, repository }) => {
    const accounts: { ctx: Context; repositoryId: string }[] = [];
    for (let n = 0; n < atOnce; n += 1) {
      const ctx = await account(`writer ${n}`);
      accounts.push({ ctx, repositoryId: await repository(ctx, 'shop') });
    }
    const first = accounts[0];
    if (first === undefined) return;
    const sequencer = createSequencer({ db: first.ctx.db, log: pino({ level: 'warn' }) });
    sequencer.start();
    const write = async (withEvents: boolean): Promise<number> => {
      const began = performance.now();
      await Promise.all(
        accounts.map(async ({ ctx, repositoryId }) => {
          for (let n = 0; n < commits / atOnce; n += 1) {
            await ctx.db.transaction(ctx.accountId, async (tx) => {
              await tx.query('update repository set configuration_hash = $3 where account_id = $1 and id = $2', [
                ctx.accountId,
                repositoryId,
                String(n),
              ]);
              if (withEvents) await appendEvents(ctx, tx, [{ repositoryId, action: 'queued', payload: { number: n } }]);
            });
            if (withEvents) sequencer.nudge();
          }
        }),
      );
      return commits / ((performance.now() - began) / 1_000);
    };
    await write(true);
    await write(false);
    // Transactions with and without events are measured in turn, so that a disturbance of the machine affects both.
    const rates = { with: [] as number[], without: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      rates.without.push(await write(false));
      rates.with.push(await write(true));
    }
    await sequencer.stop();
    const median = (samples: readonly number[]): number => samples.toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN;
    figures.push(
      figure({
        what: 'commits with an event, compared with commits without events',
        today: median(rates.with),
        rival: median(rates.without),
        unit: 'a second',
        atLeast: 0.9,
      }),
    );
  });
  return figures;
}
