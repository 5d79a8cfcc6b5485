import { Context as Activity } from '@temporalio/activity';
import { contextWithoutWake, systemContext, type Context, type Ports } from '../../src/context.ts';
import { advanceQueue, carryOutAll, type Advance } from '../../src/modules/queue/index.ts';
import { withRunningTurn, WorkHandedOver, type RunningTurn } from '../../src/platform/turns/index.ts';
import { runActivity } from '../shared/activities.ts';
import { createBatchWakes, type BatchWakes } from './batch-wakes.ts';
import type { TurnInput } from './messages.ts';

export interface QueueActivities {
  /**
   * Takes a turn, and wakes the workflows of the batches that need a step. `batches` of the result is always empty,
   * because a workflow of an earlier version would start the workflows of these batches itself.
   */
  advanceQueue(input: TurnInput): Promise<Advance>;
  /** Carries out all intents. Throws if one of them failed; a failed intent stays open, and a later turn finds it. */
  carryOut(input: { readonly accountId: string; readonly intents: readonly string[] }): Promise<void>;
}

// A turn waits for this time, so that a thousand changes of the same moment become one plan. The activity waits and not
// the workflow, because a timer in the workflow would cost five events of the history in every turn.
const coalesceMs = 75;

// A separate activity costs six events of the history, and a wake costs five. So the activity that has planned a quick
// landing or short notifications also carries them out, and takes the next turn directly after a landing or a wake of
// this process. A landing does not wait for notifications, because the turn after the landing sends them.
const sendWithinMs = 1_000;
/** The most intents that are carried out together, with shared reads and writes. */
const maxTogether = 24;
/**
 * How many notifications are sent first, to measure their duration: the comment and the check of one pull request. Over
 * a network these two take as long as all notifications at the local host.
 */
const firstTogether = 2;

/**
 * How often a turn is given back to Temporal if only a newer version may plan the queue. Temporal gives the next attempt
 * to any worker, and a worker that always took the turn itself would hold the queue for as long as it runs. After these
 * attempts there seems to be no newer worker, and this worker does what remains besides planning.
 */
const timesGivenBack = 5;

function mayGiveBack(): boolean {
  const { isLocal, attempt } = Activity.current().info;
  return isLocal || attempt < timesGivenBack;
}

interface TurnsOfActivity {
  readonly turn: RunningTurn;
  readonly queueId: string;
  readonly isFirstTurn: boolean;
  /** Whether the activity should end, so that it does not exceed its time limit. */
  readonly isLate: () => boolean;
}

/**
 * Takes turns until no quick landing remains and no wake has arrived meanwhile. Throws WorkHandedOver if a newer worker
 * should take the turn. A failed landing is tried again by `carryOut`, whose failures Temporal shows.
 */
async function takeTurns(
  ctx: Context,
  { turn, queueId, isFirstTurn, isLate }: TurnsOfActivity,
  batchWakes: BatchWakes,
): Promise<Advance> {
  let longestDelayMs = coalesceMs;
  for (let turns = 0; ; turns += 1) {
    const advance = await advanceQueue(ctx, queueId, { longestDelayMs, onRead: () => void (turn.isWoken = false) });
    if (advance.isLeftToNewer && mayGiveBack()) throw new WorkHandedOver();
    await batchWakes.wake(ctx, { queueId, batches: advance.batches, isFirstTurn: isFirstTurn && turns === 0 });
    const landing = advance.effects.find(({ isQuickLanding }) => isQuickLanding);
    if (landing !== undefined && !isLate()) {
      // The next turn follows in any case. If this process dies before it, the whole activity is repeated.
      if (!(await areCarriedOut(contextWithoutWake(ctx, { queueId }), landing.intents))) return advance;
      longestDelayMs = 0;
    } else {
      const effects = await sendAtOnce(ctx, advance.effects);
      if (!turn.isWoken || effects.length > 0 || isLate()) return { ...advance, effects };
      longestDelayMs = coalesceMs;
    }
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
      const together = intents.slice(0, Math.min(maxTogether, expected));
      // A failed notification is sent again by `carryOut`, whose failures Temporal shows.
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

/** `clock`: milliseconds of a clock that is never set back. */
export function createQueueActivities(ports: Ports, clock: () => number = () => performance.now()): QueueActivities {
  const batchWakes = createBatchWakes();
  return {
    advanceQueue: async ({ accountId, queueId, isFirstTurn = false }) =>
      await runActivity(async () => {
        const ctx = systemContext(ports, accountId);
        const beganAt = clock();
        const isLate = (): boolean => clock() - beganAt > sendWithinMs;
        const advance = await withRunningTurn(
          ctx,
          { queueId, beganAt },
          async (turn) => await takeTurns(ctx, { turn, queueId, isFirstTurn, isLate }, batchWakes),
        );
        return { ...advance, batches: [] };
      }),
    carryOut: async ({ accountId, intents }) =>
      await runActivity(async () => {
        const ctx = systemContext(ports, accountId);
        const errors: unknown[] = [];
        for (let at = 0; at < intents.length; at += maxTogether)
          errors.push(...(await carryOutAll(ctx, intents.slice(at, at + maxTogether))));
        if (errors.length === 1) throw errors[0];
        if (errors.length > 1)
          throw new AggregateError(
            errors,
            `${errors.length} of ${intents.length} failed: ${errors.map(String).join('; ')}`,
          );
      }),
  };
}
