// Requests to a model and its answers, independent of the protocol, and how a protocol carries them.
import type { IncomingHttpHeaders } from 'node:http';

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Of the assistant. */
  readonly calls: readonly ModelCall[];
  /** Of a tool: which call it answers. */
  readonly answers: string | null;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A request to the model, independent of the protocol. */
export interface ModelRequest {
  readonly protocol: 'openai' | 'anthropic';
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly stream: boolean;
  readonly mostOutputTokens: number | null;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly body: string;
}

export interface ModelTurn {
  /** Streamed piece by piece. */
  readonly text?: string | readonly string[];
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
  /** Arguments that are sent as they are, instead of as JSON. */
  readonly rawArguments?: string;
  readonly usage?: { readonly input: number; readonly output: number };
  /** `length`: at its limit. `filter`: withheld. Default: what fits. */
  readonly end?: 'stop' | 'length' | 'filter';
  /** The connection is cut before the first piece of a stream that holds this. */
  readonly cutBefore?: string;
  /** Asked before each piece of a stream goes out. */
  readonly beforePiece?: (piece: string) => void | Promise<void>;
}

export type ModelReply =
  | ModelTurn
  | {
      readonly status: number;
      readonly message: string;
      /** The provider's own name for it. */
      readonly code?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly bytes: string; readonly contentType?: string }
  /** Headers, and nothing after them. */
  | { readonly hangs: true };

/** How one protocol reads requests and writes answers. */
export interface ModelProtocol {
  readonly name: ModelRequest['protocol'];
  readonly path: string;
  keyOf(headers: IncomingHttpHeaders): string | null;
  /** Throws Refusal. */
  read(body: unknown, headers: IncomingHttpHeaders): Omit<ModelRequest, 'protocol' | 'headers' | 'body'>;
  errorBody(status: number, message: string, code?: string): unknown;
  whole(turn: ModelTurn, request: ModelRequest): unknown;
  pieces(turn: ModelTurn, request: ModelRequest): readonly string[];
}

export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The text of a turn in the pieces it is streamed in. */
export function piecesOf({ text }: ModelTurn): readonly string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? [text] : text;
}

/** Arguments as they travel. */
export function argumentsOf(turn: ModelTurn, call: { readonly args: unknown }): string {
  return turn.rawArguments ?? JSON.stringify(call.args);
}
