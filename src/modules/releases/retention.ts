// The retention of logs and freezes. Deployments are never deleted, because they show which candidate runs in an
// environment and what a rollback returns to.
import { ruleForRows } from '../../platform/retention/index.ts';

export const deploymentLogForgetting = ruleForRows('deployment_logs', 'select min(at) from deployment_log', [
  { table: 'deployment_log', old: 't.at < $1' },
]);

export const freezeForgetting = ruleForRows('freezes', 'select min(least(deleted_at, ends_at)) from freeze_rule', [
  { table: 'freeze_rule', old: '(t.deleted_at < $1 or t.ends_at < $1)' },
]);
