// Plans a queue before its workflow is woken, after changes that often leave nothing to decide: a label, a new title, a
// pull request that enters or leaves the line of a busy or paused queue. If nothing is decided, the workflow is not
// woken, because a wake with its turn costs Temporal and the worker more than the plan (docs/adr/0009-workflows.md).
// Decisions are left to the turn of the workflow.
import { systemContext, type Ports } from '../../../context.ts';
import { withoutMarks } from '../../../platform/database.ts';
import { withRunningTurn } from '../../../platform/turns/index.ts';
import { planIfIrrelevant } from './advance.ts';
import { findLeftToWorkflow } from './left-to-workflow.ts';

/** Plans wait for this time, so that many changes of the same moment need one plan. */
const coalesceMs = 75;
/** The most queues that this process plans before wakes at once. The workflows of others are woken without a plan. */
const maxPlans = 16;

export interface PlansBeforeWake {
  readonly wake: Ports['wake'];
  /** Resolves when all plans that have begun are over. */
  ended(): Promise<void>;
}

/** `send` wakes the workflow. `isOn`: false if every wake is sent. */
export function planBeforeWake(ports: () => Ports, send: Ports['wake'], isOn: boolean): PlansBeforeWake {
  const plans = new Set<Promise<void>>();

  async function planOrSend(queue: { readonly accountId: string; readonly queueId: string }): Promise<void> {
    const ctx = systemContext(ports(), queue.accountId);
    const { queueId } = queue;
    const isPlanned = await withRunningTurn(ctx, { queueId, isPlan: true }, async (turn) => {
      const onRead = (): void => void (turn.isWoken = false);
      do {
        if (await planIfIrrelevant(ctx, queueId, { longestDelayMs: coalesceMs, onRead })) continue;
        // The wake that follows is for the changes of this moment too.
        turn.isWoken = false;
        return false;
      } while (turn.isWoken);
      return true;
    }).catch((error: unknown) => {
      ctx.log.warn({ error: String(error), queueId }, 'A queue could not be planned before its wake.');
      return false;
    });
    if (!isPlanned) await send(queue);
  }

  return {
    async wake(whose) {
      if (!isOn || !('queueId' in whose)) return await send(whose);
      const { isOftenIrrelevant = false, ...queue } = whose;
      const isPlanned =
        isOftenIrrelevant && plans.size < maxPlans && findLeftToWorkflow(ports().db, queue.queueId) !== undefined;
      if (!isPlanned) return await send(queue);
      // The plan is no part of the request, so it leaves no mark for the request's idempotency key.
      const plan = withoutMarks(async () => await planOrSend(queue)).finally(() => plans.delete(plan));
      plans.add(plan);
    },
    async ended() {
      await Promise.all(plans);
    },
  };
}
