// The port of agents, which execute runbooks. An agent acts only through the tools of its session, and the tools limit
// what it may do. `plan` and `work` may be called again from the beginning, because a worker that is killed loses the
// conversation.
import type { AgentKind, StepStatus } from '../../domain/runbooks/runbook.ts';

export interface Agent {
  readonly kind: AgentKind;
  /** Turns a prompt into steps. Throws AgentRefused and BudgetSpent. After any other error the call may be repeated. */
  plan(request: PlanRequest, session: AgentSession): Promise<Plan>;
  /**
   * Carries out one leaf in the worktree. Throws AgentRefused if the step failed for good, and BudgetSpent. After any
   * other error the call may be repeated.
   */
  work(request: WorkRequest, session: AgentSession): Promise<WorkReport>;
}

export interface RunbookOutline {
  /** Null: the agent chooses a title. */
  readonly title: string | null;
  /** `owner/name`. */
  readonly repository: string;
  /** All prompts so far, oldest first. The plan is made for the last prompt. */
  readonly prompts: readonly string[];
  /** The existing leaves, in order. */
  readonly steps: readonly OutlinedStep[];
}

export interface OutlinedStep {
  readonly number: string;
  readonly title: string;
  readonly status: StepStatus;
  readonly summary: string | null;
}

export type PlanRequest = RunbookOutline;

export interface Plan {
  readonly title: string;
  /** The new steps, which are appended to the existing ones. Each has at least one leaf. */
  readonly steps: readonly PlannedStep[];
}

export interface PlannedStep {
  readonly title: string;
  readonly leaves: readonly PlannedLeaf[];
}

export interface PlannedLeaf {
  readonly title: string;
  /** JSON in the agent's own form. `work` receives it with the leaf. */
  readonly instructions: unknown;
}

export interface WorkRequest extends RunbookOutline {
  readonly step: PlannedLeaf & { readonly number: string };
}

export interface WorkReport {
  /** What was done, in a few sentences. */
  readonly summary: string;
  /** The first line has at most 72 characters. Used only if files were changed. */
  readonly commitMessage: string;
}

export interface AgentSession {
  /** The tools that the agent may call. When it plans, these are only the tools that read. */
  readonly tools: readonly Tool[];
  /** Calls a tool by its name and records the call. A wrong or refused request is an answer, not an error. */
  call(tool: string, args: unknown): Promise<ToolAnswer>;
  /** Publishes text of the agent for people who follow the work. */
  say(text: string): void;
  /** Records the cost of a turn before the next turn. Throws BudgetSpent if nothing of the budget is left. */
  spend(turn: Turn): Promise<void>;
  /** Millionths of a US dollar. */
  readonly remainingMicros: () => number;
  readonly signal: AbortSignal;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolAnswer {
  readonly outcome: 'done' | 'failed' | 'refused';
  /** Text for the agent, of bounded length. */
  readonly text: string;
}

export interface Turn {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
}

/** The agent cannot or will not do the work, and a retry cannot help. The message says what to do about it. */
export class AgentRefused extends Error {}
/** The model is busy. The work may be tried again after `waitMs`, which the provider has named. */
export class AgentBusy extends Error {
  constructor(
    message: string,
    readonly waitMs: number,
  ) {
    super(message);
  }
}
/** The runbook's budget is spent. */
export class BudgetSpent extends Error {}

export type Agents = (kind: AgentKind) => Agent;
