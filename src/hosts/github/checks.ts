// Checks at GitHub: reads the checks of CI by GraphQL, and writes Interlock's own checks by REST.
import type { Database } from '../../platform/database.ts';
import type { CodeHost, HostRepository, PublishedHostCheck } from '../port.ts';
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
  const { client, clock } = settings;
  return {
    readChecks: async (repository, commit, wanted) => {
      const api = await client.apiFor(repository, 'landing');
      return readReport(commit, await readAllChecks(api, commit), {
        ...wanted,
        ownAppId: api.installation.app.id,
        now: clock().getTime(),
      });
    },
    publishCheck: async (repository, check) => await publishCheck(settings, repository, check),
    cancelChecks: async (repository, commit) => {
      const api = await client.apiFor(repository, 'notification');
      for (const id of await findRunning(api, commit)) await cancelRun(api, id);
    },
    rerunChecks: async (repository, commit, names) =>
      await rerunChecks(await client.apiFor(repository, 'landing'), commit, names),
  } satisfies Partial<CodeHost>;
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

/** Runs the named checks again that have completed without success. Returns their names. */
async function rerunChecks(api: Api, commit: string, names: readonly string[]): Promise<string[]> {
  const readPage = async (page: number) =>
    await api.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
      ...nameOf(api),
      ref: commit,
      filter: 'latest',
      per_page: pageSize,
      page,
    });
  const started: string[] = [];
  for (const run of await readPages(async (page) => (await readPage(page)).data.check_runs)) {
    if (!names.includes(run.name) || run.status !== 'completed' || run.conclusion === 'success') continue;
    if (run.app?.slug === 'github-actions')
      await api.request('POST /repos/{owner}/{repo}/actions/jobs/{job_id}/rerun', {
        ...nameOf(api),
        job_id: run.id,
      });
    else
      await api.request('POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest', {
        ...nameOf(api),
        check_run_id: run.id,
      });
    started.push(run.name);
  }
  return [...new Set(started)];
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

/** Workflow runs of the commit that have not ended. */
async function findRunning(api: Api, commit: string): Promise<number[]> {
  // An empty commit would list every run of the repository.
  if (commit === '') return [];
  const readPage = async (page: number) =>
    await api.request('GET /repos/{owner}/{repo}/actions/runs', {
      ...nameOf(api),
      head_sha: commit,
      per_page: pageSize,
      page,
    });
  const runs = await readPages(async (page) => (await readPage(page)).data.workflow_runs);
  return runs
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
