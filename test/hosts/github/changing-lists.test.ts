// GitHub lists more than a hundred installations or repositories page by page, and they change meanwhile.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeAccount, makeInstallation, makeRepository } from '../../../github-emulator/model/seed.ts';
import { appWorld, type AppWorld } from './app-world.ts';

let w: AppWorld;
beforeEach(async () => {
  w = await appWorld();
});
afterEach(async () => await w.close());

test('an installation stays if others are removed while GitHub lists them page by page', async () => {
  const { core, controls } = w.emulator;
  const app = core.state.apps.must(Number(w.emulator.appId));
  const own = core.state.installations.must(Number(w.emulator.installationId));
  const owner = core.state.accounts.must(own.accountId);
  // The App is public, and the owner has installed it after a hundred strangers.
  core.state.installations.remove(own.id);
  const strangers = Array.from({ length: 100 }, (_, n) =>
    makeInstallation(core, { app, account: makeAccount(core, { login: `stranger-${n}`, type: 'User' }) }),
  );
  makeInstallation(core, { app, account: owner });
  await w.emulator.addRepository('kept');
  await w.addFirstApp();
  await w.activate('kept');
  const operation = 'GET /app/installations';
  const before = await w.countCalls(operation);
  controls.slow({ operation, ms: 3_000, times: 2 });
  const listed = w.syncAll();
  // The second page is asked for, and not answered yet.
  await expect.poll(async () => (await w.countCalls(operation)) - before, { timeout: 60_000 }).toBe(2);
  for (const { id } of strangers.slice(0, 20)) core.state.installations.remove(id);
  await listed;
  expect(await w.rows("select active from repository where name = 'kept'")).toEqual([{ active: true }]);
  expect(await w.rows("select removed_at from github_installation where owner = 'acme'")).toEqual([
    { removed_at: null },
  ]);
});

test('repositories are stored although the repositories of the installation change all the time', async () => {
  const { core, controls } = w.emulator;
  const own = core.state.installations.must(Number(w.emulator.installationId));
  const owner = core.state.accounts.must(own.accountId);
  await w.addFirstApp();
  let made = 0;
  const make = () => makeRepository(core, { owner, name: `many-${(made += 1)}`, isPrivate: true });
  const others = Array.from({ length: 120 }, make);
  await w.emulator.addRepository('stored');
  controls.slow({ operation: 'GET /installation/repositories', ms: 300 });
  const changes = setInterval(() => {
    core.state.repositories.remove(others.shift()?.id ?? 0);
    others.push(make());
  }, 50);
  await w.syncAll();
  clearInterval(changes);
  expect(await w.rows("select name from repository where name = 'stored'")).toEqual([{ name: 'stored' }]);
});

test('a repository gets the name of another one that is removed while GitHub lists them', async () => {
  const { core, controls } = w.emulator;
  const own = core.state.installations.must(Number(w.emulator.installationId));
  const owner = core.state.accounts.must(own.accountId);
  const older = await w.emulator.addRepository('older');
  const newer = await w.emulator.addRepository('newer');
  for (let n = 0; n < 100; n += 1) makeRepository(core, { owner, name: `many-${n}`, isPrivate: true });
  await w.addFirstApp();
  const operation = 'GET /installation/repositories';
  const before = await w.countCalls(operation);
  controls.slow({ operation, ms: 3_000, times: 2 });
  const listed = w.syncAll();
  // The second page is asked for, and not answered yet.
  await expect.poll(async () => (await w.countCalls(operation)) - before, { timeout: 60_000 }).toBe(2);
  core.state.repositories.remove(newer.id);
  controls.rename('acme/older', 'newer');
  await listed;
  expect(await w.rows('select name from repository where github_id = $1', [String(older.id)])).toEqual([
    { name: 'newer' },
  ]);
});
