import { quietFor, systemContext, type Context, type Ports } from '../../src/context.ts';
import { advanceQueue, carryOutAll, type Advance } from '../../src/modules/queue/index.ts';
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

// An activity of its own costs six events of history, and a wake five. So the turn that has planned a quick landing or
// short notifications carries them out, and a turn follows a landing at once. A landing waits for no notification: the
// turn after it sends them as well.
const sendWithinMs = 1_000;
/** At most this many intents are carried out with shared reads and writes. */
const mostTogether = 24;
/** The comment and the check of one pull request. Over a network they take as long as all of them at the local host. */
const firstTogether = 2;

/** Turns until no quick landing is left. What fails is tried again where its failures are seen, by `carryOut`. */
async function takeTurns(ctx: Context, queueId: string): Promise<Advance> {
  const beganAt = performance.now();
  for (let longestPauseMs = coalesceMs; ; longestPauseMs = 0) {
    const advance = await advanceQueue(ctx, queueId, { longestPauseMs });
    const landing = advance.effects.find(({ isQuickLanding }) => isQuickLanding);
    if (landing === undefined || performance.now() - beganAt > sendWithinMs) return advance;
    // The next turn follows in any case. If this process dies before, the whole of this is done again.
    if (!(await areCarriedOut(quietFor(ctx, { queueId }), landing.intents))) return advance;
  }
}

async function sendAtOnce(ctx: Context, effects: Advance['effects']): Promise<Advance['effects']> {
  if (effects.some(({ isNotification }) => !isNotification)) return effects;
  const beganAt = performance.now();
  const left: Advance['effects'][number][] = [];
  let sent = 0;
  for (const effect of effects) {
    const intents = [...effect.intents];
    while (intents.length > 0) {
      const spentMs = performance.now() - beganAt;
      const expected = sent === 0 ? firstTogether : Math.floor(((sendWithinMs - spentMs) * sent) / spentMs);
      if (expected < 1) break;
      const together = intents.slice(0, Math.min(mostTogether, expected));
      // What fails is tried again where its failures are seen, by `carryOut`.
      if (!(await areCarriedOut(ctx, together))) break;
      sent += together.length;
      intents.splice(0, together.length);
    }
    if (intents.length > 0) left.push({ ...effect, intents });
  }
  return left;
}

async function areCarriedOut(ctx: Context, intents: readonly string[]): Promise<boolean> {
  return await carryOutAll(ctx, intents).then(
    (errors) => errors.length === 0,
    () => false,
  );
}

export function createQueueActivities(ports: Ports): QueueActivities {
  return {
    advanceQueue: async ({ accountId, queueId }) =>
      await runActivity(async () => {
        const ctx = systemContext(ports, accountId);
        const advance = await takeTurns(ctx, queueId);
        return { ...advance, effects: await sendAtOnce(ctx, advance.effects) };
      }),
    carryOut: async ({ accountId, intents }) =>
      await runActivity(async () => {
        const ctx = systemContext(ports, accountId);
        const errors: unknown[] = [];
        for (let at = 0; at < intents.length; at += mostTogether)
          errors.push(...(await carryOutAll(ctx, intents.slice(at, at + mostTogether))));
        if (errors.length === 1) throw errors[0];
        if (errors.length > 1)
          throw new AggregateError(
            errors,
            `${errors.length} of ${intents.length} failed: ${errors.map(String).join('; ')}`,
          );
      }),
  };
}
