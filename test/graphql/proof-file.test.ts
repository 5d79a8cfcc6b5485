// Who may read the file of proofs and the script that checks the proofs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ProofFile } from '../../src/modules/proofs/index.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { prepareRepository, type PreparedRepository } from '../rest/contract/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
let repository: PreparedRepository;
beforeAll(async () => {
  s = await startServer();
  repository = await prepareRepository(s);
});
afterAll(async () => await s.close());

async function get(path: string, token?: string): Promise<Response> {
  return await fetch(`${s.url}${path}`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
}

it('a token that may read the queue gets the file, with the same keys as `installation.proofKeys`', async () => {
  const answer = await get(`/${repository.org}/${repository.name}/proofs.json`, await s.tokenWith(['queue:read']));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const file = (await answer.json()) as ProofFile;
  expect(file.repository).toBe(`${repository.org}/${repository.name}`);
  expect(file.keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  const { data } = await s.graphql<{ installation: { proofKeys: string[] } }>('{ installation { proofKeys } }');
  expect(data.installation.proofKeys).toEqual(file.keys);
});

it.each([
  ['a token without the scope', 403, async () => await s.tokenWith(['release:read'])],
  ['no token', 401, async () => await Promise.resolve(undefined)],
])('the file is refused for %s', async (_who, status, token) => {
  expect((await get(`/${repository.org}/${repository.name}/proofs.json`, await token())).status).toBe(status);
});

it('another account gets the same answer as for a repository that does not exist', async () => {
  const other = await s.otherAccount();
  const answers = await Promise.all(
    [`/${repository.org}/${repository.name}/proofs.json`, '/no/such/proofs.json'].map(async (path) => {
      const answer = await get(path, other.token);
      return [answer.status, await answer.text()];
    }),
  );
  expect(answers[0]).toEqual([404, '{"error":"Repository not found"}']);
  expect(answers[1]).toEqual(answers[0]);
});

it('the script needs no token', async () => {
  const answer = await get('/proofs/verify.py');
  expect(await answer.text()).toBe(await readFile(join(projectRoot, 'proofs', 'verify.py'), 'utf8'));
});
