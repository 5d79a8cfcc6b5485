// Landing a batch is the one effect that must happen exactly once. The intent is started under the locks, if all
// conditions hold at that time. Then the host moves two refs in one atomic update: the base branch and
// `refs/interlock/landings/<batch>`. The landing ref proves the landing, even if the base branch moves or the service
// dies afterwards: after a crash a worker reads the landing ref and ends the landing (docs/adr/0003).
import type { Context } from '../../../context.ts';
import { isCheckOfCi } from '../../../domain/queue/evidence/service-checks.ts';
import { requiresChecksOfCi } from '../../../domain/queue/landing/gate.ts';
import type { HeadMove } from '../../../domain/queue/landing/show-as-merged.ts';
import { HostUnavailable } from '../../../hosts/port.ts';
import { idsOfMembers, loadBatch, lockBatch, type LoadedBatch } from '../store/batch.rows.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { demandsOf, syncBase } from '../facts/base-branches.ts';
import { recordChecksTogether } from '../facts/build.records.ts';
import { withTraceOfBatch } from '../facts/traces.ts';
import { mergeAtHost } from './landing.host.ts';
import { moveBase } from './landing.move.ts';
import type { GateApproval } from './proof.ts';
import { lockIntent } from '../store/intents.ts';
import { lockRepositoryForShare } from '../../repositories/index.ts';
import { PullRequestEntity, QueueEntity } from '../store/queue.entities.ts';
import { rulesOf } from '../store/rules-in-force.ts';
import { concludeLanding } from './landing.conclude.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { passGate } from './landing.gate.ts';

/** A landing that has not ended after this many attempts halts the queue. */
export const maxLandingAttempts = 20;

type Started =
  | {
      readonly kind: 'started';
      readonly attempt: number;
      readonly startedAt: Date;
      readonly passed: GateApproval;
      readonly heads: readonly HeadMove[] | null;
    }
  | { readonly kind: 'void'; readonly reason: string }
  | { readonly kind: 'over' };

/** Carries out a landing intent. If an earlier attempt was interrupted, the landing continues from there. */
export async function carryOutLanding(ctx: Context, intentId: string, batchId: string): Promise<void> {
  await withTraceOfBatch(ctx, { name: 'land batch', batchId }, async () => await land(ctx, intentId, batchId));
}

async function land(ctx: Context, intentId: string, batchId: string): Promise<void> {
  const loaded = await loadBatch(ctx, batchId);
  await passFailpoint('landing:before_gate');
  await readEvidenceAgain(ctx, loaded, intentId);
  const started = await startLanding(ctx, intentId, loaded);
  if (started.kind !== 'started') return;
  await passFailpoint('landing:after_gate');
  const outcome = started.passed.byHost
    ? await mergeAtHost(ctx, loaded, started.startedAt)
    : await moveBase(ctx, loaded, { ...started, intentId });
  await passFailpoint('landing:after_host');
  if (outcome.kind === 'refused') await readRulesAgain(ctx, loaded);
  await concludeLanding(ctx, { intentId, attempt: started.attempt, loaded, outcome });
  await passFailpoint('landing:after_conclude');
  await syncBase(ctx, loaded.host, loaded.baseBranch);
}

/** How old the news of a build may be at the gate of its landing, in milliseconds. */
const evidenceCountsForMs = 10_000;

/**
 * Reads the checks of the builds that justify the landing, and those of the heads whose own checks are required, unless
 * the host has just said something new about them. A host may let an ended check run again without any event, and the
 * batch may have waited since the checks were green.
 */
async function readEvidenceAgain(ctx: Context, loaded: LoadedBatch, intentId: string): Promise<void> {
  const { host, batch } = loaded;
  const old = await ctx.db.read<{ commit: string }>(ctx.accountId, {
    name: 'old_evidence',
    // With `offset 0`, PostgreSQL reads the checks by their commit, also without statistics.
    text: `select distinct e.commit from intent i, lateral (
             select unnest(array_append($4::text[], i.payload ->> 'evidence')) as commit where i.payload ->> 'evidence' <> ''
             union
             select head_sha from pull_request where account_id = $1 and id = any($6::bigint[]) and not skip_validation) e
           where i.account_id = $1 and i.id = $2 and i.state = 'planned'
             and not exists (select from check_result r where r.account_id = $1 and r.repository_id = $3 and r.commit = e.commit
                             and greatest(r.heard_at, r.end_heard_at) > $5 and ${isCheckOfCi('r.name')} offset 0)
           order by e.commit`,
    values: [
      ctx.accountId,
      intentId,
      batch.repositoryId,
      [...batch.restsOn],
      new Date(ctx.clock().getTime() - evidenceCountsForMs).toISOString(),
      (await areOwnChecksRequired(ctx, loaded)) ? idsOfMembers(loaded) : [],
    ],
  });
  await recordChecksTogether(
    ctx,
    host,
    old.map(({ commit }) => commit),
  );
}

async function areOwnChecksRequired(ctx: Context, { repository, batch }: LoadedBatch): Promise<boolean> {
  const queue = await ctx.db.load(ctx.accountId, QueueEntity, batch.queueId);
  return queue !== null && requiresChecksOfCi(rulesOf(repository, queue).rules);
}

/**
 * Reads the host's rules again, because often a rule of the base branch has changed if the host refuses a landing. If the
 * host cannot be read now, the landing ends by the rules that are known. Another attempt of the landing would not learn
 * of the refusal, because the landing ref is a tombstone by then.
 */
async function readRulesAgain(ctx: Context, { host, baseBranch }: LoadedBatch): Promise<void> {
  try {
    await syncBase(ctx, host, baseBranch, { areRulesStale: true });
  } catch (error) {
    if (!(error instanceof HostUnavailable)) throw error;
    ctx.log.warn(
      { error: String(error), repository: `${host.owner}/${host.name}`, baseBranch },
      'The code host refused a landing, and its rules for the base branch cannot be read now. The known rules count.',
    );
  }
}

/**
 * Starts the landing, if the gate passes. The gate reads all facts again under the locks. If a condition no longer
 * holds, the intent is voided, and the queue plans again.
 */
async function startLanding(ctx: Context, intentId: string, loaded: LoadedBatch): Promise<Started> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    // These share a round trip. The locks are taken in this order, and the rows of the members are read after them.
    const [repository, queue, batch, intent, rows] = await Promise.all([
      lockRepositoryForShare(tx, loaded.repository.id),
      changeQueue(ctx, tx, loaded.batch.queueId),
      lockBatch(tx, loaded.batch.id),
      lockIntent(tx, intentId),
      tx.find(PullRequestEntity, { column: 'id', ids: idsOfMembers(loaded), orderBy: 'id' }),
    ]);
    if (intent.state === 'started') {
      // An earlier attempt was interrupted after the gate, so only the host shows the outcome.
      intent.attempt += 1;
      const heads = (intent.payload['heads'] as readonly HeadMove[] | undefined) ?? null;
      const { attempt, startedAt } = intent;
      const passed = intent.payload['passed'] as GateApproval;
      return { kind: 'started', attempt, startedAt: startedAt ?? ctx.clock(), passed, heads };
    }
    if (intent.state !== 'planned') return { kind: 'over' };
    const verdict = await passGate(ctx, tx, { intent, batch, queue, repository, loaded, rows });
    if (verdict.kind === 'refused') {
      Object.assign(intent, { state: 'void', outcome: { reason: verdict.reason }, concludedAt: ctx.clock() });
      return { kind: 'void', reason: verdict.reason };
    }
    batch.state = 'landing';
    const startedAt = ctx.clock();
    Object.assign(intent, {
      state: 'started',
      attempt: intent.attempt + 1,
      startedAt,
      payload: { ...intent.payload, passed: verdict.passed, demands: demandsOf(queue) },
    });
    return { kind: 'started', attempt: intent.attempt, startedAt, passed: verdict.passed, heads: null };
  });
}
