// Deployments themselves stay: what runs somewhere, and what a rollback goes back to, is read from them.
import { forgetRows } from '../../platform/retention/index.ts';

export const deploymentLogForgetting = forgetRows('deployment_logs', 'select min(at) from deployment_log', [
  { table: 'deployment_log', old: 't.at < $1' },
]);

export const freezeForgetting = forgetRows('freezes', 'select min(least(deleted_at, ends_at)) from freeze_rule', [
  { table: 'freeze_rule', old: '(t.deleted_at < $1 or t.ends_at < $1)' },
]);
