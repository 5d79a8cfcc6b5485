// Facts for `explain`: read when somebody asks, never stored.
import type { GraphQLContext } from '../../graphql/context.ts';
import { loaderOf } from '../../graphql/context.ts';
import { judgeBuild } from '../../domain/queue/evidence.ts';
import { explain, type ExplainedPullRequest, type Reason } from '../../domain/queue/explain.ts';
import type { BlockCode } from '../../domain/queue/snapshot.ts';
import { readPause } from '../repositories/index.ts';
import { checksOfCommit } from './batches.reads.ts';
import { rulesOf } from './configuration.cache.ts';
import { placeInLine } from './pull-requests.reads.ts';
import type { PullRequest } from './pull-requests.types.ts';

interface LiveBatchRow {
  readonly baseBranch: string;
  readonly haltedReason: string | null;
  readonly hostRequiredChecks: string[];
  readonly batchId: string | null;
  readonly testedCommit: string | null;
  readonly complete: boolean | null;
  readonly canceled: boolean | null;
  readonly landingBegun: boolean;
  readonly companions: number[];
}

export async function explainPullRequest(ctx: GraphQLContext, pullRequest: PullRequest): Promise<Reason> {
  const [row] = pullRequest.queued ? await readLiveBatch(ctx, pullRequest) : [];
  return explain({
    status: pullRequest.status,
    code: pullRequest.statusCode as BlockCode | null,
    text: pullRequest.statusText,
    ahead: pullRequest.queued ? await loaderOf(ctx, placeInLine).load(pullRequest.id) : null,
    batch: row === undefined || row.batchId === null ? null : await batchFacts(ctx, pullRequest, row),
    paused: row === undefined ? null : await readPause(ctx, pullRequest.repository, row.baseBranch),
    haltedReason: row?.haltedReason ?? null,
  });
}

async function readLiveBatch(ctx: GraphQLContext, pullRequest: PullRequest): Promise<LiveBatchRow[]> {
  return await ctx.db.read<LiveBatchRow>(ctx.accountId, {
    name: 'live_batch_of_pull_request',
    text: `select q.base_branch as "baseBranch", q.halted_reason as "haltedReason", q.host_required_checks as "hostRequiredChecks", b.id as "batchId",
             b.tested_commit as "testedCommit", u.complete, u.canceled,
             exists (select from intent i where i.account_id = q.account_id and i.batch_id = b.id and i.kind = 'land' and i.state = 'begun') as "landingBegun",
             coalesce((select array_agg(o.number order by c.ordinal) from batch_member c
               join pull_request o on o.account_id = c.account_id and o.id = c.pull_request_id
               where c.account_id = q.account_id and c.batch_id = b.id and c.pull_request_id <> $3), '{}') as companions
           from queue q
           left join lateral (
             select l.* from batch_member m join batch l on l.account_id = m.account_id and l.id = m.batch_id
             where m.account_id = q.account_id and m.pull_request_id = $3 and l.state in ('making', 'building', 'landing')
             order by l.id desc limit 1) b on true
           left join build u on u.account_id = q.account_id and u.repository_id = q.repository_id and u.commit = b.tested_commit
           where q.account_id = $1 and q.id = $2`,
    values: [ctx.accountId, pullRequest.queueId, pullRequest.id],
  });
}

async function batchFacts(
  ctx: GraphQLContext,
  { repository, repositoryId }: PullRequest,
  row: LiveBatchRow,
): Promise<ExplainedPullRequest['batch']> {
  const commit = row.testedCommit;
  const checks = commit === null ? [] : await loaderOf(ctx, checksOfCommit).load({ repositoryId, commit });
  const { rules } = rulesOf({ configurationYaml: await repository.configurationYaml }, row.hostRequiredChecks);
  const verdict = judgeBuild(
    {
      commit: commit ?? '',
      tree: '',
      base: '',
      checks,
      complete: row.complete ?? false,
      canceled: row.canceled ?? false,
      startedAt: 0,
      finishedAt: null,
      lastEndAt: null,
    },
    rules.requiredChecks,
  );
  return {
    verdict: verdict === 'none' ? 'pending' : verdict,
    hasCommit: commit !== null,
    landingBegun: row.landingBegun,
    companions: row.companions,
  };
}
