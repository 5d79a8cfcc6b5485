// Runs the commands as users type them, in a checkout, against a service. All tests share one repository.
import { once } from 'node:events';
import { stat, readFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createApi } from '../../cli/client/api.ts';
import { RevokeApiTokenDocument } from '../../cli/generated/operations.ts';
import { findFreePort } from '../../src/launcher/ports.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { startProxy } from './service-proxy.ts';
import { openShop, repository, type Shop } from './shop.ts';
import type { CommandRun } from './terminal.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

interface Explained {
  readonly sentence: string;
  readonly conditions: readonly { readonly sentence: string }[];
}

const json = ({ stdout }: CommandRun): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;

describe('a pull request', () => {
  test('of the current branch is queued, shown in line and explained', async () => {
    const queued = await shop.run('queue', '--json');
    expect(queued).toMatchObject({ code: 0, stderr: '' });
    expect(json(queued)).toMatchObject({ repository: 'acme/shop', number: 1, status: 'queued', impact: null });

    const shown = await shop.run('status');
    expect(shown.stdout).toMatch(
      /^acme\/shop main {2}1 in line, \d in builds\n1 {2}#1 {2}Sell topic {2}\S+ {2}.*\.\n$/,
    );
    expect(json(await shop.run('status', '--json'))).toMatchObject({
      repository: 'acme/shop',
      baseBranch: 'main',
      active: true,
      paused: false,
      halted: null,
      frozen: null,
      depth: { queued: 1 },
      total: 1,
      line: [{ position: 1, number: 1, title: 'Sell topic', status: 'queued', who: 'queue' }],
    });

    const explained = JSON.parse((await shop.run('why', '#1', '--json')).stdout) as Explained;
    const { stdout } = await shop.run('why');
    expect(stdout).toContain(`#1 Sell topic  queued\n${explained.sentence}\n`);
    expect(explained.conditions.length).toBeGreaterThan(0);
    expect(stdout).toContain('The queue acts next.\n');
    for (const { sentence } of explained.conditions) expect(stdout).toContain(` ${sentence}\n`);
  });

  test('leaves the queue only after its impact was shown and confirmed', async () => {
    const refused = await shop.run('dequeue', '1');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/Give --yes to confirm, because there is no terminal on which to ask you\.\n$/);
    const dry = await shop.run('dequeue', '1', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toMatch(/^Nothing was done\. Without --dry-run: #1 of acme\/shop would leave the queue\. ./);
    const declined = await shop.runWith({ isTTY: true, typed: 'n\n' }, 'dequeue', '1');
    expect([declined.code, declined.stderr]).toEqual([
      1,
      expect.stringMatching(/Do it\? \[y\/N\] Nothing was done\.\n$/),
    ]);
    expect(await shop.status(1)).toBe('QUEUED');

    const confirmed = await shop.runWith({ isTTY: true, typed: 'y\n' }, 'dequeue', '1');
    expect([confirmed.code, await shop.status(1)]).toEqual([0, 'OPEN']);
    expect(json(await shop.run('dequeue', '1', '--yes', '--json'))).toMatchObject({ number: 1, status: 'open' });
  });

  test('that leaves the line while the line is read is shown as such', async () => {
    await shop.run('queue', '1', '--yes');
    const pullRequest = { repository, number: 1 };
    const disarm = onFailpoint('line.read', async () => {
      disarm();
      await shop.mutate('dequeuePullRequest', pullRequest);
    });
    expect((await shop.run('status')).stdout).toMatch(
      /\n1 {2}#1 {2}Sell topic {2}\S+ {2}It left the line while the line was read\. It was dequeued by \S+\.\n$/,
    );
    expect(json(await shop.run('status', '--json'))).toMatchObject({ line: [] });
  });

  test('is queued with --wait until it is merged, and each new sentence is printed', async () => {
    const number = await shop.propose('waiting');
    const onStderr = (): void => void shop.s.drain();
    const waited = await shop.runWith({ onStderr }, 'queue', '--wait', '--skip-validation', '--yes', '--json');
    expect(waited).toMatchObject({ code: 0, stderr: expect.stringMatching(new RegExp(`^#${number}: `)) });
    const mergeCommit = await shop.git('ls-remote', 'origin', 'refs/heads/main');
    expect(json(waited)).toMatchObject({ number, status: 'merged', mergeCommit: mergeCommit.slice(0, 40) });
  });
});

describe('a pause or a freeze', () => {
  test('pauses the repository or branches until they are resumed', async () => {
    expect(await shop.run('pause')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^acme\/shop would be paused\. \S.* Give --yes to confirm/),
    });
    expect(json(await shop.run('pause', '--yes', '--json'))).toMatchObject({ where: 'acme/shop', done: true });
    expect(json(await shop.run('status', '--json'))).toMatchObject({ paused: true });
    expect((await shop.run('resume', 'release/1')).stdout).toBe(
      'No pause of branches holds acme/shop release/1 any more, but all of acme/shop is paused. End that by: interlock resume\n',
    );
    expect(json(await shop.run('resume', '--json'))).toMatchObject({ where: 'acme/shop', done: true });
    expect((await shop.run('resume', 'release/1')).stdout).toBe('The pause of acme/shop release/1 has ended.\n');
    await shop.run('pause', 'ma*', '--message', 'Waiting for QA', '--yes');
    expect((await shop.run('status')).stdout).toContain('Paused: Waiting for QA\n');
    await shop.run('resume', 'ma*');
    expect(json(await shop.run('status', '--json'))).toMatchObject({ paused: false });
  });

  test('freezes base branches until they are unfrozen', async () => {
    const dry = await shop.run('freeze', 'main', '--dry-run');
    expect(dry.stdout).toMatch(/^Nothing was done\. Without --dry-run: acme\/shop main would be frozen\. ./);
    const frozen = await shop.run('freeze', 'main', '--reason', 'Holidays', '--until', '2099-01-01T00:00:00Z', '--yes');
    expect(frozen).toMatchObject({ code: 0, stdout: expect.stringContaining('acme/shop main is frozen.') });
    expect(json(await shop.run('status', '--json'))['frozen']).toContain('Holidays');
    expect((await shop.run('unfreeze', 'main')).stdout).toContain('The freeze of acme/shop main has ended.');
    expect((await shop.run('unfreeze', 'main')).stdout).toContain('had no freeze that was made by hand.');
    const past = await shop.run('freeze', 'main', '--until', '2020-01-01T00:00:00Z', '--yes');
    expect(past.code).toBe(2);
    expect(past.stderr).toContain('--until 2020-01-01T00:00:00Z is refused: ends_at must be in the future');
    expect((await shop.run('freeze', 'main', '--until', 'tomorrow')).stderr).toContain(
      '--until must be a time with its zone, such as 2031-01-31T18:00:00Z, not tomorrow.',
    );
  });
});

test('outside of a checkout, status shows all repositories', async () => {
  const { stdout } = await shop.runWith({ cwd: shop.elsewhere }, 'status');
  expect(stdout).toMatch(/^acme\/shop main {2}\d in line {2}\d in builds\n$/);
  expect(json(await shop.runWith({ cwd: shop.elsewhere }, 'status', '--json'))).toMatchObject({
    total: 1,
    repositories: [{ repository: 'acme/shop', defaultBranch: 'main', paused: false, active: true }],
  });
});

test('status says that a repository is inactive', async () => {
  const docs = { owner: 'acme', name: 'docs' };
  await shop.mutate('createRepository', { ...docs, host: 'LOCAL' });
  await shop.mutate('setRepositoryActive', { repository: docs, active: false });
  const { stdout } = await shop.run('status', '--repo', 'acme/docs');
  expect(stdout).toMatch(
    /^acme\/docs main {2}.*\nInactive: nobody can queue pull requests before an admin activates it\.\n$/,
  );
  expect(json(await shop.run('status', '--repo', 'acme/docs', '--json'))).toMatchObject({ active: false });
  await shop.mutate('deleteRepository', { repository: docs });
});

test('login stores a token for its address alone, in a file that only its owner may read, and logout deletes the token', async () => {
  const env = { XDG_CONFIG_HOME: join(shop.elsewhere, 'config') };
  const terminal = { env, cwd: shop.elsewhere };
  const wrong = await shop.runWith({ ...terminal, typed: 'wrong\n' }, 'login', shop.s.url);
  expect([wrong.code, wrong.stderr]).toEqual([
    4,
    expect.stringContaining(`Log in again: interlock login ${shop.s.url}\n`),
  ]);
  const typed = `${shop.s.token}\n`;
  const loggedIn = await shop.runWith({ ...terminal, typed }, 'login', `${shop.s.url}/`, '--json');
  expect(json(loggedIn)).toMatchObject({
    url: shop.s.url,
    account: 'acme',
    scopes: expect.arrayContaining(['queue:read']),
  });
  expect(loggedIn.stdout + loggedIn.stderr).not.toContain(shop.s.token);
  const file = join(env.XDG_CONFIG_HOME, 'interlock', 'logins.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await shop.runWith(terminal, '--repo', 'acme/shop', 'status')).code).toBe(0);
  expect((await shop.runWith(terminal, 'logout')).stdout).toBe(
    `The token of ${shop.s.url} is deleted on this machine. The token stays valid until you revoke it on the page /settings/tokens.\n`,
  );
  expect(await readFile(file, 'utf8')).not.toContain(shop.s.token);
  expect((await shop.s.graphql('{ viewer { email } }')).errors).toEqual([]);
  expect((await shop.runWith(terminal, 'logout')).code).toBe(1);
});

test('commands use the service that runs on the data directory if no other service is known', async () => {
  const data = join(shop.elsewhere, 'data');
  await mkdir(data);
  await writeFile(join(data, 'access.json'), JSON.stringify({ url: shop.s.url, token: shop.s.token }));
  const env = { XDG_CONFIG_HOME: join(data, 'none') };
  expect((await shop.runWith({ env }, 'status', '--data', data)).code).toBe(0);
  expect((await shop.runWith({ env: { ...env, INTERLOCK_DATA: data } }, 'status')).code).toBe(0);
  // The file is missing while the service restarts.
  await rm(join(data, 'access.json'));
  const { code, stderr } = await shop.runWith({ env }, 'status', '--data', data);
  expect([code, stderr]).toEqual([3, expect.stringContaining(`No service is ready on the data directory ${data}.`)]);
});

test('a command that waits also waits for the service on the data directory, while it restarts', async () => {
  const data = join(shop.elsewhere, 'restarting');
  await mkdir(data);
  const env = { XDG_CONFIG_HOME: join(data, 'none') };
  let restarted: Promise<void> | undefined;
  const onStderr = (text: string): void => {
    if (text.includes(`No service is ready on the data directory ${data}. Trying again`))
      restarted ??= writeFile(join(data, 'access.json'), JSON.stringify({ url: shop.s.url, token: shop.s.token }));
  };
  const { code, stderr } = await shop.runWith({ env, onStderr }, 'queue', '999', '--wait', '--data', data);
  await restarted;
  expect([code, stderr]).toEqual([1, expect.stringContaining('#999 of acme/shop')]);
});

test('a link to a pull request also names its repository, which need not be the repository of the checkout', async () => {
  const before = await shop.status(1);
  const refused = await shop.run('queue', 'https://interlock.example.com/acme/other/pull/1');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('#1 of acme/other')]);
  expect(await shop.status(1)).toBe(before);
  const link = `${shop.s.url}/acme/shop/pull/1`;
  const outside = await shop.runWith({ cwd: shop.elsewhere }, 'why', link, '--json');
  expect(json(outside)).toMatchObject({ repository: 'acme/shop', number: 1 });
  expect(await shop.run('--repo', 'acme/other', 'queue', link)).toMatchObject({
    code: 2,
    stderr: `The link names acme/shop, and --repo names acme/other. Leave --repo out, or name the pull request by its number.\n`,
  });
});

test('open shows the page in a browser, and without a terminal prints the address of the page', async () => {
  const page = `${shop.s.url}/acme/shop`;
  expect(await shop.runWith({ isTTY: true }, 'open')).toMatchObject({ code: 0, opened: [page] });
  expect(await shop.run('open', '1')).toMatchObject({ stdout: `${page}/pull/1\n`, opened: [] });
  expect(await shop.runWith({ isTTY: true }, 'open', '1', '--print')).toMatchObject({ opened: [] });
  const { url } = json(await shop.run('open', '--sign-in', '--json'));
  expect(new URL(String(url)).pathname).toMatch(/^\/session\/./);
});

describe('a command fails with an exit code and a message for', () => {
  let nowhere = '';
  beforeAll(async () => {
    nowhere = `http://127.0.0.1:${await findFreePort()}`;
  });

  test.each<[string, number, string, () => Promise<CommandRun>]>([
    ['an unknown command', 2, "unknown command 'que'", async () => await shop.run('que')],
    [
      'an unknown option',
      2,
      "unknown option '--loud' (interlock status --help)\n",
      async () => await shop.run('status', '--loud'),
    ],
    [
      'a missing argument',
      2,
      "missing required argument 'prompt' (interlock runbook start --help)\n",
      async () => await shop.run('runbook', 'start'),
    ],
    ['no command', 2, 'Usage: interlock', async () => await shop.run()],
    ['options without a command', 2, 'Usage: interlock', async () => await shop.run('--repo', 'acme/shop')],
    [
      'a command without the command below it',
      2,
      'Usage: interlock config [options] [command]\n',
      async () => await shop.run('config'),
    ],
    [
      'a command without the command below it, with --json',
      2,
      '"message":"Name a command after interlock config: show, lint, diff, push, simulate"',
      async () => await shop.run('config', '--json'),
    ],
    ['an invalid address', 2, '--url must be an address', async () => await shop.run('status', '--url', 'shop')],
    [
      'an invalid name of a repository',
      2,
      '--repo must be <owner>/<name>',
      async () => await shop.run('status', '--repo', 'a'),
    ],
    [
      'no repository',
      2,
      'Name the repository by --repo',
      async () => await shop.runWith({ cwd: shop.elsewhere }, 'why'),
    ],
    ['an invalid number of a pull request', 2, 'not soon', async () => await shop.run('why', 'soon')],
    [
      'no service',
      2,
      'interlock login <address>',
      async () => await shop.runWith({ env: {}, cwd: shop.elsewhere }, 'why'),
    ],
    [
      'a repository that does not exist',
      1,
      'There is no repository acme/none',
      async () => await shop.run('why', '1', '--repo', 'acme/none'),
    ],
    [
      'a pull request that does not exist',
      1,
      'acme/shop has no pull request #99.',
      async () => await shop.run('why', '99'),
    ],
    [
      'a pull request to queue that does not exist',
      1,
      '#99 of acme/shop. Give the number of a pull request there',
      async () => await shop.run('queue', '99'),
    ],
    ['a request that the service refuses', 1, 'merged', async () => await shop.run('queue', '2')],
    [
      'a service that does not answer',
      3,
      'does not answer (ECONNREFUSED)',
      async () => await shop.run('status', '--url', nowhere),
    ],
    [
      'an address where another program answers',
      3,
      'is not Interlock',
      async () => await shop.run('status', '--url', `${shop.s.url}/other`),
    ],
    [
      'a wrong token',
      4,
      'does not accept the token in INTERLOCK_TOKEN. Set it to another token.\n',
      async () => await shop.runWith({ env: { ...shop.env, INTERLOCK_TOKEN: 'wrong' } }, 'status'),
    ],
    [
      'no token',
      4,
      'There is no token for',
      async () => await shop.runWith({ env: { XDG_CONFIG_HOME: shop.elsewhere, INTERLOCK_URL: nowhere } }, 'status'),
    ],
  ])('%s', async (_, code, message, ran) => {
    const { code: ended, stdout, stderr } = await ran();
    expect([ended, stdout, stderr]).toEqual([code, '', expect.stringContaining(message)]);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  test('a token without the scope', async () => {
    const INTERLOCK_TOKEN = await shop.s.tokenWith(['queue:read']);
    const { code, stderr } = await shop.runWith({ env: { ...shop.env, INTERLOCK_TOKEN } }, 'queue', '1', '--json');
    expect([code, JSON.parse(stderr)]).toMatchObject([4, { error: { code: 'FORBIDDEN', field: null } }]);
  });

  test('a repository of another account', async () => {
    const { token } = await shop.s.otherAccount();
    const { code, stderr } = await shop.runWith({ env: { ...shop.env, INTERLOCK_TOKEN: token } }, 'why', '1');
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no repository acme/shop here.')]);
  });
});

test.each([['verify'], ['doctor']] as const)(
  '%s runs on the data directory, for the repository of the checkout',
  async (name) => {
    const ran = await shop.runWith({ programCode: 1 }, name, '--data', 'here', '--json');
    expect(ran).toMatchObject({ code: 1, started: [{ name, args: ['acme/shop', '--data', 'here', '--json'] }] });
  },
);

test('doctor outside of a checkout examines the installation', async () => {
  const ran = await shop.runWith({ cwd: shop.elsewhere }, 'doctor');
  expect(ran).toMatchObject({ code: 0, started: [{ name: 'doctor', args: [] }] });
});

test('doctor --growth needs no repository', async () => {
  const ran = await shop.runWith({ cwd: shop.elsewhere }, 'doctor', '--growth', '--json');
  expect(ran).toMatchObject({ code: 0, started: [{ name: 'doctor', args: ['--growth', '--json'] }] });
});

test('start passes its options on to the program', async () => {
  const ran = await shop.run('start', '--port', '0', '--help');
  expect(ran).toMatchObject({ code: 0, started: [{ name: 'start', args: ['--port', '0', '--help'] }] });
});

test('status --watch shows the line live, and after a lost connection also the changes made meanwhile', async () => {
  await using proxy = await startProxy(new URL(shop.s.url));
  const stop = new AbortController();
  const said = { stdout: '', stderr: '' };
  const watching = shop.runWith(
    {
      signal: stop.signal,
      onStdout: (text) => (said.stdout += text),
      onStderr: (text) => (said.stderr += text),
    },
    'status',
    '--watch',
    '--url',
    proxy.url,
  );
  await expect.poll(() => said.stdout).toContain('acme/shop main');
  const number = await shop.propose('watched');
  await shop.run('pause', '--yes');
  await expect.poll(() => said.stdout).toContain('Paused.');
  proxy.cut();
  await expect.poll(() => said.stderr).toContain('The connection is lost. Trying again …');
  await shop.run('queue', String(number));
  proxy.restore();
  await expect.poll(() => said.stdout).toContain(`#${number}  Sell watched`);
  expect(said.stderr).toContain('Connected again.');
  stop.abort();
  expect((await watching).code).toBe(130);
  await shop.run('resume');
});

test('status --watch shows a change although reading it fails for some time', async () => {
  await using proxy = await startProxy(new URL(shop.s.url));
  const stop = new AbortController();
  let stdout = '';
  const onStdout = (text: string): void => void (stdout += text);
  const watching = shop.runWith({ signal: stop.signal, onStdout }, 'status', '--watch', '--url', proxy.url);
  await expect.poll(() => stdout).toContain('acme/shop main');
  await shop.run('pause', '--yes');
  await expect.poll(() => stdout).toContain('Paused.');
  proxy.cutRequests();
  const shown = stdout.length;
  await shop.run('resume');
  await expect.poll(() => proxy.refused()).toBeGreaterThan(4);
  expect(stdout.slice(shown)).toBe('');
  proxy.restore();
  await expect.poll(() => stdout.slice(shown)).toContain('acme/shop main');
  expect(stdout.slice(shown)).not.toContain('Paused.');
  stop.abort();
  expect(await watching).toMatchObject({ code: 130, stderr: '' });
});

test('status --watch connects again although its last attempt is never answered, and Ctrl-C ends such an attempt', async () => {
  await using proxy = await startProxy(new URL(shop.s.url));
  const stop = new AbortController();
  const said = { stdout: '', stderr: '' };
  const watching = shop.runWith(
    { signal: stop.signal, onStdout: (text) => (said.stdout += text), onStderr: (text) => (said.stderr += text) },
    'status',
    '--watch',
    '--url',
    proxy.url,
  );
  await expect.poll(() => said.stdout).toContain('acme/shop main');
  await shop.run('pause', '--yes');
  await expect.poll(() => said.stdout).toContain('Paused.');
  proxy.hold();
  proxy.cutOpen();
  await expect.poll(() => proxy.held()).toBe(1);
  const shown = said.stdout.length;
  await shop.run('resume');
  proxy.restore();
  await expect.poll(() => said.stdout.slice(shown)).toContain('acme/shop main');
  expect(said.stderr).toContain('Connected again.');
  proxy.hold();
  proxy.cutOpen();
  await expect.poll(() => proxy.held()).toBe(2);
  stop.abort();
  expect((await watching).code).toBe(130);
});

test('queue --wait waits for a service that is away when the command begins; without --wait it ends', async () => {
  await using proxy = await startProxy(new URL(shop.s.url));
  const number = await shop.propose('awaited');
  await shop.run('pause', '--yes');
  proxy.cut();
  expect(await shop.run('queue', String(number), '--url', proxy.url)).toMatchObject({ code: 3 });
  const before = proxy.refused();
  let said = '';
  const onStderr = (text: string): void => void (said += text);
  const waiting = shop.runWith({ onStderr }, 'queue', String(number), '--wait', '--url', proxy.url);
  await expect.poll(() => proxy.refused()).toBeGreaterThan(before * 2);
  expect(said).toBe('The service does not answer. Trying again …\n');
  proxy.restore();
  await expect.poll(() => said.match(new RegExp(`#${number}: `, 'g'))?.length).toBe(2);
  await shop.run('dequeue', String(number), '--yes');
  expect(await waiting).toMatchObject({ code: 1, stdout: expect.stringContaining(`#${number} is open.`) });
  await shop.run('resume');
});

test('a mutation whose answer was lost is sent again until the first request has its answer', async () => {
  const keys: (string | undefined)[] = [];
  const inProgress = { errors: [{ message: 'in progress', extensions: { code: 'CONFLICT' } }] };
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']?.toString());
    if (keys.length === 1) return void request.socket.destroy();
    const isDone = keys.length === 3;
    response.writeHead(isDone ? 200 : 409, isDone ? {} : { 'retry-after': '0' });
    response.end(JSON.stringify(isDone ? { data: { revokeApiToken: null } } : inProgress));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = createApi({ url, token: 'itk_1', signal: new AbortController().signal });
  const answer = await api.ask(RevokeApiTokenDocument, { input: {} }).finally(() => server.close());
  expect(answer).toEqual({ revokeApiToken: null });
  expect([keys.length, new Set(keys).size, typeof keys[0]]).toEqual([3, 1, 'string']);
});

test.each([502, 503, 504])('a proxy that answers %i in place of the service is asked again', async (status) => {
  let asked = 0;
  let isBack = false;
  const server = createServer((_request, response) => {
    asked += 1;
    if (asked === 3) isBack = true;
    response.writeHead(isBack ? 200 : status, { 'content-type': isBack ? 'application/json' : 'text/html' });
    response.end(isBack ? JSON.stringify({ data: { revokeApiToken: null } }) : '<h1>Bad Gateway</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = createApi({ url, token: 'itk_1', signal: new AbortController().signal });
  expect(await api.ask(RevokeApiTokenDocument, { input: {} })).toEqual({ revokeApiToken: null });
  isBack = false;
  await expect(api.ask(RevokeApiTokenDocument, { input: {} })).rejects.toMatchObject({
    outcome: 'unreachable',
    message: `${url} does not answer (${status}). Start Interlock there, or name another address by --url.`,
  });
});

test('a service that accepts requests and never answers is given up', async () => {
  const server = createServer(() => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const silent = createApi({ url, token: 'itk_1', signal: new AbortController().signal, answerWithinMs: 100 });
  await expect(silent.ask(RevokeApiTokenDocument, { input: {} })).rejects.toMatchObject({
    outcome: 'unreachable',
    message: `${url} does not answer (no answer within 0.1 s). Start Interlock there, or name another address by --url.`,
  });
});

test.each([
  ['a field', 'query { viewer { shoeSize } }', {}],
  ['an argument', 'query { repositories(first: 1, colour: "red") { totalCount } }', {}],
  ['a query', 'query { shoes { size } }', {}],
  ['a type', 'query ($shoe: ShoeInput!) { repositories(shoe: $shoe) { totalCount } }', { shoe: {} }],
  [
    'a field of an input',
    'mutation ($input: RevokeApiTokenInput!) { revokeApiToken(input: $input) { apiToken { id } } }',
    { input: { shoe: 1 } },
  ],
  ['a value', 'mutation { createApiToken(input: { name: "x", scopes: [WORN] }) { token } }', {}],
])(
  'a service that does not know %s of a request is older, and the message says what to do',
  async (_, text, values) => {
    const { url, token } = shop.s;
    const api = createApi({ url, token, signal: new AbortController().signal });
    await expect(api.ask(parse(text), values)).rejects.toMatchObject({
      outcome: 'failed',
      code: 'BAD_INPUT',
      message: expect.stringContaining(
        `${url} is older than this command line and does not know this request. Upgrade Interlock there, or use the command line of its version (`,
      ) as string,
    });
  },
);

test('a wrong value is not taken for an older service', async () => {
  const { url, token } = shop.s;
  const api = createApi({ url, token, signal: new AbortController().signal });
  const text = 'query ($first: Int!) { repositories(first: $first) { totalCount } }';
  for (const first of [-1, 'many', null])
    await expect(api.ask(parse(text), { first })).rejects.toMatchObject({ outcome: 'usage', code: 'BAD_INPUT' });
});

test('an answer that breaks off is asked for again', async () => {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']?.toString());
    const text = JSON.stringify({ data: { revokeApiToken: null } });
    response.writeHead(200, { 'content-length': text.length });
    if (keys.length === 1) response.write(text.slice(0, 9), () => request.socket.destroy());
    else response.end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = createApi({ url, token: 'itk_1', signal: new AbortController().signal });
  expect(await api.ask(RevokeApiTokenDocument, { input: {} })).toEqual({ revokeApiToken: null });
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
});

test('queue ends with 1 if the pull request is blocked at once, so that a script does not go on', async () => {
  await shop.git('branch', 'held', 'topic');
  await shop.git('push', '-q', 'origin', 'held');
  const { data } = await shop.s.graphql<{ openPullRequest: { pullRequest: { number: number } } }>(
    `mutation ($input: OpenPullRequestInput!) { openPullRequest(input: $input) { pullRequest { number } } }`,
    { input: { repository, title: 'Not ready', headBranch: 'held', baseBranch: 'main', draft: true } },
  );
  const { number } = data.openPullRequest.pullRequest;
  const dry = await shop.run('queue', String(number), '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(await shop.status(number)).toBe('OPEN');
  const sentence = expect.stringContaining(`#${number} is blocked. `) as string;
  expect(await shop.run('queue', String(number))).toMatchObject({ code: 1, stdout: sentence });
  const again = await shop.run('queue', String(number), '--json');
  expect([again.code, json(again)]).toMatchObject([1, { number, status: 'blocked' }]);

  const { stdout } = await shop.run('why', String(number));
  const reason = String(json(again)['sentence']);
  expect(dry.stdout).toBe(`Nothing was done. Without --dry-run: #${number} would be blocked. ${reason}\n`);
  // As the reason, and in the list of conditions.
  expect(stdout.split(reason)).toHaveLength(3);
  expect(stdout).toContain(`\n  ✗ ${reason}\n`);
});
