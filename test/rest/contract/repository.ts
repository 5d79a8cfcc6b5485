// What the contract's cases speak of, made as a user makes it: two repositories, a push, a pull request.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Installation {
  readonly url: string;
  readonly token: string;
}

export interface PreparedRepository {
  readonly org: string;
  readonly name: string;
  readonly 'name-with-owner': string;
  /** A repository nothing was pushed to. */
  readonly 'other-name': string;
  readonly number: number;
  readonly 'number-text': string;
  readonly title: string;
  readonly branch: string;
}

const run = promisify(execFile);
const author = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.test' };
const committer = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.test' };

export async function prepareRepository(at: Installation): Promise<PreparedRepository> {
  const repository = { owner: 'acme', name: 'web' };
  const [branch, title] = ['topic', 'Add a page'];
  for (const name of ['idle', repository.name]) {
    const made =
      'mutation ($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { name } } }';
    await ask(at, made, { owner: repository.owner, name, host: 'LOCAL' });
  }
  await push(at, repository, branch);
  const opened = await ask<{ openPullRequest: { pullRequest: { number: number } } }>(
    at,
    'mutation ($input: OpenPullRequestInput!) { openPullRequest(input: $input) { pullRequest { number } } }',
    { repository, title, headBranch: branch, baseBranch: 'main' },
  );
  const { number } = opened.openPullRequest.pullRequest;
  const { owner: org, name } = repository;
  return {
    org,
    name,
    'name-with-owner': `${org}/${name}`,
    'other-name': 'idle',
    number,
    'number-text': String(number),
    title,
    branch,
  };
}

async function ask<Data>({ url, token }: Installation, query: string, input: unknown): Promise<Data> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: readonly { message: string }[] };
  if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));
  return data;
}

async function push(at: Installation, { owner, name }: { owner: string; name: string }, branch: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'interlock-contract-'));
  const git = async (...args: string[]): Promise<unknown> =>
    run('git', args, { cwd: work, env: { ...process.env, ...author, ...committer, GIT_TERMINAL_PROMPT: '0' } });
  const remote = new URL(`${at.url}/git/${owner}/${name}.git`);
  remote.username = 'ada';
  remote.password = at.token;
  try {
    await git('init', '-q', '-b', 'main');
    await mkdir(join(work, '.service'));
    await writeFile(join(work, '.service', 'ci.yml'), 'checks:\n  test:\n    run: "true"\n');
    await git('add', '-A');
    await git('commit', '-q', '-m', 'First');
    await git('checkout', '-q', '-b', branch);
    await writeFile(join(work, 'page.html'), '<p>\n');
    await git('add', '-A');
    await git('commit', '-q', '-m', 'Add a page');
    await git('push', '-q', remote.href, 'main', 'main:release', branch);
  } finally {
    await rm(work, { recursive: true });
  }
}
