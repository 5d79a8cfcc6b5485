import { expect, test } from 'vitest';
import { concernsQueue } from '../../../src/domain/events/queue-events.ts';

test.each<[string, string, string | null, string | null, boolean]>([
  ['an event in the queue', 'queued', '7', null, true],
  ['an event in another queue', 'queued', '8', null, false],
  ['a pause of its repository', 'repository_paused', null, null, true],
  ['another configuration', 'config_change', null, null, true],
  ['a freeze of base branches', 'freeze_created', null, null, true],
  ['a freeze of an environment', 'freeze_created', null, '3', false],
  ['a step of a runbook', 'runbook_step_changed', null, null, false],
  ['a new default of runbooks', 'runbook_defaults_changed', null, null, false],
  ['a verification', 'verification_passed', null, null, false],
  ['a deployment', 'deployment_success', null, '3', false],
])('%s (%s) concerns the queue: %#', (_what, action, queueId, environmentId, expected) => {
  expect(concernsQueue({ action, queueId, environmentId }, '7')).toBe(expected);
});
