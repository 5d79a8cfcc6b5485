// A conversation with a model: turns with tools until the model calls one of the endings. The session limits what the
// model may do. This file limits how long the conversation may last, and tells the model why an answer cannot be used.
import type { ModelMessage, ToolResultPart } from 'ai';
import { z } from 'zod';
import { AgentRefused, BudgetSpent, type AgentSession } from '../port.ts';
import { boundHistory } from './history.ts';
import type { ModelLimits } from './limits.ts';
import { affordableOutput, costMicros, type Tokens } from './prices.ts';
import { takeTurn, tokensOf, type Answer, type CalledTool, type CheckedTool, type ModelClient } from './turn.ts';

/** A tool that ends the conversation. Its arguments are checked by its schema. */
export interface Ending<T> extends CheckedTool {
  /** Throws AgentRefused. */
  conclude(args: never): T;
}

export function defineEnding<T, Schema extends z.ZodType>(
  described: { readonly name: string; readonly description: string; readonly schema: Schema },
  conclude: (args: z.infer<Schema>) => T,
): Ending<T> {
  return { ...described, parameters: z.toJSONSchema(described.schema), conclude };
}

export interface Conversation<T> {
  readonly instructions: string;
  readonly opening: string;
  readonly endings: readonly Ending<T>[];
  /**
   * Makes a result of an answer that calls no tool. Null: such an answer is not accepted, and the model is requested to
   * call a tool.
   */
  readonly plainEnd: (text: string) => T | null;
  /** Marks a tool's answer as data, so that the model does not follow instructions in it. */
  readonly quote: (text: string) => string;
  readonly session: AgentSession;
}

interface Outcome<T> {
  readonly concluded?: { readonly value: T };
  readonly messages: readonly ModelMessage[];
  /** Why the model's answer cannot be used. Null: the answer is usable. */
  readonly mistake: string | null;
}

export async function converse<T>(client: ModelClient, conversation: Conversation<T>): Promise<T> {
  const { limits } = client;
  let messages: readonly ModelMessage[] = [{ role: 'user', content: conversation.opening }];
  let inARow = 0;
  for (let turn = 1; turn <= limits.turns; turn += 1) {
    const isLast = turn === limits.turns && turn > 1;
    if (isLast) messages = [...messages, { role: 'user', content: lastTurnInstruction(conversation.endings) }];
    const { answer, spent } = await answerTo(client, conversation, { messages, isLast });
    // If an answer spends the rest of the budget and ends the conversation, the answer counts. Otherwise the
    // conversation fails here, because no new turn can be paid for.
    if (spent !== null && !isEnd(conversation, answer)) throw spent;
    const outcome = await act(conversation, answer, limits);
    if (outcome.concluded !== undefined) return outcome.concluded.value;
    if (spent !== null) throw spent;
    messages = boundHistory([...messages, ...outcome.messages], limits.conversationCharacters);
    inARow = outcome.mistake === null ? 0 : inARow + 1;
    if (outcome.mistake !== null && inARow >= limits.malformedInARow)
      throw new AgentRefused(`The model's answer could not be used ${inARow} times in a row: ${outcome.mistake}`);
  }
  throw new AgentRefused(`The model did not finish within ${limits.turns} turns. Ask for less in one step.`);
}

async function answerTo<T>(
  client: ModelClient,
  { instructions, endings, session }: Conversation<T>,
  { messages, isLast }: { readonly messages: readonly ModelMessage[]; readonly isLast: boolean },
): Promise<{ readonly answer: Answer; readonly spent: BudgetSpent | null }> {
  const { limits, settings } = client;
  const { prices } = settings;
  session.signal.throwIfAborted();
  const request = {
    instructions,
    messages,
    tools: isLast ? endings : [...session.tools, ...endings],
  };
  const remainingMicros = session.remainingMicros();
  const max = limits.outputTokensPerTurn;
  const maxOutputTokens = affordableOutput(tokensOf(request), { remainingMicros, prices, max });
  if (remainingMicros <= 0 || maxOutputTokens === 0)
    throw new BudgetSpent(
      'The rest of the budget does not pay for another answer of the model. Retry the step with a higher budget, or do the rest by hand.',
    );
  const spend = async (text: string, tokens: Tokens): Promise<void> =>
    await session.spend({
      text,
      inputTokens: tokens.input,
      outputTokens: tokens.output,
      costMicros: costMicros(tokens, prices),
    });
  const { signal } = session;
  const onText = (text: string): void => session.say(text);
  const answer = await takeTurn(client, { ...request, maxOutputTokens, signal, onText, onBroken: spend });
  const spent = await spend(answer.text, answer.tokens).then(
    () => null,
    (error: unknown) => {
      if (error instanceof BudgetSpent) return error;
      throw error;
    },
  );
  session.signal.throwIfAborted();
  return { answer, spent };
}

function isEnd<T>({ endings }: Conversation<T>, { calls }: Answer): boolean {
  return calls.every((call) => endings.some(({ name }) => name === call.name));
}

async function act<T>(conversation: Conversation<T>, answer: Answer, limits: ModelLimits): Promise<Outcome<T>> {
  const { endings, plainEnd } = conversation;
  if (answer.end === 'withheld')
    throw new AgentRefused("The model's provider withheld its answer. Put the prompt into other words.");
  const history = answer.message === null ? [] : [answer.message];
  if (answer.calls.length > 0) return await callTools(conversation, answer, limits);
  if (answer.end === 'cut off')
    return mistaken(history, 'The answer was cut off at its limit. Go on from there, in smaller pieces.');
  const names = endings.map(({ name }) => name).join(' or ');
  if (answer.text.trim() === '') return mistaken(history, `The answer was empty. Call a tool, or ${names} to end.`);
  const value = plainEnd(answer.text);
  if (value !== null) return { concluded: { value }, messages: [], mistake: null };
  return mistaken(history, `That was no call of a tool. Call ${names} to end.`);
}

function mistaken<T>(history: readonly ModelMessage[], mistake: string): Outcome<T> {
  return { messages: [...history, { role: 'user', content: mistake }], mistake };
}

/**
 * Makes all calls of an answer, in their order. An ending counts only if all other calls succeeded. Otherwise the model
 * must read the failures first.
 */
async function callTools<T>(conversation: Conversation<T>, answer: Answer, limits: ModelLimits): Promise<Outcome<T>> {
  const answered: AnsweredCall<T>[] = [];
  for (const call of answer.calls) answered.push(await answerCall(conversation, { call, answer, limits }));
  conversation.session.signal.throwIfAborted();
  const concluding = answered.find(({ kind }) => kind === 'ending');
  const haveAllSucceeded = answered.every(({ kind }) => kind === 'ending' || kind === 'done');
  if (concluding?.kind === 'ending' && haveAllSucceeded)
    return {
      concluded: { value: concluding.ending.conclude(concluding.call.args as never) },
      messages: [],
      mistake: null,
    };
  const history = answer.message === null ? [] : [answer.message];
  const content = answered.map(
    ({ call, text }): ToolResultPart => ({
      type: 'tool-result',
      toolCallId: call.id,
      toolName: call.name,
      output: { type: 'text', value: text },
    }),
  );
  const mistake = answered.findLast(({ kind }) => kind === 'mistake')?.text ?? null;
  return { messages: [...history, { role: 'tool', content }], mistake };
}

/** A call, and what the model reads about it. */
type AnsweredCall<T> = { readonly call: CalledTool; readonly text: string } & (
  | { readonly kind: 'mistake' | 'done' | 'failed' }
  | { readonly kind: 'ending'; readonly ending: Ending<T> }
);

async function answerCall<T>(
  { endings, session, quote }: Conversation<T>,
  { call, answer, limits }: { readonly call: CalledTool; readonly answer: Answer; readonly limits: ModelLimits },
): Promise<AnsweredCall<T>> {
  const ending = endings.find(({ name }) => name === call.name);
  const mistake = mistakeOf(call, answer, { isEnding: ending !== undefined, session });
  if (mistake !== null) return { kind: 'mistake', call, text: mistake };
  if (ending !== undefined) {
    const text =
      'Not accepted yet, because another call of this turn failed. Read the answer to that call, then call this again.';
    return { kind: 'ending', call, ending, text };
  }
  session.signal.throwIfAborted();
  const { outcome, text } = await session.call(call.name, call.args);
  return {
    kind: outcome === 'done' ? 'done' : 'failed',
    call,
    text: `${outcome}\n${quote(cut(text, limits.toolAnswerCharacters))}`,
  };
}

function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text.slice(0, max).toWellFormed()}\n[cut: ${text.length - max} characters more; ask for less at once]`;
}

function mistakeOf(
  { name, mistake }: CalledTool,
  { end }: Answer,
  { isEnding, session }: { readonly isEnding: boolean; readonly session: AgentSession },
): string | null {
  const isKnown = isEnding || session.tools.some((tool) => tool.name === name);
  if (!isKnown)
    return `There is no tool ${JSON.stringify(name)}. There are: ${session.tools.map((tool) => tool.name).join(', ')}.`;
  if (mistake === null) return null;
  return end === 'cut off'
    ? `The call of ${name} was cut off at the limit of the answer: use smaller pieces.`
    : mistake;
}

function lastTurnInstruction(endings: readonly CheckedTool[]): string {
  return `This is the last turn. Call ${endings.map(({ name }) => name).join(' or ')} now.`;
}
