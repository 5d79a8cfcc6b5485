// The proof of a landing: what landed, on what, and why that was allowed. Chained per queue by digests, so that a
// proof that was changed or taken out later shows. `verify` derives each again from git and these rows.
import { createHash } from 'node:crypto';
import type { BuildState, MergeStrategy, RequiredCheck } from '../../../domain/queue/snapshot.ts';
import type { BatchMemberRow, BatchRow, PullRequestRow } from '../queue.entities.ts';
import type { QueueWork } from '../status.writer.ts';

export type Grade = 'exact' | 'same_tree' | 'composed' | 'host_merged' | 'unvalidated' | 'external';

export interface PassedGate {
  readonly workflow: string;
  /** What it ran on. */
  readonly commit: string;
  /** The host's name for the run. */
  readonly run: string;
}

export interface ProofBody {
  readonly grade: Grade;
  readonly commit: string;
  readonly firstParent: string;
  readonly tree: string;
  readonly strategy: string;
  readonly batchCommit: string;
  readonly members: readonly {
    readonly number: number;
    readonly head: string;
    readonly commit: string;
    /** Left out where it is the landing's. */
    readonly strategy?: MergeStrategy;
    /** Head of the pull request it stood on, where it stood on one. */
    readonly belowHead?: string;
    /** Its changes are in the commit of the next member. */
    readonly joinsNext?: true;
  }[];
  readonly evidence: readonly {
    readonly commit: string;
    readonly tree: string;
    readonly checks: BuildState['checks'];
  }[];
  readonly configuration: string;
  /** The gate in force: names and globs of required checks and what passed; null where every check that ran counted. */
  readonly gate: readonly RequiredCheck[] | null;
  /** Workflows that had to succeed between the evidence and the landing. Left out where none had to. */
  readonly finalGates?: readonly PassedGate[];
  /** Who chose to land without validation, or the setting that did. Null otherwise. */
  readonly exceptionBy: string | null;
  readonly previous: string | null;
}

/** What the gate let through, kept with the intent: the proof says by which rules and results, whatever both become meanwhile. */
export interface Passed {
  readonly gate: ProofBody['gate'];
  readonly configuration: string;
  /** The host merged it, by a commit of its own. */
  readonly byHost?: boolean;
  readonly finalGates?: readonly PassedGate[];
  /** Null: validation was skipped. */
  readonly evidence: BuildState | null;
}

export function digestProof(body: ProofBody): string {
  return createHash('sha256').update(canonical(body)).digest('hex');
}

/** JSON with sorted keys: PostgreSQL does not keep the order of an object's keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}

export async function writeProof(
  work: QueueWork,
  landed: {
    landingId: string;
    batch: BatchRow;
    members: readonly BatchMemberRow[];
    pullRequests: ReadonlyMap<string, PullRequestRow>;
    commit: string;
    tree: string;
    grade: Grade;
    batchCommit: BatchRow['batchCommit'];
    passed: Passed;
  },
): Promise<void> {
  const { ctx, tx, queue, now } = work;
  const { batch, members, pullRequests, passed } = landed;
  const { evidence } = passed;
  const [previous] = await tx.query<{ id: string; digest: string }>(
    'select id, digest from proof where account_id = $1 and queue_id = $2 order by id desc limit 1',
    [ctx.accountId, queue.id],
  );
  const skipped = [...pullRequests.values()].find((row) => row.skipValidation);
  const body: ProofBody = {
    grade: landed.grade,
    commit: landed.commit,
    firstParent: batch.parentCommit,
    tree: landed.tree,
    strategy: batch.strategy,
    batchCommit: landed.batchCommit,
    members: members.map((member) => ({
      number: pullRequests.get(member.pullRequestId)?.number ?? 0,
      head: member.pinnedHead,
      commit: member.ownCommit ?? landed.commit,
      ...(member.strategy && member.strategy !== batch.strategy ? { strategy: member.strategy } : {}),
      ...(member.belowHead ? { belowHead: member.belowHead } : {}),
      ...(member.joinsNext ? { joinsNext: true } : {}),
    })),
    evidence: evidence === null ? [] : [{ commit: evidence.commit, tree: evidence.tree, checks: evidence.checks }],
    configuration: passed.configuration,
    gate: passed.gate,
    ...(passed.finalGates !== undefined && { finalGates: passed.finalGates }),
    exceptionBy: evidence === null ? exceptionOf(skipped) : null,
    previous: previous?.digest ?? null,
  };
  await tx.query(
    'insert into proof (account_id, queue_id, landing_id, previous_id, body, digest, created_at) values ($1, $2, $3, $4, $5, $6, $7)',
    [
      ctx.accountId,
      queue.id,
      landed.landingId,
      previous?.id ?? null,
      JSON.stringify(body),
      digestProof(body),
      now.toISOString(),
    ],
  );
}

/** Where nobody skipped validation, nothing is validated in this queue. */
function exceptionOf(skipped: PullRequestRow | undefined): string | null {
  return skipped === undefined ? 'merge_mode.type: no-queue' : (skipped.requestedBy ?? skipped.askedBy ?? null);
}
