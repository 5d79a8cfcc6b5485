// Checks at GitHub: reads the checks of CI by GraphQL, and writes Interlock's own checks by REST.
import type { Database } from '../../platform/database.ts';
import {
  type CheckReport,
  type CodeHost,
  HostRefused,
  type HostRepository,
  HostUnavailable,
  type PublishedHostCheck,
  type WantedCommit,
} from '../port.ts';
import { readReport } from './check-report.ts';
import type { Api, Client } from './client.ts';
import { readAllChecks } from './commit-checks.ts';
import { ignoreAbsent } from './conversations.ts';
import { pageSize, readPages } from './pages.ts';
import { writeHostText } from './write-host-text.ts';
import { nameOf } from './pull-requests.ts';

export interface CheckSettings {
  readonly client: Client;
  readonly db: Database;
  readonly clock: () => Date;
}

export function checkOperations(settings: CheckSettings) {
  const { client } = settings;
  return {
    readChecks: async (repository, commit, wanted) => {
      const [report] = await readReports(settings, repository, [{ ...wanted, commit }]);
      if (report === undefined) throw new Error('A commit without a report.');
      return report;
    },
    readChecksTogether: async (repository, commits) => await readReports(settings, repository, commits),
    publishCheck: async (repository, check) => await publishCheck(settings, repository, check),
    cancelChecks: async (repository, commit) => {
      const api = await client.apiFor(repository, 'notification');
      for (const id of await findRunning(api, commit)) await cancelRun(api, id);
    },
    rerunChecks: async (repository, commit, names) => {
      const api = await client.apiFor(repository, 'landing');
      return await rerunChecks(api, await findNamed(api, commit, names), { commit, now: settings.clock().getTime() });
    },
  } satisfies Partial<CodeHost>;
}

async function readReports(
  { client, clock }: CheckSettings,
  repository: HostRepository,
  commits: readonly WantedCommit[],
): Promise<CheckReport[]> {
  const api = await client.apiFor(repository, 'landing');
  const read = await readAllChecks(
    api,
    commits.map(({ commit }) => commit),
  );
  const of = { ownAppId: api.installation.app.id, now: clock().getTime() };
  return commits.flatMap(({ commit, ...wanted }, at) => {
    const checks = read[at];
    return checks === undefined ? [] : [readReport(commit, checks, { ...wanted, ...of })];
  });
}

async function publishCheck(
  { client, db, clock }: CheckSettings,
  repository: HostRepository,
  check: PublishedHostCheck,
): Promise<void> {
  const api = await client.apiFor(repository, 'notification');
  await writeHostText({
    table: 'host_check',
    repository,
    subject: check.commit,
    key: check.name,
    db,
    clock,
    version: check.version,
    text: JSON.stringify([check.state, check.title, check.summary, check.url]),
    find: async () => await findCheck(api, check),
    create: async () => {
      const { data } = await api.request('POST /repos/{owner}/{repo}/check-runs', {
        ...nameOf(api),
        name: check.name,
        head_sha: check.commit,
        ...checkRunFields(check),
      });
      return String(data.id);
    },
    edit: async (id) => {
      await api.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
        ...nameOf(api),
        check_run_id: Number(id),
        ...checkRunFields(check),
      });
    },
  });
}

const passed: readonly unknown[] = ['success', 'neutral', 'skipped'];

type CheckRun = Awaited<ReturnType<typeof readCheckRuns>>[number];

async function readCheckRuns(api: Api, commit: string) {
  const readPage = async (page: number) =>
    await api.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
      ...nameOf(api),
      ref: commit,
      filter: 'latest',
      per_page: pageSize,
      page,
    });
  return await readPages(async (page) => (await readPage(page)).data.check_runs);
}

/** The ended runs of the named checks. If some runs of a check have not passed, the others are left out. */
async function findNamed(api: Api, commit: string, names: readonly string[]): Promise<CheckRun[]> {
  const ended = (await readCheckRuns(api, commit)).filter(
    ({ name, status }) => names.includes(name) && status === 'completed',
  );
  const failed = ended.filter(({ conclusion }) => !passed.includes(conclusion));
  const namesOfFailed = new Set(failed.map(({ name }) => name));
  return ended.filter((run) => failed.includes(run) || !namesOfFailed.has(run.name));
}

/**
 * Starts the runs again, and returns the names of their checks. GitHub starts a job only while no other job of its
 * workflow run runs, so the jobs of one workflow run are started by one request.
 */
async function rerunChecks(
  api: Api,
  runs: readonly CheckRun[],
  { commit, now }: { readonly commit: string; readonly now: number },
): Promise<string[]> {
  const isJob = ({ app }: CheckRun): boolean => app?.slug === 'github-actions';
  const jobs = runs.filter(isJob);
  const workflowRuns = jobs.length === 0 ? [] : await readWorkflowRuns(api, commit);
  const started: string[] = [];
  for (const suite of new Set(jobs.map(({ check_suite }) => check_suite?.id))) {
    const workflowRun = workflowRuns.find(({ check_suite_id }) => check_suite_id === suite);
    if (workflowRun === undefined) continue;
    const ofRun = jobs.filter(({ check_suite }) => check_suite?.id === suite);
    started.push(...ofRun.map(({ name }) => name));
    await startJobs(api, ofRun, Number(workflowRun.id)).catch((error: unknown) => {
      if (!(error instanceof HostRefused && /already running/i.test(error.message))) throw error;
      throw new HostUnavailable(error.message, { cause: error, retryAt: now + runEndsWithinMs });
    });
  }
  for (const run of runs.filter((each) => !isJob(each))) {
    await api.request('POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest', {
      ...nameOf(api),
      check_run_id: run.id,
    });
    started.push(run.name);
  }
  return [...new Set(started)];
}

/** When to try again if a workflow run still runs. */
const runEndsWithinMs = 15_000;

/** One request starts the jobs of a workflow run, and the jobs that need them. */
async function startJobs(api: Api, jobs: readonly CheckRun[], run_id: number): Promise<void> {
  const [first] = jobs;
  if (first !== undefined && jobs.length === 1)
    await api.request('POST /repos/{owner}/{repo}/actions/jobs/{job_id}/rerun', { ...nameOf(api), job_id: first.id });
  // GitHub skips a job if a job that it needs was canceled. Such a job starts with the job that it needs.
  else if (jobs.every(({ conclusion }) => conclusion === 'skipped' || !passed.includes(conclusion)))
    await api.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs', { ...nameOf(api), run_id });
  else await api.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun', { ...nameOf(api), run_id });
}

const stateFields = {
  pending: { status: 'in_progress' },
  success: { status: 'completed', conclusion: 'success' },
  failure: { status: 'completed', conclusion: 'failure' },
} as const;

function checkRunFields({ state, title, summary, url, version }: PublishedHostCheck) {
  return {
    ...stateFields[state],
    external_id: `interlock:${version}`,
    output: { title, summary },
    ...(url === null ? {} : { details_url: url }),
  };
}

/** The id of the check run that an earlier call created but whose answer was lost. Null: there is none. */
async function findCheck(api: Api, { commit, name }: PublishedHostCheck): Promise<string | null> {
  const { data } = await api.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
    ...nameOf(api),
    ref: commit,
    check_name: name,
    app_id: Number(api.installation.app.id),
    filter: 'latest',
  });
  const own = data.check_runs.find(({ external_id }) => external_id?.startsWith('interlock:'));
  return own === undefined ? null : String(own.id);
}

async function readWorkflowRuns(api: Api, commit: string) {
  // An empty commit would list every run of the repository.
  if (commit === '') return [];
  const readPage = async (page: number) =>
    await api.request('GET /repos/{owner}/{repo}/actions/runs', {
      ...nameOf(api),
      head_sha: commit,
      per_page: pageSize,
      page,
    });
  return await readPages(async (page) => (await readPage(page)).data.workflow_runs);
}

/** Workflow runs of the commit that have not ended. */
async function findRunning(api: Api, commit: string): Promise<number[]> {
  return (await readWorkflowRuns(api, commit))
    .filter(({ status, event }) => status !== 'completed' && event !== 'workflow_dispatch')
    .map(({ id }) => Number(id));
}

/** Cancels a workflow run. The status 409 means that the run has already ended. */
export async function cancelRun(api: Api, id: number): Promise<void> {
  await api
    .request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel', { ...nameOf(api), run_id: id })
    .catch((error: unknown) => {
      if (error instanceof Error && /\b409\b|already completed|cannot cancel/i.test(error.message)) return;
      ignoreAbsent(error);
    });
}
