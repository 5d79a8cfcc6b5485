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
  return new Inbox(ports);
}

class Inbox implements HostInbox {
  readonly #ports: () => Ports;
  readonly #leases: ReturnType<typeof createHintLeases>;
  readonly #received = new Map<string, PlannedHint>();
  /** By repository: the handling of its hints. */
  readonly #lines = new Map<string, Promise<void>>();
  /** Repositories whose hints wait as rows. */
  readonly #waiting = new Set<string>();
  readonly #inProcess = atMost(limits.ofProcess);
  #storing: Promise<void> | null = null;

  constructor(ports: () => Ports) {
    this.#ports = ports;
    this.#leases = createHintLeases(ports);
  }

  receive(event: HostEvent): void {
    this.#receive(event, 0);
  }

  async store(events: readonly HostEvent[]): Promise<void> {
    for (const event of events) this.#receive(event, event.kind === 'checks' ? checksWaitMs : 0);
    await this.#storing;
  }

  async look(): Promise<void> {
    const taken = await takeDueHints(this.#query, this.#leases.take());
    // More hints of these repositories may be due than are taken at once.
    for (const { repositoryId } of taken) this.#waiting.add(repositoryId);
    this.#handleInOrder(taken);
  }

  async drain(): Promise<void> {
    do {
      while (this.#isBusy) await Promise.all([this.#storing, ...this.#lines.values()]);
      await this.look();
    } while (this.#isBusy);
  }

  readonly #query: Ports['db']['system']['query'] = async (text, values) =>
    await this.#ports().db.system.query(text, values);

  get #isBusy(): boolean {
    return this.#storing !== null || this.#lines.size > 0;
  }

  #receive(event: HostEvent, waitMs: number): void {
    const hint = hintOf(event);
    this.#received.set(keyOfHint(hint), { ...hint, dueAt: new Date(this.#ports().clock().getTime() + waitMs) });
    this.#storing ??= this.#storeReceived().finally(() => {
      this.#storing = null;
    });
  }

  /** Stores hints. Hints of the same moment are stored by one statement. */
  async #storeReceived(): Promise<void> {
    for (let attempt = 1; this.#received.size > 0; attempt += 1) {
      await Promise.resolve();
      const hints = [...this.#received.values()];
      this.#received.clear();
      const { idle = [], busy = [] } = Object.groupBy(hints, (hint) =>
        this.#lines.has(hint.repositoryId) ? 'busy' : 'idle',
      );
      try {
        for (const { repositoryId } of busy) this.#waiting.add(repositoryId);
        await storeHints(this.#query, busy, { now: this.#ports().clock() });
        this.#handleInOrder(await storeHints(this.#query, idle, this.#leases.take()));
        if (busy.some((hint) => !this.#lines.has(hint.repositoryId))) await this.look();
        attempt = 0;
      } catch (error) {
        if (attempt === maxAttempts)
          return this.#ports().log.warn(
            { error, hints: hints.length },
            'Host events could not be stored; the reconciler will find the changes they reported.',
          );
        for (const hint of hints) if (!this.#received.has(keyOfHint(hint))) this.#received.set(keyOfHint(hint), hint);
        await delay(100 * 2 ** attempt);
      }
    }
  }

  /** Handles hints after the hints of the same repository that are already being handled. */
  #handleInOrder(taken: readonly TakenHint[]): void {
    this.#leases.keep(taken);
    for (const [repositoryId, hints] of Map.groupBy(taken, (hint) => hint.repositoryId)) {
      const line = (this.#lines.get(repositoryId) ?? Promise.resolve())
        .then(async () => await this.#handleAll(repositoryId, hints))
        .catch((error: unknown) =>
          this.#ports().log.warn(
            { error },
            'Host events could not be handled. They are handled again when their leases end.',
          ),
        )
        .finally(() => {
          if (this.#lines.get(repositoryId) === line) this.#lines.delete(repositoryId);
        });
      this.#lines.set(repositoryId, line);
    }
  }

  async #handleAll(repositoryId: string, hints: readonly TakenHint[]): Promise<void> {
    const handled: string[] = [];
    const ofRepository = atMost(hints.every(isOfRemoteHost) ? limits.ofRemote : limits.ofLocal);
    const handleInTurn = async (hint: TakenHint): Promise<void> =>
      await ofRepository(
        async () =>
          await this.#inProcess(async () => {
            if (await handleHint(this.#ports(), hint, this.#leases.owner)) handled.push(hint.id);
          }),
      );
    let isOver = false;
    try {
      await Promise.all(hints.map(handleInTurn));
      isOver = await endHints(this.#query, handled, this.#leases.owner);
    } finally {
      // The leases are dropped before `look`, which may take the same hints again.
      this.#leases.drop(hints);
    }
    if (this.#waiting.delete(repositoryId) || !isOver) await this.look();
  }
}

/** Whether the host of the hint's repository is reached over a network. */
function isOfRemoteHost({ repository }: TakenHint): boolean {
  return repository !== null && repository.host !== 'local';
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
