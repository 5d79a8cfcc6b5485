// A repository as the host adapters need it.
import type { HostedRepository } from '../../../hosts/port.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';

export type { HostedRepository };

export function hosted(row: RepositoryRow): HostedRepository {
  return { accountId: row.accountId, id: row.id, owner: row.owner, name: row.name, host: row.host };
}

/**
 * Bot pull requests belong to the service: they have their own rows and never enter the queue. Users cannot push such
 * branches.
 */
export function isBotBranch(branch: string): boolean {
  return branch.startsWith('mq-');
}

/** How often the host is read again because a row changed in the meantime. Then the last reading counts. */
export const mostReads = 5;
