// Clients of the Model Context Protocol, like those in programs for models: over HTTP, and over the standard input and
// output of `interlock mcp`.
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { run } from '../../cli/run.ts';

export interface Answer {
  readonly isError: boolean;
  readonly content: Record<string, unknown>;
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  call(tool: string, args?: object): Promise<Answer>;
}

export async function connectClient(transport: Transport, close: () => Promise<void>): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return {
    client,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
      const content = result.structuredContent as Record<string, unknown>;
      const [block] = result.content as [{ readonly text: string }];
      // A client without support for structured content must get the same content as text.
      if (JSON.stringify(content) !== block.text) throw new Error(`${block.text} is not ${JSON.stringify(content)}`);
      return { isError: result.isError === true, content };
    },
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await close();
    },
  };
}

export async function overHttp(
  url: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<McpClient> {
  const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } };
  // The types of the library do not fit exactOptionalPropertyTypes.
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as unknown as Transport;
  return await connectClient(transport, async () => {});
}

export interface Program {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function overStdio({ cwd, env }: Program): Promise<McpClient> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const ended = run(
    ['mcp'],
    {
      stdin,
      stdout,
      stderr: { write: () => true },
      env,
      cwd,
      signal: new AbortController().signal,
      openPage: async () => {},
      runProgram: async () => 0,
    },
    { version: '1.2.3' },
  );
  // Both sides of this transport read and write lines.
  return await connectClient(new StdioServerTransport(stdout, stdin), async () => {
    stdin.end();
    await ended;
  });
}
