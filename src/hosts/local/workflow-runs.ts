// Workflows on demand: `workflows` of `.service/ci.yml`, run for a commit when somebody asks, by the runner of checks.
// They are not checks: readers of a commit's checks do not see them, and canceling the checks does not stop them.
import { HostRefused, mostInputs, type HostRepository, type WorkflowDispatch, type WorkflowRun } from '../port.ts';
import { ciFilePath, type CiWorkflow } from './ci-file.ts';
import { checkUrl, readCiFile } from './ci.ts';
import { findCheckRun } from './check-runs.rows.ts';
import type { Installation } from './installation.ts';

/** Ahead of everything else: a landing waits for it. */
const priority = 3;

/** One run for each key: asked again, it answers the run there is. */
export async function dispatchWorkflow(
  installation: Installation,
  repository: HostRepository,
  { workflow, commit, key, inputs = {} }: WorkflowDispatch,
): Promise<string> {
  const file = await readCiFile(installation, repository, commit);
  if (file.kind === 'broken') throw new HostRefused(file.reasons.join('\n'));
  const found = file.workflows.find(({ name }) => name === workflow);
  if (found === undefined)
    throw new HostRefused(`${ciFilePath} of this commit has no workflow ${JSON.stringify(workflow)}`);
  requireInputs(found, inputs);
  const run = await installation.db.transaction(repository.accountId, async (tx) => {
    const keys = [repository.accountId, repository.id, key];
    await tx.query(
      `insert into local_check_run (account_id, repository_id, dispatch_key, commit, ref, name, attempt, command, timeout_sec, priority, created_at, inputs)
       values ($1, $2, $3, $4, '', $5, 1, $6, $7, $8, $9, $10)
       on conflict (account_id, repository_id, dispatch_key) where dispatch_key is not null do nothing`,
      [
        ...keys,
        commit,
        found.name,
        found.run,
        found.timeoutSec,
        priority,
        installation.clock(),
        JSON.stringify(inputs),
      ],
    );
    const [row] = await tx.query<{ id: string }>(
      'select id::text as id from local_check_run where account_id = $1 and repository_id = $2 and dispatch_key = $3',
      keys,
    );
    return row?.id;
  });
  if (run === undefined) throw new HostRefused(`The run of ${workflow} was not written`);
  for (const wake of installation.onChecksQueued) wake();
  return run;
}

const mostInputCharacters = 65_535;

// As GitHub does: what a workflow does not declare is not left out silently.
function requireInputs({ name, inputs: declared }: CiWorkflow, given: Readonly<Record<string, string>>): void {
  const names = Object.keys(given);
  const unexpected = names.filter((input) => !declared.includes(input));
  if (unexpected.length > 0)
    throw new HostRefused(
      `Unexpected inputs provided: ${unexpected.join(', ')}. Declare them under workflows -> ${name} -> inputs in ${ciFilePath}`,
    );
  if (names.length > mostInputs) throw new HostRefused(`A workflow takes at most ${mostInputs} inputs`);
  if (JSON.stringify(given).length > mostInputCharacters)
    throw new HostRefused(`The inputs of a workflow are at most ${mostInputCharacters} characters`);
}

export async function readWorkflowRun(
  installation: Installation,
  repository: HostRepository,
  run: string,
): Promise<WorkflowRun | null> {
  const row = await findCheckRun(installation.db, repository, run);
  if (row === null) return null;
  return {
    conclusion: row.state === 'completed' ? (row.conclusion ?? 'unknown') : 'pending',
    url: checkUrl(installation, repository, row),
    summary: row.summary,
  };
}

/** Ends it before it starts, or asks for its end. */
export async function cancelWorkflowRun(
  installation: Installation,
  repository: HostRepository,
  run: string,
): Promise<void> {
  const rows = await installation.db.transaction(
    repository.accountId,
    async (tx) =>
      await tx.query<{ id: string; state: string }>(
        `update local_check_run
         set cancel_requested = true,
           state = case when state = 'queued' then 'completed' else state end,
           conclusion = case when state = 'queued' then 'cancelled' else conclusion end,
           summary = case when state = 'queued' then 'Canceled before it started' else summary end,
           completed_at = case when state = 'queued' then $4::timestamptz else completed_at end
         where account_id = $1 and repository_id = $2 and id = $3 and dispatch_key is not null and state <> 'completed'
         returning id::text as id, state`,
        [repository.accountId, repository.id, run, installation.clock()],
      ),
  );
  const running = rows.filter((row) => row.state === 'running').map((row) => row.id);
  if (running.length > 0) for (const cancel of installation.onChecksCanceled) cancel(running);
}
