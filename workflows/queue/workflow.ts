// The workflow of the queue of one base branch. It waits for a wake or for the next deadline, takes a turn in one
// activity, and carries out the remaining effects. It keeps no state but ids. It may continue as new, be started twice,
// or be lost with all of Temporal's data; the next run continues from the rows.
import {
  continueAsNew,
  isCancellation,
  log,
  patched,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import { baseBranchAttribute, queueStatusAttribute, repositoryAttribute } from '../shared/search-attributes.ts';
import { createDescription } from '../shared/describe.ts';
import { isHistoryLong, listenTo, waitUntil } from '../shared/drive.ts';
import { locallyFirst } from '../shared/locally-first.ts';
import { heartbeatTimeout, longestPause } from '../shared/timeouts.ts';
import type { QueueActivities } from './activities.ts';
import { createBatchWorkflows } from './batch-workflows.ts';
import { wakeSignal, type QueueInput } from './messages.ts';

const retryMs = 5_000;
/** A change of this workflow, by which Temporal distinguishes the histories of earlier versions. */
const continuesBeforeTurns = 'continues-before-turns';

const planning = 'Read the queue, plan, write the decisions';
const locally = proxyLocalActivities<QueueActivities>({
  summary: planning,
  startToCloseTimeout: '5s',
  retry: { maximumAttempts: 1 },
});
const { advanceQueue } = proxyActivities<QueueActivities>({
  summary: planning,
  startToCloseTimeout: '30s',
  heartbeatTimeout,
  retry: { initialInterval: '200ms', maximumInterval: longestPause },
});

const { carryOut } = proxyActivities<QueueActivities>({
  startToCloseTimeout: '2m',
  heartbeatTimeout,
  retry: { initialInterval: '500ms', maximumInterval: '30s', maximumAttempts: 5 },
});

const plan = locallyFirst(locally.advanceQueue, advanceQueue);

type Advance = Awaited<ReturnType<QueueActivities['advanceQueue']>>;
type Effect = Advance['effects'][number];

export async function queue(input: QueueInput): Promise<void> {
  const wake = listenTo(wakeSignal);
  wake.isPending = true;
  const batches = createBatchWorkflows(input);
  const describe = createDescription();
  let nextLookAt: number | null = null;
  let isFirstTurn = true;
  const isLong = (): boolean => isHistoryLong(input.mostHistoryEvents);
  for (;;) {
    if (!wake.isPending) await waitUntil(wake, { nextLookAt });
    // Temporal refuses to continue a run if a signal arrives during the task that wants to, and repeats the task. A turn
    // makes its task long, and many turns cause a wake of this queue. So a run continues before a turn and not after it.
    if (!isFirstTurn && isLong() && patched(continuesBeforeTurns)) await continueAsNew(input);
    wake.isPending = false;
    const advance = await batches.during(async () => await plan({ ...input, isFirstTurn }));
    isFirstTurn = false;
    nextLookAt = advance.nextLookAt;
    const { repository, baseBranch, state, details } = advance.summary;
    describe(
      details,
      [
        { key: repositoryAttribute, value: repository },
        { key: baseBranchAttribute, value: baseBranch },
        { key: queueStatusAttribute, value: state.split(':')[0] ?? state },
      ],
      `Queue of ${repository} ${baseBranch}`,
    );
    // Empty, except in turns of an earlier version, because the activity wakes the workflows of batches.
    await batches.follow(advance.batches);
    for (const effect of advance.effects) {
      // Each effect wakes the queue by its own transactions.
      const isDone = await tryToCarryOut(input, effect);
      if (!isDone) nextLookAt = Math.min(nextLookAt ?? Number.MAX_SAFE_INTEGER, Date.now() + retryMs);
    }
    // For the histories of an earlier version.
    if (isLong() && !patched(continuesBeforeTurns)) await continueAsNew(input);
  }
}

/**
 * Carries out an effect. If it fails, its intents stay open in the database with the number of attempts, and a later
 * turn finds them.
 */
async function tryToCarryOut({ accountId }: QueueInput, { intents, title }: Effect): Promise<boolean> {
  try {
    await carryOut.executeWithOptions({ summary: title }, [{ accountId, intents }]);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('An intent could not be carried out and is tried again.', { title, error: String(error) });
    return false;
  }
}
