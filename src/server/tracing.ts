// Makes a span for each HTTP request, in the trace that the caller names, or in a new one.
import { context, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, readTrace } from '../platform/tracing/index.ts';

interface Traced {
  readonly span: Span;
  readonly under: Context;
}

/** Must be registered first, so that all later hooks and handlers run in the span. */
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
  // The listeners that read a body run outside of the span's context, so the context is entered again.
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
