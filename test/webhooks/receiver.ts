// A receiver of webhooks, as users write them: a plain HTTP server that remembers what came and gives the chosen
// answers.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

export interface Received {
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
  /** In the order they came. */
  readonly received: readonly Received[];
  /** How what comes from now on is answered; `null` never answers. */
  answer(how: (request: Received) => Promise<Answer | null> | Answer | null): void;
  /** Waits until this number of requests was received, and returns them. */
  until(count: number): Promise<readonly Received[]>;
}

export async function receiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = [];
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

/** What the library of Standard Webhooks says. Its `verify` goes by the real clock, which is not that of the tests. */
export function isStandard({ headers, body }: Received, key: Buffer): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const expected = new Webhook(key, { format: 'raw' }).sign(String(headers['webhook-id']), at, body);
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
