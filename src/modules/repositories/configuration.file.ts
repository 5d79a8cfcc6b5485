// Reads `.service/config.yml` on the default branch when its content has changed. The last write wins, from the file or
// the API (interface 2.6). The host says who pushed the file and with which permissions (docs/adr/0010).
import type { Context } from '../../context.ts';
import {
  configurationPath,
  decidePushRefusal,
  problemText,
  type ConfigurationReading,
  type KnownPush,
} from '../../domain/configuration/index.ts';
import { hostClient, type HostClient } from '../../hosts/port.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import { passFailpoint } from '../../platform/failpoints.ts';
import {
  ConfigurationOvertaken,
  repositoryVersion,
  requireNotOvertaken,
  writeConfiguration,
} from './configuration.service.ts';
import { RepositoryEntity, type RepositoryRow } from './repositories.entities.ts';
import { lockRepository } from './repositories.locks.ts';

export { configurationReadingLines } from '../../domain/configuration/index.ts';

const maxBytes = 256 * 1024;
const maxReadings = 5;
/** The name of the check on a commit whose configuration is refused. Interlock never requires this check. */
const checkName = 'interlock/configuration';

/**
 * Applies the configuration file if its blob differs from the last blob that was read. A refused file changes nothing,
 * and is reported as a check on its commit. Servers and workers read the file at the same time. A reader that another
 * one has overtaken reads the file again, because either of them may have read the older content.
 */
export async function readConfigurationFile(ctx: Context, repositoryId: string): Promise<ConfigurationReading> {
  for (let attempt = 1; attempt <= maxReadings; attempt += 1) {
    try {
      return await readOnce(ctx, repositoryId);
    } catch (error) {
      if (!(error instanceof ConfigurationOvertaken)) throw error;
    }
  }
  // The reconciler reads the file again.
  return { kind: 'unchanged' };
}

async function readOnce(ctx: Context, repositoryId: string): Promise<ConfigurationReading> {
  const versionBefore = await readVersion(ctx, repositoryId);
  const row = await ctx.db.load(ctx.accountId, RepositoryEntity, repositoryId);
  if (row === null) return { kind: 'unchanged' };
  const client = hostClient(ctx, row);
  const ref = `refs/heads/${row.defaultBranch}`;
  const tip = await client.readRef(ref);
  const file = tip && (await client.readFile({ commit: tip.commit, path: configurationPath, maxBytes }));
  if (!tip || !file || file.blob === row.configurationBlob) return { kind: 'unchanged' };
  const change = await findChange(ctx, row, { client, ref, tip: tip.commit });
  await passFailpoint('configuration:read');
  const refusal = decidePushRefusal(change.push);
  const outcome =
    refusal === null
      ? await writeConfiguration(ctx, {
          repositoryId,
          yaml: file.text,
          author: { ghUsername: change.by, commitSha: change.commit, blob: file.blob, versionBefore },
        })
      : null;
  if (outcome?.kind === 'accepted') return { kind: 'accepted', commit: change.commit };
  const errors = outcome === null ? [`${configurationPath}: ${refusal}`] : outcome.problems.map(problemText);
  await publishRefusal(ctx, { client, commits: new Set([change.commit, tip.commit]), errors });
  await recordRefusal(ctx, repositoryId, { blob: file.blob, versionBefore, change, errors });
  return { kind: 'refused', commit: change.commit, errors };
}

async function readVersion({ accountId, db }: Context, repositoryId: string): Promise<string | null> {
  const [row] = await db.read<{ version: string }>(accountId, {
    name: 'repository_version',
    text: repositoryVersion,
    values: [accountId, repositoryId],
  });
  return row?.version ?? null;
}

/** The text of the configuration file on the default branch now. Null: there is no such file. */
export async function readConfigurationText(ctx: Context, row: RepositoryRow): Promise<string | null> {
  const client = hostClient(ctx, row);
  const tip = await client.readRef(`refs/heads/${row.defaultBranch}`);
  return tip && ((await client.readFile({ commit: tip.commit, path: configurationPath, maxBytes }))?.text ?? null);
}

interface Change {
  /** The first-parent commit of the default branch that changed the file. */
  readonly commit: string;
  readonly push: KnownPush;
  /**
   * Handle of the user who pushed the change. If no push is recorded for a landed pull request, the author of the pull
   * request. Null: unknown.
   */
  readonly by: string | null;
}

interface FileAtTip {
  readonly client: HostClient;
  readonly ref: string;
  readonly tip: string;
}

async function findChange(ctx: Context, row: RepositoryRow, { client, ref, tip }: FileAtTip): Promise<Change> {
  const newest = { from: null, to: tip, limit: 1, path: configurationPath };
  const [changing] = await client.listFirstParents(newest);
  const { commit = tip, parents = [] } = changing ?? {};
  const pushed = await client.findConfigurationPush({ ref, since: commit, tip });
  if (pushed !== null) return { commit, push: pushed, by: pushed.by };
  // A landing made the commit, so the change was pushed to the branch of a pull request.
  const members = await readMembers(ctx, row, { commit, parent: parents[0] ?? '' });
  if (members.length === 0) return { commit, push: 'past the host', by: null };
  for (const { branch, fork, parent, head, author } of members) {
    const range = { from: parent, to: head, limit: 1, path: configurationPath };
    const [own] = await client.listFirstParents(range);
    if (own === undefined) continue;
    // The host does not know who pushed to a fork. A branch with the same name in the repository itself is another
    // branch.
    if (fork !== null) return { commit, push: 'unknown', by: author };
    const push = await client.findConfigurationPush({ ref: `refs/heads/${branch}`, since: own.commit, tip: head });
    return { commit, push: push ?? 'unknown', by: push?.by ?? author };
  }
  return { commit, push: 'unknown', by: null };
}

/**
 * The pull requests that landed with this commit, or as this commit, the last one first. A landing that is not
 * concluded yet is included.
 */
async function readMembers(
  { accountId, db }: Context,
  { id }: RepositoryRow,
  { commit, parent }: { readonly commit: string; readonly parent: string },
): Promise<
  {
    readonly head: string;
    readonly parent: string;
    readonly branch: string;
    readonly fork: string | null;
    readonly author: string;
  }[]
> {
  return await db.read(accountId, {
    name: 'members_of_commit',
    text: `select m.pinned_head as head, b.parent_commit as parent, p.head_branch as branch, p.head_fork as fork, p.author
           from batch b join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
           join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
           where b.account_id = $1 and b.repository_id = $2 and b.state in ('landing', 'landed')
             and (b.commit = $3 or m.own_commit = $3 or b.state = 'landing' and b.parent_commit = $4
                  or exists (select from landing l where l.account_id = b.account_id and l.batch_id = b.id and l.commit = $3))
           order by b.id desc, m.own_commit = $3 desc nulls last, m.ordinal desc`,
    values: [accountId, id, commit, parent],
  });
}

async function publishRefusal(
  ctx: Context,
  of: { readonly client: HostClient; readonly commits: ReadonlySet<string>; readonly errors: readonly string[] },
): Promise<void> {
  for (const commit of of.commits)
    await of.client.publishCheck({
      commit,
      name: checkName,
      state: 'failure',
      title: 'The configuration is refused',
      summary: of.errors.map((error) => `- ${error}`).join('\n'),
      url: null,
      version: ctx.clock().getTime(),
    });
}

interface RefusedFile {
  readonly blob: string;
  readonly versionBefore: string | null;
  readonly change: Change;
  readonly errors: readonly string[];
}

async function recordRefusal(
  ctx: Context,
  repositoryId: string,
  { blob, versionBefore, change, errors }: RefusedFile,
): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx: Transaction) => {
    const repository = await lockRepository(ctx, tx, repositoryId);
    if (repository.configurationBlob === blob) return;
    await requireNotOvertaken(tx, repository, versionBefore);

    const { owner, name } = repository;
    const { commit, by } = change;
    const at = ctx.clock().toISOString();
    // The blob is recorded as read, so that the same file is not refused again at every push.
    Object.assign(repository, { configurationBlob: blob, configurationRefusal: { commit, by, errors, at } });
    await appendEvents(ctx, tx, [
      {
        repositoryId,
        action: 'configuration_refused',
        payload: { owner, name, path: configurationPath, commitSha: commit, ghUsername: by, errors, refusedAt: at },
      },
    ]);
  });
}
