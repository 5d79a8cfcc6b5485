// A client of Interlock's REST API, with the types of the OpenAPI document. It uses GraphQL for what REST lacks: why a
// pull request is not merged, and the state of a release candidate.
import { randomUUID } from 'node:crypto';
import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../rest-facade/generated/openapi.d.ts';

/** An error: the service refused a request, or could not be reached. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
}

/** The service did not answer a query, or was too busy, at each of the attempts. */
export class Outage extends Refusal {
  override readonly name = 'Outage';
}

export interface Clock {
  /** In milliseconds. */
  now(): number;
  delay(ms: number): Promise<void>;
}

export interface Service {
  readonly rest: Client<paths>;
  /** Returns the data of a GraphQL query. */
  query<Data>(query: string, variables: Readonly<Record<string, unknown>>): Promise<Data>;
}

const maxAttempts = 5;
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
const longestAnswerMs = 90_000;

export interface ServiceOptions {
  readonly url: string;
  readonly token: string;
  readonly clock: Clock;
  /** How long a service that is connected may take for an answer, in milliseconds. */
  readonly answerWithinMs?: number;
}

export function createService({ url, token, clock, answerWithinMs = longestAnswerMs }: ServiceOptions): Service {
  const send = fetchWithRetries(url, { clock, answerWithinMs });
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'interlock-action' };
  return {
    rest: createClient<paths>({ baseUrl: url, headers, fetch: send }),
    async query<Data>(query: string, variables: Readonly<Record<string, unknown>>) {
      const response = await send(
        new Request(`${url}/graphql`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ query, variables }),
        }),
      );
      const answer = (await response.json().catch(() => ({}))) as {
        readonly data?: Data;
        readonly errors?: readonly { readonly message: string }[];
      };
      const [first] = answer.errors ?? [];
      if (isBusy(response)) throw first === undefined ? silent(url, response.status) : new Outage(first.message);
      if (first !== undefined) throw new Refusal(first.message);
      if (answer.data === undefined) throw notInterlock(url, response.status);
      return answer.data;
    },
  };
}

/**
 * Repeats a request that got no answer or one that broke off, or that a busy service refused. A service that is silent
 * is asked once. The idempotency key stays the same, so that the service carries the request out only once.
 */
function fetchWithRetries(
  url: string,
  { clock, answerWithinMs }: Required<Pick<ServiceOptions, 'clock' | 'answerWithinMs'>>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'GET') request.headers.set('idempotency-key', randomUUID());
    for (let attempts = 1; ; attempts += 1) {
      const response = await fetchWhole(request.clone(), answerWithinMs).catch((error: unknown) => error as Error);
      if (response instanceof Error && response.name === 'TimeoutError')
        throw silent(url, `no answer within ${answerWithinMs / 1_000} s`);
      const waitMs = waitAfter(response, attempts);
      if (waitMs === null || attempts === maxAttempts) {
        if (response instanceof Error) throw unreachable(url, response);
        return response;
      }
      await clock.delay(waitMs);
    }
  };
}

/** Resolves when the whole answer is here. */
async function fetchWhole(request: Request, withinMs: number): Promise<Response> {
  const response = await fetch(request, { signal: AbortSignal.timeout(withinMs) });
  await response.clone().arrayBuffer();
  return response;
}

/**
 * How long to wait before the request is repeated, in milliseconds. Null: the request is not repeated. Of the answers
 * 409, only the one that says that the first request with this key is still in progress has the header `Retry-After`.
 */
export function waitAfter(response: Response | Error, attempts: number): number | null {
  const backOffMs = firstWaitMs * 2 ** (attempts - 1);
  if (response instanceof Error) return backOffMs;
  const retryAfter = response.headers.get('retry-after');
  const isInProgress = response.status === 409 && retryAfter !== null;
  if (!isInProgress && !isBusy(response)) return null;
  const seconds = Number(retryAfter ?? Number.NaN);
  return Math.min(Number.isNaN(seconds) ? backOffMs : seconds * 1_000, longestWaitMs);
}

function isBusy({ status }: Response): boolean {
  return [429, 502, 503, 504].includes(status);
}

function unreachable(url: string, error: Error): Outage {
  const { code, message = error.message } = (error.cause ?? {}) as {
    readonly code?: string;
    readonly message?: string;
  };
  return silent(url, code ?? message);
}

function silent(url: string, reason: string | number): Outage {
  return new Outage(
    `${url} does not answer (${reason}). Check the input url, and whether this runner can reach this address.`,
  );
}

function notInterlock(url: string, status: number): Refusal {
  return new Refusal(
    `${url} answered ${status} and is not Interlock. Set the input url to the address of Interlock, without a path.`,
  );
}

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

const cures: Readonly<Record<number, string>> = {
  401: 'The token is not valid: make another token, and store it in the secret.',
  403: 'Make a token with the permission that the message names.',
  404: 'Check the names, and whether the token belongs to the account that has the repository or project.',
};

/**
 * Returns the data of an answer. If the service refused the request, throws a `Refusal` with the sentence of the
 * service and what to do. If a proxy answered in place of the service, throws an `Outage`.
 */
export function dataOf<Data>({ data, error, response }: Answer<Data>): Data {
  if (data !== undefined) return data;
  const body: { readonly error?: string; readonly message?: string } | null = typeof error === 'object' ? error : null;
  const sentence = body?.message ?? body?.error;
  if (sentence === undefined) {
    const { origin } = new URL(response.url);
    throw isBusy(response) ? silent(origin, response.status) : notInterlock(origin, response.status);
  }
  const cure = cures[response.status];
  throw new Refusal([sentence.replace(/\.?$/, '.'), ...(cure === undefined ? [] : [cure])].join(' '));
}
