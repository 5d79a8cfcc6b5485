// Measures how long GraphQL operations take, including those of REST requests, and names their spans. Only operations
// of REST and of the dashboard have their name in metrics and spans. Spans contain no variables.
import type { GraphQLError } from 'graphql';
import { labelOfOperation } from '../domain/metrics/bounded.ts';
import type { Attributes } from '@opentelemetry/api';
import type { Meter } from '../platform/metrics/index.ts';
import { inSpanNamedLater, nameSpan } from '../platform/tracing/index.ts';
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
    const operation = labelOfOperation(name, known);
    const outcome = errors.length === 0 ? 'ok' : isServerFault ? 'failed' : 'refused';
    meter.time(
      'interlock_graphql_operation_duration_seconds',
      { operation, outcome },
      (performance.now() - startedAt) / 1_000,
    );
    nameOperationSpan(operation, { attributes: { 'interlock.outcome': outcome }, hasFailed: isServerFault });
  };
}

/** Does the work of an operation in a span, which `nameOperationSpan` names. */
export async function inOperationSpan<T>(work: () => Promise<T>): Promise<T> {
  return await inSpanNamedLater('GraphQL other', work);
}

/** Names the span of an operation. `operation` is a result of `labelOfOperation`. */
export function nameOperationSpan(
  operation: string,
  { attributes = {}, hasFailed = false }: { readonly attributes?: Attributes; readonly hasFailed?: boolean } = {},
): void {
  nameSpan(`GraphQL ${operation}`, {
    attributes: { 'graphql.operation.name': operation, ...attributes },
    hasFailed,
  });
}
