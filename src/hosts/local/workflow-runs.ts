// Workflows that are started by name: the `workflows` of `.service/ci.yml`. The runner of checks runs them for a
// commit. They are not checks: `readChecks` does not return them, and `cancelChecks` does not stop them.
import { HostRefused, maxInputs, type HostRepository, type WorkflowDispatch, type WorkflowRun } from '../port.ts';
import { ciFilePath, type CiWorkflow } from './ci-file.ts';
import { checkUrl, readCiFile } from './ci.ts';
import { findCheckRun } from './check-runs.rows.ts';
import type { Installation } from './installation.ts';

/** The highest priority, because a landing waits for the run. */
const priority = 3;

/** Each key has one run. A second call with the same key returns the existing run. */
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
    await tx.send(
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

const maxInputCharacters = 65_535;

// Like GitHub, refuses an input that the workflow does not declare, instead of ignoring it.
function requireInputs({ name, inputs: declared }: CiWorkflow, given: Readonly<Record<string, string>>): void {
  const names = Object.keys(given);
  const unexpected = names.filter((input) => !declared.includes(input));
  if (unexpected.length > 0)
    throw new HostRefused(
      `Unexpected inputs provided: ${unexpected.join(', ')}. Declare them under workflows -> ${name} -> inputs in ${ciFilePath}`,
    );
  if (names.length > maxInputs) throw new HostRefused(`A workflow takes at most ${maxInputs} inputs`);
  if (JSON.stringify(given).length > maxInputCharacters)
    throw new HostRefused(`The inputs of a workflow are at most ${maxInputCharacters} characters`);
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

/** Cancels a queued run, or requests that the runner cancel a running one. */
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
