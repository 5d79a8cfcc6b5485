// Makes the runbooks that the cases use: one for each state of the leaves.
import type { TestServer } from '../../support/server.ts';
import { seedRunbook, type RunbookSeed } from '../../runbooks/runbook-rows.ts';

export interface PreparedRunbooks {
  readonly done: number;
  readonly planned: number;
  readonly working: number;
  readonly halfway: number;
  readonly broken: number;
  /** The number of a runbook with a model, whose budget is spent. */
  readonly spent: number;
}

const seeds: Readonly<Record<keyof PreparedRunbooks, Omit<RunbookSeed, 'repositoryId'>>> = {
  done: {
    leaves: [
      ['1.1', 'completed', 17],
      ['1.2', 'completed', 17],
      ['2.1', 'completed', 18],
      ['2.2', 'completed'],
    ],
  },
  planned: {
    leaves: [
      ['1.1', 'not_started'],
      ['2.1', 'not_started'],
    ],
  },
  working: {
    leaves: [
      ['1.1', 'failed'],
      ['2.1', 'in_progress'],
      ['2.2', 'not_started'],
    ],
  },
  halfway: {
    leaves: [
      ['1.1', 'completed', 19],
      ['1.2', 'queued'],
      ['2.1', 'not_started'],
    ],
  },
  broken: {
    leaves: [
      ['1.1', 'completed'],
      ['1.2', 'failed'],
      ['2.1', 'not_started'],
    ],
  },
  spent: { leaves: [['1.1', 'failed']], more: { agent: 'model', budget_micros: 1_000_000, spent_micros: 1_000_123 } },
};

export async function prepareRunbooks(
  server: Pick<TestServer, 'rows' | 'accountId'>,
  { org, name }: { readonly org: string; readonly name: string },
): Promise<PreparedRunbooks> {
  const [repository] = await server.rows<{ id: string }>(
    'select id::text from repository where account_id = $1 and owner = $2 and name = $3',
    [server.accountId, org, name],
  );
  if (repository === undefined) throw new Error('The repository is not there.');
  const numbers: Record<string, number> = {};
  for (const [word, seed] of Object.entries(seeds))
    numbers[word] = (await seedRunbook(server, { repositoryId: repository.id, ...seed })).number;
  return numbers as unknown as PreparedRunbooks;
}
