// A provider of a model, on the loopback address. It speaks both protocols, whole or streamed, and refuses requests
// that real providers refuse. A function of the test gives the answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { anthropicMessages } from './model-anthropic.ts';
import { openaiChat } from './model-openai.ts';
import { Refusal, type ModelProtocol, type ModelReply, type ModelRequest } from './model-protocol.ts';

export type { ModelReply, ModelRequest, ModelTurn } from './model-protocol.ts';

export interface ModelServer extends AsyncDisposable {
  /** The base URL for clients of both protocols. */
  readonly baseUrl: string;
  /** The only API key that the server accepts. */
  readonly apiKey: string;
  /** The well-formed requests, in order. */
  readonly requests: ModelRequest[];
  /** The requests that the server refused as malformed. A correct client sends none. */
  readonly refusals: string[];
  /** How many answers were closed by the client before their end. */
  closedEarly: number;
}

const cutHere = new WeakSet<ServerResponse>();
const protocols: readonly ModelProtocol[] = [openaiChat, anthropicMessages];

/** `answer` gets the number of the request, from 1. */
export async function modelServer(
  answer: (request: ModelRequest, nth: number) => ModelReply | Promise<ModelReply>,
): Promise<ModelServer> {
  const apiKey = 'key-of-the-model-server';
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('close', () => {
      if (!response.writableFinished && !cutHere.has(response)) model.closedEarly += 1;
    });
    const protocol = protocols.find(({ path }) => request.url === path);
    const body = await textOf(request);
    if (protocol === undefined) return void response.writeHead(404).end(`No such path: ${request.url}`);
    try {
      const read = readRequest(protocol, request, { body, apiKey });
      model.requests.push(read);
      await reply(protocol, response, { request: read, reply: await answer(read, model.requests.length) });
    } catch (error) {
      const { status, message } = error instanceof Refusal ? error : new Refusal(500, String(error));
      model.refusals.push(`${status}: ${message}`);
      sendError(protocol, response, { status, message });
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const model: ModelServer = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey,
    requests: [],
    refusals: [],
    closedEarly: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return model;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function readRequest(
  protocol: ModelProtocol,
  { method, headers }: IncomingMessage,
  { body, apiKey }: { readonly body: string; readonly apiKey: string },
): ModelRequest {
  if (method !== 'POST') throw new Refusal(405, 'Not allowed to do that here.');
  if (protocol.keyOf(headers) !== apiKey) throw new Refusal(401, 'Incorrect API key provided.');
  if (!String(headers['content-type']).startsWith('application/json'))
    throw new Refusal(415, 'The body must be application/json.');
  try {
    return { ...protocol.read(JSON.parse(body), headers), protocol: protocol.name, headers, body };
  } catch (error) {
    throw error instanceof SyntaxError ? new Refusal(400, `The body is not JSON: ${error.message}`) : error;
  }
}

async function reply(
  protocol: ModelProtocol,
  response: ServerResponse,
  { request, reply }: { readonly request: ModelRequest; readonly reply: ModelReply },
): Promise<void> {
  if ('status' in reply) return sendError(protocol, response, reply);
  const contentType = request.stream ? 'text/event-stream' : 'application/json';
  if ('bytes' in reply) {
    response.writeHead(200, { 'content-type': reply.contentType ?? contentType }).end(reply.bytes);
    return;
  }
  response.writeHead(200, { 'content-type': contentType });
  if ('hangs' in reply) return response.flushHeaders();
  if (!request.stream) return void response.end(JSON.stringify(protocol.whole(reply, request)));
  for (const piece of protocol.pieces(reply, request)) {
    await reply.beforePiece?.(piece);
    if (reply.cutBefore !== undefined && piece.includes(reply.cutBefore)) return cut(response);
    if (response.destroyed) return;
    response.write(piece);
  }
  response.end();
}

function sendError(
  protocol: ModelProtocol,
  response: ServerResponse,
  {
    status,
    message,
    code,
    headers,
  }: { status: number; message: string; code?: string; headers?: Readonly<Record<string, string>> },
): void {
  if (response.headersSent) return cut(response);
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(protocol.errorBody(status, message, code)));
}

/** Waits until everything written before has arrived. */
function cut(response: ServerResponse): void {
  cutHere.add(response);
  response.socket?.end();
}
