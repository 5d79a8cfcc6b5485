// Reads what an erasure deletes and stops, for the preview and the result.
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/database.ts';
import { countRows, type Ownership } from '../../platform/erasure/index.ts';
import { listUnderWay } from '../repositories/index.ts';

export interface ErasureImpact {
  readonly deleted: readonly { readonly what: string; readonly count: number }[];
  readonly stopped: readonly string[];
  readonly kept: readonly string[];
}

/** The kinds of objects that users know, by table. An erasure deletes rows of other tables too. */
const labels: Readonly<Record<string, string>> = {
  repository: 'repositories',
  pull_request: 'pull requests',
  batch: 'builds of the queue',
  landing: 'landings',
  proof: 'proofs',
  release_candidate: 'release candidates',
  deployment: 'deployments',
  runbook: 'runbooks',
  verification: 'verifications',
  event: 'events',
  account_user: 'users',
  api_token: 'tokens',
  webhook_endpoint: 'webhooks',
  user_action: 'entries of the audit log',
};

const remainsOfBoth = [
  'A record that says who erased what, and when',
  'At GitHub: commits, pull requests, comments, checks, labels and branches, also those of open builds',
  'Deployed software keeps running',
  'Backups of the installation, until they are removed',
];
const remainsOfRepository = [
  'Entries of the audit log that name the repository',
  'Deliveries of webhooks about the repository, for as long as deliveries are kept',
];

export async function readImpact(
  ctx: Context,
  ownership: Ownership,
  { repositoryIds, values }: { readonly repositoryIds: readonly string[]; readonly values: readonly string[] },
): Promise<ErasureImpact> {
  const counts = await countRows(ctx.db.system.query, ownership, values);
  const stopped = await ctx.db.transaction(ctx.accountId, async (tx) => await readStopped(ctx, tx, repositoryIds));
  return {
    deleted: Object.entries(labels).flatMap(([table, what]) => {
      const count = counts.get(table) ?? 0;
      return count === 0 ? [] : [{ what, count }];
    }),
    stopped,
    kept: values.length === 1 ? remainsOfBoth : [...remainsOfBoth, ...remainsOfRepository],
  };
}

async function readStopped(ctx: Context, tx: Transaction, repositoryIds: readonly string[]): Promise<string[]> {
  const all: string[] = [];
  for (const id of repositoryIds) all.push(...(await listUnderWay(ctx, tx, id)));
  return all;
}
