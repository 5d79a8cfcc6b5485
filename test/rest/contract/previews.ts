// Registers a preview as CI does, in the repository that the examples use.
import type { TestServer } from '../../support/server.ts';
import { makeRepository } from './repository.ts';

export async function prepareEndpoint(server: TestServer): Promise<void> {
  await makeRepository(server, { owner: 'acme', name: 'idle' });
  const answer = await server.rest('POST', '/api/v1/config?org=acme&repo=idle', {
    body: 'verify: {preview: [{method: endpoint}]}',
  });
  if (answer.status !== 200) throw new Error(await answer.text());
}
