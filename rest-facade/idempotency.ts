// Handles `Idempotency-Key`. The facade decides when a key is claimed and which answers are stored. The composition root
// decides where answers are stored.
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Answer } from './response.ts';

export interface KeyedRequest {
  readonly key: string;
  /** The route, such as `POST /api/v1/pull_request`. A key belongs to one operation of one user. */
  readonly operation: string;
  /** The digest of the method, the path, the query and the bytes of the body. */
  readonly fingerprint: string;
  /** The HTTP request. Its user is the owner of the key. */
  readonly request: FastifyRequest;
}

export type Claim =
  | { readonly kind: 'First' }
  | { readonly kind: 'Answered'; readonly answer: Answer }
  | { readonly kind: 'InProgress' }
  /** The request has changed something, and nobody will ever store its answer. */
  | { readonly kind: 'AnswerLost' }
  | { readonly kind: 'OtherFingerprint' };

export interface Idempotency {
  /**
   * Throws FORBIDDEN if the request may not use the scope of its operation. The facade calls this before it looks a key
   * up.
   */
  authorise(keyed: KeyedRequest, scope: string): void;
  /** Claims the key atomically. Of two equal requests at the same time, only one gets `First`. */
  begin(keyed: KeyedRequest): Promise<Claim>;
  /** Stores the answer of a request that got `First`, or frees the key if there is no answer. */
  finish(keyed: KeyedRequest, answer: Answer | undefined): Promise<void>;
}

export function fingerprintOf(method: string, url: string, body: Buffer | undefined): string {
  const digest = createHash('sha256').update(`${method} ${url}\n`);
  return digest.update(body ?? '').digest('hex');
}

// Answers with these statuses or with a server error are not stored, because the same request may succeed later or with
// other permissions.
const refusals: ReadonlySet<number> = new Set([401, 403, 429]);

export function isStorable({ status }: Answer): boolean {
  return status < 500 && !refusals.has(status);
}

/** Whether an operation with this method accepts an `Idempotency-Key`. */
export function acceptsKey({ method }: { readonly method: string }): boolean {
  return method === 'POST' || method === 'PATCH';
}
