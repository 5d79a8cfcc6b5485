// The engine without Temporal: a wake puts a queue on a list, and the list is worked off one turn at a time. What holds
// here holds by the engine's own records; Temporal only schedules it.
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
  /** Turns until nothing is left to do now. What waits for CI is left for the next wake. */
  run(ports: Ports): Promise<void>;
  /**
   * Resolves at the next wake. Resolves after a tenth of a second anyway: deadlines pass, and other processes wake
   * nobody here.
   */
  woken(): Promise<void>;
  /** Called after every step of a turn. */
  observe: () => Promise<void>;
}

/** Before each further try of a call that failed, as Temporal does for activities. */
const pausesMs = [200, 400, 800, 1_600] as const;

async function tryAgain<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs)
    try {
      return await work();
    } catch {
      await delay(pauseMs);
    }
  return await work();
}

/** `retries`: a call that fails is tried again by itself, and what else there is to do in the turn goes on. */
export function createPlainLoop({ retries = false }: { readonly retries?: boolean } = {}): PlainLoop {
  const woken = new Map<string, string>();
  // A wake since the last run began.
  let isWoken = false;
  let onWake = (): void => {};
  const stir = (): void => {
    isWoken = true;
    onWake();
  };
  const releases = createReleaseLoop(stir);
  const runbooks = createRunbookLoop(stir);
  const verifications = createVerificationLoop(stir);
  const loop: PlainLoop = {
    releases,
    runbooks,
    verifications,
    observe: async () => {},
    wake: async (whose) => {
      if ('queueId' in whose) {
        woken.set(whose.queueId, whose.accountId);
        stir();
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

  /** As the relay: deadlines that are past. */
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

  /** What fails five times stays open in the database, and the next turn finds it. */
  async function call(work: () => Promise<unknown>): Promise<void> {
    if (retries) await tryAgain(work).catch(() => {});
    else await work();
  }
}
