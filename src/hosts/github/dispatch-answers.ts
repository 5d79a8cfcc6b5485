// Turns GitHub's refusals to start a workflow by name into sentences that say what to do. Pure.

/** The workflow of a dispatch. */
export interface AskedWorkflow {
  /** The name of the workflow in the configuration. */
  readonly workflow: string;
  readonly commit: string;
  /** The page of the workflow at GitHub. */
  readonly url: string;
}

export type DispatchRefusal =
  /**
   * The server does not support the field `return_run_details`, for example Enterprise Server 3.19. No run was started.
   */
  | { readonly kind: 'ask_without_details' }
  /** GitHub's API does not have the branch yet. The API may lag behind git. */
  | { readonly kind: 'later'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

type Cure = readonly [reply: RegExp, (asked: AskedWorkflow, reply: string) => string];

const cures: readonly Cure[] = [
  [
    /does not have '?workflow_dispatch/i,
    ({ workflow, commit }) =>
      `GitHub does not start the workflow ${workflow}: its file has no trigger workflow_dispatch at the commit ${commit}. Add \`workflow_dispatch:\` below \`on:\`.`,
  ],
  [
    /disabled workflow/i,
    ({ workflow, url }) =>
      `GitHub does not start the workflow ${workflow}, because it is disabled at GitHub. Enable the workflow: ${url}`,
  ],
  [
    /unexpected inputs provided/i,
    ({ workflow }, reply) =>
      `${reply}. The workflow ${workflow} does not declare these inputs: add them below on -> workflow_dispatch -> inputs.`,
  ],
  [
    /required input .* not provided/i,
    ({ workflow }, reply) =>
      `${reply}. Interlock does not know this input of the workflow ${workflow}: give the input a default, or make it optional.`,
  ],
];

export function judgeDispatch(reply: string, asked: AskedWorkflow): DispatchRefusal {
  if (/return_run_details/.test(reply)) return { kind: 'ask_without_details' };
  if (/no ref found/i.test(reply)) return { kind: 'later', message: reply };
  const cure = cures.find(([pattern]) => pattern.test(reply));
  return { kind: 'refused', message: cure === undefined ? reply : cure[1](asked, reply) };
}

/** The message for a missing workflow. GitHub has a workflow only if its file is, or was, on the default branch. */
export function missingWorkflow({ workflow }: Pick<AskedWorkflow, 'workflow'>): string {
  const file = /\.ya?ml$/.test(workflow) ? ` Add .github/workflows/${workflow.split('/').at(-1)} to this branch.` : '';
  return `GitHub has no workflow ${JSON.stringify(workflow)} on the default branch of the repository.${file}`;
}

export interface EndedJob {
  readonly name: string;
  readonly conclusion: string | null;
  readonly steps?: readonly { readonly name: string; readonly conclusion: string | null }[] | undefined;
}

const endTexts: Readonly<Record<string, string>> = {
  startup_failure: 'GitHub could not start the workflow: its file has a mistake.',
  action_required: 'A maintainer must approve the run at GitHub.',
  timed_out: 'The run took longer than GitHub allows.',
};

/** Why a run did not succeed: the first job that failed, and its step. Null: GitHub does not say more. */
export function whyItFailed(conclusion: string | null, jobs: readonly EndedJob[]): string | null {
  const known = endTexts[conclusion ?? ''];
  if (known !== undefined) return known;
  const job = jobs.find((each) => each.conclusion === 'failure' || each.conclusion === 'timed_out');
  if (job === undefined) return null;
  const step = job.steps?.find((each) => each.conclusion === 'failure' || each.conclusion === 'timed_out');
  return step === undefined ? `The job ${job.name} failed.` : `The job ${job.name} failed at its step "${step.name}".`;
}
