// Which columns of pull requests a query reads. The cost of a row grows with its columns, so a query reads no more than
// the selected fields need: a list of fifty with all columns costs twice as much as with the narrow ones.
import type { GraphQLResolveInfo } from 'graphql';
import type { PullRequestStatus } from '../../../domain/queue/model/snapshot.ts';
import { isQueued, showsQueuedAt, transitions } from '../../../domain/queue/model/status.ts';
import { selectsOnly } from '../../../graphql/selection.ts';
import { sqlList } from '../../../platform/database.ts';

export const statuses = Object.keys(transitions) as PullRequestStatus[];

const bareColumns = `p.number, p.title, p.author, p.head_branch as "headBranch", p.base_branch as "baseBranch", p.status,
  p.status in ${sqlList(statuses.filter(isQueued))} as queued, p.skip_line as "skipLine",
  case when p.status in ${sqlList(statuses.filter(showsQueuedAt))} then p.queued_at end as "queuedAt",
  p.merged_at as "mergedAt", p.created_at as "createdAt"`;

const narrowColumns = `${bareColumns}, p.id, p.repository_id as "repositoryId", p.queue_id as "queueId", p.head_sha as "headCommitSha"`;

export const pullRequestColumns = `${narrowColumns}, p.body, p.draft, p.labels, p.url, p.status_code as "statusCode", p.status_text as "statusText",
  p.failed_checks as "failedChecks", p.skip_line_reason as "skipLineReason", p.skip_validation as "skipValidation",
  p.requested_by as "requestedBy", p.merge_commit_sha as "mergeCommit", p.own_commit_sha as "commit", p.merged_by_queue as "mergedByQueue"`;

export const columnsOf = { bare: bareColumns, narrow: narrowColumns, all: pullRequestColumns } as const;

export type Width = keyof typeof columnsOf;

/** Fields that need only their own columns. */
const bareFields = [
  'number',
  'title',
  'author',
  'headBranch',
  'baseBranch',
  'status',
  'queued',
  'skipLine',
  'queuedAt',
  'mergedAt',
  'createdAt',
  'repository',
] as const;

const fieldsOf = {
  bare: new Set<string>(bareFields),
  narrow: new Set<string>([
    ...bareFields,
    'id',
    'headCommitSha',
    'position',
    'checks',
    'latestBotPullRequest',
    'batches',
  ]),
} as const satisfies Partial<Record<Width, ReadonlySet<string>>>;

/** The columns that the selected fields of a pull request need. */
export function widthOf(info: GraphQLResolveInfo): Width {
  if (selectsOnly(info, fieldsOf.bare)) return 'bare';
  return selectsOnly(info, fieldsOf.narrow) ? 'narrow' : 'all';
}
