// Measures the cost of statements by auto_explain of PostgreSQL, which sends the plans as notices.
import pg from 'pg';
import { vi } from 'vitest';
import { asAdmin } from './postgres.ts';

export interface Executed {
  readonly text: string;
  /**
   * How many blocks of 8 kB the plan read to find the rows. A block that is read twice counts twice. This cost does not
   * depend on how busy the machine is.
   */
  readonly blocks: number;
}

export interface Plans extends Disposable {
  /** The statements executed since the last call. */
  take(): Executed[];
}

interface Explained {
  readonly 'Query Text': string;
  readonly Plan: PlanNode;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** From now on, PostgreSQL reports the plans of statements in this database. */
export async function explainAll(databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  };
  for (const [key, value] of Object.entries(settings)) await asAdmin(`alter database ${name} set ${key} = '${value}'`);
  // The settings apply to new sessions, so the present sessions are ended.
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}

export function watchPlans(): Plans {
  const spy = vi.spyOn(pg.Client.prototype, 'emit');
  return {
    take() {
      const calls = spy.mock.calls as readonly (readonly unknown[])[];
      const executed = calls.flatMap(([event, message]) => (event === 'notice' ? read(message as Notice) : []));
      spy.mockClear();
      return executed;
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}

interface Notice {
  readonly message?: string;
}

function read({ message }: Notice): Executed[] {
  const start = message?.indexOf('plan:\n') ?? -1;
  if (message === undefined || start === -1) return [];
  const { 'Query Text': text, Plan: plan } = JSON.parse(message.slice(start + 'plan:\n'.length)) as Explained;
  return [{ text, blocks: blocksOf(plan) }];
}

/**
 * The blocks of a plan without the blocks of the write itself. A write sometimes cleans a full page of an index first,
 * which reads hundreds of blocks and does not depend on the plan.
 */
function blocksOf(node: PlanNode): number {
  if (node['Node Type'] === 'ModifyTable') return (node.Plans ?? []).reduce((sum, child) => sum + blocksOf(child), 0);
  return node['Shared Hit Blocks'] + node['Shared Read Blocks'];
}
