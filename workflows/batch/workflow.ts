// The life of one batch: make its commit, open its bot pull request, wait for its checks, clean up. The row says what
// is needed next, and a step that is not needed any more does nothing, so that a lost or doubled run changes nothing.
import { condition, proxyActivities, setHandler } from '@temporalio/workflow';
import { createDescription } from '../shared/describe.ts';
import { baseBranchAttribute, batchStateAttribute, repositoryAttribute } from '../shared/search-attributes.ts';
import type { BatchActivities } from './activities.ts';
import { lookSignal, type BatchInput } from './messages.ts';

// Check results wake the queue at once; asking the host again is only for the ones that never came.
const pollSeconds = [10, 20, 40, 80, 160, 300] as const;

const { driveBatch } = proxyActivities<BatchActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
});

export interface BatchResult {
  readonly state: string;
  readonly summary: string;
}

export async function batch(input: BatchInput): Promise<BatchResult> {
  let mustLook = true;
  setHandler(lookSignal, () => {
    mustLook = true;
  });
  const describe = createDescription();
  let need: string = 'make';
  let polls = 0;
  for (;;) {
    mustLook = false;
    const progress = await driveBatch.executeWithOptions({ summary: stepNames[need] ?? need }, [input]);
    describe(progress.details, [
      { key: repositoryAttribute, value: progress.repository },
      { key: baseBranchAttribute, value: progress.baseBranch },
      { key: batchStateAttribute, value: progress.state },
    ]);
    if (progress.need === 'done') return { state: progress.state, summary: progress.summary };
    polls = progress.need === 'wait' && need === 'wait' ? polls + 1 : 0;
    need = progress.need;
    if (need === 'wait' || isStuck(progress)) await condition(() => mustLook, `${pollSeconds[Math.min(polls, pollSeconds.length - 1)] ?? 300}s`);
  }
}

const stepNames: Readonly<Record<string, string>> = {
  make: 'Make the commit that is tested and lands, open its bot pull request',
  open: 'Open the bot pull request',
  wait: 'Read the checks',
  clean_up: 'Close the bot pull request, delete its branch',
};

/** A batch whose commit could not be made (a conflict) waits for the planner to end it. */
function isStuck(progress: { readonly need: string }): boolean {
  return progress.need === 'make';
}
