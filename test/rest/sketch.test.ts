// Every documented operation, over a schema that has only what the operations need.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import Fastify from 'fastify';
import { buildSchema, execute, Kind, parse, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { emitOpenApi } from '../../rest-facade/generate.ts';
import { compileFacade, type DocumentSource, registerFacade, serverOptions } from '../../rest-facade/index.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { OpenApi } from './contract/openapi.ts';

const read = (name: string): string =>
  readFileSync(new URL(`fixtures/sketch/${name}.graphql`, import.meta.url), 'utf8');
const schema = buildSchema(read('schema'));

/** A document for each operation, with a description and a heading. `more` is added to `@rest`. */
function documentsOf(more: (name: string) => string = () => ''): DocumentSource[] {
  const { definitions } = parse(read('operations'));
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  return [
    { name: 'fragments', text: fragments.map(print).join('\n') },
    ...operations.map((node) => {
      const name = node.name?.value ?? '';
      return { name, text: `"${name}"\n${print(node).replace('@rest(', `@rest(tag: "Sketch", ${more(name)}`)}` };
    }),
  ];
}

const isOfRunbooks = (name: string): boolean => name.endsWith('Runbook');
const withErrors = documentsOf((name) =>
  isOfRunbooks(name) ? `errorBody: ERROR_AND_MESSAGE, errors: [402, 410], ` : '',
);

describe('the documented operations', () => {
  it('are all compiled', () => {
    const compiled = compileFacade({ schema, documents: documentsOf() });
    expect(compiled).toHaveLength(31);
    expect(new Set(compiled.map(({ method, path }) => `${method} ${path}`)).size).toBe(27);
  });

  it('make one valid OpenAPI document', async () => {
    const text = emitOpenApi(schema, { documents: withErrors, examples: {} });
    expect(await new Validator().validate(parseYaml(text) as Record<string, unknown>)).toMatchObject({ valid: true });
  });
});

describe('errors with a message', () => {
  const openApi = new OpenApi(emitOpenApi(schema, { documents: withErrors, examples: {} }));
  const create = {
    method: 'POST',
    url: '/api/v1/runbook',
    payload: { repository: { org: 'a', name: 'b' }, prompt: 'Go' },
  } as const;
  const answering = (error: Error) => {
    const server = Fastify({ ...serverOptions });
    const refuse = (): never => {
      throw error;
    };
    registerFacade(server, {
      operations: compileFacade({ schema, documents: withErrors }),
      execute: async ({ document, variables, operationName }) =>
        await execute({
          schema,
          document,
          variableValues: variables,
          operationName,
          rootValue: { createRunbook: refuse, runbook: refuse, pauseRepository: refuse },
        }),
    });
    return server;
  };

  it.each([
    ['RUNBOOK_BUDGET_SPENT', 402, 'runbook_budget_spent'],
    ['CURSOR_EXPIRED', 410, 'cursor_expired'],
    ['NOT_FOUND', 404, 'not_found'],
    ['UNAUTHENTICATED', 401, 'unauthenticated'],
  ] as const)('have the code %s as status %i with the error %s', async (code, status, error) => {
    const answer = await answering(new DomainError(code, 'Said by the service.')).inject(create);
    const message = code === 'UNAUTHENTICATED' ? 'Unauthorized' : 'Said by the service.';
    expect([answer.statusCode, answer.json()]).toEqual([status, { error, message }]);
    const described = openApi.operation('POST /api/v1/runbook')?.answers[status]?.['application/json'];
    expect(openApi.problemsOf((described as { schema: object }).schema as never, answer.json())).toEqual([]);
  });

  it('are used for bad input and for bodies that are not read', async () => {
    const server = answering(new Error('never'));
    const bad = await server.inject({ ...create, payload: {} });
    expect([bad.statusCode, bad.json()]).toEqual([400, { error: 'bad_input', message: 'repository is required' }]);
    const large = await server.inject({ ...create, payload: { prompt: 'x'.repeat(2 ** 20) } });
    expect([large.statusCode, large.json()]).toEqual([
      413,
      { error: 'too_large', message: 'Request body is too large' },
    ]);
  });

  it('show no details of an internal error, only its request id', async () => {
    const answer = await answering(new Error('password=hunter2')).inject(create);
    const request_id = answer.headers['x-request-id'];
    expect(answer.json()).toEqual({ error: 'internal', message: 'Internal server error', request_id });
  });

  it('are not used by other operations', async () => {
    const pause = { method: 'POST', url: '/api/v1/repo', payload: { org: 'a', name: 'b', paused: true } } as const;
    const answer = await answering(new DomainError('NOT_FOUND', 'Repository not found')).inject(pause);
    expect(answer.json()).toEqual({ error: 'Repository not found' });
    expect(Object.keys(openApi.operation('POST /api/v1/repo')?.answers ?? {})).not.toContain('402');
  });
});

describe('a document with its own errors', () => {
  it('can only name statuses that a code has', () => {
    const documents = documentsOf((name) => (name === 'GetRunbook' ? 'errors: [418], ' : ''));
    expect(() => compileFacade({ schema, documents })).toThrow(
      /GetRunbook\.graphql: errors: no code .* has the status 418/,
    );
  });

  it('must have the same form of errors as the other documents of its path', () => {
    const documents = documentsOf((name) => (name === 'SyncPullRequest' ? 'errorBody: ERROR_AND_MESSAGE, ' : ''));
    expect(() => compileFacade({ schema, documents })).toThrow(/POST \/api\/v1\/pull_request need one errorBody/);
  });
});
