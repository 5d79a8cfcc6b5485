// Interlock's REST API with the types of its OpenAPI document, and one question that REST does not answer: why a pull
// request is not merged.
import { randomUUID } from 'node:crypto';
import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../rest-facade/generated/openapi.d.ts';

/** What the service, or the way to it, refused. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

export interface Clock {
  /** In milliseconds. */
  now(): number;
  delay(ms: number): Promise<void>;
}

export interface Service {
  readonly rest: Client<paths>;
  /** The data of a GraphQL query. */
  query<Data>(query: string, variables: Readonly<Record<string, unknown>>): Promise<Data>;
}

const mostTries = 5;
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

export function createService({ url, token, clock }: { url: string; token: string; clock: Clock }): Service {
  const send = retrying(url, clock);
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
      if (first !== undefined) throw new Refusal(first.message);
      if (answer.data === undefined) throw noInterlock(url, response.status);
      return answer.data;
    },
  };
}

/** Repeats what did not arrive, with the same key, so that nothing is done twice. */
function retrying(url: string, clock: Clock): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'GET') request.headers.set('idempotency-key', randomUUID());
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(request.clone()).catch((error: unknown) => error as Error);
      const waitMs = waitAfter(response, tries);
      if (waitMs === null || tries === mostTries) {
        if (response instanceof Error) throw unreachable(url, response);
        return response;
      }
      await clock.delay(waitMs);
    }
  };
}

/** Null: the answer stands. */
export function waitAfter(response: Response | Error, tries: number): number | null {
  const backOffMs = firstWaitMs * 2 ** (tries - 1);
  if (response instanceof Error) return backOffMs;
  if (![429, 502, 503, 504].includes(response.status)) return null;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Math.min(Number.isNaN(seconds) ? backOffMs : seconds * 1_000, longestWaitMs);
}

function unreachable(url: string, error: Error): Refusal {
  const { code, message = error.message } = (error.cause ?? {}) as {
    readonly code?: string;
    readonly message?: string;
  };
  return new Refusal(
    `${url} does not answer (${code ?? message}). Check url, and whether this runner may reach that address.`,
  );
}

function noInterlock(url: string, status: number): Refusal {
  return new Refusal(`${url} answered ${status} and is no Interlock. Set url to its address, without a path.`);
}

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

const cures: Readonly<Record<number, string>> = {
  401: 'The token is not valid: make another one, and store it in the secret.',
  403: 'Make a token with the permission that the message names.',
  404: 'Check the names, and that the token belongs to the account that has them.',
};

/** Throws the sentence of a refusal, with its cure. */
export function dataOf<Data>({ data, error, response }: Answer<Data>): Data {
  if (data !== undefined) return data;
  const body: { readonly error?: string; readonly message?: string } | null = typeof error === 'object' ? error : null;
  const sentence = body?.message ?? body?.error;
  if (sentence === undefined) throw noInterlock(new URL(response.url).origin, response.status);
  const cure = cures[response.status];
  throw new Refusal([sentence.replace(/\.?$/, '.'), ...(cure === undefined ? [] : [cure])].join(' '));
}
