// The life of one batch: make its commit, open its bot pull request, wait for its checks, clean up. The row says what
// is needed next, and a step that is not needed any more does nothing, so that a lost or doubled run changes nothing.
import { ApplicationFailureCategory } from '@temporalio/common';
import { ApplicationFailure, condition, patched, proxyActivities } from '@temporalio/workflow';
import { createDescription } from '../shared/describe.ts';
import { listenTo } from '../shared/drive.ts';
import { baseBranchAttribute, batchStateAttribute, repositoryAttribute } from '../shared/search-attributes.ts';
import { heartbeatTimeout, longestPause } from '../shared/timeouts.ts';
import type { BatchActivities } from './activities.ts';
import { lookSignal, type BatchInput } from './messages.ts';

// Check results wake the queue at once; asking the host again is only for the ones that never came.
const pollSeconds = [10, 20, 40, 80, 160, 300] as const;

const { driveBatch } = proxyActivities<BatchActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout,
  retry: { initialInterval: '500ms', maximumInterval: longestPause },
});

export interface BatchResult {
  readonly state: string;
  readonly summary: string;
}

export async function batch(input: BatchInput): Promise<BatchResult> {
  const wake = listenTo(lookSignal);
  const describe = createDescription();
  let need: Need = 'make';
  let step = stepNames.make;
  let polls = 0;
  for (;;) {
    wake.isPending = false;
    const progress = await driveBatch.executeWithOptions({ summary: step }, [input]);
    describe(
      progress.details,
      [
        { key: repositoryAttribute, value: progress.repository },
        { key: baseBranchAttribute, value: progress.baseBranch },
        { key: batchStateAttribute, value: progress.state },
      ],
      input.title ?? `${progress.repository} ${progress.baseBranch}`,
    );
    if (progress.need === 'done') return conclude(progress);
    polls = progress.need === 'wait' && need === 'wait' ? polls + 1 : 0;
    need = progress.need;
    step = stepNames[need];
    // One whose commit could not be made, for a conflict, waits for the planner to end it.
    if (need !== 'wait' && need !== 'make') continue;
    const pollSec = pollSeconds[Math.min(polls, pollSeconds.length - 1)] ?? 300;
    if (
      await condition(() => wake.isPending, `${pollSec}s`, {
        summary: `${waitingFor[need]}; the host is asked again after ${pollSec} s`,
      })
    )
      step = endedStep;
  }
}

/** States of a batch that is red or has a conflict. Temporal lists its workflow as failed too. */
const failures: readonly string[] = ['failed', 'bisected'];

/** A failed batch is an ordinary end: its category keeps it out of the metrics and alerts of failed workflows. */
function conclude({ state, summary }: BatchResult): BatchResult {
  // Histories of an earlier version end as completed, also after a failure.
  if (failures.includes(state) && patched('failures-fail'))
    throw ApplicationFailure.create({
      message: summary,
      type: state,
      nonRetryable: true,
      category: ApplicationFailureCategory.BENIGN,
    });
  return { state, summary };
}

type Need = Exclude<Awaited<ReturnType<BatchActivities['driveBatch']>>['need'], 'done'>;

const stepNames: Readonly<Record<Need, string>> = {
  make: 'make the commit that is tested and lands, open its bot pull request',
  open: 'open the bot pull request',
  wait: 'read the checks',
  clean_up: 'close the bot pull request, delete its branch',
};

/** The queue's workflow signals a batch that it ended. */
const endedStep = 'ended: close the bot pull request, delete its branch';

const waitingFor = { make: 'The commit could not be made', wait: 'Waiting for the checks' } as const;
