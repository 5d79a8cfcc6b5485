// What the dashboard shows of places that do not exist, of very long names, after a change of the signed-in user, before
// a change of a configuration that somebody else has changed meanwhile, and what becomes of typed texts.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiToken } from '../../src/modules/accounts/index.ts';
import { addUser } from '../../src/modules/accounts/users.service.ts';
import { changeActivity } from '../../src/modules/repositories/index.ts';
import { configurationYaml, parallel, world, type World } from '../support/world.ts';
import {
  controlsOutside,
  launchChromium,
  refusedWith,
  seriousProblems,
  serveDashboard,
  signIn,
  type DashboardServer,
  type SignedIn,
} from './browser.ts';

let w: World;
let s: DashboardServer;
let browser: Browser;

beforeAll(async () => {
  w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
  s = await serveDashboard(w);
  browser = await launchChromium();
  await w.open('change', { 'a.txt': 'new\n' }, { title: 'x'.repeat(200) });
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await w[Symbol.asyncDispose]();
});

describe('a repository that does not exist', () => {
  it.each(['configuration', 'previews', 'runbooks', 'pulls', 'screens', 'analytics'])(
    'is named as the reason why its page %s is empty',
    async (part) => {
      await using visit = await signIn(browser, s);
      const { page } = visit;
      await visit.open(`/acme/none/${part}`);
      await page.getByText('There is no repository acme/none here.').waitFor();
      expect(visit.complaints).toEqual([]);
    },
  );
});

describe('an address whose number is no number', () => {
  it.each([
    ['/acme/shop/pull/abc', 'There is no pull request #abc in acme/shop.'],
    ['/acme/shop/pull/99999999999', 'There is no pull request #99999999999 in acme/shop.'],
    ['/runbooks/abc', 'There is no runbook abc.'],
  ])('%s leads to a page that says so', async (path, sentence) => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(path);
    await page.getByText(sentence).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('an address with a branch that does not exist', () => {
  it('is not the queue to which the first page leads afterwards', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/none');
    await page.getByText('Nobody has queued a pull request into none yet.').waitFor();
    await page.goto(s.url);
    await page.waitForURL('**/acme/shop/queue/*');
    expect(new URL(page.url()).pathname).toBe('/acme/shop/queue/main');
    expect(visit.complaints).toEqual([]);
  });
});

describe('a very long name', () => {
  it('is broken on a narrow screen', async () => {
    await using visit = await signIn(browser, s, { width: 390 });
    const { page } = visit;
    await visit.open('/acme/shop/pull/1');
    await page.getByRole('heading', { name: 'x'.repeat(200) }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(visit.complaints).toEqual([]);
  });
});

describe('the activity on a narrow screen', () => {
  beforeAll(async () => {
    await w.rows(
      `insert into user_action (account_id, action, actor, entity, target, at)
       select id, 'team_created', 'ada@acme.test', 'user', '@acme/' || repeat('x', 200), now() from account`,
    );
  });

  it.each(['/activity', '/activity?show=people'])('has the texts of %s below their times', async (path) => {
    await using visit = await signIn(browser, s, { width: 360 });
    const { page } = visit;
    await visit.open(path);
    const cells = page.locator('tbody tr').first().locator('td');
    await cells.first().waitFor();
    const [time, text] = await cells.evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
    expect(text?.top).toBeGreaterThanOrEqual(time?.bottom ?? Infinity);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await seriousProblems(page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a base branch with a very long name', () => {
  const branch = 'b'.repeat(120);
  beforeAll(async () => {
    await w.commit(branch, {});
    const number = await w.open('into-long', { 'long.txt': 'new\n' }, { base: branch });
    await w.queue(number);
  });

  it.each([390, 800, 1440])('leaves all buttons visible at a width of %i', async (width) => {
    await using visit = await signIn(browser, s, { width });
    const { page } = visit;
    for (const path of [`/acme/shop/queue/${branch}`, '/acme/shop/pull/2']) {
      await visit.open(path);
      await page.getByText('Live', { exact: true }).waitFor();
      await page.locator('main h1').locator('..').getByRole('button').first().waitFor();
      expect(await controlsOutside(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    await page
      .getByText(`${branch} /`)
      .and(page.locator(`[title="${branch}"]`))
      .waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('is broken on a narrow screen, on the page of a queue without pull requests', async () => {
    await using visit = await signIn(browser, s, { width: 390 });
    const { page } = visit;
    await visit.open(`/acme/shop/queue/none-${branch}`);
    for (const part of [page.locator('main h2'), page.getByText('Push a branch, open its pull request')]) {
      const box = await part.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    }
    expect(visit.complaints).toEqual([]);
  });
});

describe('a visitor who may read no repository', () => {
  it.each([
    ['/acme/shop/pull/1', '#1 could not be read.'],
    ['/acme/shop/pulls?show=yours', 'The pull requests could not be read.'],
    ['/activity', 'The repositories could not be read.'],
  ])('is told so on %s', async (path, sentence) => {
    const { userId } = await addUser(w.ctx, { email: `ci${path.length}@acme.test`, handle: null, role: 'member' });
    const { token } = await createApiToken(w.ctx, w.secrets, {
      name: 'of CI',
      kind: 'user',
      scopes: ['preview:register'],
      userId,
    });
    await using visit = await signIn(browser, s, { token });
    const { page } = visit;
    await page.goto(s.url + path);
    await page.getByText(sentence).waitFor();
    expect(await page.getByText('Loading').count()).toBe(0);
  });
});

describe('a visitor who may only read', () => {
  it.each([
    ['/acme/shop/runbooks', 'New runbook', 'This needs a token with the scope runbook:write.'],
    ['/acme/shop/screens', 'New link', 'This needs a token with the scope admin.'],
    ['/settings/webhooks', 'New webhook', 'This needs a token with the scope admin.'],
    ['/settings/people', 'Add a person', 'This needs a token with the scope admin.'],
  ])('finds on %s that %s is disabled, with the reason', async (path, name, reason) => {
    const { userId } = await addUser(w.ctx, {
      email: `${name.replaceAll(' ', '-')}@acme.test`,
      handle: null,
      role: 'member',
    });
    const scopes = ['queue:read', 'config:read'] as const;
    const { token } = await createApiToken(w.ctx, w.secrets, { name: 'of a reader', kind: 'user', scopes, userId });
    await using visit = await signIn(browser, s, { token });
    await visit.page.goto(s.url + path);
    const button = visit.page.getByRole('button', { name }).first();
    await button.and(visit.page.locator(':disabled')).waitFor();
    expect(await button.getAttribute('title')).toBe(reason);
  });
});

describe('an admin of the account whose permission in a repository is too low', () => {
  it('finds that links for screens can neither be made nor revoked, with the reason', async () => {
    const sentence = 'This needs the permission admin in acme/shop at GitHub; ada has read.';
    const input = '{repository: {owner: "acme", name: "shop"}, baseBranch: "main"}';
    await s.send(`mutation { createEmbedLink(input: ${input}) { url } }`);
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"operationName":"EmbedLinks"') !== true) return await route.fallback();
      const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' };
      const response = await route.fetch({ headers });
      const { data } = (await response.json()) as {
        readonly data: { readonly repository: { readonly viewerCan: readonly { readonly action: string }[] } };
      };
      const viewerCan = data.repository.viewerCan.map((one) =>
        one.action === 'ADMINISTER' ? { ...one, allowed: false, sentence } : one,
      );
      return await route.fulfill({ json: { data: { ...data, repository: { ...data.repository, viewerCan } } } });
    });
    await visit.page.goto(`${s.url}/acme/shop/screens`);
    for (const name of ['New link', 'Revoke… the link 1 to main']) {
      const button = page.getByRole('button', { name }).first();
      await button.and(page.locator(':disabled')).waitFor();
      expect(await button.getAttribute('title')).toBe(sentence);
    }
    expect(visit.complaints).toEqual([]);
  });
});

describe('a queue whose whole repository is paused', () => {
  it('is resumed with the repository, and no rule of the branch is left', async () => {
    await w.pause(true);
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.getByRole('button', { name: 'Resume…' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Resume' });
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    expect(await page.getByRole('dialog').innerText()).toContain('Resume acme/shop?');
    await confirm.click();
    await page.getByText('acme/shop is resumed.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await w.rows('select paused from repository')).toEqual([{ paused: false }]);
    expect(await w.rows('select pattern from branch_pause')).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a simulation that is refused', () => {
  it('is asked for again after a pause, and then begins', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    let asked = 0;
    let isRefused = true;
    await page.clock.install();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"operationName":"StartSimulation"') !== true)
        return await route.fallback();
      asked += 1;
      if (!isRefused) return await route.fallback();
      return await route.fulfill({ json: { data: null, errors: refusedWith('RATE_LIMITED') } });
    });
    await visit.open('/acme/shop/configuration');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByText('The simulation could not be run.').waitFor();
    const readAgain = page.waitForResponse(
      (response) => response.request().postData()?.includes('"operationName":"Simulations"') === true,
    );
    await page.getByRole('button', { name: 'Try again' }).click();
    await readAgain;
    await page.getByText('The simulation could not be run.').waitFor();
    // The page's clock goes on by itself. A page that asks without a pause asks hundreds of times.
    await page.clock.runFor(2_000);
    expect(asked).toBeLessThan(10);
    isRefused = false;
    const before = asked;
    const begins = async (): Promise<number> => await page.clock.runFor(5_000).then(() => asked);
    await expect.poll(begins).toBeGreaterThan(before);
    await page.getByText('The simulation could not be run.').waitFor({ state: 'detached' });
    expect(visit.complaints).toEqual([]);
  });
});

describe('an address with a value that means nothing', () => {
  it.each(['/acme/shop/queue/main?at=yesterday', '/acme/shop/pull/1?at=garbage&tab=history'])(
    '%s shows the present state, as without the value',
    async (path) => {
      await using visit = await signIn(browser, s);
      const { page } = visit;
      await visit.open(path);
      await page.getByText('Live', { exact: true }).waitFor();
      expect(await page.getByText('could not be read').count()).toBe(0);
      expect(visit.complaints).toEqual([]);
    },
  );

  it('shows the moment that a person wrote without seconds', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const minute = new Date().toISOString().slice(0, 16);
    await visit.open(`/acme/shop/queue/main?at=${minute}Z`);
    await page.getByText(/^(?:The line as it was at|There is no record of that moment)/).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('the analytics', () => {
  it('are of as many days of the zone of the reader as the reader chose', async () => {
    // In one of these two zones the date is another one than in UTC.
    const timezoneId = new Date().getUTCHours() < 10 ? 'Pacific/Midway' : 'Pacific/Kiritimati';
    const dateOf = (daysBack: number): string =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: timezoneId }).format(Date.now() - daysBack * 86_400_000);
    await using visit = await signIn(browser, s, { timezoneId });
    const { page } = visit;
    await visit.open('/acme/shop/analytics');
    const asked = page.waitForRequest(
      (request) => request.postData()?.includes('"operationName":"Analytics"') === true,
    );
    await page.getByRole('combobox', { name: 'Days' }).selectOption('7');
    const { variables } = (await asked).postDataJSON() as { readonly variables: object };
    expect(variables).toMatchObject({ start: dateOf(6), end: dateOf(0), timezone: timezoneId });
    await page.getByText('Interlock landed no pull request in this time.').first().waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('are of the same days when the user comes back to them', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/analytics');
    await page.getByRole('combobox', { name: 'Days' }).selectOption('90');
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Previews' }).click();
    await page.getByRole('heading', { level: 1, name: 'Previews' }).waitFor();
    await page.goBack();
    expect(await page.getByRole('combobox', { name: 'Days' }).inputValue()).toBe('90');
    expect(visit.complaints).toEqual([]);
  });

  it('name the days, the branch and the tables in their address, which can be sent to others', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const days = page.getByRole('combobox', { name: 'Days' });
    await visit.open('/acme/shop/analytics');
    await days.selectOption('7');
    await page.waitForURL('**/analytics?days=7');
    await page.getByRole('button', { name: 'As table' }).click();
    await page.waitForURL('**/analytics?days=7&as=table');
    await using other = await signIn(browser, s);
    await other.page.goto(page.url());
    await expect.poll(async () => await other.page.getByRole('combobox', { name: 'Days' }).inputValue()).toBe('7');
    await other.page.getByRole('button', { name: 'As table', pressed: true }).waitFor();
    await page.goBack();
    await page.goBack();
    await expect.poll(async () => await days.inputValue()).toBe('30');
    for (const odd of ['8', '-1', 'x', '7e9']) {
      await visit.open(`/acme/shop/analytics?days=${odd}`);
      expect(await days.inputValue()).toBe('30');
    }
    expect(visit.complaints).toEqual([]);
  });
});

describe('a time zone of the browser that the server does not know', () => {
  it('is replaced by UTC in the analytics, which say so', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    // Chromium names the zone like this if it does not know the zone of the machine.
    await page.addInitScript(`
      const { resolvedOptions } = Intl.DateTimeFormat.prototype;
      Intl.DateTimeFormat.prototype.resolvedOptions = function () {
        return { ...resolvedOptions.call(this), timeZone: 'Etc/Unknown' };
      };
    `);
    await visit.open('/acme/shop/analytics');
    await page.getByText('Interlock landed no pull request in this time.').first().waitFor();
    await page
      .getByText('The days are those of UTC, because the server does not know your time zone Etc/Unknown.')
      .waitFor();
    // The browser writes the refusal to its console.
    expect(visit.complaints).toEqual([expect.stringContaining('400 (Bad Request)')]);
  });
});

describe('a key that ends the composition of a word', () => {
  it('runs no command, also in Safari, which has ended the composition before', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.evaluate(`
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', keyCode: 229, bubbles: true }));
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    `);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('a signed-in visitor', () => {
  it.each([1440, 390])('signs out on a page of %d pixels, by keyboard', async (width) => {
    await using visit = await signIn(browser, s, { width });
    const { page } = visit;
    await visit.open('/acme/shop/pulls');
    if (width < 500) await page.getByRole('button', { name: 'More' }).click();
    const leads = page.getByRole('link', { name: 'Sign out…' });
    await leads.waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await leads.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.getByText('Sign in').first().waitFor();
    await page.goto(`${s.url}/acme/shop/pulls`);
    expect(new URL(page.url()).pathname).toBe('/session');
    expect(visit.complaints).toEqual([]);
  });
});

describe('a page in another tab', () => {
  it('is loaded again when another user signs in', async () => {
    const { userId } = await addUser(w.ctx, { email: 'ada@acme.test', handle: 'ada', role: 'member' });
    const { token } = await createApiToken(w.ctx, w.secrets, {
      name: 'a browser',
      kind: 'user',
      scopes: ['queue:read'],
      userId,
    });
    await using visit = await signIn(browser, s);
    const { page, context } = visit;
    await visit.open('/acme/shop/pulls');
    const viewer = page.getByRole('navigation', { name: 'Main' }).getByText('ada', { exact: true });
    expect(await viewer.count()).toBe(0);
    await context.request.post(s.url + (await s.link(token)), {
      form: {},
      headers: { origin: s.url, 'sec-fetch-site': 'same-origin' },
      maxRedirects: 0,
    });
    const other = await context.newPage();
    await other.goto(`${s.url}/acme/shop/pulls`);
    await viewer.waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('the dialog that replaces a configuration', () => {
  it('says that somebody else has changed the configuration meanwhile, and the typed text stays', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/configuration');
    const editor = page.getByRole('textbox', { name: 'Configuration as YAML' });
    const mine = `${configurationYaml(parallel({ builds: 3 }))}\n`;
    await editor.fill(mine);
    const replace = page.getByRole('button', { name: 'Replace…' });
    await expect.poll(async () => await replace.isEnabled()).toBe(true);
    await w.configure(parallel({ builds: 2 }));
    await replace.click();
    const dialog = page.getByRole('dialog', { name: 'Replace the configuration?' });
    await dialog.getByText('and your text replaces this change too').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Your text does not have this change.').waitFor();
    expect(await editor.innerText()).toContain('max_parallel_builds: 3');
    expect(visit.complaints).toEqual([]);
  });

  it('replaces no change that somebody else makes between the preview and the confirmation', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/configuration');
    const editor = page.getByRole('textbox', { name: 'Configuration as YAML' });
    await editor.fill(`${configurationYaml(parallel({ builds: 5 }))}\n`);
    await page.route('**/graphql', async (route) => {
      const sent = route.request().postData() ?? '';
      const isConfirmed = sent.includes('"operationName":"ReplaceConfiguration"') && sent.includes('"preview":false');
      if (isConfirmed) await w.configure(parallel({ builds: 6 }));
      await route.fallback();
    });
    const replace = page.getByRole('button', { name: 'Replace…' });
    await expect.poll(async () => await replace.isEnabled()).toBe(true);
    await replace.click();
    const dialog = page.getByRole('dialog', { name: 'Replace the configuration?' });
    const confirm = dialog.getByRole('button', { name: 'Replace' });
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    await confirm.click();
    await dialog.getByText('The configuration has changed since it was read').waitFor();
    await page.getByText('Your text does not have this change.').waitFor();
    const [stored] = await w.rows<{ yaml: string }>('select configuration_yaml as yaml from repository');
    expect(stored?.yaml).toContain('max_parallel_builds: 6');
    expect(visit.complaints).toEqual([]);
  });

  it('cannot be opened before the server has judged the text, and the judgement is asked for again if it fails', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    let refusals = 0;
    await visit.open('/acme/shop/configuration');
    const editor = page.getByRole('textbox', { name: 'Configuration as YAML' });
    const replace = page.getByRole('button', { name: 'Replace…' });
    await editor.fill(configurationYaml(parallel({ builds: 4 })));
    await expect.poll(async () => await replace.isEnabled()).toBe(true);
    await page.route('**/graphql', async (route) => {
      const isJudging = route.request().postData()?.includes('"operationName":"PreviewConfiguration"') === true;
      if (!isJudging || refusals === 2) return await route.fallback();
      refusals += 1;
      return await route.fulfill({ json: { data: null, errors: refusedWith('RATE_LIMITED') } });
    });
    await editor.fill('merge_rules:\n  nonsense: 1\n');
    await expect.poll(() => refusals).toBe(1);
    await page.getByText('Checking what the change would do').waitFor();
    expect(await replace.isDisabled()).toBe(true);
    await page.getByText('must be fixed first').waitFor();
    expect(refusals).toBe(2);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a configuration whose text the server refuses to judge', () => {
  it('is not judged for ever: the page says why', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/configuration');
    await page.route('**/graphql', async (route) => {
      const isJudging = route.request().postData()?.includes('"operationName":"PreviewConfiguration"') === true;
      if (isJudging) await route.fulfill({ json: { data: null, errors: refusedWith('FORBIDDEN') } });
      else await route.fallback();
    });
    await page.getByRole('textbox', { name: 'Configuration as YAML' }).fill(configurationYaml(parallel({ builds: 7 })));
    await page.getByText('The server does not judge this text: Refused. (FORBIDDEN)').waitFor();
    expect(await page.getByRole('button', { name: 'Replace…' }).isDisabled()).toBe(true);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a typed text', () => {
  const signInAs = async (visit: SignedIn, token?: string): Promise<void> => {
    await visit.context.request.post(s.url + (await s.link(token)), {
      form: {},
      headers: { origin: s.url, 'sec-fetch-site': 'same-origin' },
      maxRedirects: 0,
    });
  };

  it('in a dialog is there again after a sign-in in between, until the dialog is closed', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    const reason = page.getByRole('dialog', { name: 'Freeze main?' }).getByLabel('Reason');
    const show = async (): Promise<void> => {
      await page.getByText('Live', { exact: true }).waitFor();
      await page.keyboard.press('f');
      await reason.waitFor();
    };
    await show();
    await reason.fill('The database moves');
    let isAccepted = false;
    await page.route('**/graphql', async (route) => {
      if (isAccepted) await route.fallback();
      else await route.fulfill({ status: 401, json: { errors: [] } });
    });
    await reason.pressSequentially('.');
    const back = page.getByRole('link', { name: 'Go on' }).or(page.getByRole('button', { name: 'Go on' }));
    await back.waitFor();
    isAccepted = true;
    await back.click();
    await show();
    expect(await reason.inputValue()).toBe('The database moves.');
    await page.keyboard.press('Escape');
    await show();
    expect(await reason.inputValue()).toBe('');
    expect(visit.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('stays when the mouse selects it beyond the dialog, and when a click beside the dialog closes the dialog', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('f');
    const dialog = page.getByRole('dialog', { name: 'Freeze main?' });
    const reason = dialog.getByLabel('Reason');
    await reason.fill('The database moves');
    const box = await reason.boundingBox();
    const inside: readonly [number, number] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 10];
    const outside: readonly [number, number] = [5, 5];
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      await page.mouse.move(...from);
      await page.mouse.down();
      await page.mouse.move(...to);
      await page.mouse.up();
      expect([await dialog.count(), await reason.inputValue()]).toEqual([1, 'The database moves']);
    }
    await page.mouse.click(...outside);
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('f');
    await dialog.waitFor();
    expect(await reason.inputValue()).toBe('The database moves');
    await page.keyboard.press('Escape');
    expect(visit.complaints).toEqual([]);
  });

  it('in the editor of the configuration is there again after the page was left, until it is discarded', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/configuration');
    const editor = page.getByRole('textbox', { name: 'Configuration as YAML' });
    const before = await editor.innerText();
    await editor.pressSequentially('# mine ');
    await page.getByRole('link', { name: 'Tokens' }).first().click();
    await page.getByText(/tokens? (?:is|are) valid/).waitFor();
    await page.goBack();
    await expect.poll(async () => await editor.innerText()).toContain('# mine');
    await page.reload();
    await expect.poll(async () => await editor.innerText()).toContain('# mine');
    await page.getByRole('button', { name: 'Discard my text' }).click();
    await expect.poll(async () => await editor.innerText()).toBe(before);
    await page.reload();
    await expect.poll(async () => await editor.innerText()).toBe(before);
    expect(visit.complaints).toEqual([]);
  });

  it('is not shown to another user who signs in in the same tab', async () => {
    const { userId } = await addUser(w.ctx, { email: 'eve@acme.test', handle: 'eve', role: 'member' });
    const { token } = await createApiToken(w.ctx, w.secrets, {
      name: 'the browser of eve',
      kind: 'user',
      scopes: ['queue:read', 'config:read'],
      userId,
    });
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/configuration');
    const editor = page.getByRole('textbox', { name: 'Configuration as YAML' });
    await editor.pressSequentially('# mine ');
    await page.reload();
    await expect.poll(async () => await editor.innerText()).toContain('# mine');
    await signInAs(visit, token);
    await visit.open('/acme/shop/configuration');
    await page.getByRole('navigation', { name: 'Main' }).getByText('eve', { exact: true }).waitFor();
    expect(await editor.innerText()).not.toContain('# mine');
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('# mine');
    await signInAs(visit);
  });
});

describe('a preference that another tab has changed', () => {
  it('is shown in this tab, and stays when this tab changes another preference', async () => {
    await using visit = await signIn(browser, s);
    const { page, context } = visit;
    await visit.open('/acme/shop/pulls');
    const other = await context.newPage();
    await other.goto(`${s.url}/acme/shop/pulls`);
    const theme = async (of: Page): Promise<unknown> => await of.evaluate('document.documentElement.dataset.theme');
    await other.getByLabel('Theme').first().selectOption('dark');
    expect(await theme(other)).toBe('dark');
    await expect.poll(async () => await theme(page)).toBe('dark');
    // The page of a queue stores that it was visited.
    await visit.open('/acme/shop/queue/main');
    await other.reload();
    expect(await theme(other)).toBe('dark');
    expect(visit.complaints).toEqual([]);
  });

  it('stays also if this tab has not heard of the change', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.addInitScript("window.addEventListener('storage', (event) => event.stopImmediatePropagation(), true)");
    await visit.open('/acme/shop/pulls');
    const other = await visit.context.newPage();
    await other.goto(`${s.url}/acme/shop/pulls`);
    await other.getByLabel('Theme').first().selectOption('dark');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Queue' }).click();
    await page
      .getByRole('list', { name: 'The line of main' })
      .or(page.getByText('Nothing is in line'))
      .first()
      .waitFor();
    await other.reload();
    expect(await other.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(visit.complaints).toEqual([]);
  });
});

describe('a date that cannot be read', () => {
  it.each([
    ['/settings/tokens', 'New token', 'Create'],
    ['/acme/shop/screens', 'New link', 'Make the link'],
  ])('is named by the dialog on %s, with the cure', async (path, open, verb) => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(path);
    await page.getByRole('button', { name: open }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const name = dialog.getByLabel('Name');
    if ((await name.count()) > 0) await name.fill('a token');
    await dialog.getByLabel('Until').fill('12027-01-31T18:00');
    await dialog.getByRole('button', { name: verb }).click();
    await dialog.getByText('Until is no date that can be read. Its year has four digits, as in 2027.').waitFor();
    await dialog.getByText('Nothing was changed.').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('is named by the preview of a freeze', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.keyboard.press('f');
    const dialog = page.getByRole('dialog', { name: 'Freeze main?' });
    await dialog.getByLabel('Until').fill('12027-01-31T18:00');
    await dialog.getByText('Until is no date that can be read.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Freeze' }).isDisabled()).toBe(true);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a text that the browser does not copy', () => {
  it.each([
    ['because the page is on plain HTTP', 'undefined'],
    ['because the user forbids it', "{ writeText: async () => { throw new DOMException('No.', 'NotAllowedError') } }"],
  ])('%s, is shown to be copied by hand', async (_, clipboard) => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { get: () => (${clipboard}) })`);
    await visit.open('/acme/shop/queue/main');
    await page.getByText('Live', { exact: true }).waitFor();
    const dialog = page.getByRole('dialog', { name: 'Copy this text yourself' });
    await page.keyboard.press('c');
    await dialog.getByText(page.url(), { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('y');
    await dialog.getByText(/^[0-9a-f]{40}$/).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('the page of webhooks', () => {
  it('counts those that are switched off neither as answering nor as getting events', async () => {
    const insert = async (path: string, isEnabled: boolean, failingSince: Date | null): Promise<unknown> =>
      await w.rows(
        `insert into webhook_endpoint (account_id, url, actions, enabled, from_position, created_at, updated_at, disabled_at, disabled_because, failing_since)
         select account_id, $1, '{*}', $2, 1000000, now(), now(), $3::timestamptz, $4, $5::timestamptz from repository where name = 'shop'`,
        [
          `https://hooks.test/${path}`,
          isEnabled,
          isEnabled ? null : new Date(),
          isEnabled ? null : 'asked',
          failingSince,
        ],
      );
    await insert('off', false, null);
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/settings/webhooks');
    await page.getByText('No address gets webhooks. 1 is switched off.', { exact: true }).waitFor();
    await insert('on', true, null);
    await insert('off-failing', false, new Date());
    await page.reload();
    await page.getByText('1 address gets webhooks. All answer. 2 are switched off.', { exact: true }).waitFor();
    await insert('failing', true, new Date());
    await page.reload();
    await page.getByText('2 addresses get webhooks. 1 does not answer. 2 are switched off.', { exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

// This halt makes the queue, so it comes last.
describe('a visitor who may only read a halted, paused and frozen queue', () => {
  it('finds the buttons of its banners disabled, with the reason', async () => {
    const { userId } = await addUser(w.ctx, { email: 'reads@acme.test', handle: null, role: 'member' });
    const scopes = ['queue:read', 'config:read'] as const;
    const { token } = await createApiToken(w.ctx, w.secrets, { name: 'of a reader', kind: 'user', scopes, userId });
    const ref = '{owner: "acme", name: "shop"}';
    await s.send(
      `mutation { haltQueue(input: {repository: ${ref}, baseBranch: "main", reason: "a leak"}) { queue { id } } }`,
    );
    await s.send(`mutation { freezeBranches(input: {repository: ${ref}, baseBranches: "main"}) { freeze { id } } }`);
    await w.pause(true);
    await using visit = await signIn(browser, s, { token });
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    const buttons = page.getByRole('button', { name: /^(?:Resume|Lift)…$/ });
    await expect.poll(async () => await buttons.count()).toBe(3);
    for (const button of await buttons.all()) {
      expect(await button.isDisabled()).toBe(true);
      expect(await button.getAttribute('title')).toMatch(/^This needs /);
    }
    await w.pause(false);
    await s.send(`mutation { unfreezeBranches(input: {repository: ${ref}, baseBranches: "main"}) { deleted } }`);
    await s.send(`mutation { resumeQueue(input: {repository: ${ref}, baseBranch: "main"}) { queue { id } } }`);
    await changeActivity(w.ctx, w.repositoryId, false);
    const activate = page.getByRole('button', { name: 'Activate…' });
    await activate.and(page.locator(':disabled')).waitFor();
    expect(await activate.getAttribute('title')).toMatch(/^This needs /);
    await changeActivity(w.ctx, w.repositoryId, true);
    expect(visit.complaints).toEqual([]);
  });
});
