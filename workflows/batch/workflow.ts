// The workflow of a batch: make its commit, open its bot pull request, wait for its checks, clean up. The row says what
// is needed next, and a step that is not needed does nothing, so that a run that is lost or started twice changes
// nothing.
import { ApplicationFailureCategory } from '@temporalio/common';
import {
  ApplicationFailure,
  condition,
  continueAsNew,
  patched,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import { createDescription } from '../shared/describe.ts';
import { isHistoryLong, listenTo } from '../shared/drive.ts';
import { baseBranchAttribute, batchStateAttribute, repositoryAttribute } from '../shared/search-attributes.ts';
import { locallyFirst } from '../shared/locally-first.ts';
import { heartbeatTimeout, longestPause, turnLocally } from '../shared/timeouts.ts';
import type { BatchActivities } from './activities.ts';
import { lookSignal, type BatchInput } from './messages.ts';

// Results of checks wake the queue at once. The host is polled only in case a result is lost.
const pollSeconds = [10, 20, 40, 80, 160, 300] as const;
/** A change of this workflow, by which Temporal distinguishes the histories of earlier versions. */
const continuesAsNew = 'continues-as-new';

const locally = proxyLocalActivities<BatchActivities>(turnLocally);
const { driveBatch } = proxyActivities<BatchActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout,
  retry: { initialInterval: '500ms', maximumInterval: longestPause },
});

type Progress = Awaited<ReturnType<BatchActivities['driveBatch']>>;

async function takeStep(input: BatchInput, { summary }: Step): Promise<Progress> {
  return await driveBatch.executeWithOptions({ summary }, [input]);
}

async function takeQuickStep(input: BatchInput, step: Step): Promise<Progress> {
  return await locallyFirst(locally[step.activity], async () => await takeStep(input, step))(input);
}

export interface BatchResult {
  readonly state: string;
  readonly summary: string;
}

export async function batch(input: BatchInput): Promise<BatchResult> {
  const result = await drive(input, takeStep);
  // In histories of earlier versions, runs may end as completed even after a failure.
  return isFailure(result) && patched('failures-fail') ? fail(result) : result;
}

/**
 * Like `batch`, at a code host whose steps usually take milliseconds. The steps are local activities, which cost one
 * event of the history instead of six. `quickBatch` is a type of its own, because a worker of an earlier version would
 * run a `batch` with ordinary activities, and a newer worker could not continue that run.
 */
export async function quickBatch(input: BatchInput): Promise<BatchResult> {
  const result = await drive(input, takeQuickStep);
  return isFailure(result) ? fail(result) : result;
}

/**
 * Takes steps until the batch needs none. Checks may never end, and Temporal terminates a run whose history is too long.
 * So a run that waits for weeks continues as new.
 */
async function drive(input: BatchInput, take: typeof takeStep): Promise<BatchResult> {
  const wake = listenTo(lookSignal);
  const describe = createDescription();
  let need: Need = 'make';
  // Also in a run that continues another one, because a worker of an earlier version may take its first task. The step
  // reads from the rows what is needed.
  let step: Step = steps.make;
  let polls = 0;
  for (;;) {
    wake.isPending = false;
    const progress = await take(input, step);
    describe(
      progress.details,
      [
        { key: repositoryAttribute, value: progress.repository },
        { key: baseBranchAttribute, value: progress.baseBranch },
        { key: batchStateAttribute, value: progress.state },
      ],
      input.title ?? `${progress.repository} ${progress.baseBranch}`,
    );
    if (progress.need === 'done') return { state: progress.state, summary: progress.summary };
    polls = progress.need === 'wait' && need === 'wait' ? polls + 1 : 0;
    need = progress.need;
    step = steps[need];
    // A batch whose commit could not be made because of a conflict waits until the planner ends it.
    if (need !== 'wait' && need !== 'make') continue;
    const pollSec = pollSeconds[Math.min(polls, pollSeconds.length - 1)] ?? 300;
    const isWoken = await condition(() => wake.isPending, `${pollSec}s`, {
      summary: `${waitingFor[need]}; the host is asked again after ${pollSec} s`,
    });
    if (isHistoryLong(input.mostHistoryEvents) && patched(continuesAsNew)) await continueAsNew(input);
    if (isWoken && need === 'wait') step = endedStep;
  }
}

/** The states of a batch that is red or has a conflict. Temporal lists the workflow of such a batch as failed. */
const failures: readonly string[] = ['failed', 'bisected'];

function isFailure({ state }: BatchResult): boolean {
  return failures.includes(state);
}

/** A failed batch is an ordinary result, so its category keeps the failure out of metrics and alerts of Temporal. */
function fail({ state, summary }: BatchResult): never {
  throw ApplicationFailure.create({
    message: summary,
    type: state,
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
  });
}

type Need = Exclude<Progress['need'], 'done'>;

/** A step as Temporal's UI shows it: the name of its local activity, or the summary of its ordinary activity. */
interface Step {
  readonly activity: keyof Omit<BatchActivities, 'driveBatch'>;
  readonly summary: string;
}

const steps: Readonly<Record<Need, Step>> = {
  make: { activity: 'makeBuild', summary: 'make the commit that is tested and lands, open its bot pull request' },
  open: { activity: 'openBuild', summary: 'open the bot pull request' },
  wait: { activity: 'readChecks', summary: 'read the checks' },
  clean_up: { activity: 'cleanUpBuild', summary: 'close the bot pull request, delete its branch' },
};

/** The step after a wake that ends the wait for checks. Nearly always the batch has ended. */
const endedStep: Step = { ...steps.clean_up, summary: 'ended: close the bot pull request, delete its branch' };

const waitingFor = { make: 'The commit could not be made', wait: 'Waiting for the checks' } as const;
