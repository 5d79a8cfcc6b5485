// A disposable repository at GitHub, which is emptied before each test, and the host `github` that works with it.
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import pg from 'pg';
import { createGitHubHost } from '../../src/hosts/github/index.ts';
import type { HostAdapter, HostRepository } from '../../src/hosts/port.ts';
import { entities } from '../../src/modules/entities.ts';
import { connectDatabase } from '../../src/platform/database.ts';
import { commit, git } from '../hosts/commits.ts';
import { createTestDatabase } from '../support/postgres.ts';
import type { LiveSettings } from './settings.ts';

export interface EmptyRepository {
  readonly repository: HostRepository;
  /** A bare repository of the person, which has no commits at first. */
  readonly directory: string;
  readonly push: (input: {
    branch: string;
    from?: string | undefined;
    files: Readonly<Record<string, string>>;
    message?: string;
  }) => Promise<string>;
}

export interface LiveWorld {
  readonly host: HostAdapter;
  readonly person: Octokit;
  readonly stranger: Octokit | null;
  readonly app: Octokit;
  /** The App's slug. */
  readonly slug: string;
  readonly place: { readonly owner: string; readonly repo: string };
  /** Pushes as the person. Returns the output of git if GitHub refuses the push, otherwise null. */
  pushTo(directory: string, fullName: string, ...refspecs: string[]): Promise<string | null>;
  /** Closes pull requests, and removes branches, rules and comments. */
  empty(): Promise<EmptyRepository>;
  /** Ends the newest run of the job `test` on a commit. */
  conclude(check: { commit: string; conclusion: 'success' | 'failure' }): Promise<void>;
  close(): Promise<void>;
}

/**
 * The workflow of the job `test`. The job waits until the suite pushes a ref that names the commit, the attempt and the
 * conclusion.
 */
export const ciFiles = {
  '.github/workflows/ci.yml': `on:
  push:
    branches: ['mq-bot-**']
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - env:
          TOKEN: \${{ github.token }}
          REF: refs/interlock/live/\${{ github.event.pull_request.head.sha || github.sha }}/\${{ github.run_attempt }}
        run: |
          login=$(printf 'x-access-token:%s' "$TOKEN" | base64 -w0)
          while :; do
            told=$(git -c "http.extraHeader=Authorization: Basic $login" ls-remote "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" "$REF/*")
            case "$told" in *success) exit 0 ;; *failure) exit 1 ;; esac
            sleep 2
          done
`,
  '.github/workflows/deploy.yml': `on: workflow_dispatch
jobs:
  deploy:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - run: sleep 300
`,
};

const run = promisify(execFile);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export async function openLiveWorld(settings: LiveSettings): Promise<LiveWorld> {
  const { apiUrl: baseUrl, webUrl, owner, repo, appId, privateKey } = settings;
  const place = { owner, repo };
  const person = new Octokit({ baseUrl, auth: settings.token, log: silent });
  const stranger =
    settings.strangerToken === null ? null : new Octokit({ baseUrl, auth: settings.strangerToken, log: silent });
  const asApp = new Octokit({ baseUrl, authStrategy: createAppAuth, auth: { appId, privateKey }, log: silent });
  const { data: installation } = await asApp.apps.getRepoInstallation(place);
  const app = new Octokit({
    baseUrl,
    authStrategy: createAppAuth,
    auth: { appId, privateKey, installationId: installation.id },
    log: silent,
  });
  const { data: seen } = await app.repos.get(place);
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'live-'));
  const db = await connectDatabase({ url: database.url, entities: entities as never, onError: () => {} });
  const sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  const slug = installation.app_slug;
  const found = {
    id: String(installation.id),
    app: { id: appId, slug, clientId: '', privateKey, apiUrl: baseUrl, webUrl },
  };
  const host = createGitHubHost({
    dataDir: join(folder, 'data'),
    db,
    clock: () => new Date(),
    // Bot branches are deleted at once.
    pace: { perMinute: 60, gatherMs: 0 },
    findInstallation: async () => await Promise.resolve({ githubId: String(seen.id), installation: found }),
  });
  const header = `Authorization: Basic ${Buffer.from(`x-access-token:${settings.token}`).toString('base64')}`;
  const talk = async (directory: string, ...args: string[]) =>
    await run('git', ['-c', `http.extraHeader=${header}`, ...args], { cwd: directory });

  const w: LiveWorld = {
    ...{ host, person, stranger, app, slug, place },
    async pushTo(directory, fullName, ...refspecs) {
      return await talk(directory, 'push', '--quiet', `${webUrl}/${fullName}.git`, ...refspecs).then(
        () => null,
        (error: unknown) => String((error as { stderr?: string }).stderr ?? error),
      );
    },
    async empty() {
      const directory = mkdtempSync(join(folder, 'user-'));
      git(directory, 'init', '--quiet', '--bare', '.');
      await removeRules(w);
      await cancelRuns(w);
      for (const { number } of await person.paginate(person.pulls.list, { ...place, state: 'open' }))
        await person.pulls.update({ ...place, pull_number: number, state: 'closed' });
      const since = new Date(Date.now() - 600_000).toISOString();
      for (const { id } of await person.paginate(person.issues.listCommentsForRepo, { ...place, since }))
        await person.issues.deleteComment({ ...place, comment_id: id });
      const { stdout } = await talk(directory, 'ls-remote', '--refs', `${webUrl}/${owner}/${repo}.git`);
      const refs = stdout.split('\n').flatMap((line) => line.split('\t')[1] ?? []);
      const stale = refs.filter((ref) => /^refs\/(heads|interlock)\//.test(ref) && ref !== 'refs/heads/main');
      if (stale.length > 0) await w.pushTo(directory, `${owner}/${repo}`, ...stale.map((ref) => `:${ref}`));
      const { rows } = await sql.query<{ id: string; account_id: string }>(
        `with made as (insert into account (name) values ($1) returning id)
         insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
         select id, $2, $3, 'github', '', '' from made returning id::text as id, account_id::text as account_id`,
        [`live-${Date.now()}`, owner, repo],
      );
      const { id = '', account_id: accountId = '' } = rows[0] ?? {};
      return { repository: { accountId, id, owner, name: repo }, directory, push: pusher(w, directory) };
    },
    async conclude({ commit: sha, conclusion }) {
      const runs = await person.paginate(person.actions.listWorkflowRunsForRepo, { ...place, head_sha: sha });
      const attempt = Math.max(...runs.map(({ run_attempt }) => run_attempt ?? 1));
      const directory = mkdtempSync(join(folder, 'end-'));
      git(directory, 'init', '--quiet', '--bare', '.');
      const end = commit(directory, { branch: 'end', files: { [sha]: conclusion } });
      const refused = await w.pushTo(
        directory,
        `${owner}/${repo}`,
        `${end}:refs/interlock/live/${sha}/${attempt}/${conclusion}`,
      );
      if (refused !== null) throw new Error(refused);
    },
    async close() {
      await cancelRuns(w);
      await host.stop();
      await sql.end();
      await db.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return w;
}

/** The first commit of `main` contains the workflow that is started by name, because GitHub looks for it there. */
function pusher(w: LiveWorld, directory: string): EmptyRepository['push'] {
  return async ({ branch, from, files, message }) => {
    const isFirst = branch === 'main' && from === undefined && git(directory, 'for-each-ref') === '';
    const deploy = '.github/workflows/deploy.yml';
    const all = isFirst ? { [deploy]: ciFiles[deploy], ...files } : files;
    const made = commit(directory, {
      ...{ branch, files: all },
      ...(from === undefined ? {} : { from }),
      ...(message === undefined ? {} : { message }),
    });
    const refused = await w.pushTo(
      directory,
      `${w.place.owner}/${w.place.repo}`,
      `+refs/heads/${branch}:refs/heads/${branch}`,
    );
    if (refused !== null) throw new Error(refused);
    return made;
  };
}

async function removeRules({ person, place }: LiveWorld): Promise<void> {
  const { data: rulesets } = await person.repos.getRepoRulesets(place);
  for (const { id } of rulesets) await person.repos.deleteRepoRuleset({ ...place, ruleset_id: id });
  // There may be no rule, and the branch may not exist.
  await person.repos.deleteBranchProtection({ ...place, branch: 'main' }).catch(() => {});
}

async function cancelRuns({ person, place }: LiveWorld): Promise<void> {
  for (const status of ['in_progress', 'queued'] as const) {
    const { data } = await person.actions.listWorkflowRunsForRepo({ ...place, status, per_page: 100 });
    // A run may end in the meantime.
    for (const { id } of data.workflow_runs)
      await person.actions.cancelWorkflowRun({ ...place, run_id: id }).catch(() => {});
  }
}
