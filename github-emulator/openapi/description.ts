// Checks requests, answers and webhooks against GitHub's own descriptions of its API and its webhooks.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { ApiError, unprocessable } from '../http/errors.ts';
import type { RestAnswer, RestRequest, RestRoute } from '../http/route.ts';

interface Operation {
  readonly parameters: readonly { name: string; in: string; required?: boolean; schema: object }[];
  readonly body?: Schema;
  readonly bodyRequired?: boolean;
  readonly answers: Readonly<Record<string, Schema | null>>;
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface ApiDescription {
  /** Throws GitHub's 422 for parameters and body fields that are not in GitHub's description. */
  checkRequest(route: RestRoute, request: RestRequest): void;
  /** The differences between an answer and GitHub's description. Empty: there are none. */
  findFaults(route: RestRoute, answer: RestAnswer): string[];
  /** Throws if the operation is not in GitHub's description. */
  mustDescribe(route: RestRoute): void;
}

interface ApiFile {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly schemas: Readonly<Record<string, Schema>>;
}

interface WebhookFile {
  readonly payloads: Readonly<Record<string, object>>;
  readonly schemas: Readonly<Record<string, Schema>>;
}

export interface WebhookDescription {
  findFaults(event: string, action: string | null, payload: unknown): string[];
}

/** Compiled schemas are shared by all emulators of a process, because compiling them takes longer than most tests. */
let knownApi: ApiDescription | undefined;
let knownWebhooks: WebhookDescription | undefined;

export function readApiDescription(): ApiDescription {
  knownApi ??= createApiDescription();
  return knownApi;
}

export function readWebhookDescription(): WebhookDescription {
  knownWebhooks ??= createWebhookDescription();
  return knownWebhooks;
}

function createApiDescription(): ApiDescription {
  const file = readJson('github.json') as ApiFile;
  const compile = createCompiler(file.schemas);
  const operationOf = (route: RestRoute): Operation => {
    const operation = file.operations[`${route.method} ${route.path}`];
    if (operation === undefined)
      throw new Error(
        `github.json has no operation ${route.method} ${route.path}. Add it to operations.mjs and run trim.mjs.`,
      );
    return operation;
  };
  return {
    mustDescribe: (route) => void operationOf(route),
    checkRequest: (route, request) => {
      const operation = operationOf(route);
      checkQuery(operation, request, compile);
      checkBody(operation, request, { compile, schemas: file.schemas });
    },
    findFaults: (route, answer) => {
      const { answers } = operationOf(route);
      const schema = answers[String(answer.status)];
      if (schema === undefined) return [`GitHub describes no answer ${answer.status}`];
      if (schema === null) return [];
      const body = typeof answer.body === 'string' ? (JSON.parse(answer.body) as unknown) : answer.body;
      return [...faultsOf(compile(schema), body), ...findForeign(schema, body, file.schemas)];
    },
  };
}

function createWebhookDescription(): WebhookDescription {
  const file = readJson('webhooks.json') as WebhookFile;
  const compile = createCompiler(file.schemas);
  return {
    findFaults: (event, action, payload) => {
      const name = [event, ...(action === null ? [] : [action])].join('-').replaceAll('_', '-');
      const schema = file.payloads[name];
      if (schema === undefined) return [`GitHub describes no webhook ${name}`];
      return faultsOf(compile(schema), payload);
    },
  };
}

type Compile = (schema: object) => ValidateFunction;

/** Compiles a schema when it is first needed. */
function createCompiler(schemas: Readonly<Record<string, Schema>>): Compile {
  const ajv = new Ajv({ strict: false, validateFormats: false, logger: false, coerceTypes: false });
  ajv.addSchema({ $id: 'file', schemas });
  const compiled = new WeakMap<object, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema) ?? ajv.compile(absolute(schema) as object);
    compiled.set(schema, known);
    return known;
  };
}

function absolute(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absolute);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? `file${value}` : absolute(value),
    ]),
  );
}

function faultsOf(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).slice(0, 5).map(describeError);
}

function describeError(error: ErrorObject): string {
  return `${error.instancePath === '' ? 'the answer' : error.instancePath} ${error.message ?? ''}`;
}

function checkQuery(operation: Operation, request: RestRequest, compile: Compile): void {
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'query') continue;
    const given = request.query[parameter.name];
    if (given === undefined) {
      if (parameter.required === true) throw unprocessable(`The query parameter ${parameter.name} is missing.`);
      continue;
    }
    const { type } = parameter.schema as { type?: string };
    const value =
      type === 'integer' || type === 'number' ? Number(given) : type === 'boolean' ? given === 'true' : given;
    if (!compile(parameter.schema)(value))
      throw unprocessable({ resource: 'Request', field: parameter.name, code: 'invalid', value: given });
  }
}

function checkBody(
  operation: Operation,
  request: RestRequest,
  { compile, schemas }: { readonly compile: Compile; readonly schemas: Readonly<Record<string, Schema>> },
): void {
  const { body: schema } = operation;
  // A DELETE or PUT without a body in the description may have an empty object as its body.
  if (schema === undefined) return;
  const known = namesOf(schema, schemas);
  if (known !== null) {
    const foreign = Object.keys(request.body).find((name) => !known.has(name));
    if (foreign !== undefined) throw new ApiError(422, `Invalid request.\n\n"${foreign}" is not a permitted key.`);
  }
  const validate = compile(schema);
  if (validate(request.body)) return;
  const error = validate.errors?.[0];
  const at = (error?.instancePath ?? '').slice(1);
  throw new ApiError(
    422,
    `Invalid request.\n\n${at === '' ? '' : `For '${at.replaceAll('/', '.')}', `}${describe(error)}`,
  );
}

function describe(error: ErrorObject | undefined): string {
  if (error?.keyword === 'required') return `"${String(error.params['missingProperty'])}" wasn't supplied.`;
  return `the value ${error?.message ?? 'is not valid'}.`;
}

/** Fields that only Enterprise Server has. */
const serverFields = new Set(['installed_version']);

/**
 * Finds fields of an answer, or of the first row of a list, that are not in GitHub's description. A client could come
 * to depend on such fields.
 */
function findForeign(schema: Schema, value: unknown, schemas: Readonly<Record<string, Schema>>): string[] {
  if (Array.isArray(value)) {
    const { items } = resolveSchema(schema, schemas) as { items?: Schema };
    return items === undefined || value.length === 0 ? [] : findForeign(items, value[0], schemas);
  }
  if (typeof value !== 'object' || value === null) return [];
  const known = namesOf(schema, schemas, true);
  if (known === null) return [];
  return Object.keys(value)
    .filter((name) => !known.has(name) && !serverFields.has(name))
    .map((name) => `GitHub describes no field ${name}`);
}

function resolveSchema(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  return schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
}

/**
 * The fields of a body or an answer in the description. Null: the description has no fields, or allows any field in a
 * body.
 */
function namesOf(schema: Schema, schemas: Readonly<Record<string, Schema>>, isAnswer = false): Set<string> | null {
  if (schema.$ref !== undefined) return namesOf(resolveSchema(schema, schemas), schemas, isAnswer);
  if (!isAnswer && schema.additionalProperties === true) return null;
  const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  const names = new Set(Object.keys(schema.properties ?? {}));
  for (const part of parts) for (const name of namesOf(part, schemas, isAnswer) ?? []) names.add(name);
  return names.size === 0 ? null : names;
}

/**
 * Reads a file of the sources. The built program reads the file in the sources too, because the compiler does not copy
 * JSON files.
 */
function readJson(name: string): unknown {
  const built = fileURLToPath(new URL(`./${name}`, import.meta.url));
  const path = existsSync(built) ? built : built.replace('/dist/github-emulator/', '/github-emulator/');
  return JSON.parse(readFileSync(path, 'utf8'));
}
