// Turns the result of a GraphQL operation into a REST answer.
import { type ExecutionResult, type GraphQLError, type GraphQLSchema, isEnumType } from 'graphql';
import { type ErrorCode, errorCodes } from '../src/domain/errors.ts';
import type { Operation } from './compile.ts';
import { sentenceCase } from './names.ts';
import { type FieldShape, type Shape, type Step, stepOf } from './shape.ts';
import { isObject } from './values.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answerer = (result: ExecutionResult) => Answer;

/** A refusal with a code of the API. A refusal with the code INTERNAL is answered without its message. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterSec: number | undefined;
}

export class RefusedError extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal, cause?: unknown) {
    super(refusal.message, { cause });
    this.refusal = refusal;
  }
}

type Write = (value: unknown) => unknown;

/**
 * Makes the function that writes an operation's answers. Everything that does not depend on a request is computed here,
 * once.
 */
export function answererOf(operation: Operation): Answerer {
  const { result, produces, schema, headers } = operation;
  const write = writerOf(result.shape);
  const headerWriters = headers.map(({ name, path, shape }) => ({ name, path, write: writerOf(shape) }));
  const type = produces ?? 'application/json';
  const branchStatuses = new Map(
    result.shape.kind === 'Choice' ? result.shape.branches.map(({ typeName, status }) => [typeName, status]) : [],
  );
  const rootSteps = operation.root.fields.map(stepOf);

  return ({ data, errors }) => {
    if (errors?.[0]) throw toRefusedError(errors[0]);
    if (!data) throw new RefusedError({ code: 'INTERNAL', message: 'No data', retryAfterSec: undefined });
    // The whole selection is the body, so each root field must be present.
    if (result.steps.length === 0) for (const step of rootSteps) follow(data, [step], schema);
    const value = follow(data, result.steps, schema);
    const branch = isObject(value) ? branchStatuses.get(String(value['__typename'])) : undefined;
    const sent: Record<string, string> = { 'content-type': `${type}; charset=utf-8` };
    for (const header of headerWriters) {
      const written = header.write(reach(data, header.path));
      if (written !== null) sent[header.name.toLowerCase()] = `${written as string | number | boolean}`;
    }
    const body = write(value);
    return { status: branch ?? operation.status, headers: sent, body: produces ? String(body) : JSON.stringify(body) };
  };
}

function follow(data: unknown, steps: readonly Step[], schema: GraphQLSchema): unknown {
  let value = data;
  for (const { source, absentType } of steps) {
    value = (value as Record<string, unknown>)[source];
    if (value === null || value === undefined) {
      throw new RefusedError({
        code: 'NOT_FOUND',
        message: notFoundText(schema, absentType),
        retryAfterSec: undefined,
      });
    }
  }
  return value;
}

function reach(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : null), data);
}

export function notFoundText(schema: GraphQLSchema, typeName: string): string {
  const text = schema.getType(typeName)?.extensions['notFound'];
  return typeof text === 'string' ? text : `${sentenceCase(typeName)} not found`;
}

function writerOf(shape: Shape): Write {
  const write = writerOfPresent(shape);
  return (value) => (value === null || value === undefined ? null : write(value));
}

function writerOfPresent(shape: Shape): Write {
  switch (shape.kind) {
    case 'Leaf':
      return isEnumType(shape.type) ? (value) => String(value).toLowerCase() : (value) => value;
    case 'List': {
      const write = writerOf(shape.of);
      return (value) => (value as readonly unknown[]).map(write);
    }
    case 'Lifted': {
      const write = writerOf(shape.child.shape);
      return (value) => write((value as Record<string, unknown>)[shape.child.source]);
    }
    case 'Object':
      return objectWriter(shape.fields);
    case 'Choice': {
      const writers = new Map(shape.branches.map((branch) => [branch.typeName, writerOf(branch.shape)]));
      return (value) => writers.get(String((value as Record<string, unknown>)['__typename']))?.(value);
    }
  }
}

function objectWriter(fields: readonly FieldShape[]): Write {
  const writers = fields
    .filter(({ header }) => header === undefined)
    .map(({ key, source, omitNull, shape }) => ({ key, source, omitNull, write: writerOf(shape) }));
  return (value) => {
    const written: Record<string, unknown> = {};
    for (const { key, source, omitNull, write } of writers) {
      const child = write((value as Record<string, unknown>)[source]);
      if (child !== null || !omitNull) written[key] = child;
    }
    return written;
  };
}

/**
 * Turns an error into a refusal, by its code. The error may have been thrown before the execution, or may be in
 * GraphQL's result.
 */
export function toRefusedError(error: unknown): RefusedError {
  const { extensions, originalError, message, code, retryAfterSec } = error as Partial<GraphQLError> & {
    readonly code?: unknown;
    readonly retryAfterSec?: unknown;
  };
  const original = originalError as { readonly code?: unknown; readonly retryAfterSec?: unknown } | undefined;
  const given = [extensions?.['code'], original?.code, code].find(isErrorCode) ?? 'INTERNAL';
  const seconds = [extensions?.['retryAfterSec'], original?.retryAfterSec, retryAfterSec].find(
    (each) => typeof each === 'number',
  );
  return new RefusedError({ code: given, message: message ?? '', retryAfterSec: seconds }, error);
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code);
}
