// `Idempotency-Key`: the facade decides when a key is claimed and what an answer is; where answers are kept is
// the root's choice.
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Answer } from './response.ts';

export interface KeyedRequest {
  readonly key: string;
  /** `POST /api/v1/pull_request`: a key is good for one operation of one user. */
  readonly operation: string;
  /** Digest of method, path, query and the body's bytes. */
  readonly fingerprint: string;
  /** The user is the request's. */
  readonly request: FastifyRequest;
}

export type Claim =
  | { readonly kind: 'First' }
  | { readonly kind: 'Answered'; readonly answer: Answer }
  | { readonly kind: 'InProgress' }
  | { readonly kind: 'AnotherRequest' };

export interface Idempotency {
  /** Before a key is looked at: throws FORBIDDEN unless the request may use the scope its operation needs. */
  authorise(keyed: KeyedRequest, scope: string): void;
  /** Claims the key atomically: of two equal requests at once, one is `First`. */
  begin(keyed: KeyedRequest): Promise<Claim>;
  /** Keeps the answer of a `First`, or frees the key when there is none to keep. */
  finish(keyed: KeyedRequest, answer: Answer | undefined): Promise<void>;
}

export function fingerprintOf(method: string, url: string, body: Buffer | undefined): string {
  const digest = createHash('sha256').update(`${method} ${url}\n`);
  return digest.update(body ?? '').digest('hex');
}

// What asks to come back later, with other rights, or lies at our own door, is not the answer.
const refusals: ReadonlySet<number> = new Set([401, 403, 429]);

export function isKept({ status }: Answer): boolean {
  return status < 500 && !refusals.has(status);
}

/** Whether an operation takes a key. */
export function isKeyed({ method }: { readonly method: string }): boolean {
  return method === 'POST' || method === 'PATCH';
}
