// A process in a network namespace of its own, whose only DNS server is that of the test. It sends a request to each
// name by the client for addresses of users, guarded and not guarded, and prints what became of each as JSON.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpOut, type HttpAnswer } from '../../src/platform/http-out/index.ts';
import { attacks, goodName, privateAddress, rebinding } from './dns.table.ts';
import { startDnsServer } from './dns-server.ts';

export interface Sent {
  readonly answer: Pick<HttpAnswer, 'status' | 'error'>;
  /** The addresses at which a host of the test received the request. */
  readonly received: readonly string[];
}

export interface Report {
  readonly guarded: Readonly<Record<string, Sent>>;
  /** The same requests by a client that may reach private addresses. */
  readonly open: Readonly<Record<string, Sent>>;
  /** Two requests, one after the other, to the name that changes its address. */
  readonly rebound: readonly Sent[];
  readonly questionsOfFirst: Readonly<Record<string, number>>;
  /** By the target of the redirect: what the guarded client did about it. */
  readonly redirects: Readonly<Record<string, Sent>>;
}

let received: string[] = [];
const answer = ({ url, socket }: IncomingMessage, response: ServerResponse): void => {
  received.push(socket.localAddress ?? '');
  const target = new URL(url ?? '', 'http://any.test').searchParams.get('to');
  response.writeHead(target === null ? 200 : 307, {
    connection: 'close',
    ...(target === null ? {} : { location: target }),
  });
  response.end();
};
const host = createServer(answer);
await new Promise<void>((resolve) => void host.listen(0, '::', resolve));
const { port } = host.address() as AddressInfo;
const dns = await startDnsServer([goodName, rebinding, ...attacks], 53, '127.0.0.1');

async function send(http: ReturnType<typeof createHttpOut>, name: string, path = '/'): Promise<Sent> {
  received = [];
  const url = `http://${name}:${port}${path}`;
  const { status, error } = await http.post({ url, headers: {}, body: Buffer.from('{}'), timeoutMs: 5_000 });
  return { answer: { status, error }, received };
}

async function sendAll(http: ReturnType<typeof createHttpOut>): Promise<Record<string, Sent>> {
  const sent: Record<string, Sent> = {};
  for (const { name } of [goodName, ...attacks]) sent[name] = await send(http, name);
  return sent;
}

const [guarded, open] = [false, true].map((allowPrivateAddresses) => createHttpOut({ allowPrivateAddresses }));
if (guarded === undefined || open === undefined) throw new Error('There are two clients.');
const first = await send(guarded, rebinding.name);
const questionsOfFirst = { ...dns.questions(rebinding.name) };
const rebound = [first, await send(guarded, rebinding.name)];
const redirects: Record<string, Sent> = {};
for (const target of [`http://${privateAddress}:${port}/`, `http://private.test:${port}/`, `//[::1]:${port}/`])
  redirects[target.replace(`:${port}`, '')] = await send(guarded, goodName.name, `/?to=${encodeURIComponent(target)}`);
const report: Report = {
  guarded: await sendAll(guarded),
  open: await sendAll(open),
  rebound,
  questionsOfFirst,
  redirects,
};
await new Promise<void>((resolve) => process.stdout.write(JSON.stringify(report), () => resolve()));
process.exit();
