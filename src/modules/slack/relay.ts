// Brings messages in Slack to what is so: takes due rows, reads the subject, and posts or edits. A row is taken by one
// process at a time. A post without an answer is looked up in the channel before another one is made.
import { createHash } from 'node:crypto';
import type { Ports } from '../../context.ts';
import { slackFailureOf, slackRetryMs } from '../../domain/slack/attempt.ts';
import { decideSlackMessage, type SlackMessage } from '../../domain/slack/message.ts';
import type { SlackSettings } from '../../domain/slack/settings.ts';
import {
  createSlackClient,
  SlackCallFailed,
  type PostedMessage,
  type SlackClient,
} from '../../platform/slack/index.ts';
import { readSlackNews } from './facts.ts';
import { editEverySec, noteClosed, takeSlackNews } from './news.ts';

export interface SlackRelay {
  /** One look: news become rows, and due rows become messages. */
  look(): Promise<void>;
}

const mostAtOnce = 20;
const leaseMs = 60_000;
const closedLookedForEveryMs = 60_000;
/** The clocks of this server and of Slack may differ. */
const searchedBeforeMs = 5 * 60_000;

interface TakenRow {
  readonly id: string;
  readonly accountId: string;
  readonly channel: string;
  readonly subject: string;
  readonly version: string;
  readonly digest: string | null;
  readonly postedChannel: string | null;
  readonly postedTs: string | null;
  readonly postingSince: Date | null;
  readonly failures: number;
}

export function createSlackRelay(ports: Ports, settings: SlackSettings): SlackRelay {
  const client = createSlackClient(settings);
  let limitedUntil = 0;
  let closedLookedForAt = 0;

  async function look(): Promise<void> {
    await takeSlackNews(ports, settings);
    const now = ports.clock().getTime();
    if (now - closedLookedForAt >= closedLookedForEveryMs) {
      closedLookedForAt = now;
      await noteClosed(ports);
    }
    if (ports.clock().getTime() < limitedUntil) return;
    for (const row of await takeDue(ports)) {
      if (ports.clock().getTime() < limitedUntil) await release(ports, row, new Date(limitedUntil));
      else await tell(row);
    }
  }

  async function tell(row: TakenRow): Promise<void> {
    try {
      await bring(ports, client, row);
    } catch (error) {
      if (!(error instanceof SlackCallFailed)) throw error;
      const { kind, words } = error.error === null ? passing : slackFailureOf(error.error);
      const waitMs = slackRetryMs(kind, { failures: row.failures, retryAfterSec: error.retryAfterSec });
      const again = new Date(ports.clock().getTime() + waitMs);
      if (kind === 'limited') limitedUntil = again.getTime();
      await writeFailure(ports, row, { words, again, isGone: kind === 'gone', isAnswered: error.error !== null });
      if (kind !== 'limited') ports.log.warn({ channel: row.channel, err: error }, words);
    }
  }

  return { look };
}

const passing = { kind: 'passing', words: 'Slack did not answer.' } as const;

async function bring(ports: Ports, client: SlackClient, row: TakenRow): Promise<void> {
  const news = await readSlackNews(ports, row.accountId, row.subject);
  const posted = await postedBefore(client, row);
  const message = news === null ? null : decideSlackMessage(news, posted !== null);
  const digest = message === null ? row.digest : digestOf(message);
  if (message === null || (digest === row.digest && posted !== null))
    return await writeTold(ports, row, { posted, digest });
  if (posted !== null) {
    await client.update(posted, message);
    return await writeTold(ports, row, { posted, digest });
  }
  await notePosting(ports, row);
  return await writeTold(ports, row, { posted: await client.post(row.channel, message, keyOf(row)), digest });
}

async function postedBefore(client: SlackClient, row: TakenRow): Promise<PostedMessage | null> {
  const { postedChannel, postedTs, postingSince, channel } = row;
  if (postedChannel !== null && postedTs !== null) return { channel: postedChannel, ts: postedTs };
  if (postingSince === null) return null;
  return await client.find(channel, keyOf(row), new Date(postingSince.getTime() - searchedBeforeMs));
}

function keyOf({ accountId, id }: TakenRow): string {
  return `${accountId}/${id}`;
}

function digestOf(message: SlackMessage): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url');
}

async function takeDue({ db, clock }: Ports): Promise<TakenRow[]> {
  const now = clock();
  const rows = await db.system.query<TakenRow>(
    `with next as (
       select id from slack_message
       where told_version < version and next_attempt_at <= $1 and (leased_until is null or leased_until <= $1)
       order by next_attempt_at, id limit ${mostAtOnce} for update skip locked
     )
     update slack_message m set leased_until = $2 from next where m.id = next.id
     returning m.id, m.account_id as "accountId", m.channel, m.subject, m.version, m.told_digest as digest,
       m.posted_channel as "postedChannel", m.posted_ts as "postedTs", m.posting_since as "postingSince", m.failures`,
    [now.toISOString(), new Date(now.getTime() + leaseMs).toISOString()],
  );
  return rows.toSorted((a, b) => Number(a.id) - Number(b.id));
}

async function release({ db }: Ports, { id }: TakenRow, until: Date): Promise<void> {
  await db.system.query('update slack_message set leased_until = null, next_attempt_at = $2 where id = $1', [
    id,
    until.toISOString(),
  ]);
}

async function notePosting({ db, clock }: Ports, { id }: TakenRow): Promise<void> {
  await db.system.query('update slack_message set posting_since = coalesce(posting_since, $2) where id = $1', [
    id,
    clock().toISOString(),
  ]);
}

async function writeTold(
  { db, clock }: Ports,
  { id, version }: TakenRow,
  { posted, digest }: { readonly posted: PostedMessage | null; readonly digest: string | null },
): Promise<void> {
  await db.system.query(
    `update slack_message set told_version = $2, told_digest = $3, posted_channel = $4, posted_ts = $5, posting_since = null,
       leased_until = null, failures = 0, problem = null, next_attempt_at = $6 where id = $1`,
    [
      id,
      version,
      digest,
      posted?.channel ?? null,
      posted?.ts ?? null,
      new Date(clock().getTime() + editEverySec * 1_000).toISOString(),
    ],
  );
}

interface Failed {
  readonly words: string;
  readonly again: Date;
  readonly isGone: boolean;
  /** Slack refused: nothing was posted. */
  readonly isAnswered: boolean;
}

async function writeFailure(
  { db }: Ports,
  { id }: TakenRow,
  { words, again, isGone, isAnswered }: Failed,
): Promise<void> {
  await db.system.query(
    `update slack_message set leased_until = null, failures = failures + 1, problem = $2, next_attempt_at = $3,
       posted_channel = case when $4 then null else posted_channel end, posted_ts = case when $4 then null else posted_ts end,
       posting_since = case when $5 then null else posting_since end
     where id = $1`,
    [id, words, again.toISOString(), isGone, isAnswered],
  );
}
