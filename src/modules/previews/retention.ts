// The retention of logs and registrations. Verifications and their steps are never deleted, because landings depend on
// them.
import { ruleForRows } from '../../platform/retention/index.ts';

export const verificationLogForgetting = ruleForRows('verification_logs', 'select min(at) from verification_log', [
  { table: 'verification_log', old: 't.at < $1' },
  {
    table: 'preview_registration',
    old: `t.ended_at < $1 and not exists (
        select from verification v where v.account_id = t.account_id and v.registration_id = t.id)`,
  },
]);
