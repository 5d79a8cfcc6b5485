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
  /** How long a service that is connected may take for an answer, in milliseconds. */
  readonly answerWithinMs: number;
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
/** How long a command that waits tries to reach a service that does not answer. */
const tryForMs = 60_000;
const longestPauseMs = 5_000;
/** How long an answer may take. A simulation takes up to a minute. */
const longestAnswerMs = 90_000;

export interface ApiOptions extends Pick<Api, 'url' | 'token' | 'signal'> {
  /** Whether the token comes from INTERLOCK_TOKEN. `interlock login` would not replace such a token. */
  readonly isTokenOfVariable?: boolean;
  /**
   * For commands that wait: called when the service does not answer, and the request is tried again for a minute. Left
   * out: the command ends after a second.
   */
  readonly onUnreachable?: () => void;
  /** See `Api`. Left out: 90 seconds. */
  readonly answerWithinMs?: number;
}

export function createApi({
  url,
  token,
  signal,
  isTokenOfVariable = false,
  onUnreachable,
  answerWithinMs = longestAnswerMs,
}: ApiOptions): Api {
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
      dataOf(await post(`${url}/graphql`, { headers, body, signal, answerWithinMs }), { url, tokenRefused }) as Data;
    return onUnreachable === undefined ? await send() : await tryAgain(send, { signal, onUnreachable });
  }
  return {
    url,
    token,
    signal,
    tokenRefused,
    answerWithinMs,
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
  const giveUpAt = performance.now() + tryForMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof Failure) || error.outcome !== 'unreachable' || performance.now() >= giveUpAt) throw error;
      if (tries === 1) onUnreachable();
      await delay(Math.min(longestPauseMs, 250 * 2 ** tries), undefined, { signal });
    }
  }
}

interface Post extends Pick<RequestInit, 'headers' | 'body'> {
  readonly signal: AbortSignal;
  readonly answerWithinMs: number;
}

interface Answer extends Pick<Response, 'status' | 'headers'> {
  readonly text: string;
}

/** Sends the request again if the answer is lost, also if it breaks off. A service that is silent is asked once. */
async function post(url: string, request: Post, attemptsLeft = maxAttempts): Promise<Answer> {
  const answer = await sendOnce(url, request).catch((error: unknown) => error as Error);
  if (request.signal.aborted) throw new Failure('interrupted', 'Interrupted.');
  if (answer instanceof Error && isSilence(answer)) throw unansweredFailure(url, request.answerWithinMs);
  const waitMs = answer instanceof Error ? pauseMs : waitOf(answer);
  if (waitMs === null || attemptsLeft === 1) {
    if (answer instanceof Error) throw unreachableFailure(url, answer);
    return answer;
  }
  await delay(Math.min(waitMs, longestWaitMs), undefined, { signal: request.signal });
  return await post(url, request, attemptsLeft - 1);
}

async function sendOnce(url: string, { headers, body, signal, answerWithinMs }: Post): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: headers ?? {},
    body: body ?? null,
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/**
 * How long to wait before the request is sent again, in milliseconds. Null: the request is not sent again. Of the answers
 * 409, only the one that says that the first request with this key is still in progress has the header `Retry-After`.
 */
function waitOf({ status, headers }: Answer): number | null {
  if (!isAway(status) && status !== 429 && status !== 409) return null;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isNaN(seconds)) return isAway(status) ? pauseMs : null;
  return seconds * 1000;
}

/** Whether a proxy may give this answer in place of a service that is away. */
function isAway(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** Whether a request was given up because its answer took too long. */
export function isSilence(error: Error): boolean {
  return error.name === 'TimeoutError';
}

export function unansweredFailure(url: string, answerWithinMs: number): Failure {
  return silentFailure(url, `no answer within ${answerWithinMs / 1000} s`);
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

interface GraphQLAnswer {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLRefusal[];
}

function dataOf({ status, text }: Answer, { url, tokenRefused }: Pick<Api, 'url' | 'tokenRefused'>): unknown {
  const answer = readJson(text) as GraphQLAnswer | null;
  const [first] = answer?.errors ?? [];
  if (first !== undefined) throw refusalOf(first, { url, tokenRefused });
  if (answer?.data === undefined || answer.data === null) {
    if (isAway(status)) throw silentFailure(url, String(status));
    throw new Failure(
      'unreachable',
      `${url} answered ${status} and is not Interlock. Name the address of Interlock by --url, without a path.`,
    );
  }
  return answer.data;
}

/** Null: the text is not JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** How GraphQL refuses a request that names what the schema of the service does not have. */
const unknownToSchema = [
  /^Cannot query field /,
  /^Unknown (?:argument|type|directive|field) /,
  /is not defined by type /,
  /^Value .+ does not exist in .+ enum/,
];

export function refusalOf(
  { message, extensions = {} }: GraphQLRefusal,
  { url, tokenRefused }: Pick<Api, 'url' | 'tokenRefused'>,
): Failure {
  const { code = 'UNKNOWN', field, requestId } = extensions;
  if (unknownToSchema.some((pattern) => pattern.test(message)))
    return new Failure(
      'failed',
      `${url} is older than this command line and does not know this request. Upgrade Interlock there, or use the command line of its version (${removeControls(message)})`,
      { code },
    );
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
