// Finds the bot or the incoming webhook by which a message is sent, and its channel. Tokens and addresses are read for
// each message, so that a new token or address is used at once.
import type { Ports } from '../../context.ts';
import { webhookAddress, type SlackAddress } from '../../domain/slack/destinations.ts';
import type { SlackSettings } from '../../domain/slack/settings.ts';
import {
  createSlackClient,
  postByWebhook,
  SlackCallFailed,
  type SlackClient,
  type SlackMessageContent,
} from '../../platform/slack/index.ts';
import { decrypt, type Secrets } from '../accounts/index.ts';
import { tokenPurpose, webhookUrlPurpose } from './sealed.ts';

/** A bot, which can search a channel and post and edit messages in it, or an incoming webhook, which can only post. */
export type Sender =
  | {
      readonly kind: 'bot';
      readonly client: SlackClient;
      readonly channel: string;
      /** Whether one message about a subject is edited. False: each notice is a separate message. */
      readonly isEdited: boolean;
    }
  | { readonly kind: 'webhook'; readonly post: (content: SlackMessageContent) => Promise<void> };

export interface Senders {
  /** The sender for an address. Null: there is no recipient. Throws SlackCallFailed. */
  find(accountId: string, address: SlackAddress): Promise<Sender | null>;
}

const maxClients = 1_000;

export function createSenders({ db }: Ports, secrets: Secrets, { apiUrl, installation }: SlackSettings): Senders {
  const clients = new Map<string, SlackClient>();
  const clientOf = (token: string): SlackClient => {
    const known = clients.get(token);
    if (known !== undefined) return known;
    if (clients.size >= maxClients) clients.clear();
    const client = createSlackClient({ token, apiUrl });
    clients.set(token, client);
    return client;
  };
  const finding: Finding = { db, secrets, apiUrl, clientOf };
  return {
    async find(accountId, address) {
      switch (address.kind) {
        case 'installation':
          return installation === null
            ? null
            : { kind: 'bot', client: clientOf(installation.token), channel: address.channel, isEdited: true };
        case 'destination':
          return await findDestination(finding, accountId, address.destinationId);
        case 'person':
          return await findPerson(finding, accountId, address);
        default:
          return address satisfies never;
      }
    },
  };
}

interface Finding {
  readonly db: Ports['db'];
  readonly secrets: Secrets;
  readonly apiUrl: string;
  readonly clientOf: (token: string) => SlackClient;
}

async function accountClient({ db, secrets, clientOf }: Finding, accountId: string): Promise<SlackClient> {
  const [row] = await db.system.query<{ token: Buffer }>('select token from slack_workspace where account_id = $1', [
    accountId,
  ]);
  if (row === undefined) throw new SlackCallFailed('no_token', null);
  return clientOf(decrypt(secrets, tokenPurpose(accountId), row.token).toString());
}

async function findDestination(finding: Finding, accountId: string, id: string): Promise<Sender | null> {
  const { db, secrets, apiUrl } = finding;
  const [row] = await db.system.query<{ kind: string; channel: string | null; url: Buffer | null }>(
    'select kind, channel, url from slack_destination where account_id = $1 and id = $2',
    [accountId, id],
  );
  if (row === undefined) return null;
  if (row.url !== null) {
    const url = webhookAddress(decrypt(secrets, webhookUrlPurpose(accountId), row.url).toString(), apiUrl);
    return { kind: 'webhook', post: async (content) => await postByWebhook(url, content) };
  }
  if (row.channel === null) return null;
  return { kind: 'bot', client: await accountClient(finding, accountId), channel: row.channel, isEdited: true };
}

async function findPerson(
  finding: Finding,
  accountId: string,
  { destinationId, userId }: Extract<SlackAddress, { kind: 'person' }>,
): Promise<Sender | null> {
  const [row] = await finding.db.system.query<{ email: string }>(
    `select u.email from account_user u
       where u.account_id = $1 and u.id = $3 and u.removed_at is null
         and exists (select from slack_destination d where d.account_id = $1 and d.id = $2)`,
    [accountId, destinationId, userId],
  );
  if (row === undefined) return null;
  const client = await accountClient(finding, accountId);
  const channel = await client.openDirect(row.email);
  return channel === null ? null : { kind: 'bot', client, channel, isEdited: false };
}
