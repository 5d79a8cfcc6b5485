// Turns new events of an account into rows for messages in Slack. There is one row for each subject and channel, whose
// version increases with each event. The text of a message is made from the present rows of the subject, so the order
// and number of events do not matter.
import {
  destinationsOf,
  isStillNews,
  writeSlackAddress,
  type SlackDestinationRule,
} from '../../domain/slack/destinations.ts';
import { channelsOf, type SlackInstallation } from '../../domain/slack/settings.ts';
import { changedAction } from '../../domain/events/queue-events.ts';
import type { Ports } from '../../context.ts';
import type { SystemQueries } from '../../platform/database.ts';
import { userIdOf } from '../../domain/accounts/handle.ts';

const pageSize = 500;

interface EventRow {
  readonly id: string;
  readonly position: string;
  readonly action: string;
  readonly at: Date;
  readonly repositoryId: string | null;
  readonly owner: string | null;
  readonly name: string | null;
  readonly pullRequestId: string | null;
  readonly deploymentId: string | null;
  readonly environmentId: string | null;
  readonly queueId: string | null;
}

interface News {
  readonly channel: string;
  readonly subject: string;
  /** When the newest event happened of which a new message may tell. Null: only a message that exists is edited. */
  readonly newsAt: Date | null;
}

/**
 * Processes the new events of every account that has a channel or a destination. A failure of one account does not keep
 * the events of others from being processed. Throws AggregateError at the end.
 */
export async function takeSlackNews({ db, clock }: Ports, installation: SlackInstallation | null): Promise<void> {
  const names = [...new Set(installation?.channels.map(({ account }) => account) ?? [])];
  const accounts = await db.system.query<{ id: string; name: string }>(
    `select a.id, a.name from account a left join slack_cursor c on c.account_id = a.id
     left join event_head h on h.account_id = a.id
     where (a.name = any ($1) or exists (select from slack_destination d where d.account_id = a.id))
       and (c.position is null or h.position > c.position)
     order by a.id`,
    [names],
  );
  const failures: unknown[] = [];
  for (const { id, name } of accounts) {
    const take = async (query: SystemQueries['query']): Promise<number> =>
      await takePage(query, { installation, accountId: id, account: name, now: clock() });
    try {
      while ((await db.system.transaction(take)) === pageSize);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'The events of an account could not be read for Slack.');
}

/**
 * Makes the messages about closed pull requests due for an edit, because the event about a change of a pull request
 * makes no message. Messages older than `closedWithinDays` are left out.
 */
export async function requestEditsOfClosed({ db, clock }: Ports): Promise<void> {
  const since = new Date(clock().getTime() - closedWithinDays * 24 * 3_600_000);
  await db.system.query(
    `update slack_message m set version = version + 1, news_version = version + 1, news_at = greatest(${knownNewsAt}, p.closed_at)
     from pull_request p
     where m.told_version = m.version and m.posted_ts is not null and m.created_at > $1 and m.subject like 'pull_request:%'
       and p.account_id = m.account_id and p.id = split_part(m.subject, ':', 2)::bigint and p.status = 'closed'
       and p.closed_at > m.next_attempt_at - make_interval(secs => $2)`,
    [since.toISOString(), editEverySec],
  );
}

/**
 * SQL: when the newest event happened of which a new message may tell. Null: an earlier version of Interlock, which does
 * not write this, has read the newest event. `m` is the row of the message.
 */
export const knownNewsAt = 'case when m.news_version = m.version then m.news_at end';

const closedWithinDays = 90;
/** The shortest time between two edits of one message. Slack accepts about fifty edits a minute from an app. */
export const editEverySec = 3;

interface Page {
  readonly installation: SlackInstallation | null;
  readonly accountId: string;
  readonly account: string;
  readonly now: Date;
}

async function takePage(
  query: SystemQueries['query'],
  { installation, accountId, account, now }: Page,
): Promise<number> {
  const position = await lockCursor(query, accountId);
  if (position === null) return 0;
  const events = await readEvents(query, { accountId, after: position });
  const last = events.at(-1);
  if (last === undefined) return 0;
  const rules = await readRules(query, accountId);
  const news = new Map<string, News>();
  for (const event of events) {
    const subject = await subjectOf(query, accountId, event);
    if (subject === null || event.owner === null || event.name === null || event.repositoryId === null) continue;
    const { owner, name, repositoryId, at } = event;
    const channels = [
      ...(installation === null ? [] : channelsOf(installation, { account, owner, name })),
      ...(await addressesOf(query, { accountId, subject, heard: destinationsOf(rules, { repositoryId, at }) })),
    ];
    for (const channel of channels) {
      const key = JSON.stringify([channel, subject]);
      news.set(key, { channel, subject, newsAt: isStillNews(event, now) ? at : (news.get(key)?.newsAt ?? null) });
    }
  }
  await query(
    `insert into slack_message as m (account_id, channel, subject, version, news_version, news_at, next_attempt_at, created_at)
     select $1::bigint, n ->> 'channel', n ->> 'subject', 1, 1, (n ->> 'newsAt')::timestamptz, $3::timestamptz, $3::timestamptz
     from jsonb_array_elements($2::jsonb) n
     where n ->> 'newsAt' is not null or exists (
       select from slack_message k where k.account_id = $1::bigint and k.channel = n ->> 'channel'
         and k.subject = n ->> 'subject' and k.posted_ts is not null)
     on conflict (account_id, channel, subject) do update set version = m.version + 1, news_version = m.version + 1,
       news_at = greatest(${knownNewsAt}, excluded.news_at)`,
    [accountId, JSON.stringify([...news.values()]), now.toISOString()],
  );
  await query('update slack_cursor set position = $2 where account_id = $1', [accountId, last.position]);
  return events.length;
}

/** Locks the cursor, and returns the position of the last processed event. Null: another process has the lock. */
async function lockCursor(query: SystemQueries['query'], accountId: string): Promise<string | null> {
  // A new cursor begins at the account's first destination, so that the destination receives everything since its
  // creation. Without a destination, a new cursor begins at the newest event.
  await query(
    `insert into slack_cursor (account_id, position)
     select $1::bigint, coalesce(
       (select min(position) - 1 from event where account_id = $1::bigint
        and at >= (select min(created_at) from slack_destination where account_id = $1::bigint)),
       (select position from event_head where account_id = $1::bigint), 0)
     on conflict (account_id) do nothing`,
    [accountId],
  );
  const [cursor] = await query<{ position: string }>(
    'select position from slack_cursor where account_id = $1 for update skip locked',
    [accountId],
  );
  return cursor?.position ?? null;
}

/** A page of events, in the order of the log. */
async function readEvents(
  query: SystemQueries['query'],
  { accountId, after }: { readonly accountId: string; readonly after: string },
): Promise<EventRow[]> {
  return await query<EventRow>(
    `select e.id, e.position, e.action, e.at, e.repository_id::text as "repositoryId", r.owner, r.name, e.pull_request_id as "pullRequestId",
            e.deployment_id as "deploymentId", e.environment_id as "environmentId", e.queue_id as "queueId"
     from event e left join repository r on r.account_id = e.account_id and r.id = e.repository_id
     where e.account_id = $1 and e.position > $2 order by e.position limit ${pageSize}`,
    [accountId, after],
  );
}

async function readRules(query: SystemQueries['query'], accountId: string): Promise<readonly SlackDestinationRule[]> {
  return await query<SlackDestinationRule>(
    `select id::text as id, kind, channel, repository_id::text as "repositoryId", created_at as "createdAt"
     from slack_destination where account_id = $1 order by id`,
    [accountId],
  );
}

interface Heard {
  readonly accountId: string;
  readonly subject: string;
  readonly heard: readonly SlackDestinationRule[];
}

async function addressesOf(
  query: SystemQueries['query'],
  { accountId, subject, heard }: Heard,
): Promise<readonly string[]> {
  const addresses: string[] = [];
  for (const { id: destinationId, kind } of heard) {
    if (kind !== 'people') addresses.push(writeSlackAddress({ kind: 'destination', destinationId }));
    else
      for (const userId of await readRecipients(query, accountId, subject))
        addresses.push(writeSlackAddress({ kind: 'person', destinationId, userId }));
  }
  return addresses;
}

/** The subject of the message about an event. Null: no message is sent about the event. */
async function subjectOf(query: SystemQueries['query'], accountId: string, event: EventRow): Promise<string | null> {
  const { id, action, pullRequestId, deploymentId, environmentId, queueId } = event;
  if (action === changedAction) return null;
  if (pullRequestId !== null) return `pull_request:${pullRequestId}`;
  if (deploymentId !== null) return `deployment:${deploymentId}`;
  switch (action) {
    case 'environment_frozen':
      return `freeze:${environmentId}:${id}`;
    case 'base_branch_frozen':
      return `branch_freeze:${queueId}:${id}`;
    case 'environment_unfrozen': {
      const began = await beginningOf(query, accountId, event);
      return began === null ? null : `freeze:${environmentId}:${began}`;
    }
    case 'base_branch_unfrozen': {
      const began = await beginningOf(query, accountId, event);
      return began === null ? null : `branch_freeze:${queueId}:${began}`;
    }
    default:
      return null;
  }
}

/** For the end of a freeze, the id of the event with which the freeze began. Null: the log no longer has this event. */
async function beginningOf(
  query: SystemQueries['query'],
  accountId: string,
  { position, repositoryId, environmentId, queueId }: EventRow,
): Promise<string | null> {
  const [began] = await query<{ id: string }>(
    `select id from event where account_id = $1 and repository_id = $2 and position < $3
       and ((action = 'environment_frozen' and environment_id = $4) or (action = 'base_branch_frozen' and queue_id = $5))
     order by position desc limit 1`,
    [accountId, repositoryId, position, environmentId, queueId],
  );
  return began?.id ?? null;
}

const namesOf = {
  pull_request:
    'select array[author, requested_by, merge_requested_by] as names from pull_request where account_id = $1 and id = $2',
  deployment: 'select array[actor] as names from deployment where account_id = $1 and id = $2',
} as const;

/**
 * Ids of the users who get direct messages about a subject. For a pull request: its author, the user who queued it, and
 * the person in whose name it was queued. For a deployment: the user who requested it. The service user gets no direct
 * messages.
 */
async function readRecipients(
  query: SystemQueries['query'],
  accountId: string,
  subject: string,
): Promise<readonly string[]> {
  const [kind = '', id = ''] = subject.split(':');
  if (kind !== 'pull_request' && kind !== 'deployment') return [];
  const [row] = await query<{ names: readonly (string | null)[] }>(namesOf[kind], [accountId, id]);
  const called = row?.names.flatMap((name) => name ?? []) ?? [];
  const users = await query<{ id: string }>(
    `select id::text as id from account_user
     where account_id = $1 and removed_at is null and not is_service
       and (lower(handle) = any ($2::text[]) or lower(email) = any ($2::text[]) or id = any ($3::bigint[]))
     order by id`,
    [accountId, called.map((name) => name.toLowerCase()), called.flatMap((name) => userIdOf(name) ?? [])],
  );
  return users.map((user) => user.id);
}
