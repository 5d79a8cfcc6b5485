// What an operation was refused with, in the sentences of the API.
import type { CombinedError } from '@urql/core';

export interface Problem {
  readonly sentence: string;
  /** Of the API's closed list, or NETWORK when no answer came. */
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
    sentence: 'No answer came from the server. Nothing is known about what happened, so look before you ask again.',
    code: 'NETWORK',
    requestId: null,
  };
}

export function codeOf({ code, requestId }: Problem): string {
  return requestId === null ? code : `${code}, request ${requestId}`;
}
