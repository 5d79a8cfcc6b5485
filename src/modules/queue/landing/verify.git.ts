// Composes the commit of a proof again, from the heads in the proof.
import type { MergeStrategy } from '../../../domain/queue/model/rules.ts';
import { HostRefused, type HostClient, type CompositionResult, type HostCommit } from '../../../hosts/port.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import type { ProofBody, ProvenMember } from './proof.ts';

export interface StoredProof {
  readonly landing_id: string;
  readonly batch_id: string;
  readonly commit: string;
  readonly body: ProofBody;
  readonly digest: string;
}

export interface ExaminedLanding {
  readonly client: HostClient;
  readonly repository: RepositoryRow;
  readonly commit: HostCommit;
  readonly proof: StoredProof;
}

/** Composes commits from git alone, without rows. */
export async function composeAgain(
  { client, proof }: ExaminedLanding,
  parent: string,
  members: readonly ProvenMember[],
): Promise<CompositionResult> {
  const { body } = proof;
  const composition = {
    parent,
    members: members.map((member) => ({
      head: member.head,
      strategy: member.strategy ?? (body.strategy as MergeStrategy),
      message: 'verify\n',
      authorName: 'verify',
      authorEmail: 'verify@interlock',
      belowHead: member.belowHead ?? null,
      joinsNext: member.joinsNext ?? false,
    })),
    batchCommit: body.batchCommit === 'linear' ? ('linear' as const) : ('group' as const),
    groupMessage: 'verify\n',
    at: 0,
    keepRef: 'refs/interlock/verify',
  };
  try {
    return await client.composeCommit(composition);
  } catch (error) {
    // The commit of a proof cannot be composed if the proof has no heads, or heads that the host does not have.
    if (error instanceof HostRefused) return { kind: 'conflict', at: 0, paths: [] };
    throw error;
  }
}
