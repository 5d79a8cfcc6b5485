// The command webhooks listen, which prints the webhooks that are sent to the account's endpoints.
import { setTimeout as delay } from 'node:timers/promises';
import { withoutControls, type Api } from '../client/api.ts';
import {
  DeliveriesDocument,
  EndpointsDocument,
  type DeliveriesQuery,
  type DeliveriesQueryVariables,
} from '../generated/operations.ts';
import { Failure } from '../output/failure.ts';
import { readUntilAnswered } from '../client/follow.ts';
import { connect, examples, reportConnection, type Invocation, type Registry } from './invocation.ts';
import { readAddress } from '../client/connection.ts';

export function addWebhookCommands({ program, action }: Registry): void {
  program
    .command('webhooks')
    .description('Shows deliveries of webhooks.')
    .command('listen')
    .description(
      'Prints deliveries of the account as they are sent, until Ctrl-C. Needs an endpoint and a token of an admin.',
    )
    .option('--endpoint <address>', 'only the deliveries to this endpoint')
    .option('--forward <address>', 'also send each delivery to this address, with the headers of its first attempt')
    .addHelpText(
      'after',
      examples('interlock webhooks listen', 'interlock webhooks listen --forward http://127.0.0.1:3000/hook'),
    )
    .action(action(listen));
}

interface ListenOptions {
  readonly endpoint?: string;
  readonly forward?: string;
}

const readEveryMs = 1_000;
const readAtMost = 50;
/** How long the address of `--forward` may take for an answer, as long as an endpoint may (interface 6). */
const answerWithinMs = 15_000;

async function listen(invocation: Invocation, { endpoint, forward }: ListenOptions): Promise<void> {
  if (forward !== undefined && readAddress(forward) === null)
    throw new Failure('usage', `--forward must be an address such as http://127.0.0.1:3000, not ${forward}.`);
  const api = await connect(invocation);
  const endpoints = (await api.ask(EndpointsDocument, {})).webhookEndpoints.nodes.filter(
    ({ url }) => endpoint === undefined || url === endpoint,
  );
  if (endpoints.length === 0)
    throw new Failure(
      'refused',
      `The account has no endpoint for webhooks${endpoint === undefined ? '' : ` with the address ${endpoint}`}. Make one at ${api.url}/settings/webhooks`,
      { code: 'NOT_FOUND' },
    );
  const known = new Set<string>();
  const listened = await Promise.all(
    endpoints.map(async (one): Promise<Listened> => {
      const { nodes } = await readPage(api, { endpoint: one.id, first: readAtMost, after: null });
      for (const { id } of nodes.filter(({ attempts }) => isSent(attempts[0]))) known.add(id);
      return { ...one, oldest: nodes.at(-1)?.id ?? null };
    }),
  );
  const read = async (): Promise<readonly Sent[]> =>
    (await Promise.all(listened.map(async (one) => await readSent(api, one, known)))).flat();
  invocation.printProgress('Listening. Ctrl-C ends it.');
  while (!api.signal.aborted) {
    const sentByNow = (await readUntilAnswered(api, read, reportConnection(invocation))) ?? [];
    for (const sent of sentByNow.filter(({ id }) => !known.has(id))) {
      if (api.signal.aborted) return;
      known.add(sent.id);
      await show(invocation, sent, { forward: forward ?? null, interrupted: api.signal });
    }
    await delay(readEveryMs, undefined, { signal: api.signal }).catch(() => undefined);
  }
}

type DeliveryPage = NonNullable<Extract<DeliveriesQuery['node'], { deliveries: unknown }>>['deliveries'];
type Delivery = DeliveryPage['nodes'][number];

interface Sent extends Delivery {
  readonly endpoint: string;
  readonly attempt: Delivery['attempts'][number];
}

interface Listened {
  readonly id: string;
  readonly url: string;
  /** The oldest delivery that is looked at. Older ones are no news. Null: there was no delivery at the beginning. */
  readonly oldest: string | null;
}

function isSent(attempt: Delivery['attempts'][number] | undefined): attempt is Delivery['attempts'][number] {
  return attempt !== undefined && attempt.requestHeaders !== null;
}

/**
 * Reads deliveries of an endpoint, the newest first, up to a page of known ones or to the oldest that is looked at.
 * Returns those with an attempt, the oldest first.
 */
async function readSent(api: Api, { id, url, oldest }: Listened, known: ReadonlySet<string>): Promise<readonly Sent[]> {
  const found: Delivery[] = [];
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo }: DeliveryPage = await readPage(api, { endpoint: id, first: readAtMost, after });
    const end = nodes.findIndex((delivery) => delivery.id === oldest);
    found.push(...(end === -1 ? nodes : nodes.slice(0, end + 1)));
    if (end !== -1 || !pageInfo.hasNextPage || nodes.every((delivery) => known.has(delivery.id))) break;
    after = pageInfo.endCursor;
  }
  return found
    .flatMap((delivery) => {
      const [attempt] = delivery.attempts;
      return isSent(attempt) ? [{ ...delivery, endpoint: url, attempt }] : [];
    })
    .toReversed();
}

const noDeliveries: DeliveryPage = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };

async function readPage(api: Api, page: DeliveriesQueryVariables): Promise<DeliveryPage> {
  // The bodies are forwarded as they were signed.
  const { node } = await api.askUnchanged(DeliveriesDocument, page);
  return (node as { readonly deliveries: DeliveryPage } | null)?.deliveries ?? noDeliveries;
}

interface Forwarding {
  /** Null: deliveries are not forwarded. */
  readonly forward: string | null;
  /** Ends a request that is under way. */
  readonly interrupted: AbortSignal;
}

async function show(invocation: Invocation, sent: Sent, { forward, interrupted }: Forwarding): Promise<void> {
  const { action, createdAt, endpoint, attempt, body, messageId } = withoutControls(sent);
  const answer = attempt.responseStatus ?? attempt.error ?? 'no answer';
  const forwarded = forward === null ? null : await send(sent, forward, interrupted);
  invocation.say(
    `${createdAt}  ${action}  ${endpoint} ${answer}${forwarded === null ? '' : `  ${forward} ${forwarded}`}`,
  );
  invocation.say(body);
  const payload = JSON.parse(body) as unknown;
  invocation.record({ id: messageId, action, createdAt, endpoint, answer: String(answer), forwarded, payload });
}

/** Forwards a delivery with exactly the signed bytes. Returns the status of the answer, or why there is none. */
async function send({ body, attempt }: Sent, forward: string, interrupted: AbortSignal): Promise<string> {
  const headers = attempt.requestHeaders as Readonly<Record<string, string>>;
  const own = Object.entries(headers).filter(([name]) => !/^(?:host|content-length|connection)$/i.test(name));
  const tooLate = AbortSignal.timeout(answerWithinMs);
  return await fetch(forward, {
    method: 'POST',
    headers: Object.fromEntries(own),
    body,
    redirect: 'manual',
    signal: AbortSignal.any([interrupted, tooLate]),
  }).then(
    async (response) => {
      await response.body?.cancel();
      return String(response.status);
    },
    (error: Error) => {
      if (interrupted.aborted) return 'interrupted';
      if (tooLate.aborted) return `no answer within ${answerWithinMs / 1_000} s`;
      return (error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.message;
    },
  );
}
