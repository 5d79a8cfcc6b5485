import DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import { isManagedBranch, namedBaseBranches, parseConfiguration } from '../../domain/configuration/index.ts';
import {
  decidePause,
  listPauses,
  type PatternRule,
  type Pause,
  type PauseRule,
} from '../../domain/queue/requests/pause.ts';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { requireScope } from '../accounts/index.ts';
import type { Repository } from './repositories.types.ts';

/**
 * Reads the pause that is in force on a base branch. Takes no lock; `readBranchHolds` reads the same pause under a
 * lock.
 */
export async function readPause(
  ctx: GraphQLContext,
  repository: Repository,
  baseBranch: string,
): Promise<Pause | null> {
  requireScope(ctx, 'queue:read');
  const paused = await repository.paused;
  const rules = paused ? [] : await loaderOf(ctx, patternRules).load(repository.id);
  const pause = decidePause({ paused }, rules, baseBranch);
  if (pause === null) return null;
  if (pause.by === 'repository') return { message: null, pattern: null };
  const { id, pattern } = pause.by;
  return { message: await loaderOf(ctx, pauseMessages).load(id), pattern };
}

/**
 * Returns all pause rules, and for each other base branch whether it is paused (interface 4.2). With a pattern: only the
 * rule with this pattern, and the base branches that it matches.
 */
export async function readBranchPauses(
  ctx: GraphQLContext,
  repository: Repository,
  pattern: string | null,
): Promise<PauseRule[]> {
  requireScope(ctx, 'queue:read');
  const rules = await ctx.db.read<PauseRule>(ctx.accountId, {
    name: 'branch_pauses',
    text: `select b.pattern, b.paused, b.paused_message as "pausedMessage" from branch_pause b
           where b.account_id = $1 and b.repository_id = $2 order by b.id desc`,
    values: [ctx.accountId, repository.id],
  });
  return listPauses(rules, await readBaseBranches(ctx, repository), pattern);
}

// The base branches that the configuration names, and the branches that have a queue and match an expression of the
// configuration. If the configuration is invalid: the default branch.
async function readBaseBranches(ctx: Context, repository: Repository): Promise<string[]> {
  const parsed = parseConfiguration(await repository.configurationYaml);
  const defaultBranch = await repository.defaultBranch;
  if (!parsed.ok) return [defaultBranch];
  const queues = await ctx.db.read<{ baseBranch: string }>(ctx.accountId, {
    name: 'base_branches_with_queue',
    text: 'select q.base_branch as "baseBranch" from queue q where q.account_id = $1 and q.repository_id = $2',
    values: [ctx.accountId, repository.id],
  });
  const { configuration } = parsed;
  return [
    ...namedBaseBranches(configuration, defaultBranch),
    ...queues.map((queue) => queue.baseBranch).filter((name) => isManagedBranch(configuration, name, defaultBranch)),
  ];
}

type StoredRule = PatternRule & { readonly id: string; readonly repositoryId: string };

/** The rules of each repository without their messages, newest first. */
function patternRules(ctx: GraphQLContext): DataLoader<string, StoredRule[]> {
  return new DataLoader(
    async (repositoryIds) => {
      const rows = await ctx.db.read<StoredRule>(ctx.accountId, {
        name: 'branch_pause_patterns',
        text: `select b.id, b.repository_id as "repositoryId", b.pattern, b.paused from branch_pause b
               where b.account_id = $1 and b.repository_id = any ($2::bigint[]) order by b.id desc`,
        values: [ctx.accountId, repositoryIds],
      });
      const rules = Map.groupBy(rows, ({ repositoryId }) => repositoryId);
      return repositoryIds.map((id) => rules.get(id) ?? []);
    },
    { cache: false },
  );
}

/** The message of each rule. Null also if the rule has been replaced in the meantime. */
function pauseMessages(ctx: GraphQLContext): DataLoader<string, string | null> {
  return new DataLoader(
    async (ids) => {
      const rows = await ctx.db.read<{ id: string; message: string | null }>(ctx.accountId, {
        name: 'branch_pause_messages',
        text: `select b.id, b.paused_message as message from branch_pause b
               where b.account_id = $1 and b.id = any ($2::bigint[])`,
        values: [ctx.accountId, ids],
      });
      const messages = new Map(rows.map(({ id, message }) => [id, message]));
      return ids.map((id) => messages.get(id) ?? null);
    },
    { cache: false },
  );
}
