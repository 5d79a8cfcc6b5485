// Decides what to do after a call of Slack has failed.

export type SlackFailureKind =
  /** Slack or the network failed. A later attempt may succeed. */
  | 'passing'
  | 'limited'
  /** A user must change something in Slack or in a setting. */
  | 'misconfigured'
  /** The message that should be edited does not exist any more. */
  | 'gone';

const minuteMs = 60_000;
const misconfiguredMs = 10 * minuteMs;
const longestMs = 10 * minuteMs;
const limitedMs = minuteMs;

/** The back-off before a message is sent again. */
export function slackRetryMs(
  kind: SlackFailureKind,
  { failures, retryAfterSec }: { readonly failures: number; readonly retryAfterSec: number | null },
): number {
  if (kind === 'misconfigured') return misconfiguredMs;
  if (kind === 'limited') return retryAfterSec === null ? limitedMs : Math.max(1, retryAfterSec) * 1_000;
  if (kind === 'gone') return 0;
  return Math.min(longestMs, 2_000 * 2 ** Math.min(failures, 20));
}

const cures: Readonly<Record<string, string>> = {
  invalid_auth: 'Slack does not know the bot token. Copy the bot token of the Slack app once more.',
  not_authed: 'Slack does not know the bot token. Copy the bot token of the Slack app once more.',
  account_inactive: 'The bot was removed from the workspace. Install the Slack app again.',
  token_revoked: 'The bot token was revoked. Install the Slack app again, and copy its bot token.',
  no_token: 'The account has no bot token of Slack. Set one by setSlackToken.',
  missing_scope: 'The Slack app lacks a scope. Give it the scopes of docs/slack.md, and install it again.',
  channel_not_found: 'Slack does not find the channel. Name it by its id, and invite the bot into it.',
  not_in_channel: 'The bot is not in the channel. Type /invite with the name of the Slack app there.',
  is_archived: 'The channel is archived. Name another channel.',
  channel_is_archived: 'The channel is archived. Name another channel.',
  restricted_action: 'The workspace lets this app post nothing into the channel. Ask an admin of the workspace.',
  action_prohibited: 'The workspace lets this app post nothing into the channel. Ask an admin of the workspace.',
  posting_to_general_channel_denied: 'The webhook may not post into the general channel. Choose another channel.',
  no_service: 'Slack does not know the incoming webhook any more. Make a new webhook, and name its address instead.',
  no_active_hooks: 'The incoming webhook is disabled. Make a new webhook, and name its address instead.',
  invalid_token: 'Slack does not know the incoming webhook. Copy its address once more.',
  no_team: 'Slack does not know the workspace of the incoming webhook. Copy its address once more.',
};

const goneErrors: readonly string[] = ['message_not_found', 'cant_update_message', 'edit_window_closed'];

/** Whether nobody can post or edit any more in the channel that a call named, according to Slack's error code. */
export function isChannelLost(error: string | null): boolean {
  return error === 'channel_not_found' || error === 'is_archived';
}

/** The kind of failure, and a message, for the error code that Slack answers. */
export function slackFailureOf(error: string): { readonly kind: SlackFailureKind; readonly message: string } {
  if (goneErrors.includes(error)) return { kind: 'gone', message: `Slack answered ${error}.` };
  if (error === 'ratelimited' || error === 'rate_limited') return { kind: 'limited', message: 'Slack asked to wait.' };
  const cure = cures[error];
  if (cure !== undefined) return { kind: 'misconfigured', message: cure };
  return { kind: 'passing', message: `Slack answered ${error}.` };
}
