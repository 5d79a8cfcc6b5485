// The command mcp, for MCP clients that start a program and use its standard input and output. It forwards each message
// unchanged to /mcp of the service, which has the tools.
import { createInterface } from 'node:readline';
import type { Api } from '../client/api.ts';
import { isSilence, unansweredFailure, unreachableFailure } from '../client/api.ts';
import { repositoryOfCheckout } from '../client/checkout.ts';
import type { Outcome } from '../output/failure.ts';
import { connect, examples, nameOf, type Invocation, type Registry } from './invocation.ts';

export function addMcpCommand({ program, action }: Registry): void {
  program
    .command('mcp')
    .description('Serves tools for models (Model Context Protocol) on the standard input and output.')
    .addHelpText('after', examples('claude mcp add interlock -- npx interlock mcp'))
    .action(action(mcp));
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly requestId?: string | number };
}

interface Initialized {
  readonly result?: { readonly protocolVersion?: string; instructions?: string };
}

async function mcp(invocation: Invocation): Promise<Outcome | void> {
  const { io } = invocation;
  const api = await connect(invocation);
  const forward = createForwarder(api, await repositoryNote(invocation));
  const pending = new Map<string | number, AbortController>();
  const work = new Set<Promise<void>>();
  const lines = createInterface({ input: io.stdin });
  const stop = (): void => lines.close();
  io.signal.addEventListener('abort', stop);
  for await (const line of lines) {
    const message = readMessage(line);
    if (message === null) continue;
    if (message.method === 'notifications/cancelled') pending.get(message.params?.requestId ?? '')?.abort();
    const canceled = new AbortController();
    if (message.id !== undefined) pending.set(message.id, canceled);
    const done = forward(message, { line, signal: AbortSignal.any([io.signal, canceled.signal]) }).then((answer) => {
      if (message.id !== undefined) pending.delete(message.id);
      if (answer !== null) io.stdout.write(`${answer}\n`);
    });
    work.add(done);
    void done.finally(() => work.delete(done));
  }
  io.signal.removeEventListener('abort', stop);
  await Promise.all(work);
  return io.signal.aborted ? 'interrupted' : 'done';
}

/**
 * Makes a sentence for the model that names the repository. Empty: neither `--repo` nor a checkout names a repository.
 */
async function repositoryNote({ io, global }: Invocation): Promise<string> {
  const found = await repositoryOfCheckout(io.cwd);
  const name = global.repo ?? (found === null ? null : nameOf(found));
  return name === null ? '' : `\nThe user works in a checkout of ${name}.`;
}

/** Null: the line is not JSON. Such a line is ignored, because it has no id for an answer. */
function readMessage(line: string): Message | null {
  try {
    return JSON.parse(line) as Message | null;
  } catch {
    return null;
  }
}

type Forward = (
  message: Message,
  sent: { readonly line: string; readonly signal: AbortSignal },
) => Promise<string | null>;

/**
 * Returns a function that forwards a line to the service and returns the answer for the client. Null: there is no
 * answer.
 */
export function createForwarder({ url, token, answerWithinMs }: Api, note: string): Forward {
  let version: string | undefined;
  return async ({ id, method }, { line, signal }) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...(version !== undefined && { 'mcp-protocol-version': version }),
    };
    try {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers,
        body: line,
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
      });
      const text = await response.text();
      if (id === undefined) return null;
      if (!response.ok) return refusal(id, sentenceOf(response.status, text, url));
      if (method !== 'initialize') return text;
      const answer = JSON.parse(text) as Initialized;
      version = answer.result?.protocolVersion;
      if (answer.result) answer.result.instructions = `${answer.result.instructions ?? ''}${note}`;
      return JSON.stringify(answer);
    } catch (thrown) {
      if (id === undefined || signal.aborted) return null;
      const error = thrown as Error;
      const failure = isSilence(error) ? unansweredFailure(url, answerWithinMs) : unreachableFailure(url, error);
      return refusal(id, failure.message);
    }
  };
}

function refusal(id: string | number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } });
}

function sentenceOf(status: number, text: string, url: string): string {
  if (status === 401) return `${url} does not accept the token. Log in again: interlock login ${url}`;
  if (status === 404)
    return `${url} has no tools for models: it is older than this command line, or it is not Interlock.`;
  try {
    const { error } = JSON.parse(text) as { readonly error?: string | { readonly message?: string } };
    const message = typeof error === 'string' ? error : error?.message;
    if (message !== undefined) return message;
  } catch {
    // An answer that is not JSON does not come from the service.
  }
  return `${url} answered ${status}. Try again.`;
}
