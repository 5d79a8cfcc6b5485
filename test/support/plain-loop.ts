// The engine without Temporal. A wake puts a queue on a list, and the loop takes one turn at a time. So tests show that
// guarantees follow from the records of the engine: Temporal only schedules turns.
import { setTimeout as delay } from 'node:timers/promises';
import { systemContext, type Ports } from '../../src/context.ts';
import { advanceQueue, carryOutAll, driveBatch } from '../../src/modules/queue/index.ts';
import {
  createReleaseLoop,
  createRunbookLoop,
  createVerificationLoop,
  type ReleaseLoop,
  type RunbookLoop,
  type VerificationLoop,
} from './driven-loop.ts';

export interface PlainLoop {
  wake: Ports['wake'];
  readonly releases: ReleaseLoop;
  readonly runbooks: RunbookLoop;
  readonly verifications: VerificationLoop;
  /** Takes turns until no work can be done now. Work that waits for CI is done after the next wake. */
  run(ports: Ports): Promise<void>;
  /**
   * Resolves at the next wake, and after a tenth of a second at the latest, because deadlines pass, and wakes of other
   * processes do not reach this loop.
   */
  woken(): Promise<void>;
  /** Called after every step of a turn. */
  observe: () => Promise<void>;
}

/** The pauses before the retries of a failed call, as Temporal makes them for activities. */
const pausesMs = [200, 400, 800, 1_600] as const;

async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs)
    try {
      return await work();
    } catch {
      await delay(pauseMs);
    }
  return await work();
}

/** `retries`: whether a failed call is retried, and the rest of the turn continues. */
export function createPlainLoop({ retries = false }: { readonly retries?: boolean } = {}): PlainLoop {
  const woken = new Map<string, string>();
  // Whether there was a wake since the last run began.
  let isWoken = false;
  let onWake = (): void => {};
  const noteWake = (): void => {
    isWoken = true;
    onWake();
  };
  const releases = createReleaseLoop(noteWake);
  const runbooks = createRunbookLoop(noteWake);
  const verifications = createVerificationLoop(noteWake);
  const loop: PlainLoop = {
    releases,
    runbooks,
    verifications,
    observe: async () => {},
    wake: async (whose) => {
      if ('queueId' in whose) {
        woken.set(whose.queueId, whose.accountId);
        noteWake();
      } else if ('deploymentId' in whose || 'candidateId' in whose) releases.wake(whose);
      else if ('runbookId' in whose) runbooks.wake(whose);
      else if ('verificationId' in whose) verifications.wake(whose);
    },
    async woken() {
      if (isWoken) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        onWake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    async run(ports) {
      isWoken = false;
      await wakeDue(ports);
      for (;;) {
        const next = woken.entries().next().value;
        if (next === undefined) {
          await releases.run(ports, loop.observe);
          await runbooks.run(ports, loop.observe);
          await verifications.run(ports, loop.observe);
          if (woken.size > 0) continue;
          return;
        }
        const [queueId, accountId] = next;
        woken.delete(queueId);
        await turn(ports, accountId, queueId);
      }
    },
  };
  return loop;

  /** Wakes queues whose deadlines have passed, as the relay does. */
  async function wakeDue(ports: Ports): Promise<void> {
    const due = await ports.db.system.query<{ id: string; account_id: string }>(
      'select id, account_id from queue where next_look_at <= $1',
      [ports.clock().toISOString()],
    );
    for (const { id, account_id } of due) woken.set(id, account_id);
  }

  async function turn(ports: Ports, accountId: string, queueId: string): Promise<void> {
    const ctx = systemContext(ports, accountId);
    const advance = await advanceQueue(ctx, queueId);
    await loop.observe();
    for (const batch of advance.batches) {
      await call(async () => await driveBatch(ctx, batch.id));
      await loop.observe();
    }
    for (const { intents } of advance.effects) {
      await call(async () => {
        const [error] = await carryOutAll(ctx, intents);
        if (error !== undefined) throw error;
      });
      await loop.observe();
    }
  }

  /** A call that fails five times leaves its work open in the database, and the next turn finds it. */
  async function call(work: () => Promise<unknown>): Promise<void> {
    if (retries) await withRetries(work).catch(() => {});
    else await work();
  }
}
