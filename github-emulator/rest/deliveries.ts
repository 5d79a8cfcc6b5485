// The webhook of an App: its address, its deliveries, and redeliveries.
import { ApiError, notFound } from '../http/errors.ts';
import { answerPage } from '../http/paging.ts';
import { ok, type RestRequest, type RestRoute, route } from '../http/route.ts';
import type { Delivery } from '../model/types.ts';
import { redeliver } from '../webhooks/sending.ts';
import { mustBeApp } from './apps.ts';

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

const one = '/app/hook/deliveries/{delivery_id}';
/** GitHub's ids of deliveries exceed 2^53, and most of them are no numbers of JavaScript. */
const idsBeforeFirst = 3_804_004_623_172_239_366n;

export const deliveryRoutes: readonly RestRoute[] = [
  route('GET', '/app/hook/config', (request) => ok(showConfig(request))),
  route('PATCH', '/app/hook/config', (request) => {
    const app = mustBeApp(request.actor);
    const { url, secret } = request.body;
    if (typeof url === 'string') app.webhook = { ...app.webhook, url, isActive: true };
    if (typeof secret === 'string') app.webhook = { ...app.webhook, secret };
    return ok(showConfig(request));
  }),
  route('GET', '/app/hook/deliveries', list),
  route('GET', one, (request) => {
    const delivery = reachDelivery(request);
    return ok(
      writeJson({
        ...renderDelivery(delivery),
        url: delivery.url,
        request: { headers: delivery.requestHeaders, payload: JSON.parse(delivery.payload) as unknown },
        response: { headers: delivery.responseHeaders, payload: delivery.responseBody },
      }),
    );
  }),
  route('POST', `${one}/attempts`, (request) => {
    redeliver(request.core, reachDelivery(request));
    return { status: 202, body: {} };
  }),
];

function showConfig({ actor }: RestRequest): object {
  const { webhook } = mustBeApp(actor);
  return {
    content_type: 'json',
    insecure_ssl: '0',
    ...(webhook.secret === null ? {} : { secret: '********' }),
    ...(webhook.url === null ? {} : { url: webhook.url }),
  };
}

/** Lists the deliveries, the newest first. Pages have cursors instead of numbers. */
async function list(request: RestRequest) {
  const app = mustBeApp(request.actor);
  const { core, query } = request;
  const size = Math.min(100, Number(query['per_page'] ?? 30) || 30);
  const isShown = (each: Delivery): boolean =>
    each.appId === app.id && (query['status'] !== 'failure' || each.statusCode < 200 || each.statusCode >= 400);
  const all = core.state.deliveries.filter(isShown).sort((a, b) => b.id - a.id);
  const before = Number((query['cursor'] ?? '').replace(/^v1_/, '')) || Number.POSITIVE_INFINITY;
  const page = all.filter(({ id }) => id < before).slice(0, size);
  const { body } = await answerPage({ ...request, query: { per_page: String(size) } }, page, renderDelivery);
  const answer = ok(writeJson(body));
  const last = page.at(-1);
  if (last === undefined || all.at(-1) === last) return answer;
  const next = new URL(`${core.urls.api}${request.url}`);
  next.searchParams.set('cursor', `v1_${last.id}`);
  return { ...answer, headers: { link: `<${next.href}>; rel="next"` } };
}

function renderDelivery(delivery: Delivery): object {
  return {
    id: idsBeforeFirst + BigInt(delivery.id),
    guid: delivery.guid,
    delivered_at: delivery.deliveredAt,
    redelivery: delivery.isRedelivery,
    duration: delivery.durationSec,
    status: delivery.status,
    status_code: delivery.statusCode,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
    throttled_at: null,
  };
}

/** Writes each BigInt as a number with all digits. */
function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? JSON.rawJSON(String(part)) : part));
}

function reachDelivery({ core, actor, params }: RestRequest): Delivery {
  const app = mustBeApp(actor);
  const id = params['delivery_id'] ?? '';
  if (!/^\d+$/.test(id)) throw new ApiError(400, 'The delivery id must be a whole number.');
  const delivery = core.state.deliveries.get(Number(BigInt(id) - idsBeforeFirst));
  if (delivery === undefined || delivery.appId !== app.id) throw notFound();
  return delivery;
}
