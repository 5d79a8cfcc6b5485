// The proxy of previews. Each preview has a host of its own, `<slug>.preview.<Interlock's host>`. Requests and answers
// are streamed through the worker that runs the preview. A request cannot choose an address. The service's own routes,
// tokens and rate limits do not apply to previews. No library is used: `http-proxy-3`, `httpxy` and
// `@fastify/reply-from` forward headers as Node has joined them instead of unchanged, and none of them ends an answer
// when its preview ends.
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { slugReader } from '../domain/previews/address.ts';
import type { SandboxState } from '../domain/previews/preview.ts';
import { requestThrough, type GatewayRoute } from '../platform/previews/gateway.ts';
import { requestHeaders, responseHeaders, type HeaderPairs } from './preview-headers.ts';
import { headersOf, pageOf, previewProblems, type PreviewProblem } from './preview-pages.ts';
import { longestTimerMs } from '../platform/longest-timer.ts';

export interface ProxiedPreview {
  readonly state: SandboxState;
  /** Null: the preview does not run. */
  readonly route: GatewayRoute | null;
  readonly expiresAt: Date;
}

export interface PreviewProxyOptions {
  readonly publicUrl: string;
  readonly find: (slug: string) => Promise<ProxiedPreview | null>;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly limits?: Partial<ProxyLimits>;
}

interface ProxyLimits {
  readonly bodyBytes: number;
  /** The time limit for the first byte of an answer, and between two bytes. A WebSocket may be silent. */
  readonly silenceMs: number;
  /** The most simultaneous requests and sockets of one preview in this process. */
  readonly atOnce: number;
  /** How long the row of a preview is cached. */
  readonly knownMs: number;
}

export interface PreviewProxy {
  /** Whether a request is for a preview. Only the Host header decides this. */
  isPreview(request: IncomingMessage): boolean;
  serve(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends the open sockets. */
  close(): void;
}

interface ReachablePreview {
  readonly route: GatewayRoute;
  readonly expiresAt: Date;
}

const defaultLimits: ProxyLimits = { bodyBytes: 100 * 1024 ** 2, silenceMs: 120_000, atOnce: 256, knownMs: 1_000 };
const switching = [
  ['connection', 'Upgrade'],
  ['upgrade', 'websocket'],
] as const;
const maxKnown = 1_000;

/** Why a request is not forwarded. */
class Refused extends Error {
  constructor(readonly problem: PreviewProblem) {
    super(problem.title);
  }
}

export function createPreviewProxy(options: PreviewProxyOptions): PreviewProxy {
  return new HttpProxy(options);
}

class HttpProxy implements PreviewProxy {
  readonly #options: PreviewProxyOptions;
  readonly #limits: ProxyLimits;
  readonly #protocol: string;
  readonly #slugOf: (host: string) => string | null;
  readonly #known = new Map<string, { readonly until: number; readonly found: Promise<ProxiedPreview | null> }>();
  readonly #underWay = new Map<string, number>();
  readonly #sockets = new Set<Duplex>();

  constructor(options: PreviewProxyOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#protocol = new URL(options.publicUrl).protocol.slice(0, -1);
    this.#slugOf = slugReader(options.publicUrl);
  }

  isPreview(request: IncomingMessage): boolean {
    return this.#slugOf(request.headers.host ?? '') !== null;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    this.#pass(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return void response.destroy();
      const problem = this.#troubleOf(error);
      const page = pageOf(problem);
      response.writeHead(problem.status, headersOf(problem, page)).end(page);
    });
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    this.#passSocket(request, socket, head).catch((error: unknown) => {
      if (socket.destroyed) return;
      const problem = this.#troubleOf(error);
      const page = pageOf(problem);
      const { status: statusCode, title: statusMessage } = problem;
      socket.end(headOf({ statusCode, statusMessage }, Object.entries(headersOf(problem, page))) + page);
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #find(slug: string): Promise<ProxiedPreview | null> {
    const now = performance.now();
    const before = this.#known.get(slug);
    if (before !== undefined && before.until > now) return await before.found;
    if (this.#known.size >= maxKnown) this.#known.clear();
    const found = this.#options.find(slug);
    this.#known.set(slug, { until: now + this.#limits.knownMs, found });
    found.catch(() => this.#known.delete(slug));
    return await found;
  }

  async #findReachable(request: IncomingMessage, client: ServerResponse | Duplex): Promise<ReachablePreview> {
    const slug = this.#slugOf(request.headers.host ?? '');
    const found = slug === null ? null : await this.#find(slug);
    if (slug === null || found === null) throw new Refused(previewProblems.unknown);
    const { state, route, expiresAt } = found;
    if (state === 'gone' || state === 'ending' || expiresAt <= this.#options.clock())
      throw new Refused(previewProblems.gone);
    if (state === 'booting' || route === null) throw new Refused(previewProblems.starting);
    if (client.destroyed) throw new Error('The client has disconnected.');
    this.#takePlace(slug, client);
    return { route, expiresAt };
  }

  /** Counts a request until its client disconnects. Nothing is awaited between the comparison and the count. */
  #takePlace(slug: string, client: ServerResponse | Duplex): void {
    const before = this.#underWay.get(slug) ?? 0;
    if (before >= this.#limits.atOnce) throw new Refused(previewProblems.busy);
    this.#underWay.set(slug, before + 1);
    client.once('close', () => {
      const left = (this.#underWay.get(slug) ?? 0) - 1;
      if (left <= 0) this.#underWay.delete(slug);
      else this.#underWay.set(slug, left);
    });
  }

  #troubleOf(error: unknown): PreviewProblem {
    if (error instanceof Refused) return error.problem;
    this.#options.log.warn({ error: String(error) }, 'A request to a preview failed.');
    return previewProblems.unreachable;
  }

  /** Ends a request when its client disconnects. Disconnects the client when the time of the preview is over. */
  #track(client: ServerResponse | Duplex, { expiresAt }: ReachablePreview, upstream: ClientRequest): void {
    const left = expiresAt.getTime() - this.#options.clock().getTime();
    const timer = setTimeout(() => client.destroy(), Math.min(left, longestTimerMs));
    timer.unref();
    client.once('close', () => {
      clearTimeout(timer);
      upstream.destroy();
    });
    upstream.setTimeout(this.#limits.silenceMs, () => upstream.destroy(new Refused(previewProblems.late)));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const preview = await this.#findReachable(request, response);
    if (Number(request.headers['content-length'] ?? 0) > this.#limits.bodyBytes)
      throw new Refused(previewProblems.large);
    const upstream = requestApp(request, preview, requestHeaders(request, this.#protocol));
    this.#track(response, preview, upstream);
    const answered = answerOf(upstream);
    sendBody(request, upstream, this.#limits.bodyBytes);
    const { answer, stream } = await answered;
    if (stream !== null) {
      stream.destroy();
      throw new Error('The app switched to another protocol, which the request did not ask for.');
    }
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, flat(responseHeaders(answer)));
    // Sends the headers at once, because an app may send events much later. flushHeaders would encode the headers as
    // UTF-8, but they are Latin-1.
    response.write('', 'latin1');
    pipeline(answer, response, () => {});
  }

  async #passSocket(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') throw new Refused(previewProblems.notSupported);
    const preview = await this.#findReachable(request, socket);
    const upstream = requestApp(request, preview, [...requestHeaders(request, this.#protocol), ...switching]);
    this.#track(socket, preview, upstream);
    const answered = answerOf(upstream);
    upstream.end();
    const { answer, stream, first } = await answered;
    upstream.setTimeout(0);
    if (stream === null) {
      socket.write(headOf(answer, [...responseHeaders(answer), ['connection', 'close']]), 'latin1');
      return void pipeline(answer, socket, () => {});
    }
    socket.write(headOf(answer, [...responseHeaders(answer), ...switching]), 'latin1');
    socket.write(first);
    stream.write(head);
    pipeline(stream, socket, stream, () => {});
  }
}

interface Answer {
  readonly answer: IncomingMessage;
  /** The connection after an upgrade. Null: the app has not upgraded the connection. */
  readonly stream: Duplex | null;
  /** Bytes of the upgraded connection that were read already. */
  readonly first: Buffer;
}

function requestApp(request: IncomingMessage, { route }: ReachablePreview, headers: HeaderPairs): ClientRequest {
  // Each request has a new connection. A reused connection could lead to another app that has got the port of an ended
  // one.
  return requestThrough(route, {
    headers: flat(headers),
    ...(request.method !== undefined && { method: request.method }),
    ...(request.url !== undefined && { path: request.url }),
  });
}

async function answerOf(upstream: ClientRequest): Promise<Answer> {
  const nothing = Buffer.alloc(0);
  return await new Promise((resolve, reject) => {
    upstream.on('response', (answer) => resolve({ answer, stream: null, first: nothing }));
    upstream.on('upgrade', (answer, stream, first) => resolve({ answer, stream, first }));
    upstream.on('error', reject);
    upstream.on('close', () => reject(new Error('The app closed the connection.')));
  });
}

function sendBody(request: IncomingMessage, upstream: ClientRequest, maxBytes: number): void {
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes) upstream.destroy(new Refused(previewProblems.large));
  });
  request.pipe(upstream);
}

function flat(pairs: HeaderPairs): string[] {
  return pairs.flatMap(([name, value]) => [name, value]);
}

function headOf(
  { statusCode, statusMessage }: Pick<IncomingMessage, 'statusCode' | 'statusMessage'>,
  pairs: HeaderPairs,
): string {
  const lines = pairs.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${statusCode ?? 502} ${statusMessage ?? ''}\r\n${lines.join('')}\r\n`;
}
