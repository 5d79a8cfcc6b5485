// Applies patches in a thread of their own, which can be stopped: each change is searched for line by line from the line
// that the patch claims, and a patch may claim any line.
import { answerTasks } from '../../threads.ts';
import { patchFiles, type PatchedFile } from './patch.ts';
import { ToolFailed, ToolRefused } from './refusal.ts';
import { textOf, Worktree } from './worktree.ts';

export interface PatchTask {
  readonly patch: string;
  /** The folder of the worktree. */
  readonly root: string;
  readonly readBytes: number;
}

export type PatchReply =
  | { readonly files: readonly PatchedFile[] }
  /** `isRefused`: the fault is a ToolRefused, otherwise a ToolFailed. */
  | { readonly fault: string; readonly isRefused: boolean };

answerTasks((task) => apply(task as PatchTask));

function apply({ patch, root, readBytes }: PatchTask): PatchReply {
  const worktree = new Worktree(root);
  try {
    const files = patchFiles(patch, (path) =>
      worktree.kindOf(path) === null ? null : textOf(worktree.read(path, readBytes), path),
    );
    return { files };
  } catch (error) {
    if (error instanceof ToolRefused || error instanceof ToolFailed)
      return { fault: error.message, isRefused: error instanceof ToolRefused };
    throw error;
  }
}
