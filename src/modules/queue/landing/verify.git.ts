// A proof with the commit it is about, and what git makes of its heads again.
import type { MergeStrategy } from '../../../domain/queue/model/snapshot.ts';
import { HostRefused, type CodeHost, type CompositionResult, type HostCommit } from '../../../hosts/port.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import type { ProofBody, ProvenMember } from './proof.ts';

export interface StoredProof {
  readonly batch_id: string;
  readonly commit: string;
  readonly body: ProofBody;
  readonly digest: string;
}

export interface Examined {
  readonly adapter: CodeHost;
  readonly host: HostedRepository;
  readonly repository: RepositoryRow;
  readonly commit: HostCommit;
  readonly proof: StoredProof;
}

/** By git alone, whatever anybody said of it. */
export async function composeAgain(
  { adapter, host, proof }: Examined,
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
    return await adapter.composeCommit(host, composition);
  } catch (error) {
    // A proof that names no heads, or such as the host does not have, derives nothing.
    if (error instanceof HostRefused) return { kind: 'conflict', at: 0, paths: [] };
    throw error;
  }
}
