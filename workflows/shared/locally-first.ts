import { isCancellation } from '@temporalio/workflow';

/**
 * Takes a turn as a local activity, in the worker that runs the workflow. This costs one event of the history instead
 * of six. If the local activity fails, an ordinary activity takes the turn. Temporal retries this activity until it
 * succeeds, and shows its failures.
 */
export function locallyFirst<Input, Answer>(
  locally: (input: Input) => Promise<Answer>,
  otherwise: (input: Input) => Promise<Answer>,
): (input: Input) => Promise<Answer> {
  return async (input) => {
    try {
      return await locally(input);
    } catch (error) {
      if (isCancellation(error)) throw error;
      return await otherwise(input);
    }
  };
}
