// Errors of GraphQL in GitHub's form, with a field `type` next to `message`.
import type { GraphQLError } from 'graphql';
import { ApiError } from '../http/errors.ts';

export type FaultType =
  | 'NOT_FOUND'
  | 'FORBIDDEN'
  | 'UNPROCESSABLE'
  | 'MISSING_PAGINATION_BOUNDARIES'
  | 'EXCESSIVE_PAGINATION'
  | 'STALE_DATA';

export class GraphqlFault extends Error {
  readonly type: FaultType | null;

  constructor(type: FaultType | null, message: string) {
    super(message);
    this.name = 'GraphqlFault';
    this.type = type;
  }
}

const typeOfStatus: Readonly<Record<number, FaultType>> = {
  401: 'FORBIDDEN',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'UNPROCESSABLE',
  409: 'UNPROCESSABLE',
  422: 'UNPROCESSABLE',
};

/** The error of a field in GitHub's form. Null: the failure is an error of the emulator itself. */
export function faultOf(error: unknown): GraphqlFault | null {
  if (error instanceof GraphqlFault) return error;
  if (!(error instanceof ApiError)) return null;
  const details = (error.errors ?? []).map((each) =>
    typeof each === 'string' ? each : (each.message ?? `${each.field ?? each.resource} is ${each.code}`),
  );
  const message = error.status === 422 && details.length > 0 ? details.join(', ') : error.message;
  return new GraphqlFault(typeOfStatus[error.status] ?? null, message);
}

export function renderFault(error: GraphQLError): object {
  const fault = faultOf(error.originalError);
  return {
    ...(fault === null || fault.type === null ? {} : { type: fault.type }),
    ...(error.path === undefined ? {} : { path: error.path }),
    ...(error.locations === undefined ? {} : { locations: error.locations }),
    message: fault?.message ?? error.message,
  };
}
