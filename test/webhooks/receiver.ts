// A receiver of webhooks as a user would write it: a plain HTTP server that records requests and answers as the test
// says.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** In order of arrival. */
  readonly received: readonly ReceivedWebhook[];
  /** How later requests are answered; `null` never answers. */
  answer(how: (request: ReceivedWebhook) => Promise<Answer | null> | Answer | null): void;
  /** Waits until `count` requests have arrived, and returns all of them. */
  until(count: number): Promise<readonly ReceivedWebhook[]>;
}

export async function receiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  let how: Parameters<Receiver['answer']>[0] = () => ({ status: 200 });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const seen = { path: request.url ?? '', headers: request.headers, body, json: JSON.parse(body.toString()) };
      received.push(seen);
      void (async () => {
        const answer = await how(seen);
        if (answer !== null) response.writeHead(answer.status, answer.headers).end(answer.body ?? '');
      })();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hooks`,
    received,
    answer: (next) => void (how = next),
    async until(count) {
      await eventually(
        async () => received.length >= count,
        `${count} webhooks came; there were`,
        () => received.map(({ json }) => json['action']),
      );
      return received;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function eventually(
  isSo: () => Promise<boolean>,
  what: string,
  seen: () => unknown = () => '',
  withinMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`It did not come about: ${what} ${JSON.stringify(seen())}`);
    await delay(15);
  }
}

/**
 * Checks the signature with the library of Standard Webhooks. Its `verify` uses the real clock, and the tests have
 * their own. So this signs again and compares.
 */
export function isStandard({ headers, body }: ReceivedWebhook, key: Buffer): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const expected = new Webhook(key, { format: 'raw' }).sign(String(headers['webhook-id']), at, body);
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
