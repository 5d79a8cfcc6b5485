// The cost of a document is known before it runs. It depends on how many rows the document names, and on the length of
// its pages.
import { readFile } from 'node:fs/promises';
import { getIntrospectionQuery, Kind, parse, type OperationDefinitionNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { pointsOf } from '../../src/graphql/limits.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';

function points(text: string, variables: Readonly<Record<string, unknown>> = {}): number {
  const document = parse(text);
  const operation = document.definitions.find(
    (each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION,
  );
  if (operation === undefined) throw new Error('There is no operation.');
  return pointsOf({ schema: interlockSchema(), document, operation, variables });
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => encodeNodeId('Team', String(at + 1)));
const teams = (count: number): string => `{ nodes(ids: ${JSON.stringify(ids(count))}) { id ... on Team { slug } } }`;
const inShop = (selection: string): string => `{ repository(owner: "acme", name: "shop") { ${selection} } }`;

describe('nodes', () => {
  it('costs more for more ids', () => {
    expect(points(teams(1))).toBe(1);
    expect(points(teams(100))).toBeGreaterThanOrEqual(20);
    expect(points(teams(100))).toBeGreaterThan(8 * points(teams(10)));
  });

  it('costs the same if a variable has the ids', () => {
    const named = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Team { slug } } }';
    expect(points(named, { ids: ids(100) })).toBe(points(teams(100)));
  });

  it('multiplies the cost of what is selected of each node', () => {
    const members = (count: number): string =>
      `{ nodes(ids: ${JSON.stringify(ids(count))}) { ... on Team { members(first: 50) { nodes { email } } } } }`;
    expect(points(members(50))).toBeGreaterThanOrEqual(30 * points(members(1)));
  });
});

describe('a page', () => {
  const page = (size: string): string =>
    inShop(`pullRequests${size} { nodes { title batches(first: 1) { nodes { state } } } }`);
  it('without a size costs as much as the default size', () => {
    expect(points(page(''))).toBe(points(page('(first: 50)')));
    expect(points(page('(first: null)'))).toBe(points(page('(first: 50)')));
    expect(points(page('(first: 100)'))).toBeGreaterThan(1.8 * points(page('')));
  });

  it('has the size of its variable, or the default value of the variable', () => {
    const sized = (text: string): string => page('(first: $size)').replace('{', `query ($size: Int${text}) {`);
    expect(points(sized(''), { size: 100 })).toBe(points(page('(first: 100)')));
    expect(points(sized(' = 100'))).toBe(points(page('(first: 100)')));
  });

  it('costs its length although the document shows nothing of it', () => {
    const deliveries = (size: number): string =>
      `{ webhookEndpoints(first: 20) { nodes { deliveries(first: ${size}) { __typename } } } }`;
    expect(points(deliveries(100))).toBeGreaterThan(2 * points(deliveries(1)));
  });

  it('costs the same through a fragment', () => {
    const spread = `${inShop('pullRequests(first: 100) { ...page }')} fragment page on PullRequestConnection { nodes { title batches(first: 1) { nodes { state } } } }`;
    expect(points(spread)).toBe(points(page('(first: 100)')));
  });
});

it('each mutation costs at least a point, as over REST', () => {
  const pause = 'pauseRepository(input: {repository: {owner: "a", name: "b"}, paused: true}) { repository { id } }';
  const many = Array.from({ length: 50 }, (_, at) => `m${at}: ${pause}`).join(' ');
  expect(points(`mutation { ${many} }`)).toBeGreaterThanOrEqual(50);
});

it.each([
  ['an explanation', inShop('pullRequest(number: 1) { explain { sentence } }'), 3],
  ['ETAs', inShop('queue(baseBranch: "main") { etas { eta { p50 } } }'), 6],
  [
    'a preview of a configuration',
    '{ previewConfiguration(input: {repository: {owner: "a", name: "b"}, yaml: ""}) { accepted } }',
    20,
  ],
  ['a simulation', '{ simulateQueue(input: {repository: {owner: "a", name: "b"}, days: 1}) { accepted } }', 100],
])('%s has its minimum cost', (_what, text, least) => {
  expect(points(text)).toBeGreaterThanOrEqual(least);
});

it('the page of release projects costs little of what a bucket has', async () => {
  expect(points(await readFile('dashboard/src/releases/releases.graphql', 'utf8'))).toBeLessThan(50);
});

describe('introspection', () => {
  it('is cheap, and the introspection of tools costs less than a bucket has', () => {
    expect(points('{ __schema { queryType { name } } }')).toBe(1);
    expect(points('{ __schema { types { name fields { name type { name } } } } }')).toBeLessThan(10);
    const asked = points(getIntrospectionQuery());
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(60);
  });

  const again = (times: number, alias: string, below: string): string =>
    Array.from({ length: times }, (_, at) => `${alias}${at}: fields { type { ${below} } }`).join(' ');
  it.each([
    ['through aliases', `{ __schema { types { ${again(60, 'a', 'fields { name }')} } } }`],
    [
      'through aliases of aliases',
      `{ __type(name: "Query") { ${again(40, 'a', '...below')} } } fragment below on __Type { ${again(40, 'b', 'name')} }`,
    ],
  ])('is refused if a short document asks for a long answer %s', (_how, text) => {
    expect(() => points(text)).toThrow(/Ask for less at once/);
  });
});
