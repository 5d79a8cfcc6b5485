// How every activity runs. It sends heartbeats, so that another worker takes over the work of a killed one within
// seconds, and it marks for Temporal the failures that a retry cannot cure.
import { NotFoundError } from '@mikro-orm/core';
import type { SpanContext } from '@opentelemetry/api';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { systemContext, type Context as Called, type Ports } from '../../src/context.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { inSpan, readTrace, spanOfRun } from '../../src/platform/tracing/index.ts';
import type { DrivenActivities, DrivenInput } from './driven.types.ts';

const heartbeatEveryMs = 2_000;

/** `origin`: the trace that began the run. Left out: the run has no span, as that of a queue, which does not end. */
export async function runActivity<T>(work: () => Promise<T>, origin?: SpanContext | null): Promise<T> {
  const context = Context.current();
  // A local activity has no heartbeat: the worker would only warn that it knows no such activity.
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
    throw isGone(error)
      ? ApplicationFailure.create({ type: 'NOT_FOUND', message: String(error), nonRetryable: true })
      : error;
  } finally {
    clearInterval(timer);
  }
}

// Every retry reads everything again, so that other refusals may end. Rows that are gone, in a restored database or
// with their account, do not come back.
function isGone(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof DomainError && error.code === 'NOT_FOUND');
}

interface DrivenKind<Kind extends string, Input, Advanced, By> {
  readonly kind: Kind;
  readonly idOf: (input: Input) => string;
  readonly advance: (ctx: Called, id: string) => Promise<Advanced>;
  readonly carryOut: (ctx: Called, id: string, by: By) => Promise<string>;
}

/** When an activity is stopped, as when the worker ends, the supervised work stops too. */
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
