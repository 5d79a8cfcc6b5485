// Lists what the queue deletes by age. Landings, their proofs and the evidence of the proofs are never deleted.
import { sqlList } from '../../../platform/database.ts';
import { ruleForRows } from '../../../platform/retention/index.ts';
import type { IntentKind } from './queue.entities.ts';

export const historyForgetting = ruleForRows('history', 'select min(until_at) from pull_request_past', [
  { table: 'pull_request_past', old: 't.until_at < $1' },
  { table: 'queue_past', old: 't.until_at < $1' },
  { table: 'merge_result', old: 't.found_at < $1' },
]);

export const targetsForgetting = ruleForRows('targets', 'select min(until_at) from pull_request_targets_past', [
  { table: 'pull_request_targets_past', old: 't.until_at < $1' },
]);

/**
 * Intents of these kinds may be deleted when they are over, because their row is replaced when they are planned again,
 * or because another row records the effect. An intent of another kind would have its effect twice if its row were
 * deleted.
 */
const replaceable: readonly IntentKind[] = [
  'comment',
  'status_check',
  'label',
  'read_checks',
  'retry_check',
  'run_gate',
  'refresh',
];
const isOver = `t.state in ('done', 'failed', 'void') and t.kind in ${sqlList(replaceable)}`;

export const intentForgetting = ruleForRows('intents', `select min(t.concluded_at) from intent t where ${isOver}`, [
  { table: 'intent', old: `t.concluded_at < $1 and ${isOver}` },
]);
