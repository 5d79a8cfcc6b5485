// A REST operation: its method and path in GitHub's description, and its handler.
import type { Core } from '../core.ts';
import type { Actor } from '../auth/actor.ts';

/** JSON as a client sent it, after validation against GitHub's description. */
export type Body = Record<string, unknown>;

export interface RestRequest {
  readonly core: Core;
  readonly method: RestRoute['method'];
  readonly actor: Actor;
  /** The parameters of the path, URL-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Body;
  /** The path below the API's root, with its query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface RestAnswer {
  readonly status: number;
  /** Left out: the answer has no body. A text is sent unchanged. Everything else is sent as JSON. */
  readonly body?: unknown;
  /** Without a `content-type`, the answer is JSON. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** The path in GitHub's description, such as `/repos/{owner}/{repo}/pulls/{pull_number}`. */
  readonly path: string;
  /** Set if the operation creates content. GitHub limits such operations to 80 a minute and 500 an hour. */
  readonly makesContent?: true;
  readonly handle: (request: RestRequest) => RestAnswer | Promise<RestAnswer>;
}

/** A text field of a body. Null: the field is missing or is not a text. */
export function textOf(body: Body, name: string): string | null {
  const value = body[name];
  return typeof value === 'string' ? value : null;
}

export function route(
  method: RestRoute['method'],
  path: string,
  handle: RestRoute['handle'],
  options: { readonly makesContent?: true } = {},
): RestRoute {
  return { method, path, handle, ...options };
}

export function ok(body: unknown, headers?: Readonly<Record<string, string>>): RestAnswer {
  return headers === undefined ? { status: 200, body } : { status: 200, body, headers };
}

export function created(body: unknown): RestAnswer {
  return { status: 201, body };
}

export const noContent: RestAnswer = { status: 204 };
