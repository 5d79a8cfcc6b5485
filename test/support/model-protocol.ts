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
  /** The calls of the assistant. */
  readonly calls: readonly ModelCall[];
  /** The id of the call that a tool answers. Null: this is not a message of a tool. */
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
  readonly maxOutputTokens: number | null;
  readonly headers: IncomingHttpHeaders;
  /** The body as it was received. */
  readonly body: string;
}

export interface ModelTurn {
  /** A list is streamed piece by piece. */
  readonly text?: string | readonly string[];
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
  /** Arguments that are sent unchanged, and not as JSON. */
  readonly rawArguments?: string;
  readonly usage?: { readonly input: number; readonly output: number };
  /** Why the turn ends. `length`: at its limit. `filter`: it is withheld. Default: what fits the turn. */
  readonly end?: 'stop' | 'length' | 'filter';
  /** The connection is cut before the first piece of a stream that contains this text. */
  readonly cutBefore?: string;
  /** Called before each piece of a stream is sent. */
  readonly beforePiece?: (piece: string) => void | Promise<void>;
}

export type ModelReply =
  | ModelTurn
  | {
      readonly status: number;
      readonly message: string;
      /** The provider's code of the error. */
      readonly code?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly bytes: string; readonly contentType?: string }
  /** Sends the headers, and then nothing. */
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

/** The text of a turn, in the pieces in which it is streamed. */
export function piecesOf({ text }: ModelTurn): readonly string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? [text] : text;
}

/** Arguments in the form in which they are sent. */
export function argumentsOf(turn: ModelTurn, call: { readonly args: unknown }): string {
  return turn.rawArguments ?? JSON.stringify(call.args);
}
