// The relay: wakes queues whose wake was lost, whose deadline has no timer, or whose workflow is missing because
// Temporal's data were deleted. Every server and worker runs the relay. A second wake of a queue has no effect.
import type { Ports } from '../../../context.ts';

const openWorkEveryMs = 30_000;
const wakeAgainMs = 10_000;

interface DueQueue {
  readonly account_id: string;
  readonly id: string;
  readonly planned_version: string;
  readonly next_look_at: Date | string | null;
}

/**
 * SQL: true if a queue is behind, is past its deadline or has open work, otherwise null. Each part reads one row of an
 * index.
 */
export const queuesAreDue = `(select true from queue where version > planned_version order by id limit 1)
  or (select true from queue where next_look_at <= $1 order by next_look_at limit 1)
  or (select true from batch where cleaned_up_at is null order by account_id, queue_id limit 1)
  or (select true from intent where state in ('planned', 'started') order by account_id, queue_id, id limit 1)`;

export interface Relay {
  /** Wakes the queues that need a wake. Must be called every second while `queuesAreDue`. */
  look(): Promise<void>;
}

export function createRelay(ports: Ports): Relay {
  let seen = new Map<string, string>();
  let openWorkReadAt = 0;
  const woken = new Map<string, { readonly planned: string; readonly at: number }>();

  // A long call may delay the turn of a queue. Until the turn, every read finds the queue again, although it was woken.
  // The relay wakes such a queue again after 10 seconds, or earlier if a turn has planned it since or its deadline has
  // changed.
  async function wakeOnce(queue: DueQueue, now: number): Promise<void> {
    const planned = `${queue.planned_version} ${String(queue.next_look_at)}`;
    const last = woken.get(queue.id);
    if (last?.planned === planned && now - last.at < wakeAgainMs) return;
    await ports.wake({ accountId: queue.account_id, queueId: queue.id });
    woken.set(queue.id, { planned, at: now });
  }

  // A queue is behind if its version is higher than its planned version. It is woken at the second read that finds the
  // same planned version, so that a wake that is on its way has a second to arrive. The version itself is not compared,
  // because a queue that changes all the time would then never be woken.
  async function look(): Promise<void> {
    const now = ports.clock();
    const found = await ports.db.system.query<DueQueue & { readonly isBehind: boolean }>(
      `select account_id, id, planned_version, next_look_at, true as "isBehind" from queue where version > planned_version
       union all
       select account_id, id, planned_version, next_look_at, false from queue where next_look_at <= $1`,
      [now.toISOString()],
    );
    const [behind, due] = [found.filter(({ isBehind }) => isBehind), found.filter(({ isBehind }) => !isBehind)];
    const stale = behind.filter((queue) => seen.get(queue.id) === queue.planned_version);
    seen = new Map(behind.map((queue) => [queue.id, queue.planned_version]));
    const open = now.getTime() - openWorkReadAt < openWorkEveryMs ? [] : await withOpenWork(ports, now);
    if (now.getTime() - openWorkReadAt >= openWorkEveryMs) openWorkReadAt = now.getTime();
    const unique = new Map([...stale, ...due, ...open].map((queue) => [queue.id, queue]));
    for (const [id, { at }] of woken) if (now.getTime() - at >= wakeAgainMs) woken.delete(id);
    for (const queue of unique.values()) await wakeOnce(queue, now.getTime());
  }

  return { look };
}

async function withOpenWork(ports: Ports, now: Date): Promise<DueQueue[]> {
  return await ports.db.system.query<DueQueue>(
    `select account_id, id, planned_version, next_look_at from queue q
     where exists (select from batch b where b.account_id = q.account_id and b.queue_id = q.id
                     and b.cleaned_up_at is null)
        or exists (select from intent i where i.account_id = q.account_id and i.queue_id = q.id and i.state in ('planned', 'started') and (i.next_try_at is null or i.next_try_at <= $1))`,
    [now.toISOString()],
  );
}
