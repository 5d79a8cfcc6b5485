// Another account gets the same bytes for an existing row as for a row that does not exist: with every operation, with
// the id of every type, and with each of its roles. (test/rest/tenants.test.ts has the same for REST.)
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/context.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { nodeTypes } from '../../src/graphql/node.resolver.ts';
import { mayUse } from '../../src/modules/accounts/authorisation.ts';
import { seedRunbook } from '../runbooks/runbook-rows.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { tokensOfRoles } from './account.ts';
import { askOperation } from './ask-operation.ts';
import { contentOf } from './content.ts';
import { firstId, makeEveryRow } from './every-row.ts';
import { inventedVariables, operations, operationsWithoutNames, scopesOf, type Operation } from './operations.ts';
import { roles } from './roles-of-scopes.ts';

type Variables = Readonly<Record<string, unknown>>;

let s: TestServer;
/** Variables that name the rows of the first account. */
let theirs: Variables;
/** Variables that name the rows of the other account, which asks. */
let own: Variables;
let tokens: ReadonlyMap<Role, string>;
let before: ReadonlyMap<string, string>;

beforeAll(async () => {
  s = await startServer();
  const made = await makeEveryRow(s);
  // Each account counts its runbooks from 1, so the second one is a number that only this account has.
  const { number: runbook } = await seedRunbook(s, { repositoryId: await firstId(s, 'repository') });
  theirs = { ...made, runbook };
  const other = await s.otherAccount();
  own = await makeEveryRow(s, other, { repository: 'stall', project: 'Stall', image: 'stall', secret: 'STALL' });
  tokens = await tokensOfRoles(s, other.token);
  before = await contentOf(s, s.accountId);
});
afterAll(async () => await s.close());

async function answersOf(operation: Operation, [real, unknown]: readonly [Variables, Variables], role: Role) {
  const token = tokens.get(role) ?? '';
  return [await askOperation(s, operation, real, token), await askOperation(s, operation, unknown, token)] as const;
}

/** The codes of the errors, or the data of the first field. */
function outcomeOf(answer: string): unknown {
  const { data, errors } = JSON.parse(answer) as { data: object; errors?: { extensions: { code: string } }[] };
  return errors ? errors.map(({ extensions }) => extensions.code) : Object.values(data)[0];
}

const nothing = [['NOT_FOUND'], [null], null];

it.each(roles)('the other account has a token of the role %s', async (role) => {
  const { data } = await s.graphql('{ viewer { role account { name } } }', {}, tokens.get(role));
  expect(data).toEqual({ viewer: { role: role.toUpperCase(), account: { name: 'other' } } });
});

describe.each(roles)('to the role %s of another account', (role) => {
  it.each(operations.filter(({ field }) => !operationsWithoutNames.has(field)))(
    '$field answers as if the named row did not exist',
    async (operation) => {
      const [real, unknown] = await answersOf(operation, [theirs, inventedVariables], role);
      expect(real).toBe(unknown);
      const isAllowed = scopesOf(operation).some((scope) => mayUse(role, scope));
      // A field of a repository that is null is not resolved, so nothing refuses it.
      expect(isAllowed ? nothing : [['FORBIDDEN'], null]).toContainEqual(outcomeOf(real));
    },
  );
});

/** Names that an operation takes together: a repository has two variables. The number is that of a row in it. */
const groups = Object.keys(inventedVariables)
  .filter((name) => !['owner', 'number'].includes(name))
  .map((name) => (name === 'name' ? ['owner', 'name'] : [name]));

const mixed = operations.flatMap((operation) => {
  const named = groups.filter((group) => group.some((name) => operation.document.includes(`$${name}`)));
  return named.length < 2 ? [] : named.map((group) => ({ ...operation, group, variable: group.at(-1) ?? '' }));
});

describe('beside rows of its own', () => {
  it.each(mixed)(
    'another account gets from $field with a foreign $variable the answer for an unknown one',
    async ({ group, ...operation }) => {
      const variables = (from: Variables): Variables => ({
        ...own,
        ...Object.fromEntries(group.map((name) => [name, from[name]])),
      });
      const [real, unknown] = await answersOf(operation, [variables(theirs), variables(inventedVariables)], 'admin');
      expect(real).toBe(unknown);
      expect(nothing).toContainEqual(outcomeOf(real));
    },
  );

  it.each(mixed.filter(({ field }) => !field.startsWith('Mutation.remove') && !field.startsWith('Mutation.revoke')))(
    '$field with its own $variable and its other own rows succeeds',
    async (operation) => {
      const answer = await askOperation(s, operation, own, tokens.get('admin') ?? '');
      expect(JSON.parse(answer)).not.toHaveProperty('errors');
      expect(outcomeOf(answer)).not.toBeNull();
    },
  );
});

/** The table of each type that has node ids. */
const tableOf: Readonly<Record<string, string>> = {
  Repository: 'repository',
  PullRequest: 'pull_request',
  BotPullRequest: 'bot_pull_request',
  Batch: 'batch',
  Queue: 'queue',
  Freeze: 'freeze_rule',
  ApiToken: 'api_token',
  User: 'account_user',
  Team: 'account_team',
  EmbedLink: 'embed_link',
  WebhookEndpoint: 'webhook_endpoint',
  SlackDestination: 'slack_destination',
  WebhookDelivery: 'webhook_delivery',
  ReleaseProject: 'release_project',
  Environment: 'environment',
  Release: 'release',
  ReleaseCandidate: 'release_candidate',
  Deployment: 'deployment',
  PreviewImage: 'preview_image',
  PreviewSecret: 'preview_secret',
  Verification: 'verification',
  PreviewRegistration: 'preview_registration',
  Runbook: 'runbook',
};

describe('an id of the type', () => {
  const unknownRow = '999999999';
  const node = 'query ($id: ID!) { node(id: $id) { id __typename } }';
  const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }';
  const ownersId = async (type: string): Promise<string> => encodeNodeId(type, await firstId(s, tableOf[type] ?? ''));

  it('has a row here', () => {
    expect(Object.keys(tableOf).sort()).toEqual([...nodeTypes].sort());
  });

  it.each(nodeTypes)('%s shows its object to the account that owns it', async (type) => {
    const id = await ownersId(type);
    expect((await s.graphql(node, { id })).data).toEqual({ node: { id, __typename: type } });
    expect((await s.graphql(nodes, { ids: [id] })).data).toEqual({ nodes: [{ id, __typename: type }] });
  });

  it.each(nodeTypes)('%s is to each role of another account like an id that does not exist', async (type) => {
    const [id, unknown] = [await ownersId(type), encodeNodeId(type, unknownRow)];
    const mine = String(own['node']);
    for (const role of roles) {
      const ask = async (document: string, variables: Variables): Promise<string> =>
        (await s.graphql(document, variables, tokens.get(role))).text;
      const said = await ask(node, { id });
      expect(said).toBe(await ask(node, { id: unknown }));
      expect([null, ['FORBIDDEN']]).toContainEqual(outcomeOf(said));
      const listed = await ask(nodes, { ids: [mine, id] });
      expect(listed).toBe(await ask(nodes, { ids: [mine, unknown] }));
      expect(listed).not.toContain(id);
    }
  });
});

it('another account has changed nothing by all these requests', async () => {
  expect(await contentOf(s, s.accountId)).toEqual(before);
});
