// A world whose repository is at an emulator of GitHub. People push, review and label by their tokens, the emulator's
// Actions run the checks, and webhooks arrive over HTTP.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Octokit } from '@octokit/rest';
import Fastify from 'fastify';
import { parse, stringify } from 'yaml';
import { type Emulator, startEmulator } from '../../github-emulator/index.ts';
import { systemContext, type Context } from '../../src/context.ts';
import { hostClient, type HostPullRequest, toHostedRepository } from '../../src/hosts/port.ts';
import { createAccount, type Secrets } from '../../src/modules/accounts/index.ts';
import { addApp } from '../../src/modules/github/index.ts';
import { syncBase } from '../../src/modules/queue/index.ts';
import { changeActivity, findRepository } from '../../src/modules/repositories/index.ts';
import { serveGitHub } from '../../src/server/github.ts';
import type { Service } from '../../src/service.ts';
import { commitAsUser, type UserCommit } from './user-commits.ts';
import { ada, type WorldHost } from './world-host.ts';
import { worldName, type WorldStart } from './world-template.ts';

const run = promisify(execFile);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** In tests, pushes are not spread over a minute. */
export const quickPace = { perMinute: 100_000, gatherMs: 0 };

interface CiEntry {
  readonly run: string;
}

/** The names of the checks in a `.service/ci.yml`. */
export function checkNames(ci: string): readonly string[] {
  return Object.keys((parse(ci) as { checks?: object } | null)?.checks ?? {});
}

/**
 * The workflow of GitHub that corresponds to a `.service/ci.yml`. Checks run on heads and bot branches, workflows on
 * request.
 */
export function asWorkflows(ci: string): Record<string, string> {
  const { checks = {}, workflows = {} } = parse(ci) as {
    checks?: Record<string, CiEntry>;
    workflows?: Record<string, CiEntry>;
  };
  const jobOf = (name: string, { run: command }: CiEntry): object => ({
    name,
    'runs-on': 'ubuntu-latest',
    env: { INTERLOCK_CHECK: name },
    steps: [{ uses: 'actions/checkout@v4' }, { run: command }],
  });
  const jobs = Object.entries(checks).map(([name, entry], index) => [
    `check${index}`,
    { ...jobOf(name, entry), if: "${{ !startsWith(github.head_ref, 'mq-bot-') }}" },
  ]);
  const on = { push: { branches: ['mq-bot-**'] }, pull_request: null };
  return {
    ...(jobs.length > 0 && {
      '.github/workflows/ci.yml': stringify({ name: 'ci', on, jobs: Object.fromEntries(jobs) }),
    }),
    ...Object.fromEntries(
      Object.entries(workflows).map(([name, entry]) => [
        `.github/workflows/${name}.yml`,
        stringify({ name, on: { workflow_dispatch: null }, jobs: { run: jobOf(name, entry) } }),
      ]),
    ),
  };
}

/**
 * A configuration of the local host, changed so that it requires the checks by name, because GitHub never says that all
 * checks have started.
 */
export function withRequiredChecks(yaml: string, names: readonly string[]): string {
  const configuration = parse(yaml) as { merge_rules: { preconditions?: Record<string, unknown> } };
  const preconditions = { required_checks: names, ...configuration.merge_rules.preconditions };
  return stringify({ ...configuration, merge_rules: { ...configuration.merge_rules, preconditions } });
}

export interface GitHubWorldOptions {
  readonly files: Readonly<Record<string, string>>;
  readonly ci: string;
  readonly runsCi: boolean;
  readonly dataDir: string;
}

export interface GitHubWorldStart {
  readonly start: WorldStart;
  readonly host: WorldHost;
}

/** Makes the world in a service whose database contains only the secrets. */
export async function beginGitHubWorld(
  service: Service,
  secrets: Secrets,
  { files, ci, runsCi, dataDir }: GitHubWorldOptions,
): Promise<GitHubWorldStart> {
  const emulator = await startEmulator({ owner: worldName.owner });
  if (!runsCi) emulator.controls.checks(() => 'pending');
  const fastify = Fastify();
  await serveGitHub(fastify, { ...service, secrets });
  const url = await fastify.listen({ port: 0, host: '127.0.0.1' });
  const { accountId, token } = await createAccount(service.ports, secrets, {
    name: 'world',
    email: 'service@example.test',
  });
  const ctx = systemContext({ ...service.ports, publicUrl: url }, accountId);
  const { fullName } = await emulator.addRepository(worldName.name, { files: { ...files, ...asWorkflows(ci) } });
  const { webhookUrl } = await addApp(ctx, secrets, {
    ...emulator,
    id: emulator.appId,
    privateKey: readFileSync(emulator.keyFile, 'utf8'),
  });
  emulator.setWebhookUrl(webhookUrl);
  await service.syncInstallations();
  const repository = await findRepository(ctx, worldName);
  if (repository === null) throw new Error(`${fullName} was not listed.`);
  await changeActivity(ctx, repository.id, true);
  await syncBase(ctx, toHostedRepository(repository), 'main');
  const stop = async (): Promise<void> => {
    await fastify.close();
    await emulator.stop();
  };
  const host = await makeHost({ service, ctx, emulator, repository: toHostedRepository(repository), dataDir, stop });
  return { start: { accountId, token, secrets }, host };
}

interface HostParts {
  readonly service: Service;
  readonly ctx: Context;
  readonly emulator: Emulator;
  readonly repository: ReturnType<typeof toHostedRepository>;
  readonly dataDir: string;
  readonly stop: () => Promise<void>;
}

async function makeHost({ service, ctx, emulator, repository, dataDir, stop }: HostParts): Promise<WorldHost> {
  const place = { owner: repository.owner, repo: repository.name };
  const git = service.localHost.installation.git;
  const row = emulator.core.state.repositories.find(({ name }) => name === repository.name);
  if (row === undefined) throw new Error('The emulator has no such repository.');
  const gitDir = emulator.core.git.directoryOf(row);
  const userDir = join(dataDir, 'user.git');
  await mkdir(userDir, { recursive: true });
  await run('git', ['init', '--quiet', '--bare', userDir]);
  await writeFile(join(userDir, 'objects', 'info', 'alternates'), `${join(gitDir, 'objects')}\n`);
  const tokens = new Map([[emulator.login, emulator.token]]);
  const tokenOf = (login: string): string => {
    const token = tokens.get(login) ?? emulator.addPerson(login, 'admin').token;
    tokens.set(login, token);
    return token;
  };
  const as = (login: string): Octokit =>
    new Octokit({ baseUrl: emulator.apiUrl, auth: tokenOf(login), log: silent, userAgent: 'world' });
  const person = as(emulator.login);
  const followed = async (): Promise<void> => {
    await emulator.core.settled();
    await service.drain();
  };
  const push = async (refspec: string): Promise<void> => {
    const header = `Authorization: Basic ${Buffer.from(`x-access-token:${emulator.token}`).toString('base64')}`;
    const remote = `${emulator.url}/${place.owner}/${place.repo}.git`;
    await run('git', ['-c', `http.extraHeader=${header}`, 'push', '--quiet', '--force', remote, refspec], {
      cwd: userDir,
    });
  };
  return {
    repository,
    committer: `${emulator.slug}[bot]`,
    pageOf: (number) => `${emulator.webUrl}/${place.owner}/${place.repo}/pull/${number}`,
    gitDir,
    git: async (...args) => await git.text(gitDir, args, { env: ada }),
    commit: async (commit: UserCommit) => {
      const parent = commit.parent === null ? null : await git.text(gitDir, ['rev-parse', `${commit.parent}^0`]);
      const { '.service/ci.yml': ci, ...files } = commit.files;
      const id = await commitAsUser(git, userDir, {
        ...commit,
        parent,
        files: { ...files, ...(typeof ci === 'string' && asWorkflows(ci)) },
      });
      await push(`${id}:refs/heads/${commit.branch}`);
      await followed();
      return id;
    },
    open: async ({ title, headBranch, baseBranch }) => {
      const { data } = await person.pulls.create({ ...place, title, head: headBranch, base: baseBranch });
      await followed();
      return data.number;
    },
    retarget: async (number, base) => {
      await person.pulls.update({ ...place, pull_number: number, base });
      await followed();
    },
    review: async (pull_number, { reviewer, verdict }) => {
      const { pulls } = as(reviewer);
      if (verdict === 'dismissed') {
        const { data } = await person.pulls.listReviews({ ...place, pull_number });
        const last = data.findLast(({ user }) => user?.login === reviewer);
        await person.pulls.dismissReview({ ...place, pull_number, review_id: last?.id ?? 0, message: 'Out of date' });
      } else if (verdict === 'approved') await pulls.createReview({ ...place, pull_number, event: 'APPROVE' });
      else await pulls.createReview({ ...place, pull_number, event: 'REQUEST_CHANGES', body: 'Not yet' });
      await followed();
    },
    close: async (pull_number) => {
      await person.pulls.update({ ...place, pull_number, state: 'closed' });
      await followed();
    },
    reopen: async (pull_number) => {
      await person.pulls.update({ ...place, pull_number, state: 'open' });
      await followed();
    },
    label: async (issue_number, label, present, by = emulator.login) => {
      const { issues } = as(by);
      if (present) await issues.addLabels({ ...place, issue_number, labels: [label] });
      else await issues.removeLabel({ ...place, issue_number, name: label });
      await followed();
    },
    merge: async (pull_number, { expectedHead, strategy, message }) => {
      const [commit_title = '', ...rest] = message.split('\n');
      await person.pulls.merge({
        ...place,
        pull_number,
        sha: expectedHead,
        merge_method: strategy,
        commit_title,
        commit_message: rest.join('\n').trim(),
      });
      await followed();
    },
    pullRequest: async (number): Promise<HostPullRequest | null> =>
      await hostClient(ctx, repository).getPullRequest(number),
    pullRequests: async () => {
      const { data } = await person.pulls.list({ ...place, state: 'all', per_page: 100 });
      return data
        .map(({ number, head, state }) => ({ number, branch: head.ref, isOpen: state === 'open' }))
        .toSorted((a, b) => a.number - b.number);
    },
    workflowRuns: async () => {
      const asked = { ...place, event: 'workflow_dispatch', per_page: 100 };
      const { data } = await person.actions.listWorkflowRunsForRepo(asked);
      return data.workflow_runs.map(({ name, conclusion }) => ({ name: name ?? '', conclusion }));
    },
    comments: async (issue_number) => {
      const { data } = await person.issues.listComments({ ...place, issue_number, per_page: 100 });
      return data.flatMap(({ body = '' }) => {
        const key = /<!-- interlock:([^ ]*) -->\s*$/.exec(body)?.[1];
        // The local host marks a pull request as merged. At GitHub, a comment names the commit instead.
        if (key === undefined || key === 'landed') return [];
        return [{ key: decodeURIComponent(key), body: body.replace(/\s*<!-- interlock:[^ ]* -->\s*$/, '') }];
      });
    },
    publishedChecks: async (commit) => {
      const { data } = await person.checks.listForRef({ ...place, ref: commit, app_id: Number(emulator.appId) });
      return data.check_runs.map((check) => ({
        commit,
        name: check.name,
        state: check.conclusion === 'success' || check.conclusion === 'failure' ? check.conclusion : 'pending',
        title: check.output.title ?? '',
        summary: check.output.summary ?? '',
        url: check.details_url,
        version: Number(check.external_id?.split(':')[1]),
      }));
    },
    startCi: () => emulator.controls.checks(null),
    runCi: async () => {
      emulator.controls.checks(null);
      return await Promise.resolve({ [Symbol.asyncDispose]: async () => await Promise.resolve() });
    },
    stop,
  };
}
