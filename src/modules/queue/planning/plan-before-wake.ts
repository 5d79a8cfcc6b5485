// Plans a queue before its workflow is woken, after changes that often leave nothing to decide: a label, a new title, a
// pull request that enters or leaves the line of a busy or paused queue. If nothing is decided, the workflow is not
// woken, because a wake with its turn costs Temporal and the worker more than the plan (docs/adr/0009-workflows.md).
// Decisions are left to the turn of the workflow.
import { systemContext, type Ports, type Wake } from '../../../context.ts';
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

  async function planOrSend(queue: Wake & { readonly queueId: string }): Promise<void> {
    const ctx = systemContext(ports(), queue.accountId);
    let isSent = false;
    try {
      await withRunningTurn(ctx, queue, async (turn) => {
        do {
          const onRead = (): void => void (turn.isWoken = false);
          isSent = !(await planIfIrrelevant(ctx, queue.queueId, { longestDelayMs: coalesceMs, onRead }));
        } while (turn.isWoken && !isSent);
        // The wake that follows is for the changes of this moment too.
        turn.isWoken = false;
      });
    } catch (error) {
      isSent = true;
      ctx.log.warn({ error: String(error), queueId: queue.queueId }, 'A queue could not be planned before its wake.');
    }
    if (isSent) await send(queue);
  }

  return {
    async wake(whose) {
      if (!isOn || !('queueId' in whose)) return await send(whose);
      const { isOftenIrrelevant = false, ...queue } = whose;
      const isPlanned =
        isOftenIrrelevant && plans.size < maxPlans && findLeftToWorkflow(ports().db, queue.queueId) !== undefined;
      if (!isPlanned) return await send(queue);
      const plan = planOrSend(queue).finally(() => plans.delete(plan));
      plans.add(plan);
    },
    async ended() {
      await Promise.all(plans);
    },
  };
}
