// A client of Slack's Web API with a bot token. It does not retry failed calls. The caller decides about retries.
import type { WebClient } from '@slack/web-api';

export interface SlackMessageContent {
  readonly text: string;
  readonly blocks: readonly object[];
}

export interface PostedMessage {
  readonly channel: string;
  readonly ts: string;
}

/** The type of the metadata that marks messages of Interlock, so that `find` can recognise them. */
const metadataType = 'interlock_message';

export class SlackCallFailed extends Error {
  /** Slack's error code. Null: Slack did not answer. */
  readonly error: string | null;
  /** How many seconds Slack asked to wait. Null: Slack named no time. */
  readonly retryAfterSec: number | null;
  constructor(error: string | null, retryAfterSec: number | null, options?: ErrorOptions) {
    super(error === null ? 'Slack did not answer.' : `Slack answered ${error}.`, options);
    this.error = error;
    this.retryAfterSec = retryAfterSec;
  }
}

/** Every method throws SlackCallFailed. */
export interface SlackClient {
  post(channel: string, content: SlackMessageContent, key: string): Promise<PostedMessage>;
  update(posted: PostedMessage, content: SlackMessageContent): Promise<void>;
  /**
   * Finds a message of Interlock with this key that was posted after `since`. Null: there is none among the newest 4,000
   * messages, or the bot may not read the channel.
   */
  find(channel: string, key: string, since: Date): Promise<PostedMessage | null>;
  /**
   * Returns the channel for direct messages to the person with this email address. Null: the workspace has no such
   * person.
   */
  openDirect(email: string): Promise<string | null>;
}

const timeoutMs = 10_000;
const pageSize = 200;
/** The search reads at most this many pages. Slack returns the newest messages first. */
const maxPages = 20;

export function createSlackClient({ token, apiUrl }: { readonly token: string; readonly apiUrl: string }): SlackClient {
  let opened: Promise<WebClient> | null = null;
  const calling = async <T>(call: (client: WebClient) => Promise<T>): Promise<T> => {
    const client = await (opened ??= open(token, apiUrl));
    return await call(client).catch((error: unknown) => {
      throw failureOf(error);
    });
  };
  return {
    post: async (channel, { text, blocks }, key) =>
      await calling(async (client) => {
        const answer = await client.apiCall('chat.postMessage', {
          channel,
          text,
          blocks,
          unfurl_links: false,
          unfurl_media: false,
          metadata: { event_type: metadataType, event_payload: { key } },
        });
        return postedOf(answer);
      }),
    update: async ({ channel, ts }, { text, blocks }) =>
      await calling(async (client) => void (await client.apiCall('chat.update', { channel, ts, text, blocks }))),
    find: async (channel, key, since) =>
      await calling(async (client) => await findMessage(client, channel, { key, since })).catch(nullIf(unreadable)),
    openDirect: async (email) => await calling(async (client) => await openDirect(client, email)).catch(nullIf(absent)),
  };
}

// Loaded at the first use, because most processes never call Slack.
async function open(token: string, apiUrl: string): Promise<WebClient> {
  const { WebClient: Client, LogLevel } = await import('@slack/web-api');
  return new Client(token, {
    slackApiUrl: apiUrl,
    timeout: timeoutMs,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    allowAbsoluteUrls: false,
    logLevel: LogLevel.ERROR,
  });
}

async function findMessage(
  client: WebClient,
  channel: string,
  { key, since }: { readonly key: string; readonly since: Date },
): Promise<PostedMessage | null> {
  const pages = client.paginate('conversations.history', {
    channel,
    oldest: String(since.getTime() / 1_000),
    limit: pageSize,
    include_all_metadata: true,
  });
  let read = 0;
  for await (const page of pages) {
    const { messages = [] } = page as HistoryPage;
    const ours = messages.find(({ metadata }) => metadata?.event_payload?.key === key);
    if (ours !== undefined) return { channel, ts: ours.ts };
    read += 1;
    if (read === maxPages) return null;
  }
  return null;
}

async function openDirect(client: WebClient, email: string): Promise<string> {
  const { user } = (await client.apiCall('users.lookupByEmail', { email })) as {
    readonly user?: { id?: string };
  };
  const { channel } = (await client.apiCall('conversations.open', { users: user?.id ?? '' })) as {
    readonly channel?: { readonly id?: string };
  };
  if (channel?.id === undefined) throw new SlackCallFailed(null, null);
  return channel.id;
}

/** Returns a handler of failed calls: null for these errors of Slack, and every other error is thrown. */
function nullIf(errors: readonly string[]): (error: unknown) => null {
  return (error) => {
    if (error instanceof SlackCallFailed && errors.includes(error.error ?? '')) return null;
    throw error;
  };
}

// Reading a channel needs additional scopes and the channel's id. Without them, a message may be posted twice.
const unreadable: readonly string[] = ['missing_scope', 'channel_not_found'];
const absent: readonly string[] = ['users_not_found', 'user_not_found', 'user_disabled', 'cannot_dm_bot'];

/**
 * Posts through an incoming webhook, which needs no token and returns neither a channel nor a message id. Throws
 * SlackCallFailed. The caller must have checked that the address belongs to Slack.
 */
export async function postByWebhook(url: string, { text, blocks }: SlackMessageContent): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text, blocks, unfurl_links: false, unfurl_media: false }),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new SlackCallFailed(null, null, { cause: error });
  });
  const answerText = (await answer.text().catch(() => '')).trim();
  if (answer.status === 200) return;
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
  if (answer.status === 429) throw new SlackCallFailed('ratelimited', Number.isNaN(retryAfter) ? null : retryAfter);
  if (answer.status >= 500) throw new SlackCallFailed(null, null);
  throw new SlackCallFailed(/^[a-z_]{1,80}$/.test(answerText) ? answerText : `status_${answer.status}`, null);
}

interface HistoryPage {
  readonly messages?: readonly HistoryMessage[];
}

interface HistoryMessage {
  readonly ts: string;
  readonly metadata?: { readonly event_payload?: { readonly key?: string } };
}

function postedOf(answer: object): PostedMessage {
  const { channel, ts } = answer as { readonly channel?: string; readonly ts?: string };
  if (channel === undefined || ts === undefined) throw new SlackCallFailed(null, null);
  return { channel, ts };
}

/** Translates errors of Slack's library, which differ by their code. */
function failureOf(error: unknown): SlackCallFailed {
  if (error instanceof SlackCallFailed) return error;
  const { code, data, retryAfter } = error as {
    readonly code?: string;
    readonly data?: { readonly error?: string };
    readonly retryAfter?: number;
  };
  if (code === 'slack_webapi_rate_limited_error') return new SlackCallFailed('ratelimited', retryAfter ?? null);
  if (code === 'slack_webapi_platform_error') return new SlackCallFailed(data?.error ?? 'unknown_error', null);
  return new SlackCallFailed(null, null, { cause: error });
}
