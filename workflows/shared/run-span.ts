// If traces are sent, the worker records each ended run as a span.
import { ApplicationFailure, ContinueAsNew, proxySinks, type Sinks } from '@temporalio/workflow';
import type { DrivenInput } from './driven.types.ts';

/** The input of a run. With `batchId`, the span of the run belongs to the trace of that batch, otherwise to `trace`. */
export interface RunInput extends DrivenInput {
  readonly batchId?: string;
}

export interface RunSinks extends Sinks {
  readonly runs: {
    /** `failure` is the class of the error. Null: the run did not fail. */
    ended(input: RunInput, failure: string | null): void;
  };
}

const { runs } = proxySinks<RunSinks>();

export function withRunSpan<Input extends RunInput, Result>(
  workflow: (input: Input) => Promise<Result>,
): (input: Input) => Promise<Result> {
  return async (input) => {
    try {
      const result = await workflow(input);
      runs.ended(input, null);
      return result;
    } catch (error) {
      runs.ended(input, error instanceof ContinueAsNew ? null : classOf(error));
      throw error;
    }
  };
}

function classOf(error: unknown): string {
  if (error instanceof ApplicationFailure) return error.type ?? error.name;
  return error instanceof Error ? error.name : typeof error;
}
