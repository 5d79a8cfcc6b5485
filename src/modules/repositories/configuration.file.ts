// `.service/config.yml` on the default branch: read when it changed, and only then. The last write wins, whether it came
// from here or by the API (interface 2.6).
import type { Context } from '../../context.ts';
import { problemText } from '../../domain/configuration/problem.ts';
import { appendEvents } from '../events/index.ts';
import { writeConfiguration } from './configuration.service.ts';
import { RepositoryEntity } from './repositories.entities.ts';
import { lockRepository } from './repositories.locks.ts';

const path = '.service/config.yml';
const mostBytes = 256 * 1024;

/** Takes over the file when its blob is not the one that was read last. One that is refused changes nothing and is told in an event. */
export async function readConfigurationFile(ctx: Context, repositoryId: string): Promise<void> {
  const row = await ctx.db.load(ctx.accountId, RepositoryEntity, repositoryId);
  if (row === null) return;
  const host = ctx.hosts(row.host);
  const tip = await host.readRef(row, `refs/heads/${row.defaultBranch}`);
  const file = tip && (await host.readFile(row, { commit: tip.commit, path, maxBytes: mostBytes }));
  if (!tip || !file || file.blob === row.configurationBlob) return;
  const commit = await host.readCommit(row, tip.commit);
  const outcome = await writeConfiguration(ctx, {
    repositoryId,
    yaml: file.text,
    author: { ghUsername: commit?.authorName ?? 'unknown', commitSha: tip.commit, blob: file.blob },
  });
  if (outcome.kind === 'accepted') return;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const locked = await lockRepository(ctx, tx, repositoryId);
    if (locked.configurationBlob === file.blob) return;
    // Remembered as read: it is not refused again at every push.
    locked.configurationBlob = file.blob;
    await appendEvents(ctx, tx, [
      {
        repositoryId,
        action: 'configuration_refused',
        payload: { path, commitSha: tip.commit, errors: outcome.problems.map(problemText) },
      },
    ]);
  });
}
