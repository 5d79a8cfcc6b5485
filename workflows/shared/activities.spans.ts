// The spans of runs. A worker records the span of a run when the run has ended. Before that, activities already use it
// as their parent.
import type { SpanContext } from '@opentelemetry/api';
import type { InjectedSinks } from '@temporalio/worker';
import { systemContext, type Ports } from '../../src/context.ts';
import { readTracesOfBatch } from '../../src/modules/queue/index.ts';
import { isTracing, readTrace, recordRun } from '../../src/platform/tracing/index.ts';
import type { RunInput, RunSinks } from './run-span.ts';

export interface Origin {
  /** The trace of the request that began the run. Null: there is none. */
  readonly origin: SpanContext | null;
  readonly links: readonly SpanContext[];
}

/** Reads the trace of a run. The run of a batch continues the trace that is stored with its pull request. */
export async function readOrigin(ports: Ports, { accountId, batchId, trace }: RunInput): Promise<Origin> {
  if (!isTracing()) return { origin: null, links: [] };
  if (batchId === undefined) return { origin: readTrace(trace), links: [] };
  return await readTracesOfBatch(systemContext(ports, accountId), batchId);
}

export function createRunSinks(ports: Ports): InjectedSinks<RunSinks> {
  return {
    runs: {
      ended: {
        callDuringReplay: false,
        fn: async ({ workflowType, workflowId, runId, runStartTime: startedAt }, input, failure) => {
          if (!isTracing()) return;
          const attributes = { 'temporal.workflow_id': workflowId };
          const origin = await readOrigin(ports, input);
          recordRun(`workflow ${workflowType}`, { ...origin, runId, startedAt, attributes, failure });
        },
      },
    },
  };
}
