// Runs the bundle of the Action as a runner of GitHub does: as a process of its own, with the inputs, the event and the
// files of a step in its environment.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../../src/platform/project-root.ts';

interface Definition {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, object>>;
  readonly runs: { readonly using: string; readonly main: string };
}

/** action.yml. */
export const definition = parse(readFileSync(join(projectRoot, 'action', 'action.yml'), 'utf8')) as Definition;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  /** The text of the file GITHUB_OUTPUT. */
  readonly outputs: string;
  readonly summary: string;
}

export interface Step {
  readonly inputs: Readonly<Record<string, string>>;
  /** The pull request of the event. Left out: the event is a push of `sha`. */
  readonly pullRequest?: { readonly number: number; readonly head: string };
  readonly sha?: string;
}

/** Runs the bundle with the defaults of action.yml, in an empty workspace. */
export async function runBundle({ inputs, pullRequest, sha = 'c'.repeat(40) }: Step): Promise<Ran> {
  const workspace = await mkdtemp(join(tmpdir(), 'interlock-action-'));
  const files = { output: join(workspace, 'output'), summary: join(workspace, 'summary') };
  const event = join(workspace, 'event.json');
  for (const file of Object.values(files)) await writeFile(file, '');
  const payload =
    pullRequest === undefined ? {} : { pull_request: { number: pullRequest.number, head: { sha: pullRequest.head } } };
  await writeFile(event, JSON.stringify(payload));
  const defaults = Object.fromEntries(
    Object.entries(definition.inputs).map(([name, { default: text = '' }]) => [name, text]),
  );
  const env = {
    ...Object.fromEntries(
      Object.entries({ ...defaults, ...inputs }).map(([name, text]) => [`INPUT_${name.toUpperCase()}`, text]),
    ),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: workspace,
    GITHUB_OUTPUT: files.output,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_EVENT_PATH: event,
    GITHUB_EVENT_NAME: pullRequest === undefined ? 'push' : 'pull_request',
    GITHUB_SHA: sha,
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REF_NAME: pullRequest === undefined ? 'main' : `${pullRequest.number}/merge`,
  };
  const main = join(projectRoot, 'action', definition.runs.main);
  const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) => {
    execFile(process.execPath, [main], { env, cwd: workspace }, (error, text) =>
      resolve({ code: Number(error?.code ?? 0), stdout: text }),
    );
  });
  const ran = {
    code,
    stdout,
    outputs: await readFile(files.output, 'utf8'),
    summary: await readFile(files.summary, 'utf8'),
  };
  await rm(workspace, { recursive: true });
  return ran;
}

/** The outputs of a step by their names. */
export function outputsOf({ outputs }: Ran): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...outputs.matchAll(/^(\S+)<<(\S+)\n([\s\S]*?)\n\2\n/gm)].map(([, name = '', , text = '']) => [name, text]),
  );
}
