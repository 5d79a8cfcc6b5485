// What executes a runbook. An agent decides and speaks. It acts only by the tools that it receives, and the tools limit
// what it may do. Each call may come again from the beginning: a worker that is killed forgets what it heard.
import type { AgentKind, StepStatus } from '../../domain/runbooks/runbook.ts';

export interface Agent {
  readonly kind: AgentKind;
  /** Turns a prompt into steps. Throws AgentRefused, BudgetSpent; what else is thrown may be tried again. */
  plan(request: PlanRequest, session: AgentSession): Promise<Plan>;
  /**
   * Does one leaf step in the worktree. Throws AgentRefused where the step failed for good, and BudgetSpent; after
   * other errors it may be tried again.
   */
  work(request: WorkRequest, session: AgentSession): Promise<WorkReport>;
}

export interface RunbookOutline {
  /** Null: it is to be made up. */
  readonly title: string | null;
  /** `owner/name`. */
  readonly repository: string;
  /** All prompts so far, oldest first; a plan is made for the last one. */
  readonly prompts: readonly string[];
  /** The leaves there are, in order. */
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
  /** Appended to the steps there are. Each has one leaf at least. */
  readonly steps: readonly PlannedStep[];
}

export interface PlannedStep {
  readonly title: string;
  readonly leaves: readonly PlannedLeaf[];
}

export interface PlannedLeaf {
  readonly title: string;
  /** Handed back with the leaf: JSON in a form of the agent's own. */
  readonly instructions: unknown;
}

export interface WorkRequest extends RunbookOutline {
  readonly step: PlannedLeaf & { readonly number: string };
}

export interface WorkReport {
  /** What was done, in a few sentences. */
  readonly summary: string;
  /** First line at most 72 characters. Used when files were changed. */
  readonly commitMessage: string;
}

export interface AgentSession {
  /** The tools that the agent may call. When it plans, these are only the tools that read. */
  readonly tools: readonly Tool[];
  /** Runs a tool by its name and writes that down. Never throws for what the agent asked: that is an answer. */
  call(tool: string, args: unknown): Promise<ToolAnswer>;
  /** What it says while it works, as people follow it. */
  say(text: string): void;
  /** Written down before the next turn. Throws BudgetSpent when nothing is left. */
  spend(turn: Turn): Promise<void>;
  /** Millionths of a US dollar. */
  readonly remainingMicros: () => number;
  readonly signal: AbortSignal;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolAnswer {
  readonly outcome: 'done' | 'failed' | 'refused';
  /** For the agent to read; bounded. */
  readonly text: string;
}

export interface Turn {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
}

/** It cannot or will not do that, and never will. The message says what to do about it. */
export class AgentRefused extends Error {}
/** The model is busy, and said for how long: it may be tried again after that. */
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
