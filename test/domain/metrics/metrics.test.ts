// What events count as, who may read /metrics, and that the number of series is limited whatever users do.
import { describe, expect, it } from 'vitest';
import { decideMetricsAccess } from '../../../src/domain/metrics/access.ts';
import {
  labelOfOperation,
  labelsOfRequest,
  scarcestBudgets,
  seriesOfQueues,
  type BusyQueue,
} from '../../../src/domain/metrics/bounded.ts';
import { measurementsOf } from '../../../src/domain/metrics/of-event.ts';
import { createMetrics } from '../../../src/platform/metrics/index.ts';
import { fc } from '../../support/properties.ts';

describe('an event', () => {
  it.each([
    ['queued', {}, ['interlock_pull_requests_queued_total {}']],
    ['blocked', { statusCode: 107 }, ['interlock_pull_requests_blocked_total {"reason":"failed_check"}']],
    ['blocked', {}, ['interlock_pull_requests_blocked_total {"reason":"other"}']],
    [
      'batch_merged',
      { grade: 'exact' },
      ['interlock_builds_total {"outcome":"landed"}', 'interlock_landings_total {"grade":"exact"}'],
    ],
    ['batch_failed', {}, ['interlock_builds_total {"outcome":"failed"}']],
    ['batch_bisected', {}, ['interlock_builds_total {"outcome":"bisected"}']],
    ['batch_reset', { resetCode: 305 }, ['interlock_builds_total {"outcome":"reset"}']],
    ['reset', { resetCode: 305 }, ['interlock_resets_total {"cause":"base_moved_from_outside"}']],
    ['check_retried', {}, ['interlock_retries_total {"what":"check"}']],
    ['deployment_success', {}, ['interlock_deployments_total {"status":"success"}']],
    ['deployment_in_progress', {}, []],
    ['verification_failed', {}, ['interlock_verifications_total {"status":"failed"}']],
    ['opened', {}, []],
  ])('%s %j', (action, payload, expected) => {
    expect(measurementsOf(action, payload).map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)).toEqual(
      expected,
    );
  });

  it('of a merge measures the time in the queue only if the queue has merged the pull request', () => {
    const times = { queuedAt: new Date(1_000), mergedAt: new Date(61_000) };
    const landed = measurementsOf('merged', { ...times, mergedByQueue: true });
    expect(landed.flatMap((each) => (each.kind === 'time' ? [each.seconds] : []))).toEqual([60]);
    expect(measurementsOf('merged', { ...times, mergedByQueue: false })).toHaveLength(1);
  });
});

describe('access to /metrics', () => {
  const own = { hasToken: false, publicUrl: 'http://127.0.0.1:4000' };
  const guarded = { ...own, hasToken: true };
  const here = { isTokenRight: false, address: '127.0.0.1', isForwarded: false };
  it.each([
    ['this machine', here, own, 'granted'],
    ['this machine by IPv6', { ...here, address: '::1' }, own, 'granted'],
    ['this machine by IPv4 in IPv6', { ...here, address: '::ffff:127.0.0.1' }, own, 'granted'],
    ['another machine', { ...here, address: '10.0.0.7' }, own, 403],
    ['anybody behind a proxy on this machine', { ...here, isForwarded: true }, own, 403],
    [
      'a proxy that adds no header, before a public address',
      here,
      { ...own, publicUrl: 'https://queue.example.com' },
      403,
    ],
    ['this machine without the token', here, guarded, 401],
    ['another machine with the token', { ...here, address: '10.0.0.7', isTokenRight: true }, guarded, 'granted'],
    ['the token through a proxy', { ...here, isForwarded: true, isTokenRight: true }, guarded, 'granted'],
  ] as const)('%s', (_name, request, installation, expected) => {
    const access = decideMetricsAccess(request, installation);
    expect(access.kind === 'granted' ? access.kind : access.status).toBe(expected);
  });
});

const queue = fc.record({
  account: fc.nat(9).map(String),
  repository: fc.string(),
  baseBranch: fc.string(),
  queued: fc.nat(50),
  tagged: fc.nat(50),
  waitSec: fc.nat(10_000),
});

describe('the series', () => {
  it('of queues have a limited number, and count every pull request and every wait', () => {
    fc.assert(
      fc.property(fc.array(queue, { maxLength: 30 }), fc.nat(8), (queues: readonly BusyQueue[], most) => {
        const { pullRequests, oldestWaits } = seriesOfQueues(queues, most);
        expect(oldestWaits.length).toBeLessThanOrEqual(most + 1);
        expect(pullRequests.length).toBeLessThanOrEqual(2 * (most + 1));
        const total = (values: readonly { readonly value: number }[]): number =>
          values.reduce((sum, { value }) => sum + value, 0);
        expect(total(pullRequests)).toBe(queues.reduce((sum, { queued, tagged }) => sum + queued + tagged, 0));
        expect(Math.max(0, ...oldestWaits.map(({ value }) => value))).toBe(
          Math.max(0, ...queues.map(({ waitSec }) => waitSec)),
        );
      }),
    );
  });

  it('of requests and operations have a limited number, whatever clients send', async () => {
    const metrics = createMetrics();
    const { meter } = metrics;
    const known = new Set(['Shell']);
    const routes = ['/graphql', '/api/v1/repo'];
    fc.assert(
      fc.property(
        fc.record({
          method: fc.oneof(fc.string(), fc.constantFrom('GET', 'POST')),
          route: fc.option(fc.constantFrom(...routes), { nil: undefined }),
          status: fc.integer({ min: 100, max: 599 }),
          operation: fc.oneof(fc.string(), fc.constant('Shell'), fc.constant(null)),
        }),
        ({ operation, ...request }) => {
          meter.time('interlock_http_request_duration_seconds', labelsOfRequest(request), 0.1);
          const labels = { operation: labelOfOperation(operation, known), outcome: 'ok' };
          meter.time('interlock_graphql_operation_duration_seconds', labels, 0.1);
        },
      ),
    );
    const counts = (await metrics.text()).split('\n').filter((line) => line.includes('_seconds_count'));
    const ofRequests = counts.filter((line) => line.startsWith('interlock_http_request'));
    expect(ofRequests.length).toBeLessThanOrEqual((routes.length + 1) * 8 * 5);
    expect(counts.filter((line) => line.startsWith('interlock_graphql_operation'))).toHaveLength(2);
  });

  it('of landings begin at 0 with each grade, so that an alert sees the first landing', async () => {
    const metrics = createMetrics();
    const readLandings = async (): Promise<(string | undefined)[]> =>
      (await metrics.text()).split('\n').filter((line) => line.startsWith('interlock_landings_total'));
    expect(await readLandings()).toHaveLength(7);
    expect(await readLandings()).toContain('interlock_landings_total{grade="exact"} 0');
    metrics.meter.take(measurementsOf('batch_merged', { grade: 'exact' }));
    expect(await readLandings()).toHaveLength(7);
    expect(await readLandings()).toContain('interlock_landings_total{grade="exact"} 1');
  });

  it('of a process begin with the first page', async () => {
    const metrics = createMetrics();
    expect(await metrics.text()).not.toContain('nodejs_');
    metrics.measureProcess();
    expect(await metrics.text()).toMatch(/^process_cpu_seconds_total \S+$/m);
    const readLag = async (): Promise<number> =>
      Number(/^nodejs_eventloop_lag_mean_seconds (\S+)$/m.exec(await metrics.text())?.[1]);
    await expect.poll(readLag).toBeGreaterThan(0);
  });

  it('of installations show those with the smallest share of points first', () => {
    const budget = (installation: string, remaining: number, limit: number) =>
      ({ installation, resource: 'rest', remaining, limit }) as const;
    const scarcest = scarcestBudgets([budget('a', 50, 100), budget('b', 60, 1_000), budget('c', 99, 100)], 2);
    expect(scarcest.map(({ installation }) => installation)).toEqual(['b', 'a']);
  });
});
