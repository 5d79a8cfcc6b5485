// Runs an activity. Heartbeats are sent, so that another worker takes over the work of a killed worker within seconds.
// A failure that no retry can remove is marked for Temporal.
import { NotFoundError } from '@mikro-orm/core';
import type { SpanContext } from '@opentelemetry/api';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { systemContext, type Context as Called, type Ports } from '../../src/context.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { inSpan, readTrace, spanOfRun } from '../../src/platform/tracing/index.ts';
import type { DrivenActivities, DrivenInput } from './driven.types.ts';

const heartbeatEveryMs = 2_000;

/**
 * `origin` is the trace in which the run began. Left out: the run has no span. The run of a queue has none, because it
 * never ends.
 */
export async function runActivity<T>(work: () => Promise<T>, origin?: SpanContext | null): Promise<T> {
  const context = Context.current();
  // A local activity has no heartbeat. The worker would only log a warning.
  const timer = context.info.isLocal ? undefined : setInterval(() => context.heartbeat(), heartbeatEveryMs);
  const { activityType, workflowExecution } = context.info;
  const attributes = { 'temporal.workflow_id': workflowExecution?.workflowId ?? '' };
  try {
    const parent =
      origin === undefined || workflowExecution === undefined
        ? null
        : spanOfRun({ runId: workflowExecution.runId, origin });
    return await inSpan(`activity ${activityType}`, { attributes, parent }, work);
  } catch (error) {
    throw isMissing(error)
      ? ApplicationFailure.create({ type: 'NOT_FOUND', message: String(error), nonRetryable: true })
      : error;
  } finally {
    clearInterval(timer);
  }
}

// After other errors a retry may succeed, because it reads everything again. Rows that do not exist, because the
// database was restored or their account was erased, do not come back.
function isMissing(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof DomainError && error.code === 'NOT_FOUND');
}

interface DrivenKind<Kind extends string, Input, Advanced, By> {
  readonly kind: Kind;
  readonly idOf: (input: Input) => string;
  readonly advance: (ctx: Called, id: string) => Promise<Advanced>;
  readonly carryOut: (ctx: Called, id: string, by: By) => Promise<string>;
}

/**
 * The activities of a kind. If an activity is stopped, for example because its worker ends, its supervised work stops
 * too.
 */
export function createDrivenActivities<Kind extends string, Input extends DrivenInput, Advanced, By>(
  ports: Ports,
  by: By,
  { kind, idOf, advance, carryOut }: DrivenKind<Kind, Input, Advanced, By & { readonly signal: AbortSignal }>,
): DrivenActivities<Kind, Input, Advanced> {
  const activities = {
    [`advance${kind}`]: async (input: Input) =>
      await runActivity(
        async () => await advance(systemContext(ports, input.accountId), idOf(input)),
        readTrace(input.trace),
      ),
    [`carryOut${kind}`]: async (input: Input) =>
      await runActivity(async () => {
        const signal = Context.current().cancellationSignal;
        return await carryOut(systemContext(ports, input.accountId), idOf(input), { ...by, signal });
      }, readTrace(input.trace)),
  };
  return activities as DrivenActivities<Kind, Input, Advanced>;
}
