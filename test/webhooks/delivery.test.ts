// Webhooks as a receiver sees them: their payloads, their signatures, their order and the number of attempts.
import { createHmac, timingSafeEqual } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { appendEvents } from '../../src/modules/events/index.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { sha } from '../graphql/seed.ts';
import { metricsOf } from '../support/metrics.ts';
import { disableWebhookEndpoint } from '../../src/modules/webhooks/endpoints.service.ts';
import { eventually, isStandard, receiver, type ReceivedWebhook, type Receiver } from './receiver.ts';
import { webhookWorld, type WebhookWorld } from './webhook-world.ts';

let w: WebhookWorld;
let r: Receiver;
beforeAll(async () => {
  w = await webhookWorld();
});
afterAll(async () => await w[Symbol.asyncDispose]());
beforeEach(async () => {
  r = await receiver();
  await w.s.rows('delete from webhook_delivery');
  await w.s.rows('delete from webhook_endpoint');
  return async () => await r[Symbol.asyncDispose]();
});

const day = 24 * 3_600_000;

/** How a receiver checks the signature with nothing but the token and node:crypto (interface 5). */
function isSignedBy(secret: string, signature: unknown, body: Buffer): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(String(signature));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

describe('a webhook', () => {
  it('has the documented payload, is signed with the token, and is sent once', async () => {
    await w.endpoint(r.url);
    await w.happen('blocked', 4, {
      status: 'blocked',
      statusCode: 107,
      statusText: 'A required check failed: test.',
      failedChecks: ['test'],
      secret: 'x',
    });
    const [got] = await r.until(1);
    await expect
      .poll(async () => metricsOf(await w.s.service.metricsPage.text(null)))
      .toMatchObject({ 'interlock_webhook_attempts_total{outcome="succeeded"}': 1 });
    expect(got?.body.toString()).toBe(
      '{"action":"blocked","repository":"shop","organization":"acme","pr_number":4,"author":"ada","status":"blocked","skip_line":false,"status_code":107,"status_code_text":"A required check failed: test.","failed_ci_list":["test"]}',
    );
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-service-event': 'blocked',
      'x-service-attempt': '1',
      'x-service-delivery': got?.headers['webhook-id'],
    });
    expect(got?.headers['x-service-signature-sha256']).toMatch(/^[0-9a-f]{64}$/);
    expect(isSignedBy(w.s.token, got?.headers['x-service-signature-sha256'], got?.body ?? Buffer.of())).toBe(true);
    expect(isStandard(got as ReceivedWebhook, Buffer.from(w.s.token))).toBe(true);
    const [delivery] = await w.settled('succeeded');
    expect(delivery).toMatchObject({ action: 'blocked', attempts: 1, message_id: got?.headers['x-service-delivery'] });
    expect(r.received).toHaveLength(1);
  });

  it('is sent to the endpoints of its account with its action; undocumented actions are not sent', async () => {
    const stranger = await w.s.otherAccount(`stranger-${Math.random()}`);
    await w.s.graphql(
      'mutation ($url: URI!) { createWebhookEndpoint(input: {url: $url, actions: ["*"]}) { webhookEndpoint { id } } }',
      { url: `${r.url}/stranger` },
      stranger.token,
    );
    await w.endpoint(`${r.url}/all`);
    await w.endpoint(`${r.url}/merged`, { actions: ['merged', 'config_change'] });
    for (const action of ['queued', 'conflict_found', 'batch_started', 'merged', 'repository_paused'])
      await w.happen(action, 5, { status: action === 'merged' ? 'merged' : 'queued' });
    await w.s.graphql(
      'mutation { replaceConfiguration(input: {repository: {owner: "acme", name: "shop"}, yaml: "merge_rules: {labels: {trigger: go}}"}) { outcome { __typename } } }',
    );
    await r.until(5);
    await w.settled('succeeded');
    const delivered = r.received.map(({ path, json }) => `${path.replace('/hooks/', '')} ${String(json['action'])}`);
    expect(delivered.toSorted()).toEqual([
      'all config_change',
      'all merged',
      'all queued',
      'merged config_change',
      'merged merged',
    ]);
    const change = r.received.find(({ json }) => json['action'] === 'config_change')?.json;
    expect(Object.keys(change ?? {})).toEqual(['action', 'repository', 'history']);
    expect(change?.['history']).toMatchObject({
      modified_by: { email: 'service@acme.test' },
      diff: expect.stringContaining('+merge_rules'),
    });
  });

  it('about a reset names the failed bot pull request and its failed checks, and about any other reset names neither', async () => {
    await w.endpoint(r.url, { actions: ['reset'] });
    await w.s.rows("update batch set state = 'failed', ended_at = $2 where id = $1", [w.seeded.batchId, w.clock()]);
    await w.s.rows(
      `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion)
       values ($1, $2, $3, 'test', 3, 'failure'), ($1, $2, $3, 'lint', 1, 'success')`,
      [w.s.accountId, w.seeded.repositoryId, sha('e')],
    );
    const facts = { status: 'blocked', statusCode: 107, pullRequestsReset: 2, botPullRequestsClosed: 1 };
    await w.happen('reset', 1, { ...facts, resetCode: 301, resetText: 'Failed.' });
    await w.happen('reset', 1, { ...facts, resetCode: 303, resetText: 'Dequeued.' });
    const [failed, dequeued] = await r.until(2);
    expect(failed?.json).toMatchObject({
      status_code: 301,
      failed_ci_list: ['test'],
      pr_reset_count: 2,
      closed_bot_pr_count: 1,
      bot_pull_request: {
        number: 7,
        github_url: 'https://example.test/pull/7',
        target_branch: 'main',
        head_commit_sha: sha('e'),
        head_branch_oid: sha('e'),
        codemix_pre_batch_sha: sha('a'),
      },
    });
    expect(dequeued?.json).toMatchObject({ status_code: 303, pr_reset_count: 2 });
    expect(Object.keys(dequeued?.json ?? {})).not.toContain('bot_pull_request');
    expect(Object.keys(dequeued?.json ?? {})).not.toContain('failed_ci_list');
  });

  it('comes in order for each pull request, and a slow one does not delay those of other pull requests', async () => {
    await w.endpoint(r.url);
    const release = Promise.withResolvers<void>();
    r.answer(async ({ json }) => {
      if (json['pr_number'] === 1 && json['action'] === 'opened') await release.promise;
      return { status: 204 };
    });
    for (const action of ['opened', 'queued', 'merged']) await w.happen(action, 1);
    for (const action of ['opened', 'queued', 'blocked']) await w.happen(action, 2);
    const delivered = (number: number): unknown[] =>
      r.received.filter(({ json }) => json['pr_number'] === number).map(({ json }) => json['action']);
    await r.until(4);
    expect([delivered(1), delivered(2)]).toEqual([['opened'], ['opened', 'queued', 'blocked']]);
    release.resolve();
    await r.until(6);
    expect(delivered(1)).toEqual(['opened', 'queued', 'merged']);
  });

  it('about a batch comes after those about its members, and does not delay others', async () => {
    await w.endpoint(r.url);
    const release = Promise.withResolvers<void>();
    r.answer(async ({ json }) => {
      if (json['action'] === 'merged') await release.promise;
      return { status: 204 };
    });
    const facts = { number: 1, author: 'ada', status: 'merged', skipLine: false, statusCode: null, statusText: null };
    await w.happen('merged', 1, { status: 'merged', instantMerge: false });
    const ctx = systemContext(w.s.ports, w.s.accountId);
    await ctx.db.transaction(w.s.accountId, async (tx) => {
      const { repositoryId, batchId } = w.seeded;
      const payload = { pullRequests: [facts], batchCommitSha: sha('e') };
      await appendEvents(ctx, tx, [{ repositoryId, batchId, action: 'batch_merged', payload }]);
    });
    await w.happen('blocked', 4, { status: 'blocked' });
    const delivered = (): unknown[] => r.received.map(({ json }) => json['action']);
    await r.until(2);
    // Both webhooks that need not wait have come, and one of them has ended. So the one about the batch would have been
    // sent by now, if it did not wait.
    await eventually(async () => (await w.deliveries()).some(({ state }) => state === 'succeeded'), 'one has ended');
    expect(delivered().toSorted()).toEqual(['blocked', 'merged']);
    const waiting = await w.s.rows("select attempts from webhook_delivery where action = 'batch_merged'");
    expect(waiting).toEqual([{ attempts: 0 }]);
    release.resolve();
    await r.until(3);
    expect(delivered().at(-1)).toBe('batch_merged');
  });

  it('that fails is handed to a retry workflow, and the next ones are still sent', async () => {
    await w.endpoint(r.url);
    r.answer(() => ({ status: 503, headers: { 'retry-after': '120' }, body: 'later' }));
    const before = w.retries.length;
    await w.happen('opened', 1);
    await w.happen('queued', 1);
    await r.until(2);
    const rows = await w.settled('retrying');
    await eventually(async () => w.retries.length === before + 2, 'a workflow is requested for both');
    const wait = (rows[0]?.next_attempt_at?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(100_000);
    expect(wait).toBeLessThan(121_000);
    expect(
      w.retries
        .slice(before)
        .map(({ deliveryId }) => deliveryId)
        .toSorted(),
    ).toEqual(rows.map(({ id }) => id).toSorted());
    expect(r.received.map(({ json }) => json['action'])).toEqual(['opened', 'queued']);
  });

  it('is not sent on to the target of a redirect', async () => {
    await using elsewhere = await receiver();
    await w.endpoint(r.url);
    r.answer(() => ({ status: 307, headers: { location: elsewhere.url } }));
    await w.happen('opened', 1);
    await w.settled('retrying');
    expect(elsewhere.received).toEqual([]);
  });

  it('is sent once, although two processes send', async () => {
    const other = await w.s.another();
    await w.endpoint(r.url);
    for (let n = 0; n < 40; n += 1) await w.happen('queued', (n % 6) + 1);
    await r.until(40);
    await w.settled('succeeded');
    await other.close();
    expect(new Set(r.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(40);
    expect(r.received).toHaveLength(40);
  });
});

describe('a webhook whose sender dies before it stores the outcome', () => {
  it('is sent again with the same id, as the next attempt', async () => {
    await w.endpoint(r.url);
    // The first receiver never answers in time, as if the sender had died after it started the attempt.
    const held = Promise.withResolvers<void>();
    r.answer(async () => {
      if (r.received.length === 1) await held.promise;
      return { status: 200 };
    });
    await w.happen('merged', 5, { status: 'merged' });
    await r.until(1);
    w.pass(31_000);
    const other = await w.s.another();
    await r.until(2);
    const [delivery] = await w.settled('succeeded');
    held.resolve();
    await other.close();
    expect(r.received.map(({ headers }) => [headers['x-service-delivery'], headers['x-service-attempt']])).toEqual([
      [delivery?.message_id, '1'],
      [delivery?.message_id, '2'],
    ]);
    expect(r.received[0]?.body).toEqual(r.received[1]?.body);
  });
});

/** A client of the owner of the tables, who may add a trigger that refuses writes. */
async function databaseOwner(): Promise<{ run(sql: string): Promise<number> } & AsyncDisposable> {
  const client = new pg.Client({ connectionString: w.s.databaseUrl });
  await client.connect();
  return {
    run: async (sql) => (await client.query(sql)).rowCount ?? 0,
    [Symbol.asyncDispose]: async () => await client.end(),
  };
}

async function untilDisabled(): Promise<void> {
  await eventually(
    async () => (await w.s.rows('select 1 from webhook_endpoint where not enabled')).length > 0,
    'the endpoint is disabled',
  );
}

describe('an endpoint', () => {
  it('that answers 410 is disabled, and its account gets an event', async () => {
    const { id } = await w.endpoint(r.url);
    r.answer(() => ({ status: 410 }));
    await w.happen('opened', 1);
    await w.settled('failed');
    await untilDisabled();
    const { data } = await w.s.graphql<{ node: unknown }>(
      'query ($id: ID!) { node(id: $id) { ... on WebhookEndpoint { enabled disabledBecause deliveries { nodes { state attempts { responseStatus } } } } } }',
      { id },
    );
    expect(data.node).toEqual({
      enabled: false,
      disabledBecause: 'GONE',
      deliveries: { nodes: [{ state: 'FAILED', attempts: [{ responseStatus: 410 }] }] },
    });
    const [event] = await w.s.rows<{ payload: unknown }>(
      "select payload from event where action = 'webhook_endpoint_disabled' order by id desc limit 1",
    );
    expect(event?.payload).toMatchObject({ because: 'gone' });
    expect(
      await w.s.rows("select actor, entity, target from user_action where action = 'webhook_endpoint_disabled'"),
    ).toEqual([{ actor: 'service@acme.test', entity: 'integrations', target: null }]);
    await w.happen('queued', 1);
    await expect(w.ask('pingWebhookEndpoint', { id }, 'webhookDelivery { id }')).rejects.toThrow('disabled');
    await eventually(
      async () => (await w.s.rows('select 1 from event where position is null')).length === 0,
      'what happened while it was disabled has its place in the log',
    );
    await w.ask('enableWebhookEndpoint', { id }, 'webhookEndpoint { enabled }');
    r.answer(() => ({ status: 200 }));
    await w.happen('blocked', 1, { status: 'blocked', statusCode: 106 });
    await r.until(2);
    expect(r.received.map(({ json }) => json['action'])).toEqual(['opened', 'blocked']);
  });

  it('that is disabled while deliveries are written has no open delivery afterwards', async () => {
    await w.endpoint(r.url);
    const [endpoint] = await w.s.rows<{ id: string }>('select id from webhook_endpoint');
    await using owner = await databaseOwner();
    // The lock holds the writer up after it has read the endpoints.
    await owner.run('begin; lock table batch_member in access exclusive mode');
    await w.happen('reset', 1, { resetCode: 301 });
    await eventually(
      async () =>
        (await owner.run("select 1 from pg_locks where relation = 'batch_member'::regclass and not granted")) > 0,
      'the deliveries are being written',
    );
    await disableWebhookEndpoint(systemContext(w.s.ports, w.s.accountId), endpoint?.id ?? '');
    await owner.run('commit');
    await eventually(
      async () =>
        (
          await w.s.rows(
            'select 1 from webhook_cursor c join event_head h using (account_id) where c.position = h.position',
          )
        ).length > 0,
      'the deliveries are written',
    );
    expect((await w.deliveries()).filter(({ state }) => state === 'pending')).toEqual([]);
  });

  // Regression test: if the sender was killed between storing the answer 410 and disabling the endpoint, the endpoint
  // stayed enabled.
  it('whose 410 cannot be stored gets the webhook again, and then is disabled', async () => {
    const { id } = await w.endpoint(r.url);
    r.answer(() => ({ status: 410 }));
    await using owner = await databaseOwner();
    await owner.run(`create sequence refused;
      create function refuse() returns trigger language plpgsql security definer as
        $$ begin perform nextval('refused'); raise exception 'not now'; end $$;
      create trigger refuse before insert on user_action for each row execute function refuse()`);
    await w.happen('opened', 1);
    await eventually(async () => (await owner.run('select 1 from refused where is_called')) > 0, 'it was refused');
    await owner.run('drop trigger refuse on user_action; drop function refuse; drop sequence refused');
    w.pass(31_000);
    await w.settled('failed');
    await untilDisabled();
    expect(r.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
    const { data } = await w.s.graphql<{ node: unknown }>(
      'query ($id: ID!) { node(id: $id) { ... on WebhookEndpoint { disabledBecause } } }',
      { id },
    );
    expect(data.node).toEqual({ disabledBecause: 'GONE' });
  });

  it('is not disabled because of an answer from its previous address', async () => {
    const { id } = await w.endpoint(r.url);
    await using moved = await receiver();
    r.answer(async () => {
      await w.ask('updateWebhookEndpoint', { id, url: moved.url }, 'webhookEndpoint { url }');
      return { status: 410 };
    });
    await w.happen('opened', 1);
    await w.settled('failed');
    await w.happen('queued', 1);
    await moved.until(1);
    expect(await w.s.rows('select enabled, failing_since from webhook_endpoint')).toEqual([
      { enabled: true, failing_since: null },
    ]);
  });

  it.each([
    ['410', 410],
    ['a failure', 500],
  ])('that was enabled again works, whatever an attempt from before gets: %s', async (_, status) => {
    const { id } = await w.endpoint(r.url);
    r.answer(async () => {
      await w.ask('disableWebhookEndpoint', { id }, 'webhookEndpoint { enabled }');
      await w.ask('enableWebhookEndpoint', { id }, 'webhookEndpoint { enabled }');
      r.answer(() => ({ status: 200 }));
      return { status };
    });
    await w.happen('opened', 1);
    await eventually(
      async () => (await w.s.rows('select from webhook_attempt where response_status = $1', [status])).length === 1,
      'the answer of the receiver is written',
    );
    expect(await w.s.rows('select enabled, failing_since from webhook_endpoint')).toEqual([
      { enabled: true, failing_since: null },
    ]);
    await w.happen('queued', 1);
    await r.until(2);
    await w.settled('canceled', 'succeeded');
  });

  it.each([
    ['410', 410],
    ['a failure', 500],
  ])('that was enabled again works, whatever a canceled attempt gets after its redelivery: %s', async (_, status) => {
    const { id } = await w.endpoint(r.url);
    const releases = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    r.answer(async ({ headers }) => {
      const attempt = Number(headers['x-service-attempt']);
      await releases[attempt - 1]?.promise;
      return { status: attempt === 1 ? status : 200 };
    });
    await w.happen('opened', 1);
    await r.until(1);
    await w.ask('disableWebhookEndpoint', { id }, 'webhookEndpoint { enabled }');
    await w.ask('enableWebhookEndpoint', { id }, 'webhookEndpoint { enabled }');
    const delivery = encodeNodeId('WebhookDelivery', (await w.deliveries())[0]?.id ?? '');
    await w.ask('redeliverWebhook', { id: delivery }, 'webhookDelivery { state }');
    await r.until(2);
    releases[0]?.resolve();
    await eventually(
      async () => (await w.s.rows('select from webhook_attempt where response_status = $1', [status])).length === 1,
      'the late answer is written',
    );
    expect(await w.s.rows('select enabled, failing_since from webhook_endpoint')).toEqual([
      { enabled: true, failing_since: null },
    ]);
    releases[1]?.resolve();
    await w.settled('succeeded');
  });

  it('is disabled after five days of failures, but not if an attempt succeeded in between', async () => {
    await w.endpoint(r.url);
    r.answer(() => ({ status: 500 }));
    await w.happen('opened', 1);
    await w.settled('retrying');
    w.pass(3 * day);
    r.answer(() => ({ status: 200 }));
    await w.happen('queued', 1);
    await r.until(2);
    await w.settled('retrying', 'succeeded');
    r.answer(() => ({ status: 500 }));
    w.pass(3 * day);
    await w.happen('merged', 1);
    await r.until(3);
    await w.settled('retrying', 'succeeded');
    expect(await w.s.rows('select enabled from webhook_endpoint')).toEqual([{ enabled: true }]);
    w.pass(5 * day);
    await w.happen('opened', 2);
    await r.until(4);
    await untilDisabled();
    expect(await w.s.rows('select disabled_because from webhook_endpoint')).toEqual([{ disabled_because: 'failing' }]);
    await w.settled('succeeded', 'canceled');
  });

  it('can be pinged, shows requests and answers, and sends a delivery again with the same id', async () => {
    const { id } = await w.endpoint(r.url);
    r.answer(() => ({ status: 418, headers: { 'x-kind': 'teapot' }, body: 'short and stout' }));
    await w.ask('pingWebhookEndpoint', { id }, 'webhookDelivery { action state }');
    await w.settled('failed');
    expect(r.received[0]?.body.toString()).toBe('{"action":"ping"}');
    type Listed = {
      node: { deliveries: { nodes: { id: string; messageId: string; attempts: Record<string, unknown>[] }[] } };
    };
    const list = async (): Promise<Listed['node']['deliveries']['nodes']> =>
      (
        await w.s.graphql<Listed>(
          `query ($id: ID!) { node(id: $id) { ... on WebhookEndpoint { deliveries { nodes { id messageId state body
             attempts { number durationMs requestHeaders responseStatus responseHeaders responseBody error } } } } } }`,
          { id },
        )
      ).data.node.deliveries.nodes;
    const [sent] = await list();
    expect(sent).toMatchObject({
      state: 'FAILED',
      body: '{"action":"ping"}',
      attempts: [
        {
          number: 1,
          durationMs: expect.any(Number),
          requestHeaders: {
            'x-service-event': 'ping',
            'x-service-signature-sha256': r.received[0]?.headers['x-service-signature-sha256'],
          },
          responseStatus: 418,
          responseHeaders: { 'x-kind': 'teapot' },
          responseBody: 'short and stout',
          error: null,
        },
      ],
    });
    r.answer(() => ({ status: 200 }));
    await w.ask('redeliverWebhook', { id: sent?.id }, 'webhookDelivery { state }');
    await r.until(2);
    await w.settled('succeeded');
    expect(r.received.map(({ headers }) => [headers['x-service-delivery'], headers['x-service-attempt']])).toEqual([
      [sent?.messageId, '1'],
      [sent?.messageId, '2'],
    ]);
    expect((await list())[0]?.attempts.map((attempt) => attempt['responseStatus'])).toEqual([418, 200]);
  });

  it('gets a delivery again at once on request, also while an attempt is under way that then fails', async () => {
    await w.endpoint(r.url);
    const release = Promise.withResolvers<void>();
    r.answer(async ({ headers }) => {
      if (headers['x-service-attempt'] !== '1') return { status: 200 };
      await release.promise;
      return { status: 500 };
    });
    await w.happen('opened', 1);
    await r.until(1);
    const [delivery] = await w.deliveries();
    const id = encodeNodeId('WebhookDelivery', delivery?.id ?? '');
    await w.ask('redeliverWebhook', { id }, 'webhookDelivery { state }');
    release.resolve();
    await r.until(2);
    await w.settled('succeeded');
    expect(r.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
  });

  it.each([500, 410])('works on although an attempt is answered %s after a later one has succeeded', async (status) => {
    await w.endpoint(r.url);
    const release = Promise.withResolvers<void>();
    r.answer(async ({ headers }) => {
      if (headers['x-service-attempt'] !== '1') return { status: 200 };
      await release.promise;
      return { status };
    });
    await w.happen('opened', 1);
    await r.until(1);
    w.pass(31_000);
    const other = await w.s.another();
    await r.until(2);
    await w.settled('succeeded');
    release.resolve();
    await expect
      .poll(async () => await w.s.rows('select response_status from webhook_attempt order by number'))
      .toEqual([{ response_status: status }, { response_status: 200 }]);
    await other.close();
    expect(await w.s.rows('select enabled, failing_since from webhook_endpoint')).toEqual([
      { enabled: true, failing_since: null },
    ]);
  });

  it.each([
    ['before', 'select 1 from webhook_endpoint for update'],
    ['after', 'select 1 from webhook_attempt where number = 1 for update'],
  ])('does not count as failing because of a failure that is written just %s a success', async (_when, held) => {
    await w.endpoint(r.url);
    const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    r.answer(async ({ headers }) => ({
      status: (await answers[Number(headers['x-service-attempt']) - 1]?.promise) ?? 200,
    }));
    await w.happen('opened', 1);
    await r.until(1);
    const id = encodeNodeId('WebhookDelivery', (await w.deliveries())[0]?.id ?? '');
    await w.ask('redeliverWebhook', { id }, 'webhookDelivery { state }');
    await r.until(2);
    await using owner = await databaseOwner();
    const waiting = async (): Promise<number> =>
      await owner.run("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
    await owner.run('begin');
    await owner.run(held);
    answers[0]?.resolve(500);
    await eventually(async () => (await waiting()) === 1, 'the failure is being written');
    answers[1]?.resolve(200);
    await eventually(
      async () => (await waiting()) === 2 || (await w.deliveries())[0]?.state === 'succeeded',
      'the success is being written, or is written',
    );
    await owner.run('commit');
    await w.settled('succeeded');
    await expect
      .poll(async () => await w.s.rows('select response_status from webhook_attempt order by number'))
      .toEqual([{ response_status: 500 }, { response_status: 200 }]);
    expect(await w.s.rows('select failing_since from webhook_endpoint')).toEqual([{ failing_since: null }]);
  });

  it('whose secret cannot be decrypted has failed attempts that say so, until it gets another secret', async () => {
    const { id } = await w.endpoint(r.url, { ownSecret: true });
    await w.s.rows(`update webhook_endpoint set secret = '\\x00'`);
    await using other = await receiver();
    await w.endpoint(other.url);
    await w.happen('opened', 1);
    await other.until(1);
    await w.settled('retrying', 'succeeded');
    expect(await w.s.rows('select number, error from webhook_attempt where error is not null')).toEqual([
      {
        number: 1,
        error: 'Interlock cannot decrypt the key that signs the webhook. Give the endpoint another secret.',
      },
    ]);
    expect(r.received).toEqual([]);
    await w.ask('rotateWebhookEndpointSecret', { id }, 'secret');
    await w.happen('queued', 1);
    await r.until(1);
  });

  it('whose signing token has a key that cannot be decrypted has failed attempts that say so', async () => {
    await w.endpoint(r.url);
    const sealed = await w.s.rows<{ hex: string }>(
      "select encode(signing_key, 'hex') as hex from api_token where account_id = $1 and signs_webhooks",
      [w.s.accountId],
    );
    await w.s.rows("update api_token set signing_key = '\\x00' where account_id = $1 and signs_webhooks", [
      w.s.accountId,
    ]);
    await w.happen('opened', 1);
    await w.settled('retrying');
    expect(await w.s.rows('select number, error from webhook_attempt')).toEqual([
      { number: 1, error: expect.stringContaining('cannot decrypt the key of the API token') },
    ]);
    await w.s.rows("update api_token set signing_key = decode($1, 'hex') where account_id = $2 and signs_webhooks", [
      sealed[0]?.hex,
      w.s.accountId,
    ]);
    expect(r.received).toEqual([]);
  });

  it('does not count as failing because of a ping, and is not disabled by its first failure long after it', async () => {
    const { id } = await w.endpoint(r.url);
    r.answer(() => ({ status: 500 }));
    await w.ask('pingWebhookEndpoint', { id }, 'webhookDelivery { id }');
    await w.settled('failed');
    expect(await w.s.rows('select failing_since from webhook_endpoint')).toEqual([{ failing_since: null }]);
    w.pass(6 * day);
    await w.happen('opened', 1);
    await r.until(2);
    await w.settled('failed', 'retrying');
    expect(await w.s.rows('select enabled, failing_since is not null as failing from webhook_endpoint')).toEqual([
      { enabled: true, failing: true },
    ]);
  });

  it('can have its own secret; after a rotation the old secret signs too for a day', async () => {
    const { id, secret } = await w.endpoint(r.url, { ownSecret: true });
    await w.happen('opened', 1);
    const [first] = await r.until(1);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(isSignedBy(String(secret), first?.headers['x-service-signature-sha256'], first?.body ?? Buffer.of())).toBe(
      true,
    );
    expect(isStandard(first as ReceivedWebhook, Buffer.from(String(secret).slice(6), 'base64'))).toBe(true);
    const { secret: next } = await w.ask<{ secret: string }>('rotateWebhookEndpointSecret', { id }, 'secret');
    await w.happen('queued', 1);
    const [, second] = await r.until(2);
    const { headers, body } = second as ReceivedWebhook;
    expect(isSignedBy(next, headers['x-service-signature-sha256'], body)).toBe(true);
    expect(isSignedBy(String(secret), headers['x-service-signature-sha256-previous'], body)).toBe(true);
    w.pass(day + 1);
    await w.happen('merged', 1);
    const [, , third] = await r.until(3);
    expect(third?.headers['x-service-signature-sha256-previous']).toBeUndefined();
    await w.ask('removeWebhookEndpointSecret', { id }, 'webhookEndpoint { hasOwnSecret }');
    await w.happen('opened', 2);
    const [, , , fourth] = await r.until(4);
    expect(isSignedBy(w.s.token, fourth?.headers['x-service-signature-sha256'], fourth?.body ?? Buffer.of())).toBe(
      true,
    );
    expect(JSON.stringify(await w.s.rows('select secret::text, url from webhook_endpoint'))).not.toContain(next);
  });

  it('keeps each replaced secret for a day, also if it is rotated several times within a day', async () => {
    const { id, secret } = await w.endpoint(r.url, { ownSecret: true });
    const secrets = [String(secret)];
    const rotate = async (): Promise<void> => {
      const rotated = await w.ask<{ secret: string }>('rotateWebhookEndpointSecret', { id }, 'secret');
      secrets.push(rotated.secret);
    };
    /** Which of the secrets verify a webhook that is sent now, as a receiver of Standard Webhooks checks. */
    const verifying = async (): Promise<number[]> => {
      const count = r.received.length;
      await w.happen('opened', 1);
      const got = (await r.until(count + 1))[count] as ReceivedWebhook;
      const bytes = (one: string): Buffer => Buffer.from(one.slice('whsec_'.length), 'base64');
      return secrets.flatMap((one, index) => (isStandard(got, bytes(one)) ? [index] : []));
    };
    await rotate();
    w.pass(day / 2);
    await rotate();
    expect(await verifying()).toEqual([0, 1, 2]);
    w.pass(day / 2);
    expect(await verifying()).toEqual([1, 2]);
    w.pass(day / 2);
    expect(await verifying()).toEqual([2]);
    for (let count = 0; count < 11; count += 1) await rotate();
    // The oldest of eleven replaced secrets has ended.
    expect(await verifying()).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    await w.ask('removeWebhookEndpointSecret', { id }, 'webhookEndpoint { hasOwnSecret }');
    await rotate();
    expect(await verifying()).toEqual([14]);
  });
});

describe('the signing token of an account', () => {
  it('is replaced in stages: the new one signs too, then becomes the main one, and the old one signs too for a day', async () => {
    await w.endpoint(r.url);
    const make = async (): Promise<{ id: string; token: string }> => {
      const { apiToken, token } = await w.ask<{ apiToken: { id: string }; token: string }>(
        'createApiToken',
        { name: 'Next', kind: 'ACCOUNT', scopes: ['QUEUE_READ'] },
        'apiToken { id } token',
      );
      return { id: apiToken.id, token };
    };
    const sent = async (): Promise<Record<string, string>> => {
      const count = r.received.length;
      await w.happen('opened', 1);
      const { headers, body } = (await r.until(count + 1))[count] as ReceivedWebhook;
      const by = (header: string): string =>
        Object.entries(tokens).find(([, token]) => isSignedBy(token, headers[header], body))?.[0] ?? 'nobody';
      return Object.fromEntries(
        ['', '-next', '-previous'].map((suffix) => [suffix, by(`x-service-signature-sha256${suffix}`)]),
      );
    };
    const second = await make();
    const third = await make();
    const tokens = { first: w.s.token, second: second.token, third: third.token };
    expect(await sent()).toEqual({ '': 'first', '-next': 'nobody', '-previous': 'nobody' });
    await w.ask('rotateWebhookSigning', { token: second.id }, 'webhookSigning { promoteAt }');
    expect(await sent()).toEqual({ '': 'first', '-next': 'second', '-previous': 'nobody' });
    await expect(w.ask('promoteWebhookSigning', { token: third.id }, 'webhookSigning { promoteAt }')).rejects.toThrow(
      'Another token is the next signing token',
    );
    await w.ask('promoteWebhookSigning', { token: second.id }, 'webhookSigning { current { id } }');
    expect(await sent()).toEqual({ '': 'second', '-next': 'nobody', '-previous': 'first' });
    await expect(w.ask('promoteWebhookSigning', { token: second.id }, 'webhookSigning { promoteAt }')).rejects.toThrow(
      'There is no next signing token',
    );
    w.pass(day + 1);
    expect(await sent()).toEqual({ '': 'second', '-next': 'nobody', '-previous': 'nobody' });
    await w.ask('rotateWebhookSigning', { token: third.id }, 'webhookSigning { promoteAt }');
    w.pass(7 * day);
    expect(await sent()).toEqual({ '': 'third', '-next': 'nobody', '-previous': 'second' });
    await expect(w.ask('rotateWebhookSigning', { token: third.id }, 'webhookSigning { promoteAt }')).rejects.toThrow(
      'already signs webhooks',
    );
    await restore();
  });

  /** The first token signs again, as the other tests expect. */
  async function restore(): Promise<void> {
    const [row] = await w.s.rows<{ id: string }>('select id from api_token where account_id = $1 order by id limit 1', [
      w.s.accountId,
    ]);
    await w.s.rows('update api_token set signs_webhooks = false where account_id = $1', [w.s.accountId]);
    await w.s.rows('update api_token set signs_webhooks = true where id = $1', [row?.id]);
    await w.s.rows('delete from webhook_signing');
  }

  it('that was replaced signs for a day, also if its successor is replaced within that day, unless it is revoked', async () => {
    await w.endpoint(r.url);
    const tokens = [w.s.token];
    const ids: string[] = [];
    const promote = async (): Promise<void> => {
      const { apiToken, token } = await w.ask<{ apiToken: { id: string }; token: string }>(
        'createApiToken',
        { name: 'Next', kind: 'ACCOUNT', scopes: ['QUEUE_READ'] },
        'apiToken { id } token',
      );
      await w.ask('rotateWebhookSigning', { token: apiToken.id }, 'webhookSigning { promoteAt }');
      await w.ask('promoteWebhookSigning', { token: apiToken.id }, 'webhookSigning { promoteAt }');
      tokens.push(token);
      ids.push(apiToken.id);
    };
    const verifying = async (): Promise<number[]> => {
      const count = r.received.length;
      await w.happen('opened', 1);
      const got = (await r.until(count + 1))[count] as ReceivedWebhook;
      return tokens.flatMap((token, index) => (isStandard(got, Buffer.from(token)) ? [index] : []));
    };
    await promote();
    w.pass(day / 2);
    await promote();
    await promote();
    expect(await verifying()).toEqual([0, 1, 2, 3]);
    w.pass(day / 2);
    expect(await verifying()).toEqual([1, 2, 3]);
    await w.ask('revokeApiToken', { id: ids[0] }, 'apiToken { id }');
    expect(await verifying()).toEqual([2, 3]);
    await restore();
  });
});
