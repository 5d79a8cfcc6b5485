// Measures how long GraphQL operations take, including those of REST requests. Only operations of Interlock's own
// clients are measured by name.
import type { GraphQLError } from 'graphql';
import { labelOfOperation } from '../domain/metrics/bounded.ts';
import type { Meter } from '../platform/metrics/index.ts';
import { reportError } from './errors.ts';

export interface MeasuredOperation {
  /** Null: the operation has no name, or the document does not have it. */
  readonly name: string | null;
  readonly errors: readonly GraphQLError[];
  /** A value of `performance.now()`. */
  readonly startedAt: number;
}

export type MeasureOperation = (operation: MeasuredOperation) => void;

export function createOperationMeter(meter: Meter, known: ReadonlySet<string>): MeasureOperation {
  return ({ name, errors, startedAt }) => {
    const isServerFault = errors.some((error) => reportError(error, '').isServerFault);
    meter.time(
      'interlock_graphql_operation_duration_seconds',
      {
        operation: labelOfOperation(name, known),
        outcome: errors.length === 0 ? 'ok' : isServerFault ? 'failed' : 'refused',
      },
      (performance.now() - startedAt) / 1_000,
    );
  };
}
