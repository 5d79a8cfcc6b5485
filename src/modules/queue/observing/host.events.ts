// A host says that something changed. What it says is only where to look: everything is read back from the host.
import { systemContext, type Ports } from '../../../context.ts';
import type { HostEvent } from '../../../hosts/port.ts';
import { readConfigurationFile } from '../../repositories/index.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { resetClosedBuild } from '../builds/bot-pull-requests.service.ts';
import { recordChecks } from '../builds/build.records.ts';
import { followComments } from '../asking/commands.service.ts';
import { recordGates } from '../planning/final-gates.ts';
import { syncBase } from './host.bases.ts';
import { syncPullRequest } from './host.pull-requests.ts';
import { hosted } from './host.repository.ts';
import { PullRequestEntity } from '../queue.entities.ts';

export async function receiveHostEvent(ports: Ports, event: HostEvent): Promise<void> {
  const ctx = systemContext(ports, event.repository.accountId);
  const found = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const repository = await tx.em.findOne(RepositoryEntity, { id: event.repository.id });
    const branch =
      event.kind === 'push' && event.ref.startsWith('refs/heads/') ? event.ref.slice('refs/heads/'.length) : null;
    const queues =
      branch === null
        ? []
        : await tx.query<{ base_branch: string }>(
            'select base_branch from queue where account_id = $1 and repository_id = $2 and base_branch = $3',
            [ctx.accountId, event.repository.id, branch],
          );
    const heads =
      branch === null
        ? []
        : await tx.em.find(PullRequestEntity, {
            accountId: ctx.accountId,
            repositoryId: event.repository.id,
            headBranch: branch,
            status: { $nin: ['merged', 'closed'] },
          });
    return { repository, isBase: queues.length > 0, branch, numbers: heads.map((row) => row.number) };
  });
  if (found.repository === null) return;
  const repository = hosted(found.repository);
  switch (event.kind) {
    case 'push':
      if (found.branch === found.repository.defaultBranch) await readConfigurationFile(ctx, found.repository.id);
      if (found.isBase && found.branch !== null) await syncBase(ctx, repository, found.branch);
      for (const number of found.numbers) await syncPullRequest(ctx, repository, number);
      return;
    case 'pull_request':
      if ((await syncPullRequest(ctx, repository, event.number)) === null)
        await resetClosedBuild(ctx, repository, event.number);
      return;
    case 'comment':
      return await followComments(ctx, found.repository.id);
    case 'checks':
      await recordChecks(ctx, repository, event.commit);
      return await recordGates(ctx, repository, event.commit);
    default:
      event satisfies never;
  }
}
