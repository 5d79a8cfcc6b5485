import { expect, it } from 'vitest';
import { scopeOfFacts, type EventSubject } from '../../../src/domain/events/facts-scope.ts';

const nothing = { candidateId: null, environmentId: null, deploymentId: null, runbookId: null };

it.each<[string, Partial<EventSubject>, string]>([
  ['merged', {}, 'queue:read'],
  ['base_branch_frozen', {}, 'queue:read'],
  ['freeze_created', {}, 'queue:read'],
  ['freeze_created', { environmentId: '1' }, 'release:read'],
  ['verification_passed', {}, 'queue:read'],
  ['config_change', {}, 'config:read'],
  ['configuration_refused', {}, 'config:read'],
  ['runbook_defaults_changed', {}, 'config:read'],
  ['skip_line_granted', {}, 'config:read'],
  ['user_updated', {}, 'config:read'],
  ['team_member_added', {}, 'config:read'],
  ['token_created', {}, 'admin'],
  ['webhook_endpoint_disabled', {}, 'admin'],
  ['webhook_signing_rotated', {}, 'admin'],
  ['preview_secret_set', {}, 'admin'],
  ['preview_image_registered', {}, 'admin'],
  ['release_project_created', {}, 'release:read'],
  ['environment_updated', { environmentId: '1' }, 'release:read'],
  ['candidate_created', { candidateId: '1' }, 'release:read'],
  ['deployment_success', { candidateId: '1', environmentId: '1', deploymentId: '1' }, 'release:read'],
  ['runbook_step_changed', { runbookId: '1' }, 'runbook:write'],
])('the facts of %s with %j need %s', (action, subject, scope) => {
  expect(scopeOfFacts({ action, ...nothing, ...subject })).toBe(scope);
});
