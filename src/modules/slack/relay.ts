// Keeps messages in Slack up to date. The relay takes one due row after the other, reads the subject of the row, and
// posts or edits the message about this subject. One process at a time has the lease of a row, and a process whose lease
// has ended writes nothing more. If a post got no answer, the relay searches the channel for the message before it posts
// again. The relay cannot search for messages of incoming webhooks.
import { createHash } from 'node:crypto';
import type { Ports } from '../../context.ts';
import { isChannelLost, slackFailureOf, slackRetryMs, type SlackFailureKind } from '../../domain/slack/attempt.ts';
import { decideSlackMessage, type SlackMessage } from '../../domain/slack/message.ts';
import type { SlackSettings } from '../../domain/slack/settings.ts';
import { isStillNews, isWorthNotice, readSlackAddress } from '../../domain/slack/destinations.ts';
import { isOutage } from '../../platform/outage.ts';
import { SlackCallFailed, type PostedMessage, type SlackClient } from '../../platform/slack/index.ts';
import type { Secrets } from '../accounts/index.ts';
import { readSlackNews } from './facts.ts';
import { editEverySec, knownNewsAt, requestEditsOfClosed, takeSlackNews } from './news.ts';
import { createSenders, type Sender } from './senders.ts';

export interface SlackRelay {
  /** SQL: whether there may be a destination for messages. */
  readonly isDue: string;
  /**
   * Writes rows for new events, and then sends the messages of due rows, once. Throws AggregateError at the end if the
   * events of an account could not be read, and an error of the database during an outage.
   */
  look(): Promise<void>;
}

const maxAtOnce = 20;
/**
 * Longer than the four calls that a message usually needs, each of which ends after ten seconds. A search of a busy
 * channel may take longer. Then another process takes the message, and only the holder of the lease posts it.
 */
const leaseMs = 60_000;
const closedLookedForEveryMs = 60_000;
/**
 * The search for a message begins at this time before the first attempt to post the message, because the clocks of this
 * server and of Slack may differ.
 */
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
  /** When the newest event happened of which a new message may tell. Null: an earlier version has read it. */
  readonly newsAt: Date | null;
  readonly failures: number;
  /** The end of the lease. A later lease of the row ends later, so this instant says whose lease it is. */
  readonly leasedUntil: string;
}

/** `secrets`: the keys that encrypt the tokens and the webhook addresses of accounts. */
export type SlackOptions = SlackSettings & { readonly secrets: Secrets };

export function createSlackRelay(ports: Ports, { secrets, ...settings }: SlackOptions): SlackRelay {
  const senders = createSenders(ports, secrets, settings);
  // Until when Slack accepts no message, by the key of `limitOf`. Slack limits each workspace, and each incoming
  // webhook separately.
  const limitedUntil = new Map<string, number>();
  let closedLookedForAt = 0;

  async function look(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of [async () => await takeSlackNews(ports, settings.installation), sendDue])
      await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 1)
      throw new AggregateError(
        failures.flatMap((each): unknown => (each instanceof AggregateError ? each.errors : each)),
        'The events of accounts could not be read for Slack, and messages could not be sent.',
      );
    if (failures.length > 0) throw failures[0];
  }

  async function sendDue(): Promise<void> {
    const now = ports.clock().getTime();
    if (now - closedLookedForAt >= closedLookedForEveryMs) {
      closedLookedForAt = now;
      await requestEditsOfClosed(ports);
    }
    for (let taken = 0; taken < maxAtOnce; taken += 1) {
      const row = await takeDue(ports);
      if (row === null) return;
      const until = limitedUntil.get(limitOf(row)) ?? 0;
      if (isTooLate(row, ports.clock())) await giveUp(ports, row);
      else if (ports.clock().getTime() < until) await release(ports, row, new Date(until));
      else await deliver(row);
    }
  }

  async function deliver(row: TakenRow): Promise<void> {
    try {
      const sender = await senders.find(row.accountId, readSlackAddress(row.channel));
      if (sender === null) await writeTold(ports, row, { posted: null, digest: row.digest });
      else if (sender.kind === 'bot' && sender.isEdited) await postOrEdit(ports, sender, row);
      else await notify(ports, sender, row);
    } catch (error) {
      // The row keeps its lease, and is taken again when the lease has ended.
      if (isOutage(error)) throw error;
      // A failure of Interlock itself counts as a failure of this message alone, so that other messages are sent.
      const { kind, message, retryAfterSec } = error instanceof SlackCallFailed ? failureOf(error) : ownFailure;
      const again = new Date(ports.clock().getTime() + slackRetryMs(kind, { failures: row.failures, retryAfterSec }));
      if (kind === 'limited') limitedUntil.set(limitOf(row), again.getTime());
      await writeFailure(ports, row, { message, again, isGone: kind === 'gone' });
      if (kind !== 'limited') ports.log.warn({ channel: row.channel, err: error }, message);
    }
  }

  return { isDue: settings.installation === null ? 'exists (select from slack_destination)' : 'true', look };
}

interface DeliveryFailure {
  readonly kind: SlackFailureKind;
  readonly message: string;
  readonly retryAfterSec: number | null;
}

function failureOf({ error, retryAfterSec }: SlackCallFailed): DeliveryFailure {
  const failure = error === null ? passing : slackFailureOf(error);
  return { ...failure, retryAfterSec };
}

const passing = { kind: 'passing', message: 'Slack did not answer.' } as const;

const ownFailure: DeliveryFailure = {
  kind: 'passing',
  message:
    'Interlock could not make or send the message. Its log has the reason. If Interlock cannot decrypt the bot token or the address of the webhook, set the token again, or make a new destination.',
  retryAfterSec: null,
};

/**
 * A key for the limit of Slack that a message counts against. The key is derived from the address of the message,
 * because the destination has not been read yet.
 */
function limitOf({ accountId, channel }: TakenRow): string {
  return readSlackAddress(channel).kind === 'installation' ? 'installation' : accountId;
}

type Bot = Extract<Sender, { readonly kind: 'bot' }>;

/** Posts the one message about the subject, or edits this message. */
async function postOrEdit(ports: Ports, { client, channel }: Bot, row: TakenRow): Promise<void> {
  const news = await readSlackNews(ports, row.accountId, row.subject);
  const posted = await postedBefore(client, channel, row);
  const message = news === null ? null : decideSlackMessage(news, posted !== null);
  const digest = message === null ? row.digest : digestOf(message);
  if (message === null || (digest === row.digest && posted !== null))
    return await writeTold(ports, row, { posted, digest });
  if (posted !== null && (await edit(client, channel, { posted, message })))
    return await writeSent(ports, row, { posted, digest });
  if (isOld(row, ports.clock())) return await giveUp(ports, row);
  const made = await postOnce(ports, row, async () => await client.post(channel, message, keyOf(row)));
  if (made !== null) await writeSent(ports, row, { posted: made, digest });
}

/**
 * Edits a message. False: Slack does not find the channel of the message, and the name of the destination may be that of
 * another channel by now, for example in another workspace.
 */
async function edit(
  client: SlackClient,
  channel: string,
  { posted, message }: { readonly posted: PostedMessage; readonly message: SlackMessage },
): Promise<boolean> {
  try {
    await client.update(posted, message);
    return true;
  } catch (error) {
    if (posted.channel !== channel && error instanceof SlackCallFailed && isChannelLost(error.error)) return false;
    throw error;
  }
}

/** Posts a separate message for each change that is worth a notice. */
async function notify(ports: Ports, sender: Sender, row: TakenRow): Promise<void> {
  const news = await readSlackNews(ports, row.accountId, row.subject);
  const message = news === null ? null : decideSlackMessage(news, true);
  if (news === null || message === null) return await writeTold(ports, row, { posted: null, digest: row.digest });
  const digest = digestOf(message);
  const posted = { posted: null, digest };
  if (digest === row.digest || !isWorthNotice(news)) return await writeTold(ports, row, posted);
  if (sender.kind === 'webhook') {
    await sender.post(message);
    return await writeSent(ports, row, posted);
  }
  const { client, channel } = sender;
  // Each notice has a key of its own, because an earlier notice about the same subject may be in the channel.
  const key = `${keyOf(row)}/${digest}`;
  if ((await searchPosted(client, channel, { key, since: row.postingSince })) === null) {
    const made = await postOnce(ports, row, async () => await client.post(channel, message, key));
    if (made === null) return;
  }
  return await writeSent(ports, row, posted);
}

/**
 * Records the attempt, and posts. Null: the lease is another process's, which posts the message. The record stays until
 * the outcome is known, so only a refusal of the post itself removes it.
 */
async function postOnce(
  ports: Ports,
  row: TakenRow,
  post: () => Promise<PostedMessage>,
): Promise<PostedMessage | null> {
  if (!(await recordPosting(ports, row))) return null;
  try {
    return await post();
  } catch (error) {
    if (error instanceof SlackCallFailed && error.error !== null) await forgetPosting(ports, row);
    throw error;
  }
}

async function postedBefore(client: SlackClient, channel: string, row: TakenRow): Promise<PostedMessage | null> {
  const { postedChannel, postedTs, postingSince } = row;
  if (postedChannel !== null && postedTs !== null) return { channel: postedChannel, ts: postedTs };
  return await searchPosted(client, channel, { key: keyOf(row), since: postingSince });
}

/**
 * Searches a channel for a message. `since` is the first attempt to post the message. If `since` is null, no post was
 * attempted, so there is no message to find.
 */
async function searchPosted(
  client: SlackClient,
  channel: string,
  { key, since }: { readonly key: string; readonly since: Date | null },
): Promise<PostedMessage | null> {
  return since === null ? null : await client.find(channel, key, new Date(since.getTime() - searchedBeforeMs));
}

function keyOf({ accountId, id }: TakenRow): string {
  return `${accountId}/${id}`;
}

function digestOf(message: SlackMessage): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url');
}

/**
 * Whether a new message would tell what happened long ago, because it could not be posted since. A message that is
 * posted, or of which an attempt to post got no answer, is still edited.
 */
function isTooLate(row: TakenRow, now: Date): boolean {
  return row.postedTs === null && row.postingSince === null && isOld(row, now);
}

function isOld({ newsAt }: TakenRow, now: Date): boolean {
  return newsAt !== null && !isStillNews({ at: newsAt }, now);
}

/** Drops the news of a row. The problem stays, and the destination shows it until a message is sent there. */
async function giveUp({ db }: Ports, { id, leasedUntil, version }: TakenRow): Promise<void> {
  await db.system.query(
    'update slack_message set told_version = $3, leased_until = null, failures = 0 where id = $1 and leased_until = $2',
    [id, leasedUntil, version],
  );
}

/** Null: no row is due. */
async function takeDue({ db, clock }: Ports): Promise<TakenRow | null> {
  const now = clock();
  const leasedUntil = new Date(now.getTime() + leaseMs).toISOString();
  const [row] = await db.system.query<Omit<TakenRow, 'leasedUntil'>>(
    `with next as (
       select id from slack_message
       where told_version < version and next_attempt_at <= $1 and (leased_until is null or leased_until <= $1)
       order by next_attempt_at, id limit 1 for update skip locked
     )
     update slack_message m set leased_until = $2 from next where m.id = next.id
     returning m.id, m.account_id as "accountId", m.channel, m.subject, m.version, m.told_digest as digest,
       m.posted_channel as "postedChannel", m.posted_ts as "postedTs", m.posting_since as "postingSince",
       ${knownNewsAt} as "newsAt", m.failures`,
    [now.toISOString(), leasedUntil],
  );
  return row === undefined ? null : { ...row, leasedUntil };
}

async function release({ db }: Ports, { id, leasedUntil }: TakenRow, until: Date): Promise<void> {
  await db.system.query(
    'update slack_message set leased_until = null, next_attempt_at = $3 where id = $1 and leased_until = $2',
    [id, leasedUntil, until.toISOString()],
  );
}

/** Returns false if the lease is another process's, which posts the message. */
async function recordPosting({ db, clock }: Ports, { id, leasedUntil }: TakenRow): Promise<boolean> {
  const recorded = await db.system.query(
    'update slack_message set posting_since = coalesce(posting_since, $3) where id = $1 and leased_until = $2 returning 1',
    [id, leasedUntil, clock().toISOString()],
  );
  return recorded.length > 0;
}

async function forgetPosting({ db }: Ports, { id, leasedUntil }: TakenRow): Promise<void> {
  await db.system.query('update slack_message set posting_since = null where id = $1 and leased_until = $2', [
    id,
    leasedUntil,
  ]);
}

interface Told {
  readonly posted: PostedMessage | null;
  readonly digest: string | null;
}

/** Also ends the problems of messages to the same destination that were given up. */
async function writeSent(ports: Ports, row: TakenRow, told: Told): Promise<void> {
  await writeTold(ports, row, told);
  const [people = null] = /^person:\d+:/.exec(row.channel) ?? [];
  await ports.db.system.query(
    `update slack_message set problem = null where id in (
       select id from slack_message where account_id = $1 and problem is not null and told_version = version
         and (channel = $2 or starts_with(channel, $3)) for update skip locked)`,
    [row.accountId, row.channel, people],
  );
}

async function writeTold(
  { db, clock }: Ports,
  { id, leasedUntil, version }: TakenRow,
  { posted, digest }: Told,
): Promise<void> {
  await db.system.query(
    `update slack_message set told_version = $3, told_digest = $4, posted_channel = $5, posted_ts = $6, posting_since = null,
       leased_until = null, failures = 0, problem = null, next_attempt_at = $7 where id = $1 and leased_until = $2`,
    [
      id,
      leasedUntil,
      version,
      digest,
      posted?.channel ?? null,
      posted?.ts ?? null,
      new Date(clock().getTime() + editEverySec * 1_000).toISOString(),
    ],
  );
}

interface Failed {
  readonly message: string;
  readonly again: Date;
  readonly isGone: boolean;
}

async function writeFailure(
  { db, clock }: Ports,
  { id, leasedUntil }: TakenRow,
  { message, again, isGone }: Failed,
): Promise<void> {
  await db.system.query(
    `update slack_message set leased_until = null, failures = failures + 1, problem = $3, next_attempt_at = $4,
       posted_channel = case when $5 then null else posted_channel end, posted_ts = case when $5 then null else posted_ts end,
       news_at = case when $5 then $6::timestamptz else news_at end
     where id = $1 and leased_until = $2`,
    [id, leasedUntil, message, again.toISOString(), isGone, clock().toISOString()],
  );
}
