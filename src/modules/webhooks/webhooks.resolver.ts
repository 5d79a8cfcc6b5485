import type DataLoader from 'dataloader';
import { Arg, Ctx, Extensions, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { notFound } from '../../domain/errors.ts';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../graphql/connection.ts';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { loadMany } from '../../graphql/loaders.ts';
import { decodeNodeId } from '../../graphql/node-id.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  pingWebhookEndpoint,
  redeliverWebhook,
  removeWebhookEndpointSecret,
  rotateWebhookEndpointSecret,
  updateWebhookEndpoint,
} from './endpoints.service.ts';
import {
  readAttempts,
  readDeliveries,
  readDelivery,
  readWebhookEndpoint,
  readWebhookEndpoints,
  type AttemptRead,
} from './webhooks.reads.ts';
import {
  CreateWebhookEndpointInput,
  CreateWebhookEndpointPayload,
  DeleteWebhookEndpointPayload,
  RedeliverWebhookInput,
  RotateWebhookEndpointSecretPayload,
  UpdateWebhookEndpointInput,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryConnection,
  WebhookDeliveryPayload,
  WebhookEndpoint,
  WebhookEndpointConnection,
  WebhookEndpointInput,
  WebhookEndpointPayload,
} from './webhooks.types.ts';

const pageSize = 50;

@Resolver(() => WebhookEndpoint)
export class WebhookEndpointsResolver {
  @Query(() => WebhookEndpointConnection, {
    description: "The account's webhook endpoints, newest first. Needs admin.",
  })
  async webhookEndpoints(
    @Ctx() ctx: GraphQLContext,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<WebhookEndpoint>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readWebhookEndpoints(ctx, { size: page.size, before: rowId(page) });
    return toConnection(rows, page.size, { node: (row): WebhookEndpoint => row, key: (row) => [row.id] });
  }

  @FieldResolver(() => WebhookDeliveryConnection, {
    description:
      'The deliveries of the endpoint of the last 30 days (KEEP_WEBHOOK_DELIVERIES_DAYS), and older deliveries that have not ended, newest first.',
  })
  async deliveries(
    @Ctx() ctx: GraphQLContext,
    @Root() endpoint: WebhookEndpoint,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<WebhookDelivery>> {
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readDeliveries(ctx, endpoint.id, { size: page.size, before: rowId(page) });
    return toConnection(rows, page.size, { node: (row): WebhookDelivery => row, key: (row) => [row.id] });
  }

  @Mutation(() => CreateWebhookEndpointPayload, {
    description: 'Adds an address that receives events from now on. Needs admin.',
  })
  async createWebhookEndpoint(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateWebhookEndpointInput) input: CreateWebhookEndpointInput,
  ): Promise<CreateWebhookEndpointPayload> {
    const { id, secret } = await createWebhookEndpoint(ctx, ctx.secrets, input);
    return { webhookEndpoint: await endpointOf(ctx, id), secret };
  }

  @Mutation(() => WebhookEndpointPayload, {
    description: 'Changes the address or the actions of an endpoint. Needs admin.',
  })
  async updateWebhookEndpoint(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => UpdateWebhookEndpointInput) { id, url, actions }: UpdateWebhookEndpointInput,
  ): Promise<WebhookEndpointPayload> {
    await updateWebhookEndpoint(ctx, {
      id: endpointId(id),
      ...(typeof url === 'string' && { url }),
      ...(actions && { actions }),
    });
    return await endpointPayload(ctx, id);
  }

  @Mutation(() => DeleteWebhookEndpointPayload, {
    description: 'Deletes an endpoint and its deliveries. The endpoint receives no more webhooks. Needs admin.',
  })
  async deleteWebhookEndpoint(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => WebhookEndpointInput) { id }: WebhookEndpointInput,
  ): Promise<DeleteWebhookEndpointPayload> {
    await deleteWebhookEndpoint(ctx, endpointId(id));
    return { deletedId: id };
  }

  @Mutation(() => WebhookEndpointPayload, {
    description: 'Enables an endpoint, which receives events from now on. Needs admin.',
  })
  async enableWebhookEndpoint(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => WebhookEndpointInput) { id }: WebhookEndpointInput,
  ): Promise<WebhookEndpointPayload> {
    await enableWebhookEndpoint(ctx, endpointId(id));
    return await endpointPayload(ctx, id);
  }

  @Mutation(() => WebhookEndpointPayload, {
    description:
      'Disables an endpoint, which receives nothing until it is enabled again. Its open deliveries are canceled. Needs admin.',
  })
  async disableWebhookEndpoint(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => WebhookEndpointInput) { id }: WebhookEndpointInput,
  ): Promise<WebhookEndpointPayload> {
    await disableWebhookEndpoint(ctx, endpointId(id));
    return await endpointPayload(ctx, id);
  }

  @Mutation(() => WebhookDeliveryPayload, {
    description: 'Sends a webhook of the action `ping` to an endpoint, once. Needs admin.',
  })
  async pingWebhookEndpoint(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => WebhookEndpointInput) { id }: WebhookEndpointInput,
  ): Promise<WebhookDeliveryPayload> {
    return await deliveryPayload(ctx, await pingWebhookEndpoint(ctx, endpointId(id)));
  }

  @Mutation(() => RotateWebhookEndpointSecretPayload, {
    description:
      'Gives an endpoint a new secret of its own. Each secret that was replaced signs for one more day, at most ten of them: the last one signs the header with `-Previous`, and all of them sign `webhook-signature`. Needs admin.',
  })
  async rotateWebhookEndpointSecret(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => WebhookEndpointInput) { id }: WebhookEndpointInput,
  ): Promise<RotateWebhookEndpointSecretPayload> {
    const secret = await rotateWebhookEndpointSecret(ctx, ctx.secrets, endpointId(id));
    return { webhookEndpoint: await endpointOf(ctx, endpointId(id)), secret };
  }

  @Mutation(() => WebhookEndpointPayload, {
    description: "Signs an endpoint's webhooks with the account's token again. Needs admin.",
  })
  async removeWebhookEndpointSecret(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => WebhookEndpointInput) { id }: WebhookEndpointInput,
  ): Promise<WebhookEndpointPayload> {
    await removeWebhookEndpointSecret(ctx, endpointId(id));
    return await endpointPayload(ctx, id);
  }
}

@Resolver(() => WebhookDelivery)
export class WebhookDeliveriesResolver {
  @FieldResolver(() => [WebhookAttempt], { description: 'The attempts of the delivery, in order.' })
  async attempts(@Ctx() ctx: GraphQLContext, @Root() delivery: WebhookDelivery): Promise<WebhookAttempt[]> {
    return await loaderOf(ctx, attemptsOfDelivery).load(delivery.id);
  }

  @Extensions({ price: 250 })
  @FieldResolver(() => WebhookEndpoint, {
    nullable: true,
    description: 'The endpoint that the delivery is sent to. Null: the endpoint was deleted.',
  })
  async endpoint(@Ctx() ctx: GraphQLContext, @Root() delivery: WebhookDelivery): Promise<WebhookEndpoint | null> {
    return await readWebhookEndpoint(ctx, delivery.endpointId);
  }

  @Mutation(() => WebhookDeliveryPayload, {
    description:
      'Sends a delivery again, with the same id. If this fails, the delivery is retried like a new delivery. Needs admin.',
  })
  async redeliverWebhook(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RedeliverWebhookInput) input: RedeliverWebhookInput,
  ): Promise<WebhookDeliveryPayload> {
    const id = rowOf('WebhookDelivery', input.id);
    await redeliverWebhook(ctx, id);
    return await deliveryPayload(ctx, id);
  }
}

function attemptsOfDelivery(ctx: GraphQLContext): DataLoader<string, AttemptRead[]> {
  return loadMany('deliveryId', async (ids) => await readAttempts(ctx, ids));
}

// Returns the row's id in a node id. A node id of another type gives 0, which is no row's id.
function rowOf(type: 'WebhookEndpoint' | 'WebhookDelivery', nodeId: string): string {
  const named = decodeNodeId(nodeId);
  return named?.type === type ? named.id : '0';
}

function endpointId(nodeId: string): string {
  return rowOf('WebhookEndpoint', nodeId);
}

async function endpointOf(ctx: GraphQLContext, id: string): Promise<WebhookEndpoint> {
  const found = await readWebhookEndpoint(ctx, id);
  if (found === null) throw notFound('Webhook endpoint');
  return found;
}

async function endpointPayload(ctx: GraphQLContext, nodeId: string): Promise<WebhookEndpointPayload> {
  return { webhookEndpoint: await endpointOf(ctx, endpointId(nodeId)) };
}

async function deliveryPayload(ctx: GraphQLContext, id: string): Promise<WebhookDeliveryPayload> {
  const found = await readDelivery(ctx, id);
  if (found === null) throw notFound('Webhook delivery');
  return { webhookDelivery: found };
}
