// Compares values with the notation of the contract, and lists the names in a notation.
import type { Notation } from './contract.ts';

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  sha: (value) => matches(value, /^[0-9a-f]{40}$/),
  uri: (value) => matches(value, /^https?:\/\/\S+$/),
  date: (value) => matches(value, /^\d{4}-\d\d-\d\d$/),
  'date-time': (value) => matches(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
};

function matches(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}

/** A sentence for each place where the value does not fit the notation. An unknown key does not fit. */
export function problemsWith(notation: Notation, value: unknown, place = 'it'): string[] {
  if (typeof notation === 'string')
    return isOf(notation, value) ? [] : [`${place} is no ${notation}: ${JSON.stringify(value)}`];
  if (isList(notation)) {
    if (!Array.isArray(value)) return [`${place} is no list`];
    return value.flatMap((each, at) => problemsWith(notation[0], each, `${place}[${at}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${place} is no object`];
  const given = value as Readonly<Record<string, unknown>>;
  const known = Object.entries(notation).map(([key, each]) => ({
    key: withoutMark(key),
    isNeeded: !key.endsWith('?'),
    each,
  }));
  const named = new Set(known.map(({ key }) => key));
  return [
    ...Object.keys(given).flatMap((key) => (named.has(key) ? [] : [`${place}.${key} is not documented`])),
    ...known.flatMap(({ key, isNeeded, each }) => {
      if (!Object.hasOwn(given, key)) return isNeeded ? [`${place}.${key} is missing`] : [];
      return problemsWith(each, given[key], `${place}.${key}`);
    }),
  ];
}

function isOf(notation: string, value: unknown): boolean {
  const [, choices] = /^one of (.*?)(?: or null)?$/.exec(notation) ?? [];
  if (value === null) return / or null$|^null$/.test(notation);
  if (choices !== undefined) return choices.split(' ').includes(`${value as string | number}`);
  return notation.split(' or ').some((kind) => {
    const is = kinds[kind];
    if (!is) throw new Error(`Nothing is written as ${kind}`);
    return is(value);
  });
}

/**
 * Returns the names in a notation: the paths of its keys from each level (`repository.org` and `org`), and the values
 * that it lists.
 */
export function namesIn(notation: Notation): string[] {
  if (typeof notation === 'string') return /^one of (.*?)(?: or null)?$/.exec(notation)?.[1]?.split(' ') ?? [];
  if (isList(notation)) return namesIn(notation[0]);
  return Object.entries(notation).flatMap(([key, each]) => {
    const name = withoutMark(key);
    const inner = namesIn(each);
    return [name, ...inner, ...inner.map((below) => `${name}.${below}`)];
  });
}

function withoutMark(key: string): string {
  return key.replace(/\?$/, '');
}

function isList(notation: Notation): notation is readonly [Notation] {
  return Array.isArray(notation);
}
