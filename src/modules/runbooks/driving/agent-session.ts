// What a worker needs, besides the ports, to carry out a runbook, and the session of its agent.
import type { Context } from '../../../context.ts';
import { changePolicy } from '../../../domain/runbooks/policy.ts';
import {
  BudgetSpent,
  type Agent,
  type AgentSession,
  type Agents,
  type RunbookOutline,
} from '../../../platform/agents/port.ts';
import type { Tools, Workspace } from '../../../platform/agents/tools/index.ts';
import type { InTurn } from '../../../platform/at-most.ts';
import type { RunFolders, Sandbox } from '../../../platform/sandbox/index.ts';
import type { RunbookRows } from './runbook.rows.ts';
import { budgetSpent, openSession } from './session.ts';

export interface RunbookDriving {
  readonly agents: Agents;
  readonly createTools: (workspace: Workspace, mode: 'plan' | 'work') => Tools;
  /** Null: there is no sandbox, and no command is run. */
  readonly sandbox: Sandbox | null;
  /** Limits how many commands of agents run at once. Left out: there is no limit. */
  readonly inTurn?: InTurn;
  /** A secret, such as the key of a model, that is masked in everything that is stored. Null: there is none. */
  readonly secret: string | null;
  /** The folder for worktrees. A worktree is removed after its leaf. */
  readonly workDir: string;
  /**
   * How long the planning of a prompt or the work on a leaf may take before it fails. Waits for room for a command do not
   * count.
   */
  readonly stepLimitMs: number;
  /** Aborted when this process stops. Then the work stops, and another process starts it again. */
  readonly signal?: AbortSignal;
}

/** The input of one supervised attempt of the agent. */
export interface SupervisedAgent {
  readonly ctx: Context;
  readonly runbookId: string;
  readonly driving: RunbookDriving;
  readonly signal: AbortSignal;
  /** Runs a command when this worker has room for it. */
  readonly inTurn: InTurn;
  readonly write: (text: string) => void;
  /** Called after every write, so that the progress can be reported. */
  readonly onChange: () => void;
}

export function outlineOf({ runbook, repository, prompts, leaves }: RunbookRows, upTo?: number): RunbookOutline {
  return {
    title: runbook.titleGiven ? runbook.title : null,
    repository: `${repository.owner}/${repository.name}`,
    prompts: prompts.filter(({ ordinal }) => upTo === undefined || ordinal <= upTo).map(({ text }) => text),
    steps: leaves.map(({ number, title, status, summary }) => ({
      number,
      title,
      status: status ?? 'not_started',
      summary: summary ?? null,
    })),
  };
}

/** The agent of a runbook. Throws BudgetSpent if the agent is a model and the budget is spent. */
export function agentOf({ agents }: RunbookDriving, { runbook }: RunbookRows): Agent {
  const agent = agents(runbook.agent);
  if (agent.kind === 'model' && runbook.spentMicros >= runbook.budgetMicros)
    throw new BudgetSpent(budgetSpent(runbook.budgetMicros));
  return agent;
}

/** Opens the agent's session in these folders. If `stepId` is null, the agent plans. */
export function openAgentSession(
  { ctx, driving, signal, inTurn, write, onChange, runbookId }: SupervisedAgent,
  { runbook }: RunbookRows,
  { stepId, folders }: { readonly stepId: string | null; readonly folders: RunFolders },
): AgentSession {
  const { sandbox, secret, createTools } = driving;
  const policy = changePolicy(runbook.workflowFiles);
  const mode = stepId === null ? 'plan' : 'work';
  const tools = createTools({ folders, sandbox, inTurn, policy, signal, onOutput: write }, mode);
  const { budgetMicros, spentMicros } = runbook;
  return openSession(ctx, { runbookId, stepId, tools, secret, budgetMicros, spentMicros, signal, write, onChange });
}
