// `Idempotency-Key`: the facade decides when a key is claimed and what an answer is; where answers are kept is
// the root's choice.
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Answer } from './response.ts';

export interface KeyedRequest {
  readonly key: string;
  /** `POST /api/v1/pull_request`: a key is good for one operation of one account. */
  readonly operation: string;
  /** Digest of method, path, query and the body's bytes. */
  readonly fingerprint: string;
  /** The account is the request's. */
  readonly request: FastifyRequest;
}

export type Claim =
  | { readonly kind: 'First' }
  | { readonly kind: 'Answered'; readonly answer: Answer }
  | { readonly kind: 'InProgress' }
  | { readonly kind: 'AnotherRequest' };

export interface Idempotency {
  /** Claims the key atomically: of two equal requests at once, one is `First`. */
  begin(keyed: KeyedRequest): Promise<Claim>;
  /** Keeps the answer of a `First`, or frees the key when there is none to keep. */
  finish(keyed: KeyedRequest, answer: Answer | undefined): Promise<void>;
}

export function fingerprintOf(method: string, url: string, body: Buffer | undefined): string {
  const digest = createHash('sha256').update(`${method} ${url}\n`);
  return digest.update(body ?? '').digest('hex');
}

// An answer that asks to come back later, or that lies at our own door, is not the answer.
export function isKept(answer: Answer): boolean {
  return answer.status < 500 && answer.status !== 401 && answer.status !== 429;
}

/** Whether an operation takes a key. */
export function isKeyed({ method }: { readonly method: string }): boolean {
  return method === 'POST' || method === 'PATCH';
}
