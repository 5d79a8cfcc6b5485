// The metrics of a process that has landed one pull request and blocked another one.
import { expect, it } from 'vitest';
import { catalogue } from '../../src/domain/metrics/catalogue.ts';
import { metricsOf } from '../support/metrics.ts';
import { parallel, world } from '../support/world.ts';

it('a landing and a block are counted once, and the page has exactly the metrics that the docs list', async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
  const good = await w.open('good', { 'good.txt': 'new\n' });
  const bad = await w.open('bad', { bad: 'new\n' });
  await w.commit('main', { 'other.txt': 'other\n' });
  await w.queue(good);
  const waiting = metricsOf(await w.service.metricsPage.text(null));
  const line = `account="${w.ctx.accountId}",repository="acme/shop",base_branch="main"`;
  expect(waiting[`interlock_queue_pull_requests{${line},state="queued"}`]).toBe(1);
  expect(waiting[`interlock_queue_oldest_wait_seconds{${line}}`]).toBeGreaterThanOrEqual(0);
  await w.queue(bad);
  await w.settled(good, bad);

  const text = await w.service.metricsPage.text({ silentSince: null, idleSince: new Date(0) });
  const metrics = metricsOf(text);
  expect(metrics).toMatchObject(
    Object.fromEntries([
      ['interlock_pull_requests_queued_total', 1],
      ['interlock_pull_requests_merged_total', 1],
      ['interlock_landings_total{grade="exact"}', 1],
      ['interlock_builds_total{outcome="landed"}', 1],
      ['interlock_pull_requests_blocked_total{reason="failed_check"}', 1],
      ['interlock_queued_to_merged_seconds_count', 1],
      ['interlock_queues_halted', 0],
      ['interlock_part_ready{part="database"}', 1],
      ['interlock_part_ready{part="temporal"}', 1],
      ['interlock_part_ready{part="worker"}', 0],
    ]),
  );
  expect(metrics['interlock_queued_to_merged_seconds_sum']).toBeGreaterThan(0);
  const described = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
  expect(described.sort()).toEqual(Object.keys(catalogue).sort());
});
