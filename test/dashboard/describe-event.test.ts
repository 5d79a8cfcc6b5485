// The sentences that the page of the activity shows for events.
import { expect, it } from 'vitest';
import { describeEvent } from '../../dashboard/src/app/describe-event.ts';

it.each([
  ['queued', { number: 3 }, 'Entered the line', '', ''],
  [
    'blocked',
    { number: 3, statusText: 'A required check failed: unit.' },
    'Blocked',
    '',
    'A required check failed: unit.',
  ],
  ['something_new', { reason: 'Maintenance', login: 'ada' }, 'Something new', '', 'Maintenance'],
  ['batch_started', { pullRequests: [3, 4] }, 'A batch was formed', '#3 and #4', ''],
  ['batch_merged', { pullRequests: [{ number: 3 }] }, 'The batch landed', '#3', ''],
  [
    'deployment_failure',
    { project: 'shop', version: '1.2', environment: 'staging', errorMessage: 'Exited with code 1' },
    'Deployment: failure',
    'shop, 1.2, staging',
    'Exited with code 1',
  ],
  ['runbook_step_changed', { number: 2, step: '3.1', status: 'in_progress' }, 'Step 3.1: in progress', 'Runbook 2', ''],
  [
    'environment_frozen',
    { project: 'shop', environment: 'staging', reason: 'Tea time', sentence: 'frozen by ada: Tea time' },
    'The environment was frozen',
    'shop, staging',
    'frozen by ada: Tea time',
  ],
  [
    'config_change',
    { diff: '--- a\n+++ b\n+x: 1\n-y: 2\n' },
    'The configuration changed',
    '',
    '1 line added, 1 line removed',
  ],
  [
    'runbook_pull_request_changed',
    { number: 2, pullRequest: 21, state: 'open' },
    "The runbook's pull request #21 is open",
    'Runbook 2',
    '',
  ],
  [
    'runbook_pull_request_changed',
    { number: 2, pullRequest: null, state: 'planned' },
    "The runbook's pull request is planned",
    'Runbook 2',
    '',
  ],
  ['pull_request_changed', { number: 3, status: 'closed', statusText: null }, 'Closed', '', ''],
  [
    'pull_request_changed',
    { number: 3, status: 'pending', statusText: 'It waits for #2.' },
    'Waits to enter the line',
    '',
    'It waits for #2.',
  ],
  ['pull_request_changed', { number: 3, status: 'open', statusText: null }, 'Changed at the code host', '', ''],
  ['something_new', null, 'Something new', '', ''],
])('an event %s with %j is described as "%s"', (action, payload, what, subject, detail) => {
  expect(describeEvent(action, payload)).toEqual({ what, subject, detail });
});
