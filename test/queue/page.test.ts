// The pages of pull requests at Interlock, which only users of the account can read, and which only contain text.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareLine, type PreparedLine } from '../rest/contract/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
let line: PreparedLine;
const evil = '</title><script>alert(1)</script>"\'&';
beforeAll(async () => {
  s = await startServer();
  line = await prepareLine(s);
  await s.rows('update pull_request set title = $1 where number = $2', [evil, line.blocked]);
  await s.graphql(
    'mutation ($input: AddPullRequestCommentInput!) { addPullRequestComment(input: $input) { comment { author } } }',
    { input: { repository: { owner: 'acme', name: line.line }, number: line.queued, body: `Look: ${evil}` } },
  );
});
afterAll(async () => await s.close());

const basic = (token: string): string => `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}`;

async function get(url: string, authorization?: string): Promise<{ response: Response; page: string }> {
  const { pathname } = new URL(url);
  const response = await fetch(
    `${s.url}${pathname}`,
    authorization === undefined ? {} : { headers: { authorization } },
  );
  return { response, page: await response.text() };
}

const of = (number: number): string => `http://localhost:4000/acme/${line.line}/pull/${number}`;

describe('the page of a pull request', () => {
  it('is at every URL that the APIs give for a pull request', async () => {
    const one = await s.rest('GET', `/api/v1/bot_pull_request?org=acme&repo=${line.line}&number=${line.bot}`);
    const { github_url: botUrl } = (await one.json()) as { github_url: string };
    const { data } = await s.graphql<{ repository: { pullRequests: { nodes: { url: string }[] } } }>(
      `{ repository(owner: "acme", name: "${line.line}") { pullRequests { nodes { url } } } }`,
    );
    const urls = [botUrl, ...data.repository.pullRequests.nodes.map(({ url }) => url)];
    expect(urls).toHaveLength(7);
    for (const url of urls) {
      expect(new URL(url).origin).toBe('http://localhost:4000');
      expect((await get(url, basic(s.token))).response.status, url).toBe(200);
    }
  });

  it('shows the status of the pull request, the reasons for it, and its checks, comments and commits', async () => {
    const { page } = await get(of(line.queued), `Bearer ${s.token}`);
    expect(page).toContain(`<h1>#${line.queued} Add queued</h1>`);
    expect(page).toMatch(/<strong>(queued|tagged)<\/strong>/);
    expect(page).toContain('to merge <code>queued</code> at');
    const { data } = await s.graphql<{
      repository: { pullRequest: { explain: { conditions: { sentence: string }[] } } };
    }>(
      `{ repository(owner: "acme", name: "${line.line}") { pullRequest(number: ${line.queued}) { explain { conditions { sentence } } } } }`,
    );
    const { conditions } = data.repository.pullRequest.explain;
    expect(conditions.length).toBeGreaterThan(3);
    for (const { sentence } of conditions) expect(page).toContain(sentence.replaceAll("'", '&#39;'));
    expect(page).toMatch(/<h2>Checks<\/h2><ul><li>(<a href="[^"]+">)?test/);
    expect(page).toMatch(/<h2>Comments<\/h2>.*<li>service~\d+, [^<]+<pre>Look: /s);
    expect(page).toMatch(/<h2>Commits<\/h2><ul><li><code>[0-9a-f]{12}<\/code> Add queued \(Ada, /);
  });

  it('shows the commits of a merged pull request too, and the pull requests that a bot pull request validates', async () => {
    const merged = await get(of(line.merged), basic(s.token));
    expect(merged.page).toMatch(/<h2>Commits<\/h2><ul><li><code>[0-9a-f]{12}<\/code> Add merged/);
    expect(merged.page).toContain('The pull request is on its base branch as <code>');
    const bot = await get(of(line.bot), basic(s.token));
    expect(bot.page).toContain(`<h1>#${line.bot} Bot pull request</h1>`);
    expect(bot.page).toContain(`<a href="${of(line.tagged)}">#${line.tagged}</a> Add tagged: <strong>tagged</strong>`);
  });

  it('shows only text, whatever people write, and runs and loads nothing', async () => {
    for (const number of [line.blocked, line.queued]) {
      const { response, page } = await get(of(number), basic(s.token));
      expect(page).not.toMatch(/<script|<\/title>.*<\/title>/s);
      expect(page).toContain('&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
      expect(policy).not.toContain('unsafe');
      expect(page).toContain('color-scheme:light dark');
    }
  });

  it.each([
    ['without a token', () => undefined],
    ['with an invalid token', () => basic('il_live_nobody')],
  ])('asks to sign in if it is opened %s, and says how', async (_what, authorization) => {
    const { response, page } = await get(of(line.queued), authorization());
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Basic realm="Interlock"');
    expect(page).toContain('<a href="/session">Sign in</a>');
    expect(page).toContain('give any user name with an API token as the password');
    expect(page).not.toContain('Add queued');
  });

  it('is refused to a token without the scope, and does not exist for other accounts', async () => {
    const narrow = await get(of(line.queued), basic(await s.tokenWith(['audit:read'])));
    expect(narrow.response.status).toBe(403);
    expect(narrow.page).toContain('queue:read');
    const { token } = await s.otherAccount();
    const numbers = [line.queued, line.bot, line.merged];
    for (const number of numbers) {
      const { response, page } = await get(of(number), basic(token));
      expect([response.status, page.includes('Add ')]).toEqual([404, false]);
    }
    for (const number of ['0', 'x', '99999999999', '1e0', '424242'])
      expect((await get(`${of(0).slice(0, -1)}${number}`, basic(s.token))).response.status).toBe(404);
  });
});
