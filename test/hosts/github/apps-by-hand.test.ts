// Apps by GraphQL: a link that makes an App, and an App that was made by hand. GitHub is asked before anything is
// stored.
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import type { RequestContext } from '../../../src/modules/accounts/index.ts';
import { addAppByHand, createAppLink } from '../../../src/modules/github/apps.service.ts';
import { appOf, appWorld, type AppWorld, withScopes } from './app-world.ts';

let w: AppWorld;
beforeAll(async () => {
  w = await appWorld();
  await w.emulator.addRepository('shop');
});
afterAll(async () => await w.close());

const linkDocument = `mutation ($input: CreateGitHubAppLinkInput!) { createGitHubAppLink(input: $input) { url expiresAt } }`;
const addDocument = `mutation ($input: AddGitHubAppInput!) { addGitHubApp(input: $input) { slug webhookUrl installUrl } }`;

function given(changes: object = {}) {
  const { id: appId, clientId, clientSecret, webhookSecret, privateKey, webUrl: server } = appOf(w.emulator);
  return { server, appId, clientId, clientSecret, webhookSecret, privateKey, ...changes };
}

async function refusal(document: string, input: object, token?: string) {
  const { errors } = await w.graphql(document, { input }, token);
  return errors?.map(({ message, extensions: { code, field } }) => [code, field, message]);
}

/** The context of a user's request by GraphQL, which the audit log records. */
function asUser(ctx: Context): Context {
  const actor = { ...ctx.actor, kind: 'user_token', email: 'ada@example.test' } as const;
  return { ...ctx, actor, source: 'graphql_api' } as RequestContext;
}

async function audit() {
  return await w.rows('select account_id, action, entity, target from user_action order by id');
}

describe('a link', () => {
  test('of an administrator is a page that leads to GitHub, for an hour', async () => {
    // The operator named one server, so a link without a server leads there.
    for (const server of [`${w.emulator.webUrl}/`, null]) {
      const { data } = await w.graphql(linkDocument, { input: { server, organization: 'acme' } });
      const { url, expiresAt } = (data as { createGitHubAppLink: { url: string; expiresAt: string } })
        .createGitHubAppLink;
      expect((Date.parse(expiresAt) - Date.now()) / 60_000).toBeCloseTo(60, 0);
      expect(await (await fetch(url)).text()).toContain(`${w.emulator.webUrl}/organizations/acme/settings/apps/new`);
    }
  });

  test.each([
    [
      { server: 'https://ghe.example.com' },
      'BAD_INPUT',
      'input.server',
      'can permit an Enterprise Server with GITHUB_SERVER',
    ],
    [{ server: 'https://github.com.example.com' }, 'BAD_INPUT', 'input.server', 'is not permitted'],
    [{ server: 'http://github.com' }, 'BAD_INPUT', 'input.server', 'is not permitted'],
    [{ organization: 'a/b' }, 'BAD_INPUT', 'input.organization', 'the login of an organisation'],
    [{ server: 'https://github.com' }, 'CONFLICT', undefined, 'Set INTERLOCK_PUBLIC_URL'],
    [{ server: 'https://acme.ghe.com' }, 'CONFLICT', undefined, 'Set INTERLOCK_PUBLIC_URL'],
  ])('of %j is refused', async (input, code, field, message) => {
    expect(await refusal(linkDocument, input)).toEqual([[code, field, expect.stringContaining(message)]]);
  });
});

describe('an App that was made by hand', () => {
  const { privateKey: otherKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });

  test.each<readonly [object, string, string]>([
    [{ server: 'https://ghe.example.com' }, 'input.server', 'is not permitted'],
    [{ appId: 'interlock' }, 'input.appId', "must be the App's number"],
    [{ appId: '999999' }, 'input.privateKey', 'is not a key of the App 999999'],
    [{ privateKey: 'secret' }, 'input.privateKey', 'in PEM'],
    [{ privateKey: otherKey }, 'input.privateKey', 'is not a key of the App'],
    [{ clientId: 'Iv1.other' }, 'input.clientId', 'is not the client id of the App interlock'],
    [{ clientSecret: ' ' }, 'input.clientSecret', 'must have 1 to 500 characters'],
    [{ webhookSecret: 'x'.repeat(501) }, 'input.webhookSecret', 'must have 1 to 500 characters'],
  ])('is refused with %j', async (changes, field, message) => {
    expect(await refusal(addDocument, given(changes))).toEqual([
      ['BAD_INPUT', field, expect.stringContaining(message)],
    ]);
    expect(await w.rows('select 1 from github_app')).toEqual([]);
  });

  test('is refused while it is public, because anybody could install it', async () => {
    const app = w.emulator.core.state.apps.must(Number(w.emulator.appId));
    app.isPublic = true;
    expect(await refusal(addDocument, given())).toEqual([
      ['BAD_INPUT', 'input.appId', expect.stringContaining('is the public App interlock, which anybody can install')],
    ]);
    // A failure does not make it private.
    w.emulator.controls.fail({ operation: 'GET /apps/{app_slug}', status: 503, times: 1 });
    expect(await refusal(addDocument, given())).toEqual([
      ['HOST_UNAVAILABLE', undefined, 'GitHub did not answer. Try again.'],
    ]);
    app.isPublic = false;
  });

  test('is not stored while GitHub does not answer', async () => {
    w.emulator.controls.fail({ operation: 'GET /app', status: 503, times: 1 });
    expect(await refusal(addDocument, given())).toEqual([
      ['HOST_UNAVAILABLE', undefined, 'GitHub did not answer. Try again.'],
    ]);
  });

  test('is stored with sealed secrets, and later gets new secrets at the same address', async () => {
    const { data } = await w.graphql(addDocument, { input: given() });
    const path = await w.webhookPath();
    const answer = {
      slug: 'interlock',
      webhookUrl: `${w.url}/github/webhooks/${path}`,
      installUrl: `${w.emulator.webUrl}/apps/interlock/installations/new`,
    };
    expect(data).toEqual({ addGitHubApp: answer });
    const [app] = await w.rows<{ sealed: Buffer }>('select sealed from github_app');
    expect(app?.sealed.toString('latin1')).not.toContain('PRIVATE KEY');
    await w.syncAll();
    expect(await w.rows('select owner, name, active from repository')).toEqual([
      { owner: 'acme', name: 'shop', active: false },
    ]);
    const signed = { path, body: '{}' };
    expect((await w.send(signed)).status).toBe(202);

    // The address belongs to the App, however the App was made.
    await w.rows("update github_app set webhook_path = 'abc'");
    const again = await w.graphql(addDocument, { input: given({ webhookSecret: 'another' }) });
    expect(again.data).toEqual({ addGitHubApp: { ...answer, webhookUrl: `${w.url}/github/webhooks/abc` } });
    expect((await w.send({ ...signed, path: 'abc' })).status).toBe(401);
  });

  test('of one account is refused to another', async () => {
    expect(await refusal(addDocument, given(), w.otherToken)).toEqual([
      ['CONFLICT', undefined, 'The App interlock belongs to another account.'],
    ]);
  });
});

test('links and Apps are refused to everybody except administrators, and have entries in the audit log', async () => {
  const servers = [w.emulator.webUrl];
  const link = async (ctx: Context) =>
    await createAppLink(ctx, { server: w.emulator.webUrl, organization: null }, servers);
  const add = async (ctx: Context) => await addAppByHand(ctx, w.secrets, { app: given(), servers });
  const writer = withScopes(w.ctx, ['config:write', 'queue:write']);
  for (const ask of [link, add]) await expect(ask(writer)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await audit()).toEqual([]);
  for (const ask of [link, add]) await ask(asUser(w.ctx));
  const entry = { account_id: w.ctx.accountId, entity: 'integrations' };
  expect(await audit()).toEqual([
    { ...entry, action: 'github_app_link_created', target: w.emulator.webUrl },
    { ...entry, action: 'github_app_added', target: 'interlock' },
  ]);
});
