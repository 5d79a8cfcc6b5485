// A part of the emulator adds operations, rules and listeners. `parts.ts` lists them.
import type { FastifyInstance } from 'fastify';
import type { Core } from './core.ts';
import type { Actor } from './auth/actor.ts';
import type { Rules } from './git/rules.ts';
import type { RestRoute } from './http/route.ts';
import type { EventName, HostEvent } from './webhooks/events.ts';

export interface Part {
  readonly routes?: readonly RestRoute[];
  /** Answers POST /api/graphql: the body as JSON, and headers besides the usual ones. */
  readonly graphql?: (request: GraphqlRequest) => Promise<GraphqlAnswer>;
  /** Adds pages and other addresses outside the API. */
  readonly serve?: (fastify: FastifyInstance) => void | Promise<void>;
  readonly rules?: Rules;
  /** Hears every event, in order. What takes long is started, not awaited. */
  readonly onEvent?: (event: HostEvent) => void | Promise<void>;
  /** The event's own fields of webhooks, for events whose objects this part renders. */
  readonly payloads?: Partial<{ [Name in EventName]: (event: HostEvent & { name: Name }) => Promise<object> | object }>;
  /** Continues what a stopped emulator left. Called when the emulator listens. */
  readonly start?: () => void | Promise<void>;
  /** Resolves when nothing of this part is under way. */
  readonly settled?: () => Promise<void>;
  readonly stop?: () => void | Promise<void>;
}

export interface GraphqlRequest {
  readonly actor: Actor;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

export interface GraphqlAnswer {
  readonly status: number;
  readonly body: unknown;
  /** Points of GraphQL's own budget that the query cost. */
  readonly cost: number;
}

export type MakePart = (core: Core) => Part;
