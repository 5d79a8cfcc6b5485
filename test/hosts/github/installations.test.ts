// Repositories follow changes of themselves and of their installation at GitHub. Accounts never see each other's
// repositories.
import { Octokit } from '@octokit/rest';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { changeSelection, deleteInstallation } from '../../../github-emulator/rest/apps.ts';
import { addApp, markInstallations } from '../../../src/modules/github/index.ts';
import { findRepository } from '../../../src/modules/repositories/index.ts';
import { makeApp, makeInstallation, makeRepository } from '../../../github-emulator/model/seed.ts';
import { addOtherOwner } from './other-owner.ts';
import { appOf, appWorld, type AppWorld } from './app-world.ts';

const listing = 'GET /app/installations';

let w: AppWorld;
let person: Octokit;
beforeAll(async () => {
  w = await appWorld();
  await w.addFirstApp();
  person = new Octokit({ baseUrl: w.emulator.apiUrl, auth: w.emulator.token });
});
// A test that fails leaves no request held.
afterEach(async () => await w.emulator.controls.clear());
afterAll(async () => await w.close());

interface Shown {
  readonly name: string;
  readonly owner: string;
  readonly active: boolean;
}

/** Adds a repository that is listed and active. `shown` returns its row, found by its id at GitHub. */
async function activeOne(name: string): Promise<{ id: number; shown: () => Promise<Shown | undefined> }> {
  const { id } = await w.emulator.addRepository(name);
  await w.syncAll();
  await w.activate(name);
  const shown = async (): Promise<Shown | undefined> => {
    const [row] = await w.rows<Shown>(
      'select owner, name, active from repository where account_id = $1 and github_id = $2',
      [w.ctx.accountId, String(id)],
    );
    return row;
  };
  return { id, shown };
}

function installation() {
  return w.emulator.core.state.installations.must(Number(w.emulator.installationId));
}

test('a renamed repository keeps its row, and only its new name is known', async () => {
  const { shown } = await activeOne('old');
  w.emulator.controls.rename('acme/old', 'new');
  await w.syncChanged();
  expect(await shown()).toEqual({ owner: 'acme', name: 'new', active: true });
  expect(await findRepository(w.ctx, { owner: 'acme', name: 'old' })).toBeNull();
});

test.each([
  { change: 'removed', isReplaced: false },
  { change: 'replaced', isReplaced: true },
])(
  'a repository stays active although other ones are $change while GitHub lists them page by page',
  async ({ change, isReplaced }) => {
    const { core, controls } = w.emulator;
    const owner = core.state.accounts.must(installation().accountId);
    const make = (n: number) => makeRepository(core, { owner, name: `many-${change}-${n}`, isPrivate: true });
    const others = Array.from({ length: 100 }, (_, n) => make(n));
    const { shown } = await activeOne(`behind-${change}`);
    const operation = 'GET /installation/repositories';
    const before = await w.countCalls(operation);
    controls.slow({ operation, ms: 3_000, times: 2 });
    const listed = w.syncAll();
    // The second page is asked for, and not answered yet.
    await expect.poll(async () => (await w.countCalls(operation)) - before, { timeout: 60_000 }).toBe(2);
    // The repositories of this test are the newest, so this one moves to the first page.
    for (const { id } of others.splice(0, 20)) core.state.repositories.remove(id);
    if (isReplaced) others.push(...Array.from({ length: 20 }, (_, n) => make(100 + n)));
    await listed;
    await controls.clear();
    expect(await shown()).toMatchObject({ active: true });
    for (const { id } of others) core.state.repositories.remove(id);
  },
);

test('two repositories that exchange their names keep their rows', async () => {
  const [one, two] = [await activeOne('left'), await activeOne('right')];
  w.emulator.controls.rename('acme/left', 'aside');
  w.emulator.controls.rename('acme/right', 'left');
  w.emulator.controls.rename('acme/aside', 'right');
  await w.syncChanged();
  expect(await one.shown()).toEqual({ owner: 'acme', name: 'right', active: true });
  expect(await two.shown()).toEqual({ owner: 'acme', name: 'left', active: true });
});

test('a new repository with the name of a renamed one is another repository', async () => {
  const first = await activeOne('reused');
  w.emulator.controls.rename('acme/reused', 'zz-first');
  const second = await activeOne('reused');
  expect(await first.shown()).toEqual({ owner: 'acme', name: 'zz-first', active: true });
  expect(await second.shown()).toEqual({ owner: 'acme', name: 'reused', active: true });
});

test('a repository that is deleted and created again under its name is another repository for every server', async () => {
  const first = await activeOne('again');
  const read = async (): Promise<unknown> =>
    await w.graphql('query ($name: String!) { repository(owner: "acme", name: $name) { id } }', { name: 'again' });
  const before = await read();
  const found = { data: { repository: { id: expect.any(String) } } };
  expect(before).toMatchObject(found);
  await person.repos.delete({ owner: 'acme', repo: 'again' });
  const second = await activeOne('again');
  expect(await first.shown()).toMatchObject({ name: expect.stringContaining('again~'), active: false });
  expect(await second.shown()).toEqual({ owner: 'acme', name: 'again', active: true });
  await expect.poll(read).not.toEqual(before);
  expect(await read()).toMatchObject(found);
});

test('if a repository of Interlock has the name of a new one, only that new repository is left out', async () => {
  await w.rows(
    `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
     values ($1, 'acme', 'taken', 'local', '', '')`,
    [w.ctx.accountId],
  );
  const { id } = await w.emulator.addRepository('taken');
  const after = await activeOne('not-taken');
  expect(await after.shown()).toMatchObject({ active: true });
  expect(await w.rows('select 1 from repository where github_id = $1', [String(id)])).toEqual([]);
});

test('an archived repository becomes inactive', async () => {
  const { shown } = await activeOne('archived');
  await person.repos.update({ owner: 'acme', repo: 'archived', archived: true });
  await w.syncChanged();
  expect(await shown()).toMatchObject({ active: false });
});

test('a repository that is transferred to an owner without the App becomes inactive', async () => {
  const { shown } = await activeOne('given');
  w.emulator.addPerson('stranger');
  w.emulator.controls.transfer('acme/given', 'stranger');
  await w.syncChanged();
  expect(await shown()).toMatchObject({ active: false });
});

test('a repository that is transferred to an owner with another App of the account stays active under its new name', async () => {
  const { shown } = await activeOne('inherited');
  const heirs = await addOtherOwner(w.emulator, w.ctx, w.secrets);
  await w.syncAll();
  w.emulator.controls.transfer('acme/inherited', heirs);
  // Only the App of the former owner is marked as changed.
  await w.emulator.core.settled();
  await w.rows("update github_installation set sync_at = null where owner = 'heirs'");
  await w.syncChanged();
  expect(await shown()).toEqual({ owner: heirs, name: 'inherited', active: true });
});

test('a repository that is transferred to an owner whose App cannot be listed stays active', async () => {
  const { shown } = await activeOne('returned');
  w.emulator.controls.transfer('acme/returned', 'heirs');
  await w.syncChanged();
  expect(await shown()).toEqual({ owner: 'heirs', name: 'returned', active: true });
  w.emulator.controls.transfer('heirs/returned', 'acme');
  await w.emulator.core.settled();
  // The App of the new owner is listed first.
  w.emulator.controls.fail({ operation: 'GET /app/installations', times: 1 });
  await w.syncAll();
  expect(await shown()).toEqual({ owner: 'heirs', name: 'returned', active: true });
  await w.syncAll();
  expect(await shown()).toEqual({ owner: 'acme', name: 'returned', active: true });
});

test('a listing that takes longer than a minute is made by one process', async () => {
  await w.syncChanged();
  await w.emulator.addRepository('slowly-listed');
  await w.syncChanged();
  const operation = 'GET /installation/repositories';
  const appCount = (await w.rows('select 1 from github_app')).length;
  w.later(2);
  await markInstallations(w.ctx, 'asked');
  const before = await w.countCalls(listing);
  const [first, second] = [w.emulator.controls.hold(listing), w.emulator.controls.hold(operation)];
  const listed = w.syncChanged();
  await first.arrived;
  w.later(0.8);
  first.release();
  await second.arrived;
  w.later(0.8);
  // The listing has begun more than a minute and a half ago. This is what another process does every second.
  await w.syncChanged();
  expect((await w.countCalls(listing)) - before).toBe(1);
  second.release();
  await listed;
  expect((await w.countCalls(listing)) - before).toBe(appCount);
  const isDue = 'select 1 from github_installation where sync_at is not null';
  expect([await w.rows(isDue), await w.rows('select 1 from github_app where listing is not null')]).toEqual([[], []]);
});

test('of two processes that begin a listing in the same moment, one lists the Apps', async () => {
  await w.syncChanged();
  const appCount = (await w.rows('select 1 from github_app')).length;
  w.later(2);
  await markInstallations(w.ctx, 'asked');
  const before = await w.countCalls(listing);
  const waiting =
    'select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()';
  const listed = await w.ctx.db.transaction(w.ctx.accountId, async (tx) => {
    await tx.query('select from github_app for update');
    const both = [w.syncChanged(), w.syncChanged()];
    await expect.poll(async () => (await w.rows(waiting)).length, { timeout: 2_000 }).toBe(2);
    return { both };
  });
  await Promise.all(listed.both);
  expect((await w.countCalls(listing)) - before).toBe(appCount);
  const isDue = 'select 1 from github_installation where sync_at is not null';
  expect([await w.rows(isDue), await w.rows('select 1 from github_app where listing is not null')]).toEqual([[], []]);
});

test('a listing deactivates no repository that a later listing has found', async () => {
  if ((await w.rows("select 1 from github_app where slug = 'interlock-heirs'")).length === 0)
    await addOtherOwner(w.emulator, w.ctx, w.secrets);
  const first = w.emulator.controls.hold(listing);
  const early = w.syncAll();
  await first.arrived;
  const second = w.emulator.controls.hold(listing);
  first.release();
  // The first App was listed without the repository, and the second App is being listed until the repository is active.
  await second.arrived;
  const { shown } = await activeOne('found-later');
  expect(await shown()).toMatchObject({ active: true });
  second.release();
  await early;
  expect(await shown()).toMatchObject({ active: true });
});

test('a repository that is removed from the selection becomes inactive, and the others stay active', async () => {
  const [out, stays] = [await activeOne('out'), await activeOne('stays')];
  const { core } = w.emulator;
  const chosen = core.state.repositories.filter(({ ownerId }) => ownerId === installation().accountId);
  const before = { repositorySelection: installation().repositorySelection };
  Object.assign(installation(), { repositorySelection: 'selected', repositoryIds: chosen.map(({ id }) => id) });
  changeSelection(core, installation(), {
    repository: core.state.repositories.must(out.id),
    sender: core.state.accounts.must(installation().accountId),
    isChosen: false,
  });
  await w.syncChanged();
  Object.assign(installation(), before);
  expect(await out.shown()).toMatchObject({ active: false });
  expect(await stays.shown()).toMatchObject({ active: true });
});

test('repositories of a suspended installation become inactive, and can be activated again after the suspension', async () => {
  const { shown } = await activeOne('suspended');
  w.emulator.controls.suspend(Number(w.emulator.installationId), true);
  await w.syncChanged();
  expect(await shown()).toMatchObject({ active: false });
  w.emulator.controls.suspend(Number(w.emulator.installationId), false);
  await w.syncChanged();
  await w.activate('suspended');
  await w.syncAll();
  expect(await shown()).toMatchObject({ active: true });
});

test('an App of another account lists the same repositories only for that account', async () => {
  const { id, shown } = await activeOne('shared');
  const { core } = w.emulator;
  const owner = core.state.accounts.must(installation().accountId);
  const { app, privateKey } = makeApp(core, {
    slug: 'second',
    name: 'second',
    owner,
    permissions: installation().permissions,
    events: [],
    webhook: { url: null, secret: 'second-secret', isActive: false },
    callbackUrls: [],
    externalUrl: 'https://example.com',
    setupUrl: null,
    isPublic: false,
  });
  makeInstallation(core, { app, account: owner });
  await addApp(w.otherCtx, w.secrets, { ...appOf(w.emulator), id: String(app.id), slug: 'second', privateKey });
  await w.syncAll();
  const rows = await w.rows<{ account_id: string; active: boolean }>(
    'select account_id, active from repository where github_id = $1 order by id',
    [String(id)],
  );
  expect(rows).toEqual([
    { account_id: w.ctx.accountId, active: true },
    { account_id: w.otherCtx.accountId, active: false },
  ]);

  // A webhook of the first App makes no hint for the other account.
  await w.rows('delete from host_hint');
  await w.send({ body: JSON.stringify({ ref: 'refs/heads/main', repository: { id } }) });
  const hinted = await w.rows<{ account_id: string }>('select account_id from host_hint');
  expect(hinted).toEqual([{ account_id: w.ctx.accountId }]);
  for (const { accountId } of [w.ctx, w.otherCtx])
    expect(
      await w.ctx.db.transaction(accountId, async (tx) => await tx.query('select slug from github_app order by id')),
    ).toEqual(
      accountId === w.ctx.accountId ? [{ slug: 'interlock' }, { slug: 'interlock-heirs' }] : [{ slug: 'second' }],
    );
  expect(await shown()).toMatchObject({ active: true });
});

test.each(['GET /app', 'GET /app/installations', 'GET /installation/repositories'])(
  'if the answer to %s breaks off, every repository and installation stays',
  async (operation) => {
    const { shown } = await activeOne(`cut-${operation.split('/').at(-1)}`);
    const installations = async () =>
      await w.rows('select id, removed_at from github_installation where account_id = $1 order by id', [
        w.ctx.accountId,
      ]);
    const before = await installations();
    w.emulator.controls.fail({ operation, status: 'cut' });
    await w.syncAll();
    await w.emulator.controls.clear();
    expect([await shown(), await installations()]).toEqual([expect.objectContaining({ active: true }), before]);
  },
);

test('however often people open the page after an installation, an App is listed once in a minute', async () => {
  await w.syncAll();
  const appCount = (await w.rows('select 1 from github_app')).length;
  const before = await w.countCalls(listing);
  const listings = async (): Promise<number> => (await w.countCalls(listing)) - before;
  const open = async (): Promise<void> => expect((await fetch(`${w.url}/github/installed`)).status).toBe(200);
  await w.emulator.addRepository('opened');
  await open();
  expect(await listings()).toBe(0);
  await Promise.all([w.syncChanged(), w.syncChanged()]);
  expect(await listings()).toBe(appCount);
  expect(await w.rows("select 1 from repository where name = 'opened'")).not.toEqual([]);
  for (let time = 0; time < 3; time += 1) {
    await open();
    await w.syncChanged();
  }
  expect(await listings()).toBe(appCount);
  w.later(1);
  await w.syncChanged();
  await w.syncChanged();
  expect(await listings()).toBe(2 * appCount);
});

test('however many processes compare the installations, an App is listed once in five minutes', async () => {
  await w.syncAll();
  w.later(6);
  await w.syncChanged();
  const appCount = (await w.rows('select 1 from github_app')).length;
  const before = await w.countCalls(listing);
  const listings = async (): Promise<number> => (await w.countCalls(listing)) - before;
  const compare = async (): Promise<void> => {
    await markInstallations(w.ctx, 'compared');
    await w.syncChanged();
  };
  await compare();
  expect(await listings()).toBe(appCount);
  for (let process = 0; process < 3; process += 1) {
    w.later(1);
    await compare();
  }
  expect(await listings()).toBe(appCount);
  // A person who opens the page after an installation need not wait for the next comparison.
  await fetch(`${w.url}/github/installed`);
  await w.syncChanged();
  expect(await listings()).toBe(2 * appCount);
  w.later(3);
  await compare();
  expect(await listings()).toBe(3 * appCount);

  // An App that cannot be listed is tried again at the next comparison, and not every minute.
  w.later(6);
  w.emulator.controls.fail({ operation: 'GET /app/installations', times: appCount });
  await compare();
  await w.emulator.controls.clear();
  const failed = await listings();
  w.later(4);
  await compare();
  expect(await listings()).toBe(failed);
  w.later(2);
  await compare();
  expect(await listings()).toBe(failed + appCount);
});

test.each<{ name: string; fault: object; minutes: number }>([
  { name: 'GitHub fails, the next attempt comes a minute later', fault: {}, minutes: 1 },
  {
    name: 'GitHub asks for a pause, the next attempt comes after it',
    fault: { status: 429, headers: { 'retry-after': '600' } },
    minutes: 10,
  },
])('if $name', async ({ fault, minutes }) => {
  const { shown } = await activeOne(`waits-${minutes}`);
  await w.syncChanged();
  w.emulator.controls.rename(`acme/waits-${minutes}`, `waited-${minutes}`);
  w.emulator.controls.fail({ operation: 'GET /app', times: 1, ...fault });
  const before = await w.countCalls(listing);
  await w.syncChanged();
  // The other App of the account was listed.
  expect((await w.countCalls(listing)) - before).toBe(1);
  w.later(minutes - 0.2);
  for (let time = 0; time < 3; time += 1) await w.syncChanged();
  expect((await w.countCalls(listing)) - before).toBe(1);
  expect(await shown()).toMatchObject({ name: `waits-${minutes}` });
  w.later(0.3);
  await w.syncChanged();
  expect(await shown()).toEqual({ owner: 'acme', name: `waited-${minutes}`, active: true });
});

test('while GitHub asks the App to pause, no listing calls GitHub', async () => {
  const before = await w.countCalls(listing);
  await w.rows(
    "insert into host_budget (account_id, installation_id, minute_at, hour_at) select account_id, 'app ' || app_id, now(), now() from github_app on conflict do nothing",
  );
  await w.rows("update host_budget set paused_until = $1 where installation_id like 'app %'", [
    new Date(w.ctx.clock().getTime() + 60_000),
  ]);
  await w.syncAll();
  expect((await w.countCalls(listing)) - before).toBe(0);
  w.later(2);
  await w.syncAll();
  expect((await w.countCalls(listing)) - before).toBe((await w.rows('select 1 from github_app')).length);
});

test('an App that was deleted at GitHub does not keep a repository active that is absent from the other Apps', async () => {
  const { core } = w.emulator;
  const find = () => core.state.apps.find(({ slug }) => slug === 'interlock-heirs');
  if (find() === undefined) await addOtherOwner(w.emulator, w.ctx, w.secrets);
  const { shown } = await activeOne('absent');
  core.state.apps.remove(find()?.id ?? 0);
  w.emulator.addPerson('newcomer');
  w.emulator.controls.transfer('acme/absent', 'newcomer');
  await w.syncAll();
  expect(await shown()).toMatchObject({ active: false });
  expect(
    await w.rows("select removed_at is not null as gone, sync_at from github_installation where owner = 'heirs'"),
  ).toEqual([{ gone: true, sync_at: null }]);
});

test('an App whose key GitHub refuses keeps its repositories, and none that is absent from the other Apps', async () => {
  const { core } = w.emulator;
  await w.syncAll();
  w.later(10);
  const other = await addOtherOwner(w.emulator, w.ctx, w.secrets, 'refused');
  const [absent, kept] = [await activeOne('left-behind'), await activeOne('kept')];
  w.emulator.controls.transfer('acme/kept', other);
  await w.emulator.core.settled();
  await w.syncAll();
  expect(await kept.shown()).toEqual({ owner: other, name: 'kept', active: true });
  const app = core.state.apps.find(({ slug }) => slug === 'interlock-refused');
  const { publicKeys } = app ?? { publicKeys: [] };
  Object.assign(app ?? {}, { publicKeys: [] });
  w.emulator.addPerson('visitor');
  w.emulator.controls.transfer('acme/left-behind', 'visitor');
  await w.syncChanged();
  expect(await absent.shown()).toMatchObject({ active: false });
  expect(await kept.shown()).toEqual({ owner: other, name: 'kept', active: true });

  // The App is tried again at the next comparison, and not every minute.
  const listed = async (minutes: number): Promise<boolean> => {
    const before = await w.countCalls('GET /app');
    w.later(minutes);
    await markInstallations(w.ctx, 'compared');
    await w.syncChanged();
    return (await w.countCalls('GET /app')) > before;
  };
  expect([await listed(6), await listed(4), await listed(2)]).toEqual([true, false, true]);
  Object.assign(app ?? {}, { publicKeys });
  expect(await listed(6)).toBe(true);
  expect(
    await w.rows('select 1 from github_installation where sync_at is not null and account_id = $1', [w.ctx.accountId]),
  ).toEqual([]);
});

test('repositories of a removed installation become inactive', async () => {
  const { shown } = await activeOne('removed');
  deleteInstallation(w.emulator.core, installation());
  await w.syncChanged();
  expect(await shown()).toMatchObject({ active: false });
  expect(
    await w.rows(
      "select removed_at is not null as gone, sync_at from github_installation where owner = 'acme' and account_id = $1",
      [w.ctx.accountId],
    ),
  ).toEqual([{ gone: true, sync_at: null }]);
});
