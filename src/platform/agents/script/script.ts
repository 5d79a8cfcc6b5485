// The content of a script: steps, their leaves, and the actions of each leaf, in order.
import { z } from 'zod';

/** The line of the prompt, counted from 1. */
const line = z.int();

export const actionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), shell: z.enum(['sh', 'bash']), command: z.string(), line }),
  z.strictObject({ kind: z.literal('write'), path: z.string(), content: z.string(), isExecutable: z.boolean(), line }),
  z.strictObject({ kind: z.literal('patch'), patch: z.string(), line }),
  /** A command that must exit with 0. */
  z.strictObject({ kind: z.literal('verify'), command: z.string(), line }),
]);

export const instructionsSchema = z.strictObject({ actions: z.array(actionSchema).min(1) });

export type Action = z.infer<typeof actionSchema>;

export interface ScriptLeaf {
  readonly title: string;
  readonly actions: readonly Action[];
}

export interface ScriptStep {
  readonly title: string;
  readonly leaves: readonly ScriptLeaf[];
}

export interface Script {
  /** Null: the script has no heading above its steps. */
  readonly title: string | null;
  readonly steps: readonly ScriptStep[];
}

/** A short text for people. */
export function describeAction(action: Action): string {
  switch (action.kind) {
    case 'run':
      return `run ${firstLine(action.command)}`;
    case 'write':
      return `write ${action.path}`;
    case 'patch':
      return 'apply a patch';
    case 'verify':
      return `verify ${firstLine(action.command)}`;
    default: {
      const never: never = action;
      throw new Error(`Unknown action ${JSON.stringify(never)}`);
    }
  }
}

export function firstLine(command: string): string {
  const lines = command.split('\n').filter((text) => text.trim() !== '');
  const first = (lines[0] ?? '').trim();
  return lines.length > 1 || first.length > 100 ? `${first.slice(0, 100)} …` : first;
}
