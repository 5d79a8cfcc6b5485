// Every operation is refused without a token and without its scope.
import { isObjectType, type GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopes, type Scope } from '../../src/context.ts';
import { compileFacade, loadDocuments } from '../../rest-facade/index.ts';
import { nodeTypes } from '../../src/graphql/node.resolver.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';
import { everyScopeBut, startServer, type TestServer } from '../support/server.ts';
import { askOperation } from './ask-operation.ts';
import { makeEveryRow } from './every-row.ts';
import { inventedVariables, operations, scopesOf, type Operation } from './operations.ts';

let s: TestServer;
let other: { token: string; accountId: string };
/**
 * For each list of scopes of which one is enough: a token with all scopes except these and the scopes that include
 * them.
 */
const limited = new Map<string, string>();
/** For each scope: a token with only this scope. */
const alone = new Map<string, string>();
/** A token with one of the listed scopes may also do what the key allows. */
const writers: Partial<Record<Scope, readonly Scope[]>> = {
  'queue:read': ['queue:write', 'admin'],
  'config:read': ['config:write'],
  'release:read': ['release:write', 'deploy:write'],
};
let real: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  s = await startServer();
  other = await s.otherAccount();
  for (const operation of operations) {
    const enough = scopesOf(operation);
    if (enough.length === 0 || limited.has(String(enough))) continue;
    limited.set(
      String(enough),
      await s.tokenWith(everyScopeBut(...enough, ...enough.flatMap((scope) => writers[scope] ?? []))),
    );
    for (const scope of enough) alone.set(scope, await s.tokenWith([scope]));
  }
  real = await makeEveryRow(s);
});
afterAll(async () => await s.close());

async function ask(
  operation: Operation,
  variables: Readonly<Record<string, unknown>>,
  token: string | null,
): Promise<string> {
  return await askOperation(s, operation, variables, token);
}

const schema = interlockSchema();
const fieldsOf = (type: GraphQLObjectType | null | undefined): string[] =>
  Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`);

describe('the table of operations', () => {
  it('lacks exactly the operations that the file lists', async () => {
    const repository = schema.getType('Repository');
    const resolved = isObjectType(repository) ? fieldsOf(repository).filter((field) => !plainFields.has(field)) : [];
    const all = [
      ...fieldsOf(schema.getQueryType()),
      ...fieldsOf(schema.getMutationType()),
      ...fieldsOf(schema.getSubscriptionType()),
      ...resolved,
    ];
    const tested = new Set(operations.map(({ field }) => field));
    const untested = all.filter((field) => !tested.has(field));
    await expect(untested.map((field) => `${field}\n`).join('')).toMatchFileSnapshot(
      'operations-without-authorisation-test.txt',
    );
    expect(operations.map(({ field }) => field).filter((field) => !all.includes(field))).toEqual([]);
  });

  it('has only scopes that exist, and its node types are all types with an id', () => {
    expect(operations.flatMap(scopesOf).every((scope) => scopes.includes(scope))).toBe(true);
    const node = schema.getType('Node');
    const implementing =
      node && 'getInterfaces' in node ? schema.getPossibleTypes(node as never).map(({ name }) => name) : [];
    expect([...nodeTypes].sort()).toEqual([...implementing].sort());
  });
});

// Columns of the repository's row. Who may see the repository may see them.
const plainFields = new Set(
  ['id', 'owner', 'name', 'host', 'defaultBranch', 'active', 'paused', 'preparingSince', 'createdAt', 'deletedAt'].map(
    (field) => `Repository.${field}`,
  ),
);

describe('an operation', () => {
  it.each(operations)('$field is refused without a token', async (operation) => {
    const answer = JSON.parse(await ask(operation, real, null));
    expect(answer).toEqual(
      operation.field.startsWith('Subscription.')
        ? { code: 4401 }
        : { errors: [{ message: 'Unauthorized', extensions: { code: 'UNAUTHENTICATED' } }] },
    );
  });

  it.each(operations.filter(({ scope }) => scope !== null))(
    '$field is refused without its scope, and the message names the scope',
    async (operation) => {
      const enough = scopesOf(operation);
      const answer = JSON.parse(await ask(operation, real, limited.get(String(enough)) ?? ''));
      const named = enough.length === 1 ? `the scope ${enough[0]}` : `one of the scopes ${enough.join(', ')}`;
      expect(answer.errors).toMatchObject([
        { message: `This needs a token with ${named}.`, extensions: { code: 'FORBIDDEN' } },
      ]);
    },
  );
});

describe('lists', () => {
  it('contain nothing of another account', async () => {
    const { data } = await s.graphql(
      '{ repositories { nodes { name } totalCount } apiTokens { name } viewer { account { name } } }',
      {},
      other.token,
    );
    expect(data).toEqual({
      repositories: { nodes: [], totalCount: 0 },
      apiTokens: [{ name: 'First token' }],
      viewer: { account: { name: 'other' } },
    });
  });

  it('show each of two accounts its own repository of the same name', async () => {
    await s.graphql(
      'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
      {},
      other.token,
    );
    const mine = await s.graphql('{ repository(owner: "acme", name: "shop") { queuedPullRequests { number } } }');
    const theirs = await s.graphql(
      '{ repository(owner: "acme", name: "shop") { queuedPullRequests { number } } }',
      {},
      other.token,
    );
    expect([mine.data, theirs.data]).toEqual([
      { repository: { queuedPullRequests: [{ number: 1 }, { number: 2 }, { number: 3 }] } },
      { repository: { queuedPullRequests: [] } },
    ]);
  });
});

describe('REST', () => {
  it('refuses an unknown token before it reads the body', async () => {
    const response = await s.rest('POST', '/api/v1/pull_request', {
      body: '{',
      token: 'il_live_wrong',
      headers: { 'content-type': 'application/json' },
    });
    expect([response.status, response.headers.get('www-authenticate'), await response.json()]).toEqual([
      401,
      'Bearer',
      { error: 'Unauthorized' },
    ]);
  });

  // The façade looks up an Idempotency-Key only for users who may run the mutation.
  it('names in each document with a key the scope that its mutation needs', () => {
    const documents = compileFacade({ schema: interlockSchema(), documents: loadDocuments() });
    const keyed = documents.filter(({ method }) => method === 'POST' || method === 'PATCH');
    const named = keyed.map(({ name, scope }) => [name, scope]);
    const needed = keyed.map(({ name, root }) => {
      const mutation = `Mutation.${root.fields[0]?.source}`;
      return [name, operations.find(({ field }) => field === mutation)?.scope];
    });
    expect(named).toEqual(needed);
    expect(named.length).toBeGreaterThan(10);
  });

  it('names the missing scope', async () => {
    const response = await s.rest('POST', '/api/v1/repo', {
      body: { org: 'acme', name: 'shop', paused: true },
      token: limited.get('queue:pause') ?? '',
    });
    expect([response.status, await response.json()]).toEqual([
      403,
      { error: 'This needs a token with the scope queue:pause.' },
    ]);
  });
});

describe('viewerCan', () => {
  /**
   * The mutations of each action. Skipping the line or validation is an option of `queuePullRequest`
   * (permissions.test.ts).
   */
  const mutationsOf = {
    QUEUE: ['queuePullRequest'],
    DEQUEUE: ['dequeuePullRequest'],
    SYNC: ['syncPullRequest'],
    REFRESH: ['refreshPullRequest'],
    BACKPORT: ['backportPullRequest'],
    VERIFY: ['verifyPullRequest'],
    PAUSE: ['pauseRepository', 'pauseBranches'],
    FREEZE: ['freezeBranches', 'unfreezeBranches', 'freezeEnvironment', 'unfreezeEnvironment', 'deleteFreeze'],
    RESET_QUEUE: ['resetQueue'],
    RETRY_BUILD: ['retryBuild'],
    HALT: ['haltQueue', 'resumeQueue'],
    CONFIGURE: ['replaceConfiguration'],
    START_RUNBOOK: ['createRunbook'],
    DEPLOY: ['createDeployment', 'cancelDeployment', 'reportDeployment'],
    ROLL_BACK: ['rollBackEnvironment'],
    UPDATE_ENVIRONMENT: ['updateEnvironment'],
    ADMINISTER: ['addUser', 'createWebhookEndpoint', 'createEmbedLink'],
  } as const;

  interface Capability {
    readonly action: string;
    readonly allowed: boolean;
    readonly sentence: string | null;
  }
  async function capabilitiesOf(token: string): Promise<Map<string, Capability>> {
    const { data, errors } = await s.graphql<{
      viewer: { viewerCan: Capability[] };
      repository: { viewerCan: Capability[]; pullRequest: { viewerCan: Capability[] } };
      releaseProject: { environment: { viewerCan: Capability[] } };
    }>(
      `query ($owner: String!, $name: String!, $project: String!) {
         viewer { viewerCan { action allowed sentence } }
         repository(owner: $owner, name: $name) { viewerCan { action allowed sentence } pullRequest(number: 1) { viewerCan { action allowed sentence } } }
         releaseProject(name: $project) { environment(name: "production") { viewerCan { action allowed sentence } } } }`,
      real,
      token,
    );
    expect(errors).toEqual([]);
    const { viewer, repository, releaseProject } = data;
    const all = [
      ...viewer.viewerCan,
      ...repository.viewerCan,
      ...repository.pullRequest.viewerCan,
      ...releaseProject.environment.viewerCan,
    ];
    return new Map(all.map((each) => [each.action, each]));
  }

  it('refuses with the same message as the mutation', async () => {
    const token = await s.tokenWith(['queue:read', 'release:read']);
    const actions = await capabilitiesOf(token);
    expect([...actions.keys()].sort()).toEqual([...Object.keys(mutationsOf), 'SKIP_LINE', 'SKIP_VALIDATION'].sort());
    for (const [action, mutations] of Object.entries(mutationsOf)) {
      const { allowed, sentence } = actions.get(action) ?? {};
      expect([action, allowed]).toEqual([action, false]);
      for (const mutation of mutations) {
        const operation = operations.find(({ field }) => field === `Mutation.${mutation}`) as Operation;
        const { errors } = JSON.parse(await ask(operation, real, token));
        expect([mutation, errors[0].message]).toEqual([mutation, sentence]);
      }
    }
  });

  it('allows an admin with all scopes every action', async () => {
    const actions = await capabilitiesOf(s.token);
    expect([...actions.values()].filter(({ allowed, sentence }) => !allowed || sentence !== null)).toEqual([]);
  });
});

// These tests come last, because they change rows that other tests read.
describe('a token with one scope', () => {
  // Once, a mutation made its change and was then refused, because its answer needed another scope.
  const withOne = operations.flatMap((operation) =>
    scopesOf(operation).map((scope) => ({ ...operation, needed: scope })),
  );
  it.each(withOne.filter(({ field }) => !field.startsWith('Subscription.')))(
    'can use $field with the scope $needed alone',
    async ({ needed, ...operation }) => {
      for (const variables of needed === 'admin' ? [inventedVariables] : [inventedVariables, real]) {
        const { errors = [] } = JSON.parse(await ask(operation, variables, alone.get(needed) ?? ''));
        expect(errors.filter(({ message }: { message: string }) => message.startsWith('This needs '))).toEqual([]);
      }
    },
  );

  it.each([
    ['analytics:read', '/api/v1/analytics?repo=acme/shop'],
    ['config:read', '/api/v1/config?org=acme&repo=shop'],
    ['config:read', '/api/v1/config/history?org=acme&repo=shop'],
    ['queue:read', '/api/v1/queue/stats?org=acme&repo=shop'],
  ])('with %s can use GET %s', async (scope, path) => {
    expect((await s.rest('GET', path, { token: alone.get(scope) ?? '' })).status).toBe(200);
  });
});
