// Another organization at the emulator, with an App of its own for the same account of Interlock.
import { appOf } from './app-world.ts';
import type { Emulator } from '../../../github-emulator/index.ts';
import { makeAccount, makeApp, makeInstallation } from '../../../github-emulator/model/seed.ts';
import type { Context } from '../../../src/context.ts';
import type { Secrets } from '../../../src/modules/accounts/index.ts';
import { addApp } from '../../../src/modules/github/index.ts';

/** Adds the organization, which a person of the emulator owns. Returns its login. */
export async function addOtherOwner(
  emulator: Emulator,
  ctx: Context,
  secrets: Secrets,
  login = 'heirs',
): Promise<string> {
  const { core } = emulator;
  const owner = makeAccount(core, { login, type: 'Organization' });
  const person = core.state.accounts.find((each) => each.login === emulator.login);
  core.state.memberships.insert({ organizationId: owner.id, userId: person?.id ?? 0, role: 'admin' });
  const first = core.state.apps.must(Number(emulator.appId));
  const { app, privateKey } = makeApp(core, {
    slug: `interlock-${login}`,
    name: `interlock-${login}`,
    owner,
    permissions: first.permissions,
    events: first.events,
    webhook: { url: null, secret: 'heirs-secret', isActive: true },
    callbackUrls: [],
    externalUrl: 'https://example.com',
    setupUrl: null,
    isPublic: false,
  });
  makeInstallation(core, { app, account: owner });
  const given = { ...appOf(emulator), id: String(app.id), slug: app.slug, privateKey, webhookSecret: 'heirs-secret' };
  const { webhookUrl } = await addApp(ctx, secrets, given);
  Object.assign(app, { webhook: { ...app.webhook, url: webhookUrl } });
  return owner.login;
}
