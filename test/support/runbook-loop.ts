// Runbooks driven without Temporal: a wake or a deadline is a turn, and what a turn leaves to be carried out is done beside
// the loop, as it is in a worker.
import { systemContext, type Ports, type Wake } from '../../src/context.ts';
import {
  advanceRunbook,
  carryOutRunbook,
  wakeDueRunbooks,
  type RunbookAttending,
} from '../../src/modules/runbooks/index.ts';

type Driven = Extract<Wake, { readonly runbookId: string }>;

export interface RunbookLoop {
  /** Null: nobody is there who could. */
  attending: RunbookAttending | null;
  wake(whose: Driven): void;
  /** What the relay would find within a minute of a killed process. */
  wakeOpen(ports: Ports): Promise<void>;
  run(ports: Ports, observe: () => Promise<void>): Promise<void>;
  /** Resolves when what was being carried out is done. */
  ended(): Promise<void>;
}

export function createRunbookLoop(): RunbookLoop {
  const woken = new Map<string, Driven>();
  const deadlines = new Map<string, { readonly whose: Driven; readonly at: number }>();
  const running = new Map<string, Promise<void>>();
  const loop: RunbookLoop = {
    attending: null,
    wake: (whose) => void woken.set(whose.runbookId, whose),
    async wakeOpen({ db }) {
      const open = await db.system.query<Driven>(
        'select account_id as "accountId", id as "runbookId" from runbook where next_look_at is not null',
      );
      for (const whose of open) loop.wake(whose);
    },
    async run(ports, observe) {
      await wakeDueRunbooks({ ...ports, wake: async (whose) => void ('runbookId' in whose && loop.wake(whose)) });
      for (const [key, { whose, at }] of deadlines)
        if (at <= ports.clock().getTime() && !running.has(key)) woken.set(key, whose);
      for (;;) {
        const next = woken.entries().next().value;
        if (next === undefined) return;
        const [key, whose] = next;
        woken.delete(key);
        await turn(ports, { key, whose });
        await observe();
      }
    },
    ended: async () => void (await Promise.all(running.values())),
  };
  return loop;

  async function turn(ports: Ports, { key, whose }: { readonly key: string; readonly whose: Driven }): Promise<void> {
    const ctx = systemContext(ports, whose.accountId);
    const { need, nextLookAt } = await advanceRunbook(ctx, whose.runbookId);
    deadlines.delete(key);
    if (nextLookAt !== null) deadlines.set(key, { whose, at: nextLookAt });
    const { attending } = loop;
    if ((need !== 'call' && need !== 'attend') || attending === null || running.has(key)) return;
    running.set(
      key,
      carryOutRunbook(ctx, whose.runbookId, attending)
        .then(
          (words) => ctx.log.debug({ words }, 'carried out'),
          (error: unknown) => ctx.log.error({ error: String(error) }, 'carrying out failed'),
        )
        .then(() => {
          running.delete(key);
          woken.set(key, whose);
        }),
    );
    // A call is over in a moment, and what comes of it is the next turn's. An agent may wait for the test.
    await Promise.race([running.get(key), new Promise((resolve) => setTimeout(resolve, 250))]);
  }
}
