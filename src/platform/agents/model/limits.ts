import type { ModelSettings } from './settings.ts';

export interface ModelLimits {
  /** The most turns of one plan or of one leaf. */
  readonly turns: number;
  readonly outputTokensPerTurn: number;
  /** Unusable answers in a row. Each but the last is answered by its fault. */
  readonly malformedInARow: number;
  /** How much of a conversation is sent: the oldest answers of tools are left out first. */
  readonly conversationCharacters: number;
  /** The most characters of one answer of a tool. */
  readonly toolAnswerCharacters: number;
  /** How often a call is repeated that the provider refused for the moment, before it answered anything. */
  readonly retries: number;
  /** How often an answer that broke off is requested again. */
  readonly brokenAnswers: number;
  /** Before the first broken answer is requested again; twice as long before the next. */
  readonly pauseMs: number;
  /** Until an answer begins, retries included. */
  readonly firstTokenMs: number;
  readonly silenceMs: number;
}

const mostOutputTokens = 16_000;
/** Fewer than there are of most texts: what is sent should fit. */
const charactersPerToken = 3;

export function limitsOf({ contextTokens }: ModelSettings): ModelLimits {
  const outputTokensPerTurn = Math.min(mostOutputTokens, Math.floor(contextTokens / 4));
  const conversationCharacters = (contextTokens - outputTokensPerTurn) * charactersPerToken;
  return {
    turns: 60,
    outputTokensPerTurn,
    malformedInARow: 3,
    conversationCharacters,
    toolAnswerCharacters: Math.floor(conversationCharacters / 4),
    retries: 4,
    brokenAnswers: 2,
    pauseMs: 1_000,
    firstTokenMs: 300_000,
    silenceMs: 90_000,
  };
}
