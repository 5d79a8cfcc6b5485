// What a server reports about Temporal: whether Temporal answers, whether a worker polls it for work, and the address
// of a workflow in its UI.
import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import type { Logger } from 'pino';
import {
  nextAsk,
  nextHealth,
  temporalSentence,
  type LastAsk,
  type TemporalAnswer,
  type TemporalHealth,
} from './domain/health/parts.ts';
import type { TemporalView } from './graphql/context.ts';
import { StartError } from './launcher/start-error.ts';
import type { TemporalSecurity } from './launcher/temporal-security.ts';
import { repeat } from './platform/repeat.ts';
import { workflowIdOf } from './temporal.ts';
import { taskQueue } from '../workflows/queue/messages.ts';

const lookEveryMs = 5_000;
const answerWithinMs = 3_000;
/** The status of gRPC for a namespace that does not exist. */
const notFound = 5;

export interface TemporalWatch extends TemporalView {
  start(): void;
  stop(): Promise<void>;
}

export interface TemporalWatchOptions {
  readonly address: string;
  readonly namespace: string;
  readonly security?: TemporalSecurity;
  /** The list of workflows in Temporal's UI. Null: no UI is known. */
  readonly ui: string | null;
  readonly log: Logger;
  readonly clock: () => Date;
}

export function watchTemporal(options: TemporalWatchOptions): TemporalWatch {
  const { address, namespace, security, ui, log, clock } = options;
  const connection = Connection.lazy({ address, connectTimeout: answerWithinMs, ...security });
  const client = new Client({ connection, namespace });
  let health: TemporalHealth | null = null;
  let lastAsk: LastAsk | null = null;

  async function ask(): Promise<TemporalAnswer> {
    const request = { namespace, taskQueue: { name: taskQueue } };
    try {
      const { pollers } = await connection.withDeadline(
        Date.now() + answerWithinMs,
        async () => await client.workflowService.describeTaskQueue(request),
      );
      const polledAt = (pollers ?? []).map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000);
      const askedAt = polledAt.length === 0 ? null : new Date(Math.max(...polledAt));
      lastAsk = nextAsk(lastAsk, askedAt, clock(), health?.silentSince ?? null);
      return { kind: 'Answered', askedAt: lastAsk?.seenAt ?? null };
    } catch (error) {
      const status: number | null = isGrpcServiceError(error) ? error.code : null;
      const answer: TemporalAnswer = status === notFound ? { kind: 'NoNamespace', namespace } : { kind: 'Silent' };
      if ((health?.silentSince ?? null) === null)
        log.warn({ error: String(error) }, temporalSentence(nextHealth(null, answer, clock())));
      return answer;
    }
  }

  const loop = repeat(
    lookEveryMs,
    async () => {
      const answer = await ask();
      health = nextHealth(health, answer, clock());
    },
    (error) => log.error({ error: String(error) }, 'Temporal could not be watched.'),
  );
  let isStarted = false;
  return {
    ...temporalLinks(ui),
    health: () => health,
    start() {
      isStarted = true;
      loop.start();
    },
    async stop() {
      if (isStarted) await loop.stop();
      await connection.close();
    },
  };
}

/** Makes links into Temporal's UI. `ui` is the address of its list of workflows. */
export function temporalLinks(ui: string | null): Pick<TemporalView, 'ui' | 'urlOf'> {
  return { ui, urlOf: (row) => (ui === null ? null : `${ui}/${encodeURIComponent(workflowIdOf(row))}`) };
}

/**
 * The address of the list of workflows in Temporal's UI: that of the embedded Temporal, or of TEMPORAL_UI_URL. Null: it
 * is unknown.
 */
export function temporalUiOf(
  { uiUrl, namespace }: { readonly uiUrl?: string | null; readonly namespace: string },
  env: NodeJS.ProcessEnv,
): string | null {
  const address = (uiUrl ?? env['TEMPORAL_UI_URL'] ?? '').replace(/\/+$/, '');
  if (address === '') return null;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new StartError(
      `TEMPORAL_UI_URL must be an http or https address, such as https://temporal.example.com, not ${address}.`,
    );
  return /\/namespaces\/[^/]+\/workflows$/.test(address)
    ? address
    : `${address}/namespaces/${encodeURIComponent(namespace)}/workflows`;
}
