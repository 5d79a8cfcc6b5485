// The cost of a database's statements, as PostgreSQL itself reports it: by auto_explain, whose plans come as notices.
import pg from 'pg';
import { vi } from 'vitest';
import { asAdmin } from './postgres.ts';

export interface Executed {
  readonly text: string;
  /**
   * Of 8 kB, each as often as it was looked at to find the rows: what a plan costs whatever the machine does besides.
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

/** Statements of this process in that database are seen from here on. */
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
  // Settings are those of sessions that begin now.
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}

export function watchPlans(): Plans {
  const heard = vi.spyOn(pg.Client.prototype, 'emit');
  return {
    take() {
      const calls = heard.mock.calls as readonly (readonly unknown[])[];
      const executed = calls.flatMap(([event, message]) => (event === 'notice' ? read(message as Notice) : []));
      heard.mockClear();
      return executed;
    },
    [Symbol.dispose]: () => heard.mockRestore(),
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
 * Without the blocks that a write itself looks at: an index whose page is full is cleaned first, which takes hundreds
 * of blocks now and then, whatever the plan.
 */
function blocksOf(node: PlanNode): number {
  if (node['Node Type'] === 'ModifyTable') return (node.Plans ?? []).reduce((sum, child) => sum + blocksOf(child), 0);
  return node['Shared Hit Blocks'] + node['Shared Read Blocks'];
}
