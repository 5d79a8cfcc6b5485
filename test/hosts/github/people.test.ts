// People who sign in at GitHub, and what they may do here: asked of GitHub, until an admin of the account decides.
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type Browser, type Visit } from '../../accounts/browser.ts';
import { appWorld, type AppWorld } from './app-world.ts';

let w: AppWorld;
let owner: Octokit;
beforeAll(async () => {
  w = await appWorld();
  await w.addFirstApp();
  owner = new Octokit({ baseUrl: w.emulator.apiUrl, auth: w.emulator.token });
  for (const name of ['shop', 'vault']) {
    await w.emulator.addRepository(name);
    await w.syncAll();
    await w.activate(name);
  }
  for (const [login, permission] of [
    ['mia', 'maintain'],
    ['wim', 'push'],
    ['rea', 'pull'],
    ['lea', 'push'],
  ] as const) {
    w.emulator.addPerson(login);
    await permit(login, permission);
  }
  w.emulator.addPerson('otto');
});
afterAll(async () => await w.close());

async function permit(username: string, permission: string, repo = 'shop'): Promise<void> {
  await owner.repos.addCollaborator({ owner: 'acme', repo, username, permission });
}

/** What the settings of the repository do at GitHub. */
function expel(login: string): void {
  const { state } = w.emulator.core;
  const { id } = state.accounts.find((each) => each.login === login) ?? { id: 0 };
  const repository = state.repositories.find(({ name }) => name === 'shop');
  if (repository !== undefined)
    repository.collaborators = repository.collaborators.filter(({ userId }) => userId !== id);
}

/** The way of a browser to GitHub and back. `change` is what happens to the address that GitHub sends it back to. */
async function signIn(
  login: string,
  change = (back: URL): URL => back,
): Promise<Visit & { readonly browser: Browser }> {
  const browser = openBrowser(w);
  const form = await browser.get('/session?next=/acme/shop/queue/main');
  const [, way = ''] = /href="(\/session\/github\/[^"]+)"/.exec(form.text) ?? [];
  const begun = await browser.get(way.replaceAll('&amp;', '&'));
  expect([begun.status, browser.cookie]).toEqual([303, expect.stringContaining('interlock-github=')]);
  const asked = new URL(begun.headers.get('location') ?? '');
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    client_id: w.emulator.clientId,
    code_challenge_method: 'S256',
    redirect_uri: `${w.url}/session/github/callback`,
  });
  const agreed = await fetch(`${asked.origin}/login/oauth/authorize`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ ...Object.fromEntries(asked.searchParams), as: login }),
  });
  const back = change(new URL(agreed.headers.get('location') ?? ''));
  return { ...(await browser.get(back.pathname + back.search)), browser };
}

const whoAmI = '{ viewer { email handle role scopes session { expiresAt } } }';
const shop = '{owner: "acme", name: "shop"}';
const pause = `mutation { pauseRepository(input: {repository: ${shop}, paused: true}) { repository { paused } } }`;
const queue = `mutation { queuePullRequest(input: {repository: ${shop}, number: 9}) { pullRequest { number } } }`;

async function answerTo(browser: Browser, query: string) {
  const { answer } = await browser.graphql(query);
  return answer.errors?.map(({ message, extensions }) => [extensions.code, message]) ?? answer.data;
}

describe('signing in at GitHub', () => {
  it('makes a session of a person who sees the installation, and a user at the first time', async () => {
    const visit = await signIn('wim');
    expect([visit.status, visit.headers.get('location')]).toEqual([303, '/acme/shop/queue/main']);
    expect(visit.browser.cookie).toMatch(/^interlock=[\w-]{43}$/);
    expect(await answerTo(visit.browser, whoAmI)).toMatchObject({
      viewer: { email: expect.stringMatching(/^\d+\+wim@users\.noreply\./), handle: 'wim', role: 'MEMBER' },
    });
    await signIn('wim');
    expect(await w.rows("select 1 from account_user where handle = 'wim'")).toHaveLength(1);
    const tokens = await w.rows<{ row: string }>('select to_jsonb(s)::text as row from user_session s');
    expect(tokens.map(({ row }) => row).join()).not.toContain('ghu_');
  });

  it('gives a role by what the person may do in every repository', async () => {
    const roleOf = async (login: string): Promise<unknown> =>
      await answerTo((await signIn(login)).browser, '{ viewer { role } }');
    expect(await roleOf(w.emulator.login)).toEqual({ viewer: { role: 'ADMIN' } });
    expect(await roleOf('mia')).toEqual({ viewer: { role: 'MEMBER' } });
    await permit('mia', 'maintain', 'vault');
    expect(await roleOf('mia')).toEqual({ viewer: { role: 'MAINTAINER' } });
  });

  it('is refused to a person who sees no repository of the account', async () => {
    const visit = await signIn('otto');
    expect([visit.status, visit.browser.cookie]).toEqual([403, '']);
    expect(visit.text).toContain('otto sees no repository at GitHub that Interlock works on for this account.');
    expect(await w.rows("select 1 from account_user where handle = 'otto'")).toEqual([]);
  });

  it.each([
    ['another state', (back: URL) => changed(back, 'state', 'x'), 403, 'did not accept this sign-in'],
    ['no state', (back: URL) => changed(back, 'state', null), 403, 'did not accept this sign-in'],
    ['another code', (back: URL) => changed(back, 'code', 'x'), 403, 'did not accept this sign-in'],
    [
      'a refusal',
      (back: URL) => changed(changed(back, 'code', null), 'error', 'access_denied'),
      403,
      'GitHub did not sign you in: access_denied',
    ],
  ] as const)('is refused with %s', async (_what, change, status, why) => {
    const visit = await signIn('wim', change);
    expect([visit.status, visit.browser.cookie]).toEqual([status, '']);
    expect(visit.text).toContain(why);
  });

  it('is refused to a browser that did not begin it, that comes back late, or that comes twice', async () => {
    let back = '';
    const first = await signIn('wim', (url) => {
      back = url.pathname + url.search;
      return url;
    });
    expect(first.status).toBe(303);
    const stranger = await openBrowser(w).get(back);
    expect([stranger.status, stranger.text.includes('did not begin to sign in here')]).toEqual([400, true]);
    expect((await first.browser.get(back)).status).toBe(400);
    const late = await signIn('wim', (url) => {
      w.later(11);
      return url;
    });
    expect(late.status).toBe(400);
  });

  it('knows no App of another name, and shows no Apps when several accounts have some', async () => {
    expect((await openBrowser(w).get('/session/github/999')).status).toBe(404);
    expect((await openBrowser(w).get('/session?account=other')).text).not.toContain('/session/github/');
    expect((await openBrowser(w).get('/session?account=first')).text).toContain('/session/github/');
  });

  it('takes a user whom an admin added under the handle, and refuses one whom an admin removed', async () => {
    await w.rows(
      `insert into account_user (account_id, email, handle, role) values ($1, 'lea@example.test', 'Lea', 'maintainer')`,
      [w.ctx.accountId],
    );
    const lea = await signIn('lea');
    expect(await answerTo(lea.browser, whoAmI)).toMatchObject({
      viewer: { email: 'lea@example.test', handle: 'lea', role: 'MAINTAINER' },
    });
    const admin = (await signIn(w.emulator.login)).browser;
    const found = await answerTo(admin, '{ users(first: 100) { nodes { id email } } }');
    const { nodes } = (found as unknown as { users: { nodes: { id: string; email: string }[] } }).users;
    const named = nodes.find(({ email }) => email === 'lea@example.test')?.id ?? '';
    expect(
      await answerTo(admin, `mutation { updateUser(input: {id: "${named}", handle: "other"}) { user { id } } }`),
    ).toEqual([['CONFLICT', 'The handle of lea@example.test comes from GitHub.']]);
    await answerTo(admin, `mutation { removeUser(input: {id: "${named}"}) { user { id } } }`);
    expect((await lea.browser.graphql(whoAmI)).status).toBe(401);
    const again = await signIn('lea');
    expect([again.status, again.text.includes('An admin removed lea from this account.')]).toEqual([403, true]);
  });

  it('follows a person who takes another name, and gives the old name to nobody else', async () => {
    const { id } = w.emulator.addPerson('nia');
    await permit('nia', 'pull');
    const before = (await signIn('nia')).browser;
    const account = w.emulator.core.state.accounts.must(id);
    account.login = 'nova';
    // Somebody else takes the old name.
    w.emulator.addPerson('nia');
    await permit('nia', 'admin');
    w.later(6);
    expect(await answerTo(before, pause)).toEqual([['FORBIDDEN', expect.stringContaining('maintainer')]]);
    expect(await answerTo(before, `{ repository(owner: "acme", name: "shop") { name } }`)).toEqual({
      repository: null,
    });
    expect(await answerTo((await signIn('nova')).browser, whoAmI)).toMatchObject({ viewer: { handle: 'nova' } });
    expect(await answerTo(before, `{ repository(owner: "acme", name: "shop") { name } }`)).toEqual({
      repository: { name: 'shop' },
    });
  });
});

function changed(url: URL, name: string, value: string | null): URL {
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  return url;
}

describe('what a person may do', () => {
  it('is what GitHub lets the person do in the repository', async () => {
    const reader = (await signIn('rea')).browser;
    const writer = (await signIn('wim')).browser;
    expect(await answerTo(reader, queue)).toEqual([
      ['FORBIDDEN', 'This needs the permission write in acme/shop at GitHub; rea has read.'],
    ]);
    expect(await answerTo(writer, queue)).toEqual([['NOT_FOUND', 'Pull request not found']]);
    expect(await answerTo(writer, pause)).toEqual([
      ['FORBIDDEN', 'This needs the role maintainer; the user of this token is a member.'],
    ]);
  });

  it('is told by viewerCan, in the words of the refusal', async () => {
    const reader = (await signIn('rea')).browser;
    expect(
      await answerTo(reader, '{ repository(owner: "acme", name: "shop") { viewerCan { action allowed sentence } } }'),
    ).toMatchObject({
      repository: {
        viewerCan: expect.arrayContaining([
          {
            action: 'START_RUNBOOK',
            allowed: false,
            sentence: 'This needs the permission write in acme/shop at GitHub; rea has read.',
          },
        ]),
      },
    });
  });

  it('shows a repository to those alone who see it there', async () => {
    const reader = (await signIn('rea')).browser;
    const both =
      '{ repositories { nodes { name } edges { node { name } } } repository(owner: "acme", name: "vault") { name } }';
    expect(await answerTo(reader, both)).toEqual({
      repositories: { nodes: [{ name: 'shop' }], edges: [{ node: { name: 'shop' } }] },
      repository: null,
    });
    const found = await answerTo(
      (await signIn(w.emulator.login)).browser,
      '{ repository(owner: "acme", name: "vault") { id } }',
    );
    const { id } = (found as unknown as { repository: { id: string } }).repository;
    expect(await answerTo(reader, `{ node(id: "${id}") { id } }`)).toEqual({ node: null });
  });

  it('ends at the next action of a person who lost access, five minutes later at most', async () => {
    const browser = (await signIn('wim')).browser;
    expect(await answerTo(browser, queue)).toEqual([['NOT_FOUND', 'Pull request not found']]);
    expel('wim');
    w.later(6);
    expect(await answerTo(browser, queue)).toEqual([['NOT_FOUND', 'Repository not found']]);
    await permit('wim', 'push');
    w.later(1);
    expect(await answerTo(browser, queue)).toEqual([['NOT_FOUND', 'Pull request not found']]);
  });

  it('is what an admin of the account says, once an admin has said it', async () => {
    const reader = (await signIn('rea')).browser;
    const admin = (await signIn(w.emulator.login)).browser;
    const found = await answerTo(admin, '{ users(first: 100) { nodes { id handle } } }');
    const { nodes } = (found as unknown as { users: { nodes: { id: string; handle: string }[] } }).users;
    const id = nodes.find(({ handle }) => handle === 'rea')?.id ?? '';
    await answerTo(admin, `mutation { updateUser(input: {id: "${id}", role: MEMBER}) { user { id } } }`);
    await expect.poll(async () => await answerTo(reader, queue)).toEqual([['NOT_FOUND', 'Pull request not found']]);
    await signIn('rea');
    expect(await answerTo(reader, queue)).toEqual([['NOT_FOUND', 'Pull request not found']]);
  });

  it('is also what the tokens of the person may do', async () => {
    const browser = (await signIn('wim')).browser;
    const made = await answerTo(
      browser,
      'mutation { createApiToken(input: {name: "laptop", scopes: [QUEUE_READ, QUEUE_WRITE]}) { token } }',
    );
    const { token } = (made as unknown as { createApiToken: { token: string } }).createApiToken;
    const status = async (): Promise<number> => {
      const response = await fetch(`${w.url}/api/v1/queue/stats?org=acme&repo=shop`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return response.status;
    };
    expect(await status()).toBe(200);
    expel('wim');
    w.later(6);
    expect(await status()).toBe(404);
    await permit('wim', 'push');
  });
});
