// Makes the OpenAPI document of the compiled operations.
import type { Input } from '../inputs.ts';
import { type Operation, groupByRoute } from '../compile.ts';
import { acceptsKey } from '../idempotency.ts';
import { alternatives } from '../names.ts';
import { requestBody } from './bodies.ts';
import type { Examples, Group, Json } from './examples.ts';
import { Components, type JsonSchema, schemaOfPresentInput } from './json-schema.ts';
import { errorResponses, errorSchemas, responseHeaders, responsesOf, summaryOf } from './responses.ts';

export function openApiDocument(operations: readonly Operation[], examples: Examples): Json {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  for (const group of groupByRoute(operations).values()) {
    const [{ method, path }] = group as Group;
    (paths[path] ??= {})[method.toLowerCase()] = operationObject(group as Group, components, examples);
  }
  const all = errorResponses();
  const isIn = (text: string, name: string): boolean => text.includes(`/${name}"`);
  const answers = JSON.stringify(paths);
  const responses = Object.fromEntries(Object.entries(all).filter(([name]) => isIn(answers, name)));
  const referring = JSON.stringify([paths, responses, [...components.schemas.values()]]);
  const isReferred = ([name]: readonly [string, unknown]): boolean => isIn(referring, name);
  const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
  return {
    openapi: '3.1.0',
    info,
    servers: [server],
    security: [{ token: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].sort().map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(byName)),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token of the account or of a user.' },
      },
      schemas: Object.fromEntries(
        [...components.schemas, ...Object.entries(errorSchemas)].filter(isReferred).sort(byName),
      ),
      parameters: sharedParameters,
      headers: responseHeaders,
      responses,
    },
  };
}

const info = {
  title: 'Interlock',
  version: '1',
  description:
    'A merge queue: what was tested is what lands, and the base branch is green at every commit.\n\nErrors are JSON with the problem in `error`. A client that accepts `application/problem+json` gets the same as problem details (RFC 9457). A method that a path does not have is answered 405, with `Allow`.',
  license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
};

const server = {
  url: '{base_url}',
  description: 'Where the service runs.',
  variables: { base_url: { default: 'http://127.0.0.1:4000', description: 'Address of the installation.' } },
};

const sharedParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a repeated request safe. For 24 hours, the same request of the same user with the same key gets the first answer again. Another request with the key is answered 422. Answers 401, 403 and 429 and errors of the service are not stored.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag of an earlier answer. If the answer is still the same, the status is 304.',
    schema: { type: 'string' },
  },
};

function operationObject(group: Group, components: Components, examples: Examples): Json {
  const [first] = group;
  const alone = group.length === 1;
  const summaries = group.map(({ when, summary }) => `- \`${when?.value}\`: ${summary}`);
  const description = alone
    ? describe(first)
    : `One of several actions, distinguished by \`${first.when?.field}\`:\n\n${summaries.join('\n')}`;
  const body = requestBody(group, components, examples);
  return {
    operationId: alone ? first.name : combinedName(first),
    tags: [first.tag],
    summary: summaryOf(group),
    ...(description ? { description } : {}),
    parameters: parametersOf(first, components, examples),
    ...(body ? { requestBody: body } : {}),
    responses: responsesOf(group, components, examples),
  };
}

function combinedName({ method, path }: Operation): string {
  const parts = [method.toLowerCase(), ...(path.split('/').pop() ?? '').split('_')];
  return parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('');
}

function describe({ description, needs }: Operation): string {
  const choices = needs.map(
    ({ atLeast, inputs }) =>
      `${atLeast ? 'At least' : 'Exactly'} one of ${alternatives(inputs.map(({ field }) => `\`${field}\``))} is required.`,
  );
  return [description, ...choices].filter(Boolean).join('\n\n');
}

function parametersOf(operation: Operation, components: Components, examples: Examples): Json[] {
  const given = (examples[operation.name]?.['parameters'] ?? {}) as Json;
  const parameters = operation.inputs.flatMap((input): Json[] => {
    const { place, required, description } = input;
    if (place.in === 'body') return [];
    // An object in a query can be written in several ways. Only the way with a name for each field is documented.
    const name =
      place.in === 'path' ? place.name : place.path.length > 1 ? (place.or[0] ?? input.field) : place.path[0];
    return [
      {
        name,
        in: place.in,
        required,
        ...(description ? { description } : {}),
        schema: parameterSchema(input, components),
        ...(Object.hasOwn(given, name ?? '') ? { example: given[name ?? ''] } : {}),
      },
    ];
  });
  const shared = operation.method === 'GET' ? ['IfNoneMatch'] : acceptsKey(operation) ? ['IdempotencyKey'] : [];
  return [...parameters, ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

function parameterSchema({ type, defaultValue }: Input, components: Components): JsonSchema {
  const schema = schemaOfPresentInput(type, components);
  return defaultValue === undefined ? schema : { ...schema, default: defaultValue };
}
