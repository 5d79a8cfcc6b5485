// What went wrong between us and a provider, in words that name the cure and never the key. What will not get better by
// itself is refused for good; the rest may be tried again.
import { APICallError, NoOutputGeneratedError, RetryError, StreamProviderError } from 'ai';
import { masked } from '../../providers/mask.ts';
import { AgentRefused } from '../port.ts';
import type { ModelSettings } from './settings.ts';

const mostWords = 500;
const passing = [408, 409, 425, 429];

/** AgentRefused, or what may be tried again. */
export function failureOf(thrown: unknown, settings: ModelSettings): Error {
  const error = innermost(thrown);
  if (error instanceof Error && error.name === 'TimeoutError')
    return new Error(`${nameOf(settings)} stopped answering.`);
  const status = statusOf(error);
  if (status === null) return new Error(`${nameOf(settings)} could not be asked: ${wordsOf(error, settings)}`);
  const words = `${nameOf(settings)} answered ${status}: ${wordsOf(error, settings)}${cureOf(status)}`;
  return status >= 500 || passing.includes(status) ? new Error(words) : new AgentRefused(words);
}

/** The answer had begun, and may come whole when it is asked for again. */
export function isBrokenAnswer(thrown: unknown): boolean {
  const error = innermost(thrown);
  if (APICallError.isInstance(error)) return error.statusCode === undefined || error.statusCode < 300;
  if (StreamProviderError.isInstance(error)) return error.isRetryable;
  return error instanceof Error && !['AbortError', 'TimeoutError'].includes(error.name);
}

function innermost(thrown: unknown): unknown {
  if (RetryError.isInstance(thrown)) return innermost(thrown.lastError);
  if (NoOutputGeneratedError.isInstance(thrown) && thrown.cause !== undefined) return innermost(thrown.cause);
  return thrown;
}

function statusOf(error: unknown): number | null {
  if (!APICallError.isInstance(error) && !StreamProviderError.isInstance(error)) return null;
  const { statusCode } = error;
  return statusCode === undefined || statusCode < 300 ? null : statusCode;
}

function wordsOf(error: unknown, { apiKey }: ModelSettings): string {
  const said = error instanceof Error ? error.message : String(error);
  const words = masked(apiKey, said.trim()).slice(0, mostWords).replaceAll('\0', '\u{FFFD}');
  return words === '' ? 'no reason is known.' : /[.!?]$/.test(words) ? words : `${words}.`;
}

function cureOf(status: number): string {
  if (status < 400)
    return ' Redirects are not followed: whoever runs this installation corrects RUNBOOK_MODEL_BASE_URL.';
  if (status === 401 || status === 403) return ' Whoever runs this installation corrects RUNBOOK_MODEL_API_KEY.';
  if (status === 404) return ' Whoever runs this installation corrects RUNBOOK_MODEL or RUNBOOK_MODEL_BASE_URL.';
  return '';
}

function nameOf({ provider, model }: ModelSettings): string {
  return `The model ${provider}/${model}`;
}
