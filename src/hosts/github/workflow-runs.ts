// Starts workflows by their name (ADR 0071). GitHub runs a workflow only on a branch. Some versions of GitHub do not
// return the id of the run that they started.
import type { Database } from '../../platform/database.ts';
import { passFailpoint } from '../../platform/failpoints.ts';
import {
  HostRefused,
  HostUnavailable,
  maxInputs,
  type CodeHost,
  type HostRepository,
  type WorkflowDispatch,
  type WorkflowRun,
} from '../port.ts';
import { NotFoundAtGitHub } from './answers.ts';
import { cancelRun } from './checks.ts';
import type { Api, Client } from './client.ts';
import { judgeDispatch, missingWorkflow, whyItFailed } from './dispatch-answers.ts';
import { nameOf } from './pull-requests.ts';
import { createRunBranches, type RunBranches, type RunBranchSettings } from './run-branches.ts';
import { claimRun, findRun, listOtherRuns, noteAsked, releaseRun, type RunClaim } from './workflow-runs.rows.ts';
import type { CheckConclusion } from '../../domain/queue/model/rules.ts';

export interface WorkflowSettings extends RunBranchSettings {
  readonly client: Client;
}

interface Starting {
  readonly client: Client;
  readonly db: Database;
  readonly clock: () => Date;
  readonly branches: RunBranches;
  /** The API URLs of servers that do not support `return_run_details`. */
  readonly withoutDetails: Set<string>;
}

/** How long GitHub takes to show a new run after the request. */
const shownAfterMs = 3_000;
/** If GitHub shows no run after this time, the request was lost, or the run was deleted. */
const lostAfterMs = 120_000;

export function workflowOperations(settings: WorkflowSettings) {
  const { client, db, clock } = settings;
  const branches = createRunBranches(settings);
  const starting: Starting = { client, db, clock, branches, withoutDetails: new Set() };
  return {
    dispatchWorkflow: async (repository, dispatch) => {
      if (Object.keys(dispatch.inputs ?? {}).length > maxInputs)
        throw new HostRefused(`A workflow takes at most ${maxInputs} inputs`);
      const claim = await claimRun(db, repository, { run: dispatch, now: clock() });
      if (claim.kind === 'known') return claim.run;
      if (claim.kind === 'busy') throw startedElsewhere(claim.until);
      let run: string | null = null;
      try {
        run = await start(starting, repository, dispatch, claim);
      } catch (error) {
        if (error instanceof HostRefused) await branches.release(repository, dispatch.key);
        throw error;
      } finally {
        await releaseRun(db, repository, { key: dispatch.key, writer: claim.writer, run });
      }
      return run;
    },
    readWorkflowRun: async (repository, run) => {
      const api = await client.apiFor(repository, 'landing');
      const seen = await readRun(api, run);
      if (seen === null) return await readHiddenRun({ db, clock, api }, repository, run);
      const url = seen.html_url;
      if (seen.status !== 'completed') return { conclusion: 'pending', url, summary: seen.display_title };
      const row = await findRun(db, repository, run);
      if (row !== null) await branches.release(repository, row.key);
      if (row !== null && row.commit !== seen.head_sha)
        return { conclusion: 'failure', url, summary: otherCommit(row.commit, seen.head_sha) };
      return {
        ...(await readEnd(api, {
          id: Number(seen.id),
          conclusion: seen.conclusion ?? null,
          title: seen.display_title,
        })),
        url,
      };
    },
    cancelWorkflowRun: async (repository, run) => {
      await cancelRun(await client.apiFor(repository, 'notification'), Number(run));
      const row = await findRun(db, repository, run);
      if (row !== null) await branches.release(repository, row.key);
    },
  } satisfies Partial<CodeHost>;
}

/**
 * GitHub returns the id of a new run before every server of GitHub shows the run. A run that GitHub does not show is
 * pending for two minutes after the request. After that the run was deleted, and null is returned.
 */
async function readHiddenRun(
  { db, clock, api }: Pick<Starting, 'db' | 'clock'> & { readonly api: Api },
  repository: HostRepository,
  run: string,
): Promise<WorkflowRun | null> {
  const askedAt = (await findRun(db, repository, run))?.asked_at ?? null;
  if (askedAt === null || clock().getTime() - Date.parse(askedAt) >= lostAfterMs) return null;
  const url = `${api.installation.app.webUrl}/${api.owner}/${api.repo}/actions/runs/${run}`;
  return { conclusion: 'pending', url, summary: null };
}

function otherCommit(wanted: string, tested: string): string {
  return `GitHub ran the workflow on ${tested} instead of ${wanted}, because the branch was moved at that moment. Try again.`;
}

function startedElsewhere(retryAt: number): HostUnavailable {
  return new HostUnavailable('Another process starts this workflow now', { retryAt });
}

async function start(
  starting: Starting,
  repository: HostRepository,
  dispatch: WorkflowDispatch,
  { row, writer }: Extract<RunClaim, { kind: 'ask' }>,
): Promise<string> {
  const { client, db, clock, branches } = starting;
  const api = await client.apiFor(repository, 'landing');
  const file = await fileOf(api, dispatch.workflow);
  const find = async (branch: string | null): Promise<string | null> =>
    await findOwnRun(api, {
      file,
      commit: dispatch.commit,
      branch,
      others: await listOtherRuns(db, repository, dispatch),
    });
  if (row.asked_at !== null) {
    const found = await find(row.own_branch ?? dispatch.branch);
    if (found !== null) return found;
    if (clock().getTime() - Date.parse(row.asked_at) < lostAfterMs) throw notShownYet(clock);
  }
  const branch = await branches.prepare(repository, dispatch);
  const { key } = dispatch;
  // The push of the branch may have waited so long that the claim has expired.
  if (!(await noteAsked(db, repository, { key, writer, at: clock() })))
    throw startedElsewhere(clock().getTime() + shownAfterMs);
  const notStarted = async (): Promise<void> => {
    await noteAsked(db, repository, { key, writer, at: null });
  };
  const run = await ask(starting, api, { file, branch, dispatch, notStarted });
  await passFailpoint('github:after_dispatch');
  const found = run ?? (await find(branch));
  if (found !== null) return found;
  throw notShownYet(clock);
}

function notShownYet(clock: () => Date): HostUnavailable {
  return new HostUnavailable('GitHub does not show the run yet', { retryAt: clock().getTime() + shownAfterMs });
}

interface Asked {
  readonly file: string | number;
  readonly branch: string;
  readonly dispatch: WorkflowDispatch;
  /** Stores that GitHub refused the request, so that no later call searches for its run. */
  readonly notStarted: () => Promise<void>;
}

/** Requests the run and returns its id. Null: GitHub accepted the request, but did not return the id. */
async function ask(starting: Starting, api: Api, asked: Asked): Promise<string | null> {
  const { apiUrl } = api.installation.app;
  const { file, branch, dispatch } = asked;
  const wantsDetails = !starting.withoutDetails.has(apiUrl);
  try {
    const { data } = await api.request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
      ...nameOf(api),
      workflow_id: file,
      ref: branch,
      inputs: dispatch.inputs ?? {},
      ...(wantsDetails && { return_run_details: true }),
    });
    const id = (data as { readonly workflow_run_id?: number } | undefined)?.workflow_run_id;
    return id === undefined ? null : String(id);
  } catch (error) {
    if (!(error instanceof NotFoundAtGitHub || error instanceof HostRefused)) throw error;
    await asked.notStarted();
    if (error instanceof NotFoundAtGitHub) return await refuseMissing(api, dispatch.workflow, error);
    const { owner, repo, installation } = api;
    const url = `${installation.app.webUrl}/${owner}/${repo}/actions/workflows/${file}`;
    const judged = judgeDispatch(error.message, { ...dispatch, url });
    if (judged.kind === 'later')
      throw new HostUnavailable(judged.message, { cause: error, retryAt: starting.clock().getTime() + shownAfterMs });
    if (judged.kind === 'refused') throw new HostRefused(judged.message, { cause: error });
    if (!wantsDetails) throw error;
    starting.withoutDetails.add(apiUrl);
    return await ask(starting, api, asked);
  }
}

/**
 * Throws HostRefused for a missing workflow. GitHub gives the same answer if the App does not see the repository, so
 * the repository is read first.
 */
async function refuseMissing(api: Api, workflow: string, cause: unknown): Promise<never> {
  await api.request('GET /repos/{owner}/{repo}', nameOf(api));
  throw new HostRefused(missingWorkflow({ workflow }), { cause });
}

const pageSize = 100;

/** The file or the id of a workflow, for GitHub's API. `workflow` is the path of its file, or the name in the file. */
async function fileOf(api: Api, workflow: string): Promise<string | number> {
  if (/\.ya?ml$/.test(workflow)) return workflow.split('/').at(-1) ?? workflow;
  for (let page = 1; ; page += 1) {
    const { data } = await api.request('GET /repos/{owner}/{repo}/actions/workflows', {
      ...nameOf(api),
      per_page: pageSize,
      page,
    });
    const found = data.workflows.find(({ name }) => name === workflow);
    if (found !== undefined) return found.id;
    if (data.workflows.length < pageSize) throw new HostRefused(missingWorkflow({ workflow }));
  }
}

interface RunSearch {
  readonly file: string | number;
  readonly commit: string;
  /** The branch of the run. Null: runs on every branch are searched. */
  readonly branch: string | null;
  /** Runs of other requests for the same commit. */
  readonly others: ReadonlySet<string>;
}

/**
 * Finds the run of a request whose answer was lost or did not contain the id. Instants are not compared, because
 * GitHub's clock may differ from the clock of this machine. Throws HostRefused if several runs match, because no fact
 * shows which one belongs to the request.
 */
async function findOwnRun(api: Api, { file, commit, branch, others }: RunSearch): Promise<string | null> {
  const { data } = await api
    .request('GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs', {
      ...nameOf(api),
      workflow_id: file,
      head_sha: commit,
      event: 'workflow_dispatch',
      actor: api.bot,
      per_page: pageSize,
      ...(branch !== null && { branch }),
    })
    .catch(async (error: unknown) => {
      if (error instanceof NotFoundAtGitHub) return await refuseMissing(api, String(file), error);
      throw error;
    });
  const fitting = data.workflow_runs.filter(({ id }) => !others.has(String(id)));
  if (fitting.length > 1)
    throw new HostRefused(`GitHub started ${fitting.length} runs for one request. Cancel them and try again.`);
  const [run] = fitting;
  return run === undefined ? null : String(run.id);
}

async function readRun(api: Api, run: string) {
  return await api
    .request('GET /repos/{owner}/{repo}/actions/runs/{run_id}', { ...nameOf(api), run_id: Number(run) })
    .then(({ data }) => data)
    .catch(async (error: unknown) => {
      if (!(error instanceof NotFoundAtGitHub)) throw error;
      // If the App does not see the repository either, this request throws. Otherwise the run does not exist.
      await api.request('GET /repos/{owner}/{repo}', nameOf(api));
      return null;
    });
}

interface EndedRun {
  readonly id: number;
  readonly conclusion: string | null;
  readonly title: string;
}

/** The conclusion and the summary of an ended run. For a failed run, its jobs are read to say why it failed. */
async function readEnd(api: Api, { id, conclusion: reported, title }: EndedRun): Promise<Omit<WorkflowRun, 'url'>> {
  const conclusion = asConclusion(reported);
  if (passing.has(conclusion)) return { conclusion, summary: title };
  const { data } = await api.request('GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs', {
    ...nameOf(api),
    run_id: id,
    per_page: pageSize,
  });
  return { conclusion, summary: whyItFailed(reported, data.jobs) ?? title };
}

const passing: ReadonlySet<CheckConclusion> = new Set(['success', 'neutral', 'skipped', 'cancelled']);

const conclusions: ReadonlySet<string> = new Set<CheckConclusion>([
  'success',
  'failure',
  'cancelled',
  'timed_out',
  'skipped',
  'neutral',
  'action_required',
  'stale',
]);

function asConclusion(reported: string | null): CheckConclusion {
  if (reported === 'startup_failure') return 'failure';
  return reported !== null && conclusions.has(reported) ? (reported as CheckConclusion) : 'unknown';
}
