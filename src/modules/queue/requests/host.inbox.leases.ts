// The leases of the hints that this process handles. While a process has leases of hints of a repository, all hints of
// this repository wait. The leases of a process that was killed must end soon. So leases are short, and a process that
// handles hints renews its leases.
import { randomUUID } from 'node:crypto';
import type { Ports } from '../../../context.ts';
import { renewHints, type HintLease, type TakenHint } from '../store/host-hints.ts';

const leaseMs = 10_000;
const renewEveryMs = 2_000;

export interface HintLeases {
  /** The name of this process in the rows. */
  readonly owner: string;
  /** A lease that begins now. */
  take(): HintLease;
  /** Renews the leases of these hints until `drop`. */
  keep(hints: readonly TakenHint[]): void;
  drop(hints: readonly TakenHint[]): void;
}

export function createHintLeases(ports: () => Ports): HintLeases {
  const owner = randomUUID();
  const kept = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const take = (): HintLease => {
    const now = ports().clock();
    return { owner, now, until: new Date(now.getTime() + leaseMs) };
  };

  async function renew(): Promise<void> {
    const { db, log } = ports();
    await renewHints(db.system.query, [...kept], take()).catch((error: unknown) =>
      // If a lease ends before it is renewed, another process handles the hint too.
      log.warn({ error }, 'The leases of host events could not be renewed.'),
    );
  }

  return {
    owner,
    take,
    keep(hints) {
      for (const { id } of hints) kept.add(id);
      if (kept.size > 0) timer ??= setInterval(() => void renew(), renewEveryMs);
    },
    drop(hints) {
      for (const { id } of hints) kept.delete(id);
      if (kept.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
