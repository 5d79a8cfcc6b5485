// Landings, their proofs and the evidence of the proofs are never deleted.
import { sqlList } from '../../../platform/database.ts';
import { forgetRows } from '../../../platform/retention/index.ts';
import type { IntentKind } from './queue.entities.ts';

export const historyForgetting = forgetRows('history', 'select min(until_at) from pull_request_past', [
  { table: 'pull_request_past', old: 't.until_at < $1' },
  { table: 'queue_past', old: 't.until_at < $1' },
  { table: 'merge_result', old: 't.found_at < $1' },
]);

export const targetsForgetting = forgetRows('targets', 'select min(until_at) from pull_request_targets_past', [
  { table: 'pull_request_targets_past', old: 't.until_at < $1' },
]);

/**
 * Kinds of intents that are planned again by replacing the row, or that another row records. Intents of other kinds
 * would happen twice without the row.
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

export const intentForgetting = forgetRows('intents', `select min(t.concluded_at) from intent t where ${isOver}`, [
  { table: 'intent', old: `t.concluded_at < $1 and ${isOver}` },
]);
