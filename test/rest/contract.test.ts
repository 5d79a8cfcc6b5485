// Compares docs/interface.md, as transcribed by hand, with the OpenAPI document that is generated from the GraphQL
// documents.
import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../src/platform/project-root.ts';
import { fill, loadContracts, type Notation } from './contract/contract.ts';
import { holdersOf, referencesOf, rowsWithoutCase } from './contract/coverage.ts';
import { problemsWith as problemsWithNotation } from './contract/notation.ts';
import { readPage, rowsNamed } from './contract/page.ts';
import { type Json, OpenApi, type OpenApiOperation, withoutNull } from './contract/openapi.ts';

const contracts = loadContracts();
const page = readPage();
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
  done: 1,
  planned: 2,
  working: 3,
  halfway: 4,
  broken: 5,
  spent: 6,
  project: 'Web',
  staging: 'staging',
  commit: 'c'.repeat(40),
  'other-commit': 'd'.repeat(40),
  'other-name': 'idle',
  line: 'web',
  'line-with-owner': 'acme/web',
  'number-any': 1.5,
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
  sha: 'a'.repeat(40),
  uuid: '0f3c0f5e-6f0b-4f44-9d7e-6b0c6a7d2f11',
};

function operationOf(name: string): OpenApiOperation {
  const operation = openApi.operation(name);
  if (!operation) throw new Error(`${name} is not in the OpenAPI document`);
  return operation;
}

/**
 * The body in the notation of the contract: a JSON body, a choice of bodies by their action, or the type of a text
 * body.
 */
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
  it('contains the documented operations and no others', () => {
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
    // The schema has the documented refusal first, and then the error that every operation has.
    const [own] = (schema['oneOf'] ?? [schema]) as [Json];
    expect(openApi.notationOf(own)).toEqual(each.notation);
  });

  it('keeps the legacy alias as deprecated (interface 9)', () => {
    const bot = openApi.follow({ $ref: '#/components/schemas/BotPullRequest' })['properties'];
    expect(bot).toMatchObject({ head_branch_oid: { deprecated: true } });
    expect(bot).not.toMatchObject({ head_commit_sha: { deprecated: true } });
  });
});

describe('docs/interface.md', () => {
  const holders = holdersOf(contracts);
  const references = [...new Set(holders.flatMap(({ section }) => referencesOf(section)))];

  it.each(references)('has exactly one row or section with the name %s', (reference) => {
    if (reference.includes(' ')) expect(rowsNamed(page, reference).map(({ text }) => text)).toHaveLength(1);
    else expect(page.sections).toContain(reference);
  });

  it.each([
    [{ a: 'integer', 'b?': ['one of x y or null'] }, { a: 1, b: ['x', null] }, []],
    [{ a: 'integer' }, { a: 'x', c: 1 }, ['it.c is not documented', 'it.a is no integer: "x"']],
    [{ 'a?': 'sha', b: { c: 'date-time' } }, { b: {} }, ['it.b.c is missing']],
  ])('has a notation of shapes: %j compared with %j gives the problems %j', (notation, value, problems) => {
    expect(problemsWithNotation(notation as unknown as Notation, value)).toEqual(problems);
  });

  it('lacks a case if a new row is added', () => {
    const more = readPage(
      '### 2.4 Pull request\n\n| field | type |\n|---|---|\n| number | integer |\n| **Interlock:** colour | string |\n',
    );
    expect(rowsWithoutCase(more, holders).map(({ text }) => text)).toEqual(['colour string']);
  });

  it('has no row without a case', () => {
    const rows = rowsWithoutCase(page, holders);
    expect(rows.map(({ section, text }) => `${section} ${text}`)).toEqual([]);
  });

  it('has no section without a case', () => {
    const held = new Set(references.map((reference) => reference.split(' ')[0]));
    const inner = [...page.sections].filter(
      (section) => ![...page.sections].some((each) => each.startsWith(`${section}.`)),
    );
    expect(inner.filter((section) => !held.has(section) && section !== '1')).toEqual([]);
  });

  it.each(contracts.flatMap(({ elsewhere }) => elsewhere))(
    'is tested elsewhere by $file: $test ($section)',
    ({ file, test }) => {
      const source = readFileSync(path.join(projectRoot, file), 'utf8');
      expect([`'${test}'`, `"${test}"`].some((name) => source.includes(name))).toBe(true);
    },
  );
});

describe('a case of the contract', () => {
  const cases = contracts
    .flatMap(({ file, cases: each }) => each.map((one) => ({ file, ...one })))
    .filter((one) => !one.undocumented);
  it.each(cases)(
    'fits the OpenAPI document: $file, $name',
    ({ request, path: places, query, body, status, answer }) => {
      const operation = operationOf(request);
      expect(Object.keys(operation.answers)).toContain(String(status));
      expect(operation.parameters.map(({ name }) => name)).toEqual(
        expect.arrayContaining(Object.keys({ ...places, ...query })),
      );
      expect(problemsWith(operation.body, status < 400 ? body : undefined)).toEqual([]);
      expect(problemsWith(operation.answers[status], answer)).toEqual([]);
    },
  );
});
