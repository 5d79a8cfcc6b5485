// What follows after a call of Slack.

export type SlackFailureKind =
  /** Slack or the way to it: trying again helps. */
  | 'passing'
  | 'limited'
  /** Somebody has to change something in Slack or in a setting. */
  | 'misconfigured'
  /** The message that was to be edited is gone. */
  | 'gone';

const minuteMs = 60_000;
const misconfiguredMs = 10 * minuteMs;
const longestMs = 10 * minuteMs;
const limitedMs = minuteMs;

/** After how long a message is tried again. */
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
  invalid_auth: 'Slack does not know SLACK_BOT_TOKEN. Copy the bot token of the Slack app once more.',
  not_authed: 'Slack does not know SLACK_BOT_TOKEN. Copy the bot token of the Slack app once more.',
  account_inactive: 'The bot of SLACK_BOT_TOKEN was removed. Install the Slack app again.',
  token_revoked: 'SLACK_BOT_TOKEN was revoked. Install the Slack app again, and copy its bot token.',
  missing_scope: 'The Slack app lacks a scope. Give it chat:write, and install it again.',
  channel_not_found:
    'Slack does not find the channel. Name it in SLACK_CHANNELS by its id, and invite the bot into it.',
  not_in_channel: 'The bot is not in the channel. Type /invite with the name of the Slack app there.',
  is_archived: 'The channel is archived. Name another one in SLACK_CHANNELS.',
  restricted_action: 'The workspace lets this app post nothing into the channel. Ask an admin of the workspace.',
};

const goneErrors: readonly string[] = ['message_not_found', 'cant_update_message', 'edit_window_closed'];

/** Of the word that Slack answers. */
export function slackFailureOf(error: string): { readonly kind: SlackFailureKind; readonly words: string } {
  if (goneErrors.includes(error)) return { kind: 'gone', words: `Slack answered ${error}.` };
  if (error === 'ratelimited' || error === 'rate_limited') return { kind: 'limited', words: 'Slack asked to wait.' };
  const cure = cures[error];
  if (cure !== undefined) return { kind: 'misconfigured', words: cure };
  return { kind: 'passing', words: `Slack answered ${error}.` };
}
