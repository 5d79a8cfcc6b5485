// One turn of a conversation: a request to the model and its answer. A request whose answer broke off is repeated. The
// answer has a form that can be sent back to every provider as part of the history.
import { setTimeout as delay } from 'node:timers/promises';
import {
  jsonSchema,
  streamText,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  type ToolSet,
} from 'ai';
import type { z } from 'zod';
import type { Tool } from '../port.ts';
import { failureOf, isBrokenAnswer } from './failures.ts';
import type { ModelLimits } from './limits.ts';
import { estimateTokens, type Tokens } from './prices.ts';
import type { ModelSettings } from './settings.ts';

export interface ModelClient {
  readonly model: LanguageModel;
  readonly settings: ModelSettings;
  readonly limits: ModelLimits;
}

/** A tool whose arguments are checked before they are passed on. */
export interface CheckedTool extends Tool {
  readonly schema: z.ZodType;
}

export interface ModelRequest {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly (Tool | CheckedTool)[];
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
  /** Called with the estimated cost of an answer that broke off. */
  readonly onBroken: (text: string, tokens: Tokens) => Promise<void>;
}

export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** What is wrong with the call. Null: it can be tried. */
  readonly mistake: string | null;
}

export interface Answer {
  readonly text: string;
  readonly calls: readonly CalledTool[];
  readonly end: 'whole' | 'cut off' | 'withheld';
  readonly tokens: Tokens;
  /** The answer, as a part of the history for the next request. Null: the model's answer was empty. */
  readonly message: ModelMessage | null;
}

/**
 * Throws AgentRefused if a retry cannot help, another error if a retry may help, and the signal's reason if the signal
 * is aborted.
 */
export async function takeTurn(client: ModelClient, request: ModelRequest): Promise<Answer> {
  for (let broken = 0; ; broken += 1) {
    const received: Received = { text: '', calls: [] };
    try {
      return await receiveAnswer(client, request, received);
    } catch (error) {
      const hasStarted = received.text !== '' || received.calls.length > 0;
      if (hasStarted)
        await request.onBroken(received.text, { input: tokensOf(request), output: estimateTokens(received.text) });
      request.signal.throwIfAborted();
      if (!isBrokenAnswer(error) || broken === client.limits.brokenAnswers) throw failureOf(error, client.settings);
      if (hasStarted) request.onText('\n[The answer broke off, and is requested again.]\n');
      await delay(client.limits.pauseMs * 2 ** broken, undefined, { signal: request.signal }).catch(() => {});
      request.signal.throwIfAborted();
    }
  }
}

interface Received {
  text: string;
  calls: CalledTool[];
}

async function receiveAnswer(
  { model, limits }: ModelClient,
  request: ModelRequest,
  received: Received,
): Promise<Answer> {
  const { instructions, messages, signal, maxOutputTokens, onText } = request;
  using watch = watchFor(limits);
  const result = streamText({
    model,
    instructions,
    messages: cachedUpToHere(messages),
    tools: toolSet(request.tools),
    maxOutputTokens,
    maxRetries: limits.retries,
    abortSignal: AbortSignal.any([signal, watch.signal]),
    // The library's default would write errors to the console. They are thrown below.
    onError: () => {},
  });
  for await (const part of result.stream) {
    if (part.type === 'abort' || watch.signal.aborted) throw watch.signal.reason ?? signal.reason;
    if (part.type === 'error') throw part.error;
    if (part.type !== 'start' && part.type !== 'start-step') watch.received();
    if (part.type === 'text-delta' && part.text !== '') {
      received.text += part.text;
      onText(part.text);
    }
    if (part.type === 'tool-call') {
      const { toolCallId: id, toolName: name, input: args } = part;
      received.calls.push({ id, name, args, mistake: part.invalid === true ? messageOf(part.error) : null });
    }
  }
  const [usage, finish, responses] = await Promise.all([result.usage, result.finishReason, result.responseMessages]);
  return {
    text: received.text,
    calls: received.calls,
    end: finish === 'length' ? 'cut off' : finish === 'content-filter' ? 'withheld' : 'whole',
    tokens: countTokens(usage, request, received),
    message: sendable(responses.find(({ role }) => role === 'assistant')),
  };
}

/** The tokens that the provider counted. What it does not say is estimated. */
function countTokens(usage: LanguageModelUsage, request: ModelRequest, { text, calls }: Received): Answer['tokens'] {
  return {
    input: usage.inputTokens ?? tokensOf(request),
    cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
    written: usage.inputTokenDetails.cacheWriteTokens ?? 0,
    output: usage.outputTokens ?? estimateTokens(text + JSON.stringify(calls)),
  };
}

// Marks the messages for Anthropic's cache, because the next turn sends them again. Other providers cache without the
// mark, and their clients ignore it.
function cachedUpToHere(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message, at) =>
    at < messages.length - 1
      ? message
      : { ...message, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
  );
}

/**
 * Stops a request whose answer does not begin or does not continue in time. The library's own time limits begin only
 * with the first piece of an answer, and so do not limit the wait for it.
 */
function watchFor({ firstTokenMs, silenceMs }: ModelLimits) {
  const controller = new AbortController();
  const late = (): void => controller.abort(new DOMException('The model stopped answering.', 'TimeoutError'));
  let timer = setTimeout(late, firstTokenMs);
  return {
    signal: controller.signal,
    received(): void {
      clearTimeout(timer);
      timer = setTimeout(late, silenceMs);
    },
    [Symbol.dispose]: (): void => clearTimeout(timer),
  };
}

function toolSet(tools: ModelRequest['tools']): ToolSet {
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      {
        description: tool.description,
        inputSchema:
          'schema' in tool
            ? tool.schema
            : jsonSchema(tool.parameters, {
                validate: (value) =>
                  isObject(value)
                    ? { success: true, value }
                    : { success: false, error: new Error('The arguments must be a JSON object.') },
              }),
      },
    ]),
  );
}

// Replaces arguments that are no object by an empty object. Providers refuse a history that contains such arguments, so
// every later turn would fail.
function sendable(message: ModelMessage | undefined): ModelMessage | null {
  if (message?.role !== 'assistant') return null;
  if (typeof message.content === 'string') return message;
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === 'tool-call' && !isObject(part.input) ? { ...part, input: {} } : part,
    ),
  };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const maxMistakeCharacters = 1000;

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, maxMistakeCharacters);
}

/** The estimated tokens of a request, before it is sent. */
export function tokensOf({
  instructions,
  messages,
  tools,
}: Pick<ModelRequest, 'instructions' | 'messages' | 'tools'>): number {
  const described = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return estimateTokens(instructions + JSON.stringify([messages, described]));
}
