// The tools of an agent. An agent acts only through them, and no prompt can change what the tools may read, write and
// run.
import type { Tool, ToolAnswer } from '../port.ts';
import { ChangedFiles, type ToolContext, type BenchTool, type Workspace } from './tool-context.ts';
import { measureFolders, type RunSize } from '../../sandbox/index.ts';
import { runCommand } from './command.ts';
import { toolLimits } from './limits.ts';
import { listFiles, readFile, searchFiles } from './reading.ts';
import { ToolFailed, ToolRefused } from './refusal.ts';
import { Worktree } from './worktree.ts';
import { applyPatch, deleteFile, editFile, moveFile, writeFile } from './writing.ts';

export type { Workspace } from './tool-context.ts';

export interface Tools {
  readonly tools: readonly Tool[];
  /**
   * Runs the calls one after the other, in their order. A wrong or refused request is an answer, not an error. Throws
   * the signal's reason if the signal is aborted, and an error if the sandbox does not work.
   */
  call(name: string, args: unknown): Promise<ToolAnswer>;
}

const allTools: readonly BenchTool[] = [
  readFile,
  listFiles,
  searchFiles,
  writeFile,
  editFile,
  applyPatch,
  deleteFile,
  moveFile,
  runCommand,
];

/** Makes the tools of an agent. For `plan`, these are only the tools that read. */
export function createTools(workspace: Workspace, mode: 'plan' | 'work'): Tools {
  let began: Promise<RunSize> | undefined;
  const offered = allTools.filter(({ isReading }) => mode === 'work' || isReading);
  const context: ToolContext = {
    workspace,
    worktree: new Worktree(workspace.folders.checkout),
    limits: { ...toolLimits, ...workspace.limits },
    changed: new ChangedFiles(workspace.policy),
    followed: { length: 0 },
    sizeBefore: async () => await (began ??= measureFolders(workspace.folders)),
  };
  let calls = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    tools: offered.map(({ name, description, parameters }) => ({ name, description, parameters })),
    call: async (name, args) => {
      const answer = last.then(async () => {
        workspace.signal.throwIfAborted();
        calls += 1;
        return calls > context.limits.calls
          ? refused(`A step has ${context.limits.calls} calls at most, and they are used up.`)
          : await answerOf(offered, context, { name, args });
      });
      last = answer.catch(() => {});
      return await answer;
    },
  };
}

async function answerOf(
  offered: readonly BenchTool[],
  context: ToolContext,
  { name, args }: { readonly name: string; readonly args: unknown },
): Promise<ToolAnswer> {
  const tool = offered.find((candidate) => candidate.name === name);
  if (tool === undefined)
    return refused(
      `There is no tool ${JSON.stringify(name.slice(0, 100))} here; there are ${offered.map(({ name }) => name).join(', ')}.`,
    );
  try {
    return { outcome: 'done', text: await tool.run(context, args) };
  } catch (error) {
    if (error instanceof ToolRefused) return refused(error.message);
    if (error instanceof ToolFailed) return { outcome: 'failed', text: error.message };
    throw error;
  }
}

function refused(text: string): ToolAnswer {
  return { outcome: 'refused', text };
}
