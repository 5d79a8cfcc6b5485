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
  /** The mutations that write this action. */
  readonly by: readonly string[];
}

export const userActions = {
  user_added: { entity: 'user', target: 'the user', by: ['addUser'] },
  user_role_changed: { entity: 'user', target: 'the user', by: ['updateUser'] },
  user_handle_changed: { entity: 'user', target: 'the user', by: ['updateUser'] },
  user_removed: { entity: 'user', target: 'the user', by: ['removeUser'] },
  team_created: { entity: 'user', target: 'the team', by: ['createTeam'] },
  team_updated: { entity: 'user', target: 'the team, by its new address', by: ['updateTeam'] },
  team_deleted: { entity: 'user', target: 'the team', by: ['deleteTeam'] },
  team_member_added: { entity: 'user', target: 'the team and the user', by: ['addTeamMember'] },
  team_member_removed: { entity: 'user', target: 'the team and the user', by: ['removeTeamMember'] },
  skip_line_granted: { entity: 'repository', target: 'the repository and the user or team', by: ['grantPermission'] },
  skip_line_revoked: { entity: 'repository', target: 'the repository and the user or team', by: ['revokePermission'] },
  skip_validation_granted: {
    entity: 'repository',
    target: 'the repository and the user or team',
    by: ['grantPermission'],
  },
  skip_validation_revoked: {
    entity: 'repository',
    target: 'the repository and the user or team',
    by: ['revokePermission'],
  },
  repository_created: { entity: 'repository', target: 'the repository', by: ['createRepository'] },
  repository_activated: { entity: 'repository', target: 'the repository', by: ['setRepositoryActive'] },
  repository_deactivated: { entity: 'repository', target: 'the repository', by: ['setRepositoryActive'] },
  repository_deleted: { entity: 'repository', target: 'the repository', by: ['deleteRepository'] },
  repository_erased: { entity: 'repository', target: 'the repository', by: ['eraseRepository'] },
  embed_link_created: { entity: 'repository', target: 'the repository and base branch', by: ['createEmbedLink'] },
  embed_link_revoked: { entity: 'repository', target: 'the repository and base branch', by: ['revokeEmbedLink'] },
  repository_paused: { entity: 'repository', target: 'the repository', by: ['pauseRepository'] },
  repository_unpaused: { entity: 'repository', target: 'the repository', by: ['pauseRepository'] },
  branches_paused: { entity: 'repository', target: 'the repository and the pattern', by: ['pauseBranches'] },
  branches_unpaused: { entity: 'repository', target: 'the repository and the pattern', by: ['pauseBranches'] },
  freeze_created: {
    entity: 'release',
    target: 'the environment, or the repository and the pattern',
    by: ['freezeEnvironment', 'freezeBranches', 'createFreezeSchedule'],
  },
  freeze_ended: {
    entity: 'release',
    target: 'the environment, or the repository and the pattern',
    by: ['unfreezeEnvironment', 'unfreezeBranches', 'deleteFreeze'],
  },
  queue_config_changed: { entity: 'merge_queue', target: 'the repository', by: ['replaceConfiguration'] },
  queue_halted: { entity: 'merge_queue', target: 'the repository and base branch', by: ['haltQueue'] },
  queue_resumed: { entity: 'merge_queue', target: 'the repository and base branch', by: ['resumeQueue'] },
  queue_reset: { entity: 'merge_queue', target: 'the repository and base branch', by: ['resetQueue'] },
  build_retried: { entity: 'merge_queue', target: 'the pull request', by: ['retryBuild'] },
  pull_request_closed: { entity: 'merge_queue', target: 'the pull request', by: ['closePullRequest'] },
  pull_request_reopened: { entity: 'merge_queue', target: 'the pull request', by: ['reopenPullRequest'] },
  pull_request_queued: { entity: 'merge_queue', target: 'the pull request', by: ['queuePullRequest'] },
  pull_request_skip_line: { entity: 'merge_queue', target: 'the pull request', by: ['queuePullRequest'] },
  pull_request_skip_validation: { entity: 'merge_queue', target: 'the pull request', by: ['queuePullRequest'] },
  pull_request_updated: { entity: 'merge_queue', target: 'the pull request', by: ['updatePullRequest'] },
  pull_request_dequeued: { entity: 'merge_queue', target: 'the pull request', by: ['dequeuePullRequest'] },
  pull_request_refreshed: { entity: 'merge_queue', target: 'the pull request', by: ['refreshPullRequest'] },
  pull_request_synced: { entity: 'merge_queue', target: 'the pull request', by: ['syncPullRequest'] },
  pull_request_backported: { entity: 'merge_queue', target: 'the pull request', by: ['backportPullRequest'] },
  account_erased: { entity: 'account', target: null, by: ['eraseAccount'] },
  account_timezone_changed: { entity: 'account', target: null, by: ['setAccountTimezone'] },
  account_token_created: { entity: 'account', target: null, by: ['createApiToken'] },
  account_token_revoked: { entity: 'account', target: null, by: ['revokeApiToken'] },
  user_token_created: { entity: 'user', target: 'the user it acts as', by: ['createApiToken'] },
  user_token_revoked: { entity: 'user', target: 'the user it acted as', by: ['revokeApiToken'] },
  sign_in_link_created: { entity: 'user', target: 'the user it signs in', by: ['createSignInLink'] },
  signed_out: { entity: 'user', target: 'the user', by: ['endSession'] },
  webhook_endpoint_created: { entity: 'integrations', target: null, by: ['createWebhookEndpoint'] },
  webhook_endpoint_updated: { entity: 'integrations', target: null, by: ['updateWebhookEndpoint'] },
  webhook_endpoint_deleted: { entity: 'integrations', target: null, by: ['deleteWebhookEndpoint'] },
  webhook_endpoint_enabled: { entity: 'integrations', target: null, by: ['enableWebhookEndpoint'] },
  webhook_endpoint_disabled: { entity: 'integrations', target: null, by: ['disableWebhookEndpoint'] },
  webhook_endpoint_pinged: { entity: 'integrations', target: null, by: ['pingWebhookEndpoint'] },
  webhook_endpoint_secret_rotated: { entity: 'integrations', target: null, by: ['rotateWebhookEndpointSecret'] },
  webhook_endpoint_secret_removed: { entity: 'integrations', target: null, by: ['removeWebhookEndpointSecret'] },
  webhook_redelivered: { entity: 'integrations', target: null, by: ['redeliverWebhook'] },
  webhook_signing_rotated: { entity: 'integrations', target: null, by: ['rotateWebhookSigning'] },
  webhook_signing_promoted: { entity: 'integrations', target: null, by: ['promoteWebhookSigning'] },
  slack_token_set: { entity: 'integrations', target: null, by: ['setSlackToken'] },
  slack_token_removed: { entity: 'integrations', target: null, by: ['setSlackToken'] },
  slack_destination_created: {
    entity: 'integrations',
    target: 'the repository whose events the destination gets, or all repositories',
    by: ['createSlackDestination'],
  },
  slack_destination_deleted: {
    entity: 'integrations',
    target: 'the repository whose events the destination gets, or all repositories',
    by: ['deleteSlackDestination'],
  },
  github_app_link_created: { entity: 'integrations', target: 'the GitHub server', by: ['createGitHubAppLink'] },
  github_app_added: { entity: 'integrations', target: 'the App', by: ['addGitHubApp'] },
  release_project_created: { entity: 'release', target: 'the release project', by: ['createReleaseProject'] },
  environment_created: { entity: 'release', target: 'the environment', by: ['createEnvironment'] },
  release_project_updated: { entity: 'release', target: 'the release project', by: ['updateReleaseProject'] },
  environment_updated: { entity: 'release', target: 'the environment', by: ['updateEnvironment'] },
  release_candidate_created: { entity: 'release', target: 'the release candidate', by: ['createRelease'] },
  deployment_created: { entity: 'release', target: 'the environment and the candidate', by: ['createDeployment'] },
  deployment_reported: { entity: 'release', target: 'the environment and the candidate', by: ['reportDeployment'] },
  deployment_canceled: { entity: 'release', target: 'the environment and the candidate', by: ['cancelDeployment'] },
  environment_rolled_back: {
    entity: 'release',
    target: 'the environment and the candidate',
    by: ['rollBackEnvironment'],
  },
  runbook_created: { entity: 'runbook', target: 'the number of the runbook', by: ['createRunbook'] },
  runbook_prompted: { entity: 'runbook', target: 'the number of the runbook', by: ['continueRunbook'] },
  runbook_canceled: { entity: 'runbook', target: 'the number of the runbook', by: ['cancelRunbook'] },
  runbook_retried: { entity: 'runbook', target: 'the number of the runbook', by: ['retryRunbook'] },
  runbook_published: { entity: 'runbook', target: 'the number of the runbook', by: ['publishRunbook'] },
  runbook_defaults_changed: { entity: 'runbook', target: 'the repository', by: ['updateRunbookDefaults'] },
  preview_image_registered: { entity: 'preview', target: 'the image', by: ['registerPreviewImage'] },
  preview_image_removed: { entity: 'preview', target: 'the image', by: ['removePreviewImage'] },
  preview_secret_set: { entity: 'preview', target: 'the key', by: ['setPreviewSecret'] },
  preview_secret_removed: { entity: 'preview', target: 'the key', by: ['removePreviewSecret'] },
  preview_secret_granted: { entity: 'preview', target: 'the repository and the key', by: ['grantPreviewSecret'] },
  preview_secret_revoked: { entity: 'preview', target: 'the repository and the key', by: ['revokePreviewSecret'] },
  preview_registered: {
    entity: 'preview',
    target: 'the pull request or branch, and the preview',
    by: ['registerPreview'],
  },
  verification_requested: { entity: 'preview', target: 'the pull request', by: ['verifyPullRequest'] },
  verification_canceled: { entity: 'preview', target: 'the pull request', by: ['cancelVerification'] },
  preview_deregistered: {
    entity: 'preview',
    target: 'the pull request or branch, and the preview',
    by: ['deregisterPreview'],
  },
} as const satisfies Record<string, UserActionRule>;

export type UserActionName = keyof typeof userActions;

/** The content of docs/user-actions.md. */
export function userActionsMarkdown(): string {
  const rows = Object.entries<UserActionRule>(userActions).map(
    ([action, { entity, target, by }]) =>
      `| \`${action}\` | ${entity} | ${target ?? 'null'} | ${by.map((name) => `\`${name}\``).join(', ')} |`,
  );
  return `# User actions

This page lists the \`action\` values of the audit log ([interface](interface.md) 2.10 and 4.7). The audit log records GraphQL mutations of users, in a browser session or with a user's token. Calls with account tokens and REST calls are in the event log. A new action gets a new name, and a name never changes its meaning.

Repositories are named \`owner/name\`, pull requests \`owner/name#number\`, base branches \`owner/name:branch\`, users by their email address, teams \`@org/slug\`. A permission or a membership names both sides, such as \`owner/name: email\`.

| action | entity | target | written by |
|---|---|---|---|
${rows.join('\n')}
`;
}
