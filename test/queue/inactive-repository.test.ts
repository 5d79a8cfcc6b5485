// In an inactive repository nothing begins, over any way in.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { interlockSchema } from '../../src/graphql/schema.ts';
import { accountOf, type AccountVerbs } from '../accounts/account.ts';
import { openPullRequest, prepareRepository } from '../rest/contract/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

const run = promisify(execFile);
const repository = { owner: 'acme', name: 'web' };
const inactive = 'The repository acme/web is inactive: an admin activates it by setRepositoryActive with active: true';

let s: TestServer;
let account: AccountVerbs;
let folder: string;
let commit: string;
let number: number;
let open: number;

beforeAll(async () => {
  s = await startServer();
  account = accountOf(s);
  folder = await mkdtemp(join(tmpdir(), 'interlock-inactive-'));
  ({ number } = await prepareRepository(s));
  await account.run('createReleaseProject', { name: 'Web', repository }, 'releaseProject { name }');
  const provider = { kind: 'NONE' };
  await account.run('createEnvironment', { project: 'Web', name: 'production', provider }, 'environment { id }');
  await git('clone', '--quiet', `${s.url}/git/acme/web.git`, '.');
  commit = (await git('rev-parse', 'HEAD')).trim();
  const released = { project: 'Web', repository: 'acme/web', commit };
  await account.run('createRelease', { ...released, version: 'v1-rc1' }, 'releaseCandidate { id }');
  await account.run('closePullRequest', { repository, number }, 'pullRequest { status }');
  await git('commit', '--quiet', '--allow-empty', '-m', 'Left');
  await git('push', '--quiet', 'origin', 'HEAD:refs/heads/left');
  await git('reset', '--quiet', '--hard', commit);
  open = await openPullRequest(s, { repository, title: 'Left', headBranch: 'left', baseBranch: 'main' });
  await account.run(
    'createRunbook',
    { repository, prompt: '1. Wait\n   ```sh\n   true\n   ```\n' },
    'runbook { number }',
  );
  await account.run('setRepositoryActive', { repository, active: false }, 'repository { active }');
});
afterAll(async () => {
  await s.close();
  await rm(folder, { recursive: true, force: true });
});

async function git(...args: string[]): Promise<string> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test'];
  const signedIn = ['-c', `http.extraHeader=Authorization: Bearer ${s.token}`];
  const { stdout } = await run('git', [...identity, ...signedIn, ...args], { cwd: folder });
  return stdout;
}

it('a push is refused by git with a message that names the cure, and a fetch is not', async () => {
  await git('commit', '--quiet', '--allow-empty', '-m', 'More');
  await expect(git('push', 'origin', 'HEAD:main', 'HEAD:refs/heads/new')).rejects.toThrow(
    /remote rejected.*main \(the repository is inactive; an admin activates it by setRepositoryActive\)[^]*new \(the/,
  );
  await git('fetch', '--quiet');
  expect((await git('rev-parse', 'origin/main')).trim()).toBe(commit);
  expect(await git('ls-remote', 'origin', 'refs/heads/new')).toBe('');
});

it.each<[mutation: string, input: () => object]>([
  ['openPullRequest', () => ({ repository, title: 'More', headBranch: 'topic', baseBranch: 'main' })],
  ['reopenPullRequest', () => ({ repository, number })],
  ['syncPullRequest', () => ({ repository, number })],
  ['backportPullRequest', () => ({ repository, number, targetBranch: 'main' })],
  ['verifyPullRequest', () => ({ repository, number })],
  ['registerPreview', () => ({ repository, commitSha: commit, previewUrl: 'https://x.test', branch: 'topic' })],
  ['createRunbook', () => ({ repository, prompt: 'Fix it' })],
  ['continueRunbook', () => ({ number: 1, prompt: 'Fix it' })],
  ['retryRunbook', () => ({ number: 1 })],
  ['createRelease', () => ({ project: 'Web', version: 'v2-rc1', repository: 'acme/web', commit })],
  ['createDeployment', () => ({ project: 'Web', environment: 'production', version: 'v1-rc1' })],
])('%s is refused with the field and the cure', async (mutation, input) => {
  const type = String(interlockSchema().getMutationType()?.getFields()[mutation]?.args[0]?.type);
  const { errors } = await s.graphql(`mutation ($input: ${type}) { ${mutation}(input: $input) { __typename } }`, {
    input: input(),
  });
  expect(errors).toMatchObject([{ message: inactive, extensions: { code: 'BAD_INPUT', field: 'input.repository' } }]);
});

it('a runbook that was under way ends, and says why', async () => {
  await s.drain();
  const { data } = await s.graphql<{ runbook: object }>('{ runbook(number: 1) { status steps { leaves { error } } } }');
  expect(JSON.stringify(data.runbook)).toContain('The repository acme/web was deactivated.');
});

it('the explanation of an open pull request says that an admin must activate the repository', async () => {
  const { data } = await s.graphql<object>(
    `{ repository(owner: "acme", name: "web") { pullRequest(number: ${open}) {
       explain { who sentence conditions { sentence holds } } } } }`,
  );
  const sentence = 'The repository is inactive: nobody can queue it before an admin activates the repository.';
  expect(data).toMatchObject({
    repository: { pullRequest: { explain: { who: 'ADMIN', sentence, conditions: [{ sentence, holds: false }, {}] } } },
  });
});
