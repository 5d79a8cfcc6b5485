// The plan of a runbook: the numbers of its steps and leaves, and the statuses of a leaf.
import type { StepStatus } from './runbook.ts';

/** The transitions of a leaf's status. A failed leaf can be retried, and the leaves after it wait for the retry. */
export const stepMoves = {
  not_started: ['queued', 'failed'],
  queued: ['in_progress', 'failed'],
  in_progress: ['completed', 'failed'],
  completed: [],
  failed: ['queued', 'not_started'],
} as const satisfies Readonly<Record<StepStatus, readonly StepStatus[]>>;

export function canMoveStep(from: StepStatus, to: StepStatus): boolean {
  const moves: readonly StepStatus[] = stepMoves[from];
  return moves.includes(to);
}

export interface PlannedStepTitles {
  readonly title: string;
  readonly leaves: readonly { readonly title: string; readonly instructions: unknown }[];
}

export interface NumberedLeaf {
  readonly number: string;
  readonly position: number;
  readonly title: string;
  readonly instructions: unknown;
}

export interface NumberedStep {
  readonly number: string;
  readonly position: number;
  readonly title: string;
  readonly leaves: readonly NumberedLeaf[];
}

const longestTitle = 300;
/** The limit of one plan, because nobody can follow more leaves. */
export const maxPlannedLeaves = 200;

/** New steps after the existing ones: `n`, with the leaves `n.1`, `n.2`. A step without parts is its own leaf. */
export function numberSteps(
  planned: readonly PlannedStepTitles[],
  after: { readonly steps: number; readonly position: number },
): NumberedStep[] {
  let position = after.position;
  return planned.map((step, index) => {
    const number = String(after.steps + index + 1);
    const title = asTitle(step.title, `Step ${number}`);
    position += 1;
    const parts = step.leaves.length > 0 ? step.leaves : [{ title, instructions: {} }];
    return {
      number,
      title,
      position,
      leaves: parts.map((leaf, part) => {
        position += 1;
        return {
          number: `${number}.${part + 1}`,
          position,
          title: asTitle(leaf.title, title),
          instructions: leaf.instructions,
        };
      }),
    };
  });
}

/** One line of limited length, never empty. */
export function asTitle(text: string, otherwise: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\s\0]+/g, ' ')
    .trim();
  if (line === '') return otherwise;
  return line.length <= longestTitle ? line : `${line.slice(0, longestTitle - 1).toWellFormed()}…`;
}

/** Why a leaf that never started failed when a follow-up prompt continued after a failed leaf. */
export function leftOutText(failed: string): string {
  return `Left out: ${failed} had failed, and a follow-up continued without it.`;
}
