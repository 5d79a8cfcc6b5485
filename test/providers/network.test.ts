// Under `npm start`, commands of the operator may use the network of the machine until there is a second account.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { networkFrom } from '../../src/providers.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
});
afterAll(async () => await s.close());

test('commands may use the network while there is one account, or if the setting says so', async () => {
  const network = networkFrom(null, s.ports);
  const isGiven = async (): Promise<boolean> => (typeof network === 'boolean' ? network : await network());
  expect(await isGiven()).toBe(true);
  await s.otherAccount();
  expect(await isGiven()).toBe(false);
  expect([networkFrom(true, s.ports), networkFrom(false, s.ports)]).toEqual([true, false]);
});
