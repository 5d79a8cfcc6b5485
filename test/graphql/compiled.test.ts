import { setTimeout as delay } from 'node:timers/promises';
import {
  execute,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { createCompiledQueries, plainQuery } from '../../src/graphql/compiled.ts';
import { graphQLContext, loaderOf, type GraphQLContext, type RequestServices } from '../../src/graphql/context.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';
import { pullRequestById } from '../../src/modules/queue/api/pull-requests.reads.ts';
import { fc } from '../support/properties.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seed } from './seed.ts';

const schema = interlockSchema();
let s: TestServer;
beforeAll(async () => {
  s = await startServer({ clock: () => new Date('2026-01-05T00:00:00Z') });
  await seed(s);
  // An event is shown only after it got its position.
  while ((await s.rows('select 1 from event where position is null limit 1')).length > 0) await delay(5);
});
afterAll(async () => await s.close());

const variables = { owner: 'acme', name: 'shop', number: 1, branch: 'main' };
const given: Readonly<Record<string, string>> = {
  'Query.repository': '(owner: $owner, name: $name)',
  'Repository.pullRequest': '(number: $number)',
  'Repository.queue': '(baseBranch: $branch)',
  'Repository.botPullRequest': '(number: 7)',
};
const named = (selection: string): string =>
  `query Asked($owner: String!, $name: String!, $number: Int!, $branch: String!) { ${selection} }`;
const inShop = (selection: string): string => named(`repository(owner: $owner, name: $name) { ${selection} }`);

function contextOf(scopes?: readonly string[]): GraphQLContext {
  const services = {
    secrets: s.secrets,
    githubServers: [],
    temporal: { ui: null, urlOf: () => null, health: () => null },
  } as unknown as RequestServices;
  const system = systemContext(s.ports, s.accountId);
  const ctx = scopes === undefined ? system : { ...system, actor: { ...system.actor, scopes: new Set(scopes) } };
  return graphQLContext(ctx as typeof system, services, 'graphql_api');
}

async function byBoth(text: string): Promise<{ readonly compiled: unknown; readonly executed: unknown }> {
  const document = parse(text);
  const queries = createCompiledQueries(schema, { after: 0 });
  const execution = { document, variables, operationName: null };
  let compiled: unknown = null;
  // The first run compiles the query. The second run may end with an error, after which the query is compiled once
  // more.
  for (let time = 0; time < 4 && compiled === null; time += 1)
    compiled = await queries.run({ ...execution, contextValue: contextOf() });
  const executed = await execute({ schema, document, variableValues: variables, contextValue: contextOf() });
  return { compiled: compiled && JSON.stringify(compiled), executed: JSON.stringify(executed) };
}

type Choose = (most: number) => number;

/** Fields that differ between two executions, or that need a host. */
const leftOut = new Set(['explain', 'etas', 'installation', 'node', 'nodes', 'simulateQueue', 'previewConfiguration']);

function callOf(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): string | null {
  const arguments_ = given[`${type.name}.${field.name}`] ?? '';
  if (leftOut.has(field.name) || (arguments_ === '' && field.args.some(isRequiredArgument))) return null;
  const isPaged = field.args.some(({ name }) => name === 'first');
  return `${field.name}${isPaged ? '(first: 3)' : arguments_}`;
}

/** Generates a selection of an object type, with some fields under other names. */
function selectionOf(type: GraphQLObjectType, depth: number, choose: Choose): string {
  const chosen = Object.values(type.getFields()).flatMap((field, at) => {
    const inner = getNamedType(field.type);
    const call = callOf(type, field);
    if (call === null || (!isLeafType(inner) && !isObjectType(inner))) return [];
    const alias = choose(4) === 0 ? `a${at}: ` : '';
    if (isLeafType(inner)) return choose(2) === 0 ? [`${alias}${call}`] : [];
    if (depth === 0 || choose(3) > 0) return [];
    return [`${alias}${call} { ${selectionOf(inner, depth - 1, choose)} }`];
  });
  return ['__typename', ...chosen].join(' ');
}

it('compiled queries give the same answers as graphql-js for generated selections', async () => {
  let compiledOnes = 0;
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (draw) => {
      const choose: Choose = (most) => draw(fc.nat, { max: most - 1 });
      const repository = schema.getType('Repository') as GraphQLObjectType;
      const text = inShop(selectionOf(repository, 3, choose));
      const { compiled, executed } = await byBoth(text);
      if (compiled === null) return;
      compiledOnes += 1;
      expect(compiled, text).toBe(executed);
    }),
    { numRuns: 25 },
  );
  expect(compiledOnes).toBeGreaterThan(8);
});

it.each([
  [
    'one pull request',
    'pullRequest(number: $number) { number status repository { org: owner } queuedAt mergedAt latestBotPullRequest { number githubUrl } }',
  ],
  [
    'a line',
    'queuedPullRequests { number title status position batches(first: 2) { nodes { state } totalCount: __typename } }',
  ],
  ['a page and its count', 'pullRequests(first: 2) { totalCount nodes { ...change } pageInfo { endCursor } }'],
  ['what is null', 'pullRequest(headBranch: $branch) { number latestBotPullRequest { number } }'],
])('a compiled query gives the same answer as graphql-js for %s', async (_what, selection) => {
  const { compiled, executed } = await byBoth(
    `${inShop(selection)} ${selection.includes('...change') ? 'fragment change on PullRequest { id number checks { name conclusion } }' : ''}`,
  );
  expect(compiled).toBe(executed);
});

it.each([
  [
    'pullRequestChanged',
    'pullRequestChanged(repository: {owner: $owner, name: $name}, number: $number) { cursor action pullRequest { number title status position repository { name } } }',
  ],
  [
    'queueChanged',
    'queueChanged(repository: {owner: $owner, name: $name}, baseBranch: $branch) { cursor pullRequests { number } batches { id } }',
  ],
])('a payload of a compiled subscription gives the same answer as graphql-js: %s', async (name, selection) => {
  const document = parse(
    `subscription Followed($owner: String!, $name: String!, $number: PullRequestNumber!, $branch: String!) { ${selection} }`.replace(
      name === 'queueChanged' ? ', $number: PullRequestNumber!' : ', $branch: String!',
      '',
    ),
  );
  const [row] = await s.rows<{ id: string }>('select id::text from pull_request where number = 1 and account_id = $1', [
    s.accountId,
  ]);
  const pullRequest = await loaderOf(contextOf(), pullRequestById).load(row?.id ?? '');
  const rootValue = { cursor: '1.7', action: 'queued', pullRequest, pullRequestId: row?.id, batchId: null };
  const queries = createCompiledQueries(schema, { after: 0 });
  const execution = { document, variables, operationName: null, rootValue };
  await queries.run({ ...execution, contextValue: contextOf() });
  const compiled = await queries.run({ ...execution, contextValue: contextOf() });
  expect(compiled?.data).toMatchObject({ [name]: { cursor: '1.7' } });
  const executed = await execute({ schema, document, variableValues: variables, contextValue: contextOf(), rootValue });
  expect(JSON.stringify(compiled)).toBe(JSON.stringify(executed));
});

it('a compiled query awaits a promise although no resolver returned it', async () => {
  // After its first read, Interlock knows the repository by its name. The branch is read only if a query needs it.
  for (const text of [
    inShop('id defaultBranch'),
    inShop('defaultBranch paused pullRequests(first: 1) { totalCount }'),
  ]) {
    const { compiled, executed } = await byBoth(text);
    expect(executed).toContain('"defaultBranch":"main"');
    expect(compiled).toBe(executed);
  }
});

describe('an error', () => {
  it('is that of graphql-js, and the document is not compiled for a while', async () => {
    const document = parse(inShop('pullRequest(number: $number) { number }'));
    const queries = createCompiledQueries(schema, { after: 2 });
    const run = async (scopes?: readonly string[]) =>
      await queries.run({ document, variables, operationName: null, contextValue: contextOf(scopes) });
    const isCompiled = async () => (await run()) !== null;
    expect([await isCompiled(), await isCompiled(), await isCompiled(), await isCompiled()]).toEqual([
      false,
      false,
      false,
      true,
    ]);
    const refused = await queries.execute({
      document,
      variables,
      operationName: null,
      contextValue: contextOf(['config:read']),
    });
    expect(refused.errors?.map(({ path, extensions, originalError }) => [path, extensions, originalError])).toEqual([
      [['repository', 'pullRequest'], {}, expect.objectContaining({ code: 'FORBIDDEN' })],
    ]);
    expect([await isCompiled(), await isCompiled(), await isCompiled(), await isCompiled()]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('about a variable comes from graphql-js', async () => {
    const document = parse(inShop('id'));
    const queries = createCompiledQueries(schema, { after: 0 });
    const execution = { document, variables: {}, operationName: null, contextValue: contextOf() };
    await queries.run(execution);
    expect(await queries.run(execution)).toBeNull();
    expect((await queries.execute(execution)).errors?.[0]?.message).toContain('"$owner" of required type');
  });
});

describe('a document is not compiled', () => {
  it.each([
    ['with a text', '{ repository(owner: "acme", name: "shop") { id } }'],
    [
      'with a text that graphql-jit would take for code',
      '{ repository(nameWithOwner: "__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.taken=1") { id } }',
    ],
    [
      'with a text as default value of a variable',
      'query ($owner: String = "acme") { repository(owner: $owner) { id } }',
    ],
    ['with a list', inShop('pullRequests(filter: {statuses: [QUEUED]}) { totalCount }')],
    [
      'with a text in an input object',
      'subscription { pullRequestChanged(repository: {owner: "acme", name: "shop"}, number: 1) { cursor } }',
    ],
    [
      'with a variable in an input object that may be missing',
      'query ($owner: String!, $name: String!, $author: String) { repository(owner: $owner, name: $name) { pullRequests(filter: {author: $author}) { totalCount } } }',
    ],
    ['with a condition', inShop('id @include(if: true)')],
    ['with a condition of a fragment', inShop('... @skip(if: false) { id }')],
    ['with a name that JavaScript reserves', inShop('__proto__: id')],
    ['about the schema', '{ __schema { queryType { name } } }'],
    ['about a type', '{ __type(name: "Query") { name } }'],
    ['of an interface', 'query ($id: ID!) { node(id: $id) { id } }'],
    ['that is a mutation', 'mutation { pauseRepository(input: {}) { __typename } }'],
    ['with two operations', 'query A { __typename } query B { __typename }'],
    ['with too many fields', `{ ${Array.from({ length: 301 }, (_, at) => `a${at}: __typename`).join(' ')} }`],
  ])('%s', (_what, text) => {
    expect(plainQuery(schema, parse(text))).toBeNull();
  });
});

it('the answers of a server stay the same, however often a client asks', async () => {
  const answers = new Set<string>();
  for (let time = 0; time < 60; time += 1)
    answers.add((await s.graphql(inShop('id owner pullRequests(first: 2) { nodes { number } }'), variables)).text);
  expect(answers.size).toBe(1);
  const rest = new Set<string>();
  for (let time = 0; time < 60; time += 1)
    rest.add(await (await s.rest('GET', '/api/v1/pull_request?org=acme&repo=shop&number=1')).text());
  expect(rest.size).toBe(1);
});
