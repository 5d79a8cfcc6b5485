// A repository as a team uses it. It is pushed over HTTP, pull requests are opened by GraphQL, and queued and read over
// REST.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Client } from '../../src/demo/client.ts';
import { until } from './interlock.ts';

export type Files = Readonly<Record<string, string>>;

export interface PullRequestRead {
  readonly number: number;
  readonly status: string;
}

export interface Landing {
  readonly status: string;
  readonly statusCode: number | null;
  readonly statusText: string | null;
  readonly mergeCommit: string | null;
  readonly headCommitSha: string;
}

export interface TeamRepository {
  readonly name: string;
  readonly folder: string;
  git(...args: string[]): Promise<string>;
  /** Writes, commits and pushes on a branch made from `from`. */
  push(branch: string, files: Files, from?: string): Promise<void>;
  open(branch: string, title: string): Promise<number>;
  queue(number: number): Promise<void>;
  /** Reads a pull request by REST. */
  read(number: number): Promise<PullRequestRead>;
  landing(number: number): Promise<Landing>;
  settled(numbers: readonly number[], withinMs?: number): Promise<void>;
  remove(): Promise<void>;
}

const owner = 'team';

export async function createTeamRepository(client: Client, name: string, files: Files): Promise<TeamRepository> {
  await client.graphql(
    'mutation ($owner: String!, $name: String!) { createRepository(input: {owner: $owner, name: $name, host: LOCAL}) { repository { id } } }',
    { owner, name },
  );
  const folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-team-'));
  const repository = workIn(client, { owner, name, folder });
  await repository.git('init', '-q', '-b', 'main');
  await repository.git('remote', 'add', 'origin', `${client.url}/git/${owner}/${name}.git`);
  await repository.push('main', files);
  return repository;
}

/** The same functions for a repository that exists already. `folder` is a clone of it. */
export function workIn(
  client: Client,
  place: { readonly owner: string; readonly name: string; readonly folder: string; readonly baseBranch?: string },
): TeamRepository {
  const { owner, name, folder, baseBranch = 'main' } = place;
  const git = async (...args: string[]): Promise<string> => await client.git(folder, ...args);
  const repository: TeamRepository = {
    name: `${owner}/${name}`,
    folder,
    git,
    async push(branch, files, from) {
      if (from !== undefined) await git('checkout', '-q', '-B', branch, from);
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      await git('add', '-A');
      await git('commit', '-q', '-m', `Change ${branch}`);
      await git('push', '-q', 'origin', `HEAD:refs/heads/${branch}`);
    },
    async open(branch, title) {
      const { openPullRequest } = await client.graphql<{ openPullRequest: { pullRequest: { number: number } } }>(
        `mutation ($owner: String!, $name: String!, $title: String!, $branch: String!, $base: String!) {
           openPullRequest(input: {repository: {owner: $owner, name: $name}, title: $title, body: "", headBranch: $branch, baseBranch: $base}) { pullRequest { number } } }`,
        { owner, name, title, branch, base: baseBranch },
      );
      return openPullRequest.pullRequest.number;
    },
    async queue(number) {
      const pull_request = { number, repository: { org: owner, name } };
      await client.rest('POST', '/api/v1/pull_request', { action: 'queue', pull_request });
    },
    read: async (number) => await client.rest('GET', `/api/v1/pull_request?org=${owner}&repo=${name}&number=${number}`),
    async landing(number) {
      const answer = await client.graphql<{ repository: { pullRequest: Landing } }>(
        `query ($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) {
           pullRequest(number: $number) { status statusCode statusText mergeCommit headCommitSha } } }`,
        { owner, name, number },
      );
      return answer.repository.pullRequest;
    },
    async settled(numbers, withinMs = 150_000) {
      let last = '';
      const look = async (): Promise<boolean> => {
        const all = await Promise.all(numbers.map(async (number) => await repository.read(number)));
        last = all.map(({ number, status }) => `#${number} ${status}`).join(', ');
        return all.every(({ status }) => status === 'merged' || status === 'blocked');
      };
      // Reads slowly enough for the rate limit, also if several repositories do so at once.
      await until(look, { withinMs, everyMs: 500 }).catch((error: unknown) => {
        throw new Error(`${name}: ${last}`, { cause: error });
      });
    },
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
  return repository;
}
