// /metrics of a server: its requests and operations, the state in the database, and who may read the page.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsOf } from '../support/metrics.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seed } from './seed.ts';

let s: TestServer;
const operatorsToken = 'the-token-of-the-operator';
beforeAll(async () => {
  s = await startServer({ metricsToken: operatorsToken, maxSeries: 1 });
});
afterAll(async () => await s.close());

const read = async (token: string | null): Promise<Response> =>
  await fetch(`${s.url}/metrics`, { headers: token === null ? {} : { authorization: `Bearer ${token}` } });

describe('/metrics', () => {
  it('is only for the token of the operator, not for tokens of accounts, nor without a token from this machine', async () => {
    expect((await read(operatorsToken)).status).toBe(200);
    for (const token of [s.token, null]) {
      const refused = await read(token);
      expect([refused.status, await refused.json()]).toEqual([
        401,
        { error: 'The bearer token is not INTERLOCK_METRICS_TOKEN.' },
      ]);
    }
  });

  it('without a token of the operator is open to this machine, unless a proxy forwards the request', async () => {
    await using own = { ...(await startServer()), [Symbol.asyncDispose]: async () => await own.close() };
    expect((await fetch(`${own.url}/metrics`)).status).toBe(200);
    const forwarded = await fetch(`${own.url}/metrics`, { headers: { 'x-forwarded-for': '127.0.0.1' } });
    expect([forwarded.status, await forwarded.json()]).toEqual([
      403,
      { error: expect.stringContaining('Set INTERLOCK_METRICS_TOKEN') },
    ]);
  });

  it('measures requests by their route, and operations only by names that Interlock knows', async () => {
    await s.rest('GET', '/api/v1/repo');
    await s.rest('GET', '/api/v1/repo', { token: null });
    await s.rest('GET', '/nothing/here');
    await s.graphql('query MyOwn { viewer { email } }');
    await s.graphql('query { nothing }');
    const metrics = metricsOf(await (await read(operatorsToken)).text());
    const requests = (route: string, method: string, status: string): number | undefined =>
      metrics[`interlock_http_request_duration_seconds_count{route="${route}",method="${method}",status="${status}"}`];
    expect(requests('/api/v1/repo', 'GET', '2xx')).toBe(1);
    expect(requests('/api/v1/repo', 'GET', '4xx')).toBe(1);
    expect(requests('unmatched', 'GET', '4xx')).toBe(1);
    expect(requests('/graphql', 'POST', '2xx')).toBeGreaterThanOrEqual(1);
    const operations = (operation: string, outcome: string): number | undefined =>
      metrics[`interlock_graphql_operation_duration_seconds_count{operation="${operation}",outcome="${outcome}"}`];
    expect(operations('ListRepositories', 'ok')).toBe(1);
    expect(operations('other', 'ok')).toBe(1);
    expect(operations('other', 'refused')).toBe(1);
  });

  it('shows the longest queue by its name, and the other queues together', async () => {
    await seed(s);
    await seed(s, { name: 'long' });
    await s.rows("update queue set waiting = 7 where repository_id = (select id from repository where name = 'long')");
    await s.rows(`insert into event (account_id, action, at) values ($1, 'opened', now() - interval '90 seconds')`, [
      s.accountId,
    ]);
    await s.rows(
      `insert into host_budget (account_id, installation_id, rest_limit, rest_left, rest_resets_at, graphql_limit, graphql_left,
         graphql_resets_at, minute_at, hour_at)
       values ($1, '12', 5000, 40, now() + interval '1 hour', 5000, 40, now() - interval '1 second', now(), now())`,
      [s.accountId],
    );
    // A process caches the state for five seconds. The other process has no cached state yet.
    const other = await s.another();
    const answer = await fetch(`${other.url}/metrics`, { headers: { authorization: `Bearer ${operatorsToken}` } });
    const metrics = metricsOf(await answer.text());
    const queue = `account="${s.accountId}",repository="acme/long",base_branch="main"`;
    const rest = 'account="other",repository="other",base_branch="other"';
    expect(metrics).toMatchObject(
      Object.fromEntries([
        [`interlock_queue_pull_requests{${queue},state="queued"}`, 7],
        [`interlock_queue_pull_requests{${rest},state="queued"}`, 1],
        [`interlock_queue_pull_requests{${rest},state="tagged"}`, 2],
        ['interlock_batches{state="building"}', 2],
        ['interlock_github_budget_remaining{installation="12",resource="rest"}', 40],
        ['interlock_github_budget_limit{installation="12",resource="rest"}', 5000],
      ]),
    );
    expect(metrics[`interlock_queue_oldest_wait_seconds{${rest}}`]).toBeGreaterThan(0);
    // The server has just started, and its own work may use connections too. So the test does not expect a number.
    for (const state of ['busy', 'idle', 'waiting'])
      expect(metrics[`interlock_database_connections{pool="system",state="${state}"}`]).toBeGreaterThanOrEqual(0);
  });
});
