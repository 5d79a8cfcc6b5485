// Sends a secret of each kind through each way into the service and out of it, with the most detailed level of the log.
// No line of the log contains a secret.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGit } from '../../src/hosts/git/index.ts';
import { createOctokit } from '../../src/hosts/github/octokit.ts';
import { createHttpOut } from '../../src/platform/http-out/index.ts';
import { createLog, redactor, secretsOf } from '../../src/platform/logging.ts';
import { StartError } from '../../src/launcher/start-error.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { spawn } from '../../src/platform/spawning/index.ts';
import { printFailure } from '../../src/run-tool.ts';
import { startServer, type TestServer } from '../support/server.ts';

const body = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hI5kL7nO9qR1tU3wX5zA7cD9fG1iJ3lM5oP7rS9uV1x';
/** A secret of each kind. All secrets contain `body`, which must not be in the log. */
const secrets = {
  'token of Interlock': `il_user_${body}aB`,
  'token of GitHub': `ghp_${body.slice(0, 36)}`,
  'webhook secret': `whsec_${body}`,
  'private key': `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`,
  'address with a password': `https://ada:${body}@example.test/hook`,
  cookie: `interlock=${body}`,
  'secret of the environment': `opaque ${body}`,
} as const;
const canary = body.slice(0, 24);
const kinds = Object.entries(secrets);

const lines: string[] = [];
const log = createLog({
  level: 'trace',
  secrets: secretsOf({ DEPLOY_SECRET: secrets['secret of the environment'], HOME: '/home/ada' }),
  destination: { write: (line: string) => void lines.push(line) },
});
let s: TestServer;
beforeAll(async () => {
  s = await startServer({ log });
  const owner = new pg.Client({ connectionString: s.databaseUrl });
  await owner.connect();
  await owner.query(`alter table api_token add constraint refused check (position('${canary}' in name) = 0)`);
  await owner.end();
});
afterAll(async () => await s.close());
beforeEach(() => void lines.splice(0));

function expectNoSecret(): void {
  expect(lines.filter((line) => line.includes(canary))).toEqual([]);
}

const oneLine = (secret: string): string => encodeURI(secret).slice(0, 300);

describe.each(kinds)('the %s', (_kind, secret) => {
  it('in a header is not logged', async () => {
    const headers = { authorization: `Bearer ${oneLine(secret)}`, 'idempotency-key': oneLine(secret).slice(0, 200) };
    for (const path of ['/api/v1/repo', '/graphql', '/git/acme/shop.git/info/refs?service=git-upload-pack', '/x'])
      await fetch(`${s.url}${path}`, { headers: { ...headers, cookie: `interlock=${oneLine(secret)}` } });
    await fetch(`${s.url}/session/${encodeURIComponent(secret)}`);
    expectNoSecret();
  });

  it('in a body is not logged, whether the body is read, refused or not JSON', async () => {
    await s.rest('POST', '/api/v1/repo', { body: { org: secret, name: secret, paused: true } });
    await s.rest('POST', '/api/v1/repo', {
      body: `{"org": ${secret}`,
      headers: { 'content-type': 'application/json' },
    });
    await s.graphql(`{ nothing(of: ${JSON.stringify(secret)}) `);
    await s.graphql('query ($number: Int!) { runbook(number: $number) { id } }', { number: secret });
    await s.graphql(
      'mutation ($url: URI!) { createWebhookEndpoint(input: {url: $url, actions: []}) { webhookEndpoint { id } } }',
      { url: secret },
    );
    expectNoSecret();
  });

  it('in a failure of the service is not logged', async () => {
    // PostgreSQL quotes the row that it refuses.
    await s.graphql(
      'mutation ($name: String!) { createApiToken(input: {name: $name, kind: USER, scopes: [QUEUE_READ]}) { token } }',
      { name: secret.slice(0, 90) },
    );
    expect(lines.join('')).toContain('a GraphQL request failed');
    log.error({ err: new Error(`It failed with ${secret}.`, { cause: new Error(secret) }) }, 'a request failed');
    log.error({ err: new Error(`It failed. The answer was:\n${secret}\tand more`) }, 'a request failed');
    log.warn({ error: String(new Error(secret)), request: { headers: { authorization: secret, cookie: secret } } });
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expectNoSecret();
  });

  it('in a call to another service is not logged', async () => {
    const http = createHttpOut({ allowPrivateAddresses: true });
    const url = `http://ada:${encodeURIComponent(secret)}@127.0.0.1:1/`;
    const answer = await http.post({ url, headers: {}, body: Buffer.from(secret), timeoutMs: 30_000 });
    log.error({ url, answer }, 'A webhook was not delivered.');
    http.close();
    const octokit = createOctokit({ apiUrl: 'http://127.0.0.1:1', as: { token: secret }, isSilent: true });
    await octokit.request('GET /user').catch((error: unknown) => log.error({ err: error }, 'GitHub did not answer.'));
    expectNoSecret();
  });

  it('in the output of a program is not logged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'interlock-log-'));
    const git = createGit(join(folder, 'gitconfig'));
    await git
      .run(folder, ['ls-remote', `http://ada:${encodeURIComponent(secret)}@127.0.0.1:1/shop.git`])
      .catch((error: unknown) => log.error({ err: error, error: String(error) }, 'A mirror was not fetched.'));
    const child = spawn('sh', ['-c', 'printf %s "$SAID" >&2'], { env: { PATH: process.env['PATH'], SAID: secret } });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
    await new Promise<void>((resolve) => void child.once('close', () => resolve()));
    expect(stderr).toBe(secret);
    log.error({ stderr }, 'A program failed.');
    await rm(folder, { recursive: true });
    expectNoSecret();
  });
});

describe('a program such as `npm run verify`', () => {
  it.each(kinds)('does not print the %s when it fails', (_kind, secret) => {
    const printed: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
    process.env['DEPLOY_SECRET'] = secrets['secret of the environment'];
    try {
      for (const isJson of [false, true]) {
        printFailure(new StartError(`It failed with ${secret}.`), isJson);
        printFailure(new TypeError('It failed.', { cause: new Error(secret) }), isJson);
      }
    } finally {
      vi.restoreAllMocks();
      delete process.env['DEPLOY_SECRET'];
    }
    expect(printed).toHaveLength(4);
    expect(printed.filter((line) => line.includes(canary))).toEqual([]);
  });

  it('logs with the log that removes secrets, as every process does', async () => {
    const files = await readdir(join(projectRoot, 'src'), { recursive: true });
    const makers: string[] = [];
    for (const file of files.filter((name) => name.endsWith('.ts')))
      if (/\bpino\(/.test(await readFile(join(projectRoot, 'src', file), 'utf8'))) makers.push(file);
    expect(makers).toEqual([join('platform', 'logging.ts')]);
  });
});

it('text that is not secret stays in the log', () => {
  const line = '{"msg":"The token presented is no token of this account. See https://example.test/a@b","count":2}';
  expect(redactor(['short', 'a longer secret'])(line)).toBe(line);
  expect(redactor(['a longer secret'])('{"msg":"a longer secret, and short"}')).toBe('{"msg":"[secret], and short"}');
});
