// Sends events to the Apps as webhooks.
import type { Core } from '../core.ts';
import type { WebhookDescription } from '../openapi/description.ts';
import type { Part } from '../part.ts';

export function createDelivering(_core: Core, _parts: readonly Part[], _description: WebhookDescription): Part {
  return {};
}
