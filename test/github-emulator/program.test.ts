import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeFlags } from '../../src/platform/node-flags.ts';
import type { EmulatorAccess } from '../../github-emulator/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'program-'));
const program = new URL('../../github-emulator/main.ts', import.meta.url).pathname;
let child: ChildProcessByStdio<null, Readable, null>;
let access: EmulatorAccess;

async function start(): Promise<EmulatorAccess> {
  const args = [...nodeFlags(), program, '--port', '0', '--data', folder];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return JSON.parse(line.toString('utf8')) as EmulatorAccess;
}

async function end(): Promise<number | null> {
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

beforeAll(async () => void (access = await start()));
afterAll(async () => {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it('an OAuth client that strictly follows the standard can sign a person in', async () => {
  const server = {
    issuer: access.webUrl,
    authorization_endpoint: `${access.webUrl}/login/oauth/authorize`,
    token_endpoint: `${access.webUrl}/login/oauth/access_token`,
  };
  const client = { client_id: access.clientId };
  const redirectUri = 'http://127.0.0.1:4000/signed-in';
  const verifier = oauth.generateRandomCodeVerifier();
  const fields = {
    ...client,
    as: access.login,
    redirect_uri: redirectUri,
    state: 'state',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  const body = new URLSearchParams(fields);
  const agreed = await fetch(server.authorization_endpoint, { method: 'POST', body, redirect: 'manual' });
  const back = new URL(agreed.headers.get('location') ?? '');
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(access.clientSecret),
    oauth.validateAuthResponse(server, client, back, 'state'),
    redirectUri,
    verifier,
    { [oauth.allowInsecureRequests]: true, headers: new Headers({ accept: 'application/json' }) },
  );
  const token = await oauth.processAuthorizationCodeResponse(server, client, response);
  const user = await fetch(`${access.apiUrl}/user`, { headers: { authorization: `Bearer ${token.access_token}` } });
  expect(await user.json()).toMatchObject({ login: access.login });
});

it('the program ends on SIGTERM, and starts again with the same App, token and rows', async () => {
  const made = await fetch(`${access.apiUrl}/orgs/${access.owner}/repos`, {
    method: 'POST',
    headers: { authorization: `token ${access.token}` },
    body: JSON.stringify({ name: 'kept', auto_init: true }),
  });
  expect(made.status).toBe(201);
  expect(await end()).toBe(0);
  const again = await start();
  const { appId, clientSecret, keyFile, webhookSecret, installationId, owner, token } = access;
  expect(again).toMatchObject({ appId, clientSecret, keyFile, webhookSecret, installationId, owner, token });
  const headers = { authorization: `token ${again.token}` };
  const branch = await fetch(`${again.apiUrl}/repos/${owner}/kept/branches/main`, { headers });
  expect(await branch.json()).toMatchObject({ name: 'main', commit: { commit: { message: 'Initial commit' } } });
});

it('after a kill that lost the newest rows, a start updates pull requests to the branches of git', async () => {
  const headers = { authorization: `token ${access.token}`, 'content-type': 'application/json' };
  const api = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const url = `${access.apiUrl}/repos/${access.owner}/kept${path}`;
    return (await (await fetch(url, { method, headers, ...given })).json()) as Record<string, unknown>;
  };
  access = { ...access, apiUrl: (await restart()).apiUrl };
  const write = async (content: string, sha?: string) =>
    await api('PUT', '/contents/a.txt', {
      message: content,
      branch: 'topic',
      content: Buffer.from(content).toString('base64'),
      ...(sha === undefined ? {} : { sha }),
    });
  const main = (await api('GET', '/git/ref/heads/main')) as { object: { sha: string } };
  await api('POST', '/git/refs', { ref: 'refs/heads/topic', sha: main.object.sha });
  await write('one');
  const pull = (await api('POST', '/pulls', { title: 't', head: 'topic', base: 'main' })) as {
    number: number;
    head: { sha: string };
  };
  await end();
  // The branch moves, but no row is written, as if a kill had lost the newest rows.
  const [directory = ''] = readdirSync(join(folder, 'repositories'));
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: join(folder, 'repositories', directory), encoding: 'utf8' }).trim();
  git('update-ref', 'refs/heads/main', pull.head.sha);
  access = { ...access, apiUrl: (await start()).apiUrl };
  expect(await api('GET', `/pulls/${pull.number}`)).toMatchObject({ merged: true, merge_commit_sha: pull.head.sha });
});

async function restart(): Promise<EmulatorAccess> {
  await end();
  return await start();
}
