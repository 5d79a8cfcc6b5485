// Receives webhooks of GitHub. The hints of a webhook are stored before it is answered. A delivery that arrives twice
// has one effect.
import { verify } from '@octokit/webhooks-methods';
import type { Ports } from '../../context.ts';
import {
  readWebhook,
  type WebhookHint,
  type WebhookNews,
  type WebhookPayload,
} from '../../hosts/github/webhook-events.ts';
import type { HostEvent, HostRepository } from '../../hosts/port.ts';
import { passFailpoint } from '../../platform/failpoints.ts';
import { ruleForRows } from '../../platform/retention/index.ts';
import type { Secrets } from '../accounts/index.ts';
import { findAppByWebhookPath, type AppRow } from './apps.rows.ts';

export interface ReceivedWebhook {
  /** The last part of the address, which names the App. */
  readonly path: string;
  readonly delivery: string;
  readonly event: string;
  readonly signature: string;
  /** The body as it was received, because the signature is of these bytes. */
  readonly body: string;
}

export type WebhookAnswer = { readonly status: 202 | 400 | 401 | 404; readonly message: string };

export interface WebhookIntake {
  /** Why the webhook is refused whatever its body is. Null: the body decides. */
  refuse(webhook: Pick<ReceivedWebhook, 'path' | 'signature'>): Promise<WebhookAnswer | null>;
  receive(webhook: ReceivedWebhook): Promise<WebhookAnswer>;
}

/** `storeEvents` stores hints, and resolves after they are stored. */
export function createWebhookIntake(
  ports: Ports,
  secrets: Secrets,
  storeEvents: (events: readonly HostEvent[]) => Promise<void>,
): WebhookIntake {
  const findApp = createAppFinder(ports, secrets);
  return {
    async refuse({ path, signature }) {
      if ((await findApp(path)) === null) return noApp;
      return signature === '' ? notSigned : null;
    },
    async receive(webhook) {
      let app = await findApp(webhook.path);
      if (app === null) return noApp;
      // The cached secret of the App may be out of date, so the App is read again.
      if (!(await isSigned(app, webhook))) app = (await findApp(webhook.path, { isStale: true })) ?? app;
      if (!(await isSigned(app, webhook))) return notSigned;
      const payload = parse(webhook.body);
      if (payload === null || webhook.delivery === '' || webhook.event === '')
        return { status: 400, message: 'A webhook must have X-GitHub-Delivery, X-GitHub-Event and a body of JSON.' };
      const news = readWebhook(webhook.event, payload, app.app.id);
      const { isKnown, repository } = await lookUp(ports, app, {
        delivery: webhook.delivery,
        githubId: news.repositoryId,
      });
      if (isKnown) return { status: 202, message: 'Received before.' };
      await store(ports, app, { news, repository, storeEvents });
      // The delivery is recorded last. If the process dies before this, Interlock later asks GitHub to send the
      // delivery again, and processes it again.
      await recordDelivery(ports, app, webhook);
      await passFailpoint('delivery:after_store');
      return { status: 202, message: 'Received.' };
    },
  };
}

const noApp: WebhookAnswer = { status: 404, message: 'No App has this address.' };
const notSigned: WebhookAnswer = {
  status: 401,
  message: "The signature was not made with the App's webhook secret.",
};

const keptMs = 10_000;

/**
 * Finds Apps by the path of their webhooks. Apps are cached for ten seconds, because decrypting the secrets of an App
 * takes longer than storing a webhook.
 */
function createAppFinder(
  ports: Ports,
  secrets: Secrets,
): (path: string, options?: { readonly isStale: boolean }) => Promise<AppRow | null> {
  const kept = new Map<string, { readonly app: AppRow; readonly until: number }>();
  return async (path, { isStale } = { isStale: false }) => {
    const now = ports.clock().getTime();
    const known = kept.get(path);
    if (!isStale && known !== undefined && known.until > now) return known.app;
    const app = await findAppByWebhookPath(ports.db.system.query, secrets, path);
    if (app !== null) kept.set(path, { app, until: now + keptMs });
    else kept.delete(path);
    return app;
  };
}

/** Whether the signature is valid. False for an App without a webhook secret. */
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

interface LookedUpWebhook {
  readonly isKnown: boolean;
  /**
   * The repository of the webhook. Null: the webhook names no repository, or Interlock has no active repository with
   * this id.
   */
  readonly repository: HostRepository | null;
}

async function lookUp(
  ports: Ports,
  app: AppRow,
  { delivery, githubId }: { readonly delivery: string; readonly githubId: string | null },
): Promise<LookedUpWebhook> {
  const [row] = await ports.db.system.query<{ isKnown: boolean; id: string | null; owner: string; name: string }>(
    `select exists (select from host_delivery where account_id = $1 and github_app_id = $2 and id = $3) as "isKnown",
       r.id, r.owner, r.name
     from (select) as one
     left join repository r on r.account_id = $1 and r.github_app_id = $2 and r.github_id = $4 and r.active and r.deleted_at is null`,
    [app.accountId, app.rowId, delivery, githubId],
  );
  if (row === undefined || row.id === null) return { isKnown: row?.isKnown ?? false, repository: null };
  const { isKnown, id, owner, name } = row;
  return { isKnown, repository: { accountId: app.accountId, id, owner, name } };
}

async function recordDelivery(ports: Ports, app: AppRow, { delivery, event }: ReceivedWebhook): Promise<void> {
  await ports.db.system.query(
    `insert into host_delivery (account_id, github_app_id, id, event, received_at) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [app.accountId, app.rowId, delivery, event, ports.clock()],
  );
}

interface WebhookToStore {
  readonly news: WebhookNews;
  readonly repository: HostRepository | null;
  readonly storeEvents: (events: readonly HostEvent[]) => Promise<void>;
}

async function store(ports: Ports, app: AppRow, { news, repository, storeEvents }: WebhookToStore): Promise<void> {
  if (news.changesInstallation && news.installationId !== null)
    // The installation counts only after GitHub has listed it, because a stranger may have installed the App.
    await ports.db.system.query(
      `insert into github_installation (account_id, github_app_id, id, owner, removed_at, sync_at) values ($1, $2, $3, '', $4, $4)
       on conflict (account_id, github_app_id, id) do update set sync_at = excluded.sync_at`,
      [app.accountId, app.rowId, news.installationId, ports.clock()],
    );
  if (repository === null || news.hints.length === 0) return;
  await storeEvents(news.hints.map((hint) => eventOf(repository, hint)));
}

function eventOf(repository: HostRepository, hint: WebhookHint): HostEvent {
  return { ...hint, repository };
}

/** The retention of received deliveries. GitHub can send a delivery again for at most three days. */
export const hostDeliveryForgetting = ruleForRows('host_deliveries', 'select min(received_at) from host_delivery', [
  { table: 'host_delivery', old: 't.received_at < $1' },
]);
