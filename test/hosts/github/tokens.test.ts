// How many tokens Interlock requests for an installation, and which repositories each token reaches.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../github-emulator/index.ts';
import { createGitHubHost } from '../../../src/hosts/github/index.ts';
import { type HostRepository, HostUnavailable, RefMoved } from '../../../src/hosts/port.ts';
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
  const ids = new Map<string, string>();
  for (const name of names) {
    const { id: githubId } = await g.emulator.addRepository(name);
    found.set(name, { emulator: g.emulator, githubId });
    const place = { owner: g.emulator.owner, repo: name };
    const { data } = await g.person.git.getRef({ ...place, ref: 'heads/main' });
    const [row] = await g.sql<{ id: string }>(
      `with r as (insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
                  values ($1, $2, $3, 'github', '', '') returning account_id, id)
       insert into queue (account_id, repository_id, base_branch, base_tip) select account_id, id, 'main', $4 from r
       returning repository_id::text as id`,
      [w.repository.accountId, g.emulator.owner, name, data.object.sha],
    );
    ids.set(name, row?.id ?? '');
  }
  const host = hostOf(found);
  for (const name of names) {
    const repository = { ...w.repository, id: ids.get(name) ?? '', owner: g.emulator.owner, name };
    expect(await host.listRefs(repository, 'refs/heads/')).toHaveLength(1);
    expect(await host.listOpenPullRequests(repository)).toEqual([]);
  }
  expect(requestedTokens(g.emulator)).toEqual([null]);
  await host.stop();
});

interface Usage {
  readonly confirmations: number;
  readonly tokens: number;
  /** How many pushes were begun. Most of them only confirm a name. */
  readonly pushes: number;
}

/** How often names were confirmed by the API, how many tokens were made, and what git did, since the start of the emulator. */
async function readUsage(): Promise<Usage> {
  const response = await fetch(`${g.emulator.url}/_emulator/usage`);
  const { calls } = (await response.json()) as { calls: Record<string, number> };
  return {
    confirmations: calls['GET /repos/{owner}/{repo}'] ?? 0,
    tokens: requestedTokens(g.emulator).length,
    pushes: calls['info/refs git-receive-pack'] ?? 0,
  };
}

const patterns = ['refs/heads/mq-bot-', 'refs/heads/', 'refs/interlock/landings/'];

test('20 repositories in which nothing happens need no confirmation of their names after a start', async () => {
  const idle: HostRepository[] = [];
  for (let made = 0; made < 20; made += 1) {
    const { repository, push } = await g.world();
    const tip = await push({ branch: 'main', files: { a: '1\n' } });
    await g.sql(`insert into queue (account_id, repository_id, base_branch, base_tip) values ($1, $2, 'main', $3)`, [
      repository.accountId,
      repository.id,
      tip,
    ]);
    idle.push(repository);
  }
  const before = await readUsage();
  for (let start = 1; start <= 3; start += 1) {
    const host = createGitHubHost(g.hostOptions());
    for (const repository of idle) {
      for (const pattern of patterns) await host.listRefs(repository, pattern);
      expect(await host.listRefs(repository, 'refs/heads/')).toHaveLength(1);
    }
    await host.stop();
  }
  const after = await readUsage();
  // Each start requests the token of the installation.
  expect(after).toMatchObject({
    confirmations: before.confirmations,
    tokens: before.tokens + 3,
    pushes: before.pushes,
  });
});

test('a branch that is not as it is stored is read only from the repository itself', async () => {
  const { repository, place, push, host } = await g.world();
  const main = await push({ branch: 'main', files: { a: '1\n' } });
  await g.sql(`insert into queue (account_id, repository_id, base_branch, base_tip) values ($1, $2, 'main', $3)`, [
    repository.accountId,
    repository.id,
    main,
  ]);
  expect(await host.listRefs(repository, 'refs/heads/mq-')).toEqual([]);
  g.emulator.controls.rename(`${place.owner}/${place.repo}`, `${place.repo}-renamed`);
  await g.person.repos.createInOrg({ org: place.owner, name: place.repo, private: false });
  const other = await push({ branch: 'main', from: main, files: { b: '1\n' } });
  await push({ branch: 'mq-one', from: other, files: { c: '1\n' } });
  const started = createGitHubHost(g.hostOptions());
  for (const each of [host, started]) {
    await expect(each.listRefs(repository, 'refs/heads/mq-')).rejects.toThrow('renamed or moved');
    await expect(each.readRef(repository, 'refs/heads/main')).rejects.toThrow('renamed or moved');
    await expect(each.readRef(repository, 'refs/heads/missing')).rejects.toThrow('renamed or moved');
  }
  await started.stop();
});

test('pushes go on during a pause that GitHub asks for', async () => {
  const { repository, push, host } = await g.world();
  const main = await push({ branch: 'main', files: { a: '1\n' } });
  expect(await host.readRef(repository, 'refs/heads/main')).toMatchObject({ commit: main });
  await host.listOpenPullRequests(repository);
  const paused = await g.sql(`update host_budget set paused_until = now() + interval '1 hour' returning 1`);
  expect(paused).not.toEqual([]);
  try {
    // Each process reads the budget once a second.
    const read = async (): Promise<unknown> =>
      await host.listOpenPullRequests(repository).catch((error: unknown) => error);
    await expect.poll(read).toMatchObject({ message: 'GitHub asked this App to pause' });
    const landing = 'refs/interlock/landings/1';
    expect(await host.readRef(repository, landing)).toBeNull();
    await host.updateRefs(repository, [{ ref: 'refs/heads/mq-bot-1', from: null, to: main }]);
    await host.updateRefs(repository, [{ ref: landing, from: null, to: main }]);
    expect(await host.readRef(repository, landing)).toMatchObject({ commit: main });
    await expect(host.updateRefs(repository, [{ ref: landing, from: null, to: main }])).rejects.toThrow(RefMoved);
  } finally {
    await g.sql('update host_budget set paused_until = null');
  }
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
