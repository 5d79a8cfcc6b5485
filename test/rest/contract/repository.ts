// Makes what the cases use, as users would: repositories, pushes, pull requests.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestServer } from '../../support/server.ts';

export interface Installation {
  readonly url: string;
  readonly token: string;
}

export interface PreparedRepository {
  readonly org: string;
  readonly name: string;
  readonly 'name-with-owner': string;
  /** A repository to which nothing was pushed. */
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
  await makeRepository(at, { ...repository, name: 'idle' });
  await makeRepository(at, repository);
  await pushBranches(at, repository, [branch]);
  const number = await openPullRequest(at, { repository, title, headBranch: branch, baseBranch: 'main' });
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

export interface PreparedLine {
  /** The name of its repository, in the same organization. */
  readonly line: string;
  readonly merged: number;
  readonly tagged: number;
  readonly queued: number;
  /** A pull request in line while its base branch is paused. */
  readonly held: number;
  readonly blocked: number;
  readonly closed: number;
  readonly bot: number;
  readonly 'bot-head': string;
  readonly 'bot-base': string;
}

/** Makes a repository whose pull requests have every status that a line gives. None of its checks ends. */
export async function prepareLine(
  at: Installation & Pick<TestServer, 'accountId' | 'rest' | 'drain' | 'service' | 'rows'>,
  name = 'line',
): Promise<PreparedLine> {
  const repository = { owner: 'acme', name };
  const names = ['merged', 'tagged', 'queued', 'held', 'blocked', 'closed'] as const;
  await makeRepository(at, repository);
  await pushBranches(at, repository, [...names]);
  const reference = { org: repository.owner, name: repository.name };
  const post = async (path: string, body: unknown): Promise<void> => {
    const answer = await at.rest('POST', path, { body, token: at.token });
    if (answer.status !== 200) throw new Error(await answer.text());
  };
  await post(
    `/api/v1/config?org=${reference.org}&repo=${reference.name}`,
    'merge_rules: {labels: {trigger: go}, base_branches: [main, release], merge_mode: {type: parallel, parallel_mode: {max_parallel_builds: 1}}}',
  );
  await post('/api/v1/branches', { repository: reference, pattern: 'release', paused: true, paused_message: 'Soon' });
  const numbers: Record<string, number> = {};
  for (const name of names) {
    numbers[name] = await openPullRequest(at, {
      repository,
      title: `Add ${name}`,
      headBranch: name,
      baseBranch: name === 'held' ? 'release' : 'main',
      draft: name === 'blocked',
    });
  }
  const queue = async (name: (typeof names)[number], more: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    await post('/api/v1/pull_request', {
      action: 'queue',
      pull_request: { number: numbers[name], repository: reference, ...more },
    });
    await at.drain();
  };
  await queue('merged', { skip_validation: true });
  for (const name of ['held', 'tagged', 'queued', 'blocked'] as const) await queue(name);
  const [row] = await at.rows<{ accountId: string; id: string }>(
    'select account_id as "accountId", id from repository where account_id = $1 and name = $2',
    [at.accountId, repository.name],
  );
  if (!row) throw new Error('The repository is not there.');
  await at.service.localHost.closePullRequest({ ...row, ...repository }, numbers['closed'] ?? 0);
  await at.drain();
  const [bot] = await at.rows<Record<'head' | 'base', string> & { number: number }>(
    'select number, head_commit_sha as head, pre_batch_sha as base from bot_pull_request where repository_id = $1',
    [row.id],
  );
  if (!bot) throw new Error('No bot pull request was opened.');
  return {
    line: repository.name,
    ...(numbers as Record<(typeof names)[number], number>),
    bot: bot.number,
    'bot-head': bot.head,
    'bot-base': bot.base,
  };
}

export async function makeRepository(
  at: Installation,
  { owner, name }: { owner: string; name: string },
): Promise<void> {
  const made = 'mutation ($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { name } } }';
  await ask(at, made, { owner, name, host: 'LOCAL' });
}

export async function openPullRequest(at: Installation, input: unknown): Promise<number> {
  const opened = await ask<{ openPullRequest: { pullRequest: { number: number } } }>(
    at,
    'mutation ($input: OpenPullRequestInput!) { openPullRequest(input: $input) { pullRequest { number } } }',
    input,
  );
  return opened.openPullRequest.pullRequest.number;
}

export async function ask<Data>({ url, token }: Installation, query: string, input: unknown): Promise<Data> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: readonly { message: string }[] };
  if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));
  return data;
}

/**
 * Pushes `main` and `release` at the same commit, then each branch with a file of its own on top of it, and then the
 * configuration on `main`.
 */
export async function pushBranches(
  at: Installation,
  { owner, name }: { owner: string; name: string },
  branches: readonly string[],
  configuration?: string,
): Promise<void> {
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
    await git('branch', 'release');
    for (const branch of branches) {
      await git('checkout', '-q', '-b', branch, 'main');
      await writeFile(join(work, `${branch}.html`), '<p>\n');
      await git('add', '-A');
      await git('commit', '-q', '-m', `Add ${branch}`);
    }
    await git('push', '-q', remote.href, 'main', 'release', ...branches);
    if (configuration === undefined) return;
    await git('checkout', '-q', 'main');
    await writeFile(join(work, '.service', 'config.yml'), configuration);
    await git('add', '-A');
    await git('commit', '-q', '-m', 'Configure');
    await git('push', '-q', remote.href, 'main');
  } finally {
    await rm(work, { recursive: true });
  }
}
