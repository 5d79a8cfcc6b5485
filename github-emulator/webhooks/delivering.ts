// Decides which Apps get a webhook about an event, and in which order deliveries are sent.
import { includesRepository } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { uuidFrom } from '../model/ids.ts';
import type { App, Installation } from '../model/types.ts';
import type { WebhookDescription } from '../openapi/description.ts';
import type { Part } from '../part.ts';
import type { HostEvent } from './events.ts';
import { createPayloads, envelope } from './payloads.ts';
import { deliver, deliveriesSettled, type NewDelivery } from './sending.ts';

const gatheringMs = 200;

export function createDelivering(core: Core, parts: readonly Part[], description: WebhookDescription): Part {
  const own = createPayloads(core);
  const queue = createQueue(core);
  return {
    onEvent: async (event) => {
      for (const { app, installation } of subscribersOf(core, event)) {
        const payload = await compose(core, [...parts, { payloads: own }], { event, installation });
        if (payload === null) continue;
        const action = 'action' in event ? event.action : null;
        for (const fault of description.findFaults(event.name, action, payload))
          core.mistakes.push(`webhook ${event.name} ${action ?? ''}: ${fault}`);
        queue.add({
          guid: uuidFrom(core.random),
          app,
          installationId: installation.id,
          repositoryId: 'repository' in event ? event.repository.id : null,
          event: event.name,
          action,
          payload: JSON.stringify(payload),
          isRedelivery: false,
        });
      }
    },
    settled: async () => {
      queue.flush();
      await deliveriesSettled(core);
    },
    stop: () => queue.flush(),
  };
}

/**
 * Returns the Apps that get an event. These Apps are installed on the repository and have subscribed to the event. An
 * App always gets events about its own installations.
 */
function subscribersOf(core: Core, event: HostEvent): { app: App; installation: Installation }[] {
  const { state } = core;
  if (event.name === 'installation' || event.name === 'installation_repositories')
    return [{ app: state.apps.must(event.installation.appId), installation: event.installation }];
  return state.installations
    .filter(
      (each) =>
        each.suspendedAt === null && each.events.includes(event.name) && includesRepository(each, event.repository),
    )
    .map((installation) => ({ app: state.apps.must(installation.appId), installation }));
}

/** Null: no part renders this event. */
async function compose(
  core: Core,
  parts: readonly Part[],
  { event, installation }: { readonly event: HostEvent; readonly installation: Installation },
): Promise<object | null> {
  for (const { payloads } of parts) {
    const show = payloads?.[event.name] as ((event: HostEvent) => Promise<object> | object) | undefined;
    if (show !== undefined) return { ...envelope(core, event, installation), ...(await show(event)) };
  }
  return null;
}

interface Queue {
  readonly add: (delivery: NewDelivery) => void;
  readonly flush: () => void;
}

/**
 * Sends deliveries at once. If the control `reorder` is set, several deliveries are collected first and then sent in
 * random order.
 */
function createQueue(core: Core): Queue {
  let buffered: NewDelivery[] = [];
  let timer: NodeJS.Timeout | undefined;
  const { random, faults } = core;
  const send = (delivery: NewDelivery): void => {
    const { drop = 0, double = 0 } = faults.webhookFaults();
    const isDropped = random.next() < drop;
    deliver(core, delivery, isDropped);
    if (!isDropped && random.next() < double) deliver(core, delivery);
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const leaving = buffered;
    buffered = [];
    while (leaving.length > 0) for (const each of leaving.splice(random.below(leaving.length), 1)) send(each);
  };
  const add = (delivery: NewDelivery): void => {
    const { reorder = 0 } = faults.webhookFaults();
    if (reorder <= 1 && buffered.length === 0) {
      send(delivery);
      return;
    }
    buffered.push(delivery);
    timer ??= setTimeout(flush, gatheringMs);
    if (buffered.length >= reorder) flush();
  };
  return { add, flush };
}
