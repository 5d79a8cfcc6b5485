// The database is the timer of last resort: for a lost wake, for a deadline without a timer, for a Temporal whose data
// was deleted. Every server and worker runs this. Waking a queue twice costs nothing.
import type { Ports } from '../../../context.ts';
import { repeat, type Loop } from '../../../platform/repeat.ts';

const lookEveryMs = 1_000;
const openWorkEveryMs = 30_000;
const wakeAgainMs = 10_000;

interface DueQueue {
  readonly account_id: string;
  readonly id: string;
  readonly planned_version: string;
  readonly next_look_at: Date | string | null;
}

export function createRelay(ports: Ports): Loop {
  let seen = new Map<string, string>();
  let openWorkReadAt = 0;
  const woken = new Map<string, { readonly planned: string; readonly at: number }>();

  // A queue whose turn is delayed by a long call is due at every look, but has its wake already. A queue that was
  // planned since, or has another deadline, is woken at once.
  async function wakeOnce(queue: DueQueue, now: number): Promise<void> {
    const planned = `${queue.planned_version} ${String(queue.next_look_at)}`;
    const last = woken.get(queue.id);
    if (last?.planned === planned && now - last.at < wakeAgainMs) return;
    await ports.wake({ accountId: queue.account_id, queueId: queue.id });
    woken.set(queue.id, { planned, at: now });
  }

  // Queues whose version was ahead of the same plan at the last look: a wake on its way gets a second to arrive. The
  // plan is compared and not the version, because a queue that changes all the time would otherwise never be found.
  async function lookOnce(): Promise<void> {
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

  return repeat(lookEveryMs, lookOnce, (error) =>
    ports.log.warn({ error }, 'The relay could not read the queues; it looks again.'),
  );
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
