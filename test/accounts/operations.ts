// Every operation of the API, with the scope that it needs, and with variables that name nothing.
import type { Scope } from '../../src/context.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';

export interface Operation {
  /** The field that the operation uses, such as `Query.repository`. */
  readonly field: string;
  /**
   * The scope that the operation needs. Of several scopes a token needs one. Null: every token may use the operation.
   */
  readonly scope: Scope | readonly Scope[] | null;
  readonly document: string;
}

/** The scopes of which a token needs one. Empty: every token may use the operation. */
export function scopesOf({ scope }: Operation): readonly Scope[] {
  if (scope === null) return [];
  return typeof scope === 'string' ? [scope] : scope;
}

/** One of these scopes is enough to read a repository. The fields of the repository need scopes of their own. */
const ofRepository = [
  'queue:read',
  'queue:pause',
  'config:read',
  'analytics:read',
  'release:read',
  'runbook:write',
] as const;

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
  { field: 'Query.installation', scope: null, document: '{ installation { version parts { name well } } }' },
  { field: 'Query.apiTokens', scope: 'admin', document: '{ apiTokens { id name } }' },
  { field: 'Query.node', scope: ofRepository, document: 'query ($node: ID!) { node(id: $node) { id } }' },
  { field: 'Query.nodes', scope: ofRepository, document: 'query ($node: ID!) { nodes(ids: [$node]) { id } }' },
  { field: 'Query.repositories', scope: 'queue:read', document: '{ repositories { nodes { id } totalCount } }' },
  {
    field: 'Query.search',
    scope: 'queue:read',
    document: `query (${names}) { search(text: "a", repository: ${repository}) { pullRequests { id } runbooks { id } environments { id } releaseCandidates { id } } }`,
  },
  {
    field: 'Mutation.startSimulation',
    scope: 'analytics:read',
    document: `mutation (${names}) { startSimulation(input: {repository: ${repository}, days: 1}) { simulation { state } } }`,
  },
  inRepository('Repository.analytics', 'analytics:read', 'analytics { hours { hour merged } }'),
  inRepository('Repository.simulations', 'analytics:read', 'simulations { state }'),
  inRepository('Query.repository', ofRepository, 'id owner name paused'),
  inRepository('Repository.configuration', 'config:read', 'configuration { yaml }'),
  inRepository('Repository.configurationHistory', 'config:read', 'configurationHistory { nodes { diff } }'),
  inRepository('Repository.configurationRefusal', 'config:read', 'configurationRefusal { errors }'),
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
    'pullRequest(number: 1) { id affectedTargets { count names } events { nodes { action } } below { id } above { id } viewerCan { allowed } successProbability explain { sentence eta { p50 } conditions { kind } } checks { name } latestBotPullRequest { id } comments { body } reviewThreads { id } batches { nodes { id } } verification { id } verifications { nodes { id preview { url } registration { url } steps { nodes { step } } log { nodes { text } } } } }',
  ),
  inRepository('Repository.pullRequests', 'queue:read', 'pullRequests { nodes { id position } }'),
  inRepository(
    'Repository.pullRequests',
    'queue:read',
    'pullRequests(filter: {text: "a"}) { nodes { id } totalCount }',
  ),
  inRepository('Repository.verifications', 'queue:read', 'verifications { nodes { id status } }'),
  inRepository('Repository.queuedPullRequests', 'queue:read', 'queuedPullRequests { id }'),
  inRepository(
    'Repository.botPullRequest',
    'queue:read',
    'botPullRequest(number: 7) { id pullRequests { id } batch { id } }',
  ),
  inRepository(
    'Repository.queue',
    'queue:read',
    'queue(baseBranch: "main") { id builds pause { message } frozen { sentence } entries { id } haltedBy past: depthHistory(from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", points: 2) { queued } line { nodes { position explain { sentence } eta { p50 } } totalCount } etas { number } depth { queued } batches { nodes { id role successProbability cameFrom { id } eta { p50 } members { commit } proof { digest } } } }',
  ),
  inRepository(
    'Repository.queue',
    'queue:read',
    'queue(baseBranch: "main", asOf: "2026-01-01T00:00:00Z") { id entries { id } }',
  ),
  inRepository('Repository.queues', 'queue:read', 'queues { id }'),
  inRepository('Repository.proofs', 'queue:read', 'proofs { count verifiedAt holds }'),
  inRepository('Repository.queueDepth', 'queue:read', 'queueDepth { queued }'),
  inRepository(
    'Repository.analytics',
    'analytics:read',
    'analytics { mergequeueUsage { total } timeInQueue { p50 } blockedReason { other } builds { builds } failedChecks { name } etaAccuracy { estimated } }',
  ),
  inRepository('Repository.viewerCan', ofRepository, 'viewerCan { action allowed sentence }'),
  inRepository('Repository.events', 'queue:read', 'events { nodes { action } }'),
  mutation('createRepository', 'admin', names, '{owner: $owner, name: $name, host: LOCAL}', 'repository { owner }'),
  mutation('setRepositoryActive', 'admin', names, `{repository: ${repository}, active: true}`, 'repository { id }'),
  { field: 'Query.erasures', scope: 'admin', document: '{ erasures { id repository finishedAt } }' },
  mutation(
    'eraseRepository',
    'admin',
    names,
    `{repository: ${repository}, preview: true}`,
    'impact { deleted { count } }',
  ),
  {
    field: 'Mutation.eraseAccount',
    scope: 'admin',
    document: 'mutation { eraseAccount(input: {preview: true}) { impact { deleted { count } } } }',
  },
  mutation('deleteRepository', 'admin', names, `{repository: ${repository}}`, 'repository { id }'),
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
  mutation('closePullRequest', 'queue:write', withNumber, pullRequest, 'pullRequest { id }'),
  mutation('reopenPullRequest', 'queue:write', withNumber, pullRequest, 'pullRequest { id }'),
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
  mutation('resetQueue', 'queue:pause', names, `{repository: ${repository}, baseBranch: "main"}`, 'queue { id }'),
  mutation(
    'retryBuild',
    'queue:write',
    withNumber,
    `{repository: ${repository}, number: $number}`,
    'pullRequest { id }',
  ),
  mutation('resumeQueue', 'admin', names, `{repository: ${repository}, baseBranch: "main"}`, 'queue { id }'),
  // The scope is needed for a token of the account. Users make tokens of their own without it.
  {
    field: 'Mutation.createApiToken',
    scope: 'admin',
    document:
      'mutation { createApiToken(input: {name: "T", kind: ACCOUNT, scopes: [QUEUE_READ]}) { apiToken { name } } }',
  },
  {
    field: 'Mutation.createSignInLink',
    scope: null,
    document: 'mutation { createSignInLink { expiresAt } }',
  },
  { field: 'Mutation.endSession', scope: null, document: 'mutation { endSession { ended } }' },
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
  inRepository('Repository.embedLinks', 'admin', 'embedLinks { id baseBranch }'),
  mutation(
    'createEmbedLink',
    'admin',
    names,
    `{repository: ${repository}, baseBranch: "main"}`,
    'embedLink { id baseBranch }',
  ),
  mutation('revokeEmbedLink', 'admin', '$embedLink: ID!', '{id: $embedLink}', 'embedLink { id }'),
  mutation('revokeApiToken', 'admin', '$token: ID!', '{id: $token}', 'apiToken { id }'),
  {
    field: 'Mutation.setAccountTimezone',
    scope: 'admin',
    document: 'mutation { setAccountTimezone(input: {timezone: "Asia/Kathmandu"}) { account { timezone } } }',
  },
  { field: 'Query.slack', scope: 'admin', document: '{ slack { hasToken destinations { id kind problem } } }' },
  {
    field: 'Mutation.setSlackToken',
    scope: 'admin',
    document: 'mutation { setSlackToken(input: {token: "xoxb-1"}) { slack { hasToken } } }',
  },
  mutation(
    'createSlackDestination',
    'admin',
    names,
    `{kind: CHANNEL, channel: "C1", repository: ${repository}}`,
    'slackDestination { id }',
  ),
  mutation('deleteSlackDestination', 'admin', '$slackDestination: ID!', '{id: $slackDestination}', 'deletedId'),
  { field: 'Query.webhookEndpoints', scope: 'admin', document: '{ webhookEndpoints { nodes { id url } } }' },
  {
    field: 'Query.webhookSigning',
    scope: 'admin',
    document: '{ webhookSigning { current { name } next { name } } }',
  },
  {
    field: 'Mutation.createGitHubAppLink',
    scope: 'admin',
    document: 'mutation { createGitHubAppLink(input: {organization: "acme"}) { expiresAt } }',
  },
  {
    field: 'Mutation.addGitHubApp',
    scope: 'admin',
    document:
      'mutation { addGitHubApp(input: {appId: "1", privateKey: "k", clientId: "c", clientSecret: "s", webhookSecret: "w"}) { slug } }',
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
  { field: 'Query.cursor', scope: 'queue:read', document: '{ cursor }' },
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
    field: 'Subscription.batchChanged',
    scope: 'queue:read',
    document: `subscription (${names}) { batchChanged(repository: ${repository}, baseBranch: "main") { cursor batch { id } } }`,
  },
  {
    field: 'Subscription.pullRequestChanged',
    scope: 'queue:read',
    document: `subscription (${withNumber}) { pullRequestChanged(repository: ${repository}, number: $number) { cursor } }`,
  },
  { field: 'Query.releaseProjects', scope: 'release:read', document: '{ releaseProjects { nodes { id name } } }' },
  {
    field: 'Query.releaseProject',
    scope: 'release:read',
    document:
      'query ($project: String!) { releaseProject(name: $project) { id unreleased { commitCount } repository { name } environments { name project { name } provider { kind } deployments { nodes { id project { name } environment { name } releaseCandidate { version } fromReleaseCandidate { version } rollbackOf { id } } totalCount } } releases { nodes { version } } releaseCandidates { nodes { version release { version } } } } }',
  },
  mutation(
    'createReleaseProject',
    'release:write',
    names,
    `{name: "New", repository: ${repository}}`,
    'releaseProject { name repository { name } }',
  ),
  mutation(
    'updateReleaseProject',
    'release:write',
    '$project: String!',
    '{project: $project, buildTimeoutSec: 60}',
    'releaseProject { name }',
  ),
  mutation(
    'updateEnvironment',
    'release:write',
    '$project: String!',
    '{project: $project, environment: "production", tier: PRODUCTION}',
    'environment { name }',
  ),
  mutation(
    'createEnvironment',
    'release:write',
    '$project: String!',
    '{project: $project, name: "new", provider: {kind: NONE}}',
    'environment { name project { name } }',
  ),
  mutation(
    'createRelease',
    'release:write',
    '$project: String!',
    '{project: $project, version: "1.0-rc1", repository: "acme/shop", commit: "none"}',
    'releaseCandidate { version repository { name } }',
  ),
  mutation(
    'createDeployment',
    'deploy:write',
    '$project: String!',
    '{project: $project, environment: "production", version: "1.0-rc1"}',
    'deployment { status environment { name } }',
  ),
  mutation(
    'reportDeployment',
    'deploy:write',
    '$project: String!',
    '{project: $project, environment: "production", version: "1.0-rc1", status: SUCCESS}',
    'deployment { status }',
  ),
  mutation('cancelDeployment', 'deploy:write', '$deployment: ID!', '{id: $deployment}', 'deployment { status }'),
  mutation(
    'rollBackEnvironment',
    'deploy:write',
    '$project: String!',
    '{project: $project, environment: "production"}',
    'deployment { status rollbackOf { id } }',
  ),
  {
    field: 'Subscription.deploymentChanged',
    scope: 'release:read',
    document: 'subscription ($project: String!) { deploymentChanged(project: $project) { cursor } }',
  },
  {
    field: 'Subscription.environmentChanged',
    scope: 'release:read',
    document:
      'subscription ($project: String!) { environmentChanged(project: $project, environment: "production") { cursor } }',
  },
  {
    field: 'Subscription.releaseProjectChanged',
    scope: 'release:read',
    document: 'subscription ($project: String!) { releaseProjectChanged(project: $project) { cursor } }',
  },
  {
    field: 'Subscription.deploymentLog',
    scope: 'release:read',
    document: 'subscription ($deployment: ID!) { deploymentLog(deployment: $deployment) { text } }',
  },
  {
    field: 'Subscription.buildLog',
    scope: 'release:read',
    document: 'subscription ($project: String!) { buildLog(project: $project, version: "1.0-rc1") { text } }',
  },
  inRepository('Repository.freezes', 'queue:read', 'freezes { id reason }'),
  mutation(
    'freezeEnvironment',
    'release:write',
    '$project: String!',
    '{project: $project, environment: "production"}',
    'freeze { source } environment { frozen { sentence } freezes { id } }',
  ),
  mutation(
    'unfreezeEnvironment',
    'release:write',
    '$project: String!',
    '{project: $project, environment: "production"}',
    'deleted environment { name }',
  ),
  mutation(
    'freezeBranches',
    'release:write',
    names,
    `{repository: ${repository}, baseBranches: "release/*"}`,
    'freeze { baseBranches }',
  ),
  mutation(
    'unfreezeBranches',
    'release:write',
    names,
    `{repository: ${repository}, baseBranches: "release/*"}`,
    'deleted',
  ),
  mutation(
    'createFreezeSchedule',
    'release:write',
    '$project: String!',
    '{environment: {project: $project, environment: "production"}, schedule: {cronStart: "0 0 1 1 *", cronEnd: "0 0 2 1 *", timezone: "UTC"}}',
    'freeze { cronStart }',
  ),
  {
    field: 'Query.previewImages',
    scope: 'admin',
    document: '{ previewImages { nodes { id name kind source createdBy updatedAt } } }',
  },
  {
    field: 'Mutation.registerPreviewImage',
    scope: 'admin',
    document:
      'mutation { registerPreviewImage(input: {name: "web", kind: DOCKER, source: "registry.example.test/web:1"}) { previewImage { id } } }',
  },
  mutation('removePreviewImage', 'admin', '$previewImage: String!', '{name: $previewImage}', 'previewImage { id }'),
  {
    field: 'Query.previewSecrets',
    scope: 'admin',
    document: '{ previewSecrets { nodes { id key grantedTo createdBy updatedAt } } }',
  },
  {
    field: 'Mutation.setPreviewSecret',
    scope: 'admin',
    document: 'mutation { setPreviewSecret(input: {key: "API_KEY", value: "x"}) { previewSecret { id } } }',
  },
  mutation('removePreviewSecret', 'admin', '$previewSecret: String!', '{key: $previewSecret}', 'deletedId'),
  mutation(
    'grantPreviewSecret',
    'admin',
    `${names}, $previewSecret: String!`,
    `{repository: ${repository}, key: $previewSecret}`,
    'previewSecret { grantedTo }',
  ),
  mutation(
    'revokePreviewSecret',
    'admin',
    `${names}, $previewSecret: String!`,
    `{repository: ${repository}, key: $previewSecret}`,
    'revoked previewSecret { grantedTo }',
  ),
  inRepository(
    'Repository.previewRegistrations',
    'queue:read',
    'previewRegistrations { nodes { id name commit url status message endReason pullRequest { id } } }',
  ),
  mutation(
    'registerPreview',
    'preview:register',
    names,
    `{repository: ${repository}, commitSha: "1111111111111111111111111111111111111111", previewUrl: "https://preview.example.test/", prNumber: 1}`,
    'registration { id status url message expiresAt }',
  ),
  mutation(
    'verifyPullRequest',
    'queue:write',
    withNumber,
    pullRequest,
    'verification { id status pullRequest { id } }',
  ),
  mutation('cancelVerification', 'queue:write', '$verification: ID!', '{id: $verification}', 'verification { status }'),
  {
    field: 'Subscription.verificationChanged',
    scope: 'queue:read',
    document: `subscription (${withNumber}) { verificationChanged(repository: ${repository}, number: $number) { cursor } }`,
  },
  {
    field: 'Subscription.previewChanged',
    scope: 'queue:read',
    document: `subscription (${names}) { previewChanged(repository: ${repository}) { cursor } }`,
  },
  {
    field: 'Subscription.verificationLog',
    scope: 'queue:read',
    document: 'subscription ($verification: ID!) { verificationLog(verification: $verification) { text } }',
  },
  mutation('deregisterPreview', 'preview:register', names, `{repository: ${repository}, prNumber: 1}`, 'deleted'),
  {
    field: 'Query.runbook',
    scope: 'runbook:write',
    document:
      'query ($runbook: Int!) { runbook(number: $runbook) { id repository { name } prompts { text } steps { number leaves { number toolCalls { nodes { tool } } log { nodes { text } } } } commits { commit } branches { name } pullRequests { number } toolCalls { nodes { tool } } log { nodes { text } } cost { turns } } }',
  },
  inRepository('Repository.runbooks', 'runbook:write', 'runbooks { nodes { number status } totalCount }'),
  inRepository('Repository.runbookDefaults', 'config:read', 'runbookDefaults { draft prMode targetBranch }'),
  mutation(
    'createRunbook',
    'runbook:write',
    names,
    `{repository: ${repository}, prompt: "Tidy up"}`,
    'runbook { number repository { name } }',
  ),
  mutation(
    'continueRunbook',
    'runbook:write',
    '$runbook: Int!',
    '{number: $runbook, prompt: "Go on"}',
    'runbook { number }',
  ),
  mutation(
    'cancelRunbook',
    'runbook:write',
    '$runbook: Int!',
    '{number: $runbook}',
    'runbook { number } impact { sentence }',
  ),
  mutation('retryRunbook', 'runbook:write', '$runbook: Int!', '{number: $runbook}', 'runbook { number }'),
  mutation('publishRunbook', 'runbook:write', '$runbook: Int!', '{number: $runbook}', 'runbook { number }'),
  mutation(
    'updateRunbookDefaults',
    'config:write',
    names,
    `{repository: ${repository}, draft: true}`,
    'runbookDefaults { draft } repository { name }',
  ),
  {
    field: 'Subscription.runbookChanged',
    scope: 'runbook:write',
    document: 'subscription ($runbook: Int!) { runbookChanged(number: $runbook) { cursor } }',
  },
  {
    field: 'Subscription.runbookLog',
    scope: 'runbook:write',
    document: 'subscription ($runbook: Int!) { runbookLog(number: $runbook) { text } }',
  },
  {
    field: 'Subscription.webhookDeliveryChanged',
    scope: 'admin',
    document: 'subscription { webhookDeliveryChanged { webhookDelivery { id } } }',
  },
  mutation('deleteFreeze', 'release:write', '$freeze: ID!', '{id: $freeze}', 'freeze { id }'),
];

/** Variables for every operation. They name rows that do not exist. */
export const inventedVariables: Readonly<Record<string, unknown>> = {
  owner: 'acme',
  name: 'none',
  number: 1,
  node: encodeNodeId('Repository', '999999'),
  token: encodeNodeId('ApiToken', '999999'),
  user: encodeNodeId('User', '999999'),
  team: encodeNodeId('Team', '999999'),
  embedLink: encodeNodeId('EmbedLink', '999999'),
  slackDestination: encodeNodeId('SlackDestination', '999999'),
  endpoint: encodeNodeId('WebhookEndpoint', '999999'),
  delivery: encodeNodeId('WebhookDelivery', '999999'),
  project: 'none',
  deployment: encodeNodeId('Deployment', '999999'),
  freeze: encodeNodeId('Freeze', '999999'),
  runbook: 999_999,
  previewImage: 'none',
  previewSecret: 'NONE',
  verification: encodeNodeId('Verification', '999999'),
};

/**
 * Operations whose variables name no row of the account. They give the same answer for real and for invented variables.
 */
export const operationsWithoutNames: ReadonlySet<string> = new Set([
  'Query.viewer',
  'Query.installation',
  'Query.erasures',
  'Mutation.eraseAccount',
  'Query.cursor',
  'Query.apiTokens',
  'Query.users',
  'Query.teams',
  'Query.userActions',
  'Query.auditLog',
  'Query.repositories',
  'Mutation.createRepository',
  'Mutation.createApiToken',
  'Mutation.createSignInLink',
  'Mutation.endSession',
  'Mutation.addUser',
  'Mutation.createTeam',
  'Mutation.setAccountTimezone',
  'Query.releaseProjects',
  'Query.slack',
  'Mutation.setSlackToken',
  'Query.webhookEndpoints',
  'Query.webhookSigning',
  'Mutation.createWebhookEndpoint',
  'Mutation.createGitHubAppLink',
  'Mutation.addGitHubApp',
  'Query.previewImages',
  'Query.previewSecrets',
  'Mutation.registerPreviewImage',
  'Mutation.setPreviewSecret',
  'Subscription.events',
  'Subscription.webhookDeliveryChanged',
]);
