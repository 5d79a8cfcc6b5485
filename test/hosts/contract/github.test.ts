// The host `github` fulfils the contract of a code host, on an emulator of GitHub.
import { Octokit } from '@octokit/rest';
import { afterAll } from 'vitest';
import type { Emulator } from '../../../github-emulator/index.ts';
import { github, type GitHub } from '../github/github-world.ts';
import { describeCodeHost } from './code-host.ts';

const speakers = [
  { who: 'a writer', mayWrite: true },
  { who: 'a stranger', mayWrite: false },
] as const;

const ciFiles = {
  '.github/workflows/ci.yml': `on:
  push:
    branches: ['mq-bot-**']
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - run: 'true'
`,
  '.github/workflows/deploy.yml': `on: workflow_dispatch
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - run: 'true'
`,
};

interface Started extends GitHub {
  readonly stranger: Octokit;
  readonly conclude: (check: { commit: string; name: string; conclusion: 'success' | 'failure' }) => Promise<void>;
}

let started: Promise<Started> | null = null;

async function start(): Promise<Started> {
  const given = await github();
  const { token } = given.emulator.addPerson('stranger');
  const stranger = new Octokit({ baseUrl: given.emulator.apiUrl, auth: token });
  return { ...given, stranger, conclude: scriptChecks(given.emulator) };
}

/** Every job runs until the test ends its newest attempt. */
function scriptChecks(emulator: Emulator): Started['conclude'] {
  const newest = new Map<string, number>();
  const ended = new Map<string, 'success' | 'failure'>();
  emulator.controls.checks(({ commit, name, attempt }) => {
    const key = `${commit} ${name}`;
    newest.set(key, Math.max(attempt, newest.get(key) ?? 0));
    return ended.get(`${key} ${attempt}`) ?? 'pending';
  });
  return async ({ commit, name, conclusion }) => {
    const key = `${commit} ${name}`;
    ended.set(`${key} ${newest.get(key) ?? 1}`, conclusion);
    await Promise.resolve();
  };
}

afterAll(async () => await (await started)?.close());

describeCodeHost('github', { speakers }, async () => {
  started ??= start();
  const { person, stranger, emulator, world, conclude } = await started;
  const { host, repository, place, push, pushTo } = await world();
  return {
    host,
    repository,
    push,
    ciFiles,
    workflow: 'deploy.yml',
    conclude,
    requireChecks: async (branch, contexts) => {
      await person.repos.updateBranchProtection({
        ...place,
        branch,
        required_status_checks: { strict: false, contexts: [...contexts] },
        enforce_admins: true,
        required_pull_request_reviews: null,
        restrictions: null,
      });
    },
    comment: async ({ number, body, by }) => {
      await (by === 'a writer' ? person : stranger).issues.createComment({ ...place, issue_number: number, body });
    },
    openOfFork: async ({ branch, head }) => {
      const { data: fork } = await person.repos.createFork({ ...place, name: `fork-of-${place.repo}` });
      await pushTo(fork.full_name, `+${head}:refs/heads/${branch}`);
      const { data } = await person.pulls.create({
        ...place,
        title: `Add ${branch}`,
        head: `${fork.owner.login}:${branch}`,
        base: 'main',
      });
      await emulator.core.settled();
      return data.number;
    },
    close: async () => await Promise.resolve(),
  };
});
