import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { buildSchema, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emitOpenApi, generateFacade, openApiFile, typesFile } from '../../rest-facade/generate.ts';
import { OpenApi } from './contract/openapi.ts';
import { documents, documentsWith } from './fixtures/documents.ts';
import { fixtureSchema } from './fixtures/facade.ts';

type Json = Record<string, unknown>;

function emitted(given = documents): OpenApi {
  return new OpenApi(emitOpenApi(fixtureSchema(), { documents: given, examples: {} }));
}

describe('the emitted document', () => {
  it('is OpenAPI 3.1', async () => {
    for (const document of [emitted().document, parse(readFileSync(openApiFile, 'utf8')) as Json]) {
      expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
    }
  });

  it('is the same every time', () => {
    const emit = () => emitOpenApi(fixtureSchema(), { documents, examples: {} });
    expect(emit()).toBe(emit());
  });

  it('is the committed document, and so are the types made of it', async () => {
    const { openApi, types } = await generateFacade();
    expect(openApi, 'run `npm run generate`').toBe(readFileSync(openApiFile, 'utf8'));
    expect(types, 'run `npm run generate`').toBe(readFileSync(typesFile, 'utf8'));
  });

  it('has valid examples for every success', () => {
    const openApi = new OpenApi();
    for (const name of openApi.operations) {
      const { examples } = openApi.operation(name) ?? { examples: [] };
      expect([name, examples.length > 0]).toEqual([name, true]);
      for (const { schema, value } of examples) expect([name, openApi.problemsOf(schema, value)]).toEqual([name, []]);
    }
  });
});

describe('an operation in the document', () => {
  it('has names, places and defaults from the variables', () => {
    const parameters = emitted().operation(
      'GET /api/releases/{project_name}/environments/{env_name}/deployments',
    )?.parameters;
    expect(parameters?.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['project_name', 'path', true],
      ['env_name', 'path', true],
      ['page', 'query', false],
      ['per_page', 'query', false],
      ['status', 'query', false],
      ['If-None-Match', 'header', false],
    ]);
    expect(parameters?.find(({ name }) => name === 'per_page')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 10,
    });
  });

  it('has the first spelling of an object in a query', () => {
    const names = emitted()
      .operation('GET /api/v1/branches')
      ?.parameters.map(({ name, required }) => [name, required]);
    expect(names).toEqual([
      ['org', true],
      ['name', true],
      ['pattern', false],
      ['If-None-Match', false],
    ]);
  });

  it('has for a variable its own description, or else that of the field it is used for', () => {
    const described = (given = documents) => {
      const schema = emitted(given).follow({ $ref: '#/components/schemas/PauseRepositoryRequest' });
      return ((schema['properties'] as Json)['org'] as Json)['description'];
    };
    expect(described()).toBe('Organization on the code hosting platform.');
    const text =
      documents
        .find(({ name }) => name === 'PauseRepository')
        ?.text.replace('$org: String!', '"Who owns it." $org: String!') ?? '';
    expect(described(documentsWith('PauseRepository', text))).toBe('Who owns it.');
  });

  it('has a nested body, in which an object with a required field is required', () => {
    const openApi = emitted();
    expect(openApi.notationOf({ $ref: '#/components/schemas/QueuePullRequestRequest' })).toEqual({
      action: 'one of queue',
      pull_request: {
        number: 'integer or string',
        repository: { org: 'string', name: 'string' },
        'affected_targets?': { 'or null': ['string'] },
        'merge_commit_message?': { 'or null': { 'title?': 'string or null', 'body?': 'string or null' } },
        'skip_line?': 'boolean or null',
        'skip_line_reason?': 'string or null',
      },
    });
  });

  it('stands for all documents of a path, distinguished by a discriminator', () => {
    const { document } = emitted();
    const post = ((document['paths'] as Json)['/api/v1/pull_request'] as Json)['post'] as Json;
    expect(post).toMatchObject({
      operationId: 'PostPullRequest',
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              oneOf: [
                { $ref: '#/components/schemas/QueuePullRequestRequest' },
                { $ref: '#/components/schemas/DequeuePullRequestRequest' },
              ],
              discriminator: {
                propertyName: 'action',
                mapping: {
                  queue: '#/components/schemas/QueuePullRequestRequest',
                  dequeue: '#/components/schemas/DequeuePullRequestRequest',
                },
              },
            },
          },
        },
      },
    });
    expect(Object.keys(post['responses'] as Json)).toEqual(
      expect.arrayContaining(['200', '202', '400', '401', '403', '404', '409', '413', '415', '429', '500']),
    );
  });

  it('answers with unwrapped, optional and nullable fields, and without fields sent as headers', () => {
    const openApi = emitted();
    const answer = (name: string) => {
      const content = openApi.operation(name)?.answers['200']?.['application/json'] as { schema: Json };
      return openApi.notationOf(content.schema);
    };
    expect(answer('GET /api/releases/{project_name}/environments/{env_name}/deployments')).toEqual([
      { id: 'string', project: 'string', status: 'one of in_progress pending success', rollback_of: 'string or null' },
    ]);
    expect(answer('GET /api/v1/history')).toEqual({
      history: [{ applied_by: { 'email?': 'string', 'gh_username?': 'string' }, 'commit_sha?': 'sha', diff: 'string' }],
    });
  });

  it('has headers, deprecations and the descriptions of the schema', () => {
    const openApi = emitted();
    const get = (path: string) => ((openApi.document['paths'] as Json)[path] as Json)['get'];
    expect(get('/api/releases/{project_name}/environments/{env_name}/deployments')).toMatchObject({
      responses: {
        200: { headers: { Link: {}, 'X-Total-Count': { schema: { type: 'integer' } }, ETag: {}, 'X-Request-Id': {} } },
      },
    });
    expect(get('/api/v1/pull_request')).toMatchObject({
      responses: {
        200: {
          content: {
            'application/json': {
              schema: {
                properties: {
                  merged_at: {
                    description: 'When it was merged; null until then.',
                    type: ['string', 'null'],
                    format: 'date-time',
                  },
                  bot_pull_request: {
                    type: ['object', 'null'],
                    properties: { head_branch_oid: { deprecated: true, description: 'Use head_commit_sha.' } },
                  },
                },
              },
            },
          },
        },
      },
    });
  });

  it('is refused if two of its schemas have the same name', () => {
    const text = `
      "Get the depth"
      query GetQueueStats($org: String!, $repo: String!)
      @rest(method: GET, path: "/api/v1/queue/stats", tag: "Queue", result: "repository") {
        repository(owner: $org, name: $repo) { queueDepth { ...DeploymentStatus } }
      }
      fragment DeploymentStatus on QueueDepth { queued }`;
    expect(() => emitted(documentsWith('GetQueueStats', text))).toThrow('Two schemas are called DeploymentStatus');
  });

  it('is refused if one of its scalars has no JSON Schema', () => {
    const schema = buildSchema(printSchema(fixtureSchema()).replaceAll(/\bGlob\b/g, 'Riddle'));
    const given = documents.map(({ name, text }) => ({
      name,
      text: text.replace('$pattern: Glob', '$pattern: Riddle'),
    }));
    expect(() => emitOpenApi(schema, { documents: given, examples: {} })).toThrow(
      'The scalar Riddle needs its JSON Schema',
    );
  });
});
