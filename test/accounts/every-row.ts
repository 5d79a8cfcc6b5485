// An account with a row of every kind that an operation can name.
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { seed, sha } from '../graphql/seed.ts';
import { seedRunbook } from '../runbooks/runbook-rows.ts';
import type { TestServer } from '../support/server.ts';

interface Account {
  readonly accountId: string;
  readonly token: string;
}

/** The names that an account gives to what it makes. */
export interface GivenNames {
  readonly repository: string;
  readonly project: string;
  readonly image: string;
  readonly secret: string;
}

const usualNames: GivenNames = { repository: 'shop', project: 'Shop', image: 'shop', secret: 'SHOP' };

/** Makes the rows. Returns the variables of `operations.ts` that name them. */
export async function makeEveryRow(
  s: TestServer,
  account: Account = s,
  names: GivenNames = usualNames,
): Promise<Readonly<Record<string, unknown>>> {
  const { accountId, token } = account;
  const { owner, name, repositoryId } = await seed(s, { name: names.repository, token, accountId });
  const made: MadeIn = { s, accountId, token, repository: { owner, name }, repositoryId };
  await s.rows(
    "insert into account_team (account_id, org, slug, name, created_at) values ($1, 'acme', 'core', 'Core', now())",
    [accountId],
  );
  return {
    owner,
    name,
    number: 1,
    node: encodeNodeId('Repository', repositoryId),
    token: encodeNodeId('ApiToken', await firstId({ ...s, accountId }, 'api_token')),
    user: encodeNodeId('User', await firstId({ ...s, accountId }, 'account_user')),
    team: encodeNodeId('Team', await firstId({ ...s, accountId }, 'account_team')),
    ...(await makeWebhook(made)),
    embedLink: await makeEmbedLink(made),
    slackDestination: await makeSlackDestination(made),
    ...(await makeRelease(made, names.project)),
    runbook: (await seedRunbook(s, { repositoryId, accountId })).number,
    ...(await makePreview(made, names)),
  };
}

interface MadeIn extends Account {
  readonly s: TestServer;
  readonly repository: { readonly owner: string; readonly name: string };
  readonly repositoryId: string;
}

/** The id of the oldest row that the account has in the table. */
export async function firstId(
  { rows, accountId }: Pick<TestServer, 'rows' | 'accountId'>,
  table: string,
): Promise<string> {
  const [row] = await rows<{ id: string }>(`select id::text from ${table} where account_id = $1 order by id limit 1`, [
    accountId,
  ]);
  if (row === undefined) throw new Error(`The account has no row in ${table}.`);
  return row.id;
}

async function mutate<Data>(
  { s, token, repository }: MadeIn,
  document: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Data> {
  const needed = document.includes('$repository') ? { repository, ...variables } : variables;
  const { data, errors, text } = await s.graphql<Data>(document, needed, token);
  if (errors.length > 0) throw new Error(text);
  return data;
}

async function makeWebhook(made: MadeIn): Promise<{ endpoint: string; delivery: string }> {
  const { createWebhookEndpoint } = await mutate<{ createWebhookEndpoint: { webhookEndpoint: { id: string } } }>(
    made,
    'mutation { createWebhookEndpoint(input: {url: "https://hooks.example.test/", actions: ["*"]}) { webhookEndpoint { id } } }',
  );
  const endpoint = createWebhookEndpoint.webhookEndpoint.id;
  const { pingWebhookEndpoint } = await mutate<{ pingWebhookEndpoint: { webhookDelivery: { id: string } } }>(
    made,
    'mutation ($id: ID!) { pingWebhookEndpoint(input: {id: $id}) { webhookDelivery { id } } }',
    { id: endpoint },
  );
  return { endpoint, delivery: pingWebhookEndpoint.webhookDelivery.id };
}

async function makeEmbedLink(made: MadeIn): Promise<string> {
  const { createEmbedLink } = await mutate<{ createEmbedLink: { embedLink: { id: string } } }>(
    made,
    'mutation ($repository: RepositoryInput!) { createEmbedLink(input: {repository: $repository, baseBranch: "main"}) { embedLink { id } } }',
  );
  return createEmbedLink.embedLink.id;
}

async function makeSlackDestination(made: MadeIn): Promise<string> {
  const { createSlackDestination } = await mutate<{ createSlackDestination: { slackDestination: { id: string } } }>(
    made,
    'mutation { createSlackDestination(input: {kind: PEOPLE}) { slackDestination { id } } }',
  );
  return createSlackDestination.slackDestination.id;
}

async function makeRelease(
  made: MadeIn,
  project: string,
): Promise<{ project: string; deployment: string; freeze: string }> {
  await mutate(
    made,
    `mutation ($project: String!, $repository: RepositoryInput!) {
       createReleaseProject(input: {name: $project, repository: $repository}) { releaseProject { id } }
       createEnvironment(input: {project: $project, name: "production", provider: {kind: NONE}}) { environment { id } } }`,
    { project },
  );
  await made.s.rows(
    `with made as (insert into release (account_id, project_id, version, created_at)
       select account_id, id, '1.0', now() from release_project where account_id = $1 returning *)
     insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at)
     select $1, project_id, id, '1.0-rc1', 1, $2, $3, 'ready', 'ada@example.test', now() from made`,
    [made.accountId, sha('c'), made.repositoryId],
  );
  const { createDeployment } = await mutate<{ createDeployment: { deployment: { id: string } } }>(
    made,
    'mutation ($project: String!) { createDeployment(input: {project: $project, environment: "production", version: "1.0-rc1"}) { deployment { id } } }',
    { project },
  );
  const { freezeBranches } = await mutate<{ freezeBranches: { freeze: { id: string } } }>(
    made,
    'mutation ($repository: RepositoryInput!) { freezeBranches(input: {repository: $repository, baseBranches: "release/*"}) { freeze { id } } }',
  );
  return { project, deployment: createDeployment.deployment.id, freeze: freezeBranches.freeze.id };
}

/**
 * Replaces the configuration by one with an endpoint preview, so that registering a preview reaches all rows that it
 * reads.
 */
async function makePreview(
  made: MadeIn,
  { image, secret }: GivenNames,
): Promise<{ previewImage: string; previewSecret: string; verification: string }> {
  await mutate(
    made,
    `mutation ($repository: RepositoryInput!, $image: String!, $secret: String!) {
       replaceConfiguration(input: {repository: $repository, yaml: "verify: {preview: [{method: endpoint}]}"}) { outcome { __typename } }
       registerPreviewImage(input: {name: $image, kind: COMMAND, source: "true"}) { previewImage { id } }
       setPreviewSecret(input: {key: $secret, value: "x"}) { previewSecret { id } }
       grantPreviewSecret(input: {repository: $repository, key: $secret}) { previewSecret { id } } }`,
    { image, secret },
  );
  const { verifyPullRequest } = await mutate<{ verifyPullRequest: { verification: { id: string } } }>(
    made,
    `mutation ($repository: RepositoryInput!) {
       registerPreview(input: {repository: $repository, commitSha: "${sha(1)}", previewUrl: "https://preview.example.test/", prNumber: 1}) { registration { id } }
       verifyPullRequest(input: {repository: $repository, number: 1}) { verification { id } } }`,
  );
  return { previewImage: image, previewSecret: secret, verification: verifyPullRequest.verification.id };
}
