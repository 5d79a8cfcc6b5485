import { setTimeout as delay } from 'node:timers/promises';
import { systemContext, type Context, type Ports } from '../../src/context.ts';
import { advanceQueue, carryOut, type Advance } from '../../src/modules/queue/index.ts';
import { runActivity } from '../shared/activities.ts';
import type { QueueInput } from './messages.ts';

export interface QueueActivities {
  advanceQueue(input: QueueInput): Promise<Advance>;
  /** Tries all of them, and throws when one failed: it stays open, and the next turn finds it again. */
  carryOut(input: { readonly accountId: string; readonly intents: readonly string[] }): Promise<void>;
}

// A thousand changes in the same moment are one plan. Waited for here and not in the workflow, where a timer would
// cost five events of its history in every turn.
const coalesceMs = 75;

// An activity of its own costs six events of history, so short notifications are sent by the turn that planned them.
// A landing waits for no notification, and the turn after it sends them as well.
const sendWithinMs = 1_000;

async function sendAtOnce(ctx: Context, effects: Advance['effects']): Promise<Advance['effects']> {
  if (effects.some(({ isNotification }) => !isNotification)) return effects;
  const deadline = performance.now() + sendWithinMs;
  const left: Advance['effects'][number][] = [];
  for (const effect of effects) {
    const intents = [...effect.intents];
    // What fails is tried again where its failures are seen, by `carryOut`.
    while (intents[0] !== undefined && performance.now() < deadline && (await isCarriedOut(ctx, intents[0])))
      intents.shift();
    if (intents.length > 0) left.push({ ...effect, intents });
  }
  return left;
}

async function isCarriedOut(ctx: Context, intentId: string): Promise<boolean> {
  return await carryOut(ctx, intentId).then(
    () => true,
    () => false,
  );
}

export function createQueueActivities(ports: Ports): QueueActivities {
  return {
    advanceQueue: async ({ accountId, queueId }) =>
      await runActivity(async () => {
        await delay(coalesceMs);
        const ctx = systemContext(ports, accountId);
        const advance = await advanceQueue(ctx, queueId);
        return { ...advance, effects: await sendAtOnce(ctx, advance.effects) };
      }),
    carryOut: async ({ accountId, intents }) =>
      await runActivity(async () => {
        const errors: unknown[] = [];
        for (const intentId of intents)
          await carryOut(systemContext(ports, accountId), intentId).catch((error: unknown) => errors.push(error));
        if (errors.length === 1) throw errors[0];
        if (errors.length > 1)
          throw new AggregateError(
            errors,
            `${errors.length} of ${intents.length} failed: ${errors.map(String).join('; ')}`,
          );
      }),
  };
}
