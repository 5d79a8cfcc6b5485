// The HTML page at the `url` of a runbook: for everybody who may read the runbook. Texts of users cannot add markup.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRepository } from '../rest/contract/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seedRunbook } from './runbook-rows.ts';

let s: TestServer;
let number: number;
const evil = '</title><script>alert(1)</script>"\'&';
beforeAll(async () => {
  s = await startServer();
  await makeRepository(s, { owner: 'acme', name: 'web' });
  const [row] = await s.rows<{ id: string }>('select id::text from repository');
  ({ number } = await seedRunbook(s, {
    repositoryId: row?.id ?? '',
    leaves: [
      ['1.1', 'completed', 7],
      ['1.2', 'failed'],
    ],
    more: { title: evil, problem: 'The host is away.', call_at: '2030-01-02T03:04:05Z' },
  }));
  await s.rows("update runbook_step set summary = $1, error_message = 'No <b>colours</b>.' where status is not null", [
    evil,
  ]);
});
afterAll(async () => await s.close());

async function get(path: string, authorization?: string): Promise<{ response: Response; page: string }> {
  const response = await fetch(`${s.url}${path}`, authorization === undefined ? {} : { headers: { authorization } });
  return { response, page: await response.text() };
}
const basic = (token: string, user = 'anybody'): string =>
  `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;

describe('the page of a runbook', () => {
  it('is at its url, and shows the status, the pull requests and the problem', async () => {
    const { data } = await s.graphql<{ runbook: { url: string } }>(`{ runbook(number: ${number}) { url } }`);
    const { pathname, origin } = new URL(data.runbook.url);
    expect(origin).toBe('http://localhost:4000');
    for (const authorization of [basic(s.token), `Bearer ${s.token}`]) {
      const { response, page } = await get(pathname, authorization);
      expect(response.status).toBe(200);
      expect(page).toContain('1.2 Leaf 1.2: <strong>failed</strong>');
      expect(page).toContain('<a href="https://code.example/acme/web/pull/7">#7</a> open, steps 1.1');
      expect(page).toContain('The host is away. Tried again at 2030-01-02T03:04:05.000Z.');
      expect(page).toContain('Bring the colours up to date.');
    }
  });

  it('shows markup from agents and prompts as text', async () => {
    const { response, page } = await get(`/runbooks/${number}`, basic(s.token));
    expect(page).not.toMatch(/<script|<b>|<\/title>.*<\/title>/s);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
    expect(page).toContain('No &lt;b&gt;colours&lt;/b&gt;.');
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; /);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['without a token', undefined, 401],
    ['with an invalid token', basic('il_live_nobody'), 401],
    ['with a password that is not a token', basic(''), 401],
  ])('is refused %s, and the answer asks for a login', async (_what, authorization, status) => {
    const { response, page } = await get(`/runbooks/${number}`, authorization);
    expect(response.status).toBe(status);
    expect(response.headers.get('www-authenticate')).toContain('Basic realm="Interlock"');
    expect(page).not.toContain('Leaf');
  });

  it('is refused for a token without the scope, and does not exist for other accounts', async () => {
    const narrow = await get(`/runbooks/${number}`, basic(await s.tokenWith(['queue:read'])));
    expect(narrow.response.status).toBe(403);
    expect(narrow.page).toContain('runbook:write');
    const { token } = await s.otherAccount();
    expect((await get(`/runbooks/${number}`, basic(token))).response.status).toBe(404);
    for (const path of ['/runbooks/0', '/runbooks/x', '/runbooks/99999999999', '/runbooks/1e9'])
      expect((await get(path, basic(s.token))).response.status).toBe(404);
  });

  it('says in `retry-after` when a user with too many requests may come again', async () => {
    const limited = await startServer({ rateLimit: { perSecond: 1, burst: 1 } });
    try {
      const ask = async (): Promise<Response> =>
        await fetch(`${limited.url}/runbooks/1`, { headers: { authorization: basic(limited.token) } });
      expect((await ask()).status).toBe(404);
      const refused = await ask();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    } finally {
      await limited.close();
    }
  });
});
