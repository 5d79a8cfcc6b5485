// Makes one attempt of a delivery: takes the delivery, signs the exact bytes, sends them, and writes the outcome. The
// relay makes first attempts, and the workflow of a delivery makes later attempts.
import type { Ports } from '../../context.ts';
import { decideAfterAttempt, type AttemptVerdict } from '../../domain/events/delivery.ts';
import { keyOfSecret, signatureHeaders, type SigningKeys } from '../../domain/events/signature.ts';
import type { HttpAnswer, HttpOut } from '../../platform/http-out/index.ts';
import { createGroupWriter } from '../../platform/group-writer.ts';
import { retryDuringOutage } from '../../platform/outage.ts';
import { decrypt, readSigningKeys, type Secrets } from '../accounts/index.ts';
import { createAwaitedAnswers } from './awaited-answers.ts';
import {
  pingAction,
  readDeliveryWait,
  takePendingDeliveries,
  takeRetry,
  writeOutcomes,
  type AnsweredDelivery,
  type DeliveryConclusion,
  type DeliveryRef,
  type EndpointRef,
  type TakenDelivery,
  type DeliveryWait,
} from './deliveries.rows.ts';
import { writeFailure } from './endpoint.health.ts';

const attemptTimeoutMs = 15_000;

export interface WebhookOptions {
  readonly secrets: Secrets;
  readonly http: HttpOut;
  /** Wakes the workflow of a delivery. A lost call causes only a delay, because the relay calls again. */
  readonly retry: (delivery: DeliveryRef) => Promise<void>;
}

/**
 * Deliveries of one endpoint that this process has taken, with the address and the keys for their attempts. `target` is
 * null if there is no key.
 */
export interface DeliveriesToSend {
  readonly deliveries: readonly TakenDelivery[];
  readonly target: Target | Unsigned | null;
}

interface Target {
  readonly url: string;
  readonly keys: SigningKeys;
}

/** There is a key, but deliveries cannot be signed with it. `problem` tells the user why. */
interface Unsigned {
  readonly problem: string;
}

export interface WebhookSender {
  takePendingDeliveries(endpoint: EndpointRef, max: number): Promise<DeliveriesToSend>;
  send(delivery: TakenDelivery, target: DeliveriesToSend['target']): Promise<void>;
  /**
   * Makes the next attempt of a delivery, if this attempt is due. Returns the state, and when the next attempt is due.
   */
  attemptRetry(delivery: DeliveryRef): Promise<DeliveryWait>;
}

export function createWebhookSender(ports: Ports, options: WebhookOptions): WebhookSender {
  const writeSuccesses = async (answered: readonly AnsweredDelivery[]): Promise<void> =>
    void (await retryDuringOutage(async () => await writeOutcomes(ports.db.system, answered), ports.log));
  const answers = createAwaitedAnswers();
  const writeTogether = createGroupWriter<AnsweredDelivery>({
    groupOf: ({ taken }) => taken.endpointId,
    gather: answers.gather,
    write: writeSuccesses,
  });

  return {
    async takePendingDeliveries(endpoint, max) {
      const now = ports.clock();
      const deliveries = await takePendingDeliveries(ports.db, endpoint, { max, now });
      const [first] = deliveries;
      return { deliveries, target: first === undefined ? null : await targetOf(ports, options, first) };
    },
    async send(delivery, target) {
      const onAnswer = answers.expect(delivery.endpointId);
      const verdict = await attempt(ports, options.http, { delivery, target, onAnswer, writeSuccess: writeTogether });
      if (verdict.kind === 'again') await options.retry(delivery);
    },
    async attemptRetry(ref) {
      const taken = await takeRetry(ports.db, ref, ports.clock());
      // The outcome of a retry is written alone, without waiting for other outcomes.
      if (taken !== null)
        await attempt(ports, options.http, {
          delivery: taken,
          target: await targetOf(ports, options, taken),
          onAnswer: () => {},
          writeSuccess: async (answered) => await writeSuccesses([answered]),
        });
      return (await readDeliveryWait(ports.db, ref)) ?? { state: 'canceled', nextLookAt: null };
    },
  };
}

interface Attempt {
  readonly delivery: TakenDelivery;
  /** Null: there is no key. */
  readonly target: DeliveriesToSend['target'];
  /** Called once, before the outcome is written. */
  readonly onAnswer: () => void;
  readonly writeSuccess: (answered: AnsweredDelivery) => Promise<void>;
}

async function attempt(
  ports: Ports,
  http: WebhookOptions['http'],
  { delivery, target, onAnswer, writeSuccess }: Attempt,
): Promise<AttemptVerdict> {
  let sent: Sent;
  try {
    sent =
      target === null || 'problem' in target
        ? undeliverable(target?.problem ?? 'There is no key to sign the webhook with.')
        : await post(http, delivery, { target, at: ports.clock() });
  } finally {
    onAnswer();
  }
  const { headers, answer } = sent;
  const now = ports.clock();
  const verdict = decideAfterAttempt(
    { status: answer.status, retryAfter: answer.headers['retry-after'] ?? null },
    { failures: delivery.failures, hasRetries: delivery.action !== pingAction },
    now.getTime(),
  );
  const outcome = { requestHeaders: headers, answer, concluded: concluded(verdict), now };
  const failure = {
    ...outcome,
    url: target !== null && 'url' in target ? target.url : null,
    isGone: verdict.kind === 'gone',
  };
  // If the outcome cannot be written, the delivery is sent again when its lease ends.
  if (verdict.kind === 'succeeded') await writeSuccess({ taken: delivery, outcome });
  else await retryDuringOutage(async () => await writeFailure(ports, delivery, failure), ports.log);
  ports.meter.count('interlock_webhook_attempts_total', { outcome: outcomeLabels[verdict.kind] });
  return verdict;
}

interface Sent {
  /** The headers of the request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: HttpAnswer;
}

function undeliverable(error: string): Sent {
  return { headers: {}, answer: { status: null, headers: {}, body: '', error, durationMs: 0 } };
}

const outcomeLabels = { succeeded: 'succeeded', gone: 'gone', again: 'retried', failed: 'failed' } as const;

function concluded(verdict: AttemptVerdict): DeliveryConclusion {
  if (verdict.kind === 'again') return { state: 'retrying', nextAttemptAt: new Date(verdict.at) };
  return { state: verdict.kind === 'succeeded' ? 'succeeded' : 'failed', nextAttemptAt: null };
}

async function post(
  http: HttpOut,
  delivery: TakenDelivery,
  { target: { url, keys }, at }: { readonly target: Target; readonly at: Date },
): Promise<Sent> {
  const body = Buffer.from(delivery.body);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Interlock-Webhooks',
    'x-service-event': delivery.action,
    'x-service-delivery': delivery.messageId,
    'x-service-attempt': String(delivery.attempt),
    ...signatureHeaders(keys, { id: delivery.messageId, body, at }),
  };
  return { headers, answer: await http.post({ url, headers, body, timeoutMs: attemptTimeoutMs }) };
}

/** The address and the keys of the endpoint of a delivery. Null: there is no key. */
async function targetOf(
  ports: Ports,
  { secrets }: WebhookOptions,
  { accountId, endpointId, startedAt, endpoint: { url, secret, previousSecret, earlierSecrets } }: TakenDelivery,
): Promise<Target | Unsigned | null> {
  if (secret === null) {
    const keys = await readSigningKeys(ports, secrets, { accountId, now: startedAt });
    if (keys === 'undecryptable') return undecryptableToken;
    return keys === null ? null : { url, keys };
  }
  const open = (sealed: Buffer): SigningKeys['current'] | null => {
    try {
      return keyOfSecret(decrypt(secrets, secretPurpose({ accountId, endpointId }), sealed).toString());
    } catch (error) {
      ports.log.error({ endpointId, err: error }, 'The secret of a webhook endpoint cannot be decrypted.');
      return null;
    }
  };
  const current = open(secret);
  if (current === null) return undecryptable;
  // A replaced secret that cannot be decrypted does not keep the present one from signing.
  const previous = previousSecret === null ? null : open(previousSecret);
  const earlier = earlierSecrets.map(open).filter((key) => key !== null);
  return { url, keys: { current, next: null, previous, earlier } };
}

const undecryptable: Unsigned = {
  problem: 'Interlock cannot decrypt the key that signs the webhook. Give the endpoint another secret.',
};

const undecryptableToken: Unsigned = {
  problem:
    'Interlock cannot decrypt the key of the API token that signs the webhook. Make another API token, and let it sign by rotateWebhookSigning and promoteWebhookSigning.',
};

export function secretPurpose({ accountId, endpointId }: EndpointRef): string {
  return `webhook-secret/${accountId}/${endpointId}`;
}
