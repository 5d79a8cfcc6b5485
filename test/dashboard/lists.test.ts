// That no list of the dashboard ends without saying so: each leads to its other entries.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepository } from '../../src/modules/repositories/index.ts';
import { releaseWorld, type ReleaseWorld } from '../support/release-world.ts';
import { parallel } from '../support/world.ts';
import { launchChromium, serveDashboard, signIn, type DashboardServer } from './browser.ts';

let r: ReleaseWorld;
let s: DashboardServer;
let browser: Browser;

beforeAll(async () => {
  r = await releaseWorld({ runsCi: false, configuration: parallel({ builds: 1 }) });
  s = await serveDashboard(r.w);
  browser = await launchChromium();
  await createRepository(r.w.ctx, { owner: 'acme', name: 'zoo', host: 'local' });
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await r[Symbol.asyncDispose]();
});

const show = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** No two buttons of the page whose text begins like this have the same name. */
async function expectDistinctButtons(page: Page, text = ''): Promise<void> {
  await page.getByRole('listitem').first().waitFor();
  await page.waitForLoadState('networkidle');
  let names: readonly string[] = [];
  const read = async (): Promise<number> => {
    const shown = await page.getByRole('main').ariaSnapshot();
    names = [...shown.matchAll(/- '?button "([^"]*)"/g)]
      .map(([, name]) => name ?? '')
      .filter((name) => name.startsWith(text));
    return names.length;
  };
  // On a busy machine, the network may be idle before the page has read its list.
  await expect.poll(read).toBeGreaterThan(1);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
}

describe('release projects', () => {
  beforeAll(async () => {
    await r.w.rows(
      `insert into release_project (account_id, name, repository_id, created_at)
       select account_id, project, id, now() from repository,
         (select 'a' || n as project from generate_series(100, 219) n union all select 'zoo-app') projects
       where name = 'zoo'`,
    );
  });

  it('have pages', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/releases');
    await page.getByText('20 release projects on this page.').waitFor();
    for (const last of [139, 159, 179, 199, 219]) {
      await show(page, 'Next').click();
      await page.getByRole('link', { name: `a${last}` }).waitFor();
    }
    await show(page, 'Next').click();
    await page.getByText('2 release projects on this page.', { exact: true }).waitFor();
    expect(await show(page, 'Next').count()).toBe(0);
    await page.getByRole('link', { name: 'zoo-app' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('are all known to the menu, which leads to the project of the repository', async () => {
    await r.w.rows(`delete from release_project where name = 'zoo-app'`);
    await r.w.rows(
      `insert into release_project (account_id, name, repository_id, created_at)
       select account_id, 'zz', id, now() from repository where name = 'zoo'`,
    );
    await r.w.rows(
      `update release_project set repository_id = (select id from repository where name = 'shop') where name like 'a%'`,
    );
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/zoo/queue/main');
    await expect
      .poll(async () => await page.getByRole('link', { name: 'Releases' }).getAttribute('href'))
      .toBe('/releases/zz');
    expect(visit.complaints).toEqual([]);
  });
});

describe('candidates and deployments', () => {
  beforeAll(async () => {
    await r.w.rows(
      `with made as (
         insert into release (account_id, project_id, version, created_at)
         select account_id, id, 'v' || n, timestamptz '2026-01-01' + n * interval '1 hour'
         from release_project, generate_series(1, 40) n where name = 'shop'
         returning account_id, id, project_id, version, created_at)
       insert into release_candidate
         (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at, ended_at)
       select m.account_id, m.project_id, m.id, m.version || '-rc1', 1, '${await r.w.git('rev-parse', 'main')}', p.repository_id,
         'ready', 'ada', m.created_at, m.created_at
       from made m join release_project p on p.id = m.project_id order by m.created_at`,
    );
    await r.w.rows(
      `insert into deployment (account_id, environment_id, candidate_id, kind, status, actor, created_at, deploy_start_at, deploy_end_at, status_at)
       select c.account_id, e.id, c.id, 'forward', 'success', 'ada', c.created_at, c.created_at, c.created_at, c.created_at
       from release_candidate c join environment e on e.project_id = c.project_id, generate_series(1, 2) n
       where e.name = 'production' order by c.created_at`,
    );
  });

  it('have buttons that say to a screen reader whose log they show', async () => {
    await using visit = await signIn(browser, s);
    await visit.open('/releases/shop');
    await expectDistinctButtons(visit.page, 'Log');
    expect(visit.complaints).toEqual([]);
  });

  it('are shown in steps, and a cell does not say that nothing was deployed if this is not known', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/releases/shop');
    const rowOf = (version: string) => page.getByRole('row').filter({ has: page.getByText(version, { exact: true }) });
    await rowOf('v39-rc1').getByText('ran').waitFor();
    await rowOf('v30-rc1').getByText('not read').waitFor();
    expect(await rowOf('v20-rc1').count()).toBe(0);
    await page.keyboard.press('d');
    await page.getByRole('dialog').getByText('for an earlier one').waitFor();
    await page.keyboard.press('Escape');
    await show(page, 'Show earlier candidates').click();
    await rowOf('v20-rc1').waitFor();
    await show(page, 'Show earlier candidates').click();
    await rowOf('v1-rc1').waitFor();
    await page.keyboard.press('d');
    const candidates = page.getByRole('dialog').getByRole('combobox').getByRole('option');
    await expect.poll(async () => await candidates.count()).toBe(40);
    await page.keyboard.press('Escape');
    await show(page, 'Show earlier deployments and builds').click();
    await rowOf('v1-rc1').getByText('ran').waitFor();
    await show(page, 'Show earlier deployments and builds').waitFor({ state: 'detached' });
    expect(await page.getByText('not read').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });
});

describe('teams', () => {
  beforeAll(async () => {
    await r.w.rows(
      `insert into account_team (account_id, org, slug, name, created_at)
       select account_id, 'acme', 'team' || n, 'Team ' || n, now() from repository, generate_series(100, 160) n
       where name = 'shop'`,
    );
    await r.w.rows(
      `insert into account_user (account_id, email)
       select account_id, 'person' || n || '@acme.test' from repository, generate_series(100, 270) n where name = 'shop'`,
    );
    await r.w.rows(
      `insert into account_team_member (account_id, team_id, user_id, created_at)
       select t.account_id, t.id, u.id, now() from account_team t join account_user u on u.account_id = t.account_id
       where t.slug = 'team160' and u.email like 'person%'`,
    );
  });

  it('are read to their end, with all members', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/settings/people');
    const team = page.getByRole('listitem').filter({ hasText: '@acme/team160' });
    await team.getByText('person270@acme.test').waitFor();
    await team.getByRole('button', { name: 'Remove…' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(async () => await dialog.getByRole('combobox').getByRole('option').count()).toBe(171);
    await dialog.getByRole('combobox').selectOption('person270@acme.test');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await team.getByText('person270@acme.test').waitFor({ state: 'detached' });
    await team.getByText('person269@acme.test').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('people', () => {
  const readSentence = async (): Promise<string> => {
    const people = await r.w.rows('select 1 from account_user where not is_service and removed_at is null');
    return `${people.length.toLocaleString('en')} people and 1 service user.`;
  };

  beforeAll(async () => {
    await r.w.rows(
      `insert into account_user (account_id, email, handle)
       select account_id, 'worker' || n || '@acme.test', 'w-' || n from repository, generate_series(1000, 1999) n
       where name = 'shop'`,
    );
  });

  it('have pages, however many they are, and are all counted', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/settings/people');
    const rows = page.getByRole('list', { name: 'People' }).getByRole('listitem');
    await expect.poll(async () => await rows.count()).toBe(50);
    const first = await rows.first().textContent();
    await page.getByText(await readSentence()).waitFor();
    await show(page, 'Next').click();
    await rows.filter({ hasText: first ?? '' }).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(50);
    await show(page, 'First').click();
    await rows.filter({ hasText: first ?? '' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('are found by a part of the email address, the name at the code host or the role', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/settings/people');
    const rows = page.getByRole('list', { name: 'People' }).getByRole('listitem');
    await show(page, 'Next').click();
    await page.keyboard.press('/');
    await page.keyboard.type('worker1987');
    await expect
      .poll(async () => await rows.allTextContents())
      .toEqual([expect.stringContaining('worker1987@acme.test')]);
    await rows.getByRole('button', { name: 'Remove… worker1987@acme.test' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Nobody matches the filter.').waitFor();
    const filter = page.getByRole('searchbox');
    await filter.fill('W-1986');
    await expect
      .poll(async () => await rows.allTextContents())
      .toEqual([expect.stringContaining('worker1986@acme.test')]);
    await filter.fill('admin');
    await expect.poll(async () => await rows.count()).toBe(1);
    await page.getByText(await readSentence()).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it.each([1440, 390])(
    'are at the same place when the user comes back to their page, at a width of %i',
    async (width) => {
      await using visit = await signIn(browser, s, { width });
      const { page } = visit;
      await visit.open('/settings/people?text=worker');
      await show(page, 'Next').click();
      const row = page.getByText('worker1090@acme.test');
      await row.scrollIntoViewIfNeeded();
      const placeOf = async (): Promise<number | undefined> => Math.round((await row.boundingBox())?.y ?? NaN);
      const before = await placeOf();
      await page.keyboard.press('g');
      await page.keyboard.press('q');
      await page.waitForURL('**/queue/main');
      await page.getByText('No pull request is in line.').waitFor();
      await page.goBack();
      await row.waitFor();
      await expect.poll(placeOf).toBe(before);
      await page.reload();
      await row.waitFor();
      await page.goBack();
      await page.getByText('worker1000@acme.test').waitFor();
      expect(visit.complaints).toEqual([]);
    },
  );

  it('are at the same place also if the address was replaced after the user had scrolled', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/settings/people?text=worker');
    const row = page.getByText('worker1040@acme.test');
    await row.scrollIntoViewIfNeeded();
    const placeOf = async (): Promise<number | undefined> => Math.round((await row.boundingBox())?.y ?? NaN);
    const before = await placeOf();
    await page.evaluate(`history.replaceState({ ...history.state, key: 'new', __TSR_key: 'new' }, '')`);
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.waitForURL('**/queue/main');
    await page.getByText('No pull request is in line.').waitFor();
    await page.goBack();
    await row.waitFor();
    await expect.poll(placeOf).toBe(before);
    expect(visit.complaints).toEqual([]);
  });

  it('stay where another hand scrolls them, also if the page has become too short for its former place', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    await visit.open('/settings/people?text=worker');
    // The teams below the people would keep the page long.
    await page.evaluate(
      `document.adoptedStyleSheets = [new CSSStyleSheet()]; document.adoptedStyleSheets[0].replaceSync('main section { display: none }')`,
    );
    await page.getByText('worker1040@acme.test').scrollIntoViewIfNeeded();
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByText('No pull request is in line.').waitFor();
    await r.w.rows("update account_user set removed_at = now() where email >= 'worker1010@acme.test' and email < 'x'");
    await page.goBack();
    await page.getByText('worker1009@acme.test').waitFor();
    const part = page.locator('main [tabindex="0"]').first();
    expect(await part.evaluate((one) => one.scrollHeight)).toBeLessThan(900);
    await page.clock.fastForward(2_000);
    // What a screen reader, the scroll bar of a window or the search of the browser scrolls is no input of the page.
    await page.evaluate(
      `document.adoptedStyleSheets[0].insertRule('main [tabindex="0"]::after { content: ""; display: block; height: 5000px }')`,
    );
    expect(await part.evaluate((one) => one.scrollHeight)).toBeGreaterThan(5_000);
    await part.evaluate((one) => one.scrollTo({ top: 60 }));
    await page.clock.runFor(500);
    expect(await part.evaluate((one) => one.scrollTop)).toBe(60);
    await r.w.rows("update account_user set removed_at = null where email >= 'worker1010@acme.test' and email < 'x'");
    expect(visit.complaints).toEqual([]);
  });

  it('are filtered by a text in the address that looks like another value', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/settings/people?text=1985');
    await page.getByText('worker1985@acme.test').waitFor();
    for (const text of ['1e5', '007', 'true', 'null']) {
      await visit.open(`/settings/people?text=${text}`);
      expect(await page.getByRole('searchbox').inputValue()).toBe(text);
      await visit.open(`/acme/shop/pulls?text=${text}`);
      expect(await page.getByRole('searchbox').inputValue()).toBe(text);
    }
    expect(visit.complaints).toEqual([]);
  });

  it('are not hidden by the bars of a narrow screen, neither on another page nor by Tab', async () => {
    await using visit = await signIn(browser, s, { width: 360 });
    const { page } = visit;
    await visit.open('/settings/people?text=a-part-of-no-name');
    await page.getByRole('searchbox').fill('worker');
    const bar = page.locator('main h1').locator('..');
    // As on a page that has more buttons.
    await bar.evaluate((one) => (one.style.minHeight = '150px'));
    await show(page, 'Next').press('Enter');
    const rows = page.getByRole('list', { name: 'People' }).getByRole('listitem');
    await rows.filter({ hasText: 'worker1050@acme.test' }).waitFor();
    const [barBottom, tabsTop] = await Promise.all([
      bar.evaluate((one) => one.getBoundingClientRect().bottom),
      page.getByRole('navigation', { name: 'Most used pages' }).evaluate((one) => one.getBoundingClientRect().top),
    ]);
    expect(await rows.first().evaluate((one) => one.getBoundingClientRect().top)).toBeGreaterThanOrEqual(barBottom);
    const placeOfFocus = async () =>
      await page.locator(':focus').evaluate((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return { top, bottom };
      });
    for (let tab = 0; tab < 20; tab += 1) {
      await page.keyboard.press('Tab');
      expect((await placeOfFocus()).bottom).toBeLessThanOrEqual(tabsTop);
    }
    for (let tab = 0; tab < 19; tab += 1) {
      await page.keyboard.press('Shift+Tab');
      expect((await placeOfFocus()).top).toBeGreaterThanOrEqual(barBottom);
    }
    expect(visit.complaints).toEqual([]);
  });
});

describe('previews', () => {
  beforeAll(async () => {
    await r.w.rows(
      `insert into preview_registration (account_id, repository_id, name, commit, url, branch, expires_at, created_by, created_at)
       select account_id, id, 'preview-' || n, md5(n::text) || '00000000', 'https://preview.test/' || n, 'b' || n,
         now() + interval '1 day', 'ci', now()
       from repository, generate_series(100, 164) n where name = 'shop' order by n`,
    );
  });

  it('have pages', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/previews');
    await page.getByText('The 30 previews on this page can be looked at now.').waitFor();
    await show(page, 'Older').click();
    await page.getByRole('link', { name: 'preview-134' }).waitFor();
    await show(page, 'Older').click();
    await page.getByRole('link', { name: 'preview-100' }).waitFor();
    await page.getByText('The 5 previews on this page can be looked at now.').waitFor();
    await show(page, 'Newest').click();
    await page.getByRole('link', { name: 'preview-164' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it.each([390, 1440])(
    'begin at the first row of another page, and so does the next Tab, at a width of %i',
    async (width) => {
      await using visit = await signIn(browser, s, { width });
      const { page } = visit;
      await visit.open('/acme/shop/previews');
      await show(page, 'Older').press('Enter');
      const first = page.getByRole('link', { name: 'preview-134' });
      await first.waitFor();
      expect(await page.evaluate('document.activeElement.scrollTop')).toBe(0);
      const [bar, list] = await page
        .locator('main h1')
        .locator('..')
        .or(page.locator('main [tabindex="0"]:focus'))
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
      expect(list?.top).toBeGreaterThanOrEqual(bar?.bottom ?? Infinity);
      await page.keyboard.press('Tab');
      expect(await first.evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true);
      expect(visit.complaints).toEqual([]);
    },
  );
});

describe('webhooks', () => {
  beforeAll(async () => {
    await r.w.rows(
      `insert into webhook_endpoint (account_id, url, actions, enabled, from_position, created_at, updated_at, disabled_at, disabled_because)
       select account_id, 'https://hooks.test/' || n, '{*}', false, 1000000, now(), now(), now(), 'asked'
       from repository, generate_series(100, 124) n where name = 'shop' order by n`,
    );
    await r.w.rows(
      `insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, body, state, attempts, created_at, ended_at)
       select account_id, id, 'm' || n, 'ping.' || n, '', '{}', 'succeeded', 1, now(), now()
       from webhook_endpoint, generate_series(100, 139) n where url = 'https://hooks.test/124' order by n`,
    );
  });

  it('have pages, and so have their deliveries', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/settings/webhooks');
    await page.getByText('No address on this page gets webhooks.').waitFor();
    const card = page.getByRole('region', { name: 'https://hooks.test/124' });
    await card.getByText('ping.134').waitFor();
    await show(page, 'Older').first().click();
    await card.getByText('ping.133').waitFor();
    await card.getByText('ping.109').waitFor();
    expect(await card.getByText('ping.139').count()).toBe(0);
    await card.getByRole('button', { name: 'Older' }).click();
    await card.getByText('ping.100').waitFor();
    await card.getByRole('button', { name: 'Newest' }).click();
    await card.getByText('ping.139').waitFor();
    await show(page, 'Older').last().click();
    await page.getByRole('region', { name: 'https://hooks.test/100' }).waitFor();
    await show(page, 'Newest').click();
    await card.waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('show the page of deliveries that the user left', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/settings/webhooks');
    const card = page.getByRole('region', { name: 'https://hooks.test/124' });
    await card.getByRole('button', { name: 'Older' }).click();
    await card.getByText('ping.133').waitFor();
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();
    await page.goBack();
    await card.getByText('ping.133').waitFor();
    expect(await card.getByText('ping.139').count()).toBe(0);
    await page.goBack();
    await card.getByText('ping.139').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('the changes of a configuration', () => {
  beforeAll(async () => {
    await r.w.rows(
      `insert into configuration_change (account_id, repository_id, yaml, diff, email, modified_at)
       select account_id, id, configuration_yaml, '+a: ' || n, 'ada' || n || '@acme.test', now()
       from repository, generate_series(100, 124) n where name = 'shop' order by n`,
    );
  });

  it('have pages, and a text in the editor stays', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/configuration');
    const editor = page.getByRole('textbox', { name: 'Configuration as YAML' });
    await editor.pressSequentially('# mine ');
    await page.getByText('by ada115@acme.test').waitFor();
    await show(page, 'Older').click();
    await page.getByText('by ada105@acme.test').waitFor();
    await show(page, 'Older').click();
    await page.getByText('by ada100@acme.test').waitFor();
    expect(await editor.textContent()).toContain('# mine');
    await show(page, 'Newest').click();
    await page.getByText('by ada124@acme.test').last().waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('a pull request', () => {
  beforeAll(async () => {
    const { w } = r;
    await w.open('cart', { 'cart.txt': 'cart\n' }, { title: 'Cart' });
    await w.queue(1);
    await w.rows(
      `insert into batch (account_id, queue_id, repository_id, position, cause, mode, state, parent_commit, base_commit, strategy, batch_commit, build_keys_hash, group_message, ended_reason, created_at, ended_at)
       select q.account_id, q.id, q.repository_id, n, 'new', 'parallel', 'superseded', md5('a') || '00000000', md5('a') || '00000000', 'squash', 'squash', '', '', 'old ' || n, now(), now()
       from queue q, generate_series(1001, 1045) n order by n`,
    );
    await w.rows(
      `insert into batch_member (account_id, batch_id, ordinal, pull_request_id, pinned_head, message, author_name, author_email)
       select b.account_id, b.id, 0, p.id, p.head_sha, '', 'Ada', 'ada@acme.test'
       from batch b join pull_request p on p.account_id = b.account_id and p.number = 1 where b.position > 1000`,
    );
  });

  it('shows the page of its history that the user left', async () => {
    await r.w.rows(
      `insert into event (account_id, repository_id, pull_request_id, action, actor, payload, at)
       select account_id, repository_id, id, 'approval_added', 'ada' || n, '{}', now() - interval '1 day'
       from pull_request, generate_series(1, 120) n where number = 1`,
    );
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pull/1?tab=history');
    await show(page, 'Older').click();
    const isSecond = async (): Promise<boolean> => {
      await page.getByRole('cell', { name: 'ada60' }).waitFor();
      return await show(page, 'Newest').isVisible();
    };
    await expect.poll(isSecond).toBe(true);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();
    await page.goBack();
    await expect.poll(isSecond).toBe(true);
    await page.goBack();
    await page.getByRole('cell', { name: 'ada120', exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('shows its builds in steps, and says so in the tab', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pull/1?tab=builds');
    await page.getByRole('link', { name: 'Builds 20+' }).waitFor();
    await page.getByText('Old 1045', { exact: true }).waitFor();
    await show(page, 'Show earlier builds').click();
    await page.getByRole('link', { name: 'Builds 40+' }).waitFor();
    await show(page, 'Show earlier builds').click();
    await page.getByText('Old 1001', { exact: true }).waitFor();
    expect(await show(page, 'Show earlier builds').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });

  it('shows all steps of its verification', async () => {
    await r.w.rows(
      `with made as (
         insert into verification (account_id, repository_id, pull_request_id, head_commit, attempt, cause, status, created_by, created_at, started_at, ended_at)
         select account_id, repository_id, id, head_sha, 1, 'asked', 'passed', 'ada', now(), now(), now() from pull_request where number = 1
         returning account_id, id)
       insert into verification_step (account_id, verification_id, ordinal, scenario, step, conclusion, duration_ms, at)
       select account_id, id, n, 'scenario', 'step ' || n, 'passed', 5, now() from made, generate_series(1, 130) n`,
    );
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pull/1?tab=preview');
    await page.getByText('scenario step 130').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('pull requests that are not in line', () => {
  beforeAll(async () => {
    await r.w.rows(
      `insert into pull_request (account_id, repository_id, number, title, author, author_name, author_email, head_branch, base_branch, head_sha, url, status, created_at)
       select account_id, id, 100 + n, 'Blocked ' || n, 'ada', 'Ada', 'ada@example.test', 'many' || n, 'main', md5(n::text), '', 'blocked', now()
       from repository, generate_series(1, 14) n where name = 'shop'`,
    );
  });

  it('are filtered by the text as it is typed, also in its middle', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pulls');
    const filter = page.getByRole('searchbox', { name: 'Filter by number, title, author or branch' });
    const sought = (): string | null => new URL(page.url()).searchParams.get('text');
    await filter.pressSequentially('abcd');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('xy');
    expect(await filter.inputValue()).toBe('abxycd');
    await expect.poll(sought).toBe('abxycd');
    await filter.fill('Blocked 14');
    await page.getByRole('link', { name: 'Blocked 14' }).waitFor();
    await page.getByRole('link', { name: 'Blocked 13' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await page.waitForURL('**show=all**');
    expect(await filter.inputValue()).toBe('Blocked 14');
    expect(sought()).toBe('Blocked 14');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pull requests' }).click();
    await expect.poll(async () => await filter.inputValue()).toBe('');
    await page.goBack();
    await expect.poll(async () => await filter.inputValue()).toBe('Blocked 14');
    expect(visit.complaints).toEqual([]);
  });

  it('are ten beside the line, which leads to all', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.getByRole('link', { name: 'Show all that are not in line' }).click();
    await page.getByText('14 pull requests').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('the buttons of a list', () => {
  beforeAll(async () => {
    for (const name of ['first', 'second'])
      await s.send('mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { apiToken { id } } }', {
        input: { name, scopes: ['QUEUE_READ'] },
      });
    for (const baseBranch of ['main', 'main', 'other'])
      await s.send('mutation ($input: CreateEmbedLinkInput!) { createEmbedLink(input: $input) { url } }', {
        input: { repository: { owner: 'acme', name: 'shop' }, baseBranch },
      });
    // An account has twenty webhooks at most.
    await r.w.rows('delete from webhook_delivery');
    await r.w.rows('delete from webhook_endpoint');
    for (const url of ['https://one.example.test/', 'https://two.example.test/'])
      await s.send(
        'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { webhookEndpoint { id } } }',
        { input: { url, actions: ['*'] } },
      );
  });

  it.each(['/settings/tokens', '/settings/people', '/settings/webhooks', '/acme/shop/screens'])(
    'on %s say to a screen reader what they act on',
    async (where) => {
      await using visit = await signIn(browser, s);
      await visit.open(where);
      await expectDistinctButtons(visit.page);
      expect(visit.complaints).toEqual([]);
    },
  );
});
