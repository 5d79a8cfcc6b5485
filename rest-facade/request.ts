// Turns a request into the variables of an operation. Throws BadRequest with one sentence if the request is wrong.
import type { Input, Place } from './inputs.ts';
import type { Operation } from './compile.ts';
import { alternatives } from './names.ts';
import { type Form, WrongValue, isObject, readValue } from './values.ts';

export interface SentRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /**
   * A text if the operation consumes text, otherwise parsed JSON. Undefined: there is no body, or the operation does
   * not read the body.
   */
  readonly body: unknown;
}

/** An error about wrong input. The answer is a 400 with the message of this error. */
export class BadRequest extends Error {}

export interface Reading {
  readonly operation: Operation;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Whether the query of the operation may contain an object. A JSON body can replace such an object. */
export function takesQueryObject(operation: Operation): boolean {
  return operation.inputs.some(({ place }) => place.in === 'query' && place.path.length > 1);
}

interface Problem {
  readonly depth: number;
  readonly missing: boolean;
  readonly text: string;
}

type Found =
  | { readonly kind: 'Sent'; readonly value: unknown; readonly form: Form }
  | { readonly kind: 'Unsent'; readonly missing: string }
  | { readonly kind: 'NotAnObject'; readonly field: string };

/** Reads a request. `group` has all operations of one method and path. */
export function readRequest(group: readonly Operation[], sent: SentRequest): Reading {
  const operation = chooseOperation(group, sent);
  const queryObjects = readQueryObjects(operation, sent);
  const problems: Problem[] = [];
  const variables: Record<string, unknown> = {};
  for (const input of operation.inputs) {
    const found = queryObjects.get(input) ?? find(input.place, sent);
    readInput(input, found, { variables, problems });
  }
  problems.push(...checkSiblings(operation, group, sent));
  // Only the first problem is reported. Problems of outer fields come before those of nested fields, and missing inputs
  // before wrong inputs. The sort is stable, so that otherwise the order of declaration applies.
  const [first] = problems.sort((a, b) => a.depth - b.depth || Number(b.missing) - Number(a.missing));
  if (first) throw new BadRequest(first.text);
  for (const need of operation.needs) checkNeed(need.atLeast, need.inputs, variables);
  return { operation, variables };
}

function chooseOperation(group: readonly Operation[], { body }: SentRequest): Operation {
  const [first] = group as readonly [Operation, ...Operation[]];
  if (!first.consumes && body !== undefined && !isObject(body)) throw new BadRequest('The body must be a JSON object');
  if (!first.when) return first;
  const { field } = first.when;
  const given = isObject(body) && Object.hasOwn(body, field) ? body[field] : undefined;
  if (given === undefined || given === null) throw new BadRequest(`${field} is required`);
  if (typeof given !== 'string') throw new BadRequest(`${field} must be a string`);
  const chosen = group.find(({ when }) => when?.value === given);
  if (!chosen)
    throw new BadRequest(`${field} must be one of ${alternatives(group.map(({ when }) => when?.value ?? ''))}`);
  return chosen;
}

interface Read {
  readonly variables: Record<string, unknown>;
  readonly problems: Problem[];
}

/** Adds the value of an input to the variables, or a problem to the problems. */
function readInput(input: Input, found: Found, { variables, problems }: Read): void {
  if (found.kind === 'NotAnObject') {
    problems.push({ depth: depthOf(found.field), missing: false, text: `${found.field} must be an object` });
  } else if (found.kind === 'Unsent' || (found.value === null && input.required)) {
    const name = found.kind === 'Unsent' ? found.missing : input.field;
    if (input.required) problems.push({ depth: depthOf(name), missing: true, text: `${name} is required` });
  } else {
    const problem = tryRead(input, found);
    if (problem instanceof WrongValue) {
      problems.push({ depth: depthOf(input.field), missing: false, text: problem.message });
    } else variables[input.variable] = problem;
  }
}

function tryRead(input: Input, found: Extract<Found, { kind: 'Sent' }>): unknown {
  try {
    return readValue(input.type, found.value, { field: input.field, form: found.form });
  } catch (error) {
    if (error instanceof WrongValue) return error;
    throw error;
  }
}

function depthOf(field: string): number {
  return field.split('.').length;
}

function find(place: Place, { params, query, body }: SentRequest): Found {
  switch (place.in) {
    case 'path':
      return { kind: 'Sent', value: params[place.name], form: 'text' };
    case 'query': {
      const name = [place.path.join('.'), ...place.or].find((each) => query[each] !== undefined);
      if (name !== undefined) return { kind: 'Sent', value: query[name], form: 'text' };
      return isObject(body) ? findInBody(place.path, body) : { kind: 'Unsent', missing: place.path.join('.') };
    }
    case 'body':
      return place.path.length === 0 ? { kind: 'Sent', value: body ?? '', form: 'json' } : findInBody(place.path, body);
  }
}

function findInBody(path: readonly string[], body: unknown): Found {
  let value: unknown = body ?? {};
  for (const [depth, key] of path.entries()) {
    // If an object is null, all its fields count as not sent.
    if (value === null || value === undefined) return { kind: 'Unsent', missing: path.slice(0, depth).join('.') };
    if (!isObject(value)) return { kind: 'NotAnObject', field: path.slice(0, depth).join('.') };
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value === undefined ? { kind: 'Unsent', missing: path.join('.') } : { kind: 'Sent', value, form: 'json' };
}

// Operations of the same path share one documented body. A field of another operation is ignored, but its type must be
// right. If the field is marked `only`, the value true is refused.
function checkSiblings(operation: Operation, group: readonly Operation[], sent: SentRequest): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set(operation.inputs.map(({ field }) => field));
  for (const sibling of group) {
    for (const input of sibling.inputs) {
      if (input.place.in !== 'body' || seen.has(input.field)) continue;
      seen.add(input.field);
      const found = find(input.place, sent);
      if (found.kind !== 'Sent' || found.value === null) continue;
      const value = tryRead(input, found);
      const wrong =
        value instanceof WrongValue
          ? value.message
          : input.only && value === true && sibling.when
            ? `${input.field} is only valid with the ${sibling.when.field} ${sibling.when.value}`
            : undefined;
      if (wrong) problems.push({ depth: depthOf(input.field), missing: false, text: wrong });
    }
  }
  return problems;
}

function checkNeed(atLeast: boolean, inputs: readonly Input[], variables: Readonly<Record<string, unknown>>): void {
  const given = inputs.filter(({ variable }) => variables[variable] !== undefined && variables[variable] !== null);
  const names = alternatives(inputs.map(({ field }) => field));
  if (given.length === 0) throw new BadRequest(`${names} is required`);
  if (given.length > 1 && !atLeast) throw new BadRequest(`Only one of ${names} may be given`);
}

// An object in a query can be written in four ways, which are never mixed. The first way that gives all required fields
// is used. If there is none, the error is about the first way that gives a field.
function readQueryObjects(operation: Operation, sent: SentRequest): Map<Input, Found> {
  const found = new Map<Input, Found>();
  const objects = new Map<string, Input[]>();
  for (const input of operation.inputs) {
    if (input.place.in !== 'query' || input.place.path.length < 2) continue;
    const name = input.place.path[0] as string;
    objects.set(name, [...(objects.get(name) ?? []), input]);
  }
  for (const [name, inputs] of objects) {
    const spellings = [spelledApart, spelledInBrackets, spelledAsJson, spelledInBody].map((spell) =>
      spell(name, inputs, sent),
    );
    const isSent = (each: Found | undefined): boolean => each !== undefined && each.kind !== 'Unsent';
    const complete = spellings.find((spelling) => inputs.every((input, at) => !input.required || isSent(spelling[at])));
    const started = spellings.find((spelling) => spelling.some(isSent));
    const chosen = complete ?? started ?? inputs.map((): Found => ({ kind: 'Unsent', missing: name }));
    for (const [at, input] of inputs.entries()) found.set(input, chosen[at] as Found);
  }
  return found;
}

type Spell = (name: string, inputs: readonly Input[], sent: SentRequest) => readonly Found[];

const spelledApart: Spell = (_name, inputs, { query }) =>
  inputs.map(({ place }) => {
    const names = place.in === 'query' ? place.or : [];
    const name = names.find((each) => query[each] !== undefined);
    return name === undefined
      ? { kind: 'Unsent', missing: names[0] ?? '' }
      : { kind: 'Sent', value: query[name], form: 'text' };
  });

const spelledInBrackets: Spell = (name, inputs, { query }) =>
  inputs.map(({ place, field }) => {
    const value = place.in === 'query' ? query[`${name}[${place.path[1]}]`] : undefined;
    return value === undefined ? { kind: 'Unsent', missing: field } : { kind: 'Sent', value, form: 'text' };
  });

const spelledAsJson: Spell = (name, inputs, { query }) => {
  const text = query[name];
  if (typeof text !== 'string') return inputs.map(({ field }) => ({ kind: 'Unsent', missing: field }));
  return inputs.map(({ place }) => findInBody(place.in === 'query' ? place.path : [], { [name]: parseJson(text) }));
};

const spelledInBody: Spell = (_name, inputs, { body }) =>
  inputs.map(({ place }) => findInBody(place.in === 'query' ? place.path : [], isObject(body) ? body : {}));

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
