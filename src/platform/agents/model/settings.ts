// The settings of the model that runs runbooks, from environment variables. They are read once, at start, so that a
// mistake is reported to the operator at once.

export const modelProviders = ['anthropic', 'openai', 'openai-compatible'] as const;
export type ModelProvider = (typeof modelProviders)[number];

export interface ModelSettings {
  readonly provider: ModelProvider;
  /** The provider's name for the model. */
  readonly model: string;
  /** Null: the server of the model needs no key. */
  readonly apiKey: string | null;
  /** Null: the provider's own address. */
  readonly baseUrl: string | null;
  readonly prices: ModelPrices;
  /** The most tokens of a request to the model and its answer together. */
  readonly contextTokens: number;
}

/** US dollars per million tokens, which is millionths of a dollar per token. */
export interface ModelPrices {
  readonly input: number;
  /** The price of input that the provider had in its cache. */
  readonly cachedInput: number;
  readonly output: number;
}

/** The settings are wrong. The message tells the operator what to correct. */
export class ModelSettingsRefused extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** Null: no model is configured. Throws ModelSettingsRefused. */
export function readModelSettings(env: Environment): ModelSettings | null {
  const named = env['RUNBOOK_MODEL'] ?? '';
  if (named === '') return null;
  const { provider, model } = readName(named);
  const baseUrl = readBaseUrl(env, provider);
  const apiKey = env['RUNBOOK_MODEL_API_KEY'] ?? '';
  if (apiKey === '' && provider !== 'openai-compatible')
    throw new ModelSettingsRefused(`RUNBOOK_MODEL_API_KEY is missing: ${provider} requires a key.`);
  return {
    provider,
    model,
    baseUrl,
    apiKey: apiKey === '' ? null : apiKey,
    prices: readPrices(env),
    contextTokens: readContext(env),
  };
}

function readName(named: string): Pick<ModelSettings, 'provider' | 'model'> {
  const slash = named.indexOf('/');
  const provider = modelProviders.find((known) => known === named.slice(0, slash));
  const model = named.slice(slash + 1);
  if (provider === undefined || model === '')
    throw new ModelSettingsRefused(
      `RUNBOOK_MODEL must be <provider>/<model>, with one of the providers ${modelProviders.join(', ')}, not ${named}.`,
    );
  return { provider, model };
}

function readBaseUrl(env: Environment, provider: ModelProvider): string | null {
  const given = env['RUNBOOK_MODEL_BASE_URL'] ?? '';
  if (given === '') {
    if (provider !== 'openai-compatible') return null;
    throw new ModelSettingsRefused(
      'RUNBOOK_MODEL_BASE_URL is missing: set it to the address of the server, such as http://127.0.0.1:11434/v1.',
    );
  }
  const url = URL.parse(given);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new ModelSettingsRefused(
      'RUNBOOK_MODEL_BASE_URL must be an absolute http or https address without user and password, such as https://models.example.com/v1.',
    );
  return given.replace(/\/+$/, '');
}

const defaultContext = 128_000;
const minContext = 8_000;

function readContext(env: Environment): number {
  const given = env['RUNBOOK_MODEL_CONTEXT_TOKENS'] ?? '';
  const tokens = given === '' ? defaultContext : Number(given);
  if (Number.isInteger(tokens) && tokens >= minContext) return tokens;
  throw new ModelSettingsRefused(
    `RUNBOOK_MODEL_CONTEXT_TOKENS must be a whole number of at least ${minContext}, not ${given}: the number of tokens that the model accepts at once.`,
  );
}

function readPrices(env: Environment): ModelPrices {
  const input = readPrice(env, 'RUNBOOK_MODEL_PRICE_INPUT');
  const cached = 'RUNBOOK_MODEL_PRICE_CACHED_INPUT';
  return {
    input,
    cachedInput: (env[cached] ?? '') === '' ? input : readPrice(env, cached),
    output: readPrice(env, 'RUNBOOK_MODEL_PRICE_OUTPUT'),
  };
}

// A missing price is refused instead of taken as 0, because budgets are in dollars: with a price of 0 a runbook could
// spend without limit.
function readPrice(env: Environment, key: string): number {
  const given = env[key] ?? '';
  const price = Number(given);
  if (given.trim() !== '' && Number.isFinite(price) && price >= 0) return price;
  throw new ModelSettingsRefused(
    `${key} ${given === '' ? 'is missing' : `must be a number of dollars, not ${given}`}: set it to the price of a million tokens in US dollars, which counts against the budgets of runbooks. Set it to 0 if tokens cost nothing.`,
  );
}
