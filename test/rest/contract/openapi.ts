// Reads schema/openapi.yaml, and follows its references.
import { readFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { type ValidateFunction, Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { openApiFile } from '../../../rest-facade/generate.ts';
import type { Notation } from './contract.ts';
import type { RawAnswer } from './request.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface OpenApiOperation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Json;
  }[];
  readonly body: Json | undefined;
  /** The schema by content type, for each status. */
  readonly answers: Readonly<Record<string, Json | undefined>>;
  /** Headers of answers, by status and by name in lower case. True: every answer with the status has the header. */
  readonly headers: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly examples: readonly { readonly schema: Json; readonly value: unknown }[];
}

// Headers that HTTP needs to carry any answer.
const framing = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding']);

export class OpenApi {
  readonly document: Json;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  constructor(text = readFileSync(openApiFile, 'utf8')) {
    this.document = parse(text) as Json;
    // The types of the package describe its CommonJS form.
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    this.#ajv.addSchema({ $id: 'openapi', ...this.document });
  }

  get operations(): string[] {
    const paths = this.document['paths'] as Record<string, Json>;
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  }

  #find(name: string): Json | undefined {
    const [method = '', path = ''] = name.split(' ');
    return at(this.document, 'paths', path.replace(/\/$/, ''), method.toLowerCase());
  }

  /** The `operationId` of an operation, such as `GetRunbook`. */
  idOf(name: string): string {
    return String(this.#find(name)?.['operationId']);
  }

  operation(name: string): OpenApiOperation | undefined {
    const found = this.#find(name);
    if (!found) return undefined;
    const responses = Object.entries(found['responses'] as Json).map(
      ([status, each]) => [status, this.follow(each as Json)] as const,
    );
    const answers = responses.map(([status, each]) => [status, at(each, 'content') ?? {}] as const);
    const body = at(found, 'requestBody', 'content');
    const contents = [body ?? {}, ...answers.map(([, content]) => content)].flatMap(
      (content) => Object.values(content) as Json[],
    );
    return {
      parameters: (found['parameters'] as Json[]).map((each) =>
        this.follow(each),
      ) as unknown as OpenApiOperation['parameters'],
      body,
      answers: Object.fromEntries(answers),
      headers: Object.fromEntries(responses.map(([status, each]) => [status, this.#headersOf(each)])),
      examples: contents.flatMap(({ schema, examples }) =>
        Object.values((examples ?? {}) as Record<string, Json>).map(({ value }) => ({ schema: schema as Json, value })),
      ),
    };
  }

  #headersOf({ headers }: Json): Record<string, boolean> {
    return Object.fromEntries(
      Object.entries((headers ?? {}) as Record<string, Json>).map(([name, each]) => [
        name.toLowerCase(),
        this.follow(each)['required'] === true,
      ]),
    );
  }

  follow(schema: Json): Json {
    const { $ref } = schema;
    return typeof $ref === 'string' ? this.follow(at(this.document, ...$ref.slice(2).split('/')) as Json) : schema;
  }

  /** The problems of a value in the words of ajv. Empty if there is none. */
  problemsOf(schema: Json, value: unknown): string[] {
    const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
    const validate: ValidateFunction = this.#ajv.compile(JSON.parse(text) as Json);
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  /**
   * The parts of an answer that the document does not describe: its status, its body, undocumented and missing headers.
   */
  problemsOfAnswer(request: string, { status, headers, body }: RawAnswer): string[] {
    const operation = this.operation(request);
    const content = operation?.answers[status];
    if (!operation || content === undefined) return [`${request} answers ${status}`];
    const documented = operation.headers[status] ?? {};
    const json = content['application/json'] as { readonly schema: Json } | undefined;
    return [
      ...Object.keys(headers).filter((name) => !framing.has(name) && !Object.hasOwn(documented, name)),
      ...Object.keys(documented).filter((name) => documented[name] && headers[name] === undefined),
      ...(json ? this.problemsOf(json.schema, JSON.parse(body)) : []),
    ];
  }

  /** A schema in the contract's notation. */
  notationOf(given: Json): Notation {
    const schema = this.follow(given);
    const { oneOf, type } = schema;
    const [first, last] = Array.isArray(oneOf) ? (oneOf as Json[]) : [];
    if (first && last?.['type'] === 'null') return orNull(this.notationOf(first));
    const types = [type].flat().filter((each) => each !== 'null') as string[];
    const notation = this.#present(schema, types);
    return [type].flat().includes('null') ? orNull(notation) : notation;
  }

  #present(schema: Json, types: readonly string[]): Notation {
    const { enum: values, format, pattern, items, properties, required } = schema;
    if (types[0] === 'array') return [this.notationOf(items as Json)];
    if (types[0] === 'object') {
      return Object.fromEntries(
        Object.entries((properties ?? {}) as Record<string, Json>).map(([key, each]) => [
          (required as string[] | undefined)?.includes(key) ? key : `${key}?`,
          this.notationOf(each),
        ]),
      );
    }
    if (Array.isArray(values)) {
      const named = values.filter((value) => value !== null).map(String);
      return `one of ${named.sort().join(' ')}`;
    }
    if (pattern === '^[0-9a-fA-F]{40}$') return 'sha';
    return typeof format === 'string' ? format : types.join(' or ');
  }
}

function orNull(notation: Notation): Notation {
  return typeof notation === 'string' ? `${notation} or null` : { 'or null': notation };
}

/** A request may omit an optional field or send null for it. The page documents only the omission. */
export function withoutNull(notation: Notation): Notation {
  if (typeof notation === 'string') return notation.replace(/ or null$/, '');
  if (Array.isArray(notation)) return [withoutNull(notation[0] as Notation)];
  const entries = Object.entries(notation);
  const [only] = entries;
  if (only?.[0] === 'or null') return withoutNull(only[1]);
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutNull(value)]));
}

function at(from: unknown, ...keys: readonly string[]): Json | undefined {
  return keys.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], from) as Json | undefined;
}
