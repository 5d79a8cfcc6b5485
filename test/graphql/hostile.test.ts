// Hostile GraphQL over HTTP. Each request gets a code of the closed list and a status below 500, takes little CPU, and
// learns nothing of the inside of the server. After each request, the server answers an ordinary one.
import { request as httpRequest } from 'node:http';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cpuMsSince } from '../support/cpu.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { hostileDocuments, type Expected } from './hostile-documents.table.ts';
import { hostileRequests, type HostileRequest } from './hostile-requests.table.ts';
import { hostileValues } from './hostile-values.table.ts';

/** Most requests take a few milliseconds of CPU. The longest are those that the parser of JSON reads whole. */
const maxCpuMs = 2_000;

let s: TestServer;
const lines: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
beforeAll(async () => {
  s = await startServer({ log });
  await s.graphql(
    'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
  );
});
afterAll(async () => await s.close());
beforeEach(() => void lines.splice(0));
afterEach(async () => await expectUnharmed());

async function expectUnharmed(): Promise<void> {
  const answer = await s.graphql('{ viewer { email } }');
  expect(answer.data).toEqual({ viewer: { email: 'service@acme.test' } });
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  // The log would have an error if the server were at fault.
  expect(lines).toEqual([]);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request below `fetch`, which would refuse some of the headers. */
async function send({ method = 'POST', search = '', headers = {}, body }: HostileRequest): Promise<Answer> {
  const { hostname, port } = new URL(s.url);
  const given = { 'content-type': 'application/json', authorization: `Bearer ${s.token}`, ...headers };
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  if (method === 'GET') Reflect.deleteProperty(sent, 'content-type');
  return await new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path: `/graphql${search}`, headers: sent }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => {
          text += piece;
        })
        .on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    // The server may close the connection before it has read a large body. Then the answer has arrived already.
    request.on('error', reject).end(body);
  });
}

function expectAnswer({ status, text }: Answer, [expectedStatus, code]: Expected): void {
  const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: { extensions?: { code?: string } }[] };
  expect([status, errors?.[0]?.extensions?.code ?? null, text.slice(0, status >= 500 ? 500 : 0)]).toEqual([
    expectedStatus,
    code,
    '',
  ]);
  if (status === 200 && code === null) expect(data).toBeTypeOf('object');
  expect(text).not.toMatch(
    /node_modules|stacktrace|\bat .*:\d+:\d+|\.[cm]?[jt]s\b|Cannot read|call stack|select .* from/i,
  );
}

describe('a request', () => {
  it.each([...hostileDocuments, ...hostileValues])('$title', async ({ query, variables, operationName, expected }) => {
    const before = process.cpuUsage();
    const answer = await send({ title: '', body: JSON.stringify({ query, variables, operationName }), expected });
    expect(cpuMsSince(before)).toBeLessThan(maxCpuMs);
    expectAnswer(answer, expected);
  });

  it.each(hostileRequests)('$title', async (request) => {
    const before = process.cpuUsage();
    const answer = await send(request);
    expect(cpuMsSince(before)).toBeLessThan(maxCpuMs);
    expectAnswer(answer, request.expected);
  });
});
