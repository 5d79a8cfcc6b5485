// Webhook endpoints for admins: creating, changing, listing, deleting; and who may not see them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveryForgetting } from '../../src/modules/webhooks/index.ts';
import { receiver } from './receiver.ts';
import { webhookWorld, type WebhookWorld } from './webhook-world.ts';
import { forget } from '../support/forget.ts';

let w: WebhookWorld;
beforeAll(async () => {
  w = await webhookWorld({ allowPrivateAddresses: false });
});
afterAll(async () => await w[Symbol.asyncDispose]());

const create = async (input: Readonly<Record<string, unknown>>, token?: string) =>
  await w.s.graphql<{ createWebhookEndpoint: { webhookEndpoint: { id: string; url: string; actions: string[] } } }>(
    'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { webhookEndpoint { id url actions } } }',
    { input },
    token,
  );

describe('an endpoint', () => {
  it.each([
    [{ url: 'ftp://example.test/' }, 'must be an absolute http or https URL'],
    [{ url: '/hooks' }, 'must be an absolute http or https URL'],
    [{ url: 'https://user:pass@example.test/' }, 'input.url must not contain a user name or a password'],
    [{ url: 'https://example.test/#part' }, 'input.url must have no fragment'],
    [{ url: `https://example.test/${'a'.repeat(2_048)}` }, 'input.url must have at most 2048 characters'],
    [{ actions: [] }, 'input.actions must name at least one action'],
    [{ actions: ['merged', '*'] }, 'input.actions must name only *'],
    [{ actions: ['merged', 'merged'] }, 'input.actions must name each action once'],
    [{ actions: ['batch_started'] }, 'input.actions must name actions that webhooks send, not "batch_started"'],
  ])('cannot be created with %j', async (wrong, because) => {
    const { errors } = await create({ url: 'https://example.test/', actions: ['*'], ...wrong });
    expect(errors[0]?.message).toContain(because);
    expect(errors[0]?.extensions.code).toBe('BAD_INPUT');
    expect(await w.s.rows('select 1 from webhook_endpoint')).toEqual([]);
  });

  it('can be created, changed, listed newest first and deleted, and an account has at most twenty', async () => {
    const made = [];
    for (let n = 0; n < 20; n += 1)
      made.push((await create({ url: `https://example.test/${n}`, actions: ['merged'] })).data);
    expect((await create({ url: 'https://example.test/', actions: ['*'] })).errors[0]?.message).toContain('at most 20');
    const id = made[3]?.createWebhookEndpoint.webhookEndpoint.id;
    expect(
      await w.ask('updateWebhookEndpoint', { id, actions: ['*'] }, 'webhookEndpoint { url actions enabled }'),
    ).toEqual({ webhookEndpoint: { url: 'https://example.test/3', actions: ['*'], enabled: true } });
    await w.ask('deleteWebhookEndpoint', { id }, 'deletedId');
    const page = async (after: string | null) =>
      (
        await w.s.graphql<{
          webhookEndpoints: { nodes: { url: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
        }>(
          'query ($after: String) { webhookEndpoints(first: 15, after: $after) { nodes { url } pageInfo { hasNextPage endCursor } } }',
          { after },
        )
      ).data.webhookEndpoints;
    const first = await page(null);
    const second = await page(first.pageInfo.endCursor);
    const listed = [...first.nodes, ...second.nodes].map(({ url }) => Number(url.split('/').at(-1)));
    expect(listed).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 2, 1, 0]);
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false]);
    for (const field of [
      'updateWebhookEndpoint',
      'enableWebhookEndpoint',
      'pingWebhookEndpoint',
      'deleteWebhookEndpoint',
    ]) {
      const selection = field.startsWith('delete') ? 'deletedId' : '__typename';
      await expect(w.ask(field, { id }, selection)).rejects.toThrow('Webhook endpoint not found');
    }
    await w.s.rows('delete from webhook_endpoint');
  });

  it('is hidden from a token without admin, and its events do not contain its address', async () => {
    const reader = await w.s.tokenWith(['queue:read', 'audit:read']);
    const { data } = await create({ url: 'https://example.test/secret-path', actions: ['*'] });
    const { id } = data.createWebhookEndpoint.webhookEndpoint;
    const seen = await w.s.graphql(
      'query ($id: ID!) { node(id: $id) { id } webhookEndpoints { nodes { url } } }',
      { id },
      reader,
    );
    expect(seen.errors.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    const events = await w.s.rows("select payload from event where action like 'webhook%'");
    expect(events.length).toBeGreaterThan(0);
    expect(JSON.stringify(events)).not.toContain('secret-path');
    await w.s.rows('delete from webhook_endpoint');
  });

  it('is in the audit log when it is created with a user token', async () => {
    const admin = await w.s.tokenWith(['admin']);
    await create({ url: 'https://example.test/', actions: ['*'] }, admin);
    expect(
      await w.s.rows("select action, entity, target from user_action where action = 'webhook_endpoint_created'"),
    ).toEqual([{ action: 'webhook_endpoint_created', entity: 'integrations', target: null }]);
    await w.s.rows('delete from webhook_endpoint');
  });
});

describe('a private address', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]'])(
    'such as %s is not connected to, and the attempt does not say what is there',
    async (host) => {
      await using r = await receiver();
      const { data } = await create({ url: r.url.replace('127.0.0.1', host), actions: ['*'] });
      await w.happen('opened', 1);
      await w.settled('retrying');
      const { data: listed } = await w.s.graphql(
        'query ($id: ID!) { node(id: $id) { ... on WebhookEndpoint { deliveries { nodes { attempts { responseStatus error } } } } } }',
        data.createWebhookEndpoint.webhookEndpoint,
      );
      expect(listed).toMatchObject({
        node: {
          deliveries: {
            nodes: [
              {
                attempts: [
                  {
                    responseStatus: null,
                    error:
                      'The address is private, loopback or link-local: this installation sends nothing to such addresses.',
                  },
                ],
              },
            ],
          },
        },
      });
      expect(r.received).toEqual([]);
      await w.s.rows('delete from webhook_endpoint');
    },
  );
});

describe('deliveries', () => {
  it('are deleted after 30 days, but not while they are retried; those of a deleted endpoint are deleted in any case', async () => {
    await create({ url: 'https://example.test/', actions: ['*'] });
    const add = async (action: string, daysOld: number, state: string): Promise<unknown> =>
      await w.s.rows(
        `insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, body, state, next_attempt_at, created_at)
         select account_id, id, $1, $1, 'x', '{}', $3, now() + interval '1 day', now() - make_interval(days => $2) from webhook_endpoint`,
        [action, daysOld, state],
      );
    await add('old', 31, 'succeeded');
    await add('old and on its way', 31, 'retrying');
    await add('young', 29, 'failed');
    expect(await forget(w.s.ports.db, deliveryForgetting)).toBe(1);
    expect((await w.deliveries()).map(({ action }) => action)).toEqual(['old and on its way', 'young']);
    await w.s.rows('update webhook_endpoint set deleted_at = now(), enabled = false');
    expect(await forget(w.s.ports.db, deliveryForgetting)).toBe(3);
    expect(await w.s.rows('select 1 from webhook_endpoint')).toEqual([]);
  });
});
