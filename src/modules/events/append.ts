import type { Context } from '../../context.ts';
import { measurementsOf } from '../../domain/metrics/of-event.ts';
import type { Transaction } from '../../platform/database.ts';
import { toStorableJson } from '../../platform/storable-text.ts';

export interface NewEvent {
  readonly repositoryId?: string | null;
  readonly queueId?: string | null;
  readonly pullRequestId?: string | null;
  readonly batchId?: string | null;
  readonly candidateId?: string | null;
  readonly environmentId?: string | null;
  readonly deploymentId?: string | null;
  readonly runbookId?: string | null;
  readonly verificationId?: string | null;
  readonly registrationId?: string | null;
  /** The user who caused the event. Left out: the actor of the context. */
  readonly actor?: string;
  /** The name of a documented action (interface 6.2–6.4), or an internal name in the same snake_case form. */
  readonly action: string;
  /** Facts for webhooks, explain and analytics that the rows will not have later. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

/**
 * Writes events in the given order, in the transaction of their change. The caller locks the subject of the events, and
 * this lock keeps the events of one subject in order. The sequencer adds positions later.
 */
export async function appendEvents(ctx: Context, tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.em.flush();
  const at = ctx.clock();
  const actor = ctx.actor.email ?? (ctx.actor.kind === 'system' ? 'interlock' : null);
  await tx.send(
    `insert into event (account_id, repository_id, queue_id, pull_request_id, batch_id, candidate_id, environment_id, deployment_id,
                        runbook_id, verification_id, registration_id,
                        action, payload, actor, at)
     select $1::bigint, (e ->> 'repositoryId')::bigint, (e ->> 'queueId')::bigint, (e ->> 'pullRequestId')::bigint,
            (e ->> 'batchId')::bigint, (e ->> 'candidateId')::bigint, (e ->> 'environmentId')::bigint, (e ->> 'deploymentId')::bigint,
            (e ->> 'runbookId')::bigint, (e ->> 'verificationId')::bigint, (e ->> 'registrationId')::bigint,
            e ->> 'action', coalesce(e -> 'payload', '{}'), coalesce(e ->> 'actor', $2::text), $3::timestamptz
     from jsonb_array_elements($4::jsonb) with ordinality as list (e, n) order by n`,
    [ctx.accountId, actor, at.toISOString(), toStorableJson(events)],
  );
  tx.afterCommit(() => ctx.eventsWritten());
  tx.afterCommit(() => {
    for (const { action, payload } of events) ctx.meter.take(measurementsOf(action, payload ?? {}));
  });
}
