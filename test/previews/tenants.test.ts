// The address of a preview is the only key to it. Neither a session nor a token opens more or less, and no account
// learns the address of another account's preview.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../accounts/browser.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { seed, sha } from '../graphql/seed.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { addVerification } from './verification-rows.ts';

const slug = randomBytes(12).toString('hex');
let s: TestServer;
let verification: string;
let other: { readonly token: string };
/** The headers by which each visitor says who it is. */
let visitors: readonly (readonly [who: string, headers: Readonly<Record<string, string>>])[];

beforeAll(async () => {
  s = await startServer();
  await seed(s);
  other = await s.otherAccount();
  const id = await addVerification(s, { head: sha(1), status: 'driving' });
  verification = encodeNodeId('Verification', id);
  await s.rows(
    `insert into preview_sandbox (account_id, verification_id, name, kind, state, slug, port, expires_at, created_at)
     values ($1, $2, 'x', 'process', 'booting', $3, 80, now() + interval '1 hour', now())`,
    [s.accountId, id, slug],
  );
  const cookieOf = async (token: string): Promise<string> => {
    const browser = openBrowser(s);
    await browser.submit('/session', { token });
    expect(browser.cookie).toMatch(/^interlock=/);
    return browser.cookie;
  };
  visitors = [
    ['nobody', {}],
    ['the owner by a session', { cookie: await cookieOf(s.token) }],
    ['another account by a session', { cookie: await cookieOf(other.token) }],
    ['the owner by a token', { authorization: `Bearer ${s.token}` }],
    ['another account by a token', { authorization: `Bearer ${other.token}` }],
    ['a wrong token', { authorization: 'Bearer il_live_wrong' }],
  ];
});
afterAll(async () => await s.close());

/** The whole answer without its instant. */
async function visit(label: string, headers: Readonly<Record<string, string>>, path = '/'): Promise<unknown> {
  const { hostname, port } = new URL(s.url);
  return await new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers: { host: `${label}.preview.localhost:4000`, ...headers } });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const { date: _, ...named } = response.headers;
      text(response).then((body) => resolve({ status: response.statusCode, named, body }), reject);
    });
    sent.end();
  });
}

const changedSlugs: readonly (readonly [what: string, change: (slug: string) => string])[] = [
  ['another last character', (known) => known.slice(0, -1) + (known.endsWith('0') ? '1' : '0')],
  ['another first character', (known) => (known.startsWith('0') ? '1' : '0') + known.slice(1)],
  ['its first half', (known) => known.slice(0, 12)],
  ['one character more', (known) => `${known}0`],
  ['a label before it', (known) => `x.${known}`],
  ['a percent sign', (known) => `${known.slice(0, -1)}%`],
  ['an underscore for one character', (known) => `${known.slice(0, -1)}_`],
  ['the id of the verification', () => '1'],
  ['the name of the sandbox', () => 'x'],
];

describe('an address that is not exactly that of a preview', () => {
  it.each(changedSlugs)('with %s is unknown to everybody, as an invented one is', async (_what, change) => {
    // A host that is no label of a preview is answered by the service itself, with an id of the request.
    const withoutId = (answer: unknown): string =>
      JSON.stringify(answer).replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
    const isLabel = /^[a-z0-9]+$/.test(change(slug));
    for (const [who, headers] of visitors) {
      const answer = await visit(change(slug), headers);
      expect([who, answer]).toEqual([who, expect.objectContaining({ status: 404 })]);
      const unknown = isLabel ? 'f'.repeat(24) : `x.${'f'.repeat(24)}`;
      expect([who, withoutId(answer)]).toEqual([who, withoutId(await visit(unknown, headers))]);
    }
  });
});

describe('the address of a preview', () => {
  it('is answered alike for everybody who knows it', async () => {
    const [first, ...others] = await Promise.all(visitors.map(async ([, headers]) => await visit(slug, headers)));
    expect(first).toMatchObject({ status: 503, body: expect.stringContaining('This preview is starting') });
    for (const answer of others) expect(answer).toEqual(first);
  });

  it('does not make the session or the token of a visitor count for paths of the service', async () => {
    const [, headers] = visitors[1] ?? [];
    for (const path of ['/graphql', '/api/v1/repo', '/session', '/healthz'])
      expect(await visit(slug, headers ?? {}, path)).toMatchObject({ status: 503 });
  });

  it('is shown to its account and to no other', async () => {
    await s.rows("update preview_sandbox set state = 'ready', ready_at = now()");
    const query = 'query ($id: ID!) { node(id: $id) { ... on Verification { preview { url } } } }';
    const shown = await s.graphql(query, { id: verification });
    expect(shown.data).toEqual({ node: { preview: { url: `http://${slug}.preview.localhost:4000` } } });
    const hidden = await s.graphql(query, { id: verification }, other.token);
    expect(hidden.text).toBe(
      (await s.graphql(query, { id: encodeNodeId('Verification', '999999999') }, other.token)).text,
    );
    expect(hidden.text).not.toContain(slug);
  });
});
