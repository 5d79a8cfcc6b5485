import { describe, expect, it } from 'vitest';
import { readModelSettings } from '../../src/platform/agents/index.ts';
import { affordableOutput, costMicros } from '../../src/platform/agents/model/prices.ts';

const anthropic = {
  RUNBOOK_MODEL: 'anthropic/some-model',
  RUNBOOK_MODEL_API_KEY: 'some-key',
  RUNBOOK_MODEL_PRICE_INPUT: '3',
  RUNBOOK_MODEL_PRICE_OUTPUT: '15',
};
const own = {
  RUNBOOK_MODEL: 'openai-compatible/team/some-model:7b',
  RUNBOOK_MODEL_BASE_URL: 'http://127.0.0.1:11434/v1/',
  RUNBOOK_MODEL_PRICE_INPUT: '0',
  RUNBOOK_MODEL_PRICE_OUTPUT: '0.5',
  RUNBOOK_MODEL_CONTEXT_TOKENS: '32768',
};

describe('the settings of the model', () => {
  it.each([{}, { RUNBOOK_MODEL: '' }])('are null unless a model is named', (env) => {
    expect(readModelSettings(env)).toBeNull();
  });

  it('have its provider, key and prices', () => {
    expect(readModelSettings(anthropic)).toEqual({
      provider: 'anthropic',
      model: 'some-model',
      apiKey: 'some-key',
      baseUrl: null,
      prices: { input: 3, cachedInput: 3, output: 15 },
      contextTokens: 128_000,
    });
  });

  it('may have a price for cached input', () => {
    const { prices } = readModelSettings({ ...anthropic, RUNBOOK_MODEL_PRICE_CACHED_INPUT: '0.3' }) ?? {};
    expect(prices).toEqual({ input: 3, cachedInput: 0.3, output: 15 });
  });

  it('may name a server of your own that needs no key, and a model with slashes', () => {
    expect(readModelSettings(own)).toEqual({
      provider: 'openai-compatible',
      model: 'team/some-model:7b',
      apiKey: null,
      baseUrl: 'http://127.0.0.1:11434/v1',
      prices: { input: 0, cachedInput: 0, output: 0.5 },
      contextTokens: 32_768,
    });
  });

  it.each([
    { env: { ...anthropic, RUNBOOK_MODEL: 'some-model' }, message: /<provider>\/<model>.*anthropic, openai/ },
    { env: { ...anthropic, RUNBOOK_MODEL: 'somebody/some-model' }, message: /not somebody\/some-model/ },
    { env: { ...anthropic, RUNBOOK_MODEL: 'anthropic/' }, message: /<provider>\/<model>/ },
    { env: { ...anthropic, RUNBOOK_MODEL_API_KEY: '' }, message: /^RUNBOOK_MODEL_API_KEY is missing/ },
    { env: { ...own, RUNBOOK_MODEL_BASE_URL: undefined }, message: /^RUNBOOK_MODEL_BASE_URL is missing/ },
    { env: { ...own, RUNBOOK_MODEL_BASE_URL: '127.0.0.1:11434' }, message: /absolute http or https/ },
    { env: { ...own, RUNBOOK_MODEL_BASE_URL: 'https://me:secret@example.com' }, message: /without user and password/ },
    { env: { ...anthropic, RUNBOOK_MODEL_PRICE_INPUT: undefined }, message: /^RUNBOOK_MODEL_PRICE_INPUT is missing/ },
    {
      env: { ...anthropic, RUNBOOK_MODEL_PRICE_OUTPUT: 'much' },
      message: /OUTPUT must be a number of dollars, not much/,
    },
    { env: { ...anthropic, RUNBOOK_MODEL_PRICE_OUTPUT: '-1' }, message: /not -1/ },
    { env: { ...own, RUNBOOK_MODEL_CONTEXT_TOKENS: '4k' }, message: /CONTEXT_TOKENS must be a whole number .* not 4k/ },
    { env: { ...own, RUNBOOK_MODEL_CONTEXT_TOKENS: '4000' }, message: /at least 8000, not 4000/ },
    { env: { ...anthropic, RUNBOOK_MODEL_PRICE_INPUT: ' ' }, message: /INPUT must be a number/ },
  ])('are refused with advice: $message', ({ env, message }) => {
    expect(() => readModelSettings(env)).toThrow(message);
  });

  it.each([
    { ...anthropic, RUNBOOK_MODEL: 'somebody/some-model' },
    { ...anthropic, RUNBOOK_MODEL_BASE_URL: 'ftp://example.com' },
    { ...anthropic, RUNBOOK_MODEL_PRICE_INPUT: 'much' },
  ])('are refused without showing the key', (env) => {
    expect(() => readModelSettings(env)).toThrow(expect.not.stringContaining('some-key') as Error);
  });
});

describe('the cost of a turn', () => {
  const prices = { input: 3, cachedInput: 0.3, output: 15 };

  it.each([
    { input: 0, output: 0, micros: 0 },
    { input: 1_000_000, output: 0, micros: 3_000_000 },
    { input: 100, output: 20, micros: 600 },
  ])('is $micros millionths of a dollar for $input and $output tokens', ({ input, output, micros }) => {
    expect(costMicros({ input, output }, prices)).toBe(micros);
  });

  it('is lower for cached input, and higher for input that is written to the cache', () => {
    expect(costMicros({ input: 1540, cached: 500, written: 1000, output: 57 }, prices)).toBe(120 + 150 + 3750 + 855);
  });

  it('is rounded up', () => {
    expect(costMicros({ input: 1, output: 0 }, { input: 0.05, cachedInput: 0.05, output: 0 })).toBe(1);
  });

  it.each([
    {
      why: 'the largest answer, if the budget is enough',
      input: 1000,
      remainingMicros: 1_000_000,
      max: 8000,
      affordable: 8000,
    },
    {
      why: 'what the budget allows after the input',
      input: 1000,
      remainingMicros: 18_000,
      max: 8000,
      affordable: 1000,
    },
    { why: '0 if little of the budget is left', input: 1000, remainingMicros: 5000, max: 8000, affordable: 0 },
    {
      why: '0 if the input costs more than the budget',
      input: 9000,
      remainingMicros: 18_000,
      max: 8000,
      affordable: 0,
    },
  ])('the limit of an answer is $why', ({ input, remainingMicros, max, affordable }) => {
    expect(affordableOutput(input, { remainingMicros, prices, max })).toBe(affordable);
  });

  it('has no limit of its answer if tokens cost nothing', () => {
    expect(
      affordableOutput(1000, { remainingMicros: 1, prices: { input: 0, cachedInput: 0, output: 0 }, max: 8000 }),
    ).toBe(8000);
  });
});
