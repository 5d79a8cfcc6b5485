// Checks a REST value against a GraphQL input type, and returns the value of the variable.
import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { alternatives, snakeCase } from './names.ts';

/** An error about a value that its field does not accept. The message is sent to the caller. */
export class WrongValue extends Error {}

/** How a value was sent. Paths and queries contain only text, also for numbers and booleans. JSON has types. */
export type Form = 'text' | 'json';

/** The source of a value: its name for messages, and how it was sent. */
export interface ValueSource {
  readonly field: string;
  readonly form: Form;
}

export function readValue(type: GraphQLInputType, value: unknown, from: ValueSource): unknown {
  const { field, form } = from;
  if (isNonNullType(type)) {
    if (value === null) throw new WrongValue(`${field} must not be null`);
    return readValue(type.ofType, value, from);
  }
  if (value === null) return null;
  if (isListType(type)) {
    const list = form === 'text' && typeof value === 'string' ? [value] : value;
    if (!Array.isArray(list)) throw new WrongValue(`${field} must be a list`);
    return list.map((each, at) => readValue(type.ofType, each, { field: `${field}.${at}`, form }));
  }
  if (isInputObjectType(type)) return readObject(type, value, field);
  if (form === 'text' && typeof value !== 'string') throw new WrongValue(`${field} must be given once`);
  return isEnumType(type) ? readEnum(type, value, field) : readScalar(type, value, from);
}

function readObject(type: GraphQLInputObjectType, value: unknown, field: string): Record<string, unknown> {
  if (!isObject(value)) throw new WrongValue(`${field} must be an object`);
  const read: Record<string, unknown> = {};
  for (const { name, type: of, defaultValue } of Object.values(type.getFields())) {
    const key = snakeCase(name);
    if (Object.hasOwn(value, key)) read[name] = readValue(of, value[key], { field: `${field}.${key}`, form: 'json' });
    else if (isNonNullType(of) && defaultValue === undefined) throw new WrongValue(`${field}.${key} is required`);
  }
  return read;
}

function readEnum(type: GraphQLEnumType, value: unknown, field: string): string {
  const found = type.getValues().find(({ name }) => name.toLowerCase() === value);
  if (!found) throw new WrongValue(`${field} must be one of ${alternatives(enumNames(type))}`);
  return found.name;
}

export function enumNames(type: GraphQLEnumType): string[] {
  return type.getValues().map(({ name }) => name.toLowerCase());
}

function readScalar(type: GraphQLScalarType, value: unknown, from: ValueSource): unknown {
  const { field } = from;
  if (typeof value === 'string' && !isText(value))
    throw new WrongValue(`${field} must be Unicode text without the character U+0000`);
  switch (type.name) {
    case 'Boolean':
      return readBoolean(value, from);
    case 'Int':
      return readInteger(value, from);
    case 'Float':
      return readNumber(value, from);
    case 'String':
      if (typeof value !== 'string') throw new WrongValue(`${field} must be a string`);
      return value;
    case 'ID':
      if (typeof value !== 'string' && !Number.isInteger(value)) throw new WrongValue(`${field} must be a string`);
      return value;
    default:
      return readCustom(type, value, from);
  }
}

function readBoolean(value: unknown, { field, form }: ValueSource): boolean {
  const read = form === 'text' ? ({ true: true, false: false } as Record<string, boolean>)[String(value)] : value;
  if (typeof read !== 'boolean') throw new WrongValue(`${field} must be a boolean`);
  return read;
}

function readNumber(value: unknown, { field, form }: ValueSource): number {
  const read = form === 'text' && String(value).trim() !== '' ? Number(value) : value;
  if (typeof read !== 'number' || !Number.isFinite(read)) throw new WrongValue(`${field} must be a number`);
  return read;
}

/** Whether a text is an integer in the only way in which JSON writes this integer. */
function isCanonical(text: string): boolean {
  return /^(?:0|-?[1-9]\d*)$/.test(text);
}

export const greatestInteger = 2 ** 31 - 1;

function readInteger(value: unknown, { field, form }: ValueSource): number {
  const isNumeric = form === 'text' && /^-?\d+$/.test(String(value));
  if (isNumeric && !isCanonical(String(value)))
    throw new WrongValue(`${field} must be an integer without leading zeros`);
  const read = isNumeric ? Number(value) : value;
  if (!Number.isInteger(read)) throw new WrongValue(`${field} must be an integer`);
  if ((read as number) > greatestInteger) throw new WrongValue(`${field} must be at most ${greatestInteger}`);
  if ((read as number) < -greatestInteger) throw new WrongValue(`${field} must be at least ${-greatestInteger}`);
  return read as number;
}

function readCustom(type: GraphQLScalarType, value: unknown, { field, form }: ValueSource): unknown {
  // In a query all values are texts, which a scalar of numbers would refuse. So the number is tried too.
  const text = String(value);
  const numeric = form === 'text' && text.length <= 16 && isCanonical(text) ? [Number(text)] : [];
  let failure: unknown;
  for (const candidate of [value, ...numeric]) {
    try {
      type.parseValue(candidate);
      return candidate;
    } catch (error) {
      failure = error;
    }
  }
  throw new WrongValue(sentenceOf(type, failure, field));
}

// Makes the sentence about a wrong value of a scalar. If the contract defines a text, the text is in the scalar's
// `extensions.invalid`. Otherwise the scalar's own message is used, with the name of the field in place of the name of
// the scalar.
function sentenceOf(type: GraphQLScalarType, failure: unknown, field: string): string {
  const { invalid } = type.extensions;
  if (typeof invalid === 'string') return invalid;
  const message = failure instanceof Error ? failure.message : String(failure);
  if (message.startsWith(`${type.name} `)) return `${field} ${message.slice(type.name.length + 1)}`;
  if (message.startsWith(field)) return message;
  return /^[a-z]/.test(message) ? `${field} ${message}` : `${field}: ${message}`;
}

// JSON can contain lone surrogates, which cannot be encoded, and U+0000, which PostgreSQL does not accept.
function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
