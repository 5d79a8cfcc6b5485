// Runs `interlock login` with a real Chromium, which enforces the content security policy of pages: to the OpenID
// provider, back, and on to the port where the terminal listens.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findFreePort } from '../../src/launcher/ports.ts';
import { openIdProvider } from '../accounts/openid-provider.ts';
import { launchChromium } from '../dashboard/browser.ts';
import { startServer } from '../support/server.ts';
import { runIn } from './terminal.ts';

it('login through an OpenID provider gives the terminal a token, and the browser signs out of Interlock and of the provider', async () => {
  // The provider needs the address of the server, and the server needs the provider.
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  await using provider = await openIdProvider(`${url}/session/oidc/callback`);
  provider.people.set('mia', { email: 'mia@acme.test', email_verified: true, groups: ['platform'] });
  provider.atKeyboard = 'mia';
  const s = await startServer({
    port,
    publicUrl: url,
    oidc: {
      ...provider,
      scopes: 'openid email groups',
      groupsClaim: 'groups',
      roles: [{ group: 'platform', account: 'acme', role: 'admin' }],
      emailDomains: [],
      trustsEmail: false,
      prompt: null,
      label: 'Acme',
    },
  });
  const home = await mkdtemp(join(tmpdir(), 'interlock-login-'));
  const chromium = await launchChromium();
  try {
    const page = await chromium.newPage();
    const shown = Promise.withResolvers<string>();
    const ran = runIn(
      {
        env: { XDG_CONFIG_HOME: home },
        cwd: home,
        isTTY: true,
        onStderr: (text) => {
          const address = /^ {2}(http\S+)$/m.exec(text)?.[1];
          if (address !== undefined) shown.resolve(address);
        },
      },
      'login',
      url,
    );
    await page.goto(await shown.promise);
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await page.getByRole('button', { name: 'Log the terminal in' }).click();
    await page.getByText('The terminal continues.').waitFor();
    const { code, stdout } = await ran;
    expect([code, stdout]).toEqual([0, expect.stringContaining('as mia@acme.test of acme')]);
    const out = await runIn({ env: { XDG_CONFIG_HOME: home }, cwd: home }, 'logout');
    expect([out.code, out.stdout]).toEqual([0, expect.stringContaining('The service has revoked the token.')]);
    await page.goto(`${url}/session`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign out there too' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
    expect(await page.content()).toContain('/session/end/confirm');
  } finally {
    await chromium.close();
    await s.close();
    await rm(home, { recursive: true, force: true });
  }
});
