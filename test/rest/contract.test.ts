// What was transcribed from the documented interface against what was generated from the documents.
import { describe, expect, it } from 'vitest';
import { type Case, type DocumentedOperation, fill, loadContracts } from './contract/contract.ts';
import { OpenApi, withoutNull } from './contract/openapi.ts';

const contracts = loadContracts();
const openApi = new OpenApi();
const documented = contracts.flatMap(({ operations }) => operations);
const sample = {
  org: 'acme', name: 'web', number: 1, 'number-text': '1', title: 'Title', branch: 'topic', 'other-org': 'acme', 'other-name': 'idle',
  string: 'text', status: 'queued', boolean: true, 'date-time': '2026-01-02T03:04:05.000Z', list: [],
};

function operationOf(name: string) {
  const operation = openApi.operation(name);
  if (!operation) throw new Error(`${name} is not in the OpenAPI document`);
  return operation;
}

describe('the OpenAPI document', () => {
  it('holds the documented operations and no other', () => {
    expect(openApi.operations.sort()).toEqual(documented.map(({ operation }) => operation).sort());
  });

  it.each(documented)('has the parameters of $operation ($section)', ({ operation, query, defaults }: DocumentedOperation) => {
    const parameters = operationOf(operation).parameters.filter((each) => each.in === 'query');
    const written = parameters.map(({ name, required, schema }) => [required ? name : `${name}?`, openApi.notationOf(schema)]);
    expect(Object.fromEntries(written)).toEqual(query ?? {});
    for (const [name, value] of Object.entries(defaults ?? {})) {
      expect(parameters.find((each) => each.name === name)?.schema['default']).toEqual(value);
    }
  });

  it.each(documented)('has the body of $operation ($section)', ({ operation, body, bodies, text }: DocumentedOperation) => {
    const content = operationOf(operation).body;
    if (text) return expect(content).toMatchObject({ [text]: { schema: { type: 'string' } } });
    const schema = (content?.['application/json'] as { schema: Record<string, unknown> } | undefined)?.schema;
    if (!bodies) return expect(schema && withoutNull(openApi.notationOf(schema))).toEqual(body);
    const { propertyName, mapping } = schema?.['discriminator'] as { propertyName: string; mapping: Record<string, string> };
    expect(propertyName).toBe('action');
    const notations = Object.entries(mapping).map(([value, $ref]) => [value, withoutNull(openApi.notationOf({ $ref }))]);
    return expect(Object.fromEntries(notations)).toEqual(bodies);
  });

  const answers = documented.flatMap((each) => Object.entries(each.answers).map(([status, notation]) => ({ ...each, status, notation })));
  it.each(answers)('answers $operation with $status as documented ($section)', ({ operation, status, notation, type }) => {
    const content = operationOf(operation).answers[status]?.[type ?? 'application/json'] as { schema: Record<string, unknown> };
    const [own] = (content.schema['oneOf'] ?? [content.schema]) as Record<string, unknown>[];
    expect(openApi.notationOf(own as Record<string, unknown>)).toEqual(notation);
  });

  it('keeps the legacy alias as deprecated (interface 9)', () => {
    const bot = openApi.follow({ $ref: '#/components/schemas/BotPullRequest' })['properties'];
    expect(bot).toMatchObject({ head_branch_oid: { deprecated: true } });
    expect(bot).not.toMatchObject({ head_commit_sha: { deprecated: true } });
  });
});

describe('a case of the contract', () => {
  const cases = contracts.flatMap(({ file, cases: each }) => each.map((one) => ({ file, ...one }))).filter((one) => !one.undocumented);
  it.each(cases)('fits the OpenAPI document: $file $name', (one: Case) => {
    const operation = operationOf(one.request);
    const content = operation.answers[one.status];
    expect(content, `${one.request} documents no ${one.status}`).toBeDefined();
    for (const name of Object.keys(one.query ?? {})) expect(operation.parameters.map((each) => each.name)).toContain(name);
    const body = operation.body?.['application/json'] as { schema: Record<string, unknown> } | undefined;
    if (one.body !== undefined && body && one.status < 400) {
      expect(openApi.problemsOf(body.schema, fill(one.body, sample))).toEqual([]);
    }
    const answer = content?.['application/json'] as { schema: Record<string, unknown> } | undefined;
    if (one.answer !== undefined && answer) expect(openApi.problemsOf(answer.schema, fill(one.answer, sample))).toEqual([]);
  });
});
