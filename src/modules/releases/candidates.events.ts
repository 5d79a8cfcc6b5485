import type { Context } from '../../context.ts';
import type { CandidateAction } from '../../domain/events/release-payloads.ts';
import { notFound } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';

interface CandidateFacts {
  readonly repositoryId: string;
  readonly project: string;
  readonly version: string;
  readonly releaseVersion: string;
  readonly commit: string;
  readonly status: string;
  readonly errorMessage: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** Writes events of a candidate. The payload has all facts that consumers need, as they are now. */
export async function announceCandidate(
  ctx: Context,
  tx: Transaction,
  { id, actions }: { readonly id: string; readonly actions: readonly CandidateAction[] },
): Promise<void> {
  await tx.em.flush();
  const [candidate] = await tx.query<CandidateFacts>(
    `select c.repository_id as "repositoryId", p.name as project, c.version, r.version as "releaseVersion", c.commit, c.status,
            c.error_message as "errorMessage", c.actor as "createdBy", c.created_at as "createdAt"
     from release_candidate c
     join release_project p on p.account_id = c.account_id and p.id = c.project_id
     join release r on r.account_id = c.account_id and r.id = c.release_id
     where c.account_id = $1 and c.id = $2`,
    [ctx.accountId, id],
  );
  if (candidate === undefined) throw notFound('Release');
  const { repositoryId, createdBy, createdAt, ...facts } = candidate;
  const payload = { ...facts, actor: createdBy, createdAt: new Date(createdAt).toISOString() };
  await appendEvents(
    ctx,
    tx,
    actions.map((action) => ({ repositoryId, candidateId: id, action, payload })),
  );
}
