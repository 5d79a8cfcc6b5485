// Decides to which destinations in Slack the messages of an account are sent, and which events each kind of destination
// gets.
import type { SlackNews } from './message.ts';

export type SlackDestinationKind = 'channel' | 'people' | 'webhook';

/** The address of a message in Slack. */
export type SlackAddress =
  /** A channel that the operator set in SLACK_CHANNELS. */
  | { readonly kind: 'installation'; readonly channel: string }
  | { readonly kind: 'destination'; readonly destinationId: string }
  | { readonly kind: 'person'; readonly destinationId: string; readonly userId: string };

export function writeSlackAddress(address: SlackAddress): string {
  switch (address.kind) {
    case 'installation':
      return address.channel;
    case 'destination':
      return `destination:${address.destinationId}`;
    case 'person':
      return `person:${address.destinationId}:${address.userId}`;
    default:
      return address satisfies never;
  }
}

export function readSlackAddress(text: string): SlackAddress {
  const [, destinationId] = /^destination:(\d+)$/.exec(text) ?? [];
  if (destinationId !== undefined) return { kind: 'destination', destinationId };
  const [, ofPeople, userId] = /^person:(\d+):(\d+)$/.exec(text) ?? [];
  if (ofPeople !== undefined && userId !== undefined) return { kind: 'person', destinationId: ofPeople, userId };
  return { kind: 'installation', channel: text };
}

/** Reads the token of a bot. Null: the text does not have the form of a token that Slack gives to bots. */
export function readBotToken(text: string): string | null {
  const token = text.trim();
  return /^xoxb-[\w-]{1,500}$/.test(token) ? token : null;
}

/** Reads a channel's id or name, and drops the `#`. Null: no channel can have this name. */
export function readChannel(text: string): string | null {
  const channel = text.trim().replace(/^#/, '');
  return /^[^\s:#<>,;=]{1,80}$/.test(channel) ? channel : null;
}

/**
 * Reads the address of an incoming webhook. Null: the address is not of an incoming webhook of Slack. Other addresses
 * are refused, because the service sends requests to the address.
 */
export function readWebhookUrl(text: string): string | null {
  const given = text.trim();
  return /^https:\/\/hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[\w/-]{1,300}$/.test(given)
    ? given
    : null;
}

/** The address to which a message is posted: its host is that of SLACK_API_URL, if this is not a host of Slack. */
export function webhookAddress(url: string, apiUrl: string): string {
  const { origin, hostname } = new URL(apiUrl);
  return /(?:^|\.)slack(?:-gov)?\.com$/.test(hostname) ? url : `${origin}${new URL(url).pathname}`;
}

/**
 * Whether an event deserves a new message where messages are not edited. Incoming webhooks cannot edit messages, and
 * Slack notifies nobody when a direct message is edited.
 */
export function isWorthNotice(news: SlackNews): boolean {
  switch (news.kind) {
    case 'pull_request':
      return news.status === 'blocked' || news.status === 'merged';
    case 'deployment':
      return ['success', 'failure', 'error', 'canceled', 'unknown'].includes(news.status);
    case 'freeze':
      return true;
    default:
      return news satisfies never;
  }
}

export interface SlackDestinationRule {
  readonly id: string;
  readonly kind: SlackDestinationKind;
  readonly channel: string | null;
  /** Null: all repositories of the account. */
  readonly repositoryId: string | null;
  readonly createdAt: Date;
}

/**
 * The destinations that get an event. `rules` are in the order of their creation. Each channel is returned once, and
 * the destination `people` is returned once. A destination gets no event that is older than the destination.
 */
export function destinationsOf(
  rules: readonly SlackDestinationRule[],
  event: { readonly repositoryId: string; readonly at: Date },
): readonly SlackDestinationRule[] {
  const matching = rules.filter(
    ({ repositoryId, createdAt }) =>
      (repositoryId === null || repositoryId === event.repositoryId) && createdAt <= event.at,
  );
  const byTarget = new Map(
    // The oldest of equal destinations is used, so that a later destination does not repeat messages.
    matching
      .toReversed()
      .map((rule) => [rule.kind === 'webhook' ? rule.id : `${rule.kind} ${rule.channel ?? ''}`, rule]),
  );
  return [...byTarget.values()];
}

const longestDelayMs = 12 * 3_600_000;

/**
 * Whether an event that is read at `now` may be posted as a new message. An older event only edits a message that
 * exists, because the events of an account are not read while the account has no destination, and while no process posts
 * to Slack. Then months of events may be read at once.
 */
export function isStillNews(event: { readonly at: Date }, now: Date): boolean {
  return now.getTime() - event.at.getTime() <= longestDelayMs;
}
