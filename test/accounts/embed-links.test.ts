// Links that show one queue without a session: what their keys allow, what they do not allow, and when they end.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeLine } from '../../src/domain/queue/explain/line-summary.ts';
import { frameAncestorsFrom } from '../../src/parts.ts';
import { badgeOf } from '../../src/server/embed/badge.ts';
import { embedLinkForgetting } from '../../src/modules/repositories/index.ts';
import { decideShown } from '../../src/server/embed/index.ts';
import { seed } from '../graphql/seed.ts';
import { forget } from '../support/forget.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { accountOf } from './account.ts';

let s: TestServer;
let now = Date.now();
const days = (count: number): void => void (now += count * 24 * 3_600_000);
beforeAll(async () => {
  s = await startServer({ clock: () => new Date(now) });
  await seed(s);
});
afterAll(async () => await s.close());

const repository = { owner: 'acme', name: 'shop' };

interface Made {
  readonly embedLink: { readonly id: string; readonly expiresAt: string };
  readonly url: string;
  readonly badgeUrl: string;
}

const selection = 'embedLink { id expiresAt } url badgeUrl';

async function makeLink(input: object = {}, token?: string): Promise<Made> {
  return await accountOf(s).run('createEmbedLink', { repository, baseBranch: 'main', ...input }, selection, token);
}

const revoke = async ({ embedLink: { id } }: Made): Promise<unknown> =>
  await accountOf(s).run('revokeEmbedLink', { id }, 'embedLink { revokedAt }');

async function get(url: string, headers: Readonly<Record<string, string>> = {}, base = s.url): Promise<Response> {
  const { pathname, search } = new URL(url, base);
  return await fetch(base + pathname + search, { headers });
}

const statusOf = async (url: string): Promise<number> => (await get(url)).status;

/** Yields the events of a stream. */
async function* eventsOf(response: Response): AsyncGenerator<Told> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, data] = /^data: (.*)$/m.exec(part) ?? [];
      if (data !== undefined)
        yield { event: /^event: (.*)$/m.exec(part)?.[1] ?? 'message', data: JSON.parse(data) as Shown };
    }
  }
}

interface Told {
  readonly event: string;
  readonly data: Shown;
}

interface Shown {
  readonly summary: { readonly sentence: string };
  readonly queue: { readonly line: { readonly nodes: readonly { pullRequest: { number: number } }[] } };
}

describe('the key of a link', () => {
  it('shows the state of the queue as a picture, and answers 304 until the picture changes', async () => {
    const { badgeUrl } = await makeLink();
    const first = await get(badgeUrl);
    expect([first.status, first.headers.get('content-type'), first.headers.get('cache-control')]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
      'no-cache',
    ]);
    expect(await first.text()).toContain('<title>main: 3 in line, 1 building</title>');
    const tag = first.headers.get('etag') ?? '';
    const again = await get(badgeUrl, { 'if-none-match': `W/${tag}, "other"` });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    await accountOf(s).run('haltQueue', { repository, baseBranch: 'main', reason: 'Disk' }, 'queue { id }');
    await expect.poll(async () => (await get(badgeUrl, { 'if-none-match': tag })).status).toBe(200);
    await accountOf(s).run('resumeQueue', { repository, baseBranch: 'main' }, 'queue { id }');
  });

  it('opens a stream of the queue in every process until the link is revoked', async () => {
    const elsewhere = await s.another();
    try {
      const link = await makeLink();
      const stream = await get(link.url.replace('?', '/changes?'), {}, elsewhere.url);
      expect(stream.headers.get('content-type')).toBe('text/event-stream');
      const events = eventsOf(stream);
      const next = async (): Promise<Shown | undefined> =>
        ((await events.next()) as IteratorResult<Told, undefined>).value?.data;
      const first = await next();
      expect(first?.queue.line.nodes.map(({ pullRequest }) => pullRequest.number)).toEqual([1, 2, 3]);
      await accountOf(s).run('haltQueue', { repository, baseBranch: 'main', reason: 'Leak' }, 'queue { id }');
      const second = await next();
      expect(second?.summary.sentence).toBe('main is halted: Leak. 3 pull requests are in line.');
      await accountOf(s).run('resumeQueue', { repository, baseBranch: 'main' }, 'queue { id }');
      await revoke(link);
      const last = [];
      for await (const { event } of events) last.push(event);
      expect(last.at(-1)).toBe('ended');
      expect(await statusOf(link.badgeUrl)).toBe(404);
      await revoke(link);
    } finally {
      await elsewhere.close();
    }
  });

  it('opens no other queue, no API, and no page of the dashboard', async () => {
    const { url } = await makeLink();
    const key = new URL(url).searchParams.get('key') ?? '';
    for (const path of ['/embed/acme/shop/next', '/embed/acme/other/main', '/embed/acme/shop/main/badge.png'])
      expect([path, await statusOf(`${path}?key=${key}`)]).toEqual([path, 404]);
    expect((await s.graphql('{ viewer { email } }', {}, key)).status).toBe(401);
    const asSession = await fetch(`${s.url}/api/v1/repo`, { headers: { cookie: `interlock=${key}` } });
    expect(asSession.status).toBe(401);
    const [row] = await s.rows<{ row: string }>('select to_jsonb(l)::text as row from embed_link l limit 1');
    expect(row?.row).toContain('"digest"');
    expect(row?.row).not.toContain(key);
  });

  it('is refused if it is wrong, missing or cut off', async () => {
    const { url } = await makeLink();
    for (const wrong of [url.slice(0, -1), url.replace(/\?.*/, ''), `${url}&key=x`]) {
      const refused = await get(wrong);
      expect([wrong, refused.status]).toEqual([wrong, 404]);
      expect(await refused.text()).toContain('This link does not work');
    }
  });

  it('ends after 90 days or at the given time, and is listed until then', async () => {
    const [usual, short] = [
      await makeLink(),
      await makeLink({ expiresAt: new Date(now + 24 * 3_600_000).toISOString() }),
    ];
    days(2);
    expect([await statusOf(usual.badgeUrl), await statusOf(short.badgeUrl)]).toEqual([200, 404]);
    days(89);
    expect(await statusOf(usual.badgeUrl)).toBe(404);
    const { data } = await s.graphql<{ repository: { embedLinks: readonly object[] } }>(
      '{ repository(owner: "acme", name: "shop") { embedLinks { id createdBy baseBranch expiresAt revokedAt } } }',
    );
    expect(data.repository.embedLinks).toContainEqual({
      id: usual.embedLink.id,
      createdBy: 'service@acme.test',
      baseBranch: 'main',
      expiresAt: usual.embedLink.expiresAt,
      revokedAt: null,
    });
  });

  it('is deleted 90 days after it ended', async () => {
    const inDays = (count: number): string => new Date(now + count * 24 * 3_600_000).toISOString();
    // An admin remains when ida is removed.
    await accountOf(s).add('joe', { role: 'admin' });
    const ida = await accountOf(s).add('ida', { role: 'admin', scopes: ['admin'] });
    const [revoked, expiring, lasting, ofToken] = [
      await makeLink({ expiresAt: inDays(700) }),
      await makeLink({ expiresAt: inDays(1) }),
      await makeLink({ expiresAt: inDays(700) }),
      await makeLink({ expiresAt: inDays(700) }, ida.token),
    ];
    await revoke(revoked);
    await accountOf(s).remove(ida.id);
    const shown = async (): Promise<string[]> => {
      const { data } = await s.graphql<{ repository: { embedLinks: readonly { id: string }[] } }>(
        '{ repository(owner: "acme", name: "shop") { embedLinks { id } } }',
      );
      const ids = data.repository.embedLinks.map(({ id }) => id);
      return [revoked, expiring, lasting, ofToken].map(({ embedLink: { id } }) => id).filter((id) => ids.includes(id));
    };
    await forget(s.ports.db, embedLinkForgetting, new Date(now + 89 * 24 * 3_600_000));
    expect(await shown()).toHaveLength(4);
    await forget(s.ports.db, embedLinkForgetting, new Date(now + 90.5 * 24 * 3_600_000));
    expect(await shown()).toEqual([expiring, lasting].map(({ embedLink: { id } }) => id));
    await forget(s.ports.db, embedLinkForgetting, new Date(now + 91.5 * 24 * 3_600_000));
    expect(await shown()).toEqual([lasting.embedLink.id]);
    expect(await statusOf(lasting.badgeUrl)).toBe(200);
  });

  it('is deleted 90 days after the token that made it expired', async () => {
    const link = await makeLink({ expiresAt: new Date(now + 700 * 24 * 3_600_000).toISOString() });
    const [row] = await s.rows<{ id: string }>('select id from embed_link order by id desc limit 1');
    await s.rows(
      `with made as (
         insert into api_token (account_id, user_id, kind, name, lookup, token_hmac, scopes, signs_webhooks, expires_at)
         select account_id, user_id, 'user', 'of a screen', 'of-a-screen', '\\x05', '{admin}', false, '${new Date(now).toISOString()}'
         from embed_link where id = ${row?.id ?? '0'} returning id)
       update embed_link set token_id = made.id from made where embed_link.id = ${row?.id ?? '0'}`,
    );
    const left = async (): Promise<number> =>
      (await s.rows('select from embed_link where id = $1', [row?.id ?? '0'])).length;
    await forget(s.ports.db, embedLinkForgetting, new Date(now + 89 * 24 * 3_600_000));
    expect([await left(), link.url]).toEqual([1, link.url]);
    await forget(s.ports.db, embedLinkForgetting, new Date(now + 91 * 24 * 3_600_000));
    expect(await left()).toBe(0);
  });

  it('is listed while it works, also after a hundred newer links that have ended', async () => {
    const works = await makeLink();
    const shown = async (): Promise<string[]> => {
      const { data } = await s.graphql<{ repository: { embedLinks: readonly { id: string }[] } }>(
        '{ repository(owner: "acme", name: "shop") { embedLinks { id } } }',
      );
      return data.repository.embedLinks.map(({ id }) => id);
    };
    const before = await shown();
    await s.rows(
      `insert into embed_link (account_id, digest, repository_id, base_branch, user_id, token_id, created_at, expires_at, revoked_at)
       select account_id, decode(md5(n::text), 'hex'), repository_id, base_branch, user_id, token_id, created_at, expires_at, created_at
       from embed_link, generate_series(1, 100) n where id = (select max(id) from embed_link)`,
    );
    const after = await shown();
    expect([before[0], after[0], after.length]).toEqual([works.embedLink.id, works.embedLink.id, 100]);
  });

  it('ends with the user and with the token that made it', async () => {
    const ada = await accountOf(s).add('ada', { role: 'admin', scopes: ['admin'] });
    const bea = await accountOf(s).add('bea', { role: 'admin', scopes: ['admin'] });
    const [ofAda, ofBea] = [await makeLink({}, ada.token), await makeLink({}, bea.token)];
    expect([await statusOf(ofAda.badgeUrl), await statusOf(ofBea.badgeUrl)]).toEqual([200, 200]);
    await accountOf(s).remove(ada.id);
    const [token] = await s.rows<{ id: string }>(
      'select id from api_token where user_id = (select id from account_user where email = $1)',
      [bea.email],
    );
    await accountOf(s).run(
      'revokeApiToken',
      { id: Buffer.from(`ApiToken:${token?.id ?? ''}`).toString('base64url') },
      'apiToken { id }',
    );
    await expect.poll(async () => [await statusOf(ofAda.badgeUrl), await statusOf(ofBea.badgeUrl)]).toEqual([404, 404]);
  });

  it('does not work again when the user who made it in a session is removed and added again', async () => {
    // An admin remains when eve is removed.
    await accountOf(s).add('fay', { role: 'admin' });
    const eve = await accountOf(s).add('eve', { role: 'admin', scopes: ['admin'] });
    const link = await makeLink({}, eve.token);
    // After a sign-in at GitHub, there is no token.
    await s.rows(
      'update embed_link set token_id = null where user_id = (select id from account_user where email = $1)',
      [eve.email],
    );
    expect(await statusOf(link.badgeUrl)).toBe(200);
    await accountOf(s).remove(eve.id);
    await expect.poll(async () => await statusOf(link.badgeUrl)).toBe(404);
    await accountOf(s).run('addUser', { email: eve.email, role: 'ADMIN' }, 'user { id }');
    const again = await makeLink();
    expect([await statusOf(again.badgeUrl), await statusOf(link.badgeUrl)]).toEqual([200, 404]);
  });

  it.each([
    ['an empty branch', { baseBranch: '' }, 'input.baseBranch must have 1 to 250 characters'],
    ['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'input.expiresAt must be in the future, and within'],
    [
      'an end that is too far away',
      { expiresAt: '2199-01-01T00:00:00Z' },
      'input.expiresAt must be in the future, and within 730',
    ],
  ])('cannot be made for %s', async (_what, input, why) => {
    await expect(makeLink(input)).rejects.toThrow(why);
  });
});

describe('the address of a link for release/1', () => {
  const link = { owner: 'acme', name: 'shop', baseBranch: 'release/1' };
  it.each([
    ['release/1', 'page'],
    ['release/1/badge.svg', 'badge'],
    ['release/1/changes', 'changes'],
    ['release', null],
    ['release/1/', null],
    ['release/1/badge.svg/badge.svg', null],
  ] as const)('with the end %s shows: %s', (rest, shown) => {
    expect(decideShown(link, { owner: 'acme', name: 'shop', rest })).toBe(shown);
  });
});

describe('the summary of a line', () => {
  it('is escaped in a badge, whatever the name of the branch is', () => {
    const calm = {
      baseBranch: 'main',
      queued: 0,
      building: 0,
      haltedReason: null,
      isPaused: false,
      pauseMessage: null,
      frozen: null,
    };
    const badge = badgeOf('<a&"b">', describeLine(calm));
    expect(badge).toContain('&lt;a&amp;&quot;b&quot;&gt;');
    expect(badge).not.toContain('<a&');
  });
});

describe('EMBED_FRAME_ANCESTORS', () => {
  it.each([
    [undefined, "'none'"],
    ['', "'none'"],
    [' https://wiki.example.com  https://*.example.org:8443 ', 'https://wiki.example.com https://*.example.org:8443'],
    ["'self'", "'self'"],
  ])('%s gives the policy %s', (set, policy) => {
    expect(frameAncestorsFrom({ EMBED_FRAME_ANCESTORS: set })).toBe(policy);
  });

  it.each(['wiki.example.com', 'https://a.example;script-src', 'javascript:', "'none'"])(
    'is refused with the value %s',
    (set) => {
      expect(() => frameAncestorsFrom({ EMBED_FRAME_ANCESTORS: set })).toThrow(
        `EMBED_FRAME_ANCESTORS must be sites with spaces between them, such as https://wiki.example.com https://*.example.org, not ${set}.`,
      );
    },
  );
});
