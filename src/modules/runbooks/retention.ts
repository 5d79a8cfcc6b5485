// The retention of logs. Runbooks, their steps and their commits are never deleted, because they record where a change
// came from.
import { ruleForRows } from '../../platform/retention/index.ts';

export const runbookLogForgetting = ruleForRows('runbook_logs', 'select min(at) from runbook_log', [
  { table: 'runbook_log', old: 't.at < $1' },
  { table: 'runbook_tool_call', old: 't.ended_at < $1' },
]);
