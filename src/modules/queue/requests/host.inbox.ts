// Incoming host events, in order for each repository, one of each kind at a time: a waiting event covers a second one
// of its kind. A failed event is tried again a few times. The reconciler finds the rest.
import { setTimeout as delay } from 'node:timers/promises';
import type { Ports } from '../../../context.ts';
import type { HostEvent } from '../../../hosts/port.ts';
import { receiveHostEvent } from './host.events.ts';

const tries = 4;

export interface HostInbox {
  receive(event: HostEvent): void;
  /** Resolves when everything received so far is handled. */
  settle(): Promise<void>;
}

export function createHostInbox(ports: () => Ports): HostInbox {
  const lines = new Map<string, { waiting: Map<string, HostEvent>; running: Promise<void> | null }>();

  async function drain(repositoryId: string): Promise<void> {
    const line = lines.get(repositoryId);
    if (line === undefined) return;
    for (;;) {
      const next = line.waiting.entries().next().value;
      if (next === undefined) break;
      line.waiting.delete(next[0]);
      await handle(ports(), next[1]);
    }
    lines.delete(repositoryId);
  }

  return {
    receive(event) {
      const id = event.repository.id;
      const line = lines.get(id) ?? { waiting: new Map<string, HostEvent>(), running: null };
      lines.set(id, line);
      line.waiting.set(keyOf(event), event);
      line.running ??= drain(id);
    },
    async settle() {
      while (lines.size > 0) await Promise.all([...lines.values()].flatMap((line) => line.running ?? []));
    },
  };
}

function keyOf(event: HostEvent): string {
  switch (event.kind) {
    case 'push':
      return `push ${event.ref}`;
    case 'pull_request':
      return `pull_request ${event.number}`;
    case 'comment':
      return 'comment';
    case 'checks':
      return `checks ${event.commit}`;
    default:
      return event satisfies never;
  }
}

async function handle(ports: Ports, event: HostEvent): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await receiveHostEvent(ports, event);
    } catch (error) {
      if (attempt === tries)
        return ports.log.warn(
          { error, event: event.kind },
          'A host event could not be handled; the reconciler will find what it told of.',
        );
      await delay(100 * 2 ** attempt);
    }
  }
}
