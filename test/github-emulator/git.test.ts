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
  await w.emulator.knobs.clear();
  w.expectNoMistakes();
});
afterAll(async () => await w[Symbol.asyncDispose]());

async function remote(ref: string): Promise<string> {
  return (await w.clone.git('ls-remote', 'origin', ref)).split('\t')[0] ?? '';
}

describe('a push', () => {
  it('is atomic with a lease for each ref, and works with the token of an installation', async () => {
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

  it('moves no refs of pull requests, and says so', async () => {
    const pushed = await w.clone.tryGit('push', 'origin', 'HEAD:refs/pull/1/head');
    expect(pushed).toMatchObject({ exitCode: 1, output: expect.stringContaining('deny updating a hidden ref') });
  });

  it('is refused for a reader, for an archived repository and for a wrong token', async () => {
    const reader = w.emulator.addPerson('reader', 'member');
    const clone = await w.cloneAs(reader.token);
    const pushed = await clone.tryGit('push', 'origin', 'HEAD:refs/heads/no');
    expect(pushed.output).toContain('403');
    await w.person.repos.update({ ...w.place, archived: true });
    expect((await w.clone.tryGit('push', 'origin', 'HEAD:refs/heads/no')).output).toContain('403');
    await w.person.repos.update({ ...w.place, archived: false });
    await expect(w.cloneAs('ghp_wrong')).rejects.toThrow('could not read Username');
  });

  it('may be done although its answer is lost, and does nothing when it is cut off before', async () => {
    const sha = await w.clone.push('cut', { 'cut.txt': 'one\n' });
    await w.clone.git('commit', '--quiet', '--allow-empty', '--message', 'next');
    const next = await w.clone.git('rev-parse', 'HEAD');
    w.emulator.knobs.fail({ operation: 'git-receive-pack', when: 'before', status: 'reset', times: 1 });
    expect((await w.clone.tryGit('push', 'origin', 'HEAD:cut')).exitCode).not.toBe(0);
    expect(await remote('refs/heads/cut')).toBe(sha);
    w.emulator.knobs.fail({ operation: 'git-receive-pack', when: 'after', status: 'reset', times: 1 });
    expect((await w.clone.tryGit('push', 'origin', 'HEAD:cut')).exitCode).not.toBe(0);
    expect(await remote('refs/heads/cut')).toBe(next);
  });
});

describe('a fetch', () => {
  it('brings any commit by its id, without blobs, and the test merge', async () => {
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

  it('is redirected after a rename, as REST is', async () => {
    const fullName = `${w.owner}/${w.repo}`;
    w.emulator.knobs.rename(fullName, 'renamed');
    expect((await w.clone.tryGit('ls-remote', 'origin')).output).toContain('renamed.git');
    expect((await w.clone.tryGit('-c', 'http.followRedirects=false', 'ls-remote', 'origin')).exitCode).not.toBe(0);
    expect((await w.person.repos.get(w.place)).data.full_name).toBe(`${w.owner}/renamed`);
    w.emulator.knobs.rename(`${w.owner}/renamed`, w.repo);
    expect((await w.person.repos.get(w.place)).data.full_name).toBe(fullName);
  });
});
