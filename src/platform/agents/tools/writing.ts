// The tools that change files of the worktree.
import { z } from 'zod';
import { defineTool, type ToolContext } from './tool-context.ts';
import { threadScript, ThreadTimeout, ThreadPerTask } from '../../threads.ts';
import type { PatchReply, PatchTask } from './patch.thread.ts';
import type { PatchedFile } from './patch.ts';
import { ToolFailed, ToolRefused } from './refusal.ts';
import { showPath, textOf } from './worktree.ts';

const path = z.string().describe('Path from the root of the repository, such as src/index.ts.');

export const writeFile = defineTool({
  name: 'write_file',
  description: 'Writes a whole file, and creates missing folders. An existing file is replaced.',
  isReading: false,
  args: z.strictObject({
    path,
    content: z.string(),
    executable: z.boolean().optional().describe('Default: unchanged; false for a new file.'),
  }),
  run: (context, args) => {
    const outcome = put(context, args.path, { content: args.content, isExecutable: args.executable });
    return `${showPath(args.path)} was ${outcome} (${Buffer.byteLength(args.content)} bytes).`;
  },
});

export const editFile = defineTool({
  name: 'edit_file',
  description: 'Replaces an exact piece of text in a text file.',
  isReading: false,
  args: z.strictObject({
    path,
    old: z.string().min(1).describe('The exact text to replace, with enough text around it to occur only once.'),
    new: z.string(),
    all: z.boolean().default(false).describe('Replace every occurrence.'),
  }),
  run: (context, args) => {
    const text = textOf(context.worktree.read(args.path, context.limits.readBytes), args.path);
    const pieces = text.split(args.old);
    const count = pieces.length - 1;
    if (count === 0)
      throw new ToolFailed(
        `${showPath(args.path)} does not contain this text: read the file, and give \`old\` exactly as it is in the file.`,
      );
    if (count > 1 && !args.all)
      throw new ToolFailed(
        `${showPath(args.path)} contains the text ${count} times: give more text around it, or all: true.`,
      );
    put(context, args.path, { content: pieces.join(args.new) });
    return `${showPath(args.path)}: replaced ${count === 1 ? 'once' : `${count} times`}.`;
  },
});

export const applyPatch = defineTool({
  name: 'apply_patch',
  description:
    'Applies a unified diff (as git diff writes it) to one or more files. Its context lines must match the files exactly. If one part fails, nothing is changed.',
  isReading: false,
  args: z.strictObject({ patch: z.string().min(1).max(2_000_000) }),
  run: async (context, { patch }) => {
    const files = await patched(context, patch);
    context.workspace.signal.throwIfAborted();
    for (const file of files) note(context, file.path, file.content);
    for (const { path, content, isExecutable } of files) {
      if (content === null) context.worktree.remove(path);
      else context.worktree.write(path, content, isExecutable);
    }
    return files
      .map(({ path, content }) => `${showPath(path)} was ${content === null ? 'deleted' : 'patched'}.`)
      .join('\n');
  },
});

export const deleteFile = defineTool({
  name: 'delete_file',
  description: 'Deletes a file.',
  isReading: false,
  args: z.strictObject({ path }),
  run: ({ worktree, changed }, args) => {
    changed.note(args.path, null);
    worktree.remove(args.path);
    return `${showPath(args.path)} was deleted.`;
  },
});

export const moveFile = defineTool({
  name: 'move_file',
  description: 'Moves or renames a file. The new path must not exist.',
  isReading: false,
  args: z.strictObject({ from: path, to: path }),
  run: ({ worktree, changed, limits }, args) => {
    const { length } = worktree.read(args.from, limits.readBytes);
    changed.note(args.from, null);
    changed.note(args.to, length);
    worktree.move(args.from, args.to);
    return `${showPath(args.from)} was moved to ${showPath(args.to)}.`;
  },
});

const patchThreads = new ThreadPerTask(threadScript(import.meta.url, 'patch.thread'));

/** The files as the patch leaves them. Nothing is written. */
async function patched({ workspace, limits }: ToolContext, patch: string): Promise<readonly PatchedFile[]> {
  const { readBytes, patchMs } = limits;
  const task: PatchTask = { patch, root: workspace.folders.checkout, readBytes };
  try {
    const reply = await patchThreads.ask<PatchReply>(task, patchMs);
    if ('files' in reply) return reply.files;
    throw reply.isRefused ? new ToolRefused(reply.fault) : new ToolFailed(reply.fault);
  } catch (error) {
    if (error instanceof ThreadTimeout)
      throw new ToolRefused(
        `The patch was not applied within ${patchMs / 1000} s: give the right line numbers, and fewer changes in one patch.`,
      );
    throw error;
  }
}

function put(
  context: ToolContext,
  path: string,
  file: { content: string; isExecutable?: boolean | undefined },
): string {
  note(context, path, file.content);
  return context.worktree.write(path, file.content, file.isExecutable);
}

function note({ changed }: ToolContext, path: string, content: string | null): void {
  if (content !== null && !content.isWellFormed())
    throw new ToolRefused(`${showPath(path)}: the text is no valid Unicode.`);
  changed.note(path, content === null ? null : Buffer.byteLength(content));
}
