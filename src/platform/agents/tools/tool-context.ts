// The context that every tool receives, and the definition of a tool.
import { z } from 'zod';
import { guardedFault, type ChangePolicy } from '../../../domain/runbooks/policy.ts';
import type { InTurn } from '../../at-most.ts';
import type { RunSize, RunFolders, Sandbox } from '../../sandbox/index.ts';
import type { Tool } from '../port.ts';
import type { ToolLimits } from './limits.ts';
import { ToolRefused } from './refusal.ts';
import { showPath, type Worktree } from './worktree.ts';

/** The place where an agent works on one leaf. */
export interface Workspace {
  /** The worktree is `folders.checkout`. */
  readonly folders: RunFolders;
  /** Null: this machine has no sandbox, so the tools refuse to run commands. */
  readonly sandbox: Sandbox | null;
  /** Limits how many commands of agents run at once. Left out: there is no limit. */
  readonly inTurn?: InTurn;
  readonly policy: ChangePolicy;
  /** Default: `toolLimits`. */
  readonly limits?: Partial<ToolLimits>;
  /** When it is aborted, the running command is killed, and calls throw the signal's reason. */
  readonly signal: AbortSignal;
  /** Receives the output of commands while they run. */
  readonly onOutput: (text: string) => void;
}

export interface ToolContext {
  readonly workspace: Workspace;
  readonly worktree: Worktree;
  readonly limits: ToolLimits;
  readonly changed: ChangedFiles;
  readonly followed: { length: number };
  /**
   * Measures the folders at the first call, which is before the first command, and returns the same sizes ever after.
   */
  readonly sizeBefore: () => Promise<RunSize>;
}

export interface BenchTool extends Tool {
  /** Whether the tool changes nothing. Such a tool may be used in planning too. */
  readonly isReading: boolean;
  /** Throws ToolRefused or ToolFailed; any other error is not about the agent's request. */
  run(context: ToolContext, args: unknown): Promise<string>;
}

export function defineTool<Shape extends z.ZodObject>(tool: {
  readonly name: string;
  readonly description: string;
  readonly isReading: boolean;
  readonly args: Shape;
  readonly run: (context: ToolContext, args: z.infer<Shape>) => Promise<string> | string;
}): BenchTool {
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.args, { io: 'input' });
  return {
    name: tool.name,
    description: tool.description,
    isReading: tool.isReading,
    parameters,
    run: async (context, args) => {
      const parsed = tool.args.safeParse(args);
      if (!parsed.success) throw new ToolRefused(`${tool.name}: ${messageOf(parsed.error)}`);
      return await tool.run(context, parsed.data);
    },
  };
}

function messageOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
}

/** The files that the leaf has written so far. Each change is checked against the policy before the file is written. */
export class ChangedFiles {
  readonly #policy: ChangePolicy;
  readonly #bytes = new Map<string, number>();

  constructor(policy: ChangePolicy) {
    this.#policy = policy;
  }

  /**
   * `bytes` is the file's new size, or null if the file is deleted. Throws ToolRefused if the policy allows no commit
   * with the change.
   */
  note(path: string, bytes: number | null): void {
    const guarded = guardedFault(path, this.#policy);
    if (guarded !== null) throw new ToolRefused(guarded);
    const { files, bytesPerFile, bytes: total } = this.#policy;
    if ((bytes ?? 0) > bytesPerFile)
      throw new ToolRefused(
        `${showPath(path)} would have ${bytes} bytes; a file of a commit has ${bytesPerFile} at most.`,
      );
    const after = new Map(this.#bytes).set(path, bytes ?? 0);
    if (after.size > files) throw new ToolRefused(`A step changes ${files} files at most.`);
    if ([...after.values()].reduce((sum, size) => sum + size, 0) > total)
      throw new ToolRefused(`A step writes ${total} bytes at most.`);
    this.#bytes.set(path, bytes ?? 0);
  }
}
