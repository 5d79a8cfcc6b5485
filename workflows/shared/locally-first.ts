import { isCancellation } from '@temporalio/workflow';

/**
 * A turn in the worker that holds the run costs one event of history instead of six. A turn that fails there is tried
 * again by Temporal for as long as it takes, where its failures are seen.
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
