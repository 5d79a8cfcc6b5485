// Receives the events of hosts. Each event is stored as a hint before it is handled, so that it survives the process.
// Hints of different repositories are handled at the same time, but only a few hints of one repository. While hints of
// a repository are being handled, its other hints wait as rows. So an urgent hint can pass them, and other processes
// find them if this process dies. A hint whose handling fails is tried a few more times. After that, the reconciler
// finds the change.
import { setTimeout as delay } from 'node:timers/promises';
import type { Ports } from '../../../context.ts';
import { awaitHost } from '../../../domain/queue/landing/host-retry.ts';
import { HostUnavailable, type HostEvent } from '../../../hosts/port.ts';
import { atMost } from '../../../platform/at-most.ts';
import {
  endHints,
  hintOf,
  keyOfHint,
  postponeHint,
  storeHints,
  takeDueHints,
  type PlannedHint,
  type TakenHint,
} from '../store/host-hints.ts';
import { createHintLeases } from './host.inbox.leases.ts';
import { receiveHostHint } from './host.events.ts';

const maxAttempts = 4;
/** How many hints are handled at the same time. A hint of a remote host mostly waits for responses. */
const limits = { ofLocal: 1, ofRemote: 4, ofProcess: 16 } as const;
/**
 * A check that ends causes several webhooks within a second (run, suite, workflow). The wait lets one read cover all of
 * these webhooks. Where webhooks take longer, a longer wait would save one point of GitHub's rate limit, but would
 * delay every landing.
 */
const checksWaitMs = 1_000;

export interface HostInbox {
  receive(event: HostEvent): void;
  /**
   * Like `receive`, for events that came over a network. Resolves when the events are stored, and not when they are
   * handled.
   */
  store(events: readonly HostEvent[]): Promise<void>;
  /** Takes the hints that are due: stored by another process, planned for this time, or left by a process that died. */
  look(): Promise<void>;
  /** Resolves when all hints that were received or due so far are handled. */
  drain(): Promise<void>;
}

export function createHostInbox(ports: () => Ports): HostInbox {
  const leases = createHintLeases(ports);
  const received = new Map<string, PlannedHint>();
  const lines = new Map<string, Promise<void>>();
  /** Repositories whose hints wait as rows. */
  const waiting = new Set<string>();
  const inProcess = atMost(limits.ofProcess);
  let storing: Promise<void> | null = null;

  const query: Ports['db']['system']['query'] = async (text, values) => await ports().db.system.query(text, values);

  /** Stores hints. Hints of the same moment are stored by one statement. */
  async function store(): Promise<void> {
    for (let attempt = 1; received.size > 0; attempt += 1) {
      await Promise.resolve();
      const hints = [...received.values()];
      received.clear();
      const { idle = [], busy = [] } = Object.groupBy(hints, (hint) =>
        lines.has(hint.repositoryId) ? 'busy' : 'idle',
      );
      try {
        for (const { repositoryId } of busy) waiting.add(repositoryId);
        await storeHints(query, busy, { now: ports().clock() });
        handleInOrder(await storeHints(query, idle, leases.take()));
        if (busy.some((hint) => !lines.has(hint.repositoryId))) await look();
        attempt = 0;
      } catch (error) {
        if (attempt === maxAttempts)
          return ports().log.warn(
            { error, hints: hints.length },
            'Host events could not be stored; the reconciler will find the changes they reported.',
          );
        for (const hint of hints) if (!received.has(keyOfHint(hint))) received.set(keyOfHint(hint), hint);
        await delay(100 * 2 ** attempt);
      }
    }
  }

  /** Handles hints after the hints of the same repository that are already being handled. */
  function handleInOrder(taken: readonly TakenHint[]): void {
    leases.keep(taken);
    for (const [repositoryId, hints] of Map.groupBy(taken, (hint) => hint.repositoryId)) {
      const line = (lines.get(repositoryId) ?? Promise.resolve())
        .then(async () => await handleAll(repositoryId, hints))
        .catch((error: unknown) =>
          ports().log.warn(
            { error },
            'Host events could not be handled. They are handled again when their leases end.',
          ),
        )
        .finally(() => {
          if (lines.get(repositoryId) === line) lines.delete(repositoryId);
        });
      lines.set(repositoryId, line);
    }
  }

  async function handleAll(repositoryId: string, hints: readonly TakenHint[]): Promise<void> {
    const handled: string[] = [];
    const ofRepository = atMost(hints.every(({ isRemote }) => isRemote) ? limits.ofRemote : limits.ofLocal);
    const handleInTurn = async (hint: TakenHint): Promise<void> =>
      await ofRepository(
        async () =>
          await inProcess(async () => {
            if (await handleHint(ports(), hint, leases.owner)) handled.push(hint.id);
          }),
      );
    let isOver = false;
    try {
      await Promise.all(hints.map(handleInTurn));
      isOver = await endHints(query, handled, leases.owner);
    } finally {
      // The leases are dropped before `look`, which may take the same hints again.
      leases.drop(hints);
    }
    if (waiting.delete(repositoryId) || !isOver) await look();
  }

  function isBusy(): boolean {
    return storing !== null || lines.size > 0;
  }

  async function look(): Promise<void> {
    const taken = await takeDueHints(query, leases.take());
    // More hints of these repositories may be due than are taken at once.
    for (const { repositoryId } of taken) waiting.add(repositoryId);
    handleInOrder(taken);
  }

  function receive(event: HostEvent, waitMs = 0): void {
    const hint = hintOf(event);
    received.set(keyOfHint(hint), { ...hint, dueAt: new Date(ports().clock().getTime() + waitMs) });
    storing ??= store().finally(() => {
      storing = null;
    });
  }

  return {
    receive: (event) => receive(event),
    async store(events) {
      for (const event of events) receive(event, event.kind === 'checks' ? checksWaitMs : 0);
      await storing;
    },
    look,
    async drain() {
      do {
        while (isBusy()) await Promise.all([storing, ...lines.values()]);
        await look();
      } while (isBusy());
    },
  };
}

/**
 * Handles a hint, and tries it again if that fails. Returns whether the hint is done. False: the host asked to wait, so
 * the hint waits as a row.
 */
async function handleHint(ports: Ports, hint: TakenHint, owner: string): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await receiveHostHint(ports, hint);
      return true;
    } catch (error) {
      const now = ports.clock().getTime();
      const retryAt = error instanceof HostUnavailable ? error.retryAt : null;
      if (retryAt !== null && retryAt > now) {
        const at = new Date(now + awaitHost(0, { retryAt, now }));
        await postponeHint(ports.db.system.query, hint.id, { owner, at });
        return false;
      }
      if (attempt === maxAttempts) {
        ports.log.warn(
          { error, event: hint.kind },
          'A host event could not be handled; the reconciler will find the change it reported.',
        );
        return true;
      }
      await delay(100 * 2 ** attempt);
    }
  }
}
