// Addresses that lead out of a folder, in many spellings. Each is sent as raw bytes, because a client would shorten it.
// Beside each served folder is a file that the process can read, and whose text no answer may contain.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git } from '../hosts/commits.ts';
import { startServer, type TestServer } from '../support/server.ts';

const secret = 'the text of a file that is not served';
let s: TestServer;
/** Has the served folders, and files that are not served. */
let folder: string;
let checkId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-traversal-'));
  for (const served of ['graphiql', 'dashboard']) {
    await mkdir(join(folder, served, 'assets'), { recursive: true });
    await writeFile(join(folder, served, 'index.html'), '<!doctype html><title>Page</title>');
    await writeFile(join(folder, served, 'assets', 'main-1.js'), 'export {};');
    await writeFile(join(folder, served, '.hidden'), secret);
    await writeFile(join(folder, served, 'assets', '.hidden'), secret);
  }
  await writeFile(join(folder, 'secret.txt'), secret);
  await writeFile(join(folder, 'graphiql-secret.txt'), secret);
  await writeFile(join(folder, 'dashboard', 'embed.html'), '<!doctype html><title>Board</title>');
  s = await startServer({ graphiqlDir: join(folder, 'graphiql'), dashboardDir: join(folder, 'dashboard') });
  await s.graphql(
    'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
  );
  checkId = await checkWithLog();
});
afterAll(async () => {
  await s.close();
  await rm(folder, { recursive: true });
});

/** Makes a check with a log, and puts the file that is not served where `..` leads from the folder of the logs. */
async function checkWithLog(): Promise<string> {
  const { dataDir } = s.service.localHost.installation;
  const [made] = await s.rows<{ id: string }>(
    `insert into local_check_run (account_id, repository_id, commit, ref, name, attempt, command, timeout_sec, state, created_at)
     select account_id, id, $1, 'refs/heads/main', 'test', 1, 'true', 60, 'completed', now() from repository returning id::text`,
    ['a'.repeat(40)],
  );
  const logs = join(dataDir, 'logs', s.accountId);
  await mkdir(logs, { recursive: true });
  await writeFile(join(logs, `${made?.id}.log`), 'the log of the check');
  await writeFile(join(logs, 'secret.log'), secret);
  for (const at of [
    join(dataDir, 'secret.txt'),
    join(dataDir, 'logs', 'secret.txt'),
    join(dataDir, 'git', 'secret.txt'),
  ]) {
    await mkdir(join(at, '..'), { recursive: true });
    await writeFile(at, secret);
  }
  return made?.id ?? '';
}

/** Pushes the branches as a user, and returns what the server says. */
async function push(work: string, ...branches: string[]): Promise<string> {
  const remote = new URL(`${s.url}/git/acme/shop.git`);
  remote.username = 'ada';
  remote.password = s.token;
  return await new Promise((resolve) => {
    execFile('git', ['push', remote.href, ...branches], { cwd: work }, (_error, _stdout, said) => resolve(said));
  });
}

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

interface RawRequest {
  readonly method?: string;
  readonly host?: string;
  readonly accept?: string;
  readonly body?: string;
}

/** Sends the target of the request as these bytes, with the token of an admin. */
async function rawGet(target: string | Buffer, request: RawRequest = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(s.url);
  const { method = 'GET', host = 'localhost:4000', accept = '*/*', body = '' } = request;
  const socket = connect({ host: hostname, port: Number(port) });
  const head = [`Host: ${host}`, `Authorization: Bearer ${s.token}`, `Accept: ${accept}`, 'Connection: close'];
  const sized = body === '' ? head : [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`];
  socket.write(Buffer.concat([Buffer.from(`${method} `), Buffer.from(target), Buffer.from(' HTTP/1.1\r\n')]));
  socket.write(`${sized.join('\r\n')}\r\n\r\n${body}`);
  const answer = (await buffer(socket)).toString('latin1');
  const end = answer.indexOf('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0),
    head: answer.slice(0, end),
    body: answer.slice(end + 4),
  };
}

/** Spellings of a step to the folder above, or of the way to a file outside. */
const spellings: readonly (readonly [what: string, way: string | Buffer])[] = [
  ['two dots', '../secret.txt'],
  ['two dots below a folder', 'assets/../../secret.txt'],
  ['many steps', `${'../'.repeat(12)}etc/passwd`],
  ['encoded dots', '%2e%2e/secret.txt'],
  ['one encoded dot', '.%2E/secret.txt'],
  ['an encoded slash', '..%2fsecret.txt'],
  ['encoded dots and slash', '%2E%2E%2Fsecret.txt'],
  ['dots that are encoded twice', '%252e%252e%252fsecret.txt'],
  ['dots that are encoded three times', '%25252e%25252e%25252fsecret.txt'],
  ['a backslash', '..\\secret.txt'],
  ['an encoded backslash', '..%5csecret.txt'],
  ['both slashes', '..\\/secret.txt'],
  ['steps with a semicolon', '..;/secret.txt'],
  ['parameters of a path', ';a=b/../secret.txt'],
  ['four dots', '....//secret.txt'],
  ['dots and a folder in between', '././.././secret.txt'],
  ['two slashes before', '//../secret.txt'],
  ['an overlong slash', '..%c0%afsecret.txt'],
  ['overlong dots', '%c0%ae%c0%ae/secret.txt'],
  ['an overlong dot of three bytes', '%e0%80%ae%e0%80%ae/secret.txt'],
  ['bytes of an overlong slash', Buffer.from([0x2e, 0x2e, 0xc0, 0xaf, 0x73])],
  ['a slash of full width', '..%ef%bc%8fsecret.txt'],
  ['dots of another kind', '%e2%80%a5/secret.txt'],
  ['a NUL at the end', '../secret.txt%00'],
  ['a NUL before a usual ending', '..%2fsecret.txt%00.js'],
  ['a bare NUL', Buffer.from('../secret.txt\0.js')],
  ['an encoded line break', '..%2fsecret.txt%0d%0aX-Injected:%20yes'],
  ['the escape of Microsoft', '%u002e%u002e/secret.txt'],
  ['a wrong escape', '%zz/../secret.txt'],
  ['half an escape', '..%2'],
  ['a drive', 'C:/secret.txt'],
  ['a drive in lower case with a backslash', 'c:%5csecret.txt'],
  ['a share of Windows', '%5c%5clocalhost%5cc$%5csecret.txt'],
  ['a stream of Windows', 'index.html::$DATA/../../secret.txt'],
  ['an absolute path', '/etc/passwd'],
  ['an encoded absolute path', '%2fetc%2fpasswd'],
  ['the memory of the process', '..%2f..%2f..%2f..%2f..%2fproc%2fself%2fenviron'],
  ['a URL of a file', 'file:///etc/passwd'],
  ['the home of a user', '~root/.bashrc'],
  ['a hidden file', '.hidden'],
  ['a hidden file, encoded', '%2ehidden'],
  ['a query that is a path', '%3f/../../secret.txt'],
  ['a fragment that is a path', '%23/../../secret.txt'],
  ['a long way', `${'a/'.repeat(400)}${'../'.repeat(401)}secret.txt`],
];

/** Where a spelling is put. Each has a request that succeeds without the spelling. */
const places: readonly (readonly [what: string, before: string, after: string, control: string])[] = [
  ['the page of GraphQL', '/graphiql/', '', '/graphiql/assets/main-1.js'],
  ['the assets of the dashboard', '/assets/', '', '/assets/main-1.js'],
  [
    'the folder of a repository',
    '/git/',
    '/shop.git/info/refs?service=git-upload-pack',
    '/git/acme/shop.git/info/refs?service=git-upload-pack',
  ],
  ['the file of a repository', '/git/acme/', '', '/git/acme/shop.git/info/refs?service=git-upload-pack'],
  ['the log of a check', '/git/acme/shop.git/checks/', '/log', '/git/acme/shop.git/checks/ID/log'],
  ['the proofs of a repository', '/acme/', '/proofs.json', '/acme/shop/proofs.json'],
  ['the script for proofs', '/proofs/', '', '/proofs/verify.py'],
  ['the schemas', '/schema/', '', '/schema/openapi.yaml'],
  ['a project of REST', '/api/releases/', '/environments/production/deployments', '/api/v1/repo'],
  ['a runbook of REST', '/api/v1/runbook/', '', '/api/v1/repo'],
];

const target = (place: (typeof places)[number], way: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(place[1]), Buffer.from(way), Buffer.from(place[2])]);

function expectNothing({ status, head, body }: RawAnswer, what: string): void {
  expect([what, status >= 400 && status < 500 ? '4xx' : status], body.slice(0, 200)).toEqual([what, '4xx']);
  expect(body).not.toContain(secret);
  expect(body).not.toContain('root:x:0:0');
  expect(head.toLowerCase()).not.toContain('\r\nx-injected');
}

describe('an address that leads out of its folder by', () => {
  it.each(spellings)('%s is refused at every place', async (_what, way) => {
    for (const place of places) expectNothing(await rawGet(target(place, way)), place[0]);
  });

  it.each(spellings)('%s shows no file to a browser', async (_what, way) => {
    for (const place of places.slice(0, 2)) {
      const { body } = await rawGet(target(place, way), { accept: 'text/html' });
      expect(body).not.toContain(secret);
      expect(body).not.toContain('root:x:0:0');
    }
  });

  it.each(spellings)('%s is the name of nothing in REST', async (_what, way) => {
    const name = way.toString();
    const query = new URLSearchParams({ org: name, repo: name }).toString();
    expectNothing(await rawGet(`/api/v1/config?${query}`), 'the query');
    const body = JSON.stringify({ org: 'acme', name: name.replaceAll(/[^\x20-\x7e]/g, '.'), paused: true });
    expectNothing(await rawGet('/api/v1/repo', { method: 'POST', body }), 'the body');
  });

  it.each(spellings)('%s is the address of no preview', async (_what, way) => {
    const { body } = await rawGet(Buffer.concat([Buffer.from('/'), Buffer.from(way)]), {
      host: 'none.preview.localhost',
    });
    expect(body).not.toContain(secret);
    const text = way.toString('latin1').replaceAll(/[\0\r\n]/g, '.');
    expectNothing(await rawGet('/', { host: `${text}.preview.localhost` }), 'the host');
  });
});

describe('a target that is no path', () => {
  it.each([
    ['an absolute URL', `http://localhost:4000/graphiql/../secret.txt`],
    ['an absolute URL with encoded dots', `http://localhost:4000/assets/%2e%2e/secret.txt`],
    ['a URL of a file', 'file:///etc/passwd'],
    ['a URL of a file on this host', 'file://localhost/etc/passwd'],
    ['two slashes', '//etc/passwd'],
    ['no slash', 'etc/passwd'],
    ['only dots', '..'],
    ['dots at the root', '/../../../../etc/passwd'],
    ['encoded dots at the root', '/%2e%2e/%2e%2e/etc/passwd'],
    ['an asterisk', '*'],
    ['a port', ':80/etc/passwd'],
  ])('%s is refused', async (what, way) => {
    expectNothing(await rawGet(way), what);
  });
});

describe('a symlink', () => {
  it('in the folder of a repository names no ref', async () => {
    const [row] = await s.rows<{ id: string }>('select id::text from repository');
    const of = { accountId: s.accountId, id: row?.id ?? '', owner: 'acme', name: 'shop' };
    const directory = s.service.localHost.installation.directoryOf(of);
    await symlink(join(folder, 'secret.txt'), join(directory, 'refs', 'heads', 'linked'));
    const answer = await rawGet('/git/acme/shop.git/info/refs?service=git-upload-pack');
    expect(answer.body).not.toContain(secret);
    const queried = await s.graphql(
      'mutation { openPullRequest(input: {repository: {owner: "acme", name: "shop"}, title: "T", headBranch: "linked", baseBranch: "main"}) { pullRequest { id } } }',
    );
    expect(queried.text).not.toContain(secret);
    expect(queried.errors).toHaveLength(1);
    await rm(join(directory, 'refs', 'heads', 'linked'));
  });
});

describe('a symlink that is pushed', () => {
  it('in the place of a configuration or of the list of checks is not followed', async () => {
    const work = join(folder, 'work');
    await mkdir(join(work, '.service'), { recursive: true });
    for (const name of ['config.yml', 'ci.yml'])
      await symlink(join(folder, 'secret.txt'), join(work, '.service', name));
    expect(readFileSync(join(work, '.service', 'config.yml'), 'utf8')).toBe(secret);
    git(work, 'init', '--quiet', '--initial-branch=main');
    git(work, 'add', '--all');
    git(work, 'commit', '--quiet', '--message', 'Link');
    git(work, 'checkout', '--quiet', '-b', 'topic');
    git(work, 'commit', '--quiet', '--allow-empty', '--message', 'Change');
    expect(git(work, 'ls-files', '--stage')).toMatch(/^120000 /);
    const said = await push(work, 'main', 'topic');
    expect(said).toContain('-> topic');
    await s.graphql(
      'mutation { openPullRequest(input: {repository: {owner: "acme", name: "shop"}, title: "T", headBranch: "topic", baseBranch: "main"}) { pullRequest { id } } }',
    );
    await s.drain();
    const { text } = await s.graphql(
      '{ repository(owner: "acme", name: "shop") { configuration { yaml } configurationRefusal { errors } pullRequest(headBranch: "topic") { headBranch checks { name conclusion summary } } events { nodes { payload } } } }',
    );
    const runs = await s.rows("select * from local_check_run where name <> 'test'");
    const seen = `${said}${text}${JSON.stringify(runs)}`;
    expect(text).toContain('"headBranch":"topic"');
    expect(seen).not.toContain(secret);
  });
});

describe('control', () => {
  it.each(places)('%s answers without a spelling', async (...place) => {
    const { status, body } = await rawGet(place[3].replace('ID', checkId));
    expect([status, body.length > 0]).toEqual([200, true]);
  });

  it('the log of the check is served', async () => {
    expect((await rawGet(`/git/acme/shop.git/checks/${checkId}/log`)).body).toContain('the log of the check');
  });

  it('this process can read the files that are not served, and they lie where the steps lead', () => {
    for (const path of [
      join(folder, 'graphiql', '../secret.txt'),
      join(folder, 'graphiql', 'assets/../../secret.txt'),
      join(folder, 'dashboard', 'assets', '..', '..', 'secret.txt'),
      join(folder, 'graphiql', '.hidden'),
      join(s.service.localHost.installation.dataDir, 'logs', s.accountId, '../secret.txt'),
    ])
      expect(readFileSync(path, 'utf8')).toBe(secret);
    expect(existsSync('/etc/passwd')).toBe(true);
  });
});
