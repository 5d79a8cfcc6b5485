// A server of GitHub that receives a call and never answers.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createOctokit } from '../../../src/hosts/github/octokit.ts';

it('every client ends a call that GitHub does not answer', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    for (const as of [undefined, { token: 'a-token' }])
      await expect(createOctokit({ apiUrl, timeoutMs: 20, ...(as && { as }) }).request('GET /user')).rejects.toThrow(
        'aborted due to timeout',
      );
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
