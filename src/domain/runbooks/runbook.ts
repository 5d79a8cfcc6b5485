// The terms of runbooks: the statuses of a step, and how commits become pull requests (interface 2.12, 3.3).

export const stepStatuses = ['not_started', 'queued', 'in_progress', 'completed', 'failed'] as const;
export type StepStatus = (typeof stepStatuses)[number];

export const runbookStatuses = [
  'generating_steps',
  'not_started',
  'in_progress',
  'partially_completed',
  'failed',
  'completed',
] as const;
export type RunbookStatus = (typeof runbookStatuses)[number];

export const prModes = ['manual', 'single_pr', 'stacked_pr'] as const;
export type PrMode = (typeof prModes)[number];

export const agentKinds = ['script', 'model'] as const;
export type AgentKind = (typeof agentKinds)[number];

export type RunbookPullRequestState = 'planned' | 'open' | 'merged' | 'closed';
export type RunbookCommitState = 'made' | 'pushed' | 'void';

/** For an agent only branches of runbooks are pushed. `ordinal` 1 is the first or only pull request. */
export function runbookBranch(number: number, ordinal: number): string {
  return ordinal === 1 ? `interlock/runbook-${number}` : `interlock/runbook-${number}-${ordinal}`;
}

/** The status of a runbook, derived only from the statuses of its leaves (interface 3.3). The first match counts. */
export function runbookStatus(leaves: readonly StepStatus[]): RunbookStatus {
  const has = (status: StepStatus): boolean => leaves.includes(status);
  const all = (status: StepStatus): boolean => leaves.every((leaf) => leaf === status);
  if (leaves.length === 0) return 'generating_steps';
  if (has('in_progress')) return 'in_progress';
  if (has('failed')) return 'failed';
  if (all('completed')) return 'completed';
  if (all('not_started')) return 'not_started';
  return 'partially_completed';
}

/** Whether a pull request of a runbook still gets commits. */
export function isLive({ state }: { readonly state: RunbookPullRequestState }): boolean {
  return state === 'planned' || state === 'open';
}
