// Signs a delivery, sends it once, and stores it with its answer. Only `POST …/attempts` sends a delivery again.
import { createHmac } from 'node:crypto';
import type { Core } from '../core.ts';
import type { App, Delivery } from '../model/types.ts';

const timeoutMs = 10_000;
const longestBody = 10_000;
const maxDeliveries = 3000;

export interface NewDelivery {
  readonly guid: string;
  readonly app: App;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
  readonly event: string;
  readonly action: string | null;
  readonly payload: string;
  readonly isRedelivery: boolean;
}

const inFlight = new WeakMap<Core, Set<Promise<void>>>();

/** Resolves when every delivery that was sent has been answered. */
export async function deliveriesSettled(core: Core): Promise<void> {
  await Promise.all([...(inFlight.get(core) ?? [])]);
}

/** Sends and stores a delivery. `isDropped`: the delivery is stored as timed out and never sent. */
export function deliver(core: Core, given: NewDelivery, isDropped = false): void {
  const { app, ...rest } = given;
  const { url, secret } = app.webhook;
  if (url === null || !app.webhook.isActive) return;
  const delivery = core.state.deliveries.insert({
    ...rest,
    appId: app.id,
    deliveredAt: new Date(core.clock()).toISOString(),
    url,
    requestHeaders: headersOf(core, given, secret),
    statusCode: 504,
    status: 'timed out',
    durationSec: 0,
    responseHeaders: {},
    responseBody: '',
  });
  forgetOld(core);
  if (isDropped) return;
  const all = inFlight.get(core) ?? new Set();
  inFlight.set(core, all);
  const sending = send(core, delivery).finally(() => all.delete(sending));
  all.add(sending);
}

/** Sends the same payload with the same delivery id to the present address of the App. */
export function redeliver(core: Core, delivery: Delivery): void {
  const { guid, installationId, repositoryId, event, action, payload } = delivery;
  const app = core.state.apps.must(delivery.appId);
  deliver(core, { guid, app, installationId, repositoryId, event, action, payload, isRedelivery: true });
}

async function send(core: Core, delivery: Delivery): Promise<void> {
  const startedAt = performance.now();
  try {
    const response = await fetch(delivery.url, {
      method: 'POST',
      headers: delivery.requestHeaders,
      body: delivery.payload,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = await response.text();
    delivery.statusCode = response.status;
    delivery.status = response.ok ? 'OK' : `Invalid HTTP Response: ${response.status}`;
    delivery.responseHeaders = Object.fromEntries(response.headers);
    delivery.responseBody = body.slice(0, longestBody);
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    delivery.statusCode = isLate ? 504 : 502;
    delivery.status = isLate ? 'timed out' : 'failed to connect to host';
  }
  delivery.durationSec = Math.round((performance.now() - startedAt) / 10) / 100;
  core.state.save();
}

function headersOf(core: Core, given: NewDelivery, secret: string | null): Record<string, string> {
  const sign = (algorithm: string): string =>
    `${algorithm}=${createHmac(algorithm, secret ?? '')
      .update(given.payload)
      .digest('hex')}`;
  return {
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/e0a1b2c',
    'x-github-delivery': given.guid,
    'x-github-event': given.event,
    'x-github-hook-id': String(given.app.id),
    'x-github-hook-installation-target-id': String(given.app.id),
    'x-github-hook-installation-target-type': 'integration',
    'x-github-enterprise-version': '3.20.0',
    'x-github-enterprise-host': new URL(core.urls.web).host,
    ...(secret === null ? {} : { 'x-hub-signature': sign('sha1'), 'x-hub-signature-256': sign('sha256') }),
  };
}

function forgetOld(core: Core): void {
  const all = core.state.deliveries.all();
  for (const { id } of all.slice(0, Math.max(0, all.length - maxDeliveries))) core.state.deliveries.remove(id);
}
