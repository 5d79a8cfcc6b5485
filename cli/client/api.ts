// Calls the GraphQL API over HTTP, and turns refusals into failures of the command.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { Kind, OperationTypeNode, print, type DocumentNode } from 'graphql';
import { outcomeOf } from '../../src/platform/exit-codes.ts';
import { Failure } from '../output/failure.ts';

export interface Api {
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
  /** The message of the failure if the service does not accept the token. The message says what to do. */
  readonly tokenRefused: string;
  /** Text in the answer has no control characters. */
  ask<Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Data>;
  /** Like `ask`, with every text as the service sent it. Use `withoutControls` before the text is printed. */
  askUnchanged<Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Data>;
}

interface GraphQLRefusal {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly field?: string; readonly requestId?: string };
}

const maxAttempts = 4;
/** How long to wait before a request is sent again that got no answer. */
const pauseMs = 300;
const longestWaitMs = 10_000;
/** How often a request of a command that waits is sent before the command gives up, which takes about a minute. */
const maxTries = 12;
const longestPauseMs = 5_000;

export interface ApiOptions extends Pick<Api, 'url' | 'token' | 'signal'> {
  /** Whether the token comes from INTERLOCK_TOKEN. `interlock login` would not replace such a token. */
  readonly isTokenOfVariable?: boolean;
  /**
   * For commands that wait: called when the service does not answer, and the request is tried again for a minute. Left
   * out: the command ends after a second.
   */
  readonly onUnreachable?: () => void;
}

export function createApi({ url, token, signal, isTokenOfVariable = false, onUnreachable }: ApiOptions): Api {
  const tokenRefused = isTokenOfVariable
    ? `${url} does not accept the token in INTERLOCK_TOKEN. Set it to another token.`
    : `${url} does not accept the token. Log in again: interlock login ${url}`;
  async function askUnchanged<Data, Variables>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
  ): Promise<Data> {
    const body = JSON.stringify({ query: print(document), variables });
    // A retry has the same key. So the service returns the first answer again, and does not carry out the mutation twice.
    const key = isMutation(document) ? { 'idempotency-key': randomUUID() } : {};
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...key };
    const send = async (): Promise<Data> =>
      await answerOf<Data>(await post(`${url}/graphql`, { method: 'POST', headers, body, signal }), {
        url,
        tokenRefused,
      });
    return onUnreachable === undefined ? await send() : await tryAgain(send, { signal, onUnreachable });
  }
  return {
    url,
    token,
    signal,
    tokenRefused,
    askUnchanged,
    ask: async (document, variables) => withoutControls(await askUnchanged(document, variables)),
  };
}

function isMutation(document: DocumentNode): boolean {
  return document.definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.MUTATION,
  );
}

async function tryAgain<T>(
  send: () => Promise<T>,
  { signal, onUnreachable }: { readonly signal: AbortSignal; readonly onUnreachable: () => void },
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof Failure) || error.outcome !== 'unreachable' || tries === maxTries) throw error;
      if (tries === 1) onUnreachable();
      await delay(Math.min(longestPauseMs, 250 * 2 ** tries), undefined, { signal });
    }
  }
}

async function post(url: string, request: RequestInit, attemptsLeft = maxAttempts): Promise<Response> {
  const response = await fetch(url, request).catch((error: unknown) => {
    if (request.signal?.aborted) throw new Failure('interrupted', 'Interrupted.');
    return error as Error;
  });
  const waitMs = response instanceof Error ? pauseMs : waitOf(response);
  if (waitMs === null || attemptsLeft === 1) {
    if (response instanceof Error) throw unreachableFailure(url, response);
    return response;
  }
  if (response instanceof Response) await response.body?.cancel();
  await delay(Math.min(waitMs, longestWaitMs), undefined, { signal: request.signal ?? undefined });
  return await post(url, request, attemptsLeft - 1);
}

/**
 * How long to wait before the request is sent again, in milliseconds. Null: the request is not sent again. Of the answers
 * 409, only the one that says that the first request with this key is still in progress has the header `Retry-After`.
 */
function waitOf({ status, headers }: Response): number | null {
  if (!isAway(status) && status !== 429 && status !== 409) return null;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isNaN(seconds)) return isAway(status) ? pauseMs : null;
  return seconds * 1000;
}

/** Whether a proxy may give this answer in place of a service that is away. */
function isAway(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

export function unreachableFailure(url: string, cause: Error): Failure {
  const { code, message = cause.message } = (cause.cause ?? {}) as {
    readonly code?: string;
    readonly message?: string;
  };
  return silentFailure(url, code ?? message);
}

function silentFailure(url: string, reason: string): Failure {
  const { origin } = new URL(url);
  return new Failure(
    'unreachable',
    `${origin} does not answer (${reason}). Start Interlock there, or name another address by --url.`,
  );
}

async function answerOf<Data>(
  response: Response,
  { url, tokenRefused }: Pick<Api, 'url' | 'tokenRefused'>,
): Promise<Data> {
  const answer = (await response.json().catch(() => null)) as {
    readonly data?: Data;
    readonly errors?: readonly GraphQLRefusal[];
  } | null;
  const [first] = answer?.errors ?? [];
  if (first !== undefined) throw refusalOf(first, tokenRefused);
  if (answer?.data === undefined || answer.data === null) {
    if (isAway(response.status)) throw silentFailure(url, String(response.status));
    throw new Failure(
      'unreachable',
      `${url} answered ${response.status} and is not Interlock. Name the address of Interlock by --url, without a path.`,
    );
  }
  return answer.data;
}

export function refusalOf({ message, extensions = {} }: GraphQLRefusal, tokenRefused: string): Failure {
  const { code = 'UNKNOWN', field, requestId } = extensions;
  const outcome = outcomeOf(code);
  const where = requestId === undefined ? '' : ` (request ${requestId})`;
  const sentence = code === 'UNAUTHENTICATED' ? tokenRefused : removeControls(message);
  return new Failure(outcome, `${sentence}${where}`, { code, field: field ?? null });
}

/** Removes control characters, so that text of other people cannot move the terminal's cursor or change its colours. */
export function removeControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '');
}

/** Removes control characters from every text. */
export function withoutControls<Data>(data: Data): Data {
  return JSON.parse(JSON.stringify(data), (_, value: unknown) =>
    typeof value === 'string' ? removeControls(value) : value,
  ) as Data;
}
