// Compares the webhooks of events with their documented content.
import { webhookBody, type RecordedEvent } from '../../../src/domain/events/webhook-body.ts';
import type { RepositoryName } from '../../../src/domain/events/payloads.ts';
import { loadContracts } from './contract.ts';
import { problemsWith } from './notation.ts';

/** The documented payloads of webhooks, by the notation of their `action`. */
const documented = new Map(
  loadContracts().flatMap(({ payloads }) => payloads.map(({ payload }) => [payload['action'], payload] as const)),
);

/** A sentence for each key or value that is not as documented. */
export function problemsOfPayloads(events: readonly RecordedEvent[], repository: RepositoryName): string[] {
  return events.flatMap((event) => {
    const body = webhookBody(event, repository);
    if (body === null) return [];
    const contract = documented.get(`one of ${body.action}`);
    return contract ? problemsWith(contract, body, body.action) : [`${body.action} is not documented`];
  });
}
