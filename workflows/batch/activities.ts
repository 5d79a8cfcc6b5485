import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { systemContext, type Context, type Ports, type Wake } from '../../src/context.ts';
import { awaitHost } from '../../src/domain/queue/landing/host-retry.ts';
import { retryAtOf } from '../../src/hosts/port.ts';
import { driveBatch, type BatchProgress } from '../../src/modules/queue/index.ts';
import { runActivity } from '../shared/activities.ts';
import { readOrigin } from '../shared/activities.spans.ts';
import type { BatchInput } from './messages.ts';

type DriveBatch = (input: BatchInput) => Promise<BatchProgress>;

/**
 * Each activity takes the step that the batch needs now. The names of the local activities say which step is expected,
 * because Temporal's UI shows only the names of local activities.
 */
export interface BatchActivities {
  readonly driveBatch: DriveBatch;
  readonly makeBuild: DriveBatch;
  readonly openBuild: DriveBatch;
  readonly readChecks: DriveBatch;
  readonly cleanUpBuild: DriveBatch;
}

/**
 * If a code host asks to wait, the activity is retried when the host accepts requests again, and not at Temporal's
 * intervals.
 */
function asWait(error: unknown, now: number): unknown {
  const retryAt = retryAtOf(error);
  if (retryAt === null || retryAt <= now) return error;
  return ApplicationFailure.create({
    type: 'HOST_WAIT',
    message: error instanceof Error ? error.message : String(error),
    nextRetryDelay: awaitHost(0, { retryAt, now }),
  });
}

// A queue takes one turn after a commit is made and its build is opened, and not two. At a host that needs longer to
// open the build, the queue takes a turn before, because the next batch may be waiting for the commit. The steps of a
// local activity take milliseconds on a quiet machine, so only a busy machine needs the longer time.
const holdMs = 100;
const holdLocallyMs = 1_000;

/** A context that sends wakes after `longestMs`, or on `release`. Wakes of the same row become one. */
function holdWakes(ctx: Context, longestMs: number): { readonly ctx: Context; readonly release: () => Promise<void> } {
  const held = new Map<string, Wake>();
  let timer: NodeJS.Timeout | undefined;
  const release = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const wakes = [...held.values()];
    held.clear();
    for (const whose of wakes) await ctx.wake(whose);
  };
  const wake = async (whose: Wake): Promise<void> => {
    held.set(JSON.stringify(whose), whose);
    timer ??= setTimeout(() => void release(), longestMs);
  };
  return { ctx: { ...ctx, wake }, release };
}

export function createBatchActivities(ports: Ports): BatchActivities {
  const drive: DriveBatch = async (input) =>
    await runActivity(
      async () => {
        const { accountId, batchId } = input;
        const longestMs = activityInfo().isLocal ? holdLocallyMs : holdMs;
        const { ctx, release } = holdWakes(systemContext(ports, accountId), longestMs);
        try {
          const progress = await driveBatch(ctx, batchId);
          // A commit that was just made is built at once, because another step would add events to the history.
          return progress.need === 'open' ? await driveBatch(ctx, batchId) : progress;
        } catch (error) {
          throw asWait(error, ports.clock().getTime());
        } finally {
          await release();
        }
      },
      (await readOrigin(ports, input)).origin,
    );
  return { driveBatch: drive, makeBuild: drive, openBuild: drive, readChecks: drive, cleanUpBuild: drive };
}
