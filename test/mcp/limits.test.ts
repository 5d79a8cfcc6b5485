// The rate limit of an account, for a request to /mcp and for the request of a tool.
import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

async function post({ url, token }: TestServer, method: string, params: object): Promise<Response> {
  return await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

test('a request over the limit is answered with 429 and with the time to wait', async () => {
  const slow = await startServer({ rateLimit: { perSecond: 0.01, burst: 2 } });
  try {
    const answers = [];
    for (let n = 0; n < 3; n += 1) answers.push(await post(slow, 'tools/list', {}));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[0]?.headers.get('ratelimit-remaining')).toBe('1');
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answers[2]?.json()).toEqual({
      error: expect.stringMatching(/^Too many requests: try again in \d+ s/),
    });
  } finally {
    await slow.close();
  }
});

test('a tool whose own request is over the limit tells the model how to continue', async () => {
  const slow = await startServer({ rateLimit: { perSecond: 0.01, burst: 1 } });
  try {
    const answer = await post(slow, 'tools/call', { name: 'list_repositories', arguments: {} });
    expect(answer.status).toBe(200);
    const { result } = (await answer.json()) as { result: object };
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        error: {
          code: 'RATE_LIMITED',
          message: expect.stringMatching(/^Too many requests: try again in \d+ s/),
          cure: 'Wait as long as the message says, then call again.',
        },
      },
    });
  } finally {
    await slow.close();
  }
});
