// The proof of a landing: what landed, on what, and why that was allowed. Chained per queue by digests, so that a
// proof that was changed or taken out later shows. `verify` derives each again from git and these rows.
import { createHash } from 'node:crypto';
import type { Targets } from '../../../domain/queue/model/overlap.ts';
import type { BuildState, MergeStrategy, RequiredCheck } from '../../../domain/queue/model/snapshot.ts';
import { PullRequestEntity, type BatchMemberRow, type BatchRow, type PullRequestRow } from '../store/queue.entities.ts';
import type { PassedGate } from '../facts/final-gates.ts';
import type { PassedPart } from '../builds/batch.parts.ts';
import type { QueueWork } from '../store/status.writer.ts';

export type Grade = 'exact' | 'same_tree' | 'composed' | 'host_merged' | 'unvalidated' | 'external';

/** How a pull request was merged into what was tested or landed. */
export interface ProvenMember {
  readonly number: number;
  readonly head: string;
  /** Left out where it is the landing's. */
  readonly strategy?: MergeStrategy;
  /** Head of the pull request it stood on, where it stood on one. */
  readonly belowHead?: string;
  /** Its changes are in the commit of the next member. */
  readonly joinsNext?: true;
}

export interface ProofBody {
  readonly grade: Grade;
  readonly commit: string;
  readonly firstParent: string;
  readonly tree: string;
  /** It changed nothing: its tree is the one it landed on. Left out otherwise. */
  readonly isEmpty?: true;
  readonly strategy: string;
  readonly batchCommit: string;
  readonly members: readonly (ProvenMember & {
    readonly commit: string;
    /** What it affects, where that counts. Left out where it is not known: then it overlaps everything. */
    readonly targets?: readonly string[];
  })[];
  readonly evidence: readonly {
    readonly commit: string;
    readonly tree: string;
    readonly checks: BuildState['checks'];
    /** Of a part alone: what it was built on, the base's tip at some time. */
    readonly base?: string;
    /** Of a part alone: what makes its tree of that base, in order. */
    readonly content?: readonly ProvenMember[];
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
  /** Null: validation was skipped, or there are parts. */
  readonly evidence: BuildState | null;
  /** Builds of its parts, where there is none of its tree. */
  readonly parts?: readonly PassedPart[];
  /** What each member affects, by id, where that counts. */
  readonly targets?: readonly { readonly id: string; readonly targets: Targets }[];
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

interface ProvenLanding {
  readonly landingId: string;
  readonly batch: BatchRow;
  readonly members: readonly BatchMemberRow[];
  readonly pullRequests: ReadonlyMap<string, PullRequestRow>;
  readonly commit: string;
  readonly tree: string;
  readonly isEmpty: boolean;
  readonly grade: Grade;
  readonly batchCommit: BatchRow['batchCommit'];
  readonly passed: Passed;
}

export async function writeProof(work: QueueWork, landed: ProvenLanding): Promise<void> {
  const { ctx, tx, queue, now } = work;
  const [previous] = await tx.query<{ id: string; digest: string }>(
    'select id, digest from proof where account_id = $1 and queue_id = $2 order by id desc limit 1',
    [ctx.accountId, queue.id],
  );
  const body: ProofBody = { ...(await proofOf(work, landed)), previous: previous?.digest ?? null };
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
  return { commit, tree, checks };
}

async function provenParts({ tx }: QueueWork, { parts = [] }: Passed, batch: BatchRow): Promise<ProofBody['evidence']> {
  const ids = parts.flatMap(({ content }) => content.map(({ pullRequestId }) => pullRequestId));
  const rows = ids.length === 0 ? [] : await tx.em.find(PullRequestEntity, { id: { $in: ids } });
  const numbers = new Map(rows.map(({ id, number }) => [id, number]));
  return parts.map(({ base, content, build }) => ({
    ...provenBuild(build),
    base,
    content: content.map((member) => ({ number: numbers.get(member.pullRequestId) ?? 0, ...howMerged(member, batch) })),
  }));
}

/** Where nobody skipped validation, nothing is validated in this queue. */
function exceptionOf(skipped: PullRequestRow | undefined): string | null {
  return skipped === undefined ? 'merge_mode.type: no-queue' : (skipped.requestedBy ?? skipped.askedBy ?? null);
}
