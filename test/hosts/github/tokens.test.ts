// How many tokens of an installation Interlock requests, and whom each of them reaches.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../github-emulator/index.ts';
import { createGitHubHost } from '../../../src/hosts/github/index.ts';
import { HostUnavailable } from '../../../src/hosts/port.ts';
import { github, type GitHub, type GitHubWorld } from './github-world.ts';

const tokenRequest = 'POST /app/installations/{installation_id}/access_tokens';

let g: GitHub;
let w: GitHubWorld;

beforeAll(async () => {
  g = await github();
  w = await g.world();
});
afterAll(async () => await g.close());

/** The repositories for which each token of the emulator was requested. Null: for all of the installation. */
function requestedTokens(emulator: Emulator): (readonly number[] | null)[] {
  return emulator.core.state.tokens
    .filter(({ kind }) => kind === 'installation')
    .map(({ repositoryIds }) => repositoryIds);
}

/** A host that knows the repositories of several emulators by their names. */
function hostOf(found: ReadonlyMap<string, { readonly emulator: Emulator; readonly githubId: number }>) {
  return createGitHubHost({
    ...g.hostOptions(),
    findInstallation: async ({ name }) => {
      const known = found.get(name);
      if (known === undefined) return await Promise.resolve(null);
      const { emulator, githubId } = known;
      const app = { ...emulator, id: emulator.appId, privateKey: readFileSync(emulator.keyFile, 'utf8') };
      return { githubId: String(githubId), installation: { id: emulator.installationId, app } };
    },
  });
}

test('50 repositories in which nothing happens need one token of their installation', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `idle-${index + 1}`);
  const found = new Map<string, { emulator: Emulator; githubId: number }>();
  for (const name of names)
    found.set(name, { emulator: g.emulator, githubId: (await g.emulator.addRepository(name)).id });
  const host = hostOf(found);
  for (const name of names) {
    const repository = { ...w.repository, id: name, owner: g.emulator.owner, name };
    expect(await host.listRefs(repository, 'refs/heads/')).toHaveLength(1);
    expect(await host.listOpenPullRequests(repository)).toEqual([]);
  }
  expect(requestedTokens(g.emulator)).toEqual([null]);
  await host.stop();
});

test('a repository that was deleted and made again under its name is another one', async () => {
  const { repository, place, push } = await g.world();
  const main = await push({ branch: 'main', files: { a: '1\n' } });
  expect(await w.host.readRef(repository, 'refs/heads/main')).toMatchObject({ commit: main });
  await g.person.repos.delete(place);
  await g.person.repos.createInOrg({ org: place.owner, name: place.repo, private: false });
  const other = await push({ branch: 'main', from: main, files: { b: '1\n' } });
  await push({ branch: 'topic', from: other, files: { c: '1\n' } });
  const { data } = await g.person.pulls.create({ ...place, title: 'Other', head: 'topic', base: 'main' });
  const calls = [
    w.host.readRef(repository, 'refs/heads/main'),
    w.host.getPullRequest(repository, data.number),
    w.host.listOpenPullRequests(repository),
    w.host.setLabel(repository, data.number, { label: 'queued', present: true }),
    w.host.upsertComment(repository, data.number, { key: 'status', body: 'Hello' }),
    w.host.updateRefs(repository, [{ ref: 'refs/heads/main', from: other, to: main }]),
  ];
  for (const call of await Promise.allSettled(calls))
    expect(call).toMatchObject({ status: 'rejected', reason: expect.any(HostUnavailable) });
  expect((await g.person.pulls.get({ ...place, pull_number: data.number })).data).toMatchObject({
    labels: [],
    comments: 0,
  });
  expect((await g.person.git.getRef({ ...place, ref: 'heads/main' })).data.object.sha).toBe(other);
});

test('a server of GitHub never gets a token of another server, if installations and repositories have the same ids', async () => {
  const servers = [await startEmulator({ seed: 1 }), await startEmulator({ seed: 2 })] as const;
  const found = new Map<string, { emulator: Emulator; githubId: number }>();
  for (const [index, emulator] of servers.entries())
    found.set(`same-${index}`, { emulator, githubId: (await emulator.addRepository(`same-${index}`)).id });
  expect(servers[0].installationId).toBe(servers[1].installationId);
  expect(new Set([...found.values()].map(({ githubId }) => githubId)).size).toBe(1);
  const host = hostOf(found);
  const read = async (index: 0 | 1): Promise<unknown> =>
    await host.listOpenPullRequests({ ...w.repository, owner: servers[index].owner, name: `same-${index}` });
  const held = servers[0].controls.hold(tokenRequest);
  const first = read(0);
  await held.arrived;
  const isFirst = first.then(
    () => true,
    () => true,
  );
  expect(await Promise.race([read(1), isFirst])).toEqual([]);
  held.release();
  expect(await first).toEqual([]);
  expect(servers.map((emulator) => requestedTokens(emulator).length)).toEqual([1, 1]);
  await host.stop();
  for (const emulator of servers) await emulator.stop();
});
