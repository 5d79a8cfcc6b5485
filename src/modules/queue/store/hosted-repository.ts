// Converts the row of a repository to the form that the host adapters need.
import type { HostedRepository } from '../../../hosts/port.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';

export type { HostedRepository };

export function hosted(row: Pick<RepositoryRow, 'accountId' | 'id' | 'owner' | 'name' | 'host'>): HostedRepository {
  return { accountId: row.accountId, id: row.id, owner: row.owner, name: row.name, host: row.host };
}

/** How often the host is read again because a row changed during the read. After this number, the last read counts. */
export const mostReads = 5;
