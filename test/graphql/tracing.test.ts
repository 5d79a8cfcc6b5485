// A request with a trace, down to its transaction and its lines in the log, and no tracing at all while tracing is off.
// test/e2e/production.test.ts tests that a trace continues to the landing, because servers and workers run there.
import { createRequire } from 'node:module';
import { context, trace } from '@opentelemetry/api';
import { createClient } from 'graphql-ws';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { inSpan, presentTrace, readTrace, traceOfLog } from '../../src/platform/tracing/index.ts';
import { openTracing } from '../../src/tracing.ts';
import { startCollector, type CollectedSpan, type Collector } from '../support/otlp.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
let collector: Collector;
const before = { ...process.env };
beforeAll(async () => {
  collector = await startCollector();
  s = await startServer();
});
afterAll(async () => {
  for (const name of Object.keys(collector.env)) delete process.env[name];
  Object.assign(process.env, before);
  await s.close();
  await collector.close();
});

const loaded = (): readonly string[] =>
  Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('/@opentelemetry/'));
const sdk = /@opentelemetry\/(?:sdk|exporter|otlp|resources|context-async-hooks)/;

it('without an endpoint, the SDK is not loaded, and no answer has the id of a trace', async () => {
  await (await openTracing({}, 'server'))();
  expect(loaded()).not.toEqual([]);
  expect(loaded().filter((path) => sdk.test(path))).toEqual([]);
  expect((await s.rest('GET', '/api/v1/repo')).headers.get('x-trace-id')).toBeNull();
  expect(await inSpan('work', {}, async () => presentTrace())).toBeNull();
  expect(traceOfLog()).toEqual({});
});

it('a request continues the trace of its caller, in GraphQL, its transaction and the log', async () => {
  Object.assign(process.env, collector.env);
  const stop = await openTracing(process.env, 'server');
  try {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const body = { org: 'acme', name: 'none', paused: true };
    const refused = await s.rest('POST', '/api/v1/repo', { body, headers });
    expect([refused.status, refused.headers.get('x-trace-id')]).toEqual([404, traceId]);
    await s.graphql(
      'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
    );
    const paused = await s.rest('POST', '/api/v1/repo', { body: { ...body, name: 'shop' }, headers });
    expect(paused.status).toBe(200);

    const lines: string[] = [];
    const log = pino({ mixin: traceOfLog }, { write: (line) => void lines.push(line) });
    const present = await inSpan('said', {}, async () => {
      log.warn('It was said.');
      return presentTrace();
    });
    const [line] = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(line).toMatchObject({ trace_id: readTrace(present)?.traceId, span_id: readTrace(present)?.spanId });

    await stop();
    const own = collector.spans.filter((span) => span.traceId === traceId);
    expect(own.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['POST /api/v1/repo', 'GraphQL PauseRepository', 'transaction']),
    );
    const root = own.filter(({ name }) => name === 'POST /api/v1/repo').at(-1);
    const operation = own.find(({ parentSpanId }) => parentSpanId === root?.spanId);
    expect([root?.parentSpanId, operation?.name]).toEqual(['b7ad6b7169203331', 'GraphQL PauseRepository']);
    expect(own.some(({ name, parentSpanId }) => name === 'transaction' && parentSpanId === operation?.spanId)).toBe(
      true,
    );
  } finally {
    await stop();
    trace.disable();
    context.disable();
  }
});

it('an operation of /graphql and of a socket is a span, named only if Interlock knows its name, without variables', async () => {
  Object.assign(process.env, collector.env);
  const stop = await openTracing(process.env, 'server');
  const first = collector.spans.length;
  const subscriber = createClient({
    url: `${s.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${s.token}` },
  });
  try {
    const variables = { owner: 'acme', name: 'canary-of-a-variable' };
    const query = (name: string): string =>
      `query ${name}($owner: String, $name: String) { repository(owner: $owner, name: $name) { id } }`;
    for (const name of ['ListRepositories', 'CanaryOfAName']) {
      expect(await s.graphql(query(name), variables)).toMatchObject({ data: { repository: null } });
      for await (const answer of subscriber.iterate({ query: query(name), variables }))
        expect(answer).toEqual({ data: { repository: null } });
    }
    expect((await s.graphql('query ListRepositories { nothing }')).errors).toHaveLength(1);
    await s.graphql(
      'mutation { createRepository(input: {owner: "acme", name: "traced", host: LOCAL}) { repository { id } } }',
    );
    await stop();
    const spans = collector.spans.slice(first);
    const attributesOf = ({ attributes }: CollectedSpan): Record<string, unknown> =>
      Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
    const requests = new Set(spans.filter(({ name }) => name === 'POST /graphql').map(({ spanId }) => spanId));
    const operations = spans.filter(({ name }) => name.startsWith('GraphQL '));
    const isOfRequest = ({ parentSpanId = '' }: CollectedSpan): boolean => requests.has(parentSpanId);
    const shown = (found: readonly CollectedSpan[]): unknown =>
      found.map((span) => [
        span.name,
        attributesOf(span)['graphql.operation.name'],
        attributesOf(span)['interlock.outcome'],
      ]);
    expect(shown(operations.filter(isOfRequest))).toEqual([
      ['GraphQL ListRepositories', 'ListRepositories', 'ok'],
      ['GraphQL other', 'other', 'ok'],
      ['GraphQL other', 'other', 'refused'],
      ['GraphQL other', 'other', 'ok'],
    ]);
    expect(shown(operations.filter((span) => !isOfRequest(span)))).toEqual([
      ['GraphQL ListRepositories', 'ListRepositories', undefined],
      ['GraphQL other', 'other', undefined],
    ]);
    const created = operations.at(-1);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === created?.spanId)).toContainEqual(
      expect.objectContaining({ name: 'transaction' }),
    );
    expect(JSON.stringify(spans)).not.toMatch(/canary/i);
  } finally {
    await stop();
    await subscriber.dispose();
    trace.disable();
    context.disable();
  }
});

it('a protocol that Interlock does not support is refused', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  await expect(openTracing(env, 'server')).rejects.toThrow(
    'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not grpc.',
  );
});

it.each([
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00', 0],
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 1],
  ['00-00000000000000000000000000000000-b7ad6b7169203331-01', undefined],
  ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', undefined],
  ["01-'; drop table event", undefined],
  ['', undefined],
])('the traceparent %j has the flags %s', (text, flags) => {
  expect(readTrace(text)?.traceFlags).toBe(flags);
});
