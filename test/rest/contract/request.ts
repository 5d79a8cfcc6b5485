// Sends a raw request that fetch does not allow: a GET with a body, or without a usual header.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface RawRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
}

export async function send(url: URL, { method, headers, body }: RawRequest): Promise<RawAnswer> {
  return await new Promise((resolve, reject) => {
    const isChunked = headers['transfer-encoding'] !== undefined;
    const length = body === undefined || isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = httpRequest(url, { method, headers: { ...headers, ...length } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(parts).toString(),
        });
      });
    });
    // The server may refuse the request before it has read all of it. Only the answer counts.
    sent.on('error', reject);
    sent.end(body);
  });
}
