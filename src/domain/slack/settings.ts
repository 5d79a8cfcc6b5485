// Reads from environment variables which channel of Slack gets the messages about which repository. docs/slack.md
// explains each variable.

export interface SlackChannelRule {
  readonly account: string;
  /** `owner/name`, or `owner/*` for all repositories of an owner. */
  readonly repository: string;
  /** The id of the channel, such as `C0123456789`, or its name. */
  readonly channel: string;
}

/** One bot for the whole installation. */
export interface SlackInstallation {
  /** The token of a bot, `xoxb-…`. */
  readonly token: string;
  readonly channels: readonly SlackChannelRule[];
}

export interface SlackSettings {
  /** Ends with a slash. */
  readonly apiUrl: string;
  /** Null: only the destinations that accounts have set get messages. */
  readonly installation: SlackInstallation | null;
}

/** The settings are wrong. The message names the variable, and says what to do. */
export class SlackSettingsRefused extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws SlackSettingsRefused. */
export function readSlackSettings(env: Environment): SlackSettings {
  const apiUrl = env['SLACK_API_URL']?.trim() || 'https://slack.com/api/';
  return { apiUrl: apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/`, installation: readInstallation(env) };
}

function readInstallation(env: Environment): SlackInstallation | null {
  const token = env['SLACK_BOT_TOKEN']?.trim() ?? '';
  const text = env['SLACK_CHANNELS']?.trim() ?? '';
  if (token === '' && text === '') return null;
  if (token === '')
    throw new SlackSettingsRefused(
      'SLACK_CHANNELS is set, but SLACK_BOT_TOKEN is missing. It must be the bot token of the Slack app.',
    );
  if (!/^xoxb-\S+$/.test(token))
    throw new SlackSettingsRefused('SLACK_BOT_TOKEN must be a bot token of Slack, which begins with xoxb-.');
  const channels = text
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(readRule);
  if (channels.length === 0)
    throw new SlackSettingsRefused(
      'SLACK_CHANNELS is missing. It says which channel gets the messages about which repository, such as "acme: acme/shop = C0123456789".',
    );
  return { token, channels };
}

function readRule(entry: string): SlackChannelRule {
  const [, account, repository, channel] =
    /^([^:=]*\S)\s*:\s*([^\s/=]+\/[^\s/=]+)\s*=\s*#?([^\s:]+)$/.exec(entry) ?? [];
  if (account === undefined || repository === undefined || channel === undefined)
    throw new SlackSettingsRefused(
      `SLACK_CHANNELS must have entries <account>: <owner>/<name> = <channel>, where the name may be *, not "${entry}".`,
    );
  return { account, repository, channel };
}

/** The channels that get messages about the repository, each once. */
export function channelsOf(
  { channels }: SlackInstallation,
  { account, owner, name }: { readonly account: string; readonly owner: string; readonly name: string },
): string[] {
  const names = [`${owner}/${name}`, `${owner}/*`].map((each) => each.toLowerCase());
  const heard = channels.filter((rule) => rule.account === account && names.includes(rule.repository.toLowerCase()));
  return [...new Set(heard.map(({ channel }) => channel))];
}
