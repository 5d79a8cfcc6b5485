// Where the news of an account goes in Slack: what may be asked for, and what each kind of destination receives.
import type { SlackNews } from './message.ts';

export type SlackDestinationKind = 'channel' | 'people' | 'webhook';

/** How a message names where it goes. */
export type SlackAddress =
  /** A channel that SLACK_CHANNELS names. */
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

/** Null: Slack gives no bot such a token. */
export function readBotToken(text: string): string | null {
  const token = text.trim();
  return /^xoxb-[\w-]{1,500}$/.test(token) ? token : null;
}

/** A channel's id or name, without `#`. Null: no channel is called so. */
export function readChannel(text: string): string | null {
  const channel = text.trim().replace(/^#/, '');
  return /^[^\s:#<>,;=]{1,80}$/.test(channel) ? channel : null;
}

/** Null: it is no incoming webhook of Slack. Every other address is refused, because the service calls it. */
export function readWebhookUrl(text: string): string | null {
  const given = text.trim();
  return /^https:\/\/hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[\w/-]{1,300}$/.test(given)
    ? given
    : null;
}

/** Where an incoming webhook is called: at the host of SLACK_API_URL, if that is not one of Slack's. */
export function webhookAddress(url: string, apiUrl: string): string {
  const { origin, hostname } = new URL(apiUrl);
  return /(?:^|\.)slack(?:-gov)?\.com$/.test(hostname) ? url : `${origin}${new URL(url).pathname}`;
}

/**
 * Whether a destination whose messages are not edited gets a message: incoming webhooks cannot edit, and nobody is
 * notified of the edit of a direct message.
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
 * The destinations that get an event. `rules` are in the order in which they were made. Each channel, and people, are
 * answered once. A destination gets no events from before it was made.
 */
export function destinationsOf(
  rules: readonly SlackDestinationRule[],
  event: { readonly repositoryId: string; readonly at: Date },
): readonly SlackDestinationRule[] {
  const heard = rules.filter(
    ({ repositoryId, createdAt }) =>
      (repositoryId === null || repositoryId === event.repositoryId) && createdAt <= event.at,
  );
  const byTarget = new Map(
    // The oldest counts, so that a later one repeats nothing.
    heard.toReversed().map((rule) => [rule.kind === 'webhook' ? rule.id : `${rule.kind} ${rule.channel ?? ''}`, rule]),
  );
  return [...byTarget.values()];
}
