// The spans of calls of GitHub, as a collector receives them while a pull request lands.
import { context, trace } from '@opentelemetry/api';
import { expect, onTestFinished, test } from 'vitest';
import { inSpan } from '../../../src/platform/tracing/index.ts';
import { openTracing } from '../../../src/tracing.ts';
import { startCollector, type CollectedSpan, type Collector } from '../../support/otlp.ts';
import { queueWorld } from './queue-world.ts';

/** Sends the spans of this process to a new collector, until the returned function is called or the test ends. */
async function collect(): Promise<{ readonly collector: Collector; readonly stop: () => Promise<void> }> {
  const collector = await startCollector();
  const before = { ...process.env };
  Object.assign(process.env, collector.env);
  const close = await openTracing(process.env, 'worker');
  onTestFinished(async () => {
    await close();
    trace.disable();
    context.disable();
    for (const name of Object.keys(collector.env)) delete process.env[name];
    Object.assign(process.env, before);
    await collector.close();
  });
  return { collector, stop: close };
}

const attributesOf = ({ attributes }: CollectedSpan): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test('a call of GitHub is a span below the work that made it, named by its route, without names or secrets', async () => {
  await using w = await queueWorld();
  const { collector, stop } = await collect();
  const number = await w.open('one', { one: '1\n' });
  await w.label(number);
  const settled = await inSpan('work of the queue', {}, async () => await w.settled(number));
  expect(settled).toEqual({ [number]: 'merged' });
  await stop();

  const { spans } = collector;
  const parents = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = (span: CollectedSpan): readonly string[] => {
    const parent = parents.get(span.parentSpanId ?? '');
    return parent === undefined ? [] : [parent.name, ...pathOf(parent)];
  };
  const calls = spans.filter(({ name }) => name.startsWith('GitHub '));
  const comment = 'GitHub POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const said = calls.find(({ name }) => name === comment);
  expect(said, calls.map((span) => [span.name, ...pathOf(span)].join(' < ')).join('\n')).toMatchObject({ kind: 3 });
  expect(pathOf(said!)).toContain('work of the queue');
  expect(attributesOf(said!)).toMatchObject({ 'http.request.method': 'POST', 'server.address': '127.0.0.1' });
  const names = calls.map(({ name }) => name);
  expect(names).toContain('GitHub POST /api/graphql');
  expect(names.filter((name) => !/^GitHub [A-Z]+ \/[\w/{}-]+$/.test(name))).toEqual([]);
  expect(calls.length).toBeGreaterThan(10);
  const sent = JSON.stringify(calls);
  for (const secret of [w.place.owner, w.place.repo, 'mq-bot-', 'Bearer', w.token]) expect(sent).not.toContain(secret);
});
