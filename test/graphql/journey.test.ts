// What a user does with the API, starting with an empty account, by typed operations and real git.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generate } from '@graphql-codegen/cli';
import { parse } from 'yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';
import { startServer, type TestServer } from '../support/server.ts';
import {
  CreateRepositoryDocument,
  DequeuePullRequestDocument,
  OpenPullRequestDocument,
  PullRequestDocument,
  QueueOverviewDocument,
  QueuePullRequestDocument,
} from './generated/operations.ts';

const run = promisify(execFile);
const repository = { owner: 'acme', name: 'shop' };
const author = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.test',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.test',
};

let s: TestServer;
let work: string;
const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: work, env: { ...process.env, ...author, GIT_TERMINAL_PROMPT: '0' } })).stdout.trim();

beforeAll(async () => {
  s = await startServer();
  work = await mkdtemp(join(tmpdir(), 'interlock-journey-'));
  await git('init', '-q', '-b', 'main');
  await writeFile(join(work, 'README.md'), 'shop\n');
  await git('add', '.');
  await git('commit', '-q', '-m', 'First');
  await git('checkout', '-q', '-b', 'topic');
  await writeFile(join(work, 'feature.txt'), 'new\n');
  await git('add', '.');
  await git('commit', '-q', '-m', 'Feature');
});
afterAll(async () => {
  await s.close();
  await rm(work, { recursive: true });
});

it('a user makes a repository, pushes to it, opens a pull request, queues it and dequeues it', async () => {
  const { createRepository } = await s.execute(CreateRepositoryDocument, { input: { ...repository, host: 'LOCAL' } });
  expect(createRepository.repository).toMatchObject({ ...repository, defaultBranch: 'main' });

  const remote = new URL(`${s.url}/git/acme/shop.git`);
  Object.assign(remote, { username: 'token', password: s.token });
  await git('push', '-q', remote.href, 'main', 'topic');

  const opened = await s.execute(OpenPullRequestDocument, {
    input: { repository, title: 'Feature', body: 'It is new.', headBranch: 'topic', baseBranch: 'main' },
  });
  expect(opened.openPullRequest.pullRequest).toMatchObject({ number: 1, status: 'OPEN' });

  const queued = await s.execute(QueuePullRequestDocument, { input: { repository, number: 1 } });
  expect(queued.queuePullRequest.pullRequest).toEqual({ number: 1, status: 'QUEUED', queued: true });
  const overview = await s.execute(QueueOverviewDocument, { ...repository, baseBranch: 'main' });
  expect(overview.repository).toMatchObject({
    queueDepth: { queued: 1 },
    queue: { haltedReason: null, entries: [{ number: 1, position: 1, explain: { who: 'QUEUE' } }] },
  });

  const rest = await (await s.rest('GET', '/api/v1/pull_request?org=acme&repo=shop&branch=topic')).json();
  expect(rest).toMatchObject({
    number: 1,
    status: 'queued',
    queued: true,
    title: 'Feature',
    head_branch: 'topic',
    base_branch: 'main',
    repository: { org: 'acme', name: 'shop' },
    merged_at: null,
    bot_pull_request: null,
  });

  const dequeued = await s.execute(DequeuePullRequestDocument, { input: { repository, number: 1 } });
  expect(dequeued.dequeuePullRequest.pullRequest).toEqual({ number: 1, status: 'OPEN', queued: false });
  const { repository: found } = await s.execute(PullRequestDocument, { ...repository, number: 1 });
  expect(found?.pullRequest).toMatchObject({ number: 1, status: 'OPEN', queuedAt: null, mergedAt: null });
});

it('a push is refused for a token that may only read', async () => {
  const remote = new URL(`${s.url}/git/acme/shop.git`);
  Object.assign(remote, { username: 'token', password: await s.tokenWith(['queue:read']) });
  await expect(git('push', '-q', remote.href, 'topic:refs/heads/other')).rejects.toThrow('403');
  expect(await git('ls-remote', remote.href, 'refs/heads/topic')).toContain(await git('rev-parse', 'topic'));
});

it('the generated operations fit the present schema', async () => {
  const config = parse(await readFile(join(projectRoot, 'codegen.yml'), 'utf8'));
  const files: readonly { readonly filename: string; readonly content: string }[] = await generate(
    { ...config, cwd: projectRoot, silent: true },
    false,
  );
  expect(files.map(({ filename }) => filename)).toContain('test/graphql/generated/operations.ts');
  for (const { filename, content } of files)
    expect(content, filename).toBe(await readFile(join(projectRoot, filename), 'utf8'));
});
