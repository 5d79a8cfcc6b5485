// The subscription to the changes of webhook deliveries.
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDeliveryChanges } from '../../src/modules/webhooks/index.ts';
import { accountOf } from '../accounts/account.ts';
import { follow, type Followed } from '../support/follow.ts';
import { receiver, type Receiver } from './receiver.ts';
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

interface Change {
  readonly webhookDelivery: { readonly action: string; readonly state: string; readonly attemptCount: number } | null;
}

const document = 'subscription { webhookDeliveryChanged { webhookDelivery { action state attemptCount } } }';

async function following({ url = w.s.url, token = w.s.token } = {}): Promise<Followed<Change>> {
  const followed = follow<Change>({ url, token }, document);
  expect(await followed.until(1)).toEqual([{ webhookDelivery: null }]);
  return followed;
}

async function channelClient(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: w.s.databaseUrl });
  await client.connect();
  return client;
}

it('every server sends the changes of a delivery up to its end, and only to followers in its account', async () => {
  await w.endpoint(r.url);
  const stranger = await w.s.otherAccount('stranger');
  await using here = await following();
  await using there = await following({ url: (await w.s.another()).url });
  await using theirs = await following({ token: stranger.token });
  await w.happen('blocked', 4);
  const last = { action: 'blocked', state: 'SUCCEEDED', attemptCount: 1 };
  for (const { payloads } of [here, there])
    await expect.poll(() => payloads.at(-1)?.webhookDelivery, { timeout: 60_000 }).toEqual(last);
  expect(theirs.payloads).toEqual([{ webhookDelivery: null }]);
});

it('changes end for an admin who becomes a member: the socket is closed, and a new one is refused', async () => {
  const account = accountOf(w.s);
  await account.add('zoe', { role: 'admin' });
  const ada = await account.add('ada', { role: 'admin', scopes: ['admin', 'queue:read'] });
  await using followed = await following({ token: ada.token });
  await account.update(ada.id, { role: 'MEMBER' });
  expect(await followed.closed).toMatchObject({ code: 1013, reason: 'Your permissions have changed. Connect again.' });
  await using again = follow<Change>({ url: w.s.url, token: ada.token }, document);
  await again.until(1);
  expect(again.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});

it('changes go on for an admin when the role of another user changes', async () => {
  const account = accountOf(w.s);
  const [bea, ben] = [
    await account.add('bea', { role: 'admin', scopes: ['admin', 'queue:read'] }),
    await account.add('ben', { role: 'admin' }),
  ];
  await using followed = await following({ token: bea.token });
  await account.update(ben.id, { role: 'MEMBER' });
  r.answer(() => ({ status: 200 }));
  await w.endpoint(r.url);
  await w.happen('blocked', 4);
  await expect
    .poll(() => followed.payloads.at(-1)?.webhookDelivery, { timeout: 60_000 })
    .toMatchObject({ action: 'blocked', state: 'SUCCEEDED' });
  expect(followed.errors).toEqual([]);
});

it('a failed attempt is a change', async () => {
  r.answer(() => ({ status: 503 }));
  await w.endpoint(r.url);
  await using followed = await following();
  await w.happen('blocked', 4);
  await expect
    .poll(() => followed.payloads.at(-1)?.webhookDelivery, { timeout: 60_000 })
    .toEqual({ action: 'blocked', state: 'RETRYING', attemptCount: 1 });
});

it('a subscription needs the scope admin', async () => {
  await using followed = follow<Change>({ url: w.s.url, token: await w.s.tokenWith(['queue:read']) }, document);
  await followed.until(1);
  expect(followed.payloads).toEqual([]);
  expect(followed.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});

it('the database notifies nobody while there are no followers', async () => {
  await w.s.rows('delete from webhook_watch');
  await w.endpoint(r.url);
  const client = await channelClient();
  try {
    const heard: (string | undefined)[] = [];
    client.on('notification', ({ payload }) => heard.push(payload));
    await client.query('listen webhook_delivery_changed');
    await w.happen('blocked', 4);
    await w.settled('succeeded');
    await client.query(`notify webhook_delivery_changed, 'end'`);
    await expect.poll(() => heard).toContain('end');
    expect(heard).toEqual(['end']);
  } finally {
    await client.end();
  }
});

it('a follower that is far behind is told to read all deliveries again', async () => {
  await w.endpoint(r.url);
  const stranger = await w.s.otherAccount('far');
  const changes = createDeliveryChanges(w.s.ports);
  const client = await channelClient();
  try {
    const slow = changes.follow(w.s.accountId);
    const other = changes.follow(stranger.accountId);
    for (const each of [slow, other]) expect((await each.next()).value).toBeNull();
    const [made] = await w.s.rows<{ ids: string[] }>(
      `with made as (
         insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, body, state, created_at, ended_at)
         select account_id, id, 'm' || n, 'blocked', 'l', '', 'succeeded', now(), now() from webhook_endpoint, generate_series(1, 3) n
         returning id::text)
       select array_agg(id) as ids from made`,
    );
    // Notifications are in order. When the other account hears this one, all before it have been heard too.
    await client.query(`notify webhook_delivery_changed, '${stranger.accountId}:1'`);
    expect((await other.next()).value).toBe('1');
    for (const id of made?.ids ?? []) expect((await slow.next()).value).toBe(id);
    await w.s.rows('update webhook_delivery set attempts = attempts + 1');
    await client.query(
      `select pg_notify('webhook_delivery_changed', $1::text || ':' || n) from generate_series(1000, 1300) n`,
      [w.s.accountId],
    );
    await client.query(`notify webhook_delivery_changed, '${stranger.accountId}:2'`);
    expect((await other.next()).value).toBe('2');
    expect((await slow.next()).value).toBeNull();
  } finally {
    await changes.close();
    await client.end();
  }
});
