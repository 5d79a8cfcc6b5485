// Translates a failure of a call to a model's provider into an error whose message says what to do, and never contains
// the API key. The error is AgentRefused if a retry cannot help.
import { APICallError, NoOutputGeneratedError, RetryError, StreamProviderError } from 'ai';
import { maskSecrets } from '../../providers/mask.ts';
import { AgentBusy, AgentRefused } from '../port.ts';
import type { ModelSettings } from './settings.ts';

const maxCharacters = 500;
const passing = [408, 409, 425, 429];

/**
 * Returns AgentRefused (a retry cannot help), AgentBusy (a retry may help after a wait), or another error (a retry may
 * help).
 */
export function failureOf(thrown: unknown, settings: ModelSettings): Error {
  const error = innermost(thrown);
  if (error instanceof Error && error.name === 'TimeoutError')
    return new Error(
      `${nameOf(settings)} stopped answering. Retry the step when the model answers again, or name another model.`,
    );
  const status = statusOf(error);
  const providerMessage = messageOf(error, settings);
  const code = codeOf(error);
  if (status === null && !isOfTheRequest(code, providerMessage))
    return StreamProviderError.isInstance(error)
      ? new Error(`${nameOf(settings)} broke off: ${providerMessage} Retry the step when the model works again.`)
      : new Error(`${nameOf(settings)} could not be reached: ${providerMessage}${unreached}`);
  const message = `${nameOf(settings)} ${status === null ? 'answered' : `answered ${status}`}: ${providerMessage}${cureOf(status ?? 400, code, providerMessage)}`;
  if (status === null || isFinal(status, code, providerMessage)) return new AgentRefused(message);
  const waitMs = waitOf(error);
  return waitMs === null ? new Error(message) : new AgentBusy(message, waitMs);
}

const unreached =
  ' Interlock tries again. The operator of this installation should check that RUNBOOK_MODEL_BASE_URL is right and can be reached.';

function isFinal(status: number, code: string, providerMessage: string): boolean {
  if (isUnpaid(status, code, providerMessage)) return true;
  return status < 500 && !passing.includes(status);
}

// Providers have no common error code for these failures, and many describe them only in prose.
function isTooLong(code: string, providerMessage: string): boolean {
  return (
    /context_length|string_above_max_length/.test(code) ||
    /context (length|window|size)|prompt is too long|too many tokens/i.test(providerMessage)
  );
}

function isWithheld(code: string, providerMessage: string): boolean {
  return (
    /content_(filter|policy)|ResponsibleAI/i.test(code) ||
    /content (management |usage )?(policy|filter)/i.test(providerMessage)
  );
}

function isUnpaid(status: number, code: string, providerMessage: string): boolean {
  return (
    status === 402 ||
    code === 'insufficient_quota' ||
    /insufficient_quota|credit balance is too low/i.test(providerMessage)
  );
}

/** The error is about the request itself, so sending it again would not help. */
function isOfTheRequest(code: string, providerMessage: string): boolean {
  return isTooLong(code, providerMessage) || isWithheld(code, providerMessage) || isUnpaid(0, code, providerMessage);
}

const longestWaitMs = 60 * 60 * 1000;

/**
 * Milliseconds to wait, from the header `Retry-After`, which has seconds or an instant. Null: the header is missing or
 * invalid.
 */
function waitOf(error: unknown): number | null {
  const given = APICallError.isInstance(error) ? (error.responseHeaders?.['retry-after'] ?? '') : '';
  if (given === '') return null;
  const ms = /^\d+(\.\d+)?$/.test(given.trim()) ? Number(given) * 1000 : Date.parse(given) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), longestWaitMs);
}

/** Whether the answer broke off after its start, so that the next request may return all of it. */
export function isBrokenAnswer(thrown: unknown): boolean {
  const error = innermost(thrown);
  if (APICallError.isInstance(error)) return error.statusCode === undefined || error.statusCode < 300;
  // An error in the middle of an answer. Some providers do not say whether a retry may help.
  if (StreamProviderError.isInstance(error))
    return error.isRetryable || (statusOf(error) === null && !isOfTheRequest(codeOf(error), error.message));
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

function messageOf(error: unknown, { apiKey }: ModelSettings): string {
  const providerMessage = error instanceof Error ? error.message : String(error);
  const message = maskSecrets(apiKey, providerMessage.trim()).slice(0, maxCharacters).replaceAll('\0', '\u{FFFD}');
  return message === '' ? 'no reason is known.' : /[.!?]$/.test(message) ? message : `${message}.`;
}

/** The provider's error code. Empty: the error has none. */
function codeOf(error: unknown): string {
  const data: unknown = APICallError.isInstance(error) ? error.data : error;
  const { error: inner } = (data ?? {}) as { readonly error?: { readonly code?: unknown; readonly type?: unknown } };
  const code = inner?.code ?? inner?.type ?? '';
  return typeof code === 'string' ? code : '';
}

function cureOf(status: number, code: string, providerMessage: string): string {
  if (isTooLong(code, providerMessage))
    return ' Ask for less in one step, or let the operator of this installation set RUNBOOK_MODEL_CONTEXT_TOKENS to what the model accepts.';
  if (isWithheld(code, providerMessage)) return ' Put the prompt into other words.';
  if (isUnpaid(status, code, providerMessage))
    return ' The operator of this installation must pay the provider, or name another model.';
  if (status < 400)
    return ' Redirects are not followed: the operator of this installation must correct RUNBOOK_MODEL_BASE_URL.';
  if (status === 401 || status === 403) return ' The operator of this installation must correct RUNBOOK_MODEL_API_KEY.';
  if (status === 404) return ' The operator of this installation must correct RUNBOOK_MODEL or RUNBOOK_MODEL_BASE_URL.';
  if (status === 429)
    return ' The provider accepts no more requests for now: retry the step later, or let the operator of this installation ask the provider for a higher limit.';
  if (status >= 500) return ' Retry the step when the model works again.';
  return '';
}

function nameOf({ provider, model }: ModelSettings): string {
  return `The model ${provider}/${model}`;
}
