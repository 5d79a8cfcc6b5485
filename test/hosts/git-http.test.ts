import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultPushBounds, type PushBounds } from '../../src/domain/runs/push-bounds.ts';
import { registerGitHttp } from '../../src/hosts/local/index.ts';
import { decideBytesNeeded } from '../../src/hosts/local/push-room.ts';
import { RefMoved } from '../../src/hosts/port.ts';
import type { HostRepository } from '../../src/hosts/port.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { isAlive } from '../../src/platform/process.ts';
import { commitWithHook, tip } from './commits.ts';
import { anyChecks, localWorld, type LocalWorld } from './local-world.ts';
import { among } from '../support/tier.ts';

let world: LocalWorld;
let neighbour: HostRepository;
let server: FastifyInstance;
let folder: string;
let origin: string;
let base: string;
const mib = 1024 * 1024;
let bounds: PushBounds;

beforeEach(async () => {
  bounds = { ...defaultPushBounds, maxPushBytes: 20_000_000, freeBytes: 0 };
  world = await localWorld();
  neighbour = await world.neighbour();
  base = world.commit({ branch: 'main', files: { 'a.txt': 'a\n' } });
  folder = mkdtempSync(join(tmpdir(), 'interlock-http-'));
  server = Fastify();
  const users = { writer: world.repository, neighbour, reader: world.repository } as const;
  await registerGitHttp(server, {
    host: world.host,
    authenticateBrowser: async () => await Promise.resolve(null),
    authenticate: async (token, scope) => {
      const found = Object.entries(users).find(([name]) => name === token);
      if (found === undefined) return null;
      if (token === 'reader' && scope === 'queue:write') return 'forbidden';
      return {
        accountId: found[1].accountId,
        userId: '1',
        handle: 'ada',
        email: 'ada@example.org',
        mayConfigure: true,
      };
    },
    resolve: async (accountId, owner, name) =>
      [world.repository, neighbour].find(
        (repository) => repository.accountId === accountId && owner === repository.owner && name === repository.name,
      ) ?? null,
    isManaged: (_repository, branch) => branch === 'release',
    refusePush: async () => null,
    describePush: async () => [],
    spend: () => ({ isAllowed: true, headers: new Map() }),
    get bounds() {
      return bounds;
    },
  });
  origin = await server.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  await server.close();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly ok: boolean;
  readonly text: string;
}
/** Runs the real git client. Returns its message, and whether it succeeded. */
async function client(cwd: string, ...args: string[]): Promise<Answer> {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'a@x',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'a@x',
  };
  return await new Promise((resolve) => {
    execFile('git', args, { cwd, env, maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
      resolve({ ok: error === null, text: `${stdout}${stderr}`.trim() }),
    );
  });
}
const urlFor = (token: string, path = '/git/acme/shop.git'): string =>
  `${origin.replace('//', `//x:${token}@`)}${path}`;
async function clone(token = 'writer', ...options: string[]): Promise<string> {
  const place = join(folder, `clone-${randomBytes(4).toString('hex')}`);
  const cloned = await client(folder, 'clone', '--quiet', ...options, urlFor(token), place);
  if (!cloned.ok) throw new Error(cloned.text);
  return place;
}
async function commitFile(place: string, branch: string, path: string, content: string | Buffer): Promise<string> {
  await client(place, 'checkout', '--quiet', '-B', branch);
  writeFileSync(join(place, path), content);
  await client(place, 'add', '.');
  await client(place, 'commit', '--quiet', '-m', `Change ${path}`);
  return (await client(place, 'rev-parse', 'HEAD')).text;
}
/** The database does not answer when this place is reached for the first time. */
function failOnce(failpoint: string): void {
  const stop = onFailpoint(failpoint, async () => {
    stop();
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  });
}
const pushes = (): string[] => world.events.flatMap((event) => (event.kind === 'push' ? [event.ref] : []));

test('a push whose file of checks cannot be used says so, with each error', async () => {
  const place = await clone();
  mkdirSync(join(place, '.service'));
  const broken = 'checks:\n  unit: {run: "", timeout: soon}\n  lint: {shell: sh}\n';
  await commitFile(place, 'topic', '.service/ci.yml', broken);
  const { ok, text } = await client(place, 'push', '--quiet', 'origin', 'topic');
  expect(ok).toBe(true);
  const said = text.split('\n').map((line) => line.trimEnd());
  expect(said).toEqual([
    'remote: Interlock: .service/ci.yml of topic cannot be used. Where checks run, the check ci fails:',
    'remote:   checks -> unit -> run: must be a shell command',
    'remote:   checks -> lint -> shell: unknown key; known are run and timeout',
  ]);
  await commitFile(place, 'topic', '.service/ci.yml', 'checks: {unit: {run: "true"}}\n');
  expect(await client(place, 'push', '--quiet', 'origin', 'topic')).toEqual({ ok: true, text: '' });
});

test('a name in the file of checks sends no control character to the terminal of the pushing user', async () => {
  const place = await clone();
  mkdirSync(join(place, '.service'));
  await commitFile(place, 'topic', '.service/ci.yml', 'checks:\n  "a\\e[2J\\x9bb\\0c": {run: ""}\n');
  const { text } = await client(place, 'push', '--quiet', 'origin', 'topic');
  expect(text).toContain('checks -> a [2J b c: a name has 1 to 100 printable characters');
  expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
});

test('a push is reported if git cannot read its file of checks, and the user reads that it succeeded', async () => {
  const place = await clone();
  mkdirSync(join(place, '.service'));
  await commitFile(place, 'first', '.service/ci.yml', 'checks: {}\n');
  await client(place, 'push', '--quiet', 'origin', 'first');
  const blob = world.git('rev-parse', 'first:.service/ci.yml');
  const file = join(world.directory, 'objects', blob.slice(0, 2), blob.slice(2));
  // git reads the type and the size of this object, and fails when it reads the content.
  const whole = readFileSync(file);
  rmSync(file);
  writeFileSync(file, whole.subarray(0, -6));
  const head = await commitFile(place, 'second', 'b.txt', 'b\n');
  expect(await client(place, 'push', '--quiet', 'origin', 'second')).toEqual({ ok: true, text: '' });
  expect(tip(world.directory, 'second')).toBe(head);
  expect(pushes()).toContain('refs/heads/second');
});

test('a push to the branch of a pull request is reported if git cannot read its file of checks', async () => {
  const place = await clone();
  mkdirSync(join(place, '.service'));
  await commitFile(place, 'reported', '.service/ci.yml', 'checks: {}\n# A file of its own.\n');
  await client(place, 'push', '--quiet', 'origin', 'reported');
  const { number } = await world.host.openPullRequest(world.repository, {
    title: 't',
    body: '',
    author: 'ada',
    headBranch: 'reported',
    baseBranch: 'main',
    draft: false,
  });
  const blob = world.git('rev-parse', 'reported:.service/ci.yml');
  const file = join(world.directory, 'objects', blob.slice(0, 2), blob.slice(2));
  const whole = readFileSync(file);
  rmSync(file);
  writeFileSync(file, whole.subarray(0, -6));
  const head = await commitFile(place, 'reported', 'b.txt', 'b\n');
  expect(await client(place, 'push', '--quiet', 'origin', 'reported')).toEqual({ ok: true, text: '' });
  expect(tip(world.directory, 'reported')).toBe(head);
  expect(world.events).toContainEqual({ kind: 'pull_request', repository: world.repository, number });
  expect(await world.sql('select head_sha from local_pull_request where number = $1', [number])).toEqual([
    { head_sha: head },
  ]);
});

describe('a client that reads', () => {
  test.each(among(['0', '1', '2'], ['2']))('clones and fetches by version %s of the protocol', async (version) => {
    const place = await clone('reader', '-c', `protocol.version=${version}`);
    expect((await client(place, 'rev-parse', 'origin/main')).text).toBe(base);
    const moved = world.commit({ branch: 'main', files: { 'b.txt': 'b\n' } });
    expect(await client(place, '-c', `protocol.version=${version}`, 'fetch', '--quiet')).toEqual({
      ok: true,
      text: '',
    });
    expect((await client(place, 'rev-parse', 'origin/main')).text).toBe(moved);
  });

  test('clones only the last commit', async () => {
    const moved = world.commit({ branch: 'main', files: { 'b.txt': 'b\n' } });
    const place = await clone('reader', '--depth=1');
    expect((await client(place, 'log', '--format=%H')).text).toBe(moved);
    await client(place, 'fetch', '--quiet', '--unshallow');
    expect((await client(place, 'log', '--format=%H')).text).toBe(`${moved}\n${base}`);
  });

  test('negotiates over many branches, with a body large enough to be compressed', async () => {
    for (let at = 0; at < 60; at++) world.git('branch', `b${at}`, base);
    const place = await clone();
    for (let at = 0; at < 40; at++) await commitFile(place, `own${at}`, 'x.txt', String(at));
    world.commit({ branch: 'b3', files: { 'c.txt': 'c\n' } });
    expect(await client(place, '-c', 'protocol.version=0', 'fetch', '--quiet')).toEqual({ ok: true, text: '' });
  });

  test('clones without contents, and may not filter by patterns, which can take git for ever', async () => {
    for (const filter of ['blob:none', 'blob:limit=1k', 'tree:0']) {
      const place = await clone('reader', `--filter=${filter}`);
      expect((await client(place, 'rev-parse', 'HEAD')).text).toBe(base);
    }
    const patterns = world.git('rev-parse', `${base}:a.txt`);
    for (const filter of [`sparse:oid=${patterns}`, 'tree:3', `combine:blob:none+sparse:oid=${patterns}`])
      await expect(clone('reader', '--no-checkout', `--filter=${filter}`)).rejects.toThrow(
        /filter '[^']+' not supported|tree filter allows max depth 0/,
      );
  });

  test('that disconnects leaves no process of git', async () => {
    const [hook, seen] = [join(folder, 'hook.sh'), join(folder, 'pid')];
    writeFileSync(hook, `#!/bin/sh\necho $$ > ${seen}.new; mv ${seen}.new ${seen}; exec sleep 300\n`, { mode: 0o755 });
    appendFileSync(join(world.dataDir, 'git', 'gitconfig'), `[uploadpack]\n\tpackObjectsHook = ${hook}\n`);
    const fetching = spawn('git', ['clone', '--quiet', urlFor('reader'), join(folder, 'clone')], { stdio: 'ignore' });
    await expect.poll(() => existsSync(seen)).toBe(true);
    fetching.kill('SIGKILL');
    const pid = Number(readFileSync(seen, 'utf8'));
    try {
      await expect.poll(() => isAlive(pid)).toBe(false);
    } finally {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  });

  test('can clone an empty repository, fill it and clone it again', async () => {
    const place = join(folder, 'empty');
    expect((await client(folder, 'clone', '--quiet', urlFor('neighbour'), place)).ok).toBe(true);
    const head = await commitFile(place, 'main', 'first.txt', 'first\n');
    expect((await client(place, 'push', '--quiet', 'origin', 'main')).ok).toBe(true);
    expect(tip(world.host.installation.directoryOf(neighbour), 'main')).toBe(head);
    expect(tip(world.directory, 'main')).toBe(base);
    const again = join(folder, 'filled');
    expect((await client(folder, 'clone', '--quiet', urlFor('neighbour'), again)).ok).toBe(true);
    expect(tip(join(again, '.git'), 'main')).toBe(head);
  });
});

describe('access', () => {
  test.each([
    ['GET', '/git/acme/shop.git/info/refs?service=git-upload-pack'],
    ['POST', '/git/acme/shop.git/git-receive-pack'],
  ] as const)('to %s %s without a token is answered with 401 and a request for a password', async (method, url) => {
    const answer = await fetch(`${origin}${url}`, {
      method,
      ...(method === 'POST'
        ? { body: '0000', headers: { 'content-type': 'application/x-git-receive-pack-request' } }
        : {}),
    });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Interlock", charset="UTF-8"',
    ]);
  });

  test('is refused for a wrong token, and a token without the scope cannot push', async () => {
    expect((await client(folder, 'ls-remote', urlFor('stolen'))).text).toMatch(/Authentication failed|could not read/);
    const place = await clone('reader');
    await commitFile(place, 'topic', 'b.txt', 'b\n');
    expect((await client(place, 'push', 'origin', 'topic')).text).toContain('403');
    expect(tip(world.directory, 'topic')).toBeNull();
  });

  test('is to the repositories of the account of the token, and to no unknown path', async () => {
    const ask = async (path: string, token = 'writer') => {
      const answer = await fetch(`${origin}${path}/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Basic ${Buffer.from(`any:${token}`).toString('base64')}` },
      });
      return [answer.status, await answer.text()];
    };
    expect(await ask('/git/acme/none.git')).toEqual([404, 'Repository not found\n']);
    expect(await ask('/git/acme/shop')).toEqual([404, 'Repository not found\n']);
    expect(await ask('/git/../acme/shop.git')).toEqual([404, expect.any(String)]);
    expect((await client(folder, 'ls-remote', urlFor('neighbour'))).text).toBe('');
    expect((await client(folder, 'ls-remote', urlFor('writer'))).text).toContain(base);
  });

  test('to the output of a check is only for its account', async () => {
    await world.sql(
      `insert into local_check_run (account_id, repository_id, commit, ref, name, attempt, command, timeout_sec, created_at) values ($1, $2, $3, '', 'test', 1, 'true', 1, now())`,
      [world.repository.accountId, world.repository.id, base],
    );
    const [check] = (await world.host.readChecks(world.repository, base, anyChecks)).checks;
    const path = new URL(check?.url ?? '').pathname;
    mkdirSync(join(world.dataDir, 'logs', world.repository.accountId), { recursive: true });
    writeFileSync(
      join(world.dataDir, 'logs', world.repository.accountId, `${path.split('/').at(-2)}.log`),
      'all is well\n',
    );
    const read = async (token: string, at = path) => {
      const answer = await fetch(`${origin}${at}`, { headers: { authorization: `Bearer ${token}` } });
      return [answer.status, await answer.text()];
    };
    expect(await read('reader')).toEqual([200, 'all is well\n']);
    expect(await read('neighbour')).toEqual([404, 'Check not found\n']);
    expect(await read('writer', path.replace(/\d+\/log$/, 'x/log'))).toEqual([404, 'Check not found\n']);
    expect((await read('stolen'))[0]).toBe(401);
  });

  test("by git's dumb HTTP protocol is refused", async () => {
    const answer = await fetch(`${origin}/git/acme/shop.git/info/refs`, {
      headers: { authorization: `Basic ${Buffer.from('x:writer').toString('base64')}` },
    });
    expect(answer.status).toBe(403);
  });
});

describe('pushing', () => {
  test('moves a branch, and reports the branch and its pull request', async () => {
    const place = await clone();
    const head = await commitFile(place, 'topic', 'b.txt', 'b\n');
    expect((await client(place, 'push', 'origin', 'topic')).text).toContain('[new branch]');
    expect(tip(world.directory, 'topic')).toBe(head);
    await world.host.openPullRequest(world.repository, {
      title: 't',
      body: '',
      author: 'ada',
      headBranch: 'topic',
      baseBranch: 'main',
      draft: false,
    });
    world.events.length = 0;
    const moved = await commitFile(place, 'topic', 'b.txt', 'bb\n');
    expect((await client(place, 'push', 'origin', 'topic')).ok).toBe(true);
    expect(world.events).toEqual([
      { kind: 'push', repository: world.repository, ref: 'refs/heads/topic' },
      { kind: 'pull_request', repository: world.repository, number: 1 },
    ]);
    expect(await world.sql('select head_sha from local_pull_request')).toEqual([{ head_sha: moved }]);
  });

  test('takes a large push, which the client sends in chunks after a probe', async () => {
    const place = await clone();
    const head = await commitFile(place, 'large', 'large.bin', randomBytes(5_000_000));
    expect(await client(place, '-c', 'http.postBuffer=65536', 'push', '--quiet', 'origin', 'large')).toEqual({
      ok: true,
      text: '',
    });
    expect(tip(world.directory, 'large')).toBe(head);
  });

  test('refuses a push above the limit, and moves nothing', async () => {
    const place = await clone();
    await commitFile(place, 'huge', 'huge.bin', randomBytes(21_000_000));
    expect((await client(place, 'push', '--quiet', 'origin', 'huge')).ok).toBe(false);
    expect(tip(world.directory, 'huge')).toBeNull();
  });

  test('refuses a push after which the disk would be too full, and git shows why', async () => {
    const place = await clone();
    await commitFile(place, 'late', 'late.txt', 'late\n');
    bounds = { ...bounds, freeBytes: 1e18 };
    const pushed = await client(place, 'push', '--quiet', 'origin', 'late');
    expect(pushed).toEqual({ ok: false, text: expect.stringContaining('There is too little room on the disk') });
    // A push whose first request was answered before the disk was too full.
    const late = await fetch(`${origin}/git/acme/shop.git/git-receive-pack`, {
      method: 'POST',
      headers: { authorization: 'Bearer writer', 'content-type': 'application/x-git-receive-pack-request' },
      body: '0000',
    });
    expect(late.status).toBe(507);
    expect(tip(world.directory, 'late')).toBeNull();
  });

  test.each([
    ['a push that begins', [0], { received: 1 + 16 * mib, unpacked: 1 + 32 * mib }],
    [
      'a push that was received and that git writes once more',
      [100 * mib],
      { received: 1 + 16 * mib, unpacked: 1 + 132 * mib },
    ],
    ['all pushes that are under way at once', [0, 100 * mib], { received: 1 + 32 * mib, unpacked: 1 + 164 * mib }],
  ])('needs room on the disk for %s', (_what, underWay, needed) => {
    expect(decideBytesNeeded(underWay, 1)).toEqual(needed);
  });

  test('refuses a body that is too large after it is inflated', async () => {
    bounds = { ...bounds, maxPushBytes: 1e9 };
    const huge = gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1), { level: 1 });
    const answer = await fetch(`${origin}/git/acme/shop.git/git-receive-pack`, {
      method: 'POST',
      body: new Uint8Array(huge),
      headers: {
        authorization: 'Bearer writer',
        'content-type': 'application/x-git-receive-pack-request',
        'content-encoding': 'gzip',
      },
    });
    expect([huge.length < 1_000_000, answer.status]).toEqual([true, 413]);
  });

  test.each([
    ['are stored one by one', '100'],
    ['are stored in a pack, one as a delta of another', '1'],
  ])('refuses a small push whose objects inflate above the limit: the objects %s', async (_stored, unpackLimit) => {
    world.git('config', 'receive.unpackLimit', unpackLimit);
    bounds = { ...bounds, maxInflatedBytes: 8_000_000 };
    const place = await clone();
    const zeros = Buffer.alloc(6_000_000);
    await commitFile(place, 'bomb', 'first.bin', zeros);
    expect((await client(place, 'push', 'origin', 'bomb')).ok).toBe(true);
    await client(place, 'checkout', '--quiet', 'main');
    await commitFile(place, 'larger', 'first.bin', Buffer.concat([Buffer.from('a'), zeros]));
    await commitFile(place, 'larger', 'second.bin', Buffer.concat([zeros, Buffer.from('b')]));
    const pushed = await client(place, 'push', 'origin', 'larger');
    expect(pushed).toEqual({ ok: false, text: expect.stringMatching(/its objects inflate to more than 8 MB/) });
    expect(tip(world.directory, 'larger')).toBeNull();
    expect(world.git('count-objects', '-v')).not.toContain('tmp');
  });

  test('refuses a push that git cannot unpack within its memory', async () => {
    bounds = { ...bounds, memoryBytes: 12_000_000 };
    const place = await clone();
    await commitFile(place, 'dense', 'dense.bin', Buffer.alloc(16_000_000));
    expect(await client(place, 'push', 'origin', 'dense')).toEqual({
      ok: false,
      text: expect.stringMatching(/out of memory/i),
    });
    expect(tip(world.directory, 'dense')).toBeNull();
  });

  test('refuses objects that fail `git fsck`, such as a tree with a folder .git, and moves nothing', async () => {
    const place = await clone();
    const planted = commitWithHook(place);
    const pushed = await client(place, 'push', 'origin', `${planted}:refs/heads/planted`);
    expect(pushed).toEqual({ ok: false, text: expect.stringMatching(/hasDotgit|unpack|index-pack/i) });
    expect(tip(world.directory, 'planted')).toBeNull();
  });

  test('answers a probe, reads a compressed body, and refuses what it cannot decode', async () => {
    const post = async (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      await fetch(`${origin}/git/acme/shop.git/git-receive-pack`, {
        method: 'POST',
        body,
        headers: {
          authorization: 'Bearer writer',
          'content-type': 'application/x-git-receive-pack-request',
          ...headers,
        },
      });
    const probe = await post(new Uint8Array(Buffer.from('0000')));
    expect([probe.status, await probe.text()]).toEqual([200, '']);
    const command = `${base} ${'0'.repeat(40)} refs/heads/gone\0 report-status\n`;
    const deletion = Buffer.from(`${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`);
    world.git('branch', 'gone', base);
    const packed = await post(new Uint8Array(gzipSync(deletion)), { 'content-encoding': 'gzip' });
    expect([packed.status, await packed.text()]).toEqual([200, '000eunpack ok\n0017ok refs/heads/gone\n0000']);
    expect(tip(world.directory, 'gone')).toBeNull();
    expect((await post(new Uint8Array(deletion), { 'content-encoding': 'br' })).status).toBe(415);
    expect((await post(new Uint8Array(Buffer.from('this is no push')))).status).toBe(400);
  });

  test('is possible from a shallow clone, for tags, and to delete a branch', async () => {
    world.commit({ branch: 'main', files: { 'b.txt': 'b\n' } });
    const place = await clone('writer', '--depth=1');
    const head = await commitFile(place, 'topic', 'c.txt', 'c\n');
    await client(place, 'tag', 'v1');
    expect((await client(place, 'push', '--quiet', 'origin', 'topic', 'v1')).ok).toBe(true);
    expect([tip(world.directory, 'topic'), world.git('rev-parse', 'refs/tags/v1')]).toEqual([head, head]);
    expect((await client(place, 'push', '--quiet', 'origin', ':topic')).ok).toBe(true);
    expect(tip(world.directory, 'topic')).toBeNull();
    expect(pushes()).toEqual(['refs/heads/topic', 'refs/tags/v1', 'refs/heads/topic']);
  });

  test('refuses each ref that users may not push, with the reason, and accepts the other refs of the push', async () => {
    const place = await clone();
    const head = await commitFile(place, 'topic', 'b.txt', 'b\n');
    const answer = await client(
      place,
      'push',
      'origin',
      'topic',
      'topic:refs/heads/mq-bot-1',
      'topic:refs/interlock/landings/1',
      'topic:refs/pull/1/head',
    );
    expect(answer.ok).toBe(false);
    expect(answer.text).toMatch(/\[new branch\]\s+topic -> topic/);
    expect(answer.text).toMatch(/\[remote rejected\] topic -> mq-bot-1 \(reserved for the merge queue\)/);
    expect(answer.text).toMatch(
      /\[remote rejected\] topic -> refs\/interlock\/landings\/1 \(reserved for the merge queue\)/,
    );
    expect(answer.text).toMatch(
      /\[remote rejected\] topic -> refs\/pull\/1\/head \(only branches, tags and notes can be pushed\)/,
    );
    expect(world.git('for-each-ref', '--format=%(refname) %(objectname)')).toBe(
      `refs/heads/main ${base}\nrefs/heads/topic ${head}`,
    );
    expect(pushes()).toEqual(['refs/heads/topic']);
  });

  test('moves no ref of an atomic push if one ref is refused', async () => {
    const place = await clone();
    await commitFile(place, 'topic', 'b.txt', 'b\n');
    const answer = await client(place, 'push', '--atomic', 'origin', 'topic', 'topic:refs/heads/mq-tmp-1');
    expect(answer.ok).toBe(false);
    expect(answer.text).toContain('reserved for the merge queue');
    expect(tip(world.directory, 'topic')).toBeNull();
  });

  test.each([['main'], ['release']])('moves the managed branch %s only forward', async (branch) => {
    if (branch === 'release') world.git('branch', 'release', base);
    const place = await clone();
    const forward = await commitFile(place, 'work', 'b.txt', 'b\n');
    expect((await client(place, 'push', '--quiet', 'origin', `work:${branch}`)).ok).toBe(true);
    await client(place, 'checkout', '--quiet', '-B', 'aside', base);
    const aside = await commitFile(place, 'aside', 'c.txt', 'c\n');
    const forced = await client(place, 'push', '--force', 'origin', `aside:${branch}`, 'aside:free');
    expect(forced.text).toMatch(new RegExp(`remote rejected\\] aside -> ${branch} \\(non-fast-forward\\)`));
    const deleted = await client(place, 'push', 'origin', `:${branch}`);
    expect(deleted.text).toContain('a base branch of the merge queue cannot be deleted');
    expect([tip(world.directory, branch), tip(world.directory, 'free')]).toEqual([forward, aside]);
  });

  test('can force a feature branch', async () => {
    const place = await clone();
    await commitFile(place, 'topic', 'b.txt', 'b\n');
    await client(place, 'push', '--quiet', 'origin', 'topic');
    await client(place, 'checkout', '--quiet', '-B', 'topic', base);
    const other = await commitFile(place, 'topic', 'c.txt', 'c\n');
    expect((await client(place, 'push', '--quiet', '--force-with-lease', 'origin', 'topic')).ok).toBe(true);
    expect(tip(world.directory, 'topic')).toBe(other);
  });

  test('with a stale lease is refused', async () => {
    const [place, baseline] = [await clone(), await clone()];
    await commitFile(baseline, 'topic', 'b.txt', 'b\n');
    await client(baseline, 'push', '--quiet', 'origin', 'topic');
    await commitFile(place, 'topic', 'c.txt', 'c\n');
    const answer = await client(place, 'push', '--force-with-lease=topic:', 'origin', 'topic');
    expect(answer.text).toContain('stale info');
  });

  test('the base branch marks a pull request as merged if the base branch then contains its head', async () => {
    const place = await clone();
    await commitFile(place, 'topic', 'b.txt', 'b\n');
    await client(place, 'push', '--quiet', 'origin', 'topic');
    await world.host.openPullRequest(world.repository, {
      title: 't',
      body: '',
      author: 'ada',
      headBranch: 'topic',
      baseBranch: 'main',
      draft: false,
    });
    await client(place, 'checkout', '--quiet', 'main');
    await client(place, 'merge', '--quiet', '--no-ff', '-m', 'Merge by hand', 'topic');
    const merge = (await client(place, 'rev-parse', 'HEAD')).text;
    await commitFile(place, 'main', 'd.txt', 'd\n');
    expect((await client(place, 'push', '--quiet', 'origin', 'main')).ok).toBe(true);
    expect(await world.host.getPullRequest(world.repository, 1)).toMatchObject({
      state: 'merged',
      mergeCommitSha: merge,
    });
  });

  test.each(['merge', 'fast-forward'])(
    'the base branch marks a pull request as merged although the database did not answer after the push: %s',
    async (how) => {
      const place = await clone();
      await commitFile(place, 'topic', 'b.txt', 'b\n');
      await client(place, 'push', '--quiet', 'origin', 'topic');
      const pullRequest = { title: 't', body: '', author: 'ada', draft: false };
      await world.host.openPullRequest(world.repository, { ...pullRequest, headBranch: 'topic', baseBranch: 'main' });
      // This pull request has no commits that main lacks, but no push to main has merged it.
      await commitFile(place, 'idle', 'i.txt', 'i\n');
      await client(place, 'push', '--quiet', 'origin', 'idle');
      await world.host.openPullRequest(world.repository, { ...pullRequest, headBranch: 'idle', baseBranch: 'main' });
      await client(place, 'push', '--quiet', '--force', 'origin', `${base}:refs/heads/idle`);
      await client(place, 'checkout', '--quiet', 'main');
      await client(place, 'merge', '--quiet', how === 'merge' ? '--no-ff' : '--ff-only', 'topic');
      const merge = (await client(place, 'rev-parse', 'HEAD')).text;
      failOnce('push:follow');
      expect((await client(place, 'push', '--quiet', 'origin', 'main')).ok).toBe(true);
      expect(tip(world.directory, 'main')).toBe(merge);
      expect(await world.host.getPullRequest(world.repository, 1)).toMatchObject({ state: 'open' });
      await commitFile(place, 'main', 'd.txt', 'd\n');
      await client(place, 'push', '--quiet', 'origin', 'main');

      await world.host.reconcile(world.repository);
      expect(await world.host.getPullRequest(world.repository, 1)).toMatchObject({
        state: 'merged',
        mergeCommitSha: merge,
      });
      expect(await world.host.getPullRequest(world.repository, 2)).toMatchObject({ state: 'open' });
      expect(world.events).toContainEqual({ kind: 'pull_request', repository: world.repository, number: 1 });
      expect(readdirSync(join(world.directory, 'interlock-pushes'))).toEqual([]);
    },
  );

  test('that was killed between two branches is followed until git has ended', async () => {
    const place = await clone();
    await commitFile(place, 'topic', 'b.txt', 'b\n');
    await client(place, 'push', '--quiet', 'origin', 'topic');
    const pullRequest = { title: 't', body: '', author: 'ada', draft: false, headBranch: 'topic', baseBranch: 'main' };
    await world.host.openPullRequest(world.repository, pullRequest);
    await client(place, 'checkout', '--quiet', 'main');
    await client(place, 'merge', '--quiet', '--ff-only', 'topic');
    failOnce('push:follow');
    expect((await client(place, 'push', '--quiet', 'origin', 'main')).ok).toBe(true);
    const folder = join(world.directory, 'interlock-pushes');
    const noteOf = (): string => join(folder, readdirSync(folder)[0] ?? '');
    // The push was to move `topic` too, and its process is dead.
    const died = spawn('true');
    await once(died, 'exit');
    const [noted] = JSON.parse(readFileSync(noteOf(), 'utf8')) as [{ to: string; by: object }];
    const by = { ...noted.by, pid: died.pid };
    const missing = { ref: 'refs/heads/topic', from: noted.to, to: base, by };
    const note = noteOf();
    writeFileSync(note, JSON.stringify([{ ...noted, by }, missing]));
    const hoursAgo = new Date(Date.now() - 5 * 60 * 60_000);
    utimesSync(note, hoursAgo, hoursAgo);

    await world.host.reconcile(world.repository);
    expect(await world.host.getPullRequest(world.repository, 1)).toMatchObject({ state: 'merged' });
    // The process may have died only now, and git may still move the branch.
    await world.host.reconcile(world.repository);
    expect(readdirSync(folder)).toHaveLength(1);
    utimesSync(noteOf(), hoursAgo, hoursAgo);
    await world.host.reconcile(world.repository);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('succeeds, and its pusher is recorded, although the database does not answer after it', async () => {
    const place = await clone();
    mkdirSync(join(place, '.service'));
    const configured = await commitFile(place, 'main', '.service/config.yml', 'merge_rules: {}\n');
    failOnce('push:record');
    expect(await client(place, 'push', '--quiet', 'origin', 'main')).toMatchObject({ ok: true });
    const of = { ref: 'refs/heads/main', since: base, tip: configured };
    expect(await world.host.findConfigurationPush(world.repository, of)).toEqual({ by: 'ada', mayConfigure: true });
  });

  test('and a concurrent landing on the base branch: one moves the branch, and the other is refused', async () => {
    const place = await clone();
    for (let round = 0; round < 6; round++) {
      const before = tip(world.directory, 'main') ?? '';
      await client(place, 'fetch', '--quiet');
      await client(place, 'checkout', '--quiet', '-B', 'main', before);
      const pushed = await commitFile(place, 'main', `push-${round}.txt`, 'x\n');
      const landing = world.commit({ branch: 'landing', from: before, files: { [`land-${round}.txt`]: 'x\n' } });
      const landed = new Promise<boolean>((resolve, reject) => {
        setImmediate(() => {
          world.host
            .updateRefs(world.repository, [
              { ref: 'refs/heads/main', from: before, to: landing },
              { ref: `refs/interlock/landings/${round}`, from: null, to: landing },
            ])
            .then(
              () => resolve(true),
              (error: unknown) => (error instanceof RefMoved ? resolve(false) : reject(error)),
            );
        });
      });
      const [push, isLanded] = await Promise.all([client(place, 'push', 'origin', 'main'), landed]);
      expect(push.ok).toBe(!isLanded);
      expect(tip(world.directory, 'main')).toBe(isLanded ? landing : pushed);
      expect(world.git('for-each-ref', `refs/interlock/landings/${round}`) !== '').toBe(isLanded);
    }
  });
});
