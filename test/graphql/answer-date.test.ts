// The dashboard goes by the header `Date` of the answers of GraphQL, so that it agrees with the instants in them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

const ofDatabase = new Date('2026-01-05T00:00:00Z');

let s: TestServer;
beforeAll(async () => {
  s = await startServer({ clock: () => ofDatabase });
});
afterAll(async () => await s.close());

describe('the header Date, if the clock of the machine differs from that of the database', () => {
  it.each([
    { of: 'an answer', token: () => s.token, status: 200 },
    { of: 'a refusal', token: () => 'wrong', status: 401 },
  ])('has the time of the database in $of of GraphQL', async ({ token, status }) => {
    const answer = await fetch(`${s.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token()}` },
      body: JSON.stringify({ query: '{ viewer { email } }' }),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('date')).toBe(ofDatabase.toUTCString());
  });

  it('has the time of the machine in other answers', async () => {
    const { headers } = await fetch(`${s.url}/readyz`);
    expect(Math.abs(Date.parse(headers.get('date') ?? '') - Date.now())).toBeLessThan(60_000);
  });
});
