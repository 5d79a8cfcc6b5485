// Sends one request and reads its answer, within a time limit and up to a size limit.
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';

export interface HttpExchange {
  /** Null: there was no answer, and `error` says why. */
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  /** The body of the answer, or its beginning. */
  readonly body: Buffer;
  /** Whether `body` is only the beginning. */
  readonly isCut: boolean;
  /**
   * A sentence without IP addresses, because users must not learn to which internal address a name resolves. Null:
   * there was an answer.
   */
  readonly error: string | null;
}

export interface ExchangeLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Never throws. A failure is in `error` of the result. */
export async function exchange(
  request: ClientRequest,
  body: Buffer,
  { timeoutMs, maxBytes, signal }: ExchangeLimits,
): Promise<HttpExchange> {
  return await new Promise<HttpExchange>((resolve) => {
    let answer: { readonly statusCode?: number | undefined; readonly headers: IncomingHttpHeaders } | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (error: string | null, isCut = false): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve({
        status: answer?.statusCode ?? null,
        headers: answer?.headers ?? {},
        body: Buffer.concat(chunks).subarray(0, maxBytes),
        isCut,
        error: answer === undefined ? error : null,
      });
    };
    const stop = (): void => {
      end('The request was stopped.', true);
      request.destroy();
    };
    const timer = setTimeout(() => {
      end(`There was no answer within ${timeoutMs / 1000} s.`, true);
      request.destroy();
    }, timeoutMs);
    signal?.addEventListener('abort', stop, { once: true });
    request.on('error', (error) => end(sentenceOf(error)));
    request.on('response', (response) => {
      answer = response;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < maxBytes) return;
        // The status is known and enough of the body was read, so the rest is not waited for.
        end(null, true);
        request.destroy();
      });
      response.on('end', () => end(null));
      response.on('error', () => end(null, true));
    });
    request.end(body);
    if (signal?.aborted) stop();
  });
}

export function failedExchange(error: unknown): HttpExchange {
  return { status: null, headers: {}, body: Buffer.alloc(0), isCut: false, error: sentenceOf(error as Error) };
}

export const connectionReset = 'The connection was closed before there was an answer.';

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  // The socket of a sandbox is a file, which is gone when the sandbox has ended.
  ENOENT: 'The connection was refused.',
  ECONNRESET: connectionReset,
  ENOTFOUND: 'The name of the host does not resolve.',
  EAI_AGAIN: 'The name of the host could not be resolved at this time.',
  ETIMEDOUT: 'The connection timed out.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
};

function sentenceOf(error: NodeJS.ErrnoException): string {
  if (/is not allowed\. Because/.test(error.message))
    return 'The address is private, loopback or link-local: this installation sends nothing to such addresses.';
  const code = error.code ?? '';
  return (
    sentences[code] ??
    (/CERT|SSL|TLS/i.test(code) ? `TLS failed: ${code}.` : `The request failed: ${code || 'no reason is known'}.`)
  );
}
