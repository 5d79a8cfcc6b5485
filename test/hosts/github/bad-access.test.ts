// GitHub refuses the App: a wrong key, a wrong clock, tokens that end early, an installation that is gone. Each refusal
// has a message that says what to do. No refusal counts as a missing object, and the host recovers by itself.
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeSelection } from '../../../github-emulator/rest/apps.ts';
import { createGitHubHost } from '../../../src/hosts/github/index.ts';
import { HostUnavailable, type CodeHost } from '../../../src/hosts/port.ts';
import { github, type GitHub, type GitHubWorld } from './github-world.ts';

let g: GitHub;
let w: GitHubWorld;
let number: number;
let main: string;
let githubIsBehindMs = 0;

beforeAll(async () => {
  g = await github({ clock: () => Date.now() - githubIsBehindMs });
  w = await g.world();
  main = await w.push({ branch: 'main', files: { a: '1\n' } });
  await w.push({ branch: 'topic', from: main, files: { b: '1\n' } });
  number = (await g.person.pulls.create({ ...w.place, title: 'Topic', head: 'topic', base: 'main' })).data.number;
});
afterAll(async () => await g.close());

/** Calls of the host that use the API of GitHub, and calls that use git. */
const calls: readonly (readonly [string, (host: CodeHost) => Promise<unknown>])[] = [
  ['a read', async (host) => await host.getPullRequest(w.repository, number)],
  ['a write', async (host) => await host.setLabel(w.repository, number, { label: 'tried', present: true })],
  ['a read of a run', async (host) => await host.readWorkflowRun(w.repository, '1')],
  ['git', async (host) => await host.readRef(w.repository, 'refs/heads/main')],
];

async function refusals(host: CodeHost): Promise<string[]> {
  const ends = await Promise.all(calls.map(async ([, call]) => await call(host).catch((error: unknown) => error)));
  for (const error of ends) expect(error).toBeInstanceOf(HostUnavailable);
  return [...new Set(ends.map((error) => (error as Error).message))];
}

async function expectItWorks(host: CodeHost): Promise<void> {
  expect(await host.getPullRequest(w.repository, number)).toMatchObject({ title: 'Topic' });
  expect(await host.readRef(w.repository, 'refs/heads/main')).toMatchObject({ commit: main });
}

test('a private key of another App is named, and the right key counts without a restart', async () => {
  const { privateKey: wrong } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const options = g.hostOptions();
  let isWrong = true;
  const host = createGitHubHost({
    ...options,
    findInstallation: async (repository) => {
      const found = await options.findInstallation(repository);
      if (found === null || !isWrong) return found;
      const { installation, githubId } = found;
      return { githubId, installation: { ...installation, app: { ...installation.app, privateKey: wrong } } };
    },
  });
  expect(await refusals(host)).toEqual([
    "GitHub refuses the private key of the App. Generate another key in the App's settings at GitHub, and store the new key in Interlock",
  ]);
  isWrong = false;
  await expectItWorks(host);
  await host.stop();
});

test.each([97_000, -97_000])(
  'a clock that is %i ms ahead makes no call fail, because the App uses the time of GitHub',
  async (ms) => {
    const host = createGitHubHost(g.hostOptions());
    githubIsBehindMs = ms;
    await expectItWorks(host);
    githubIsBehindMs = 0;
    await host.stop();
  },
);

test('tokens that end early are replaced once, and no call fails', async () => {
  await expectItWorks(w.host);
  g.emulator.controls.expireTokens();
  await Promise.all(calls.map(async ([, call]) => await call(w.host)));
  await expectItWorks(w.host);
});

test('a suspended installation is named, and the host works again after the suspension', async () => {
  const id = Number(g.emulator.installationId);
  g.emulator.controls.suspend(id, true);
  for (const message of await refusals(w.host)) expect(message).toMatch(/suspended/);
  g.emulator.controls.suspend(id, false);
  await expectItWorks(w.host);
});

test.each([
  { kind: 'public', isPrivate: false },
  { kind: 'private', isPrivate: true },
])(
  'a $kind repository that was taken out of the installation and put back is reached at once',
  async ({ isPrivate }) => {
    const { core } = g.emulator;
    const installation = core.state.installations.must(Number(g.emulator.installationId));
    const repository = core.state.repositories.find(({ name }) => name === w.place.repo);
    if (repository === undefined) throw new Error('The repository does not exist.');
    const sender = core.state.accounts.must(repository.ownerId);
    repository.isPrivate = isPrivate;
    Object.assign(installation, { repositorySelection: 'selected', repositoryIds: [repository.id] });
    const host = createGitHubHost(g.hostOptions());
    await expectItWorks(host);
    // git has a token of its own.
    const ref = 'refs/heads/mq-tmp-back';
    await host.updateRefs(w.repository, [{ ref, from: null, to: main }]);
    for (const isChosen of [false, true]) changeSelection(core, installation, { repository, sender, isChosen });
    if (isPrivate) await expectItWorks(host);
    await host.setLabel(w.repository, number, { label: 'back', present: true });
    expect(await host.getPullRequest(w.repository, number)).toMatchObject({ labels: expect.arrayContaining(['back']) });
    await host.setLabel(w.repository, number, { label: 'back', present: false });
    await expectItWorks(host);
    await host.updateRefs(w.repository, [{ ref, from: main, to: null }]);
    expect(await host.readRef(w.repository, ref)).toBeNull();
    Object.assign(installation, { repositorySelection: 'all', repositoryIds: [] });
    repository.isPrivate = false;
    await host.stop();
  },
);

test('if the App is no longer installed, no pull request and no run counts as gone', async () => {
  const { state } = g.emulator.core;
  const installation = state.installations.must(Number(g.emulator.installationId));
  const tokens = state.tokens.filter(({ installationId }) => installationId === installation.id);
  state.installations.remove(installation.id);
  for (const { id } of tokens) state.tokens.remove(id);
  expect(await refusals(w.host)).toEqual(['The App is not installed at GitHub any more, or was deleted']);
});

test("every answer of the emulator agrees with GitHub's description of its API", () => {
  expect(g.emulator.core.mistakes).toEqual([]);
});

test('if GitHub limits requests for tokens, the pause counts by the clock of the service', async () => {
  const aheadMs = 3_600_000;
  const clock = (): Date => new Date(Date.now() + aheadMs);
  const host = createGitHubHost({ ...g.hostOptions(), clock });
  const operation = 'POST /app/installations/{installation_id}/access_tokens';
  g.emulator.controls.fail({ operation, status: 429, headers: { 'retry-after': '300' } });
  const error: unknown = await host.readRef(w.repository, 'refs/heads/main').catch((reason: unknown) => reason);
  await g.emulator.controls.clear();
  await host.stop();
  const waitMs = ((error as HostUnavailable).retryAt ?? 0) - clock().getTime();
  expect(waitMs).toBeGreaterThan(200_000);
  expect(waitMs).toBeLessThanOrEqual(300_000);
});
