// The schema is made once per process. It knows no server: whom it serves, and over which ports, is in the context.
import 'reflect-metadata';
import { defaultFieldResolver, isObjectType, type GraphQLSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { AccountsResolver } from '../modules/accounts/accounts.resolver.ts';
import { TeamsResolver } from '../modules/accounts/teams.resolver.ts';
import { UserActionsResolver } from '../modules/accounts/user-actions.resolver.ts';
import { UsersResolver } from '../modules/accounts/users.resolver.ts';
import { RepositoryAnalyticsResolver } from '../modules/analytics/analytics.resolver.ts';
import { EventsResolver, RepositoryEventsResolver } from '../modules/events/events.resolver.ts';
import { BatchesResolver, BotPullRequestsResolver } from '../modules/queue/builds/batches.resolver.ts';
import { BranchWorkResolver } from '../modules/queue/branches/branch-work.resolver.ts';
import { ConversationsResolver } from '../modules/queue/asking/conversations.resolver.ts';
import { ChangesResolver } from '../modules/queue/changes.resolver.ts';
import { PullRequestsResolver, RepositoryPullRequestsResolver } from '../modules/queue/pull-requests.resolver.ts';
import { QueuesResolver, RepositoryQueuesResolver } from '../modules/queue/queue.resolver.ts';
import { QueueEtasResolver } from '../modules/queue/foreseeing/forecast.resolver.ts';
import { SimulationResolver } from '../modules/queue/foreseeing/simulation.resolver.ts';
import {
  ConfigurationPreviewResolver,
  PauseBranchesImpactResolver,
  PauseRepositoryImpactResolver,
  ReplaceConfigurationImpactResolver,
} from '../modules/queue/previewing/preview.resolver.ts';
import { BranchPausesResolver } from '../modules/repositories/branch-pauses.resolver.ts';
import { PermissionsResolver } from '../modules/repositories/permissions.resolver.ts';
import { RepositoriesResolver } from '../modules/repositories/repositories.resolver.ts';
import { WebhookSigningResolver } from '../modules/webhooks/signing.resolver.ts';
import { WebhookDeliveriesResolver, WebhookEndpointsResolver } from '../modules/webhooks/webhooks.resolver.ts';
import { logPubSub } from './event-log-pubsub.ts';
import { encodeNodeId } from './node-id.ts';
import { NodeResolver } from './node.resolver.ts';

let built: GraphQLSchema | undefined;

export function interlockSchema(): GraphQLSchema {
  built ??= buildInterlockSchema();
  return built;
}

function buildInterlockSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      NodeResolver,
      AccountsResolver,
      UsersResolver,
      TeamsResolver,
      UserActionsResolver,
      RepositoriesResolver,
      PermissionsResolver,
      BranchPausesResolver,
      RepositoryPullRequestsResolver,
      PullRequestsResolver,
      ConversationsResolver,
      BranchWorkResolver,
      ConfigurationPreviewResolver,
      SimulationResolver,
      QueueEtasResolver,
      PauseRepositoryImpactResolver,
      PauseBranchesImpactResolver,
      ReplaceConfigurationImpactResolver,
      RepositoryQueuesResolver,
      QueuesResolver,
      BatchesResolver,
      BotPullRequestsResolver,
      RepositoryAnalyticsResolver,
      RepositoryEventsResolver,
      EventsResolver,
      ChangesResolver,
      WebhookEndpointsResolver,
      WebhookDeliveriesResolver,
      WebhookSigningResolver,
    ],
    pubSub: logPubSub,
    // Rules are the services' own: a second set in decorators would say other words.
    validate: false,
  });
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || !type.getInterfaces().some(({ name }) => name === 'Node')) continue;
    const { id } = type.getFields();
    // Rows carry their own id: it becomes opaque only where it is shown.
    if (id)
      id.resolve = (source, args, ctx, info) =>
        encodeNodeId(type.name, defaultFieldResolver(source, args, ctx, info) as string);
  }
  return schema;
}
