// The audits of graphql-http, which compare /graphql with the specification GraphQL over HTTP. What the specification
// requires (MUST) is kept. Each recommendation (SHOULD) and option (MAY) that is not followed stands in the list below.
import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

const statusTellsRefusals =
  'A refused document has the status 400 for every media type, so that a client without GraphQL sees the refusal.';
/** The audits that are not followed, by their id, with the reason. */
const notFollowed: ReadonlyMap<string, string> = new Map([
  ['572B', statusTellsRefusals],
  ['FDE2', statusTellsRefusals],
  ['7B9B', statusTellsRefusals],
]);

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
});
afterAll(async () => await s.close());

const audits = serverAudits({
  url: () => `${s.url}/graphql`,
  // GET needs a header that a page of another site cannot send, and every request needs a token.
  fetchFn: async (url: string, init: RequestInit = {}) =>
    await fetch(url, {
      ...init,
      headers: {
        ...(init.headers as Record<string, string>),
        authorization: `Bearer ${s.token}`,
        'apollo-require-preflight': 'true',
      },
    }),
});

describe('/graphql', () => {
  it.each(audits)('$name ($id)', async ({ id, fn }) => {
    const result = await fn();
    const reason = result.status === 'ok' ? null : result.reason;
    if (notFollowed.has(id)) expect(result.status).toBe('warn');
    else expect([result.status, reason]).toEqual(['ok', null]);
  });

  it('is compared with every audit that is not followed', () => {
    const ids = new Set(audits.map(({ id }) => id));
    expect([...notFollowed.keys()].filter((id) => !ids.has(id))).toEqual([]);
    expect(audits.length).toBeGreaterThan(50);
  });
});
