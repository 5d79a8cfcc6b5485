// The calls of `npm run doctor` at GitHub. It reads, and tries only operations that can be undone. `probes.ts` judges
// the answers.
import type { Database } from '../../../platform/database.ts';
import { missing, type ReportFinding } from '../../../domain/doctor/finding.ts';
import * as git from '../../git/index.ts';
import { HostRefused, HostUnavailable, type CodeHost, type HostExpectations, type HostRepository } from '../../port.ts';
import { readFailedCall } from '../answers.ts';
import type { FindInstallation, GitHubInstallation } from '../app.ts';
import { findRefusingRules } from '../base-rules.ts';
import { readBudget } from '../budget.rows.ts';
import type { Api, Client } from '../client.ts';
import type { Mirrors } from '../mirrors.ts';
import { createOctokit, type Octokit } from '../octokit.ts';
import { nameOf } from '../pull-requests.ts';
import { readBranchFacts } from '../rules.ts';
import {
  judgeBudget,
  judgeClock,
  judgeDeliveries,
  judgeEvents,
  judgeRefusingRules,
  judgePermissions,
  judgePushes,
  judgeRepository,
  judgeServer,
} from './probes.ts';
import { probePushes } from './push-probe.ts';
import { judgeWorkflowFiles, type WorkflowFile } from './workflow-files.ts';

export interface ExaminingOptions {
  readonly client: Client;
  readonly mirrors: Mirrors;
  readonly db: Database;
  readonly clock: () => Date;
  readonly findInstallation: FindInstallation;
  /** Whether commits of Interlock are signed. */
  readonly signsCommits: boolean;
}

interface Examining extends ExaminingOptions {
  readonly repository: HostRepository;
  readonly report: ReportFinding;
}

export function examineOperation(options: ExaminingOptions) {
  return {
    examine: async (repository, expectations, report) =>
      await examine({ ...options, repository, report }, expectations),
  } satisfies Partial<CodeHost>;
}

async function examine(examining: Examining, expectations: HostExpectations): Promise<void> {
  const { repository, report, findInstallation } = examining;
  const name = `${repository.owner}/${repository.name}`;
  const found = await findInstallation(repository);
  if (found === null)
    return report(
      missing(
        'installation',
        `The App is not installed on ${name} any more, or its installation is suspended.`,
        'Install the App on the repository at GitHub. Interlock sees the installation within five minutes.',
      ),
    );
  const { installation } = found;
  if (!(await examineApp(examining, installation))) return;
  const tried = async (probe: string, work: () => Promise<void>): Promise<void> =>
    await work().catch((error: unknown) => report(missing(probe, messageOf(error), null)));
  await tried('repository', async () => await examineRepository(examining, name));
  await tried('pushes', async () => await examinePushes(examining, installation, expectations));
  for (const branch of expectations.baseBranches)
    await tried(`rules of ${branch}`, async () => await examineRules(examining, branch));
  if (!expectations.isValidated)
    await tried('workflows', async () => await examineWorkflows(examining, expectations.baseBranches[0] ?? ''));
  await tried('budget', async () => await examineBudget(examining, installation));
}

/**
 * Examines the App. False: no other probe can be made, because GitHub refuses the App's key, did not answer, or the
 * installation is suspended.
 */
async function examineApp({ clock, report }: Examining, { id, app }: GitHubInstallation): Promise<boolean> {
  const octokit = asApp(app);
  const before = clock().getTime();
  try {
    const { data, headers } = await octokit.request('GET /app');
    // GitHub's instants are cut off to whole seconds, so half a second is added.
    const there = Date.parse(headers.date ?? '') + 500;
    const here = (before + clock().getTime()) / 2;
    report(judgeServer(app.webUrl, versionOf(headers)));
    report(judgeClock(here, Number.isNaN(there) ? null : there));
    const granted = (await octokit.request('GET /app/installations/{installation_id}', { installation_id: Number(id) }))
      .data;
    const appUrl = settingsOf(app, data?.owner ?? null);
    const isSuspended = granted.suspended_at !== null;
    const given = { appUrl, isSuspended, installationUrl: granted.html_url, events: granted.events };
    report(judgePermissions({ ...given, ofApp: data?.permissions ?? {}, ofInstallation: granted.permissions }));
    report(judgeEvents(given));
    await examineWebhooks(octokit, appUrl, report);
    return !isSuspended;
  } catch (error) {
    const status = readFailedCall(error)?.status ?? null;
    if (status === 401)
      report(
        missing(
          'App',
          `GitHub does not accept the key of the App ${app.slug}: ${messageOf(error)}`,
          'Generate a private key in the settings of the App, and give it to Interlock by addGitHubApp.',
        ),
      );
    else
      report(
        missing(
          'App',
          `${app.webUrl} did not answer: ${messageOf(error)}`,
          `Check whether this machine reaches ${app.apiUrl}, and run the doctor again.`,
        ),
      );
    return false;
  }
}

/** A client of the App itself. Its calls do not count against the budget of an installation. */
function asApp(app: GitHubInstallation['app']): Octokit {
  return createOctokit({ apiUrl: app.apiUrl, as: { app }, isSilent: true });
}

function settingsOf(
  { webUrl, slug }: GitHubInstallation['app'],
  owner: { readonly login?: string; readonly slug?: string; readonly type?: string } | null,
): string {
  return owner?.type === 'Organization'
    ? `${webUrl}/organizations/${owner.login ?? ''}/settings/apps/${slug}`
    : `${webUrl}/settings/apps/${slug}`;
}

const maxDeliveries = 30;

async function examineWebhooks(octokit: Octokit, appUrl: string, report: ReportFinding): Promise<void> {
  const { data: config } = await octokit.request('GET /app/hook/config');
  const { data } = await octokit.request('GET /app/hook/deliveries', { per_page: maxDeliveries });
  const deliveries = data.map(({ delivered_at, status_code, status }) => ({
    deliveredAt: delivered_at,
    statusCode: status_code,
    status,
  }));
  const isSecure = String(config.insecure_ssl ?? '0') === '0';
  report(judgeDeliveries(config.url ?? null, deliveries, { appUrl, isSecure }));
}

async function examineRepository({ client, repository, report }: Examining, name: string): Promise<void> {
  const api = await client.apiFor(repository, 'answer');
  const { data } = await api.request('GET /repos/{owner}/{repo}', nameOf(api));
  report(judgeRepository(name, { fullName: data.full_name, isArchived: data.archived, url: data.html_url }));
}

async function examinePushes(
  examining: Examining,
  { app }: GitHubInstallation,
  { baseBranches: [branch = ''] }: HostExpectations,
): Promise<void> {
  const { mirrors, repository, clock, report } = examining;
  const tip = await tipOf(examining, branch);
  if (tip === null)
    return report(missing('pushes', `There is no branch ${branch}.`, 'Push a first commit, and run the doctor again.'));
  const pushed = await probePushes({ mirrors, repository }, tip, clock().getTime());
  const rulesUrl = `${app.webUrl}/${repository.owner}/${repository.name}/settings/rules`;
  report(judgePushes(pushed, { rulesUrl, app: app.slug }));
}

async function tipOf({ mirrors, repository }: Examining, branch: string): Promise<string | null> {
  const [found] = await mirrors.readRefs(repository, [`refs/heads/${branch}`]);
  return found?.commit ?? null;
}

async function examineRules({ client, repository, report, signsCommits }: Examining, branch: string): Promise<void> {
  const facts = await readBranchFacts(await client.apiFor(repository, 'answer'), branch, { signsCommits });
  const requiresChecks =
    facts.rules.some(({ type }) => type === 'required_status_checks') ||
    (facts.protection?.requiredChecks.length ?? 0) > 0;
  for (const finding of judgeRefusingRules(branch, findRefusingRules(facts), { requiresChecks })) report(finding);
}

const longestFile = 256 * 1024;

async function examineWorkflows(examining: Examining, branch: string): Promise<void> {
  const { mirrors, repository, report } = examining;
  const tip = await tipOf(examining, branch);
  if (tip === null) return;
  const directory = await mirrors.fetchMissing(repository, [tip]);
  const listed = await mirrors.git.text(directory, ['ls-tree', '-r', '--name-only', tip, '--', '.github/workflows']);
  const files: WorkflowFile[] = [];
  for (const path of listed.split('\n').filter((each) => /\.ya?ml$/.test(each))) {
    const file = await git.readFile(mirrors.git, directory, { commit: tip, path, maxBytes: longestFile });
    if (file !== null) files.push({ path, text: file.text });
  }
  report(judgeWorkflowFiles(files, branch));
}

async function examineBudget(
  { client, repository, db, clock, report }: Examining,
  { id }: GitHubInstallation,
): Promise<void> {
  const api = await client.apiFor(repository, 'answer');
  const points = await readPoints(api);
  const budget = await readBudget(db, { accountId: repository.accountId, installationId: id });
  const pausedUntil = budget?.pausedUntil ?? null;
  report(judgeBudget(points, pausedUntil !== null && pausedUntil > clock().getTime() ? pausedUntil : null));
}

async function readPoints(api: Api): Promise<Parameters<typeof judgeBudget>[0]> {
  const { data } = await api.request('GET /rate_limit');
  const { core, graphql } = data.resources;
  const asPoints = ({ limit, remaining }: { limit: number; remaining: number }) => ({ limit, left: remaining });
  return { rest: asPoints(core), graphql: asPoints(graphql ?? core) };
}

function messageOf(error: unknown): string {
  if (error instanceof HostUnavailable || error instanceof HostRefused) return `${error.message}.`;
  return error instanceof Error ? error.message : String(error);
}

/** The version of an Enterprise Server. Null: the server is GitHub.com. */
function versionOf(headers: Readonly<Record<string, unknown>>): string | null {
  const version = headers['x-github-enterprise-version'];
  return typeof version === 'string' ? version : null;
}
