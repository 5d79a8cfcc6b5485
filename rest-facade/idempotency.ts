// `Idempotency-Key`: the facade decides when a key is claimed and which answers are stored. The composition root
// decides where.
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Answer } from './response.ts';

export interface KeyedRequest {
  readonly key: string;
  /** `POST /api/v1/pull_request`: a key belongs to one operation of one user. */
  readonly operation: string;
  /** Digest of method, path, query and the bytes of the body. */
  readonly fingerprint: string;
  /** The user of the request. */
  readonly request: FastifyRequest;
}

export type Claim =
  | { readonly kind: 'First' }
  | { readonly kind: 'Answered'; readonly answer: Answer }
  | { readonly kind: 'InProgress' }
  | { readonly kind: 'AnotherRequest' };

export interface Idempotency {
  /** Before the look-up of a key: throws FORBIDDEN unless the request may use the scope of its operation. */
  authorise(keyed: KeyedRequest, scope: string): void;
  /** Claims the key atomically: one of two simultaneous equal requests is `First`. */
  begin(keyed: KeyedRequest): Promise<Claim>;
  /** Stores the answer of a `First`, or frees the key if there is none. */
  finish(keyed: KeyedRequest, answer: Answer | undefined): Promise<void>;
}

export function fingerprintOf(method: string, url: string, body: Buffer | undefined): string {
  const digest = createHash('sha256').update(`${method} ${url}\n`);
  return digest.update(body ?? '').digest('hex');
}

// An answer that asks for a retry or for other permissions, or that is our own fault, is not stored.
const refusals: ReadonlySet<number> = new Set([401, 403, 429]);

export function isKept({ status }: Answer): boolean {
  return status < 500 && !refusals.has(status);
}

/** Whether an operation accepts a key. */
export function isKeyed({ method }: { readonly method: string }): boolean {
  return method === 'POST' || method === 'PATCH';
}
