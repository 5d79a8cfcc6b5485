// Webhooks that did not arrive. Every minute GitHub's list of an App's deliveries is compared with what arrived, by
// one process for each App, and GitHub is asked to send again what is missing. The same delivery that arrives twice has one
// effect, so that a sweep may be repeated.
import type { Ports } from '../../context.ts';
import { createAppClient, type AppRequest } from '../../hosts/github/app-client.ts';
import { askAgain } from '../../hosts/github/ask-again.ts';
import type { Secrets } from '../accounts/index.ts';
import { findApps, type AppRow } from './apps.rows.ts';
import { clocksDifferMs, decideSweep, isOutage, type ListedDelivery, type SweepDecision } from './sweep.decision.ts';

const everyMs = 60_000;
/** After the repositories were compared, which costs more. */
const afterComparisonMs = 5 * 60_000;

interface DueApp {
  readonly id: string;
  readonly sweptUntil: Date;
}

/** Sweeps every App that is due. Another process may sweep at the same time: each App is taken by one of them. */
export async function sweepWebhooks(ports: Ports, secrets: Secrets): Promise<void> {
  const { query } = ports.db.system;
  const now = ports.clock();
  const due = await query<DueApp>(
    // Later than the next sweep: noted by a clock that was ahead.
    `update github_app set sweep_due_at = $2 where sweep_due_at is null or sweep_due_at <= $1 or sweep_due_at > $3
     returning id, coalesce(swept_until, created_at) as "sweptUntil"`,
    [0, everyMs, everyMs + clocksDifferMs].map((aheadMs) => new Date(now.getTime() + aheadMs).toISOString()),
  );
  if (due.length === 0) return;
  const sweptUntilOf = new Map(due.map(({ id, sweptUntil }) => [id, new Date(sweptUntil).getTime()]));
  for (const app of await findApps(query, secrets)) {
    const sweptUntil = sweptUntilOf.get(app.rowId);
    if (sweptUntil === undefined) continue;
    try {
      await sweepApp(ports, app, sweptUntil);
    } catch (error) {
      ports.log.warn(
        { error: String(error), app: app.app.slug },
        'The webhooks of an App could not be compared with what arrived.',
      );
    }
  }
}

async function sweepApp(ports: Ports, app: AppRow, sweptUntil: number): Promise<void> {
  const request = createAppClient(ports, app.accountId, app.app);
  const decision = await decide(ports, app, { request, sweptUntil });
  if (decision.kind === 'compare') await compareAll(ports, app);
  else
    for (const attempt of decision.attempts)
      await askAgain(
        async () => await request('POST /app/hook/deliveries/{delivery_id}/attempts', { delivery_id: attempt }),
      );
  await ports.db.system.query('update github_app set swept_until = $2 where id = $1', [
    app.rowId,
    new Date(decision.sweptUntil).toISOString(),
  ]);
}

async function decide(
  ports: Ports,
  app: AppRow,
  { request, sweptUntil }: { readonly request: AppRequest; readonly sweptUntil: number },
): Promise<SweepDecision> {
  const now = ports.clock().getTime();
  const attempts = isOutage(sweptUntil, now) ? [] : await listAttempts(request, sweptUntil - clocksDifferMs);
  const received = await ports.db.system.query<{ id: string }>(
    'select id from host_delivery where account_id = $1 and github_app_id = $2 and id = any ($3)',
    [app.accountId, app.rowId, [...new Set(attempts.map(({ guid }) => guid))]],
  );
  return decideSweep({ attempts, received: new Set(received.map(({ id }) => id)), sweptUntil, now });
}

const pageSize = 100;
/** More are not read: an App with so many deliveries misses a few of them, and its repositories are compared in turn. */
const mostPages = 20;

/** The newest first, down to an instant. */
async function listAttempts(request: AppRequest, since: number): Promise<ListedDelivery[]> {
  const found: ListedDelivery[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const from = cursor === undefined ? {} : { cursor };
    const { data, headers } = await askAgain(
      async () => await request('GET /app/hook/deliveries', { per_page: pageSize, ...from }),
    );
    const listed = data.map(({ id, guid, delivered_at, status_code }) => ({
      id: Number(id),
      guid,
      deliveredAt: Date.parse(delivered_at),
      statusCode: status_code,
    }));
    found.push(...listed.filter(({ deliveredAt }) => deliveredAt >= since));
    cursor = nextCursor(headers.link);
    if (cursor === undefined || listed.some(({ deliveredAt }) => deliveredAt < since)) return found;
  }
  return found;
}

function nextCursor(link: string | undefined): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
  return next === undefined ? undefined : (new URL(next).searchParams.get('cursor') ?? undefined);
}

/** Reads now whatever a lost webhook could have reported. */
async function compareAll(ports: Ports, app: AppRow): Promise<void> {
  const { query } = ports.db.system;
  const values = [app.accountId, app.rowId, ports.clock().toISOString()];
  const dueAt = new Date(ports.clock().getTime() + afterComparisonMs).toISOString();
  await query('update github_app set sweep_due_at = greatest(sweep_due_at, $2) where id = $1', [app.rowId, dueAt]);
  await query('update github_installation set sync_at = $3 where account_id = $1 and github_app_id = $2', values);
  await query(
    `update repository_look l set due_at = $3 from repository r
     where r.account_id = l.account_id and r.id = l.repository_id and r.account_id = $1 and r.github_app_id = $2 and r.active
       and l.due_at > $3`,
    values,
  );
}
