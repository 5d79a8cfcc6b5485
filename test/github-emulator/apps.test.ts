import { createSign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verify } from '@octokit/webhooks-methods';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

interface Received {
  readonly event: string;
  readonly delivery: string;
  readonly signature: string;
  readonly body: string;
}

let w: EmulatorWorld;
let received: Received[] = [];
let answer = 202;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const header = (name: string): string => String(request.headers[name]);
    received.push({
      event: header('x-github-event'),
      delivery: header('x-github-delivery'),
      signature: header('x-hub-signature-256'),
      body: Buffer.concat(chunks).toString('utf8'),
    });
    response.writeHead(answer).end();
  });
});

const startedAt = Date.now();
let passedMs = 0;
const clock = (): number => startedAt + passedMs;

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  w = await emulatorWorld({ clock, webhookUrl: `http://127.0.0.1:${port}/hooks` });
  await w.emulator.core.settled();
  received = [];
});
afterEach(async () => {
  await w.emulator.controls.clear();
  await w.emulator.core.settled();
  answer = 202;
  passedMs = 0;
  received = [];
  w.expectNoMistakes();
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  server.close();
});

function jwt(claims: Record<string, unknown>, alg = 'RS256'): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
  const key = readFileSync(w.emulator.keyFile, 'utf8');
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}

async function get(path: string, token: string): Promise<{ status: number; message: string }> {
  const response = await fetch(`${w.emulator.apiUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const { message = '' } = (await response.json()) as { message?: string };
  return { status: response.status, message };
}

describe('the JWT of an App', () => {
  const nowSec = Math.floor(startedAt / 1000);
  it.each([
    ['with valid claims is accepted', { iat: nowSec - 60, exp: nowSec + 500 }, 200, ''],
    ['that is valid for too long is refused', { iat: nowSec - 60, exp: nowSec + 700 }, 401, 'too far in the future'],
    ['issued in the future is refused', { iat: nowSec + 60, exp: nowSec + 500 }, 401, "'Issued at' claim"],
    ['that has expired is refused', { iat: nowSec - 600, exp: nowSec - 1 }, 401, 'must be a numeric value'],
    ['of an unknown App is refused', { iat: nowSec - 60, exp: nowSec + 500, iss: '1' }, 404, 'Integration not found'],
  ])('%s', async (_name, claims, status, message) => {
    const token = jwt({ iss: w.emulator.appId, ...claims });
    expect(await get('/app', token)).toEqual({ status, message: expect.stringContaining(message) });
  });

  it('with a wrong signature is refused', async () => {
    const token = jwt({ iss: w.emulator.clientId, iat: nowSec - 60, exp: nowSec + 500 });
    expect((await get('/app', token)).status).toBe(200);
    expect(await get('/app', `${token.slice(0, -9)}AAAAAAAAA`)).toEqual({
      status: 401,
      message: 'A JSON web token could not be decoded',
    });
  });
});

describe('a token of an installation', () => {
  const narrow = async (permissions: Record<string, 'read' | 'write'>, repositories?: string[]) => {
    const installation_id = Number(w.emulator.installationId);
    const given = repositories === undefined ? {} : { repositories };
    return (await w.app.apps.createInstallationAccessToken({ installation_id, permissions, ...given })).data.token;
  };

  it('has more than 500 characters, and allows only what its permissions and repositories allow', async () => {
    await w.person.repos.createInOrg({ org: w.owner, name: 'other', private: true });
    const token = await narrow({ contents: 'read' }, [w.repo]);
    expect(token.length).toBeGreaterThan(500);
    const octokit = w.octokitOf(token);
    expect((await octokit.repos.get(w.place)).data.name).toBe(w.repo);
    await expect(octokit.repos.get({ ...w.place, repo: 'other' })).rejects.toMatchObject({ status: 404 });
    await expect(octokit.pulls.list(w.place)).rejects.toMatchObject({
      status: 403,
      response: {
        data: { message: 'Resource not accessible by integration' },
        headers: { 'x-accepted-github-permissions': 'pull_requests=read' },
      },
    });
    const listed = await octokit.apps.listReposAccessibleToInstallation();
    expect(listed.data.repositories.map(({ name }) => name)).toEqual([w.repo]);
    await expect(narrow({ secrets: 'write' })).rejects.toMatchObject({ status: 422 });
    await expect(narrow({ contents: 'read' }, ['nowhere'])).rejects.toMatchObject({ status: 422 });
  });

  it('ends after an hour, if the installation is suspended, and if a test expires all tokens', async () => {
    const octokit = w.octokitOf(await narrow({ contents: 'read' }));
    await octokit.repos.get(w.place);
    passedMs = 3_600_001;
    await expect(octokit.repos.get(w.place)).rejects.toMatchObject({ status: 401 });
    passedMs = 0;
    w.emulator.controls.suspend(Number(w.emulator.installationId), true);
    await expect(octokit.repos.get(w.place)).rejects.toMatchObject({ status: 403 });
    await expect(narrow({ contents: 'read' })).rejects.toMatchObject({ status: 403 });
    w.emulator.controls.suspend(Number(w.emulator.installationId), false);
    const next = w.octokitOf(await narrow({ contents: 'read' }));
    w.emulator.controls.expireTokens();
    await expect(next.repos.get(w.place)).rejects.toMatchObject({ status: 401 });
    await w.emulator.core.settled();
    expect(received.map(({ event }) => event)).toEqual(['installation', 'installation']);
  });
});

describe('webhooks', () => {
  it('are signed, describe what happened, and are listed as deliveries', async () => {
    const { number } = await w.open('hooked');
    await w.emulator.core.settled();
    expect(received.map(({ event }) => event).sort()).toEqual(['check_suite', 'pull_request', 'push']);
    for (const { body, signature } of received)
      expect(await verify(w.emulator.webhookSecret, body, signature)).toBe(true);
    const opened = received.find(({ event }) => event === 'pull_request');
    expect(JSON.parse(opened?.body ?? '')).toMatchObject({
      action: 'opened',
      number,
      repository: { full_name: `${w.owner}/${w.repo}` },
      installation: { id: Number(w.emulator.installationId) },
    });
    const pushed = received.find(({ event }) => event === 'push');
    expect(JSON.parse(pushed?.body ?? '')).toMatchObject({
      ref: 'refs/heads/hooked',
      created: true,
      head_commit: { message: 'Change hooked.txt', added: ['hooked.txt'], author: { username: 'octocat' } },
      commits: [{ message: 'Initial commit' }, { message: 'Change hooked.txt', modified: [], removed: [] }],
    });
    const { data } = await w.app.apps.listWebhookDeliveries({ per_page: 1 });
    expect(data).toMatchObject([
      { guid: opened?.delivery, event: 'pull_request', status_code: 202, redelivery: false },
    ]);
  });

  it('are sent once, even if the receiver fails, and again if the App asks for a redelivery', async () => {
    answer = 500;
    await w.clone.push('failing', { 'failing.txt': 'x\n' });
    await w.emulator.core.settled();
    const first = (await w.app.apps.listWebhookDeliveries()).data.find(({ event }) => event === 'push');
    expect(first).toMatchObject({ status_code: 500 });
    expect(received.map(({ event }) => event).sort()).toEqual(['check_suite', 'push']);
    answer = 202;
    await w.app.apps.redeliverWebhookDelivery({ delivery_id: first?.id ?? 0 });
    await w.emulator.core.settled();
    const pushes = received.filter(({ event }) => event === 'push');
    expect(pushes).toEqual([pushes[0], pushes[0]]);
    const [again] = (await w.app.apps.listWebhookDeliveries()).data;
    expect(again).toMatchObject({ guid: first?.guid, redelivery: true, status_code: 202 });
  });

  it('are dropped, doubled or reordered if a test says so', async () => {
    w.emulator.controls.webhooks({ drop: 1 });
    await w.clone.push('dropped', { 'dropped.txt': 'x\n' });
    await w.emulator.core.settled();
    expect(received).toEqual([]);
    expect((await w.app.apps.listWebhookDeliveries({ per_page: 1 })).data).toMatchObject([{ status_code: 504 }]);
    w.emulator.controls.webhooks({ double: 1 });
    await w.clone.push('doubled', { 'doubled.txt': 'x\n' });
    await w.emulator.core.settled();
    const pushes = received.filter(({ event }) => event === 'push').map(({ delivery }) => delivery);
    expect(pushes).toEqual([pushes[0], pushes[0]]);
    received = [];
    w.emulator.controls.webhooks({ reorder: 8 });
    const { number } = await w.open('reordered');
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await w.person.issues.addLabels({ ...w.place, issue_number: number, labels: names });
    await w.emulator.core.settled();
    const labels = received
      .map(({ body }) => (JSON.parse(body) as { label?: { name: string } }).label?.name)
      .filter((name) => name !== undefined);
    expect(labels.toSorted()).toEqual(names);
    expect(labels).not.toEqual(names);
  });
});

describe('the pages that create and install an App', () => {
  const post = async (path: string, fields: Record<string, string>) =>
    await fetch(`${w.emulator.webUrl}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
  const locationOf = (response: Response): URL => new URL(response.headers.get('location') ?? '');
  const fieldsOf = (html: string): Record<string, string> => {
    const decode = (text: string): string => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    const found = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
    return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, decode(value)]));
  };
  const manifest = {
    name: 'Second Queue',
    url: 'https://queue.example.com',
    redirect_url: 'https://queue.example.com/created',
    callback_urls: ['https://queue.example.com/signed-in'],
    setup_url: 'https://queue.example.com/installed',
    hook_attributes: { url: 'https://queue.example.com/hooks', active: false },
    default_permissions: { contents: 'write' },
    default_events: ['push'],
  };

  it('create it from a manifest, install it, and sign a person in with PKCE', async () => {
    const path = `/organizations/${w.owner}/settings/apps/new?state=s1`;
    const asked = await post(path, { manifest: JSON.stringify(manifest) });
    const made = await post('/_emulator/apps', { ...fieldsOf(await asked.text()), as: w.emulator.login });
    expect(locationOf(made).searchParams.get('state')).toBe('s1');
    const code = locationOf(made).searchParams.get('code') ?? '';
    const { data: app } = await w.person.apps.createFromManifest({ code });
    expect(app).toMatchObject({ slug: 'second-queue', pem: expect.stringContaining('BEGIN RSA PRIVATE KEY') });
    await expect(w.person.apps.createFromManifest({ code })).rejects.toMatchObject({ status: 404 });

    const form = { as: w.emulator.login, account: w.owner, repositories: w.repo, state: 's2' };
    const installed = locationOf(await post('/apps/second-queue/installations/new', form));
    expect(installed.href).toMatch(
      /^https:\/\/queue\.example\.com\/installed\?installation_id=\d+&setup_action=install/,
    );
    const stranger = w.emulator.addPerson('no-admin', 'member');
    expect((await post('/apps/second-queue/installations/new', { ...form, as: stranger.login })).status).toBe(404);

    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const client = { client_id: app.client_id, redirect_uri: manifest.callback_urls[0] ?? '' };
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256', state: 's3' };
    const page = await fetch(
      `${w.emulator.webUrl}/login/oauth/authorize?${new URLSearchParams({ ...client, ...pkce }).toString()}`,
    );
    const back = await post('/login/oauth/authorize', { ...fieldsOf(await page.text()), as: w.emulator.login });
    expect(locationOf(back).searchParams.get('state')).toBe('s3');
    const exchange = async (fields: Record<string, string>) => {
      const response = await fetch(`${w.emulator.webUrl}/login/oauth/access_token`, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams({ ...client, client_secret: app.client_secret, ...fields }),
      });
      return (await response.json()) as { access_token: string; error?: string };
    };
    const oauthCode = locationOf(back).searchParams.get('code') ?? '';
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const { access_token } = await exchange({ code: oauthCode, code_verifier: verifier });
    const user = w.octokitOf(access_token);
    expect((await user.users.getAuthenticated()).data.login).toBe(w.emulator.login);
    const installations = (await user.apps.listInstallationsForAuthenticatedUser()).data.installations;
    expect(installations.map(({ id }) => String(id))).toEqual([installed.searchParams.get('installation_id')]);
    expect(await exchange({ code: oauthCode, code_verifier: verifier })).toMatchObject({
      error: 'bad_verification_code',
    });
    const second = await post('/login/oauth/authorize', { ...client, ...pkce, as: w.emulator.login });
    const unverified = { code: locationOf(second).searchParams.get('code') ?? '', code_verifier: 'wrong' };
    expect(await exchange(unverified)).toMatchObject({ error: 'bad_verification_code' });
    const elsewhere = { ...client, redirect_uri: 'https://elsewhere.example.com/', as: w.emulator.login };
    expect((await post('/login/oauth/authorize', elsewhere)).status).toBe(400);
  });
});
