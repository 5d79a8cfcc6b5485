// What webhooks are sent of events, against what they are documented to carry.
import { webhookBody, type RecordedEvent } from '../../../src/domain/events/webhook-body.ts';
import type { RepositoryName } from '../../../src/domain/events/payloads.ts';
import { type DocumentedPayload, loadContracts } from './contract.ts';
import { problemsWith } from './notation.ts';

export function documentedActions(
  payloads: readonly DocumentedPayload[] = documented(),
): Map<string, DocumentedPayload> {
  return new Map(payloads.map((each) => [String(each.payload['action']).replace('one of ', ''), each]));
}

/** A sentence for each key or value that is not as documented. */
export function problemsOfPayloads(events: readonly RecordedEvent[], repository: RepositoryName): string[] {
  const known = documentedActions();
  return events.flatMap((event) => {
    const body = webhookBody(event, repository);
    if (body === null) return [];
    const contract = known.get(body.action);
    return contract ? problemsWith(contract.payload, body, body.action) : [`${body.action} is not documented`];
  });
}

function documented(): DocumentedPayload[] {
  return loadContracts().flatMap(({ payloads }) => payloads);
}
