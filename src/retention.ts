// Deletes old records. Each process does this every hour. Only one process at a time deletes records of a kind
// (docs/retention.md).
import type { Logger } from 'pino';
import { cutoffOf, retainedKinds, type RetainedKind, type Retention } from './domain/retention/catalogue.ts';
import { removeOldOutput } from './hosts/local/index.ts';
import { sessionForgetting, tokenForgetting } from './modules/accounts/index.ts';
import { eventRetention } from './modules/events/index.ts';
import { hostDeliveryForgetting } from './modules/github/index.ts';
import { verificationLogForgetting } from './modules/previews/index.ts';
import { historyForgetting, intentForgetting, targetsForgetting } from './modules/queue/index.ts';
import { deploymentLogForgetting, freezeForgetting } from './modules/releases/index.ts';
import { embedLinkForgetting } from './modules/repositories/index.ts';
import { runbookLogForgetting } from './modules/runbooks/index.ts';
import { deliveryForgetting } from './modules/webhooks/index.ts';
import type { Database } from './platform/database.ts';
import type { Meter } from './platform/metrics/index.ts';
import { deleteOldRows, type RetentionRule, noteDue } from './platform/retention/index.ts';
import { idempotencyKeyRetention } from './server/idempotency.ts';

export const retentionRules: Readonly<Record<Exclude<RetainedKind, 'check_output'>, RetentionRule>> = {
  events: eventRetention,
  history: historyForgetting,
  targets: targetsForgetting,
  intents: intentForgetting,
  webhook_deliveries: deliveryForgetting,
  host_deliveries: hostDeliveryForgetting,
  deployment_logs: deploymentLogForgetting,
  runbook_logs: runbookLogForgetting,
  verification_logs: verificationLogForgetting,
  freezes: freezeForgetting,
  sessions: sessionForgetting,
  embed_links: embedLinkForgetting,
  tokens: tokenForgetting,
  idempotency_keys: idempotencyKeyRetention,
};

export interface RetentionPorts {
  readonly db: Database;
  readonly meter: Meter;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly dataDir: string;
  readonly retention: Retention;
}

/** Deletes all records that are too old. A failure with one kind does not affect other kinds. */
export async function deleteOldRecords(ports: RetentionPorts, signal?: AbortSignal): Promise<void> {
  const { db, log, retention } = ports;
  const limited = retainedKinds.filter((kind) => retention[kind] !== null);
  await noteDue(
    db,
    limited.filter((kind) => kind !== 'check_output'),
  );
  for (const kind of limited) {
    const cutoff = cutoffOf(kind, retention, ports.clock());
    if (cutoff === null || signal?.aborted === true) continue;
    await deleteKind(ports, kind, { cutoff, ...(signal === undefined ? {} : { signal }) }).catch((error: unknown) =>
      log.error({ error: String(error), kind }, 'Old records could not be deleted. Interlock tries again in an hour.'),
    );
  }
}

async function deleteKind(
  ports: RetentionPorts,
  kind: RetainedKind,
  of: { readonly cutoff: Date; readonly signal?: AbortSignal },
): Promise<void> {
  if (kind !== 'check_output') {
    await deleteOldRows(ports, retentionRules[kind], of);
    return;
  }
  const removed = await removeOldOutput(ports.dataDir, of.cutoff);
  if (removed > 0) ports.meter.count('interlock_retention_deleted_total', { what: kind }, removed);
}
