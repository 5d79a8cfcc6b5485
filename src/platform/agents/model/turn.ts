// One turn of a conversation: it is asked once more where it did not come whole, and comes back in a form that the
// history of both protocols takes.
import { setTimeout as delay } from 'node:timers/promises';
import { jsonSchema, streamText, type LanguageModel, type ModelMessage, type ToolSet } from 'ai';
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

export interface Asked {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly (Tool | CheckedTool)[];
  readonly mostOutputTokens: number;
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
  /** To be sent back. Null: it said nothing. */
  readonly message: ModelMessage | null;
}

/** Throws AgentRefused for what will not get better, Error for what may, and the signal's reason when it is aborted. */
export async function takeTurn(client: ModelClient, asked: Asked): Promise<Answer> {
  for (let broken = 0; ; broken += 1) {
    const heard: Heard = { text: '', calls: [] };
    try {
      return await hear(client, asked, heard);
    } catch (error) {
      const hasStarted = heard.text !== '' || heard.calls.length > 0;
      if (hasStarted) await asked.onBroken(heard.text, { input: tokensOf(asked), output: estimateTokens(heard.text) });
      asked.signal.throwIfAborted();
      if (!isBrokenAnswer(error) || broken === client.limits.brokenAnswers) throw failureOf(error, client.settings);
      if (hasStarted) asked.onText('\n[The answer broke off, and is requested again.]\n');
      await delay(client.limits.pauseMs * 2 ** broken, undefined, { signal: asked.signal }).catch(() => {});
      asked.signal.throwIfAborted();
    }
  }
}

interface Heard {
  text: string;
  calls: CalledTool[];
}

async function hear({ model, limits }: ModelClient, asked: Asked, heard: Heard): Promise<Answer> {
  const { instructions, messages, signal, mostOutputTokens, onText } = asked;
  using watch = watchFor(limits);
  const result = streamText({
    model,
    instructions,
    messages: cachedUpToHere(messages),
    tools: toolSet(asked.tools),
    maxOutputTokens: mostOutputTokens,
    maxRetries: limits.retries,
    abortSignal: AbortSignal.any([signal, watch.signal]),
    // The default writes to the console; what went wrong is thrown below.
    onError: () => {},
  });
  for await (const part of result.stream) {
    if (part.type === 'abort' || watch.signal.aborted) throw watch.signal.reason ?? signal.reason;
    if (part.type === 'error') throw part.error;
    if (part.type !== 'start' && part.type !== 'start-step') watch.heard();
    if (part.type === 'text-delta' && part.text !== '') {
      heard.text += part.text;
      onText(part.text);
    }
    if (part.type === 'tool-call') {
      const { toolCallId: id, toolName: name, input: args } = part;
      heard.calls.push({ id, name, args, mistake: part.invalid === true ? messageOf(part.error) : null });
    }
  }
  const [usage, finish, responses] = await Promise.all([result.usage, result.finishReason, result.responseMessages]);
  return {
    text: heard.text,
    calls: heard.calls,
    end: finish === 'length' ? 'cut off' : finish === 'content-filter' ? 'withheld' : 'whole',
    tokens: {
      input: usage.inputTokens ?? tokensOf(asked),
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      written: usage.inputTokenDetails.cacheWriteTokens ?? 0,
      output: usage.outputTokens ?? estimateTokens(heard.text + JSON.stringify(heard.calls)),
    },
    message: sendable(responses.find(({ role }) => role === 'assistant')),
  };
}

// The next turn asks all of this again. Others than Anthropic cache by themselves, and leave the mark out.
function cachedUpToHere(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message, at) =>
    at < messages.length - 1
      ? message
      : { ...message, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
  );
}

/**
 * The library's own limits begin with an answer's first piece, which some providers' clients wait for by themselves.
 */
function watchFor({ firstTokenMs, silenceMs }: ModelLimits) {
  const controller = new AbortController();
  const late = (): void => controller.abort(new DOMException('It stopped answering.', 'TimeoutError'));
  let timer = setTimeout(late, firstTokenMs);
  return {
    signal: controller.signal,
    heard(): void {
      clearTimeout(timer);
      timer = setTimeout(late, silenceMs);
    },
    [Symbol.dispose]: (): void => clearTimeout(timer),
  };
}

function toolSet(tools: Asked['tools']): ToolSet {
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

// A history with arguments that are no object is refused by the provider, and with it every turn to come.
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

const mostMistakeCharacters = 1000;

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, mostMistakeCharacters);
}

/** The estimated tokens of a request, before it is sent. */
export function tokensOf({
  instructions,
  messages,
  tools,
}: Pick<Asked, 'instructions' | 'messages' | 'tools'>): number {
  const described = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return estimateTokens(instructions + JSON.stringify([messages, described]));
}
