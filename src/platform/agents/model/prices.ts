// What a turn cost. A token's price in dollars per million is its price in millionths of a dollar.
import type { ModelPrices } from './settings.ts';

export interface Tokens {
  /** All input tokens, cached or not. */
  readonly input: number;
  /** How many of the input tokens the provider read from its cache (`cached`), and wrote into its cache (`written`). */
  readonly cached?: number;
  readonly written?: number;
  readonly output: number;
}

/** The price factor of cached input where a provider charges for writing its cache. Others report no written tokens. */
const writing = 1.25;

export function costMicros({ input, cached = 0, written = 0, output }: Tokens, prices: ModelPrices): number {
  const plain = Math.max(0, input - cached - written);
  const inputCost = (plain + written * writing) * prices.input + cached * prices.cachedInput;
  // Sums of floating-point fractions are slightly off. Without the rounding to 6 digits, `ceil` could add 1 to a whole
  // sum.
  return Math.ceil(Number((inputCost + output * prices.output).toFixed(6)));
}

// An answer of fewer tokens is of no use.
const minOutput = 200;

/**
 * How many output tokens, at most `max`, the rest of the budget pays for after `input` input tokens. 0: the rest does
 * not pay for a useful answer.
 */
export function affordableOutput(
  input: number,
  {
    remainingMicros,
    prices,
    max,
  }: { readonly remainingMicros: number; readonly prices: ModelPrices; readonly max: number },
): number {
  const left = remainingMicros - costMicros({ input, output: 0 }, prices);
  const affordable = prices.output === 0 ? (left < 0 ? 0 : max) : Math.min(max, Math.floor(left / prices.output));
  return affordable < Math.min(minOutput, max) ? 0 : affordable;
}

const charactersPerToken = 4;

/** Used if a server does not count tokens, or if an answer broke off before its tokens were counted. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}
