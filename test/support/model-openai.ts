// The chat completions protocol of OpenAI, which most other providers and local servers speak too.
import { z } from 'zod';
import { argumentsOf, piecesOf, Refusal } from './model-protocol.ts';
import type { ModelMessage, ModelProtocol, ModelRequest, ModelTurn } from './model-protocol.ts';

const text = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal('text'), text: z.string() }))
    .transform((parts) => parts.map((part) => part.text).join('')),
]);

const toolName = z.string().regex(/^[\w-]{1,64}$/);

const callSchema = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: toolName, arguments: z.string() }),
});

const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content: text }),
  z.object({ role: z.literal('user'), content: text }),
  z.object({
    role: z.literal('assistant'),
    content: text.nullish(),
    tool_calls: z.array(callSchema).min(1).optional(),
  }),
  z.object({ role: z.literal('tool'), content: text, tool_call_id: z.string() }),
]);

const requestSchema = z.object({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: z.boolean() }).optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({
          name: toolName,
          description: z.string().max(1024).optional(),
          parameters: z.looseObject({ type: z.literal('object') }),
        }),
      }),
    )
    .min(1)
    .optional(),
});

type Message = z.infer<typeof messageSchema>;

export const openaiChat: ModelProtocol = {
  name: 'openai',
  path: '/v1/chat/completions',
  keyOf: ({ authorization }) => /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? null,
  read(body) {
    const parsed = requestSchema.safeParse(body);
    if (!parsed.success) throw new Refusal(400, z.prettifyError(parsed.error));
    const { model, messages, tools, stream, max_tokens, max_completion_tokens } = parsed.data;
    refuseOpenCalls(messages);
    return {
      model,
      system: messages.flatMap(({ role, content }) => (isSystem(role) ? [content ?? ''] : [])).join('\n'),
      messages: messages.flatMap((message) => (isSystem(message.role) ? [] : [messageOf(message)])),
      tools: (tools ?? []).map(({ function: { name, description, parameters } }) => ({
        name,
        description: description ?? '',
        parameters,
      })),
      stream: stream ?? false,
      maxOutputTokens: max_tokens ?? max_completion_tokens ?? null,
    };
  },
  errorBody: (status, message, code) => ({
    error: { message, type: status >= 500 ? 'server_error' : 'invalid_request_error', param: null, code: code ?? null },
  }),
  whole: (turn, request) => ({
    ...frame(request),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: piecesOf(turn).join('') || null,
          ...(turn.calls !== undefined && { tool_calls: callsOf(turn, request) }),
        },
        finish_reason: finishOf(turn),
      },
    ],
    usage: usageOf(turn),
  }),
  pieces(turn, request) {
    const chunk = (delta: unknown, finish: string | null = null): string =>
      event({
        ...frame(request),
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const wantsUsage = request.body.includes('"include_usage":true');
    return [
      chunk({ role: 'assistant', content: '' }),
      ...piecesOf(turn).map((content) => chunk({ content })),
      ...callsOf(turn, request).flatMap((call, index) => {
        const { name, arguments: args } = call.function;
        const half = Math.ceil(args.length / 2);
        return [
          chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] }),
          ...[args.slice(0, half), args.slice(half)].map((part) =>
            chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
          ),
        ];
      }),
      chunk({}, finishOf(turn)),
      ...(wantsUsage
        ? [event({ ...frame(request), object: 'chat.completion.chunk', choices: [], usage: usageOf(turn) })]
        : []),
      'data: [DONE]\n\n',
    ];
  },
};

/** Checks that every call is answered before the next other message, and that every answer belongs to a call. */
function refuseOpenCalls(messages: readonly Message[]): void {
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id))
        throw new Refusal(
          400,
          `messages[${at}] with role 'tool' must be a response to a preceding message with 'tool_calls'.`,
        );
      continue;
    }
    refuseUnanswered(open);
    open = new Set(message.role === 'assistant' ? message.tool_calls?.map(({ id }) => id) : []);
  }
  refuseUnanswered(open);
}

function refuseUnanswered(open: ReadonlySet<string>): void {
  if (open.size > 0)
    throw new Refusal(
      400,
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': ${[...open].join(', ')}`,
    );
}

function isSystem(role: Message['role']): boolean {
  return role === 'system' || role === 'developer';
}

function messageOf(message: Message): ModelMessage {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return {
    role: message.role === 'tool' || message.role === 'assistant' ? message.role : 'user',
    text: message.content ?? '',
    calls: calls.map(({ id, function: { name, arguments: args } }) => ({ id, name, args: parsedOr(args) })),
    answers: message.role === 'tool' ? message.tool_call_id : null,
  };
}

function parsedOr(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function callsOf(turn: ModelTurn, request: ModelRequest) {
  return (turn.calls ?? []).map((call, index) => ({
    id: `call_${request.messages.length}_${index}`,
    type: 'function' as const,
    function: { name: call.name, arguments: argumentsOf(turn, call) },
  }));
}

function frame({ model, messages }: ModelRequest) {
  return { id: `chatcmpl-${messages.length}`, created: 1_700_000_000, model };
}

function finishOf({ end, calls }: ModelTurn): string {
  if (end === 'filter') return 'content_filter';
  return end ?? (calls === undefined ? 'stop' : 'tool_calls');
}

function usageOf({ usage = { input: 100, output: 20 } }: ModelTurn) {
  return { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output };
}

function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
