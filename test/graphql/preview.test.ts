import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { seed } from './seed.ts';

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
  await seed(s);
});
afterAll(async () => await s.close());

const shop = '{owner: "acme", name: "shop"}';

async function ask<Data>(document: string, token?: string): Promise<Data> {
  const answer = await s.graphql<Data>(document, {}, token);
  expect(answer.errors).toEqual([]);
  return answer.data;
}

it('a dry run returns the present state and the impact', async () => {
  const answer = await ask(`mutation {
    pauseRepository(input: {repository: ${shop}, paused: true, preview: true}) { repository { paused } impact { landingsHeld sentence buildMinutesLost etasMoved { number } } }
    pauseBranches(input: {repository: ${shop}, pattern: "release/*", paused: true, preview: true}) { branchPause { paused } impact { sentence } }
    freezeBranches(input: {repository: ${shop}, baseBranches: "release/*", preview: true}) { freeze { id } impact { sentence } }
    dequeuePullRequest(input: {repository: ${shop}, number: 6, preview: true}) { pullRequest { status } impact { buildsStopped { baseBranch pullRequests } } }
  }`);
  expect(answer).toEqual({
    pauseRepository: {
      repository: { paused: false },
      impact: { landingsHeld: [], sentence: expect.any(String), buildMinutesLost: 0, etasMoved: expect.any(Array) },
    },
    pauseBranches: {
      branchPause: { paused: true },
      impact: { sentence: 'The change affects no build and no landing.' },
    },
    freezeBranches: { freeze: null, impact: { sentence: 'The change affects no build and no landing.' } },
    dequeuePullRequest: { pullRequest: { status: 'OPEN' }, impact: { buildsStopped: [] } },
  });
  expect(await s.rows('select 1 from branch_pause')).toEqual([]);
});

it('a mutation that is carried out returns no impact', async () => {
  const answer = await ask(`mutation {
    pauseRepository(input: {repository: ${shop}, paused: false}) { repository { paused } impact { sentence } }
  }`);
  expect(answer).toEqual({ pauseRepository: { repository: { paused: false }, impact: null } });
});

it('the impact of a configuration, which names pull requests, needs queue:read', async () => {
  const tokenWith = async (scopes: string): Promise<string> => {
    const created = `mutation { createApiToken(input: {name: "${scopes}", scopes: [${scopes}]}) { token } }`;
    return (await ask<{ createApiToken: { token: string } }>(created)).createApiToken.token;
  };
  const input = `repository: ${shop}, yaml: "merge_rules:\\n  labels: {trigger: mergequeue}\\n"`;
  const preview = `{ previewConfiguration(input: {${input}}) { accepted impact { landingsHeld } } }`;
  const replacement = `mutation { replaceConfiguration(input: {${input}, preview: true}) { impact { landingsHeld } } }`;
  const answers = async (read: string, write: string): Promise<unknown[]> => [
    await ask(preview, await tokenWith(read)),
    await ask(replacement, await tokenWith(write)),
  ];
  expect(await answers('CONFIG_READ', 'CONFIG_WRITE')).toEqual([
    { previewConfiguration: { accepted: true, impact: null } },
    { replaceConfiguration: { impact: null } },
  ]);
  expect(await answers('CONFIG_READ, QUEUE_READ', 'CONFIG_WRITE, QUEUE_READ')).toEqual([
    { previewConfiguration: { accepted: true, impact: { landingsHeld: [] } } },
    { replaceConfiguration: { impact: { landingsHeld: [] } } },
  ]);
});

it('previewConfiguration returns what a configuration changes, or where it is wrong', async () => {
  const yaml = 'merge_rules:\\n  labels: {trigger: mergequeue}\\n  merge_strategy: {name: merge}\\n';
  const answer = await ask(`{
    good: previewConfiguration(input: {repository: ${shop}, yaml: "${yaml}"}) { accepted problems { reason } changedKeys { key mark before after } impact { resets { code } } }
    bad: previewConfiguration(input: {repository: ${shop}, yaml: "merge_rules:\\n  labels: {triger: a}\\n"}) { accepted problems { path code line column nearestKey } changedKeys { key } impact { sentence } }
  }`);
  expect(answer).toEqual({
    good: {
      accepted: true,
      problems: [],
      changedKeys: [{ key: 'merge_rules.merge_strategy.name', mark: 'BUILD', before: '"squash"', after: '"merge"' }],
      impact: { resets: [] },
    },
    bad: {
      accepted: false,
      problems: expect.arrayContaining([
        { path: ['merge_rules', 'labels', 'triger'], code: 'UNKNOWN_KEY', line: 2, column: 12, nearestKey: 'trigger' },
      ]),
      changedKeys: [],
      impact: null,
    },
  });
});

it('a dry run of a replacement is refused like the replacement', async () => {
  const answer = await ask(`mutation {
    replaceConfiguration(input: {repository: ${shop}, yaml: "x: 1", preview: true}) {
      outcome { __typename ... on ConfigurationRefused { problems { code nearestKey } } } impact { sentence }
    }
  }`);
  expect(answer).toEqual({
    replaceConfiguration: {
      outcome: {
        __typename: 'ConfigurationRefused',
        problems: [{ code: 'UNKNOWN_KEY', nearestKey: expect.any(String) }],
      },
      impact: null,
    },
  });
});

it('a replacement, and its dry run, is refused if another configuration than the expected one is in force', async () => {
  const read = async (): Promise<{ yaml: string; hash: string }> =>
    (
      await ask<{ repository: { configuration: { yaml: string; hash: string } } }>(
        '{ repository(owner: "acme", name: "shop") { configuration { yaml hash } } }',
      )
    ).repository.configuration;
  const replace = async (variables: { yaml: string; hash: string | null; preview?: boolean }) =>
    await s.graphql(
      `mutation ($yaml: String!, $hash: String, $preview: Boolean! = false) {
         replaceConfiguration(input: {repository: ${shop}, yaml: $yaml, expectedHash: $hash, preview: $preview}) { outcome { __typename } }
       }`,
      variables,
    );
  const before = await read();
  const [mine, theirs] = [`${before.yaml}\n# mine\n`, `${before.yaml}\n# theirs\n`];
  const accepted = { replaceConfiguration: { outcome: { __typename: 'ConfigurationAccepted' } } };
  expect((await replace({ yaml: theirs, hash: before.hash })).data).toEqual(accepted);
  for (const preview of [true, false])
    expect((await replace({ yaml: mine, hash: before.hash, preview })).errors).toMatchObject([
      { extensions: { code: 'CONFLICT', field: 'input.expectedHash' } },
    ]);
  expect((await read()).yaml).toBe(theirs);
  // A repetition of the request that was carried out.
  expect((await replace({ yaml: theirs, hash: before.hash })).data).toEqual(accepted);
  expect((await replace({ yaml: mine, hash: (await read()).hash })).data).toEqual(accepted);
  expect((await replace({ yaml: before.yaml, hash: null })).data).toEqual(accepted);
});

it('a dry run needs the same permission as the mutation', async () => {
  const token = await s.tokenWith(['queue:read']);
  for (const document of [
    `mutation { pauseRepository(input: {repository: ${shop}, paused: true, preview: true}) { repository { id } } }`,
    `mutation { pauseBranches(input: {repository: ${shop}, pattern: "main", paused: true, preview: true}) { branchPause { pattern } } }`,
    `mutation { replaceConfiguration(input: {repository: ${shop}, yaml: "x: 1", preview: true}) { outcome { __typename } } }`,
    `mutation { dequeuePullRequest(input: {repository: ${shop}, number: 1, preview: true}) { pullRequest { id } } }`,
    `mutation { queuePullRequest(input: {repository: ${shop}, number: 1, preview: true}) { pullRequest { id } } }`,
    `mutation { syncPullRequest(input: {repository: ${shop}, number: 1, preview: true}) { message } }`,
    `mutation { backportPullRequest(input: {repository: ${shop}, number: 1, targetBranch: "a", preview: true}) { message } }`,
    `mutation { createFreezeSchedule(input: {branches: {repository: ${shop}, baseBranches: "main"}, schedule: {cronStart: "0 1 * * *", cronEnd: "0 2 * * *", timezone: "UTC"}, preview: true}) { freeze { id } } }`,
    `mutation { deleteFreeze(input: {id: "RnJlZXplOjE", preview: true}) { freeze { id } } }`,
    `mutation { unfreezeEnvironment(input: {project: "Web", environment: "production", preview: true}) { deleted } }`,
    `mutation { updateEnvironment(input: {project: "Web", environment: "production", preview: true}) { environment { id } } }`,
    `mutation { retryRunbook(input: {number: 1, preview: true}) { runbook { id } } }`,
  ]) {
    const answer = await s.graphql(document, {}, token);
    expect(answer.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  }
});

it('an explanation of the future is refused, and an explanation of the unknown past says that the reason is not known', async () => {
  const of = (asOf: string) =>
    `{ repository(owner: "acme", name: "shop") { pullRequest(number: 4) { explain(asOf: "${asOf}") { kind sentence at conditions { kind } } } } }`;
  expect((await s.graphql(of('2999-01-01T00:00:00Z'))).errors).toMatchObject([{ extensions: { code: 'BAD_INPUT' } }]);
  expect(await ask(of('2020-01-01T00:00:00Z'))).toEqual({
    repository: {
      pullRequest: {
        explain: {
          kind: 'UNKNOWN',
          sentence: 'Interlock did not know the pull request yet.',
          at: '2020-01-01T00:00:00.000Z',
          conditions: [],
        },
      },
    },
  });
});
