// An installation in which each machine has a disk of its own (GITHUB_MIRRORS=own), as in pods without a shared volume.
// It makes no repositories of the local host, because they would be lost. Repositories that exist continue to work.
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { importRepository, type ImportTarget } from '../../src/import-repository.ts';
import { createLog } from '../../src/platform/logging.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { commit, git, tip } from './commits.ts';

const mirrors = { keepsAtGitHub: true, maxBytes: null };
const reasonAndCure =
  /Each machine of this installation has a disk of its own \(GITHUB_MIRRORS=own\).* would be lost with its machine\. Use a repository at GitHub, or .* set GITHUB_MIRRORS=shared/;
const lines: string[] = [];

let s: TestServer;
/** A server with GITHUB_MIRRORS=own on the data directory of `s`, where repositories exist. */
let own: Awaited<ReturnType<TestServer['another']>>;
/** A server with GITHUB_MIRRORS=own on an empty data directory, like a new pod. */
let pod: Awaited<ReturnType<TestServer['another']>>;
let emptyDisk = '';
let source = '';
beforeAll(async () => {
  const log = createLog({ level: 'warn', secrets: [], destination: { write: (line) => void lines.push(line) } });
  s = await startServer({ log });
  source = mkdtempSync(join(tmpdir(), 'interlock-source-'));
  git(source, 'init', '--quiet', '--bare', '--initial-branch=trunk');
  commit(source, { branch: 'trunk', files: { 'a.txt': 'a\n' } });
  await importRepository(targetOf(s), { owner: 'acme', name: 'known' }, source);
  emptyDisk = await mkdtemp(join(tmpdir(), 'interlock-pod-'));
  own = await s.another({ mirrors });
  pod = await s.another({ mirrors, dataDir: emptyDisk });
});
afterAll(async () => {
  await s.close();
  rmSync(source, { recursive: true });
  await rm(emptyDisk, { recursive: true });
});

const targetOf = ({ service }: Pick<TestServer, 'service'>): ImportTarget => ({
  service,
  ctx: systemContext(service.ports, s.accountId),
  databaseUrl: s.databaseUrl,
});

async function create(url: string, name: string): Promise<{ data: unknown; errors?: readonly unknown[] }> {
  const query = `mutation { createRepository(input: {owner: "acme", name: "${name}", host: LOCAL}) { repository { name } } }`;
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${s.token}` },
    body: JSON.stringify({ query }),
  });
  return (await answer.json()) as { data: unknown; errors?: readonly unknown[] };
}

const namesOfRepositories = async (): Promise<readonly string[]> =>
  (await s.rows<{ name: string }>('select name from repository order by name')).map(({ name }) => name);

it('createRepository with host LOCAL is refused with the field, the reason and what to do, and leaves no row', async () => {
  const { errors } = await create(own.url, 'new');
  expect(errors).toMatchObject([
    { message: expect.stringMatching(reasonAndCure), extensions: { code: 'NOT_SUPPORTED', field: 'input.host' } },
  ]);
  expect(await namesOfRepositories()).toEqual(['known']);
  // The same request succeeds at a server whose machines share the data directory.
  expect(await create(s.url, 'new')).toEqual({ data: { createRepository: { repository: { name: 'new' } } } });
});

it('an import of a new repository is refused with the same reason, and leaves no row', async () => {
  await expect(importRepository(targetOf(own), { owner: 'acme', name: 'imported' }, source)).rejects.toThrow(
    reasonAndCure,
  );
  expect(await namesOfRepositories()).not.toContain('imported');
});

it('a repository that exists keeps its name, and can be imported again on the disk that has it, and on no other', async () => {
  expect((await create(own.url, 'known')).errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
  const name = { owner: 'acme', name: 'known' };
  commit(source, { branch: 'trunk', files: { 'b.txt': 'b\n' } });
  await importRepository(targetOf(own), name, source);
  const [row] = await s.rows<{ id: string }>("select id from repository where name = 'known'");
  const { directoryOf } = s.service.localHost.installation;
  expect(tip(directoryOf({ accountId: s.accountId, id: row?.id ?? '' }), 'trunk')).toBe(tip(source, 'trunk'));
  await expect(importRepository(targetOf(pod), name, source)).rejects.toThrow(reasonAndCure);
});

it('at its start a server names the repositories that are in danger', async () => {
  await expect
    .poll(() => lines.map((line) => JSON.parse(line) as { msg: string; repositories?: unknown }))
    .toContainEqual(
      expect.objectContaining({
        level: 40,
        msg: expect.stringContaining('GITHUB_MIRRORS=shared'),
        repositories: ['acme/known'],
      }),
    );
});

it('a server names twenty of them, and says how many more there are', async () => {
  await s.rows(
    `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
     select $1, 'acme', 'more-' || n, 'local', '', '' from generate_series(1, 24) n`,
    [s.accountId],
  );
  const more = (await namesOfRepositories()).length - 20;
  lines.splice(0);
  await s.another({ mirrors });
  await expect
    .poll(() => lines.map((line) => JSON.parse(line) as { msg: string; repositories?: readonly string[] }))
    .toContainEqual(
      expect.objectContaining({
        msg: expect.stringContaining(`These repositories of the local host and ${more} more would be lost`),
        repositories: expect.objectContaining({ length: 20 }),
      }),
    );
});
