// Changes the Slack settings of an account: the token of its bot, and the destinations of its messages. Tokens and
// webhook addresses are stored encrypted.
import type { Context } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import {
  readBotToken,
  readChannel,
  readWebhookUrl,
  type SlackDestinationKind,
} from '../../domain/slack/destinations.ts';
import type { Transaction } from '../../platform/database.ts';
import { encrypt, recordUserAction, requireScope, type Secrets } from '../accounts/index.ts';
import { loadRepository, type RepositoryName } from '../repositories/index.ts';
import { tokenPurpose, webhookUrlPurpose } from './sealed.ts';

const maxDestinations = 100;

/**
 * Sets the bot token, or replaces it. Messages that wait after a failure are sent at once. Needs `admin`. Throws
 * BAD_INPUT if the text is not a bot token.
 */
export async function setSlackToken(ctx: Context, secrets: Secrets, given: string): Promise<void> {
  requireScope(ctx, 'admin');
  const token = readBotToken(given);
  if (token === null)
    throw new DomainError(
      'BAD_INPUT',
      'input.token must be the bot token of a Slack app, which begins with xoxb-',
      'input.token',
    );
  const { accountId } = ctx;
  await ctx.db.transaction(accountId, async (tx) => {
    await tx.send(
      `insert into slack_workspace (account_id, token, updated_at) values ($1, $2, $3)
       on conflict (account_id) do update set token = $2, updated_at = $3`,
      [accountId, encrypt(secrets, tokenPurpose(accountId), Buffer.from(token)), ctx.clock().toISOString()],
    );
    await tx.send(
      `update slack_message set next_attempt_at = $2
       where account_id = $1 and told_version < version and next_attempt_at > $2 and failures > 0`,
      [accountId, ctx.clock().toISOString()],
    );
    await recordUserAction(ctx, tx, { action: 'slack_token_set', target: null });
  });
}

/** Removes the bot token. A repetition changes nothing. Needs `admin`. */
export async function removeSlackToken(ctx: Context): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const removed = await tx.query('delete from slack_workspace where account_id = $1 returning 1', [ctx.accountId]);
    if (removed.length > 0) await recordUserAction(ctx, tx, { action: 'slack_token_removed', target: null });
  });
}

export interface NewSlackDestination {
  readonly kind: SlackDestinationKind;
  /** Only of the kind `channel`. */
  readonly channel?: string | null | undefined;
  /** Only of the kind `webhook`. */
  readonly url?: string | null | undefined;
  /** Left out: all repositories of the account. */
  readonly repository?: RepositoryName | null | undefined;
}

/**
 * Adds a destination, which receives messages about everything that happens from now on. Returns the id of its row. If
 * the same destination exists already, returns the id of that row. Needs `admin`, and for a repository also the
 * permission admin at its code host.
 */
export async function createSlackDestination(
  ctx: Context,
  secrets: Secrets,
  input: NewSlackDestination,
): Promise<string> {
  requireScope(ctx, 'admin');
  const channel = checkedChannel(input);
  const url = checkedUrl(input);
  const repository = input.repository ? await loadRepository(ctx, input.repository, 'admin') : null;
  const { accountId } = ctx;
  return await ctx.db.transaction(accountId, async (tx) => {
    await requireRoom(tx, accountId);
    const sealed = url === null ? null : encrypt(secrets, webhookUrlPurpose(accountId), Buffer.from(url));
    const [added] = await tx.query<{ id: string }>(
      `insert into slack_destination (account_id, repository_id, kind, channel, url, created_by, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id::text as id`,
      [
        accountId,
        repository?.id ?? null,
        input.kind,
        channel,
        sealed,
        ctx.actor.email ?? 'interlock',
        ctx.clock().toISOString(),
      ],
    );
    if (added === undefined)
      return await readSame(tx, { accountId, repositoryId: repository?.id ?? null, channel, kind: input.kind });
    await recordUserAction(ctx, tx, {
      action: 'slack_destination_created',
      target: repository === null ? 'all repositories' : `${repository.owner}/${repository.name}`,
    });
    return added.id;
  });
}

interface SameDestination {
  readonly accountId: string;
  readonly repositoryId: string | null;
  readonly kind: SlackDestinationKind;
  readonly channel: string | null;
}

async function readSame(tx: Transaction, { accountId, repositoryId, kind, channel }: SameDestination): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    `select id::text as id from slack_destination
     where account_id = $1 and coalesce(repository_id, 0) = coalesce($2::bigint, 0) and kind = $3
       and coalesce(channel, '') = coalesce($4::text, '')`,
    [accountId, repositoryId, kind, channel],
  );
  if (row === undefined)
    throw new DomainError('CONFLICT', 'The destination was deleted in the meantime. Try again.', 'input');
  return row.id;
}

/**
 * Deletes a destination, which then receives no more messages. Posted messages stay in Slack. Needs `admin`. Throws
 * NOT_FOUND.
 */
export async function deleteSlackDestination(ctx: Context, id: string): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [row] = await tx.query<{ repository: string | null }>(
      `delete from slack_destination d where d.account_id = $1 and d.id = $2
       returning (select r.owner || '/' || r.name from repository r where r.account_id = $1 and r.id = d.repository_id) as repository`,
      [ctx.accountId, id],
    );
    if (row === undefined) throw notFound('Slack destination');
    await recordUserAction(ctx, tx, {
      action: 'slack_destination_deleted',
      target: row.repository ?? 'all repositories',
    });
  });
}

function checkedChannel({ kind, channel }: NewSlackDestination): string | null {
  if (kind === 'channel') {
    const read = readChannel(channel ?? '');
    if (read !== null) return read;
    throw new DomainError('BAD_INPUT', 'input.channel must be the id or the name of a channel', 'input.channel');
  }
  if (typeof channel === 'string')
    throw new DomainError('BAD_INPUT', 'input.channel is only for the kind CHANNEL', 'input.channel');
  return null;
}

function checkedUrl({ kind, url }: NewSlackDestination): string | null {
  if (kind === 'webhook') {
    const read = readWebhookUrl(url ?? '');
    if (read !== null) return read;
    throw new DomainError(
      'BAD_INPUT',
      'input.url must be an incoming webhook of Slack, such as https://hooks.slack.com/services/T0/B0/x',
      'input.url',
    );
  }
  if (typeof url === 'string')
    throw new DomainError('BAD_INPUT', 'input.url is only for the kind WEBHOOK', 'input.url');
  return null;
}

/**
 * Throws CONFLICT if the account has the greatest number of destinations. The lock prevents two requests from both
 * adding the last permitted destination.
 */
async function requireRoom(tx: Transaction, accountId: string): Promise<void> {
  await tx.query('select 1 from account where id = $1 for no key update', [accountId]);
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from slack_destination where account_id = $1',
    [accountId],
  );
  if ((row?.count ?? 0) >= maxDestinations)
    throw new DomainError('CONFLICT', `An account has at most ${maxDestinations} destinations. Delete one first.`);
}
