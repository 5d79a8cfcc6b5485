// A repository as its host is asked about it.
import type { HostRepository } from '../../../hosts/port.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';

export interface HostedRepository extends HostRepository {
  readonly host: 'local' | 'github';
}

export function hosted(row: RepositoryRow): HostedRepository {
  return { accountId: row.accountId, id: row.id, owner: row.owner, name: row.name, host: row.host };
}

/** Bot pull requests are ours: they have rows of their own and never enter the queue. Users cannot push such branches. */
export function isBotBranch(branch: string): boolean {
  return branch.startsWith('mq-');
}

/** How often the host is read again because a row was written meanwhile; then the last word is taken. */
export const mostReads = 5;
