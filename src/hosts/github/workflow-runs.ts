// Workflows that are started by name. GitHub runs them on branches alone, and not every version answers which run it was.
import { createHash } from 'node:crypto';
import type { Database } from '../../platform/database.ts';
import { passFailpoint } from '../../platform/failpoints.ts';
import {
  HostRefused,
  HostUnavailable,
  mostInputs,
  type CodeHost,
  type HostRepository,
  type WorkflowDispatch,
} from '../port.ts';
import { NotFoundAtGitHub } from './answers.ts';
import { cancelRun } from './checks.ts';
import type { Api, Client } from './client.ts';
import { nameOf } from './pull-requests.ts';
import type { UpdateRefs } from './pushes.ts';
import type { Mirrors } from './mirrors.ts';
import { claimRun, findRun, forgetOwnBranch, noteAsked, releaseRun, type RunRow } from './workflow-runs.rows.ts';
import type { CheckConclusion } from '../../domain/queue/model/snapshot.ts';

export interface WorkflowSettings {
  readonly client: Client;
  readonly mirrors: Mirrors;
  readonly updateRefs: UpdateRefs;
  readonly db: Database;
  readonly clock: () => Date;
}

/** A run is shown a moment after it was asked for. */
const shownAfterMs = 3_000;
/** When nothing is shown so long after the question, it never arrived. */
const lostAfterMs = 120_000;

export function workflowOperations(settings: WorkflowSettings) {
  const { client, db, clock } = settings;
  return {
    dispatchWorkflow: async (repository, dispatch) => {
      if (Object.keys(dispatch.inputs ?? {}).length > mostInputs)
        throw new HostRefused(`A workflow takes at most ${mostInputs} inputs`);
      const ownBranch = dispatch.branch === null ? branchFor(dispatch.key) : null;
      const claim = await claimRun(db, repository, { ...dispatch, ownBranch }, clock());
      if (claim.kind === 'known') return claim.run;
      if (claim.kind === 'busy')
        throw new HostUnavailable('Another process starts this workflow now', { retryAt: claim.until });
      let run: string | null = null;
      try {
        run = await start(settings, repository, dispatch, claim.row);
      } finally {
        await releaseRun(db, repository, { key: dispatch.key, writer: claim.writer, run });
      }
      return run;
    },
    readWorkflowRun: async (repository, run) => {
      const api = await client.of(repository, 'landing');
      const seen = await readRun(api, run);
      if (seen === null) return null;
      const isOver = seen.status === 'completed';
      if (isOver) await removeOwnBranch(settings, repository, run);
      return {
        conclusion: isOver ? asConclusion(seen.conclusion) : 'pending',
        url: seen.html_url,
        summary: seen.display_title,
      };
    },
    cancelWorkflowRun: async (repository, run) => {
      await cancelRun(await client.of(repository, 'telling'), Number(run));
    },
  } satisfies Partial<CodeHost>;
}

function branchFor(key: string): string {
  return `mq-tmp-run-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

async function start(
  settings: WorkflowSettings,
  repository: HostRepository,
  { workflow, commit, key, branch, inputs = {} }: WorkflowDispatch,
  row: RunRow,
): Promise<string> {
  const { client, db, clock } = settings;
  const api = await client.of(repository, 'landing');
  const on = branch ?? row.own_branch ?? branchFor(key);
  if (row.asked_at !== null) {
    const found = await findOwnRun(api, { commit, branch: on, since: Date.parse(row.asked_at) });
    if (found !== null) return found;
    if (clock().getTime() - Date.parse(row.asked_at) < lostAfterMs)
      throw new HostUnavailable('GitHub does not show the run yet', { retryAt: clock().getTime() + shownAfterMs });
  }
  if (branch === null) await makeBranch(settings, repository, on, commit);
  const file = await fileOf(api, workflow);
  const askedAt = clock();
  await noteAsked(db, repository, key, askedAt);
  const answer = await api
    .request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
      ...nameOf(api),
      workflow_id: file,
      ref: on,
      inputs,
      return_run_details: true,
    })
    .catch((error: unknown) => {
      if (!(error instanceof NotFoundAtGitHub)) throw error;
      throw new HostRefused(`The commit ${commit} has no workflow ${JSON.stringify(workflow)}`, { cause: error });
    });
  await passFailpoint('github:after_dispatch');
  const details = answer.data as { readonly workflow_run_id?: number } | undefined;
  if (details?.workflow_run_id !== undefined) return String(details.workflow_run_id);
  const found = await findOwnRun(api, { commit, branch: on, since: askedAt.getTime() });
  if (found !== null) return found;
  throw new HostUnavailable('GitHub does not show the run yet', { retryAt: clock().getTime() + shownAfterMs });
}

async function makeBranch(
  { mirrors, updateRefs }: WorkflowSettings,
  repository: HostRepository,
  branch: string,
  commit: string,
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const [there] = await mirrors.readRefs(repository, [ref]);
  if (there?.commit === commit) return;
  await updateRefs(repository, [{ ref, from: there?.commit ?? null, to: commit }]);
}

/** A workflow is named by its file, or by the name that it has in its file. */
async function fileOf(api: Api, workflow: string): Promise<string | number> {
  if (/\.ya?ml$/.test(workflow)) return workflow.split('/').at(-1) ?? workflow;
  const { data } = await api.request('GET /repos/{owner}/{repo}/actions/workflows', { ...nameOf(api), per_page: 100 });
  const found = data.workflows.find(({ name }) => name === workflow);
  if (found === undefined) throw new HostRefused(`The repository has no workflow ${JSON.stringify(workflow)}`);
  return found.id;
}

/** Of two runs that fit, neither is known to be the one that was asked for: nothing is taken for it. */
async function findOwnRun(
  api: Api,
  of: { readonly commit: string; readonly branch: string; readonly since: number },
): Promise<string | null> {
  const { data } = await api.request('GET /repos/{owner}/{repo}/actions/runs', {
    ...nameOf(api),
    head_sha: of.commit,
    branch: of.branch,
    event: 'workflow_dispatch',
    actor: api.bot,
    per_page: 10,
  });
  // GitHub's clock may be behind.
  const fitting = data.workflow_runs.filter(({ created_at }) => Date.parse(created_at) >= of.since - 60_000);
  if (fitting.length > 1)
    throw new HostRefused(`GitHub started ${fitting.length} runs for one request. Cancel them and try again.`);
  const [run] = fitting;
  return run === undefined ? null : String(run.id);
}

async function readRun(api: Api, run: string) {
  return await api
    .request('GET /repos/{owner}/{repo}/actions/runs/{run_id}', { ...nameOf(api), run_id: Number(run) })
    .then(({ data }) => data)
    .catch((error: unknown) => {
      if (error instanceof NotFoundAtGitHub) return null;
      throw error;
    });
}

async function removeOwnBranch(
  { db, mirrors, updateRefs }: WorkflowSettings,
  repository: HostRepository,
  run: string,
): Promise<void> {
  const row = await findRun(db, repository, run);
  if (row === null || row.own_branch === null) return;
  const ref = `refs/heads/${row.own_branch}`;
  const [there] = await mirrors.readRefs(repository, [ref]);
  await forgetOwnBranch(db, repository, row.key);
  // Nobody waits for it: the next deletions take it along.
  if (there !== undefined) void updateRefs(repository, [{ ref, from: there.commit, to: null }]).catch(() => {});
}

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

function asConclusion(said: string | null): CheckConclusion {
  if (said === 'startup_failure') return 'failure';
  return said !== null && conclusions.has(said) ? (said as CheckConclusion) : 'unknown';
}
