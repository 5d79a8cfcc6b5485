import type DataLoader from 'dataloader';
import type { Context, Woken, WokenBatch } from '../context.ts';
import type { TemporalHealth } from '../domain/health/parts.ts';
import type { RequestContext, RequestSource, Secrets } from '../modules/accounts/index.ts';
import type { DeliveryChanges } from '../modules/webhooks/index.ts';
import type { EventLogPubSub } from './event-log-pubsub.ts';
import type { LogEnds } from './log-ends.ts';

/** The services that a composition root gives to resolvers besides the ports. */
export interface RequestServices {
  readonly secrets: Secrets;
  readonly events: EventLogPubSub;
  readonly deliveries: DeliveryChanges;
  /** Servers of GitHub Enterprise that the operator permits. GitHub's own is always permitted. */
  readonly githubServers: readonly string[];
  readonly temporal: TemporalView;
  readonly logEnds: LogEnds;
}

/** A row that has a workflow. */
export type Driven = { readonly accountId: string } & (Exclude<Woken, WokenBatch> | Pick<WokenBatch, 'batchId'>);

/** What resolvers know about Temporal. */
export interface TemporalView {
  /** The list of workflows in Temporal's UI. Null: no UI is known. */
  readonly ui: string | null;
  /** The page of the workflow of a row in Temporal's UI, which shows its newest run. Null: no UI is known. */
  readonly urlOf: (row: Driven) => string | null;
  /** Temporal's health as of a few seconds ago. Null: this server has not queried Temporal yet. */
  readonly health: () => TemporalHealth | null;
}

/** The context of resolvers: the caller, the interface, and the loaders of this request. */
export interface GraphQLContext extends RequestContext, RequestServices {
  /**
   * The loaders of this request, created at first use. They batch reads and do not cache rows, because a mutation must
   * see the writes of an earlier mutation in the same request, and because subscriptions last long.
   */
  readonly loaders: Map<LoaderFactory<never, unknown>, DataLoader<never, unknown>>;
  /** Points of the rate limit that the request took before its document was read. Left out: none. */
  readonly pointsTaken?: number;
}

export type LoaderFactory<Key, Value> = (ctx: GraphQLContext) => DataLoader<Key, Value>;

export function loaderOf<Key, Value>(ctx: GraphQLContext, factory: LoaderFactory<Key, Value>): DataLoader<Key, Value> {
  const known = ctx.loaders.get(factory);
  if (known) return known as unknown as DataLoader<Key, Value>;
  const loader = factory(ctx);
  ctx.loaders.set(factory, loader);
  return loader;
}

/** Loads the row of a key. Null: the key is null, or has no row. */
export async function loadIfAny<Key, Value>(
  ctx: GraphQLContext,
  factory: LoaderFactory<Key, Value>,
  key: Key | null,
): Promise<Value | null> {
  return key === null ? null : await loaderOf(ctx, factory).load(key);
}

export function graphQLContext(ctx: Context, services: RequestServices, source: RequestSource): GraphQLContext {
  return { ...ctx, ...services, source, loaders: new Map() };
}
