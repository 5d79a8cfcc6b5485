// The messages protocol of Anthropic.
import { z } from 'zod';
import { argumentsOf, piecesOf, Refusal } from './model-protocol.ts';
import type { ModelMessage, ModelProtocol, ModelRequest, ModelTurn } from './model-protocol.ts';

const textBlock = z.looseObject({ type: z.literal('text'), text: z.string().min(1) });
const textual = z.union([
  z.string().min(1),
  z
    .array(textBlock)
    .min(1)
    .transform((blocks) => blocks.map((block) => block.text).join('')),
]);
const toolName = z.string().regex(/^[\w-]{1,128}$/);

const messageSchema = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    content: z.union([
      z.string().min(1),
      z
        .array(
          z.discriminatedUnion('type', [
            textBlock,
            z.looseObject({
              type: z.literal('tool_result'),
              tool_use_id: z.string(),
              content: textual.optional(),
              is_error: z.boolean().optional(),
            }),
          ]),
        )
        .min(1),
    ]),
  }),
  z.object({
    role: z.literal('assistant'),
    content: z.union([
      z.string().min(1),
      z
        .array(
          z.discriminatedUnion('type', [
            textBlock,
            z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) }),
            z.looseObject({
              type: z.literal('tool_use'),
              id: z.string().regex(/^[\w-]+$/),
              name: toolName,
              // A history with arguments that are not an object is refused.
              input: z.record(z.string(), z.unknown()),
            }),
          ]),
        )
        .min(1),
    ]),
  }),
]);

const requestSchema = z.object({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  system: textual.optional(),
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().optional(),
  tools: z
    .array(
      z.looseObject({
        name: toolName,
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
      }),
    )
    .optional(),
});

type Message = z.infer<typeof messageSchema>;

export const anthropicMessages: ModelProtocol = {
  name: 'anthropic',
  path: '/v1/messages',
  keyOf: ({ 'x-api-key': key }) => (typeof key === 'string' ? key : null),
  read(body, headers) {
    if (headers['anthropic-version'] === undefined) throw new Refusal(400, 'anthropic-version: header is required');
    const parsed = requestSchema.safeParse(body);
    if (!parsed.success) throw new Refusal(400, z.prettifyError(parsed.error));
    const { model, messages, tools, stream, system, max_tokens } = parsed.data;
    if (messages[0]?.role !== 'user') throw new Refusal(400, 'messages: first message must use the "user" role');
    refuseOpenUses(messages);
    if ((tools ?? []).length === 0 && messages.some((message) => usesOf(message).length > 0))
      throw new Refusal(400, 'Requests which include `tool_use` or `tool_result` blocks must define tools');
    return {
      model,
      system: system ?? '',
      messages: messages.flatMap(messagesOf),
      tools: (tools ?? []).map(({ name, description, input_schema }) => ({
        name,
        description: description ?? '',
        parameters: input_schema,
      })),
      stream: stream ?? false,
      maxOutputTokens: max_tokens,
    };
  },
  errorBody: (status, message) => ({ type: 'error', error: { type: errorTypes[status] ?? 'api_error', message } }),
  whole: (turn, request) => ({
    ...frame(request),
    content: [
      ...(turn.text === undefined ? [] : [{ type: 'text', text: piecesOf(turn).join('') }]),
      ...(turn.calls ?? []).map((call, index) => ({
        type: 'tool_use',
        id: useId(request, index),
        name: call.name,
        input: call.args,
      })),
    ],
    stop_reason: stopOf(turn),
    stop_sequence: null,
    usage: usageOf(turn),
  }),
  pieces(turn, request) {
    const { input, output } = turn.usage ?? standardUsage;
    const texts = piecesOf(turn);
    const first = texts.length === 0 ? 0 : 1;
    return [
      event('message_start', {
        message: {
          ...frame(request),
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: input, output_tokens: 1 },
        },
      }),
      ...(texts.length === 0
        ? []
        : blockOf(
            0,
            { type: 'text', text: '' },
            texts.map((text) => ({ type: 'text_delta', text })),
          )),
      ...(turn.calls ?? []).flatMap((call, index) => {
        const args = argumentsOf(turn, call);
        const half = Math.ceil(args.length / 2);
        return blockOf(
          index + first,
          { type: 'tool_use', id: useId(request, index), name: call.name, input: {} },
          [args.slice(0, half), args.slice(half)].map((part) => ({ type: 'input_json_delta', partial_json: part })),
        );
      }),
      event('message_delta', {
        delta: { stop_reason: stopOf(turn), stop_sequence: null },
        usage: { output_tokens: output },
      }),
      event('message_stop', {}),
    ];
  },
};

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Checks that the message after a use of tools answers each of them, and that every answer belongs to a use. */
function refuseOpenUses(messages: readonly Message[]): void {
  let open: readonly string[] = [];
  for (const [at, message] of messages.entries()) {
    const answered = resultsOf(message);
    const missing = open.filter((id) => !answered.includes(id));
    if (missing.length > 0)
      throw new Refusal(
        400,
        `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`,
      );
    const unexpected = answered.filter((id) => !open.includes(id));
    if (unexpected.length > 0)
      throw new Refusal(
        400,
        `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unexpected.join(', ')}`,
      );
    open = usesOf(message);
  }
  if (open.length > 0)
    throw new Refusal(400, `\`tool_use\` ids were found without \`tool_result\` blocks: ${open.join(', ')}`);
}

function usesOf({ content }: Message): string[] {
  return typeof content === 'string' ? [] : content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

function resultsOf({ content }: Message): string[] {
  return typeof content === 'string'
    ? []
    : content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

/** Separates the text of a user's message from the answers of tools in it. */
function messagesOf({ role, content }: Message): ModelMessage[] {
  const plain = (text: string, calls: ModelMessage['calls'] = []): ModelMessage => ({
    role,
    text,
    calls,
    answers: null,
  });
  if (typeof content === 'string') return [plain(content)];
  const answers = content.flatMap((block) =>
    block.type === 'tool_result'
      ? [{ role: 'tool' as const, text: block.content ?? '', calls: [], answers: block.tool_use_id }]
      : [],
  );
  const calls = content.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [],
  );
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  return [...answers, ...(text === '' && calls.length === 0 ? [] : [plain(text, calls)])];
}

function blockOf(index: number, start: unknown, deltas: readonly unknown[]): string[] {
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}

function frame({ model, messages }: ModelRequest) {
  return { id: `msg_${messages.length}`, type: 'message', role: 'assistant', model };
}

function useId({ messages }: ModelRequest, index: number): string {
  return `toolu_${messages.length}_${index}`;
}

function stopOf({ end, calls }: ModelTurn): string {
  if (end === 'filter') return 'refusal';
  if (end === 'length') return 'max_tokens';
  return calls === undefined ? 'end_turn' : 'tool_use';
}

const standardUsage = { input: 100, output: 20 };

function usageOf({ usage = standardUsage }: ModelTurn) {
  return { input_tokens: usage.input, output_tokens: usage.output };
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
