// What was transcribed from the documented interface against what was generated from the documents.
import { describe, expect, it } from 'vitest';
import { fill, loadContracts } from './contract/contract.ts';
import { type Json, OpenApi, type OpenApiOperation, withoutNull } from './contract/openapi.ts';

const contracts = loadContracts();
const openApi = new OpenApi();
const documented = contracts.flatMap(({ operations }) => operations);
const sample = {
  org: 'acme',
  name: 'web',
  'name-with-owner': 'acme/web',
  number: 1,
  'number-text': '1',
  title: 'Title',
  branch: 'topic',
  'other-name': 'idle',
  line: 'line',
  merged: 1,
  tagged: 2,
  queued: 3,
  held: 4,
  blocked: 5,
  closed: 6,
  bot: 7,
  'bot-head': 'a'.repeat(40),
  'bot-base': 'b'.repeat(40),
  today: '2026-01-02',
  diff: '-a',
  string: 'text',
  uri: 'https://code.example/acme/line/pull/7',
  status: 'queued',
  boolean: true,
  date: '2026-01-02',
  'date-time': '2026-01-02T03:04:05.000Z',
  list: [],
};

function operationOf(name: string): OpenApiOperation {
  const operation = openApi.operation(name);
  if (!operation) throw new Error(`${name} is not in the OpenAPI document`);
  return operation;
}

/** A JSON body in the contract's notation, a choice of bodies by their action, or the type of a body of text. */
function notationOfBody(content: Json | undefined): unknown {
  if (!content) return undefined;
  const [type, { schema }] = Object.entries(content)[0] as [string, { schema: Json }];
  if (type !== 'application/json') return { [type]: openApi.notationOf(schema) };
  const { discriminator } = schema as { discriminator?: { mapping: Record<string, string> } };
  if (!discriminator) return withoutNull(openApi.notationOf(schema));
  const choices = Object.entries(discriminator.mapping);
  return Object.fromEntries(choices.map(([value, $ref]) => [value, withoutNull(openApi.notationOf({ $ref }))]));
}

function problemsWith(content: Json | undefined, value: unknown): string[] {
  const { schema } = (content?.['application/json'] ?? {}) as { schema?: Json };
  return schema && value !== undefined ? openApi.problemsOf(schema, fill(value, sample)) : [];
}

describe('the OpenAPI document', () => {
  it('holds the documented operations and no other', () => {
    expect(openApi.operations.sort()).toEqual(documented.map(({ operation }) => operation).sort());
  });

  it.each(documented)('has the parameters of $operation ($section)', ({ operation, query, defaults }) => {
    const parameters = operationOf(operation).parameters.filter((each) => each.in === 'query');
    const written = parameters.map(({ name, required, schema }) => [
      required ? name : `${name}?`,
      openApi.notationOf(schema),
    ]);
    expect(Object.fromEntries(written)).toEqual(query ?? {});
    const given = parameters.filter(({ schema }) => schema['default'] !== undefined);
    expect(Object.fromEntries(given.map(({ name, schema }) => [name, schema['default']]))).toEqual(defaults ?? {});
  });

  it.each(documented)('has the body of $operation ($section)', ({ operation, body, bodies, text }) => {
    const documentedBody = text === undefined ? (bodies ?? body) : { [text]: 'string' };
    expect(notationOfBody(operationOf(operation).body)).toEqual(documentedBody);
  });

  const answers = documented.flatMap((each) =>
    Object.entries(each.answers).map(([status, notation]) => ({ ...each, status, notation })),
  );
  it.each(answers)('answers $operation with $status as documented ($section)', (each) => {
    const content = operationOf(each.operation).answers[each.status]?.[each.type ?? 'application/json'];
    const { schema } = content as { schema: Json };
    // Beside a documented refusal stands the error of every operation.
    const [own] = (schema['oneOf'] ?? [schema]) as [Json];
    expect(openApi.notationOf(own)).toEqual(each.notation);
  });

  it('keeps the legacy alias as deprecated (interface 9)', () => {
    const bot = openApi.follow({ $ref: '#/components/schemas/BotPullRequest' })['properties'];
    expect(bot).toMatchObject({ head_branch_oid: { deprecated: true } });
    expect(bot).not.toMatchObject({ head_commit_sha: { deprecated: true } });
  });
});

describe('a case of the contract', () => {
  const cases = contracts
    .flatMap(({ file, cases: each }) => each.map((one) => ({ file, ...one })))
    .filter((one) => !one.undocumented);
  it.each(cases)('fits the OpenAPI document: $file, $name', ({ request, query, body, status, answer }) => {
    const operation = operationOf(request);
    expect(Object.keys(operation.answers)).toContain(String(status));
    expect(operation.parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(query ?? {})));
    expect(problemsWith(operation.body, status < 400 ? body : undefined)).toEqual([]);
    expect(problemsWith(operation.answers[status], answer)).toEqual([]);
  });
});
