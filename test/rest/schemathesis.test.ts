import { it } from 'vitest';
import { writeFileSync } from 'node:fs';
import { startServer } from '../support/server.ts';
import { prepareRepository } from './contract/repository.ts';
it('x', { timeout: 600_000 }, async () => {
  const server = await startServer({ rateLimit: { perSecond: 1e6, burst: 1e6 } });
  const repo = await prepareRepository(server);
  console.log(repo);
  writeFileSync('/tmp/server.json', JSON.stringify({ url: server.url, token: server.token, db: server.databaseUrl }));
  await new Promise((r) => setTimeout(r, 590_000));
});
