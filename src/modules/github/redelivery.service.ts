// Asks GitHub to send missing webhooks again. Every minute one process for each App compares GitHub's list of the App's
// deliveries with the deliveries that arrived. A delivery that arrives twice has one effect, so that a repeated request
// does no harm.
import type { Ports } from '../../context.ts';
import { createAppClient, type AppRequest } from '../../hosts/github/app-client.ts';
import { retryCall } from '../../hosts/github/retry-call.ts';
import type { Secrets } from '../accounts/index.ts';
import { findApps, type AppRow } from './apps.rows.ts';
import {
  clocksDifferMs,
  decideRedelivery,
  isOutage,
  type ListedDelivery,
  type RedeliveryDecision,
} from './redelivery.decision.ts';

const everyMs = 60_000;
/** The time until the next comparison after all repositories were compared, which costs more calls. */
const afterComparisonMs = 5 * 60_000;

/** The type `string` allows an id as text. */
const redelivery: string = 'POST /app/hook/deliveries/{delivery_id}/attempts';

interface DueApp {
  readonly id: string;
  readonly checkedUntil: Date;
}

/** Asks for the missing deliveries of every App that is due. One process at a time works on an App. */
export async function redeliverMissing(ports: Ports, secrets: Secrets): Promise<void> {
  const { query } = ports.db.system;
  const now = ports.clock();
  const due = await query<DueApp>(
    // A due time that is later than the next comparison was written by a machine whose clock was ahead, and counts as
    // due.
    `update github_app set redelivery_due_at = $2 where redelivery_due_at is null or redelivery_due_at <= $1 or redelivery_due_at > $3
     returning id, coalesce(deliveries_checked_until, created_at) as "checkedUntil"`,
    [0, everyMs, everyMs + clocksDifferMs].map((aheadMs) => new Date(now.getTime() + aheadMs).toISOString()),
  );
  if (due.length === 0) return;
  const checkedUntilOf = new Map(due.map(({ id, checkedUntil }) => [id, new Date(checkedUntil).getTime()]));
  for (const app of await findApps(query, secrets)) {
    const checkedUntil = checkedUntilOf.get(app.rowId);
    if (checkedUntil === undefined) continue;
    try {
      await redeliverMissingOf(ports, app, checkedUntil);
    } catch (error) {
      ports.log.warn(
        { error: String(error), app: app.app.slug },
        'The list of webhooks that GitHub sent for an App could not be compared with the received webhooks.',
      );
    }
  }
}

async function redeliverMissingOf(ports: Ports, app: AppRow, checkedUntil: number): Promise<void> {
  const request = createAppClient(ports, { ...app, purpose: 'reconciling' });
  const decision = await decide(ports, app, { request, checkedUntil });
  if (decision.kind === 'compare') await compareAll(ports, app);
  else
    for (const attempt of decision.attempts)
      await retryCall(async () => await request(redelivery, { delivery_id: attempt }));
  await ports.db.system.query('update github_app set deliveries_checked_until = $2 where id = $1', [
    app.rowId,
    new Date(decision.checkedUntil).toISOString(),
  ]);
}

async function decide(
  ports: Ports,
  app: AppRow,
  { request, checkedUntil }: { readonly request: AppRequest; readonly checkedUntil: number },
): Promise<RedeliveryDecision> {
  const now = ports.clock().getTime();
  const attempts = isOutage(checkedUntil, now) ? [] : await listAttempts(request, checkedUntil - clocksDifferMs);
  const received = await ports.db.system.query<{ id: string }>(
    'select id from host_delivery where account_id = $1 and github_app_id = $2 and id = any ($3)',
    [app.accountId, app.rowId, [...new Set(attempts.map(({ guid }) => guid))]],
  );
  return decideRedelivery({ attempts, received: new Set(received.map(({ id }) => id)), checkedUntil, now });
}

const pageSize = 100;
/**
 * The greatest number of pages that are read. For an App with more deliveries, some missing ones are not found, and the
 * reconciler finds the changes.
 */
const maxPages = 20;

/** The attempts that GitHub lists, newest first, back to an instant. */
async function listAttempts(request: AppRequest, since: number): Promise<ListedDelivery[]> {
  const found: ListedDelivery[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const from = cursor === undefined ? {} : { cursor };
    const { data, headers } = await retryCall(
      async () => await request('GET /app/hook/deliveries', { per_page: pageSize, ...from }),
    );
    const listed = data.map(({ id, guid, delivered_at, status_code }) => ({
      id: String(id),
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

/**
 * Makes the installations and repositories of an App due for a comparison now, because a lost webhook may have reported
 * any change.
 */
async function compareAll(ports: Ports, app: AppRow): Promise<void> {
  const { query } = ports.db.system;
  const values = [app.accountId, app.rowId, ports.clock().toISOString()];
  const dueAt = new Date(ports.clock().getTime() + afterComparisonMs).toISOString();
  await query('update github_app set redelivery_due_at = greatest(redelivery_due_at, $2) where id = $1', [
    app.rowId,
    dueAt,
  ]);
  await query('update github_installation set sync_at = $3 where account_id = $1 and github_app_id = $2', values);
  await query(
    `update host_comparison l set due_at = $3 from repository r
     where r.account_id = l.account_id and r.id = l.repository_id and r.account_id = $1 and r.github_app_id = $2 and r.active
       and l.due_at > $3`,
    values,
  );
}
