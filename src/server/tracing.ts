// One span for each HTTP request, under the trace of its caller if it names one.
import { context, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, readTrace } from '../platform/tracing/index.ts';

interface Traced {
  readonly span: Span;
  readonly under: Context;
}

/** Register it first, so that all that is registered later runs under the span. */
export function traceRequests(fastify: FastifyInstance): void {
  const traced = new WeakMap<FastifyRequest, Traced>();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!isTracing()) return done();
    const { method, headers, routeOptions } = request;
    const caller = typeof headers['traceparent'] === 'string' ? readTrace(headers['traceparent']) : null;
    const outer = caller === null ? context.active() : trace.setSpanContext(context.active(), caller);
    const route = routeOptions.url ?? 'unmatched';
    const attributes = { 'http.request.method': method, 'http.route': route, 'interlock.request_id': request.id };
    const span = trace
      .getTracer('interlock')
      .startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, outer);
    const under = trace.setSpan(outer, span);
    traced.set(request, { span, under });
    void reply.header('x-trace-id', span.spanContext().traceId);
    context.with(under, done);
  });
  // A body is read by listeners of the socket, which know nothing of the span.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const found = traced.get(request);
    if (found === undefined) return done();
    context.with(found.under, done);
  });
  fastify.addHook('onResponse', (request, { statusCode }, done) => {
    const span = traced.get(request)?.span;
    span?.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
