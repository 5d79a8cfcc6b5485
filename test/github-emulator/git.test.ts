import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

let w: EmulatorWorld;
let token: string;
beforeAll(async () => {
  w = await emulatorWorld();
  const { data } = await w.app.apps.createInstallationAccessToken({
    installation_id: Number(w.emulator.installationId),
  });
  token = data.token;
});
afterEach(async () => {
  await w.emulator.controls.clear();
  w.expectNoMistakes();
});
afterAll(async () => await w[Symbol.asyncDispose]());

async function remote(ref: string): Promise<string> {
  return (await w.clone.git('ls-remote', 'origin', ref)).split('\t')[0] ?? '';
}

describe('a push', () => {
  it('can be atomic with a lease for each ref, and works with the token of an installation', async () => {
    const bot = await w.cloneAs(token);
    const a = await bot.push('lease-a', { 'a.txt': 'a\n' });
    const b = await bot.push('lease-b', { 'b.txt': 'b\n' });
    const push = async (leaseOfB: string) =>
      await bot.tryGit(
        'push',
        '--porcelain',
        '--atomic',
        `--force-with-lease=refs/heads/lease-a:${a}`,
        `--force-with-lease=refs/heads/lease-b:${leaseOfB}`,
        '--force-with-lease=refs/interlock/new:',
        'origin',
        `${b}:refs/heads/lease-a`,
        `${a}:refs/heads/lease-b`,
        `${a}:refs/interlock/new`,
      );
    const stale = await push(a);
    expect(stale).toMatchObject({ exitCode: 1, output: expect.stringContaining('stale info') });
    expect(await remote('refs/heads/lease-a')).toBe(a);
    expect((await push(b)).exitCode).toBe(0);
    expect([await remote('refs/heads/lease-a'), await remote('refs/interlock/new')]).toEqual([b, a]);
  });

  it('to a ref of a pull request is refused', async () => {
    const pushed = await w.clone.tryGit('push', 'origin', 'HEAD:refs/pull/1/head');
    expect(pushed).toMatchObject({ exitCode: 1, output: expect.stringContaining('deny updating a hidden ref') });
  });

  it('is refused for a user who may only read, for an archived repository and for a wrong token', async () => {
    const reader = w.emulator.addPerson('reader', 'member');
    const clone = await w.cloneAs(reader.token);
    const pushed = await clone.tryGit('push', 'origin', 'HEAD:refs/heads/no');
    expect(pushed.output).toContain('403');
    await w.person.repos.update({ ...w.place, archived: true });
    expect((await w.clone.tryGit('push', 'origin', 'HEAD:refs/heads/no')).output).toContain('403');
    await w.person.repos.update({ ...w.place, archived: false });
    await expect(w.cloneAs('ghp_wrong')).rejects.toThrow('could not read Username');
  });

  it('that is reset before the work moves no ref, and a push that loses its answer has moved the ref', async () => {
    const sha = await w.clone.push('cut', { 'cut.txt': 'one\n' });
    await w.clone.git('commit', '--quiet', '--allow-empty', '--message', 'next');
    const next = await w.clone.git('rev-parse', 'HEAD');
    w.emulator.controls.fail({ operation: 'git-receive-pack', when: 'before', status: 'reset', times: 1 });
    expect((await w.clone.tryGit('push', 'origin', 'HEAD:cut')).exitCode).not.toBe(0);
    expect(await remote('refs/heads/cut')).toBe(sha);
    w.emulator.controls.fail({ operation: 'git-receive-pack', when: 'after', status: 'reset', times: 1 });
    expect((await w.clone.tryGit('push', 'origin', 'HEAD:cut')).exitCode).not.toBe(0);
    expect(await remote('refs/heads/cut')).toBe(next);
  });
});

describe('a fetch', () => {
  it('gets any commit by its id without blobs, and ls-remote lists the test merge', async () => {
    const { number, sha } = await w.open('fetched');
    await w.clone.git('push', '--quiet', 'origin', ':fetched');
    const bare = await w.cloneAs(token);
    await bare.git('config', 'remote.origin.promisor', 'true');
    await bare.git('fetch', '--quiet', '--filter=blob:none', 'origin', sha);
    expect(await bare.git('cat-file', '-t', sha)).toBe('commit');
    await w.emulator.core.settled();
    const listed = await w.clone.git('ls-remote', 'origin', `refs/pull/${number}/*`);
    expect(listed.split('\n').map((line) => line.split('\t')[1])).toEqual([
      `refs/pull/${number}/head`,
      `refs/pull/${number}/merge`,
    ]);
  });

  it('is redirected after the repository was renamed, and so is a request to REST', async () => {
    const fullName = `${w.owner}/${w.repo}`;
    w.emulator.controls.rename(fullName, 'renamed');
    expect((await w.clone.tryGit('ls-remote', 'origin')).output).toContain('renamed.git');
    expect((await w.clone.tryGit('-c', 'http.followRedirects=false', 'ls-remote', 'origin')).exitCode).not.toBe(0);
    expect((await w.person.repos.get(w.place)).data.full_name).toBe(`${w.owner}/renamed`);
    w.emulator.controls.rename(`${w.owner}/renamed`, w.repo);
    expect((await w.person.repos.get(w.place)).data.full_name).toBe(fullName);
  });
});

describe('a push is refused', () => {
  it('if it contains a workflow, and the token of the App has no permission for workflows', async () => {
    const installation_id = Number(w.emulator.installationId);
    const permissions = { contents: 'write' } as const;
    const { data } = await w.app.apps.createInstallationAccessToken({ installation_id, permissions });
    const bot = await w.cloneAs(data.token);
    await bot.push('no-workflow', { 'plain.txt': 'plain\n' });
    await bot.git('checkout', '--quiet', '-b', 'workflow');
    await bot.write('.github/workflows/ci.yml', 'on: push\n');
    const refused = await bot.tryGit('push', 'origin', 'workflow');
    expect(refused.output).toContain(
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml`',
    );
    expect(await remote('refs/heads/workflow')).toBe('');
  });

  it('if it contains a file of more than 100 MB', async () => {
    await w.clone.git('checkout', '--quiet', '-B', 'large', 'origin/main');
    await w.clone.write('large.bin', Buffer.alloc(101 * 1024 * 1024));
    const refused = await w.clone.tryGit('push', 'origin', 'large');
    expect(refused.output).toContain('remote: error: File large.bin is 101.00 MB');
    expect(refused.output).toContain('GH001');
    expect(await remote('refs/heads/large')).toBe('');
  });
});

describe('a push that an injected fault refuses', () => {
  it('fails with the message of the fault, and moves no ref', async () => {
    const push = async () => await w.clone.tryGit('push', '--porcelain', 'origin', 'origin/main:refs/heads/refused');
    w.emulator.controls.fail({ operation: 'git-receive-pack', when: 'refuse', times: 1 });
    expect((await push()).output).toContain('[remote rejected] (failed)');
    const remote = ['error: GH999: Pushes are declined.'];
    w.emulator.controls.fail({ operation: 'git-receive-pack', when: 'refuse', times: 1, reason: 'declined', remote });
    const refused = await push();
    expect(refused.output).toContain('[remote rejected] (declined)');
    expect(refused.output).toContain('remote: error: GH999: Pushes are declined.');
    expect(await w.clone.git('ls-remote', 'origin', 'refs/heads/refused')).toBe('');
  });
});

describe('a push that is cut in the middle', () => {
  it('has moved the first of two refs, or no ref if the push was atomic', async () => {
    const push = async (...options: string[]) =>
      await w.clone.tryGit(
        'push',
        ...options,
        'origin',
        'origin/main:refs/heads/half-a',
        'origin/main:refs/heads/half-b',
      );
    const cut = (): void => w.emulator.controls.fail({ operation: 'git-receive-pack', when: 'middle', times: 1 });
    cut();
    expect((await push('--atomic')).exitCode).not.toBe(0);
    expect(await remote('refs/heads/half-a')).toBe('');
    cut();
    expect((await push()).exitCode).not.toBe(0);
    expect(await remote('refs/heads/half-a')).not.toBe('');
    expect(await remote('refs/heads/half-b')).toBe('');
    expect((await push('--atomic')).exitCode).toBe(0);
  });
});

describe('a branch', () => {
  it('accepts one of two concurrent pushes, and rejects the other push', async () => {
    const [one, two] = [await w.cloneAs(token), await w.cloneAs(w.emulator.token)];
    await one.push('race', { 'race.txt': 'start\n' });
    for (const clone of [one, two]) {
      await clone.git('fetch', '--quiet', 'origin');
      await clone.git('checkout', '--quiet', '-B', 'race', 'origin/race');
      await clone.write('race.txt', `${clone.directory}\n`);
    }
    const pushed = await Promise.all([one, two].map(async (clone) => await clone.tryGit('push', 'origin', 'race')));
    expect(pushed.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1]);
    expect(pushed.map(({ output }) => output).join('\n')).toMatch(/rejected/);
  });

  it('becomes the default branch if it is pushed first, and the default branch cannot be deleted', async () => {
    await w.person.repos.createInOrg({ org: w.owner, name: 'empty' });
    const empty = { owner: w.owner, repo: 'empty' };
    await w.clone.git('push', '--quiet', `${w.emulator.url}/${w.owner}/empty.git`, 'origin/main:refs/heads/trunk');
    expect((await w.person.repos.get(empty)).data.default_branch).toBe('trunk');
    const deleted = await w.clone.tryGit('push', 'origin', ':main');
    expect(deleted).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('refusing to delete the current branch'),
    });
    await expect(w.person.git.deleteRef({ ...w.place, ref: 'heads/main' })).rejects.toMatchObject({ status: 422 });
  });
});
