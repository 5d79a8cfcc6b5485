// What a turn cost. A token's price in dollars per million is its price in millionths of a dollar.
import type { ModelPrices } from './settings.ts';

export interface Tokens {
  /** All of the question, cached or not. */
  readonly input: number;
  /** Of those, what the provider had in its cache, and what it put there. */
  readonly cached?: number;
  readonly written?: number;
  readonly output: number;
}

/** The price factor of cached input where a provider charges for writing its cache. Others report no written tokens. */
const writing = 1.25;

export function costMicros({ input, cached = 0, written = 0, output }: Tokens, prices: ModelPrices): number {
  const plain = Math.max(0, input - cached - written);
  const asked = (plain + written * writing) * prices.input + cached * prices.cachedInput;
  // Sums of fractions are a hair off: what is whole stays whole.
  return Math.ceil(Number((asked + output * prices.output).toFixed(6)));
}

// Less than this says nothing of use.
const leastOutput = 200;

/** How many tokens may be answered to so many, at most `most`, with what remains. 0: it does not pay for an answer. */
export function affordableOutput(
  input: number,
  {
    remainingMicros,
    prices,
    most,
  }: { readonly remainingMicros: number; readonly prices: ModelPrices; readonly most: number },
): number {
  const left = remainingMicros - costMicros({ input, output: 0 }, prices);
  const affordable = prices.output === 0 ? (left < 0 ? 0 : most) : Math.min(most, Math.floor(left / prices.output));
  return affordable < Math.min(leastOutput, most) ? 0 : affordable;
}

const charactersPerToken = 4;

/** For a server that does not count tokens, and for an answer that broke off before it was counted. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}
