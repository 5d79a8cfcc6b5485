import type { ModelSettings } from './settings.ts';

export interface ModelLimits {
  /** The most turns of one plan or of one leaf. */
  readonly turns: number;
  readonly outputTokensPerTurn: number;
  /**
   * The work fails after this number of unusable answers in a row. After each earlier unusable answer, Interlock tells
   * the model what was wrong.
   */
  readonly malformedInARow: number;
  /** The most characters of a conversation that are sent. The oldest answers of tools are left out first. */
  readonly conversationCharacters: number;
  /** The most characters of one answer of a tool. */
  readonly toolAnswerCharacters: number;
  /** How often a request is repeated if the provider refused it for the moment, before the answer began. */
  readonly retries: number;
  /** How often an answer that broke off is requested again. */
  readonly brokenAnswers: number;
  /** The wait before the first broken answer is requested again. It doubles each time. */
  readonly pauseMs: number;
  /** The most time until an answer begins, retries included. */
  readonly firstTokenMs: number;
  /** The most time between two pieces of an answer. */
  readonly silenceMs: number;
}

const maxOutputTokens = 16_000;
/**
 * Most texts have more characters per token. The low estimate ensures that what is sent fits into the model's context.
 */
const charactersPerToken = 3;

export function limitsOf({ contextTokens }: ModelSettings): ModelLimits {
  const outputTokensPerTurn = Math.min(maxOutputTokens, Math.floor(contextTokens / 4));
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
