// Why an operation failed, as the message of the API, or as a sentence of the dashboard if there was no answer.
import type { CombinedError } from '@urql/core';

export interface Problem {
  readonly sentence: string;
  /** A code of the API's closed list, or of the dashboard: NETWORK (no answer), EMPTY (no data), UNKNOWN (no code). */
  readonly code: string;
  readonly requestId: string | null;
}

export function problemOf(error: CombinedError): Problem {
  const [first] = error.graphQLErrors;
  if (first) {
    const { code, requestId } = first.extensions as { readonly code?: string; readonly requestId?: string };
    return { sentence: first.message, code: code ?? 'UNKNOWN', requestId: requestId ?? null };
  }
  return {
    sentence: 'The server did not answer.',
    code: 'NETWORK',
    requestId: null,
  };
}

export function problemReference({ code, requestId }: Problem): string {
  return requestId === null ? code : `${code}, request ${requestId}`;
}
