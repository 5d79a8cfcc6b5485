// Derives every proof of a queue again from git and the rows, and returns a sentence for everything that does not
// agree. No statement of a proof is trusted: trees are merged again from parent and heads, and verdicts are judged
// again from the results of the checks.
import type { Context } from '../../../context.ts';
import { judgeBuild } from '../../../domain/queue/evidence/evidence.ts';
import { provingResults } from '../../../domain/queue/evidence/recorded-checks.ts';
import type { CheckState } from '../../../domain/queue/model/snapshot.ts';
import { hostClient, type HostCommit, toHostedRepository } from '../../../hosts/port.ts';
import { loadBuilds, sqlUnrecorded } from '../facts/builds.loader.ts';
import { digestProof, type Grade } from './proof.ts';
import { QueueEntity, type QueueRow } from '../store/queue.entities.ts';
import { readPassedGates } from '../facts/final-gates.ts';
import { landingRef } from '../facts/landing-refs.ts';
import { composeAgain, type ExaminedLanding, type StoredProof } from './verify.git.ts';
import { checkParts, createVerifiedLine } from './verify.parts.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';

export interface Verification {
  readonly baseBranch: string;
  /** The number of verified commits on the first-parent line. */
  readonly commits: number;
  /** The number of these commits by grade. A commit with the grade `external` did not land through the queue. */
  readonly grades: Readonly<Partial<Record<Grade, number>>>;
  readonly pullRequests: number;
  /** One sentence for each failure. Empty: every proof is correct. */
  readonly failures: readonly string[];
}

const maxCommits = 100_000;

/** How many commits of a base branch have been verified, of all that are to be verified. */
interface VerificationProgress {
  readonly baseBranch: string;
  readonly done: number;
  readonly all: number;
}

type OnProgress = (progress: VerificationProgress) => void;

export async function verifyRepository(
  ctx: Context,
  repository: RepositoryRow,
  onProgress: OnProgress = () => {},
): Promise<Verification[]> {
  const queues = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await tx.em.find(QueueEntity, { repositoryId: repository.id }, { orderBy: { baseBranch: 'asc' } }),
  );
  const managed = queues.filter((queue) => queue.managedFrom);
  const verifications: Verification[] = [];
  for (const queue of managed) {
    const verifiedAt = ctx.clock();
    const verification = await verifyQueue(ctx, { repository, queue, onProgress });
    await recordVerification(ctx, queue.id, { verifiedAt, failed: verification.failures.length });
    verifications.push(verification);
  }
  return verifications;
}

/**
 * Stores the result for `Repository.proofs`. `verifiedAt` is the time before the proofs were read, because later proofs
 * were not verified.
 */
async function recordVerification(
  ctx: Context,
  queueId: string,
  { verifiedAt, failed }: { readonly verifiedAt: Date; readonly failed: number },
): Promise<void> {
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.send('update queue set proofs_verified_at = $3, proofs_failed = $4 where account_id = $1 and id = $2', [
        ctx.accountId,
        queueId,
        verifiedAt.toISOString(),
        failed,
      ]),
  );
}

interface VerifiedQueue {
  readonly repository: RepositoryRow;
  readonly queue: QueueRow;
  readonly onProgress: OnProgress;
}

async function verifyQueue(ctx: Context, { repository, queue, onProgress }: VerifiedQueue): Promise<Verification> {
  const host = toHostedRepository(repository);
  const client = hostClient(ctx, host);
  const failures: string[] = [];
  const tip = await client.readRef(`refs/heads/${queue.baseBranch}`);
  const commits =
    tip === null
      ? []
      : (
          await client.listFirstParents({ from: queue.managedFrom ?? null, to: tip.commit, limit: maxCommits })
        ).toReversed();
  const proofs = await readProofs(ctx, queue.id);
  const proofOf = new Map(proofs.map((proof) => [proof.commit, proof]));
  checkChain(proofs, failures);
  const position = new Map(commits.map((commit, index) => [commit.commit, index]));
  const lastDeleted = BigInt(queue.lastDeletedLandingId ?? 0);
  for (const proof of tip === null ? [] : proofs)
    if (!position.has(proof.commit) && BigInt(proof.landing_id) > lastDeleted)
      failures.push(`${proof.commit} landed, but is not on the first-parent line of ${queue.baseBranch}`);
  const inner = innerCommits(commits, proofs, position);
  const line = createVerifiedLine({ managedFrom: queue.managedFrom ?? '', commits, proofOf, inner });
  const grades: Partial<Record<Grade, number>> = {};
  const report = (done: number): void => onProgress({ baseBranch: queue.baseBranch, done, all: commits.length });
  for (const [done, commit] of commits.entries()) {
    report(done);
    const proof = proofOf.get(commit.commit);
    const grade = proof?.body.grade ?? 'external';
    if (!inner.has(commit.commit)) grades[grade] = (grades[grade] ?? 0) + 1;
    if (proof === undefined) continue;
    const examined = { client, repository, commit, proof };
    failures.push(...(await checkProof(ctx, examined)));
    if (proof.body.evidence.some(({ base }) => base !== undefined))
      failures.push(...(await checkParts(examined, line)));
  }
  if (commits.length > 0) report(commits.length);
  failures.push(...(await checkOnce(ctx, queue.id)), ...(await checkTargets(ctx, queue.id, proofs)));
  return {
    baseBranch: queue.baseBranch,
    commits: commits.length,
    grades,
    pullRequests: proofs.reduce((sum, proof) => sum + proof.body.members.length, 0),
    failures,
  };
}

async function readProofs(ctx: Context, queueId: string): Promise<StoredProof[]> {
  return await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<StoredProof>(
        `select l.id::text as landing_id, l.batch_id, l.commit, p.body, p.digest from proof p join landing l on l.account_id = p.account_id and l.id = p.landing_id
       where p.account_id = $1 and p.queue_id = $2 order by p.id`,
        [ctx.accountId, queueId],
      ),
  );
}

function checkChain(proofs: readonly StoredProof[], failures: string[]): void {
  let previous: string | null = null;
  for (const { body, digest, commit } of proofs) {
    if (digestProof(body) !== digest) failures.push(`The proof of ${commit} was changed after it was written`);
    if (body.previous !== previous)
      failures.push(`The proof of ${commit} does not follow the proof before it: a proof is missing`);
    previous = digest;
  }
}

/**
 * The commits of landings, without the last commit of each. With linear history a landing adds several commits to the
 * line.
 */
function innerCommits(
  commits: readonly HostCommit[],
  proofs: readonly StoredProof[],
  position: ReadonlyMap<string, number>,
): Set<string> {
  const inner = new Set<string>();
  for (const { commit, body } of proofs) {
    if (body.batchCommit !== 'linear') continue;
    const last = position.get(commit) ?? 0;
    const first = (position.get(body.firstParent) ?? -1) + 1;
    for (const member of commits.slice(first, last)) inner.add(member.commit);
  }
  return inner;
}

async function checkProof(ctx: Context, examined: ExaminedLanding): Promise<string[]> {
  const { client, commit, proof } = examined;
  const { body } = proof;
  const failures: string[] = [];
  const fail = (failure: string): void => void failures.push(`${commit.commit}: ${failure}`);
  if (commit.tree !== body.tree) fail(`its tree is ${commit.tree}, but its proof says ${body.tree}`);
  if (body.batchCommit !== 'linear' && commit.parents[0] !== body.firstParent)
    fail(`its first parent is ${commit.parents[0]}, but its proof says ${body.firstParent}`);
  if (body.isEmpty && (await client.readCommit(body.firstParent))?.tree !== commit.tree)
    fail('its proof says that it changed nothing, but it changed the tree');
  const ref = await client.readRef(landingRef(proof.batch_id));
  if (ref?.commit !== commit.commit) fail(`its landing ref is ${ref?.commit ?? 'absent'}`);
  const merged = await composeAgain(examined, body.firstParent, body.members);
  if (merged.kind === 'conflict') fail(`its heads do not merge onto ${body.firstParent} again`);
  else if (merged.tree !== commit.tree)
    fail(`merging its heads onto ${body.firstParent} again gives the tree ${merged.tree}`);
  failures.push(...(await checkEvidence(ctx, examined)), ...(await checkFinalGates(ctx, examined)));
  return failures;
}

async function checkEvidence(ctx: Context, { client, repository, commit, proof }: ExaminedLanding): Promise<string[]> {
  const { body } = proof;
  const prefix = `${commit.commit}:`;
  if (body.grade === 'unvalidated')
    return body.exceptionBy === null
      ? [`${prefix} it landed without validation, but its proof names no person or setting that skipped it`]
      : [];
  if (body.evidence.length === 0) return [`${prefix} its proof has no evidence`];
  const failures: string[] = [];
  const isOfParts = body.evidence.some(({ base }) => base !== undefined);
  if (isOfParts !== (body.grade === 'composed') && body.grade !== 'host_merged')
    failures.push(
      `${prefix} it is graded ${body.grade}, but ${isOfParts ? 'its parts were' : 'its whole tree was'} tested`,
    );
  for (const evidence of body.evidence) {
    const tested = await client.readCommit(evidence.commit);
    if (tested === null) failures.push(`${prefix} the tested commit ${evidence.commit} does not exist`);
    else if (tested.tree !== (evidence.base === undefined ? commit.tree : evidence.tree))
      failures.push(`${prefix} the tested commit ${evidence.commit} has another tree`);
    const [build] = await ctx.db.transaction(
      ctx.accountId,
      async (tx) => await loadBuilds(ctx, tx, { repositoryId: repository.id, commits: [evidence.commit], trees: [] }),
    );
    // These are the attempts by which the landing was judged. Later attempts prove nothing about the landing.
    const judged = build && { ...build, checks: evidence.checks };
    const unrecorded = await findUnrecorded(ctx, repository.id, evidence);
    for (const { name, attempt, conclusion } of provingResults(unrecorded, body.gate))
      failures.push(`${prefix} no such result is on record: ${name}, attempt ${attempt}, ${conclusion}`);
    if (judged === undefined || judgeBuild(judged, body.gate) !== 'green')
      failures.push(`${prefix} the tested commit ${evidence.commit} is not green`);
    if (body.grade === 'exact' && evidence.commit !== commit.commit)
      failures.push(`${prefix} it is graded exact, but ${evidence.commit} was tested`);
  }
  return failures;
}

/** The results of a proof that are not on record. */
async function findUnrecorded(
  ctx: Context,
  repositoryId: string,
  { commit, checks }: StoredProof['body']['evidence'][number],
): Promise<readonly CheckState[]> {
  const of = { account: '$1', repository: '$2', commit: '$3' };
  return await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<CheckState>(sqlUnrecorded('$4::jsonb', of), [
        ctx.accountId,
        repositoryId,
        commit,
        JSON.stringify(checks),
      ]),
  );
}

/**
 * Checks that each final gate of the proof passed on the landed commit, or on the commit from which the host made the
 * landed one.
 */
async function checkFinalGates(ctx: Context, { commit, proof }: ExaminedLanding): Promise<string[]> {
  const { finalGates = [], grade } = proof.body;
  if (finalGates.length === 0) return [];
  const passed = await ctx.db.transaction(ctx.accountId, async (tx) => await readPassedGates(ctx, tx, proof.batch_id));
  return finalGates.flatMap((gate) => {
    const isOnRecord = passed.some((other) => other.workflow === gate.workflow && other.run === gate.run);
    const isOfCommit = grade === 'host_merged' || gate.commit === commit.commit;
    if (isOnRecord && isOfCommit) return [];
    return [
      `${commit.commit}: ${isOnRecord ? `the final gate ${gate.workflow} ran on ${gate.commit}` : `no passed final gate ${gate.workflow} is on record`}`,
    ];
  });
}

async function checkOnce(ctx: Context, queueId: string): Promise<string[]> {
  const rows = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ number: number; n: number }>(
        `select p.number, count(l.landing_id)::int as n from pull_request p left join landed_member l on l.account_id = p.account_id and l.pull_request_id = p.id
       where p.account_id = $1 and p.queue_id = $2 and p.merged_by_queue group by p.number having count(l.landing_id) <> 1`,
        [ctx.accountId, queueId],
      ),
  );
  return rows.map(({ number, n }) => `#${number} is merged, with ${n} landings`);
}

/** Checks that the affected targets in a proof are those of the landing's rows. */
async function checkTargets(ctx: Context, queueId: string, proofs: readonly StoredProof[]): Promise<string[]> {
  const rows = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ commit: string; number: number; targets: string[] | null }>(
        `select l.commit, p.number, m.targets from landing l join landed_member m on m.account_id = l.account_id and m.landing_id = l.id
           join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
         where l.account_id = $1 and l.queue_id = $2`,
        [ctx.accountId, queueId],
      ),
  );
  const known = new Map(rows.map(({ commit, number, targets }) => [`${commit} ${number}`, targets]));
  return proofs.flatMap(({ commit, body }) =>
    body.members
      .filter(
        ({ number, targets = null }) =>
          JSON.stringify(known.get(`${commit} ${number}`) ?? null) !== JSON.stringify(targets),
      )
      .map(({ number }) => `${commit}: the affected targets of #${number} are not those on record`),
  );
}
