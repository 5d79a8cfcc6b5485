// A part of the emulator adds operations, rules and listeners. `parts.ts` lists them.
import type { FastifyInstance } from 'fastify';
import type { Core } from './core.ts';
import type { Actor } from './auth/actor.ts';
import type { Rules } from './git/rules.ts';
import type { RestRoute } from './http/route.ts';
import type { EventName, HostEvent } from './webhooks/events.ts';

export interface Part {
  readonly routes?: readonly RestRoute[];
  /** Handles POST /api/graphql. */
  readonly graphql?: (request: GraphqlRequest) => Promise<GraphqlAnswer>;
  /** Registers pages and other routes outside of the API. */
  readonly serve?: (fastify: FastifyInstance) => void | Promise<void>;
  readonly rules?: Rules;
  /** Receives every event, in order. Work that takes long must be started and not awaited. */
  readonly onEvent?: (event: HostEvent) => void | Promise<void>;
  /** Renders the fields of webhook payloads that are specific to an event, for the events of this part. */
  readonly payloads?: Partial<{ [Name in EventName]: (event: HostEvent & { name: Name }) => Promise<object> | object }>;
  /**
   * Continues work that was not finished when the emulator stopped. Called after the emulator has started to listen.
   */
  readonly start?: () => void | Promise<void>;
  /** Resolves when this part has no unfinished work. */
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
