// A browser follows a link to a new App whose repositories are listed. Also links that lead nowhere.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addApp, beginSetup, createSetupLink } from '../../../src/modules/github/index.ts';
import { appOf, appWorld, type AppWorld, withScopes } from './app-world.ts';

let w: AppWorld;
beforeAll(async () => {
  w = await appWorld();
  await w.emulator.addRepository('shop');
  await w.emulator.addRepository('docs');
});
afterAll(async () => await w.close());

async function link(): Promise<string> {
  const { apiUrl, webUrl, owner } = w.emulator;
  return await createSetupLink(w.ctx, { apiUrl, webUrl, organization: owner });
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** The address of the form in a page, and its hidden fields. */
function formOf(page: string): { action: string; fields: Record<string, string> } {
  const hidden = [...page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const fields = hidden.map(([, name = '', value = '']) => [name, unescaped(value)] as const);
  return { action: unescaped(/<form[^>]* action="([^"]*)"/.exec(page)?.[1] ?? ''), fields: Object.fromEntries(fields) };
}

async function post(url: string, fields: Record<string, string>): Promise<Response> {
  return await fetch(new URL(url, w.emulator.url), {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
}

/** Makes the first click, and confirms at GitHub. Returns the address to which GitHub sends the browser back. */
async function makeApp(from: string, name: string): Promise<string> {
  const started = formOf(await (await fetch(from)).text());
  const manifest = JSON.stringify({ ...(JSON.parse(started.fields['manifest'] ?? '') as object), name });
  const asked = formOf(await (await post(started.action, { manifest })).text());
  const made = await post(asked.action, { ...asked.fields, as: w.emulator.login });
  return made.headers.get('location') ?? '';
}

async function appsNamed(slug: string) {
  return await w.rows<{ account_id: string; sealed: Buffer; owner: string }>(
    'select account_id, sealed from github_app where slug = $1',
    [slug],
  );
}

test('two clicks make an App with sealed secrets, and list its repositories as inactive', async () => {
  const from = await link();
  const back = await makeApp(from, 'Two Clicks');
  const returned = await fetch(back, { redirect: 'manual' });
  const install = returned.headers.get('location') ?? '';
  expect([returned.status, new URL(install).pathname]).toEqual([302, '/apps/two-clicks/installations/new']);

  const installed = await post(install, { account: w.emulator.owner, as: w.emulator.login });
  const page = await fetch(installed.headers.get('location') ?? '');
  const connected = await page.text();
  expect([page.status, connected]).toEqual([200, expect.stringContaining('GitHub is connected')]);
  // The link to the next step.
  expect(connected).toContain(`href="${w.url}/"`);
  await w.syncChanged();

  const [app] = await appsNamed('two-clicks');
  expect(app?.account_id).toBe(w.ctx.accountId);
  const kept = w.emulator.core.state.apps.find(({ slug }) => slug === 'two-clicks');
  const sealed = app?.sealed.toString('latin1') ?? '';
  expect(sealed.length).toBeGreaterThan(1000);
  expect([sealed.includes('PRIVATE KEY'), sealed.includes(kept?.webhook.secret ?? '?')]).toEqual([false, false]);
  expect(await w.rows('select account_id, name, host, active from repository order by name')).toEqual(
    ['docs', 'shop'].map((name) => ({ account_id: w.ctx.accountId, name, host: 'github', active: false })),
  );
  expect(kept).toMatchObject({ isPublic: false, permissions: { contents: 'write', administration: 'read' } });

  // The link and the state cannot be used again.
  expect((await fetch(from)).status).toBe(404);
  expect((await fetch(back, { redirect: 'manual' })).status).toBe(404);
});

test('a link works for an hour', async () => {
  const from = await link();
  w.later(59);
  expect((await fetch(from)).status).toBe(200);
  w.later(2);
  const answer = await fetch(from);
  w.later(-61);
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('Ask for a new link.')]);
});

test('a code that comes back after an hour makes no App', async () => {
  const back = await makeApp(await link(), 'Too Late');
  w.later(61);
  const answer = await fetch(back, { redirect: 'manual' });
  w.later(-61);
  expect([answer.status, await appsNamed('too-late')]).toEqual([404, []]);
});

test('the page of a link can be loaded again, and only its newest state leads back', async () => {
  const from = await link();
  const early = await makeApp(from, 'Early');
  const late = await makeApp(from, 'Late');
  expect((await fetch(early, { redirect: 'manual' })).status).toBe(404);
  expect((await fetch(late, { redirect: 'manual' })).status).toBe(302);
  expect([(await appsNamed('early')).length, (await appsNamed('late')).length]).toEqual([0, 1]);
});

test.each([
  { name: 'an unknown link', path: '/github/setup/nothing', status: 404 },
  { name: 'an unknown state', path: '/github/callback?code=abc&state=nothing', status: 404 },
  { name: 'no state', path: '/github/callback?code=abc', status: 400 },
  { name: 'no code', path: '/github/callback?state=abc', status: 400 },
])('$name is answered with $status', async ({ path, status }) => {
  expect((await fetch(`${w.url}${path}`)).status).toBe(status);
});

test('a code that GitHub does not know is refused with a message', async () => {
  const back = new URL(await makeApp(await link(), 'Wrong Code'));
  back.searchParams.set('code', 'guessed');
  const answer = await fetch(back, { redirect: 'manual' });
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('does not know this code')]);
});

test('if GitHub fails, the same code can be exchanged at the second try', async () => {
  const back = await makeApp(await link(), 'Second Try');
  w.emulator.controls.fail({ operation: 'POST /app-manifests/{code}/conversions', times: 1 });
  expect((await fetch(back, { redirect: 'manual' })).status).toBe(503);
  expect((await fetch(back, { redirect: 'manual' })).status).toBe(302);
  expect((await appsNamed('second-try')).length).toBe(1);
});

test('only an administrator can make a link or add an App', async () => {
  const reader = withScopes(w.ctx, ['config:write', 'queue:write']);
  const server = { apiUrl: w.emulator.apiUrl, webUrl: w.emulator.webUrl, organization: null };
  await expect(createSetupLink(reader, server)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(addApp(reader, w.secrets, appOf(w.emulator))).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('an App of one account is refused to another account', async () => {
  await addApp(w.ctx, w.secrets, appOf(w.emulator));
  await expect(addApp(w.otherCtx, w.secrets, appOf(w.emulator))).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a link of one account makes an App of that account, for every user who follows the link', async () => {
  const { apiUrl, webUrl } = w.emulator;
  const from = await createSetupLink(w.otherCtx, { apiUrl, webUrl, organization: null });
  const { action, manifest } = await beginSetup(w.ctx, from.split('/').at(-1) ?? '');
  expect(new URL(action).pathname).toBe('/settings/apps/new');
  const hook = (JSON.parse(manifest) as { hook_attributes: { url: string } }).hook_attributes.url;
  expect(hook).toMatch(new RegExp(`^${w.url}/github/webhooks/[0-9a-f]{16}$`));
  const back = await makeApp(from, 'Of Other');
  await fetch(back, { redirect: 'manual' });
  expect((await appsNamed('of-other')).map(({ account_id }) => account_id)).toEqual([w.otherCtx.accountId]);
});
