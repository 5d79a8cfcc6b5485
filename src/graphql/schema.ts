// The schema. It is built once for each process and shared by all servers of the process, because the caller and the
// ports are in the context.
import 'reflect-metadata';
import { defaultFieldResolver, isObjectType, type GraphQLSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { AccountsResolver } from '../modules/accounts/accounts.resolver.ts';
import { ErasureResolver } from '../modules/erasure/erasure.resolver.ts';
import { TeamsResolver } from '../modules/accounts/teams.resolver.ts';
import { UserActionsResolver } from '../modules/accounts/user-actions.resolver.ts';
import { UsersResolver } from '../modules/accounts/users.resolver.ts';
import {
  AnalyticsBuildsResolver,
  AnalyticsEtaAccuracyResolver,
  AnalyticsHoursResolver,
  RepositoryAnalyticsResolver,
} from '../modules/analytics/analytics.resolver.ts';
import {
  EventsResolver,
  PullRequestEventsResolver,
  RepositoryEventsResolver,
} from '../modules/events/events.resolver.ts';
import { GitHubAppsResolver } from '../modules/github/github.resolver.ts';
import { InstallationResolver } from '../modules/health/installation.resolver.ts';
import {
  BatchTemporalUrlResolver,
  DeploymentTemporalUrlResolver,
  QueueTemporalUrlResolver,
  RunbookTemporalUrlResolver,
  VerificationTemporalUrlResolver,
} from '../modules/health/temporal-url.resolver.ts';
import { BatchesResolver, BotPullRequestsResolver } from '../modules/queue/api/batches.resolver.ts';
import { BranchWorkResolver } from '../modules/queue/api/branch-work.resolver.ts';
import { ConversationsResolver } from '../modules/queue/api/conversations.resolver.ts';
import { ChangesResolver, QueueChangeResolver } from '../modules/queue/api/changes.resolver.ts';
import { PullRequestsResolver, RepositoryPullRequestsResolver } from '../modules/queue/api/pull-requests.resolver.ts';
import {
  QueueDepthHistoryResolver,
  QueuesResolver,
  RepositoryQueuesResolver,
} from '../modules/queue/api/queue.resolver.ts';
import { QueueEntryResolver, QueueLineResolver } from '../modules/queue/api/line.resolver.ts';
import { PullRequestActionsResolver, RepositoryActionsResolver } from '../modules/queue/api/viewer-actions.resolver.ts';
import { RepositoryProofsResolver } from '../modules/queue/api/proofs.resolver.ts';
import { AffectedTargetsResolver } from '../modules/queue/api/affected-targets.resolver.ts';
import { SearchPullRequestsResolver } from '../modules/queue/api/search.resolver.ts';
import { StackResolver } from '../modules/queue/api/stack.resolver.ts';
import { QueueEtasResolver } from '../modules/queue/api/forecast.resolver.ts';
import { SimulationResolver } from '../modules/queue/api/simulation.resolver.ts';
import {
  ConfigurationPreviewResolver,
  EtasMovedResolver,
  FreezeBranchesImpactResolver,
  FreezeImpactResolver,
  PauseBranchesImpactResolver,
  PauseRepositoryImpactResolver,
  ReplaceConfigurationImpactResolver,
  UnfreezeImpactResolver,
} from '../modules/queue/api/dry-run.resolver.ts';
import { BranchFreezesResolver } from '../modules/repositories/branch-freezes.resolver.ts';
import { BranchPausesResolver } from '../modules/repositories/branch-pauses.resolver.ts';
import { EmbedLinksResolver } from '../modules/repositories/embed-links.resolver.ts';
import { PermissionsResolver } from '../modules/repositories/permissions.resolver.ts';
import { SearchResolver } from '../modules/repositories/search.resolver.ts';
import { RepositoriesResolver } from '../modules/repositories/repositories.resolver.ts';
import {
  ProjectCandidatesResolver,
  ReleaseCandidatesResolver,
  ReleasesResolver,
} from '../modules/releases/candidates.resolver.ts';
import { ReleaseChangesResolver } from '../modules/releases/changes.resolver.ts';
import { DeploymentsResolver, EnvironmentDeploymentsResolver } from '../modules/releases/deployments.resolver.ts';
import {
  CandidateProvenanceResolver,
  ChangelogResolver,
  ChangeSetResolver,
  DeploymentProvenanceResolver,
  EnvironmentProvenanceResolver,
  ProjectUnreleasedResolver,
  ReleasedCommitResolver,
  RollbackPreviewResolver,
} from '../modules/releases/provenance/changelog.resolver.ts';
import {
  EnvironmentPresenceResolver,
  PullRequestReleasesResolver,
} from '../modules/releases/provenance/provenance.resolver.ts';
import { BuildLogResolver, DeploymentLogResolver } from '../modules/releases/logs/log.resolver.ts';
import { EnvironmentFreezeImpactResolver, FreezesResolver } from '../modules/releases/freezes.resolver.ts';
import { SearchReleasesResolver } from '../modules/releases/search.resolver.ts';
import { EnvironmentsResolver, ReleaseProjectsResolver } from '../modules/releases/projects.resolver.ts';
import {
  RepositoryRunbooksResolver,
  RunbookCostResolver,
  RunbooksResolver,
  SearchRunbooksResolver,
} from '../modules/runbooks/runbooks.resolver.ts';
import { RepositoryRunbookDefaultsResolver, RunbookControlResolver } from '../modules/runbooks/control.resolver.ts';
import {
  PullRequestRunbookResolver,
  RunbookPullRequestsResolver,
  RunbookStepsResolver,
} from '../modules/runbooks/steps.resolver.ts';
import { RunbookChangesResolver, RunbookChangeStepResolver } from '../modules/runbooks/changes.resolver.ts';
import { RunbookActivityResolver, RunbookLeafActivityResolver } from '../modules/runbooks/activity.resolver.ts';
import { PreviewImagesResolver } from '../modules/previews/images/images.resolver.ts';
import {
  PreviewRegistrationsResolver,
  RepositoryRegistrationsResolver,
} from '../modules/previews/registrations/registrations.resolver.ts';
import { PreviewSecretsResolver } from '../modules/previews/secrets/secrets.resolver.ts';
import { SlackResolver } from '../modules/slack/slack.resolver.ts';
import { PreviewChangesResolver } from '../modules/previews/changes.resolver.ts';
import { VerificationLogResolver } from '../modules/previews/verifications/log.resolver.ts';
import {
  PullRequestVerificationsResolver,
  RepositoryVerificationsResolver,
  VerificationsResolver,
} from '../modules/previews/verifications/verifications.resolver.ts';
import { WebhookChangesResolver } from '../modules/webhooks/changes.resolver.ts';
import { WebhookSigningResolver } from '../modules/webhooks/signing.resolver.ts';
import { WebhookDeliveriesResolver, WebhookEndpointsResolver } from '../modules/webhooks/webhooks.resolver.ts';
import { callResolversDirectly } from './direct-resolvers.ts';
import { logPubSub } from './event-log-pubsub.ts';
import { encodeNodeId } from './node-id.ts';
import { NodeResolver } from './node.resolver.ts';

const resolvers = [
  NodeResolver,
  AccountsResolver,
  ErasureResolver,
  UsersResolver,
  TeamsResolver,
  UserActionsResolver,
  GitHubAppsResolver,
  RepositoriesResolver,
  SearchResolver,
  PermissionsResolver,
  EmbedLinksResolver,
  BranchPausesResolver,
  BranchFreezesResolver,
  RepositoryPullRequestsResolver,
  PullRequestsResolver,
  ConversationsResolver,
  BranchWorkResolver,
  ConfigurationPreviewResolver,
  SimulationResolver,
  QueueEtasResolver,
  PauseRepositoryImpactResolver,
  PauseBranchesImpactResolver,
  FreezeBranchesImpactResolver,
  UnfreezeImpactResolver,
  EtasMovedResolver,
  FreezeImpactResolver,
  ReplaceConfigurationImpactResolver,
  RepositoryQueuesResolver,
  QueuesResolver,
  AffectedTargetsResolver,
  StackResolver,
  SearchPullRequestsResolver,
  QueueDepthHistoryResolver,
  RepositoryProofsResolver,
  PullRequestActionsResolver,
  RepositoryActionsResolver,
  QueueLineResolver,
  QueueEntryResolver,
  BatchesResolver,
  BotPullRequestsResolver,
  RepositoryAnalyticsResolver,
  AnalyticsBuildsResolver,
  AnalyticsEtaAccuracyResolver,
  AnalyticsHoursResolver,
  RepositoryEventsResolver,
  EventsResolver,
  ChangesResolver,
  QueueChangeResolver,
  PullRequestEventsResolver,
  ReleaseProjectsResolver,
  EnvironmentsResolver,
  SearchReleasesResolver,
  FreezesResolver,
  EnvironmentFreezeImpactResolver,
  ProjectCandidatesResolver,
  ReleasesResolver,
  ReleaseCandidatesResolver,
  CandidateProvenanceResolver,
  ChangelogResolver,
  ChangeSetResolver,
  EnvironmentProvenanceResolver,
  ProjectUnreleasedResolver,
  ReleasedCommitResolver,
  RollbackPreviewResolver,
  DeploymentProvenanceResolver,
  PullRequestReleasesResolver,
  EnvironmentPresenceResolver,
  EnvironmentDeploymentsResolver,
  DeploymentsResolver,
  DeploymentLogResolver,
  BuildLogResolver,
  ReleaseChangesResolver,
  RepositoryRunbooksResolver,
  SearchRunbooksResolver,
  RunbooksResolver,
  RunbookCostResolver,
  RunbookStepsResolver,
  PreviewImagesResolver,
  PreviewSecretsResolver,
  SlackResolver,
  RepositoryRegistrationsResolver,
  PreviewRegistrationsResolver,
  PullRequestVerificationsResolver,
  RepositoryVerificationsResolver,
  VerificationsResolver,
  VerificationLogResolver,
  PreviewChangesResolver,
  RunbookControlResolver,
  RunbookActivityResolver,
  RunbookLeafActivityResolver,
  RunbookChangesResolver,
  RunbookChangeStepResolver,
  RunbookPullRequestsResolver,
  PullRequestRunbookResolver,
  RepositoryRunbookDefaultsResolver,
  WebhookEndpointsResolver,
  WebhookChangesResolver,
  WebhookDeliveriesResolver,
  WebhookSigningResolver,
  InstallationResolver,
  QueueTemporalUrlResolver,
  BatchTemporalUrlResolver,
  DeploymentTemporalUrlResolver,
  RunbookTemporalUrlResolver,
  VerificationTemporalUrlResolver,
] as const;

let built: GraphQLSchema | undefined;

export function interlockSchema(): GraphQLSchema {
  built ??= buildInterlockSchema();
  return built;
}

function buildInterlockSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    // The check is skipped, because it takes half a second at each start. `npm run generate` does it.
    skipCheck: true,
    resolvers,
    pubSub: logPubSub,
    // The services validate input. Decorators would repeat their rules with other error texts.
    validate: false,
  });
  callResolversDirectly(schema);
  encodeIds(schema);
  return schema;
}

/** Makes resolvers of `id` that turn the database id of a row into a node id. */
function encodeIds(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || !type.getInterfaces().some(({ name }) => name === 'Node')) continue;
    const { id } = type.getFields();
    if (id)
      id.resolve = (source, args, ctx, info) =>
        encodeNodeId(type.name, defaultFieldResolver(source, args, ctx, info) as string);
  }
}
