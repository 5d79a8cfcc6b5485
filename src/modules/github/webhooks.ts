// Webhooks of GitHub. What they tell is stored before they are answered; the same delivery has one effect.
import { verify } from '@octokit/webhooks-methods';
import type { Ports } from '../../context.ts';
import { readWebhook, type WebhookHint, type WebhookPayload } from '../../hosts/github/webhook-events.ts';
import type { HostEvent, HostRepository } from '../../hosts/port.ts';
import { passFailpoint } from '../../platform/failpoints.ts';
import type { Secrets } from '../accounts/index.ts';
import { findAppByWebhookPath, type AppRow } from './apps.rows.ts';

export interface ReceivedWebhook {
  /** The last part of the address. */
  readonly path: string;
  readonly delivery: string;
  readonly event: string;
  readonly signature: string;
  /** As it came: the signature is of these bytes. */
  readonly body: string;
}

export type WebhookAnswer = { readonly status: 202 | 400 | 401 | 404; readonly message: string };

export interface WebhookIntake {
  receive(webhook: ReceivedWebhook): Promise<WebhookAnswer>;
}

/** `storeEvents` resolves when the hints are stored. */
export function createWebhookIntake(
  ports: Ports,
  secrets: Secrets,
  storeEvents: (events: readonly HostEvent[]) => Promise<void>,
): WebhookIntake {
  return {
    async receive(webhook) {
      const app = await findAppByWebhookPath(ports.db.system.query, secrets, webhook.path);
      if (app === null) return { status: 404, message: 'No App has this address.' };
      if (!(await isSigned(app, webhook)))
        return { status: 401, message: "The signature is not that of the App's webhook secret." };
      const payload = parse(webhook.body);
      if (payload === null || webhook.delivery === '' || webhook.event === '')
        return { status: 400, message: 'A webhook has X-GitHub-Delivery, X-GitHub-Event and a body of JSON.' };
      if (await isKnown(ports, app, webhook.delivery)) return { status: 202, message: 'Received before.' };
      await store(ports, app, { event: webhook.event, payload, storeEvents });
      // Last: a delivery that was not stored whole is handled once more when it is sent again.
      await noteDelivery(ports, app, webhook);
      await passFailpoint('delivery:after_store');
      return { status: 202, message: 'Received.' };
    },
  };
}

/** An App without a webhook secret gets no webhooks. */
async function isSigned({ secrets }: AppRow, { body, signature }: ReceivedWebhook): Promise<boolean> {
  if (secrets.webhookSecret === '' || body === '' || signature === '') return false;
  return await verify(secrets.webhookSecret, body, signature);
}

function parse(body: string): WebhookPayload | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : null;
  } catch {
    return null;
  }
}

async function isKnown(ports: Ports, app: AppRow, delivery: string): Promise<boolean> {
  const found = await ports.db.system.query(
    'select 1 from host_delivery where account_id = $1 and github_app_id = $2 and id = $3',
    [app.accountId, app.rowId, delivery],
  );
  return found.length > 0;
}

async function noteDelivery(ports: Ports, app: AppRow, { delivery, event }: ReceivedWebhook): Promise<void> {
  await ports.db.system.query(
    `insert into host_delivery (account_id, github_app_id, id, event, received_at) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [app.accountId, app.rowId, delivery, event, ports.clock()],
  );
}

interface News {
  readonly event: string;
  readonly payload: WebhookPayload;
  readonly storeEvents: (events: readonly HostEvent[]) => Promise<void>;
}

async function store(ports: Ports, app: AppRow, { event, payload, storeEvents }: News): Promise<void> {
  const news = readWebhook(event, payload, app.app.id);
  if (news.changesInstallation && news.installationId !== null)
    await ports.db.system.query(
      `insert into github_installation (account_id, github_app_id, id, owner, sync_at) values ($1, $2, $3, '', $4)
       on conflict (account_id, github_app_id, id) do update set sync_at = excluded.sync_at`,
      [app.accountId, app.rowId, news.installationId, ports.clock()],
    );
  if (news.repositoryId === null || news.hints.length === 0) return;
  const repository = await findRepository(ports, app, news.repositoryId);
  if (repository === null) return;
  await storeEvents(news.hints.map((hint) => eventOf(repository, hint)));
}

async function findRepository(ports: Ports, app: AppRow, githubId: string): Promise<HostRepository | null> {
  const [row] = await ports.db.system.query<{ id: string; owner: string; name: string }>(
    `select id, owner, name from repository
     where account_id = $1 and github_app_id = $2 and github_id = $3 and active and deleted_at is null`,
    [app.accountId, app.rowId, githubId],
  );
  return row === undefined ? null : { ...row, accountId: app.accountId };
}

function eventOf(repository: HostRepository, hint: WebhookHint): HostEvent {
  return { ...hint, repository };
}

const keptDays = 7;

/** GitHub sends a delivery again for three days at most. */
export async function forgetOldHostDeliveries(db: Ports['db'], now: Date): Promise<void> {
  await db.system.query('delete from host_delivery where received_at < $1', [
    new Date(now.getTime() - keptDays * 24 * 60 * 60_000),
  ]);
}
