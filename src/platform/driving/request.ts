// Sends one request of a skill, and checks the expectations about its answer.
import { setImmediate } from 'node:timers/promises';
import { captureFrom, violationOf, type Answer } from '../../domain/previews/expect.ts';
import type { Expectation, RequestStep } from '../../domain/previews/skill.ts';
import { withValues, type Values } from '../../domain/previews/values.ts';
import { headerText, type AppClient } from './app-client.ts';
import { redactorOf } from './redact.ts';
import type { DrivenStep } from './port.ts';

interface RequestDrive {
  readonly client: AppClient;
  readonly values: Values;
  /** Receives the captured values, by name. */
  readonly captured: Map<string, string>;
  readonly signal: AbortSignal;
}

const belowFourHundred = { of: 'status', least: 100, most: 399, line: 0, text: 'expect status below 400' } as const;

export async function driveRequest(
  step: RequestStep,
  { client, values, captured, signal }: RequestDrive,
): Promise<Pick<DrivenStep, 'conclusion' | 'detail'>> {
  const response = await client.send({
    method: step.method,
    path: encodedPath(withValues(step.path, values)),
    headers: headersOf(step, values),
    body: Buffer.from(step.body === null ? '' : withValues(step.body, values)),
    signal,
  });
  if (response.status === null) return { conclusion: 'failed', detail: response.error };
  const answer: Answer = {
    status: response.status,
    header: (name) => headerText(response.headers, name),
    body: response.body.toString('utf8'),
    hide: redactorOf(values.secrets),
  };
  const expectations = step.expectations.length === 0 ? [belowFourHundred] : step.expectations;
  for (const written of expectations) {
    // Checking thousands of expectations against an answer of megabytes takes long, so other work gets its turn in
    // between.
    await setImmediate();
    signal.throwIfAborted();
    const violation = violationOf(filled(written, values), answer);
    if (violation !== null) return { conclusion: 'failed', detail: `${written.text}: ${violation}` };
  }
  for (const capture of step.captures) {
    await setImmediate();
    signal.throwIfAborted();
    const kept = captureFrom(capture, answer);
    if ('fault' in kept) return { conclusion: 'failed', detail: `${capture.text}: ${kept.fault}` };
    captured.set(capture.name, kept.value);
  }
  return { conclusion: 'passed', detail: `The status was ${answer.status}.` };
}

function headersOf({ headers, body }: RequestStep, values: Values): Record<string, string> {
  const written = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), withValues(value, values)]));
  const type: Record<string, string> =
    body === null ? {} : { 'content-type': isJson(body) ? 'application/json' : 'text/plain; charset=utf-8' };
  return { 'user-agent': 'Interlock', accept: '*/*', ...type, ...written };
}

function isJson(body: string): boolean {
  return /^\s*[[{]/.test(body);
}

/**
 * Puts values into the texts that answers are compared with. Regular expressions and other JSON values stay as they are
 * written.
 */
function filled(expectation: Expectation, values: Values): Expectation {
  if (expectation.of === 'status' || expectation.test.kind === 'matches') return expectation;
  const { test } = expectation;
  const filledTest =
    test.kind === 'equals'
      ? { ...test, value: typeof test.value === 'string' ? withValues(test.value, values) : test.value }
      : { ...test, text: withValues(test.text, values) };
  return { ...expectation, test: filledTest } as Expectation;
}

/**
 * Encodes a path for a request. Percent-encoded characters are not encoded again. Two slashes at the beginning do not
 * name another host.
 */
function encodedPath(path: string): string {
  const { pathname, search } = new URL(`http://app${path}`);
  return `${pathname}${search}`;
}
