// Every operation of the API with variables that make sense to the account they are for, and the scope it needs.
import type { Scope } from '../../src/context.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';

export interface Operation {
  /** `Query.repository`: the field this is the test of. */
  readonly field: string;
  /** One of several is enough. Null: every token may. */
  readonly scope: Scope | readonly Scope[] | null;
  readonly document: string;
}

/** Of which one is enough; none where every token may. */
export function scopesOf({ scope }: Operation): readonly Scope[] {
  if (scope === null) return [];
  return typeof scope === 'string' ? [scope] : scope;
}

/** Whatever names a repository; what is inside of it needs a scope of its own. */
const ofRepository = ['queue:read', 'queue:pause', 'config:read', 'analytics:read'] as const;

const repository = '{owner: $owner, name: $name}';
const pullRequest = `{repository: ${repository}, number: $number}`;
const names = '$owner: String!, $name: String!';
const withNumber = `${names}, $number: PullRequestNumber!`;

function inRepository(field: string, scope: Operation['scope'], selection: string): Operation {
  return { field, scope, document: `query (${names}) { repository(owner: $owner, name: $name) { ${selection} } }` };
}

function mutation(name: string, scope: Scope, variables: string, input: string, selection: string): Operation {
  return {
    field: `Mutation.${name}`,
    scope,
    document: `mutation (${variables}) { ${name}(input: ${input}) { ${selection} } }`,
  };
}

export const operations: readonly Operation[] = [
  { field: 'Query.viewer', scope: null, document: '{ viewer { scopes } }' },
  { field: 'Query.apiTokens', scope: 'admin', document: '{ apiTokens { id name } }' },
  { field: 'Query.node', scope: ofRepository, document: 'query ($node: ID!) { node(id: $node) { id } }' },
  { field: 'Query.nodes', scope: ofRepository, document: 'query ($node: ID!) { nodes(ids: [$node]) { id } }' },
  { field: 'Query.repositories', scope: 'queue:read', document: '{ repositories { nodes { id } totalCount } }' },
  inRepository('Query.repository', ofRepository, 'id owner name paused'),
  inRepository('Repository.configuration', 'config:read', 'configuration { yaml }'),
  inRepository('Repository.configurationHistory', 'config:read', 'configurationHistory { nodes { diff } }'),
  {
    field: 'Query.previewConfiguration',
    scope: 'config:read',
    document: `query (${names}) { previewConfiguration(input: {repository: ${repository}, yaml: "merge_rules: {labels: {trigger: a}}"}) { accepted impact { sentence } } }`,
  },
  {
    field: 'Query.simulateQueue',
    scope: 'analytics:read',
    document: `query (${names}) { simulateQueue(input: {repository: ${repository}, days: 1}) { accepted present { landed } } }`,
  },
  inRepository('Repository.branchPauses', 'queue:read', 'branchPauses { pattern paused pausedMessage }'),
  inRepository(
    'Repository.pullRequest',
    'queue:read',
    'pullRequest(number: 1) { id explain { sentence eta { p50 } conditions { kind } } checks { name } latestBotPullRequest { id } comments { body } reviewThreads { id } batches { nodes { id } } }',
  ),
  inRepository('Repository.pullRequests', 'queue:read', 'pullRequests { nodes { id position } }'),
  inRepository('Repository.queuedPullRequests', 'queue:read', 'queuedPullRequests { id }'),
  inRepository(
    'Repository.botPullRequest',
    'queue:read',
    'botPullRequest(number: 7) { id pullRequests { id } batch { id } }',
  ),
  inRepository(
    'Repository.queue',
    'queue:read',
    'queue(baseBranch: "main") { id builds pause { message } entries { id } etas { number } depth { queued } batches { nodes { id members { commit } proof { digest } } } }',
  ),
  inRepository('Repository.queues', 'queue:read', 'queues { id }'),
  inRepository('Repository.queueDepth', 'queue:read', 'queueDepth { queued }'),
  inRepository(
    'Repository.analytics',
    'analytics:read',
    'analytics { mergequeueUsage { total } timeInQueue { p50 } blockedReason { other } }',
  ),
  inRepository('Repository.events', 'queue:read', 'events { nodes { action } }'),
  mutation('createRepository', 'admin', names, '{owner: $owner, name: $name, host: LOCAL}', 'repository { owner }'),
  mutation('pauseRepository', 'queue:pause', names, `{repository: ${repository}, paused: true}`, 'repository { id }'),
  mutation(
    'pauseBranches',
    'queue:pause',
    names,
    `{repository: ${repository}, pattern: "main", paused: true}`,
    'branchPause { pattern }',
  ),
  mutation(
    'replaceConfiguration',
    'config:write',
    names,
    `{repository: ${repository}, yaml: "merge_rules: {labels: {trigger: go}}"}`,
    'outcome { __typename }',
  ),
  mutation(
    'openPullRequest',
    'queue:write',
    names,
    `{repository: ${repository}, title: "T", headBranch: "topic", baseBranch: "main"}`,
    'pullRequest { id }',
  ),
  mutation('queuePullRequest', 'queue:write', withNumber, pullRequest, 'pullRequest { id }'),
  mutation('updatePullRequest', 'queue:write', withNumber, pullRequest, 'pullRequest { id }'),
  mutation('dequeuePullRequest', 'queue:write', withNumber, pullRequest, 'pullRequest { id }'),
  mutation('refreshPullRequest', 'queue:write', withNumber, pullRequest, 'pullRequest { id } status message'),
  mutation('syncPullRequest', 'queue:write', withNumber, pullRequest, 'pullRequest { id } status message'),
  mutation(
    'backportPullRequest',
    'queue:write',
    `${names}, $number: Int!`,
    `{repository: ${repository}, number: $number, targetBranch: "release"}`,
    'pullRequest { id } targetBranch message',
  ),
  mutation(
    'reviewPullRequest',
    'queue:write',
    withNumber,
    `{repository: ${repository}, number: $number, verdict: APPROVED}`,
    'pullRequest { id }',
  ),
  mutation(
    'addPullRequestComment',
    'queue:write',
    withNumber,
    `{repository: ${repository}, number: $number, body: "Looks good"}`,
    'comment { body }',
  ),
  mutation(
    'openReviewThread',
    'queue:write',
    withNumber,
    `{repository: ${repository}, number: $number, body: "Why?"}`,
    'reviewThread { id }',
  ),
  mutation(
    'resolveReviewThread',
    'queue:write',
    withNumber,
    `{repository: ${repository}, number: $number, thread: "1"}`,
    'reviewThread { id }',
  ),
  mutation(
    'labelPullRequest',
    'queue:write',
    withNumber,
    `{repository: ${repository}, number: $number, label: "mergequeue"}`,
    'pullRequest { id }',
  ),
  mutation(
    'haltQueue',
    'admin',
    names,
    `{repository: ${repository}, baseBranch: "main", reason: "Test"}`,
    'queue { id }',
  ),
  mutation('resumeQueue', 'admin', names, `{repository: ${repository}, baseBranch: "main"}`, 'queue { id }'),
  // Of the account: users make tokens of their own without it.
  {
    field: 'Mutation.createApiToken',
    scope: 'admin',
    document:
      'mutation { createApiToken(input: {name: "T", kind: ACCOUNT, scopes: [QUEUE_READ]}) { apiToken { name } } }',
  },
  { field: 'Query.users', scope: 'config:read', document: '{ users { nodes { id email } } }' },
  {
    field: 'Query.teams',
    scope: 'config:read',
    document: '{ teams { nodes { id address members { nodes { id } } } } }',
  },
  { field: 'Query.userActions', scope: 'audit:read', document: '{ userActions { nodes { action } } }' },
  { field: 'Query.auditLog', scope: 'audit:read', document: '{ auditLog { nodes { action } } }' },
  {
    field: 'Mutation.addUser',
    scope: 'admin',
    document: 'mutation { addUser(input: {email: "new@example.test"}) { user { id } } }',
  },
  mutation('updateUser', 'admin', '$user: ID!', '{id: $user, role: MEMBER}', 'user { id }'),
  mutation('removeUser', 'admin', '$user: ID!', '{id: $user}', 'user { id }'),
  {
    field: 'Mutation.createTeam',
    scope: 'admin',
    document: 'mutation { createTeam(input: {org: "acme", slug: "new"}) { team { id } } }',
  },
  mutation('updateTeam', 'admin', '$team: ID!', '{id: $team, name: "T"}', 'team { id }'),
  mutation('deleteTeam', 'admin', '$team: ID!', '{id: $team}', 'team { id }'),
  mutation('addTeamMember', 'admin', '$team: ID!, $user: ID!', '{team: $team, user: $user}', 'team { id }'),
  mutation('removeTeamMember', 'admin', '$team: ID!, $user: ID!', '{team: $team, user: $user}', 'team { id }'),
  inRepository('Repository.permissionGrants', 'config:read', 'permissionGrants { nodes { user { id } team { id } } }'),
  inRepository(
    'Repository.permissionHolders',
    'config:read',
    'permissionHolders(permission: SKIP_LINE) { nodes { user { id } source } }',
  ),
  mutation(
    'grantPermission',
    'config:write',
    `${names}, $user: ID!`,
    `{repository: ${repository}, permission: SKIP_LINE, user: $user}`,
    'grant { permission }',
  ),
  mutation(
    'revokePermission',
    'config:write',
    `${names}, $team: ID!`,
    `{repository: ${repository}, permission: SKIP_LINE, team: $team}`,
    'revoked',
  ),
  mutation('revokeApiToken', 'admin', '$token: ID!', '{id: $token}', 'apiToken { id }'),
  {
    field: 'Mutation.setAccountTimezone',
    scope: 'admin',
    document: 'mutation { setAccountTimezone(input: {timezone: "Asia/Kathmandu"}) { account { timezone } } }',
  },
  { field: 'Query.webhookEndpoints', scope: 'admin', document: '{ webhookEndpoints { nodes { id url } } }' },
  {
    field: 'Query.webhookSigning',
    scope: 'admin',
    document: '{ webhookSigning { current { name } next { name } } }',
  },
  {
    field: 'Mutation.createWebhookEndpoint',
    scope: 'admin',
    document:
      'mutation { createWebhookEndpoint(input: {url: "https://hooks.example.test/", actions: ["*"]}) { webhookEndpoint { url } } }',
  },
  mutation(
    'updateWebhookEndpoint',
    'admin',
    '$endpoint: ID!',
    '{id: $endpoint, actions: ["merged"]}',
    'webhookEndpoint { id }',
  ),
  mutation('disableWebhookEndpoint', 'admin', '$endpoint: ID!', '{id: $endpoint}', 'webhookEndpoint { id }'),
  mutation('enableWebhookEndpoint', 'admin', '$endpoint: ID!', '{id: $endpoint}', 'webhookEndpoint { id }'),
  mutation('pingWebhookEndpoint', 'admin', '$endpoint: ID!', '{id: $endpoint}', 'webhookDelivery { id }'),
  mutation('rotateWebhookEndpointSecret', 'admin', '$endpoint: ID!', '{id: $endpoint}', 'webhookEndpoint { id }'),
  mutation('removeWebhookEndpointSecret', 'admin', '$endpoint: ID!', '{id: $endpoint}', 'webhookEndpoint { id }'),
  mutation('deleteWebhookEndpoint', 'admin', '$endpoint: ID!', '{id: $endpoint}', 'deletedId'),
  mutation('redeliverWebhook', 'admin', '$delivery: ID!', '{id: $delivery}', 'webhookDelivery { id }'),
  mutation('rotateWebhookSigning', 'admin', '$token: ID!', '{token: $token}', 'webhookSigning { promoteAt }'),
  mutation('promoteWebhookSigning', 'admin', '$token: ID!', '{token: $token}', 'webhookSigning { promoteAt }'),
  { field: 'Subscription.events', scope: 'queue:read', document: 'subscription { events { action } }' },
  {
    field: 'Subscription.queueDepthChanged',
    scope: 'queue:read',
    document: `subscription (${names}) { queueDepthChanged(repository: ${repository}) { cursor } }`,
  },
  {
    field: 'Subscription.queueChanged',
    scope: 'queue:read',
    document: `subscription (${names}) { queueChanged(repository: ${repository}, baseBranch: "main") { cursor } }`,
  },
  {
    field: 'Subscription.pullRequestChanged',
    scope: 'queue:read',
    document: `subscription (${withNumber}) { pullRequestChanged(repository: ${repository}, number: $number) { cursor } }`,
  },
];

/** Variables of every operation that name nothing there is. */
export const invented: Readonly<Record<string, unknown>> = {
  owner: 'acme',
  name: 'none',
  number: 1,
  node: encodeNodeId('Repository', '999999'),
  token: encodeNodeId('ApiToken', '999999'),
  user: encodeNodeId('User', '999999'),
  team: encodeNodeId('Team', '999999'),
  endpoint: encodeNodeId('WebhookEndpoint', '999999'),
  delivery: encodeNodeId('WebhookDelivery', '999999'),
};

/** What names nothing of the account that asks: these answer the same for another account's and for invented names. */
export const withoutNames: ReadonlySet<string> = new Set([
  'Query.viewer',
  'Query.apiTokens',
  'Query.users',
  'Query.teams',
  'Query.userActions',
  'Query.auditLog',
  'Query.repositories',
  'Mutation.createRepository',
  'Mutation.createApiToken',
  'Mutation.addUser',
  'Mutation.createTeam',
  'Mutation.setAccountTimezone',
  'Query.webhookEndpoints',
  'Query.webhookSigning',
  'Mutation.createWebhookEndpoint',
  'Subscription.events',
]);
