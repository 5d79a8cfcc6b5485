// The code host of the demo's repository: Interlock itself, or GitHub. There people push, open pull requests and queue
// them. At GitHub, the demo uses a person's token.
import { setTimeout as delay } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { createClient, createGitRunner, type RunGit } from './client.ts';
import type { Scenario } from './scenario.ts';

export interface DemoHost {
  /** The URL for git. */
  readonly remote: string;
  /** The address of the repository's page. Null: the host has none. */
  readonly page: string | null;
  readonly git: RunGit;
  /** Creates an empty, active repository. */
  createRepository(): Promise<void>;
  /** Opens a pull request from a pushed branch into main, and returns its number. */
  openPullRequest(pullRequest: { readonly branch: string; readonly title: string }): Promise<number>;
  /** Queues the pull request as a person. Resolves when it is in line. */
  queue(number: number): Promise<void>;
  /** Checks what the host shows about a merged or blocked pull request. Returns a sentence for each fault. */
  check(pullRequest: { readonly number: number; readonly status: string }): Promise<readonly string[]>;
}

interface Place {
  readonly url: string;
  readonly token: string;
  readonly scenario: Scenario;
}

/** A person's token at GitHub, and the addresses of GitHub. */
export interface GitHubPerson {
  readonly webUrl: string;
  readonly apiUrl: string;
  readonly token: string;
}

export function localDemoHost({ url, token, scenario: { owner, name } }: Place): DemoHost {
  const client = createClient({ url, token });
  return {
    remote: `${url}/git/${owner}/${name}.git`,
    page: null,
    git: client.git,
    async createRepository() {
      await client.graphql(
        'mutation ($owner: String!, $name: String!) { createRepository(input: {owner: $owner, name: $name, host: LOCAL}) { repository { id } } }',
        { owner, name },
      );
    },
    async openPullRequest({ branch, title }) {
      const opened = await client.graphql<{ openPullRequest: { pullRequest: { number: number } } }>(
        `mutation ($owner: String!, $name: String!, $title: String!, $branch: String!) {
           openPullRequest(input: {repository: {owner: $owner, name: $name}, title: $title, body: "", headBranch: $branch, baseBranch: "main"}) { pullRequest { number } } }`,
        { owner, name, title, branch },
      );
      return opened.openPullRequest.pullRequest.number;
    },
    async queue(number) {
      const pull_request = { number, repository: { org: owner, name } };
      await client.rest('POST', '/api/v1/pull_request', { action: 'queue', pull_request });
    },
    check: async () => await Promise.resolve([]),
  };
}

/** The most time that GitHub's webhooks and a listing of the installation may take. */
const followedWithinMs = 120_000;

const inLine: ReadonlySet<string> = new Set(['QUEUED', 'TAGGED', 'BLOCKED']);

export function githubDemoHost({ url, token, scenario }: Place, person: GitHubPerson): DemoHost {
  const { owner, name } = scenario;
  const client = createClient({ url, token });
  const octokit = new Octokit({ baseUrl: person.apiUrl, auth: person.token });
  const place = { owner, repo: name };
  const readStatus = async (number: number): Promise<string | null> =>
    await readStatusOf(client, { owner, name, number });
  return {
    remote: `${person.webUrl}/${owner}/${name}.git`,
    page: `${person.webUrl}/${owner}/${name}`,
    git: createGitRunner(person.token),
    async createRepository() {
      await octokit.request('POST /orgs/{org}/repos', { org: owner, name });
      // GitHub sends the browser of a person who has chosen repositories to this address. The request makes Interlock
      // read the installation again.
      await fetch(`${url}/github/installed`);
      await activateListed(client, { owner, name });
    },
    async openPullRequest({ branch, title }) {
      const { data } = await octokit.request('POST /repos/{owner}/{repo}/pulls', {
        ...place,
        title,
        head: branch,
        base: 'main',
      });
      await pollUntil(`#${data.number} to be known`, async () => await readStatus(data.number));
      return data.number;
    },
    async queue(number) {
      const labelled = { ...place, issue_number: number, labels: ['mergequeue'] };
      await octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', labelled);
      await pollUntil(`#${number} to be in line`, async () => {
        const status = await readStatus(number);
        return status !== null && inLine.has(status) ? status : null;
      });
    },
    async check({ number, status }) {
      const landed = scenario.showsAsMerged ? 'merged' : 'closed';
      const should = status === 'merged' ? landed : 'open';
      const read = async (): Promise<string> => {
        const { data } = await octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
          ...place,
          pull_number: number,
        });
        return data.merged ? 'merged' : data.state;
      };
      // GitHub shows the new state a moment after the landing, because Interlock does not wait for GitHub.
      return await pollUntil(`GitHub to show #${number}`, async () => ((await read()) === should ? [] : null)).catch(
        async () => [`GitHub shows #${number} as ${await read()}, not as ${should}`],
      );
    },
  };
}

type Client = ReturnType<typeof createClient>;

async function readStatusOf(
  client: Client,
  pullRequest: { readonly owner: string; readonly name: string; readonly number: number },
): Promise<string | null> {
  const { repository } = await client.graphql<{ repository: { pullRequest: { status: string } | null } }>(
    'query ($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { pullRequest(number: $number) { status } } }',
    pullRequest,
  );
  return repository.pullRequest?.status ?? null;
}

/** Waits until Interlock knows the repository, and activates it. */
async function activateListed(
  client: Client,
  repository: { readonly owner: string; readonly name: string },
): Promise<void> {
  await pollUntil(`${repository.owner}/${repository.name} to be listed`, async () => {
    const found = await client.graphql<{ repository: { id: string } | null }>(
      'query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }',
      repository,
    );
    return found.repository?.id ?? null;
  });
  await client.graphql(
    'mutation ($repository: RepositoryInput!) { setRepositoryActive(input: {repository: $repository, active: true}) { repository { id } } }',
    { repository },
  );
}

async function pollUntil<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + followedWithinMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`Two minutes were not enough for ${what}.`);
    await delay(100);
  }
}
