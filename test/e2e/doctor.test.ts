// `npm run doctor` without a repository, on a database in which all invariants hold, and in which one does not.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invariantNames } from '../../src/domain/health/invariants.ts';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/launcher/postgres.ts';
import { dataDirectory, type EndedProgram, removeDirectory, runProgram } from './interlock.ts';

let dataDir = '';
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  dataDir = await dataDirectory();
  postgres = await startPostgres({ dataDir, cacheDir: defaultCacheDirectory(), fast: true, log: () => {} });
});
afterAll(async () => {
  await postgres.stop();
  await removeDirectory(dataDir);
});

const doctor = async (...args: string[]): Promise<EndedProgram> =>
  await runProgram('doctor', ['--data', dataDir, '--database-url', postgres.url, ...args]).ended;

/** A line for each invariant: whether it holds, and its name. */
function lines({ said }: EndedProgram): (readonly [string, string])[] {
  return [...said.matchAll(/^(holds|broken) +(\w+): \S.*$/gm)].map(([, state = '', name = '']) => [state, name]);
}

/** The row of a preview that ended an hour ago and was not removed. */
async function plantOrphan(): Promise<string> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  // Turns foreign keys off, because there is no verification with this id.
  await client.query("set session_replication_role = 'replica'");
  const { rows } = await client.query<{ id: string }>("insert into account (name) values ('acme') returning id");
  const account = rows[0]?.id ?? '';
  await client.query(
    `insert into preview_sandbox (account_id, verification_id, name, kind, state, slug, port, expires_at, created_at)
     values ($1, 1, 'interlock-preview-1', 'process', 'ready', 's', 1, now() - interval '1 hour', now())`,
    [account],
  );
  await client.end();
  return account;
}

test('the doctor exits with 0 if all invariants hold, and with 1 if one does not, which it names', async () => {
  const well = await doctor();
  expect(well.code, well.said).toBe(0);
  expect(lines(well)).toEqual(invariantNames.map((name) => ['holds', name]));
  expect(well.said).toMatch(/\n0 violations, found in \d+ ms\.\n$/);

  const account = await plantOrphan();
  const broken = await doctor();
  expect(broken.code, broken.said).toBe(1);
  expect(lines(broken)).toEqual(invariantNames.map((name) => [name === 'no_orphans' ? 'broken' : 'holds', name]));
  expect(broken.said).toMatch(
    new RegExp(`\\n +account ${account}: The sandbox interlock-preview-1 of a preview should have been gone at `),
  );
  expect(broken.said).toMatch(/\n1 violation, found in \d+ ms\.\n$/);

  const asJson = await doctor('--json');
  expect([asJson.code, asJson.stderr]).toEqual([1, '']);
  expect(JSON.parse(asJson.said)).toEqual({
    tookMs: expect.any(Number),
    uncompared: [],
    violations: [{ invariant: 'no_orphans', account, sentence: expect.stringContaining('interlock-preview-1') }],
  });
});
