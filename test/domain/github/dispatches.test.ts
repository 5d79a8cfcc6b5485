// Answers of GitHub about workflows that are started by name. Messages say what to do.
import { expect, test } from 'vitest';
import { judgeDispatch, missingWorkflow, whyItFailed } from '../../../src/hosts/github/dispatch-answers.ts';

const asked = {
  workflow: 'deploy.yml',
  commit: 'c0ffee',
  url: 'https://github.com/acme/shop/actions/workflows/deploy.yml',
};

test.each([
  [
    `GitHub: Workflow does not have 'workflow_dispatch' trigger`,
    'GitHub does not start the workflow deploy.yml: its file has no trigger workflow_dispatch at the commit c0ffee. Add `workflow_dispatch:` below `on:`.',
  ],
  [
    `GitHub: Cannot trigger a 'workflow_dispatch' on a disabled workflow`,
    'GitHub does not start the workflow deploy.yml, because it is disabled at GitHub. Enable the workflow: https://github.com/acme/shop/actions/workflows/deploy.yml',
  ],
  [
    'GitHub: Unexpected inputs provided: ["environment"]',
    'GitHub: Unexpected inputs provided: ["environment"]. The workflow deploy.yml does not declare these inputs: add them below on -> workflow_dispatch -> inputs.',
  ],
  [
    "GitHub: Required input 'stage' not provided",
    "GitHub: Required input 'stage' not provided. Interlock does not know this input of the workflow deploy.yml: give the input a default, or make it optional.",
  ],
  ['GitHub: Something new', 'GitHub: Something new'],
])('the answer "%s" is a refusal that says what to do', (said, message) => {
  expect(judgeDispatch(said, asked)).toEqual({ kind: 'refused', message });
});

test('a server that does not know the field for run details is asked without it', () => {
  const said = 'GitHub: Invalid request.\n\n"return_run_details" is not a permitted key.';
  expect(judgeDispatch(said, asked)).toEqual({ kind: 'ask_without_details' });
});

test('a workflow on a branch that GitHub does not see yet is dispatched later', () => {
  expect(judgeDispatch('GitHub: No ref found for: mq-bot-7', asked)).toMatchObject({ kind: 'later' });
});

test.each([
  [
    'deploy.yml',
    'GitHub has no workflow "deploy.yml" on the default branch of the repository. Add .github/workflows/deploy.yml to this branch.',
  ],
  ['Deploy', 'GitHub has no workflow "Deploy" on the default branch of the repository.'],
])('a missing workflow %s is named with the path of its file', (workflow, message) => {
  expect(missingWorkflow({ workflow })).toBe(message);
});

test.each([
  [
    'failure',
    [
      { name: 'build', conclusion: 'success' },
      { name: 'deploy', conclusion: 'failure', steps: [{ name: 'Smoke', conclusion: 'failure' }] },
    ],
    'The job deploy failed at its step "Smoke".',
  ],
  ['failure', [{ name: 'deploy', conclusion: 'timed_out' }], 'The job deploy failed.'],
  ['startup_failure', [], 'GitHub could not start the workflow: its file has a mistake.'],
  ['action_required', [], 'A maintainer must approve the run at GitHub.'],
  ['timed_out', [], 'The run took longer than GitHub allows.'],
  ['failure', [], null],
])('a run that ended as %s with the jobs %j has a reason', (conclusion, jobs, message) => {
  expect(whyItFailed(conclusion, jobs)).toBe(message);
});
