// Spans of this process's work, by OpenTelemetry's API. If tracing is off, only the work is called.
import {
  context,
  createContextKey,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type SpanContext,
} from '@opentelemetry/api';

export interface SpanOptions {
  /** `client`: the work is a call to another system. */
  readonly kind?: 'internal' | 'client';
  readonly attributes?: Attributes;
  /**
   * The span becomes part of this trace instead of the current trace, and is linked to the current trace. If both are
   * the same trace, the span is a child of the current span.
   */
  readonly parent?: SpanContext | null;
  /** Other traces to which the work is linked. */
  readonly links?: readonly SpanContext[];
}

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;
let isOn = false;

/** Called when an SDK is installed or removed. */
export function setTracing(on: boolean): void {
  isOn = on;
}

export function isTracing(): boolean {
  return isOn;
}

/** Does the work in a span of this name. Ids belong into attributes, because names should have few values. */
export async function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!isOn) return await work();
  const { kind = 'internal', attributes = {}, parent = null, links = [] } = options;
  const here = trace.getSpanContext(context.active());
  const isHere = parent === null || here?.traceId === parent.traceId;
  const under = isHere ? context.active() : trace.setSpanContext(context.active(), parent);
  const linked = isHere || here === undefined ? links : [here, ...links];
  const span = trace
    .getTracer('interlock')
    .startSpan(name, { kind: kinds[kind], attributes, links: linked.map((each) => ({ context: each })) }, under);
  try {
    return await context.with(trace.setSpan(under, span), work);
  } catch (error) {
    noteFailure(span, error);
    throw error;
  } finally {
    span.end();
  }
}

const namedLater = createContextKey('the span that `nameSpan` names');

/** Does the work in a span. The span has this name until the work calls `nameSpan`. */
export async function inSpanNamedLater<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (!isOn) return await work();
  return await inSpan(name, {}, async () => {
    const here = context.active();
    return await context.with(here.setValue(namedLater, trace.getSpan(here)), work);
  });
}

/** Names the innermost span of `inSpanNamedLater`. Does nothing outside of such a span. */
export function nameSpan(
  name: string,
  { attributes, hasFailed = false }: { readonly attributes: Attributes; readonly hasFailed?: boolean },
): void {
  const span = isOn ? (context.active().getValue(namedLater) as Span | undefined) : undefined;
  span?.updateName(name).setAttributes(attributes);
  if (hasFailed) span?.setStatus({ code: SpanStatusCode.ERROR });
}

/** A run of a workflow, and the trace that started it. `origin` null: no trace started it. */
export interface Run {
  readonly runId: string;
  readonly origin: SpanContext | null;
}

/**
 * The span of a run. Its ids are derived from the run's id, so that every process can compute them before the run has
 * ended and its span is recorded.
 */
export function spanOfRun({ runId, origin }: Run): SpanContext {
  const id = runId.replaceAll('-', '');
  return { traceId: origin?.traceId ?? id, spanId: id.slice(16), traceFlags: origin?.traceFlags ?? 1, isRemote: true };
}

export interface EndedRun extends Run {
  readonly startedAt: Date;
  readonly attributes: Attributes;
  readonly links: readonly SpanContext[];
  /** The class of the run's failure. Null: the run did not fail. */
  readonly failure: string | null;
}

export function recordRun(name: string, { startedAt, attributes, links, failure, ...run }: EndedRun): void {
  if (!isOn) return;
  const under = run.origin === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, run.origin);
  nextIds = spanOfRun(run);
  const span = trace
    .getTracer('interlock')
    .startSpan(name, { startTime: startedAt, attributes, links: links.map((each) => ({ context: each })) }, under);
  nextIds = null;
  if (failure !== null)
    span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end();
}

let nextIds: Pick<SpanContext, 'traceId' | 'spanId'> | null = null;

/** For the SDK: the ids of the span that is being started. Null: the SDK generates ids. */
export function idsOfNextSpan(): Pick<SpanContext, 'traceId' | 'spanId'> | null {
  return nextIds;
}

/** Records only the class of the error, because its message may quote input of users. */
function noteFailure(span: Span, error: unknown): void {
  const type = error instanceof Error ? error.name : typeof error;
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR, message: type });
}

/** The current span as a W3C traceparent, which can be stored and continued later. Null: there is no current span. */
export function presentTrace(): string | null {
  const here = isOn ? trace.getSpanContext(context.active()) : undefined;
  if (here === undefined) return null;
  return `00-${here.traceId}-${here.spanId}-0${here.traceFlags & 1}`;
}

/** Reads a traceparent. Null: the text is not a traceparent. */
export function readTrace(text: string | null | undefined): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? [];
  if (!/[1-9a-f]/.test(traceId) || !/[1-9a-f]/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** The fields of a log line that name the current span. */
export function traceOfLog(): { readonly trace_id?: string; readonly span_id?: string } {
  const here = isOn ? trace.getSpanContext(context.active()) : undefined;
  return here === undefined ? {} : { trace_id: here.traceId, span_id: here.spanId };
}
