// Every action of the audit log (interface 2.10): its entity, its target, and the mutations that write it.
// docs/user-actions.md is generated from this table, and a test compares it with the mutations of the schema.

/** The entities of REST (interface 4.7). */
export const userActionEntities = [
  'user',
  'merge_queue',
  'repository',
  'account',
  'billing',
  'integrations',
  'flexreview',
] as const;

/** All entities: those of REST, and those that only the query `auditLog` shows. */
export const auditEntities = [...userActionEntities, 'release', 'runbook', 'preview'] as const;
export type AuditEntity = (typeof auditEntities)[number];

export interface UserActionRule {
  readonly entity: AuditEntity;
  /** What the `target` of an entry names. Null: entries of this action have no target. */
  readonly target: string | null;
  readonly mutations: readonly string[];
}

export const userActions = {
  user_added: { entity: 'user', target: 'the user', mutations: ['addUser'] },
  user_role_changed: { entity: 'user', target: 'the user', mutations: ['updateUser'] },
  user_handle_changed: { entity: 'user', target: 'the user', mutations: ['updateUser'] },
  user_removed: { entity: 'user', target: 'the user', mutations: ['removeUser'] },
  team_created: { entity: 'user', target: 'the team', mutations: ['createTeam'] },
  team_updated: { entity: 'user', target: 'the team, by its new address', mutations: ['updateTeam'] },
  team_deleted: { entity: 'user', target: 'the team', mutations: ['deleteTeam'] },
  team_member_added: { entity: 'user', target: 'the team and the user', mutations: ['addTeamMember'] },
  team_member_removed: { entity: 'user', target: 'the team and the user', mutations: ['removeTeamMember'] },
  skip_line_granted: {
    entity: 'repository',
    target: 'the repository and the user or team',
    mutations: ['grantPermission'],
  },
  skip_line_revoked: {
    entity: 'repository',
    target: 'the repository and the user or team',
    mutations: ['revokePermission'],
  },
  skip_validation_granted: {
    entity: 'repository',
    target: 'the repository and the user or team',
    mutations: ['grantPermission'],
  },
  skip_validation_revoked: {
    entity: 'repository',
    target: 'the repository and the user or team',
    mutations: ['revokePermission'],
  },
  repository_created: { entity: 'repository', target: 'the repository', mutations: ['createRepository'] },
  repository_activated: { entity: 'repository', target: 'the repository', mutations: ['setRepositoryActive'] },
  repository_deactivated: { entity: 'repository', target: 'the repository', mutations: ['setRepositoryActive'] },
  repository_deleted: { entity: 'repository', target: 'the repository', mutations: ['deleteRepository'] },
  repository_erased: { entity: 'repository', target: 'the repository', mutations: ['eraseRepository'] },
  embed_link_created: {
    entity: 'repository',
    target: 'the repository and base branch',
    mutations: ['createEmbedLink'],
  },
  embed_link_revoked: {
    entity: 'repository',
    target: 'the repository and base branch',
    mutations: ['revokeEmbedLink'],
  },
  repository_paused: { entity: 'repository', target: 'the repository', mutations: ['pauseRepository'] },
  repository_unpaused: { entity: 'repository', target: 'the repository', mutations: ['pauseRepository'] },
  branches_paused: { entity: 'repository', target: 'the repository and the pattern', mutations: ['pauseBranches'] },
  branches_unpaused: { entity: 'repository', target: 'the repository and the pattern', mutations: ['pauseBranches'] },
  freeze_created: {
    entity: 'release',
    target: 'the environment, or the repository and the pattern',
    mutations: ['freezeEnvironment', 'freezeBranches', 'createFreezeSchedule'],
  },
  freeze_ended: {
    entity: 'release',
    target: 'the environment, or the repository and the pattern',
    mutations: ['unfreezeEnvironment', 'unfreezeBranches', 'deleteFreeze'],
  },
  queue_config_changed: { entity: 'merge_queue', target: 'the repository', mutations: ['replaceConfiguration'] },
  queue_halted: { entity: 'merge_queue', target: 'the repository and base branch', mutations: ['haltQueue'] },
  queue_resumed: { entity: 'merge_queue', target: 'the repository and base branch', mutations: ['resumeQueue'] },
  queue_reset: { entity: 'merge_queue', target: 'the repository and base branch', mutations: ['resetQueue'] },
  build_retried: { entity: 'merge_queue', target: 'the pull request', mutations: ['retryBuild'] },
  pull_request_closed: { entity: 'merge_queue', target: 'the pull request', mutations: ['closePullRequest'] },
  pull_request_reopened: { entity: 'merge_queue', target: 'the pull request', mutations: ['reopenPullRequest'] },
  pull_request_queued: { entity: 'merge_queue', target: 'the pull request', mutations: ['queuePullRequest'] },
  pull_request_skip_line: { entity: 'merge_queue', target: 'the pull request', mutations: ['queuePullRequest'] },
  pull_request_skip_validation: { entity: 'merge_queue', target: 'the pull request', mutations: ['queuePullRequest'] },
  pull_request_updated: { entity: 'merge_queue', target: 'the pull request', mutations: ['updatePullRequest'] },
  pull_request_dequeued: { entity: 'merge_queue', target: 'the pull request', mutations: ['dequeuePullRequest'] },
  pull_request_refreshed: { entity: 'merge_queue', target: 'the pull request', mutations: ['refreshPullRequest'] },
  pull_request_synced: { entity: 'merge_queue', target: 'the pull request', mutations: ['syncPullRequest'] },
  pull_request_backported: { entity: 'merge_queue', target: 'the pull request', mutations: ['backportPullRequest'] },
  account_erased: { entity: 'account', target: null, mutations: ['eraseAccount'] },
  account_timezone_changed: { entity: 'account', target: null, mutations: ['setAccountTimezone'] },
  account_token_created: { entity: 'account', target: null, mutations: ['createApiToken'] },
  account_token_revoked: { entity: 'account', target: null, mutations: ['revokeApiToken'] },
  user_token_created: { entity: 'user', target: 'the user that the token acts as', mutations: ['createApiToken'] },
  user_token_revoked: { entity: 'user', target: 'the user that the token acted as', mutations: ['revokeApiToken'] },
  sign_in_link_created: { entity: 'user', target: 'the user that the link signs in', mutations: ['createSignInLink'] },
  signed_out: { entity: 'user', target: 'the user', mutations: ['endSession'] },
  webhook_endpoint_created: { entity: 'integrations', target: null, mutations: ['createWebhookEndpoint'] },
  webhook_endpoint_updated: { entity: 'integrations', target: null, mutations: ['updateWebhookEndpoint'] },
  webhook_endpoint_deleted: { entity: 'integrations', target: null, mutations: ['deleteWebhookEndpoint'] },
  webhook_endpoint_enabled: { entity: 'integrations', target: null, mutations: ['enableWebhookEndpoint'] },
  webhook_endpoint_disabled: { entity: 'integrations', target: null, mutations: ['disableWebhookEndpoint'] },
  webhook_endpoint_pinged: { entity: 'integrations', target: null, mutations: ['pingWebhookEndpoint'] },
  webhook_endpoint_secret_rotated: { entity: 'integrations', target: null, mutations: ['rotateWebhookEndpointSecret'] },
  webhook_endpoint_secret_removed: { entity: 'integrations', target: null, mutations: ['removeWebhookEndpointSecret'] },
  webhook_redelivered: { entity: 'integrations', target: null, mutations: ['redeliverWebhook'] },
  webhook_signing_rotated: { entity: 'integrations', target: null, mutations: ['rotateWebhookSigning'] },
  webhook_signing_promoted: { entity: 'integrations', target: null, mutations: ['promoteWebhookSigning'] },
  slack_token_set: { entity: 'integrations', target: null, mutations: ['setSlackToken'] },
  slack_token_removed: { entity: 'integrations', target: null, mutations: ['setSlackToken'] },
  slack_destination_created: {
    entity: 'integrations',
    target: 'the repository whose events the destination gets, or all repositories',
    mutations: ['createSlackDestination'],
  },
  slack_destination_deleted: {
    entity: 'integrations',
    target: 'the repository whose events the destination gets, or all repositories',
    mutations: ['deleteSlackDestination'],
  },
  github_app_link_created: { entity: 'integrations', target: 'the GitHub server', mutations: ['createGitHubAppLink'] },
  github_app_added: { entity: 'integrations', target: 'the App', mutations: ['addGitHubApp'] },
  release_project_created: { entity: 'release', target: 'the release project', mutations: ['createReleaseProject'] },
  environment_created: { entity: 'release', target: 'the environment', mutations: ['createEnvironment'] },
  release_project_updated: { entity: 'release', target: 'the release project', mutations: ['updateReleaseProject'] },
  environment_updated: { entity: 'release', target: 'the environment', mutations: ['updateEnvironment'] },
  release_candidate_created: { entity: 'release', target: 'the release candidate', mutations: ['createRelease'] },
  deployment_created: {
    entity: 'release',
    target: 'the environment and the candidate',
    mutations: ['createDeployment'],
  },
  deployment_reported: {
    entity: 'release',
    target: 'the environment and the candidate',
    mutations: ['reportDeployment'],
  },
  deployment_canceled: {
    entity: 'release',
    target: 'the environment and the candidate',
    mutations: ['cancelDeployment'],
  },
  environment_rolled_back: {
    entity: 'release',
    target: 'the environment and the candidate',
    mutations: ['rollBackEnvironment'],
  },
  runbook_created: { entity: 'runbook', target: 'the number of the runbook', mutations: ['createRunbook'] },
  runbook_prompted: { entity: 'runbook', target: 'the number of the runbook', mutations: ['continueRunbook'] },
  runbook_canceled: { entity: 'runbook', target: 'the number of the runbook', mutations: ['cancelRunbook'] },
  runbook_retried: { entity: 'runbook', target: 'the number of the runbook', mutations: ['retryRunbook'] },
  runbook_published: { entity: 'runbook', target: 'the number of the runbook', mutations: ['publishRunbook'] },
  runbook_defaults_changed: { entity: 'runbook', target: 'the repository', mutations: ['updateRunbookDefaults'] },
  preview_image_registered: { entity: 'preview', target: 'the image', mutations: ['registerPreviewImage'] },
  preview_image_removed: { entity: 'preview', target: 'the image', mutations: ['removePreviewImage'] },
  preview_secret_set: { entity: 'preview', target: 'the key', mutations: ['setPreviewSecret'] },
  preview_secret_removed: { entity: 'preview', target: 'the key', mutations: ['removePreviewSecret'] },
  preview_secret_granted: {
    entity: 'preview',
    target: 'the repository and the key',
    mutations: ['grantPreviewSecret'],
  },
  preview_secret_revoked: {
    entity: 'preview',
    target: 'the repository and the key',
    mutations: ['revokePreviewSecret'],
  },
  preview_registered: {
    entity: 'preview',
    target: 'the pull request or branch, and the preview',
    mutations: ['registerPreview'],
  },
  verification_requested: { entity: 'preview', target: 'the pull request', mutations: ['verifyPullRequest'] },
  verification_canceled: { entity: 'preview', target: 'the pull request', mutations: ['cancelVerification'] },
  preview_deregistered: {
    entity: 'preview',
    target: 'the pull request or branch, and the preview',
    mutations: ['deregisterPreview'],
  },
} as const satisfies Record<string, UserActionRule>;

export type UserActionName = keyof typeof userActions;

/** The content of docs/user-actions.md. */
export function userActionsMarkdown(): string {
  const rows = Object.entries<UserActionRule>(userActions).map(
    ([action, { entity, target, mutations }]) =>
      `| \`${action}\` | ${entity} | ${target ?? 'null'} | ${mutations.map((name) => `\`${name}\``).join(', ')} |`,
  );
  return `# User actions

This page lists the \`action\` values of the audit log ([interface](interface.md) 2.10 and 4.7). The audit log records GraphQL mutations of users, in a browser session or with a user's token. Calls with account tokens and REST calls are in the event log. A new action gets a new name, and a name never changes its meaning.

Repositories are named \`owner/name\`, pull requests \`owner/name#number\`, base branches \`owner/name:branch\`, users by their email address, teams \`@org/slug\`. A permission or a membership names both sides, such as \`owner/name: email\`.

| action | entity | target | written by |
|---|---|---|---|
${rows.join('\n')}
`;
}
