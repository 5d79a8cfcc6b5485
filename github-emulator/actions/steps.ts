// Runs the steps of a job on this machine, in its own checkout.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Core } from '../core.ts';
import { runGit } from '../git/run.ts';
import { fullNameOf } from '../http/reach.ts';
import type { ConclusionName } from '../model/enums.ts';
import { endJobToken, makeJobToken } from './app.ts';
import { githubContext, githubEnvironment, type JobPlace } from './contexts.ts';
import { evaluateCondition, interpolate, type Scope, type Value } from './expression.ts';
import type { Job, Step, WorkflowFile } from './workflow-file.ts';

export interface Execution extends JobPlace {
  readonly file: WorkflowFile;
  readonly plan: Job;
  readonly needs: Readonly<Record<string, Value>>;
  readonly signal: AbortSignal;
}

const longestJobMs = 600_000;
const longestLog = 200_000;

interface World {
  readonly core: Core;
  readonly execution: Execution;
  readonly folder: string;
  readonly workspace: string;
  readonly token: string;
  readonly github: Readonly<Record<string, Value>>;
  /** The variables that steps have written to GITHUB_ENV. */
  readonly env: Record<string, string>;
  readonly outputs: Record<string, Value>;
  readonly endsAt: number;
}

type Outcome = 'success' | 'failure' | 'cancelled';

/** Runs the steps, and returns the conclusion of the job. */
export async function runSteps(core: Core, execution: Execution): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'job-'));
  const workspace = join(folder, 'work');
  mkdirSync(workspace);
  const token = makeJobToken(core, execution.repository);
  const github = { ...githubContext(core, execution, token), workspace };
  const { plan, job } = execution;
  const world: World = {
    core,
    execution,
    folder,
    workspace,
    token,
    github,
    env: {},
    outputs: {},
    endsAt: Date.now() + Math.min(longestJobMs, (plan['timeout-minutes'] ?? 360) * 60_000),
  };
  let status: Outcome = 'success';
  try {
    for (const [index, step] of plan.steps.entries()) {
      const outcome = await runStep(world, step, { index, status });
      if (outcome !== 'success' && outcome !== 'skipped' && !step['continue-on-error']) status = outcome;
      job.log = job.log.slice(-longestLog);
    }
    return status;
  } finally {
    endJobToken(core, token);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runStep(
  world: World,
  step: Step,
  { index, status }: { readonly index: number; readonly status: Outcome },
): Promise<Outcome | 'skipped'> {
  const { job, signal } = world.execution;
  const name = step.name ?? (step.run === undefined ? `Run ${step.uses}` : `Run ${step.run.split('\n')[0]}`);
  const shown = { name, number: index + 1, status: 'in_progress', conclusion: null as ConclusionName | null };
  job.steps.push(shown);
  const scope = scopeOf(world, step, status);
  let outcome: Outcome | 'skipped';
  try {
    if (signal.aborted) outcome = 'cancelled';
    else if (!evaluateCondition(step.if ?? null, scope)) outcome = 'skipped';
    else outcome = step.run === undefined ? await useAction(world, step, scope) : await runScript(world, step, scope);
  } catch (error) {
    job.log += `##[error]${error instanceof Error ? error.message : String(error)}\n`;
    outcome = 'failure';
  }
  Object.assign(shown, { status: 'completed', conclusion: outcome });
  if (step.id !== undefined) world.outputs[step.id] = { outputs: readOutputs(world), outcome, conclusion: outcome };
  return outcome;
}

function scopeOf(world: World, step: Step, status: Outcome): Scope {
  const { execution, github, token, env } = world;
  const inherited: Record<string, string> = { ...execution.file.env, ...execution.plan.env, ...env, ...step.env };
  return {
    status,
    contexts: {
      github,
      env: inherited,
      inputs: execution.run.inputs,
      needs: execution.needs,
      steps: world.outputs,
      job: { status },
      runner: { os: 'Linux', temp: world.folder },
      secrets: { ...secretsOf(world), GITHUB_TOKEN: token },
      vars: {},
      matrix: {},
    },
  };
}

/** A pull request of a fork runs without the secrets of the repository. */
function secretsOf({ core, execution: { repository, run } }: World): Readonly<Record<string, string>> {
  const pull = core.state.pullRequests.find(
    (each) => each.repositoryId === repository.id && each.number === run.pullNumber,
  );
  const isOfFork = pull !== undefined && pull.head.repositoryId !== repository.id;
  return isOfFork ? {} : (repository.actionsSecrets ?? {});
}

async function useAction(world: World, step: Step, scope: Scope): Promise<Outcome> {
  const { core, execution, workspace, token } = world;
  const [action = ''] = (step.uses ?? '').split('@');
  if (action !== 'actions/checkout')
    throw new Error(`The emulator runs no action but actions/checkout: write ${step.uses} as a \`run\` step.`);
  const { repository, run, signal } = execution;
  const given = interpolate(step.with['ref'] ?? '', scope);
  const sha = given === '' ? run.testedSha : await core.git.resolve(repository, given);
  if (sha === null) throw new Error(`A branch or tag with the name '${given}' could not be found`);
  if (signal.aborted) return 'cancelled';
  await runGit(workspace, ['init', '--quiet', '--initial-branch=main', '.']);
  const alternates = join(workspace, '.git', 'objects', 'info', 'alternates');
  writeFileSync(alternates, `${join(core.git.directoryOf(repository), 'objects')}\n`);
  await runGit(workspace, ['checkout', '--quiet', '--detach', sha]);
  const credentials = Buffer.from(`x-access-token:${token}`).toString('base64');
  const config = [
    `[remote "origin"]\n\turl = ${core.urls.web}/${fullNameOf(core, repository)}.git`,
    '\tfetch = +refs/heads/*:refs/remotes/origin/*',
    `[http "${core.urls.web}/"]\n\textraheader = AUTHORIZATION: basic ${credentials}\n`,
  ];
  // The configuration is written without git, which saves two git processes for each job.
  appendFileSync(join(workspace, '.git', 'config'), config.join('\n'));
  return 'success';
}

async function runScript(world: World, step: Step, scope: Scope): Promise<Outcome> {
  const { execution, folder, workspace, github } = world;
  const script = join(folder, 'step.sh');
  writeFileSync(script, interpolate(step.run ?? '', scope));
  const given = scope.contexts['env'] as Record<string, string>;
  const values = Object.entries(given).map(([name, value]) => [name, interpolate(value, scope)]);
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: folder,
    ...githubEnvironment(github),
    GITHUB_WORKSPACE: workspace,
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_ENV: join(folder, 'env'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    RUNNER_TEMP: folder,
    ...(Object.fromEntries(values) as Record<string, string>),
  };
  const shell = step.shell === 'sh' ? ['sh', '-e'] : ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail'];
  const cwd = join(workspace, step['working-directory'] ?? '');
  const leftOfJobMs = Math.max(0, world.endsAt - Date.now());
  const ofStepMs = (step['timeout-minutes'] ?? 360) * 60_000;
  // A job that exceeds its time limit is cancelled. A step that exceeds its time limit fails.
  const limit = {
    ms: Math.min(leftOfJobMs, ofStepMs),
    outcome: leftOfJobMs < ofStepMs ? 'cancelled' : 'failure',
  } as const;
  writeFileSync(join(folder, 'output'), '');
  writeFileSync(join(folder, 'env'), '');
  const outcome = await spawnShell(execution, { command: [...shell, script], cwd, env, limit });
  Object.assign(world.env, parsePairs(join(folder, 'env')));
  return outcome;
}

interface Command {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limit: { readonly ms: number; readonly outcome: 'cancelled' | 'failure' };
}

async function spawnShell(
  { job, signal }: Execution,
  { command: [program = 'bash', ...args], cwd, env, limit }: Command,
): Promise<Outcome> {
  // The script has its own process group, so that its children are killed together with the script.
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = (chunk: Buffer): void => void (job.log += chunk.toString('utf8'));
  child.stdout.on('data', log);
  child.stderr.on('data', log);
  let ended: Outcome | null = null;
  const kill = (as: Outcome): void => {
    ended ??= as;
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process group has already ended.
    }
  };
  const timer = setTimeout(() => {
    job.log += '##[error]The operation was canceled: it took longer than its time limit.\n';
    kill(limit.outcome);
  }, limit.ms);
  const abort = (): void => kill('cancelled');
  signal.addEventListener('abort', abort);
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    if (ended !== null) return ended;
    if (exitCode !== 0) job.log += `##[error]Process completed with exit code ${exitCode}.\n`;
    return exitCode === 0 ? 'success' : 'failure';
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function readOutputs({ folder }: World): Record<string, string> {
  return parsePairs(join(folder, 'output'));
}

/** Parses lines `name=value`, and values of several lines between `name<<delimiter` and a line with the delimiter. */
function parsePairs(path: string): Record<string, string> {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const pairs: Record<string, string> = {};
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, long, delimiter] = /^([\w-]+)<<(.+)$/.exec(line) ?? [];
    if (long !== undefined && delimiter !== undefined) {
      const end = lines.indexOf(delimiter, at);
      pairs[long] = lines.slice(at + 1, end < 0 ? undefined : end).join('\n');
      at = end < 0 ? lines.length : end;
      continue;
    }
    const [, name, value] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) pairs[name] = value ?? '';
  }
  return pairs;
}
