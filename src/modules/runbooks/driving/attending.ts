// What driving a runbook needs beside the ports.
import type { RunbookOutline } from '../../../platform/agents/port.ts';
import type { Agents } from '../../../platform/agents/port.ts';
import type { Tools, Workspace } from '../../../platform/agents/tools/index.ts';
import type { Sandbox } from '../../../platform/sandbox/index.ts';
import type { RunbookRows } from './runbook.rows.ts';

export interface RunbookAttending {
  readonly agents: Agents;
  readonly createTools: (workspace: Workspace, mode: 'plan' | 'work') => Tools;
  /** Null: there is none, and no command is run. */
  readonly sandbox: Sandbox | null;
  /** What is taken out of everything that is kept, such as the key of a model. Null: there is no such thing. */
  readonly secret: string | null;
  /** Where worktrees are made; each is removed after its leaf. */
  readonly workDir: string;
  /** How long one plan or one leaf may take; then it fails. */
  readonly stepLimitMs: number;
  /** Aborted when this process can attend no longer. The work is stopped, and another process begins it again. */
  readonly signal?: AbortSignal;
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
