import type { Context } from '../../context.ts';
import { requireScope } from '../accounts/index.ts';
import { formatCursor } from './cursor.ts';
import type { Event } from './events.types.ts';

type Row = Omit<Event, 'cursor'> & { readonly epoch: number; readonly position: number };

export interface EventPage {
  readonly size: number;
  readonly before: string;
}

const columns = `(select epoch from installation)::float8 as epoch, e.position::float8 as position, e.action, e.at, e.actor, e.payload,
  e.repository_id as "repositoryId", e.queue_id as "queueId", e.pull_request_id as "pullRequestId", e.batch_id as "batchId",
  e.candidate_id as "candidateId", e.environment_id as "environmentId", e.deployment_id as "deploymentId",
  e.runbook_id as "runbookId", e.verification_id as "verificationId", e.registration_id as "registrationId"`;

type PositionedRow = Event & { readonly position: number };

const pages = {
  repository: { name: 'events_of_repository', column: 'e.repository_id' },
  pullRequest: { name: 'events_of_pull_request', column: 'e.pull_request_id' },
} as const;

/**
 * Returns the events of a repository, or only the events that name a pull request, newest first. Reads one more than
 * `size`. Events of the last moments may not have a position yet.
 */
export async function readEventsOf(
  ctx: Context,
  subject: { readonly kind: keyof typeof pages; readonly id: string },
  page: EventPage,
): Promise<PositionedRow[]> {
  requireScope(ctx, 'queue:read');
  const { name, column } = pages[subject.kind];
  const rows = await ctx.db.read<Row>(ctx.accountId, {
    name,
    text: `select ${columns} from event e
           where e.account_id = $1 and ${column} = $2 and e.position is not null and e.position < $3
           order by e.position desc limit $4::bigint + 1`,
    values: [ctx.accountId, subject.id, page.before, page.size],
  });
  return withCursors(rows);
}

function withCursors(rows: readonly Row[]): PositionedRow[] {
  return rows.map((row) => Object.assign(row, { cursor: formatCursor(row) }));
}
