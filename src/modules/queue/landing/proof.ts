// Writes the proof of a landing, which says what landed, on which commit, and why that was allowed. The proofs of a
// queue form a chain of digests, so that a changed or removed proof is detected. `verify` derives each proof again from
// git and from rows.
import { createHash } from 'node:crypto';
import type { Targets } from '../../../domain/queue/model/overlap.ts';
import type { MergeStrategy, RequiredCheck } from '../../../domain/queue/model/rules.ts';
import type { BuildState } from '../../../domain/queue/model/snapshot.ts';
import { PullRequestEntity, type BatchMemberRow, type BatchRow, type PullRequestRow } from '../store/queue.entities.ts';
import type { PassedGate } from '../facts/final-gates.ts';
import type { PassedPart } from '../builds/composed-evidence.ts';
import type { QueueWork } from '../store/status.writer.ts';

export type Grade = 'exact' | 'same_tree' | 'composed' | 'host_merged' | 'unvalidated' | 'external';

/** How a pull request was merged into the tested or landed commit. */
export interface ProvenMember {
  readonly number: number;
  readonly head: string;
  /** How the pull request was merged. Absent if this is the strategy of the landing. */
  readonly strategy?: MergeStrategy;
  /** The head of the pull request below it in a stack. Absent if there is none. */
  readonly belowHead?: string;
  /** True if the commit of the next member contains its changes. Otherwise absent. */
  readonly joinsNext?: true;
}

export interface ProofBody {
  readonly grade: Grade;
  readonly commit: string;
  readonly firstParent: string;
  readonly tree: string;
  /** True if the landing changed nothing: its tree is that of its parent. Otherwise absent. */
  readonly isEmpty?: true;
  readonly strategy: string;
  readonly batchCommit: string;
  readonly members: readonly (ProvenMember & {
    readonly commit: string;
    /**
     * Its affected targets, if the configuration uses them. Absent if unknown; the pull request then overlaps every
     * other one.
     */
    readonly targets?: readonly string[];
  })[];
  readonly evidence: readonly {
    readonly commit: string;
    readonly tree: string;
    readonly checks: BuildState['checks'];
    /**
     * Only for a build of a part: the commit that the part was built on, which was the tip of the base branch at that
     * time.
     */
    readonly base?: string;
    /** Only for a build of a part: the pull requests on top of `base`, in order. */
    readonly content?: readonly ProvenMember[];
  }[];
  readonly configuration: string;
  /**
   * The required checks of the gate: names and globs, and the conclusions that pass. Null if every check that ran was
   * required.
   */
  readonly gate: readonly RequiredCheck[] | null;
  /** The final gates that had to pass between the evidence and the landing. Absent if there were none. */
  readonly finalGates?: readonly PassedGate[];
  /** The person or the setting that skipped validation. Null if nothing was skipped. */
  readonly exceptionBy: string | null;
  readonly previous: string | null;
}

/**
 * What the landing gate accepted. The intent stores it, so that the proof contains the rules and results of that time
 * even if they change later.
 */
export interface GateApproval {
  readonly gate: ProofBody['gate'];
  readonly configuration: string;
  /** Whether the host merged the pull request with a commit of its own. */
  readonly byHost?: boolean;
  readonly finalGates?: readonly PassedGate[];
  /** The build of the whole tree. Null: validation was skipped, or builds of parts justify the landing. */
  readonly evidence: BuildState | null;
  /** Builds of the parts, if no build of the whole tree justifies the landing. */
  readonly parts?: readonly PassedPart[];
  /** The affected targets of each member, by id. Absent if the configuration does not use affected targets. */
  readonly targets?: readonly { readonly id: string; readonly targets: Targets }[];
}

export function digestProof(body: ProofBody): string {
  return createHash('sha256').update(canonical(body)).digest('hex');
}

/** JSON with sorted keys, because PostgreSQL does not keep the order of an object's keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}

export interface ProvenLanding {
  readonly landingId: string;
  readonly batch: BatchRow;
  readonly members: readonly BatchMemberRow[];
  readonly pullRequests: ReadonlyMap<string, PullRequestRow>;
  readonly commit: string;
  readonly tree: string;
  /** Whether the base branch has the same tree as before. */
  readonly isEmpty: boolean;
  readonly grade: Grade;
  readonly batchCommit: BatchRow['batchCommit'];
  readonly passed: GateApproval;
}

interface NewestProof {
  readonly id: string;
  readonly digest: string;
}

/** The newest proof of the queue. Null: there is none. */
export async function readNewestProof({ ctx, tx, queue }: QueueWork): Promise<NewestProof | null> {
  const [newest] = await tx.query<NewestProof>(
    'select id, digest from proof where account_id = $1 and queue_id = $2 order by id desc limit 1',
    [ctx.accountId, queue.id],
  );
  return newest ?? null;
}

/** `previous`: the newest proof of the queue, read under the queue's lock. */
export async function writeProof(work: QueueWork, landed: ProvenLanding, previous: NewestProof | null): Promise<void> {
  const { ctx, tx, queue, now } = work;
  const body: ProofBody = { ...(await proofOf(work, landed)), previous: previous?.digest ?? null };
  await tx.send(
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

async function proofOf(work: QueueWork, landed: ProvenLanding): Promise<Omit<ProofBody, 'previous'>> {
  const { batch, members, pullRequests, passed } = landed;
  const { evidence } = passed;
  const skipped = [...pullRequests.values()].find((row) => row.skipValidation);
  return {
    grade: landed.grade,
    commit: landed.commit,
    firstParent: batch.parentCommit,
    tree: landed.tree,
    ...(landed.isEmpty && { isEmpty: true }),
    strategy: batch.strategy,
    batchCommit: landed.batchCommit,
    members: members.map((member) => {
      const targets = passed.targets?.find(({ id }) => id === member.pullRequestId)?.targets ?? null;
      return {
        number: pullRequests.get(member.pullRequestId)?.number ?? 0,
        commit: member.ownCommit ?? landed.commit,
        ...howMerged({ ...member, head: member.pinnedHead }, batch),
        ...(targets !== null && { targets }),
      };
    }),
    evidence: [...(evidence === null ? [] : [provenBuild(evidence)]), ...(await provenParts(work, passed, batch))],
    configuration: passed.configuration,
    gate: passed.gate,
    ...(passed.finalGates !== undefined && { finalGates: passed.finalGates }),
    exceptionBy: landed.grade === 'unvalidated' ? exceptionOf(skipped) : null,
  };
}

type HowMerged = Pick<BatchMemberRow, 'strategy' | 'belowHead' | 'joinsNext'> & { readonly head: string };

function howMerged({ head, strategy, belowHead, joinsNext }: HowMerged, batch: BatchRow): Omit<ProvenMember, 'number'> {
  return {
    head,
    ...(strategy && strategy !== batch.strategy ? { strategy } : {}),
    ...(belowHead ? { belowHead } : {}),
    ...(joinsNext ? { joinsNext: true } : {}),
  };
}

function provenBuild({ commit, tree, checks }: BuildState): ProofBody['evidence'][number] {
  return {
    commit,
    tree,
    checks: checks.map(({ name, attempt, conclusion, event }) => ({
      name,
      attempt,
      conclusion,
      ...(event !== undefined && { event }),
    })),
  };
}

async function provenParts(
  { tx }: QueueWork,
  { parts = [] }: GateApproval,
  batch: BatchRow,
): Promise<ProofBody['evidence']> {
  const ids = parts.flatMap(({ content }) => content.map(({ pullRequestId }) => pullRequestId));
  const rows = ids.length === 0 ? [] : await tx.em.find(PullRequestEntity, { id: { $in: ids } });
  const numbers = new Map(rows.map(({ id, number }) => [id, number]));
  return parts.map(({ base, content, build }) => ({
    ...provenBuild(build),
    base,
    content: content.map((member) => ({ number: numbers.get(member.pullRequestId) ?? 0, ...howMerged(member, batch) })),
  }));
}

/** Who or what skipped validation. If no pull request skips it, the queue is in no-queue mode and never validates. */
function exceptionOf(skipped: PullRequestRow | undefined): string | null {
  return skipped === undefined
    ? 'merge_mode.type: no-queue'
    : (skipped.requestedBy ?? skipped.mergeRequestedBy ?? null);
}
