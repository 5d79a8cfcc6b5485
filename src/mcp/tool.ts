// The definition of a tool: a name, a schema of its arguments, hints for clients, and a function that calls the GraphQL
// API.
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { z } from 'zod';

/** The GraphQL API, with the token of the request. Tools call nothing else, so the rules of the API apply to them. */
export interface Api {
  /**
   * Executes a query or a mutation. Throws ToolRefusal. With an idempotency key, a mutation is carried out once, and
   * repeated calls get the same answer.
   */
  ask<Data, Variables>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    idempotencyKey?: string,
  ): Promise<Data>;
  /** Subscribes, and resolves at the first change, at the end of the subscription, or when the signal is aborted. */
  nextChange<Data, Variables>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    signal: AbortSignal,
  ): Promise<void>;
}

export interface Call {
  readonly api: Api;
  /** Aborted when the client disconnects or the server stops. Then a tool that waits must return at once. */
  readonly signal: AbortSignal;
}

/**
 * `reads`: the tool changes nothing. `adds`: the tool adds something that can be undone. `acts`: the tool changes
 * something that others rely on.
 */
export type Effect = 'reads' | 'adds' | 'acts';

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  /** The scopes that the token needs (interface 5.7). */
  readonly scopes: readonly string[];
  readonly input: z.ZodObject;
  readonly run: (args: never, call: Call) => Promise<object>;
}

interface Definition<Input extends z.ZodObject> extends Omit<Tool, 'input' | 'run'> {
  readonly input: Input;
  readonly run: (args: z.output<Input>, call: Call) => Promise<object>;
}

export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  return definition;
}

/** A refusal by the API, or by a tool in the same form. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
  readonly code: string;
  /** The name of the argument at fault. Null: the refusal names none. */
  readonly field: string | null;
  constructor(code: string, message: string, field: string | null = null) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

export const repository = z
  .string()
  .regex(/^[^/\s]+\/[^/\s]+$/, 'must be <owner>/<name>, such as acme/shop')
  .describe('The repository as <owner>/<name>, such as acme/shop.');

export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

export function repositoryOf(text: string): RepositoryName {
  const [owner = '', name = ''] = text.split('/');
  return { owner, name };
}

export function unknownRepository(text: string): ToolRefusal {
  return new ToolRefusal('NOT_FOUND', `There is no repository ${text} for this token.`, 'repository');
}

const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
  .optional();

/** The idempotency argument of tools that act without a confirmation. */
export const oncePerKey = {
  idempotency_key: idempotencyKey.describe(
    'Any unique text, such as a UUID. The same call with the same key is carried out once, for 24 hours: give it when a call may be repeated.',
  ),
};

/** The arguments of tools that act only with `confirm: true`, and otherwise say what they would do. */
export const confirmed = {
  confirm: z
    .boolean()
    .default(false)
    .describe(
      'false: nothing is done, and the answer says what would be. true: it is done. Pass true only after the user has agreed to the answer of the same call with false.',
    ),
  idempotency_key: idempotencyKey.describe(
    'With confirm: true, the key that the answer with confirm: false had in to_confirm. A repeated call with it is carried out once.',
  ),
};

export interface Confirmation {
  readonly confirm: boolean;
  readonly idempotency_key?: string | undefined;
}

/** The answer to a call without `confirm: true`. */
export function notDone(impact: string | undefined, toConfirm: Readonly<Record<string, unknown>> = {}): object {
  return {
    done: false,
    would: untrusted(impact ?? ''),
    to_confirm: { confirm: true, idempotency_key: crypto.randomUUID(), ...toConfirm },
  };
}

const longestText = 20_000;

/**
 * Puts text of other people under the key `untrusted_text`, which marks it as data. Invisible characters are left out,
 * because they could hide instructions.
 */
export function untrusted(text: string): { readonly untrusted_text: string };
export function untrusted(text: string | null): { readonly untrusted_text: string } | null;
export function untrusted(text: string | null): { readonly untrusted_text: string } | null {
  if (text === null) return null;
  const visible = text.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\u{E0100}-\u{E01EF}]/gu, '');
  const isLong = visible.length > longestText;
  return { untrusted_text: isLong ? `${visible.slice(0, longestText).toWellFormed()} … (shortened)` : visible };
}

/** An enum's value in lower case, as REST writes it. */
export function lower(value: string): string;
export function lower(value: string | null): string | null;
export function lower(value: string | null): string | null {
  return value?.toLowerCase() ?? null;
}
