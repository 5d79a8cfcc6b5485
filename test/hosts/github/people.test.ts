// People who sign in at GitHub, and what they may do in Interlock: GitHub decides, until an admin of the account
// decides.
import { Octokit } from '@octokit/rest';
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type Browser } from '../../accounts/browser.ts';
import { operations } from '../../accounts/operations.ts';
import { encodeNodeId } from '../../../src/graphql/node-id.ts';
import { endSessions } from '../../../src/modules/accounts/sessions.service.ts';
import { sequenceEvents } from '../../../src/modules/events/sequencer.ts';
import { addApp } from '../../../src/modules/github/index.ts';
import { makeInstallation } from '../../../github-emulator/model/seed.ts';
import { appOf, appWorld, type AppWorld } from './app-world.ts';
import { answerTo, signInAs } from './signed-in.ts';

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
  await permit('wim', 'pull', 'vault');
  w.emulator.addPerson('otto');
});
afterAll(async () => await w.close());

async function permit(username: string, permission: string, repo = 'shop'): Promise<void> {
  await owner.repos.addCollaborator({ owner: 'acme', repo, username, permission });
}

/** Removes a person from the repository, as its settings at GitHub do. */
function expel(login: string, repo = 'shop'): void {
  const { state } = w.emulator.core;
  const { id } = state.accounts.find((each) => each.login === login) ?? { id: 0 };
  const repository = state.repositories.find(({ name }) => name === repo);
  if (repository !== undefined)
    repository.collaborators = repository.collaborators.filter(({ userId }) => userId !== id);
}

const signIn = async (login: string, change?: (back: URL) => URL): ReturnType<typeof signInAs> =>
  await signInAs(w, login, change);

const whoAmI = '{ viewer { email handle role scopes session { expiresAt } } }';
const shop = '{owner: "acme", name: "shop"}';
const pause = `mutation { pauseRepository(input: {repository: ${shop}, paused: true}) { repository { paused } } }`;
const queue = `mutation { queuePullRequest(input: {repository: ${shop}, number: 9}) { pullRequest { number } } }`;

function socketOf(browser: Browser): Client {
  class WithCookie extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { headers: { cookie: browser.cookie, origin: w.url } });
    }
  }
  return createClient({ url: `${w.url.replace('http', 'ws')}/graphql`, webSocketImpl: WithCookie });
}

async function firstApp(): Promise<string> {
  const [app] = await w.rows<{ id: string }>('select id from github_app order by id limit 1');
  return app?.id ?? '';
}

describe('signing in at GitHub', () => {
  it('makes a session for a person who sees the installation, and a user at the first time', async () => {
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

  it('gives a role by the permissions of the person in all repositories', async () => {
    const roleOf = async (login: string): Promise<unknown> =>
      await answerTo((await signIn(login)).browser, '{ viewer { role } }');
    expect(await roleOf(w.emulator.login)).toEqual({ viewer: { role: 'ADMIN' } });
    expect(await roleOf('mia')).toEqual({ viewer: { role: 'MEMBER' } });
    await permit('mia', 'maintain', 'vault');
    w.later(1);
    expect(await roleOf('mia')).toEqual({ viewer: { role: 'MAINTAINER' } });
  });

  it('is refused to a person who sees no repository of the account', async () => {
    const visit = await signIn('otto');
    expect([visit.status, visit.browser.cookie]).toEqual([403, '']);
    expect(visit.text).toContain('otto sees no repository at GitHub that Interlock works on for this account.');
  });

  it('is refused to a stranger who has installed the App elsewhere, before and after GitHub listed that installation', async () => {
    const { core } = w.emulator;
    const app = core.state.apps.must(Number(w.emulator.appId));
    const account = core.state.accounts.find(({ login }) => login === 'otto');
    if (account === undefined) throw new Error('There is no otto.');
    const { id } = makeInstallation(core, { app, account });
    const told = JSON.stringify({ action: 'created', installation: { id, app_id: app.id } });
    expect((await w.send({ body: told, headers: { 'x-github-event': 'installation' } })).status).toBe(202);
    const own = await w.rows('select id from github_installation where removed_at is null');
    expect((await signIn('otto')).status).toBe(403);
    await w.syncChanged();
    expect((await signIn('otto')).status).toBe(403);
    expect(await w.rows('select id from github_installation where removed_at is null')).toEqual(own);
    expect(await w.rows("select 1 from repository where owner = 'otto'")).toEqual([]);
    core.state.installations.remove(id);
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

  it('is refused to another browser, to a browser that comes back late, and to one that comes back twice', async () => {
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

  it('is refused for a minute to an address that guesses codes', async () => {
    const browser = openBrowser(w);
    const started = await browser.get(`/session/github/${await firstApp()}`);
    const state = new URL(started.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const { cookie } = browser;
    const statuses: number[] = [];
    for (let n = 0; n < 61; n += 1) {
      const back = `${w.url}/session/github/callback?code=guess-${n}&state=${state}`;
      statuses.push((await fetch(back, { headers: { cookie } })).status);
    }
    expect([statuses[59], statuses[60]]).toEqual([403, 429]);
    w.later(2);
    expect((await signIn('wim')).status).toBe(303);
  });

  it('makes an owner of only a part of the account no admin', async () => {
    await addApp(w.ctx, w.secrets, { ...appOf(w.emulator), id: '999', slug: 'second' });
    await w.rows(
      `insert into github_installation (account_id, github_app_id, id, owner)
       select account_id, id, '77', 'beta' from github_app where app_id = '999'`,
    );
    expect((await signIn(w.emulator.login)).status).toBe(303);
    const role = 'select role from account_user where handle = $1';
    expect(await w.rows(role, [w.emulator.login])).toEqual([{ role: 'maintainer' }]);
    await w.rows("update github_installation set removed_at = now() where id = '77'");
    expect((await signIn(w.emulator.login)).status).toBe(303);
    expect(await w.rows(role, [w.emulator.login])).toEqual([{ role: 'admin' }]);
  });

  it('is not found for an unknown App, and the sign-in page of an account shows only the Apps of that account', async () => {
    expect((await openBrowser(w).get('/session/github/999')).status).toBe(404);
    expect((await openBrowser(w).get('/session?account=other')).text).not.toContain('/session/github/');
    expect((await openBrowser(w).get('/session?account=first')).text).toContain('/session/github/');
  });

  it('signs in as the user that an admin added with this handle; a person that an admin removed is refused', async () => {
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
    await expect.poll(async () => (await lea.browser.graphql(whoAmI)).status).toBe(401);
    const again = await signIn('lea');
    expect([again.status, again.text.includes('An admin removed lea from this account.')]).toEqual([403, true]);
  });

  it('does not make a person an owner because of a name that somebody else has now', async () => {
    const { id } = w.emulator.addPerson('pat');
    await permit('pat', 'pull');
    const before = (await signIn('pat')).browser;
    w.emulator.core.state.accounts.must(id).login = 'pax';
    w.emulator.addPerson('pat');
    await w.rows("update github_installation set owner = 'pat' where owner = 'acme'");
    w.later(6);
    expect(await answerTo(before, '{ viewer { role } }')).toEqual([
      ['FORBIDDEN', 'pat has no access to this account at GitHub any more.'],
    ]);
    await w.rows("update github_installation set owner = 'acme' where owner = 'pat'");
  });

  it('follows a person who changes the name, and gives the old name to no other person', async () => {
    const { id } = w.emulator.addPerson('nia');
    await permit('nia', 'pull');
    const before = (await signIn('nia')).browser;
    const account = w.emulator.core.state.accounts.must(id);
    account.login = 'nova';
    // Another person gets the old name.
    w.emulator.addPerson('nia');
    await permit('nia', 'admin');
    w.later(6);
    expect(await answerTo(before, pause)).toEqual([
      ['FORBIDDEN', 'nia has no access to this account at GitHub any more.'],
    ]);
    const after = (await signIn('nova')).browser;
    expect(await answerTo(after, whoAmI)).toMatchObject({
      viewer: { email: expect.stringContaining('+nia@'), handle: 'nova', role: 'MEMBER' },
    });
    expect(await answerTo(after, `{ repository(owner: "acme", name: "shop") { name } }`)).toEqual({
      repository: { name: 'shop' },
    });
  });
});

function changed(url: URL, name: string, value: string | null): URL {
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  return url;
}

const membership = 'GET /orgs/{org}/memberships/{username}';

/** Mutations in one repository. Creating a repository is left out, because GitHub cannot be asked about it yet. */
const inOneRepository = operations
  .filter(({ field, document }) => field.startsWith('Mutation.') && document.includes('$owner'))
  .filter(({ field }) => field !== 'Mutation.createRepository')
  .map((operation) => [operation.field, operation] as const);

it('admits a person before the first sign-in; a person without access, and a person that an admin removed, are not admitted', async () => {
  const repository = await w.rows<{ id: string }>("select id from repository where name = 'shop'");
  const admit = async (login: string): Promise<string | null | undefined> => {
    const id = String(w.emulator.core.state.accounts.find((each) => each.login === login)?.id);
    return await w.ctx.admitPerson?.(w.ctx.accountId, { repositoryId: repository[0]?.id ?? '', id, login });
  };
  for (const [login, role] of [
    ['max', 'maintain'],
    ['pia', 'push'],
  ] as const) {
    w.emulator.addPerson(login);
    await permit(login, role);
    await permit(login, role, 'vault');
  }
  const users = async (): Promise<unknown[]> =>
    await w.rows("select handle, role from account_user where handle in ('max', 'otto', 'pia') order by handle");
  expect(await Promise.all([admit('pia'), admit('pia')])).toEqual(
    Array.from({ length: 2 }, () => expect.stringMatching(/^\d+\+pia@users\.noreply\./)),
  );
  expect([await admit('max'), await admit('otto')]).toEqual([expect.stringContaining('+max@'), null]);
  const admitted = [
    { handle: 'max', role: 'maintainer' },
    { handle: 'pia', role: 'member' },
  ];
  expect(await users()).toEqual(admitted);
  const { browser } = await signIn('pia');
  expect(await answerTo(browser, whoAmI)).toMatchObject({ viewer: { email: await admit('pia') } });
  expect(await users()).toEqual(admitted);
  await w.rows("update account_user set removed_at = now() where handle = 'pia'");
  expect(await admit('pia')).toBeNull();
});

describe('what a person may do', () => {
  const nobody = encodeNodeId('User', '1');
  let rea: Browser | undefined;

  /** A reader whose role stays admin, because GitHub does not answer who is in the organization. */
  async function readerWithRoleOfAdmin(): Promise<Browser> {
    const { browser } = await signIn('rea');
    w.emulator.controls.fail({ operation: membership, status: 503 });
    w.later(6);
    await w.rows("update account_user set role = 'admin' where handle = 'rea'");
    return browser;
  }

  it('is limited to what GitHub permits the person in the repository', async () => {
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

  it.each(inOneRepository)('is also checked for %s, whatever the role', async (_field, { document }) => {
    rea ??= await readerWithRoleOfAdmin();
    const variables = {
      owner: 'acme',
      name: 'shop',
      number: 1,
      node: '',
      user: nobody,
      team: nobody,
      previewSecret: 'A',
    };
    const { answer } = await rea.graphql(document, {}, variables);
    expect(answer.errors?.[0]?.message).toMatch(
      /^This needs the permission (write|maintain|admin) in acme\/shop at GitHub; rea has read\.$/,
    );
  });

  it('is also checked for the end of a freeze, which does not name its repository', async () => {
    rea ??= await readerWithRoleOfAdmin();
    const [freeze] = await w.rows<{ id: string }>(
      `insert into freeze_rule (account_id, repository_id, base_branches, source, starts_at, created_by, created_at)
       select account_id, id, 'main', 'manual', now(), 'somebody', now() from repository where name = 'shop' returning id`,
    );
    const { answer } = await rea.graphql(
      'mutation ($id: ID!) { deleteFreeze(input: {id: $id}) { freeze { id } } }',
      {},
      {
        id: encodeNodeId('Freeze', freeze?.id ?? ''),
      },
    );
    expect(answer.errors?.[0]?.message).toBe(
      'This needs the permission maintain in acme/shop at GitHub; rea has read.',
    );
    expect(await w.rows('select 1 from freeze_rule where deleted_at is not null')).toEqual([]);
    await w.rows('delete from freeze_rule');
  });

  it('is shown by viewerCan, with the message of a refusal', async () => {
    await w.emulator.controls.clear();
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
          // A user who makes a link for a screen needs this permission in the account and at GitHub.
          {
            action: 'ADMINISTER',
            allowed: false,
            sentence: 'This needs the role admin; the user of this token is a member.',
          },
        ]),
      },
    });
  });

  it('includes only the repositories that the person sees at GitHub', async () => {
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

  it('counts only the repositories that the person sees, and a page ends with one of them', async () => {
    w.emulator.addPerson('vic');
    await permit('vic', 'pull', 'vault');
    const page = '{ repositories(first: 1) { totalCount nodes { name } pageInfo { hasNextPage endCursor } } }';
    for (const [login, name] of [
      ['rea', 'shop'],
      ['vic', 'vault'],
    ] as const) {
      const endCursor = Buffer.from(JSON.stringify(['acme', name])).toString('base64url');
      expect(await answerTo((await signIn(login)).browser, page)).toEqual({
        repositories: { totalCount: 1, nodes: [{ name }], pageInfo: { hasNextPage: false, endCursor } },
      });
    }
    const two = await answerTo((await signIn('mia')).browser, page);
    expect(two).toMatchObject({
      repositories: {
        totalCount: 2,
        nodes: [{ name: 'shop' }],
        pageInfo: { hasNextPage: true },
      },
    });
  });

  it('does not end with a repository whose App was uninstalled', async () => {
    await w.rows(
      `with i as (insert into github_installation (account_id, github_app_id, id, owner, removed_at)
         select account_id, github_app_id, '77', 'former', now() from repository where name = 'shop' returning *)
       insert into repository (account_id, owner, name, host, active, github_id, github_app_id, github_installation_id, configuration_yaml, configuration_hash)
       select r.account_id, 'former', 'shop', 'github', false, 77, i.github_app_id, i.id, r.configuration_yaml, r.configuration_hash
       from repository r, i where r.name = 'shop'`,
    );
    const seen =
      '{ repositories(first: 1) { totalCount nodes { name } } repository(owner: "former", name: "shop") { name } }';
    try {
      expect(await answerTo((await signIn('rea')).browser, seen)).toEqual({
        repositories: { totalCount: 1, nodes: [{ name: 'shop' }] },
        repository: null,
      });
    } finally {
      await w.rows("delete from repository where owner = 'former'");
      await w.rows("delete from github_installation where id = '77'");
    }
  });

  describe('does not include a repository that the person does not see', () => {
    const vault = '{owner: "acme", name: "vault"}';
    let verification = '';
    let made: { runbook: { id: string; number: number }; project: string };
    beforeAll(async () => {
      const { data } = await w.graphql(
        `mutation {
          createReleaseProject(input: {name: "vault", repository: ${vault}}) { releaseProject { id } }
          createRunbook(input: {repository: ${vault}, prompt: "Tidy up"}) { runbook { id number } }
        }`,
        {},
      );
      const { createReleaseProject, createRunbook } = data as {
        createReleaseProject: { releaseProject: { id: string } };
        createRunbook: { runbook: { id: string; number: number } };
      };
      made = { project: createReleaseProject.releaseProject.id, runbook: createRunbook.runbook };
    });

    it('by a runbook, a release project or an id', async () => {
      const { project, runbook } = made;
      const ask = `{
        runbook(number: ${runbook.number}) { title }
        releaseProject(name: "vault") { name }
        releaseProjects { nodes { name } edges { node { name } } pageInfo { hasNextPage endCursor } }
        nodes(ids: ["${runbook.id}", "${project}"]) { id }
      }`;
      const reader = (await signIn('rea')).browser;
      expect(await answerTo(reader, ask)).toEqual({
        runbook: null,
        releaseProject: null,
        releaseProjects: { nodes: [], edges: [], pageInfo: { hasNextPage: false, endCursor: null } },
        nodes: [null, null],
      });
      const writer = (await signIn('wim')).browser;
      expect(await answerTo(writer, ask)).toMatchObject({
        runbook: { title: 'Tidy up' },
        releaseProject: { name: 'vault' },
        nodes: [{ id: runbook.id }, { id: project }],
      });
    });

    it.each(['continueRunbook', 'cancelRunbook', 'retryRunbook', 'publishRunbook'])('by %s', async (name) => {
      const { number } = made.runbook;
      const prompt = name === 'continueRunbook' ? ', prompt: "Go on"' : '';
      const change = `mutation { ${name}(input: {number: ${number}${prompt}}) { runbook { number } } }`;
      expect(await answerTo((await signIn('rea')).browser, change)).toEqual([['NOT_FOUND', 'Runbook not found']]);
      expect(await answerTo((await signIn('wim')).browser, change)).toEqual([
        ['FORBIDDEN', 'This needs the permission write in acme/vault at GitHub; wim has read.'],
      ]);
    });

    it('by a verification', async () => {
      await w.rows(
        `insert into pull_request (account_id, repository_id, number, title, author, author_name, author_email, head_branch,
           base_branch, head_sha, url, status, created_at)
         select account_id, id, 77, 'T', 'nia', 'N', 'n@example.test', 'topic', 'main', repeat('a', 40),
           'https://example.test', 'open', now() from repository where name = 'vault'`,
      );
      const [row] = await w.rows<{ id: string }>(
        `insert into verification (account_id, repository_id, pull_request_id, head_commit, attempt, cause, status, created_by, created_at)
         select account_id, repository_id, id, head_sha, 1, 'head', 'pending', 'nia', now() from pull_request
         where number = 77 returning id`,
      );
      const id = encodeNodeId('Verification', row?.id ?? '');
      verification = id;
      const cancel = `mutation { cancelVerification(input: {id: "${id}"}) { verification { id } } }`;
      const reader = (await signIn('rea')).browser;
      expect(await answerTo(reader, cancel)).toEqual([['NOT_FOUND', 'Verification not found']]);
      expect(await answerTo(reader, `{ node(id: "${id}") { id } }`)).toEqual({ node: null });
      expect(await answerTo((await signIn('wim')).browser, cancel)).toEqual([
        ['FORBIDDEN', 'This needs the permission write in acme/vault at GitHub; wim has read.'],
      ]);
    });

    it('by its events', async () => {
      const { browser } = await signIn('rea');
      const setPaused = async (repository: string, paused: boolean): Promise<void> => {
        await w.graphql(
          `mutation { pauseRepository(input: {repository: ${repository}, paused: ${paused}}) { repository { paused } } }`,
          {},
        );
        await sequenceEvents(w.ctx.db);
      };
      await setPaused(shop, true);
      const { cursor } = (await answerTo(browser, '{ cursor }')) as unknown as { cursor: string };
      await setPaused(vault, true);
      await setPaused(shop, false);
      const client = socketOf(browser);
      const query = `subscription { events(after: "${cursor}") { action } }`;
      const first = await client.iterate({ query }).next();
      await client.dispose();
      expect(first.value?.data).toEqual({ events: { action: 'repository_unpaused' } });
      await setPaused(vault, false);
    });

    it.each([
      [
        'runbook',
        () => `runbookLog(number: ${made.runbook.number})`,
        `insert into runbook_log (account_id, runbook_id, text, at)
         select account_id, id, 'begun', now() from runbook where number = $1`,
      ],
      [
        'verification',
        () => `verificationLog(verification: "${verification}")`,
        `insert into verification_log (account_id, verification_id, text, at)
         select v.account_id, v.id, 'begun', now() from verification v where $1::int is not null`,
      ],
    ] as const)('by the log of a %s that began while the person saw it', async (_of, field, begin) => {
      await w.rows(begin, [made.runbook.number]);
      const client = socketOf((await signIn('wim')).browser);
      const pieces = client.iterate({ query: `subscription { ${field()} { text } }` });
      expect(Object.values((await pieces.next()).value?.data ?? {})).toEqual([{ text: 'begun' }]);
      expel('wim', 'vault');
      w.later(6);
      expect((await pieces.next()).value?.errors).toMatchObject([{ message: 'Repository not found' }]);
      await client.dispose();
      await permit('wim', 'pull', 'vault');
      w.later(1);
    });

    it('by a subscription that began while the person saw it', async () => {
      const { number } = made.runbook;
      const change = async (mutation: string): Promise<void> => {
        await w.graphql(`mutation { ${mutation} { runbook { number } } }`, {});
        await sequenceEvents(w.ctx.db);
      };
      const { browser } = await signIn('wim');
      const { cursor } = (await answerTo(browser, '{ cursor }')) as unknown as { cursor: string };
      const client = socketOf(browser);
      const query = `subscription { runbookChanged(number: ${number}, after: "${cursor}") { action } }`;
      const changes = client.iterate({ query });
      await change(`continueRunbook(input: {number: ${number}, prompt: "Go on"})`);
      expect((await changes.next()).value?.data).toEqual({ runbookChanged: { action: 'runbook_prompted' } });
      expel('wim', 'vault');
      w.later(6);
      await change(`cancelRunbook(input: {number: ${number}})`);
      expect((await changes.next()).value?.errors).toMatchObject([{ message: 'Repository not found' }]);
      await client.dispose();
      await permit('wim', 'pull', 'vault');
      w.later(1);
    });
  });

  it('ends at the next action of a person who lost access, after five minutes at most', async () => {
    const browser = (await signIn('wim')).browser;
    expect(await answerTo(browser, queue)).toEqual([['NOT_FOUND', 'Pull request not found']]);
    expel('wim');
    w.later(6);
    expect(await answerTo(browser, queue)).toEqual([['NOT_FOUND', 'Repository not found']]);
    await permit('wim', 'push');
    w.later(1);
    expect(await answerTo(browser, queue)).toEqual([['NOT_FOUND', 'Pull request not found']]);
  });

  it('ends for the whole account with the last access at GitHub, also in open sockets', async () => {
    const { id } = w.emulator.addPerson('gus');
    await owner.orgs.setMembershipForUser({ org: 'acme', username: 'gus', role: 'admin' });
    const browser = (await signIn('gus')).browser;
    const users = '{ apiTokens { name } viewer { role } }';
    expect(await answerTo(browser, users)).toMatchObject({ viewer: { role: 'ADMIN' } });
    const { token } = (
      (await answerTo(
        browser,
        'mutation { createApiToken(input: {name: "laptop", scopes: [ADMIN]}) { token } }',
      )) as unknown as { createApiToken: { token: string } }
    ).createApiToken;
    const { state } = w.emulator.core;
    const found = state.memberships.find((each) => each.userId === id);
    Object.assign(found ?? {}, { role: 'member' });
    w.later(6);
    expect(await answerTo(browser, users)).toEqual([['FORBIDDEN', expect.stringContaining('the role admin')]]);
    state.memberships.remove(found?.id ?? 0);
    w.later(6);
    expect(await answerTo(browser, users)).toEqual([
      ['FORBIDDEN', 'gus has no access to this account at GitHub any more.'],
    ]);
    await expect.poll(async () => (await browser.graphql(users)).status).toBe(401);
    expect((await browser.get('/acme/shop/queue/main')).status).not.toBe(403);
    expect((await browser.get('/session')).text).toContain('Sign in with GitHub');
    const byToken = await fetch(`${w.url}/api/v1/repo`, { headers: { authorization: `Bearer ${token}` } });
    expect(byToken.status).toBe(403);
  });

  it('ends while a socket signs in', async () => {
    const { browser } = await signIn('wim');
    const [wim] = await w.rows<{ id: string }>("select id from account_user where handle = 'wim'");
    w.later(6);
    const before = await w.countCalls(membership);
    w.emulator.controls.slow({ operation: membership, ms: 1_000, times: 1 });
    const client = socketOf(browser);
    const closed = new Promise<unknown>((resolve) => void client.on('closed', resolve));
    const answer = client.iterate({ query: 'subscription { events { action } }' }).next();
    answer.catch(() => undefined);
    await expect.poll(async () => await w.countCalls(membership)).toBeGreaterThan(before);
    await w.ctx.db.transaction(w.ctx.accountId, async (tx) => {
      await endSessions(w.ctx, tx, { userId: wim?.id ?? '' });
    });
    expect(await closed).toMatchObject({ code: 4403, reason: 'The session has ended' });
  });

  it('stays the same for the account while GitHub does not answer, but not for a repository', async () => {
    const browser = (await signIn(w.emulator.login)).browser;
    w.later(6);
    w.emulator.controls.fail({ operation: membership, status: 503 });
    w.emulator.controls.fail({
      operation: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
      status: 503,
    });
    expect(await answerTo(browser, '{ viewer { role } }')).toEqual({ viewer: { role: 'ADMIN' } });
    expect(await answerTo(browser, pause)).toEqual([
      ['HOST_UNAVAILABLE', 'Your permissions could not be read from GitHub. Try again.'],
    ]);
    await w.emulator.controls.clear();
  });

  it('stays the same without a call while GitHub asks the App to pause, and after a refusal by a rate limit', async () => {
    const browser = (await signIn(w.emulator.login)).browser;
    const shown = async (): Promise<unknown> => {
      w.later(6);
      const before = await w.countCalls(membership);
      const answer = await answerTo(browser, '{ viewer { role } }');
      return [answer, (await w.countCalls(membership)) - before];
    };
    const admin = { viewer: { role: 'ADMIN' } };
    w.emulator.controls.fail({ operation: membership, status: 403, headers: { 'retry-after': '600' } });
    await shown();
    await w.emulator.controls.clear();
    expect([await shown(), await shown()]).toEqual([
      [admin, 0],
      [admin, 1],
    ]);
    await w.rows('update host_budget set rest_limit = 5000, rest_left = 200, rest_resets_at = $1', [
      new Date(w.ctx.clock().getTime() + 10 * 60_000),
    ]);
    expect([await shown(), await shown()]).toEqual([
      [admin, 0],
      [admin, 1],
    ]);
  });

  it('is what an admin of the account has set, after an admin has set it', async () => {
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

  it('also limits the tokens of the person', async () => {
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
