// Exports all proofs of a repository as one file. With this file and a clone, proofs/verify.py derives each landing
// again without Interlock (docs/proofs.md).
import type { Context } from '../../context.ts';
import { hostClient, toHostedRepository } from '../../hosts/port.ts';
import { requireScope, type Secrets } from '../accounts/index.ts';
import { canonical, type ProofBody } from '../queue/index.ts';
import type { RepositoryRow } from '../repositories/repositories.entities.ts';
import { openProofKey, readProofKeys, type ProofKey } from './keys.ts';
import { signProofs } from './signing.ts';

export interface ProofFile {
  readonly format: 'interlock proofs 1';
  readonly repository: string;
  /** Public keys that have signed proofs, newest first, with 64 hexadecimal digits each. */
  readonly keys: readonly string[];
  readonly branches: readonly ProvenBranch[];
  /**
   * Packs of git in base64, with the heads and tested commits that a clone does not have. Each is a thin pack, which
   * leaves out objects that the tips of the branches contain.
   */
  readonly packs: readonly string[];
}

/** The content of a `ProofFile`. Its packs may be larger than the memory, so each is read piece by piece. */
export interface ExportedProofs extends Omit<ProofFile, 'packs'> {
  readonly packs: readonly AsyncIterable<Buffer>[];
}

interface ProvenBranch {
  readonly statement: BranchStatement;
  readonly key: string;
  /**
   * The signature of this text: `interlock branch 1`, a line feed, the statement as canonical JSON, and a line feed.
   */
  readonly signature: string;
  /** Oldest first. */
  readonly proofs: readonly {
    readonly commit: string;
    readonly digest: string;
    /** `key` and `signature` are null if the proof is not signed. */
    readonly key: string | null;
    readonly signature: string | null;
    readonly body: ProofBody;
  }[];
}

/** The state of a branch at one instant. It shows whether proofs are missing at the end of the list. */
interface BranchStatement {
  readonly repository: string;
  readonly baseBranch: string;
  /** The commit at which management of the branch began. */
  readonly managedFrom: string;
  /** Null: the branch does not exist. */
  readonly tip: string | null;
  readonly proofs: number;
  /** Digest of the newest proof. Null: there is none. */
  readonly last: string | null;
  /** ISO 8601. */
  readonly at: string;
}

interface ProofRow {
  readonly commit: string;
  readonly digest: string;
  readonly key: string | null;
  readonly signature: string | null;
  readonly body: ProofBody;
}

const proofsInAPack = 100;

/** Exports the proofs of a repository, and first signs those that are not signed yet. Needs the scope `queue:read`. */
export async function exportProofs(ctx: Context, secrets: Secrets, repository: RepositoryRow): Promise<ExportedProofs> {
  requireScope(ctx, 'queue:read');
  await signProofs(ctx, secrets);
  const key = await openProofKey(ctx, secrets);
  const queues = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ id: string; base_branch: string; managed_from: string }>(
        `select id, base_branch, managed_from from queue
         where account_id = $1 and repository_id = $2 and managed_from is not null order by base_branch`,
        [ctx.accountId, repository.id],
      ),
  );
  const branches: ProvenBranch[] = [];
  for (const queue of queues) branches.push(await readBranch(ctx, key, { repository, queue }));
  return {
    format: 'interlock proofs 1',
    repository: nameOf(repository),
    keys: await readProofKeys(ctx),
    branches,
    packs: packCommits(ctx, repository, branches),
  };
}

async function readBranch(
  ctx: Context,
  key: ProofKey,
  of: {
    readonly repository: RepositoryRow;
    readonly queue: { readonly id: string; readonly base_branch: string; readonly managed_from: string };
  },
): Promise<ProvenBranch> {
  const { repository, queue } = of;
  const client = hostClient(ctx, toHostedRepository(repository));
  // The tip is read after the proofs. If a pull request lands in between, the file has a commit without a proof, and
  // never a proof without a commit.
  const proofs = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<ProofRow>(
        `select l.commit, p.digest, p.signed_by as key, p.signature, p.body
         from proof p join landing l on l.account_id = p.account_id and l.id = p.landing_id
         where p.account_id = $1 and p.queue_id = $2 order by p.id`,
        [ctx.accountId, queue.id],
      ),
  );
  const tip = await client.readRef(`refs/heads/${queue.base_branch}`);
  const statement: BranchStatement = {
    repository: nameOf(repository),
    baseBranch: queue.base_branch,
    managedFrom: queue.managed_from,
    tip: tip?.commit ?? null,
    proofs: proofs.length,
    last: proofs.at(-1)?.digest ?? null,
    at: ctx.clock().toISOString(),
  };
  const signature = key.sign(`interlock branch 1\n${canonical(statement)}\n`);
  return { statement, key: key.publicKey, signature, proofs };
}

/** The text of the `ProofFile`, piece by piece. */
export async function* writeProofFile({ packs, ...proofs }: ExportedProofs): AsyncGenerator<string> {
  yield `${JSON.stringify(proofs).slice(0, -1)},"packs":[`;
  for (const [index, pack] of packs.entries()) {
    yield index === 0 ? '"' : ',"';
    yield* toBase64(pack);
    yield '"';
  }
  yield ']}\n';
}

/** Three bytes are four digits of base64, so the bytes after the last three wait for the next piece. */
async function* toBase64(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    const end = bytes.length - (bytes.length % 3);
    yield bytes.toString('base64', 0, end);
    rest = bytes.subarray(end);
  }
  yield rest.toString('base64');
}

function packCommits(
  ctx: Context,
  repository: RepositoryRow,
  branches: readonly ProvenBranch[],
): ExportedProofs['packs'] {
  const client = hostClient(ctx, toHostedRepository(repository));
  const without = branches.flatMap(({ statement: { tip } }) => (tip === null ? [] : [tip]));
  const proofs = branches.flatMap((branch) => branch.proofs);
  const packs: AsyncIterable<Buffer>[] = [];
  for (let from = 0; from < proofs.length; from += proofsInAPack) {
    const commits = new Set(proofs.slice(from, from + proofsInAPack).flatMap(({ body }) => commitsOf(body)));
    packs.push(client.packCommits({ commits: [...commits], without }));
  }
  return packs;
}

/** The commits from which a landing is derived again. */
function commitsOf({ members, evidence }: ProofBody): string[] {
  const merged = [...members, ...evidence.flatMap(({ content = [] }) => content)];
  return [
    ...merged.flatMap(({ head, belowHead }) => (belowHead === undefined ? [head] : [head, belowHead])),
    ...evidence.flatMap(({ commit, base }) => (base === undefined ? [commit] : [commit, base])),
  ];
}

function nameOf({ owner, name }: RepositoryRow): string {
  return `${owner}/${name}`;
}
