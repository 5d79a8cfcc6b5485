// The agents that execute runbooks in this process, and what they need.
import { tmpdir } from 'node:os';
import { defaultStepLimitMs } from './domain/runbooks/drive.ts';
import type { AgentKind } from './domain/runbooks/runbook.ts';
import type { RunbookDriving } from './modules/runbooks/index.ts';
import { createModelAgent, createScriptAgent, createTools, type ModelSettings } from './platform/agents/index.ts';
import { AgentRefused, type Agent, type Agents } from './platform/agents/port.ts';
import type { InTurn } from './platform/at-most.ts';
import type { Sandbox } from './platform/sandbox/index.ts';

export interface AgentOptions {
  /** Null: no model is configured. */
  readonly model: ModelSettings | null;
  /** The time limit of a step. Default: two hours. */
  readonly stepLimitMs?: number;
}

/** A sentence that says which agent executes runbooks, and how to configure a model if there is none. */
export function describeRunbookAgent({ model }: AgentOptions): string {
  return model === null
    ? 'runbooks are executed as scripts: for prompts in prose name a model by RUNBOOK_MODEL (docs/runbooks.md)'
    : `runbooks are executed by ${model.provider}/${model.model}`;
}

/**
 * `sandbox` null: this machine has no sandbox, and the agents' commands are refused with a message. `inTurn` limits how
 * many of these commands run at once.
 */
export function createRunbookDriving(
  { model, stepLimitMs = defaultStepLimitMs }: AgentOptions,
  { sandbox, inTurn }: { readonly sandbox: Sandbox | null; readonly inTurn?: InTurn },
): RunbookDriving {
  const agents: Readonly<Record<AgentKind, Agent>> = {
    script: createScriptAgent(),
    model: model === null ? withoutModel : createModelAgent(model),
  };
  const byKind: Agents = (kind) => agents[kind];
  return {
    agents: byKind,
    createTools,
    sandbox,
    ...(inTurn && { inTurn }),
    secret: model?.apiKey ?? null,
    workDir: tmpdir(),
    stepLimitMs,
  };
}

const withoutModel: Agent = {
  kind: 'model',
  plan: refuse,
  work: refuse,
};

async function refuse(): Promise<never> {
  throw new AgentRefused(
    'The model that this runbook started with is not configured any more: the operator must set RUNBOOK_MODEL.',
  );
}
