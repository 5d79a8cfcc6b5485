// Checks the expectations about an answer, and captures values from the answer.
import { RE2JS } from 're2js';
import { boundedMatcher } from '../configuration/regex.ts';
import type { Capture, Expectation, TextTest } from './skill.ts';

export interface Answer {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly body: string;
  /** Removes secrets from quoted text, before the text is cut: half of a secret would not be recognised. */
  readonly hide: (text: string) => string;
}

const longestQuote = 300;
const longestPattern = 1_000;

/** A text about what was seen instead. Null: the expectation holds. */
export function violationOf(expectation: Expectation, answer: Answer): string | null {
  switch (expectation.of) {
    case 'status': {
      const { least, most } = expectation;
      if (answer.status >= least && answer.status <= most) return null;
      return `The status was ${answer.status}. ${quoted('The body begins', answer.body, answer)}`;
    }
    case 'header': {
      const value = answer.header(expectation.name);
      if (value !== null) return holds(expectation.test, value) ? null : quoted(`The header was`, value, answer);
      return expectation.test.kind === 'lacks' ? null : `There was no header ${expectation.name}.`;
    }
    case 'body':
      return holds(expectation.test, answer.body) ? null : quoted('The body begins', answer.body, answer);
    case 'json':
      return jsonViolation(expectation, answer);
    default:
      return expectation satisfies never;
  }
}

function jsonViolation({ pointer, test }: Extract<Expectation, { of: 'json' }>, answer: Answer): string | null {
  const found = readPointer(answer.body, pointer);
  if ('fault' in found) return `${found.fault} ${quoted('The body begins', answer.body, answer)}`;
  const isHeld = test.kind === 'equals' ? isSameJson(found.value, test.value) : holds(test, textOfJson(found.value));
  if (isHeld) return null;
  const hidden = (_: string, value: unknown): unknown => (typeof value === 'string' ? answer.hide(value) : value);
  return quoted('It was', JSON.stringify(found.value, hidden), answer);
}

/** On failure, a text that says why nothing was captured. */
export function captureFrom(
  { from }: Capture,
  answer: Answer,
): { readonly value: string } | { readonly fault: string } {
  switch (from.of) {
    case 'json': {
      const found = readPointer(answer.body, from.pointer);
      return 'fault' in found ? found : { value: textOfJson(found.value) };
    }
    case 'header': {
      const value = answer.header(from.name);
      return value === null ? { fault: `There was no header ${from.name}.` } : { value };
    }
    case 'body': {
      const matcher = matcherOf(from.pattern, answer.body);
      if (!matcher.find()) return { fault: quoted('Nothing in the body matches. It begins', answer.body, answer) };
      return { value: (matcher.groupCount() > 0 ? matcher.group(1) : matcher.group()) ?? '' };
    }
    default:
      return from satisfies never;
  }
}

function holds({ kind, text }: TextTest, value: string): boolean {
  switch (kind) {
    case 'is':
      return value === text;
    case 'contains':
      return value.includes(text);
    case 'lacks':
      return !value.includes(text);
    case 'matches':
      return matcherOf(text, value).find();
  }
}

/** Limits the text that is searched, because apps and expressions are not trusted. */
function matcherOf(pattern: string, text: string): ReturnType<RE2JS['matcher']> {
  if (pattern.length > longestPattern) throw new Error(`An expression has at most ${longestPattern} characters.`);
  return boundedMatcher(RE2JS.compile(pattern), text);
}

/** RFC 6901. */
function readPointer(body: string, pointer: string): { readonly value: unknown } | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { fault: 'The body is not JSON.' };
  }
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
      return { fault: `The JSON has nothing at ${pointer}.` };
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return { value };
}

/** The order of an object's keys does not count. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [Object.entries(a), new Map(Object.entries(b))];
  return one.length === other.size && one.every(([key, value]) => other.has(key) && isSameJson(value, other.get(key)));
}

function textOfJson(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function quoted(what: string, text: string, { hide }: Answer): string {
  const clean = hide(text);
  const quote = clean.slice(0, longestQuote);
  return quote === '' ? `${what}: nothing.` : `${what}: ${quote}${clean.length > longestQuote ? '…' : ''}`;
}
