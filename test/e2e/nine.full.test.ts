// The main use of Interlock, over HTTP only. Nine pull requests are queued, in each mode of the queue at the same time:
// one fails its check, one conflicts and one comes late. Then the proofs are verified, before and after they are
// tampered with.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRuntime } from '../../src/launcher/runtime.ts';
import {
  dataDirectory,
  type EndedProgram,
  removeDirectory,
  type RunningInterlock,
  runProgram,
  startInterlock,
  stopInterlock,
} from './interlock.ts';
import { createTeamRepository, type Files, type TeamRepository } from './repository.ts';

const execute = promisify(execFile);

interface Verification {
  readonly baseBranch: string;
  readonly grades: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
}

// Every tea has a price above zero, and no two teas share a file.
const shop: Files = {
  '.service/ci.yml': 'checks:\n  prices:\n    run: sh check.sh\n    timeout: 60\n',
  'check.sh': 'for tea in teas/*; do test "$(cat "$tea")" -gt 0 || exit 1; done\n',
  'teas/assam': '4\n',
};

const good = ['sencha', 'matcha', 'chai', 'oolong', 'rooibos', 'jasmine'];
const teas: Readonly<Record<string, Files>> = {
  ...Object.fromEntries(good.map((tea, index) => [tea, { [`teas/${tea}`]: `${index + 5}\n` }])),
  water: { 'teas/water': '0\n' },
  // Conflicts with sencha, which is earlier in line.
  clash: { 'teas/sencha': '50\n' },
};
const late: Files = { 'teas/late': '9\n' };

const configurations = {
  parallel: `merge_rules:
  labels:
    trigger: mergequeue
  merge_mode:
    type: parallel
    parallel_mode:
      max_parallel_builds: 3
      batch_size: 3
`,
  serial: `merge_rules:
  labels:
    trigger: mergequeue
  merge_mode:
    type: default
`,
  default: null,
} as const;

let dataDir = '';
let interlock: RunningInterlock;
const repositories = new Map<string, TeamRepository>();

beforeAll(async () => {
  dataDir = await dataDirectory();
  interlock = await startInterlock(dataDir, ['--no-demo']);
});

afterAll(async () => {
  if (interlock) await stopInterlock(interlock);
  for (const repository of repositories.values()) await repository.remove();
  await removeDirectory(dataDir);
});

async function verify(repository: string): Promise<EndedProgram & { readonly verifications: readonly Verification[] }> {
  const ended = await runProgram('verify', [repository, '--data', dataDir, '--json']).ended;
  return { ...ended, verifications: JSON.parse(ended.said) as Verification[] };
}

async function inDatabase(statement: string, values: readonly unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: (await readRuntime(dataDir))?.databaseUrl ?? '' });
  await client.connect();
  try {
    const { rowCount } = await client.query(statement, [...values]);
    expect(rowCount).toBe(1);
  } finally {
    await client.end();
  }
}

async function queueAllTeas(repository: TeamRepository): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const [tea, files] of Object.entries(teas)) {
    await repository.push(tea, files, 'origin/main');
    numbers.set(tea, await repository.open(tea, `Sell ${tea}`));
  }
  for (const number of numbers.values()) await repository.queue(number);
  // The ninth pull request comes while the others are built.
  await repository.push('late', late, 'main');
  const number = await repository.open('late', 'Sell late');
  await repository.queue(number);
  return numbers.set('late', number);
}

/** Clones main, and finds its first-parent commits at which the check does not pass. */
async function readClone(
  repository: TeamRepository,
): Promise<{ clone: string; firstParents: string[]; red: string[] }> {
  const clone = await mkdtemp(join(tmpdir(), 'interlock-e2e-clone-'));
  const git = async (...args: string[]): Promise<string> => await interlock.client.git(clone, ...args);
  await git('clone', '-q', `${interlock.access.url}/git/${repository.name}.git`, '.');
  const firstParents = (await git('log', '--first-parent', '--format=%H', 'main')).split('\n');
  const red: string[] = [];
  for (const commit of firstParents) {
    await git('checkout', '-q', '--detach', commit);
    await execute('sh', ['check.sh'], { cwd: clone }).catch(() => red.push(commit));
  }
  await git('checkout', '-q', 'main');
  return { clone, firstParents, red };
}

describe.concurrent('nine pull requests queued over REST end as seven merged and two blocked', () => {
  test.each(Object.entries(configurations))('in %s mode', async (mode, configuration) => {
    const { client } = interlock;
    const repository = await createTeamRepository(client, mode, shop);
    repositories.set(mode, repository);
    await repository.git('fetch', '-q');
    const place = `/api/v1/config?org=team&repo=${mode}`;
    if (configuration !== null) expect(await client.rest('POST', place, configuration)).toEqual({ success: true });

    const numbers = await queueAllTeas(repository);
    await repository.settled([...numbers.values()], 150_000);

    const { clone, firstParents, red } = await readClone(repository);
    try {
      expect(red).toEqual([]);
      for (const [tea, number] of numbers) {
        const { status, statusCode, mergeCommit } = await repository.landing(number);
        if (tea === 'water' || tea === 'clash') {
          expect({ tea, status, statusCode }).toEqual({
            tea,
            status: 'BLOCKED',
            statusCode: tea === 'water' ? 107 : 106,
          });
          continue;
        }
        expect({ tea, status }).toEqual({ tea, status: 'MERGED' });
        expect(firstParents, tea).toContain(mergeCommit);
        for (const [path, text] of Object.entries(teas[tea] ?? late))
          expect(await readFile(join(clone, path), 'utf8'), tea).toBe(text);
      }
    } finally {
      await rm(clone, { recursive: true, force: true });
    }
    const { code, said, verifications } = await verify(repository.name);
    expect(code, said).toBe(0);
    const [main, ...others] = verifications;
    expect([main?.baseBranch, others.length]).toEqual(['main', 0]);
    expect(Object.keys(main?.grades ?? {}).filter((grade) => grade !== 'exact' && grade !== 'same_tree')).toEqual([]);
    // All first-parent commits came through the queue, except the first commit, which was there before.
    expect(Object.values(main?.grades ?? {}).reduce((sum, count) => sum + count, 0)).toBe(firstParents.length - 1);
  });
});

// These tests come after the landings above, and run one after the other, each on a repository of its own.
describe('verify finds', () => {
  test('a proof that was changed in the database', async () => {
    await inDatabase(
      `update proof set body = jsonb_set(body, '{grade}', '"same_tree"') where id = (
         select max(p.id) from proof p join queue q on q.id = p.queue_id join repository r on r.id = q.repository_id where r.name = $1)`,
      ['parallel'],
    );
    const { code, verifications } = await verify('team/parallel');
    expect(code).toBe(1);
    expect(verifications[0]?.failures.join('\n')).toMatch(/The proof of [0-9a-f]{40} was changed after it was written/);
  });

  test('a check result that was changed in the database', async () => {
    await inDatabase(
      `update check_result set conclusion = 'failure' where commit = (
         select p.body -> 'evidence' -> 0 ->> 'commit' from proof p join queue q on q.id = p.queue_id
         join repository r on r.id = q.repository_id where r.name = $1 order by p.id desc limit 1)`,
      ['serial'],
    );
    const { code, verifications } = await verify('team/serial');
    expect(code).toBe(1);
    expect(verifications[0]?.failures.join('\n')).toContain('no such result is on record: prices, attempt 1, success');
  });

  test('a commit that was pushed without the queue, and counts it as external', async () => {
    const repository = repositories.get('default');
    if (repository === undefined) throw new Error('Its landings failed above.');
    await repository.git('fetch', '-q');
    await repository.push('main', { 'teas/outside': '3\n' }, 'origin/main');
    const { code, said, verifications } = await verify(repository.name);
    expect(code, said).toBe(0);
    expect(verifications[0]?.grades['external']).toBe(1);
  });

  test('landings that a forced base branch has lost', async () => {
    const repository = repositories.get('default');
    if (repository === undefined) throw new Error('Its landings failed above.');
    const [first] = (await repository.git('rev-list', '--max-parents=0', 'origin/main')).split('\n');
    await expect(repository.git('push', '-q', '--force', 'origin', `${first}:main`)).rejects.toThrow(
      /force|denied|non-fast/i,
    );
    // Changes the repository on the disk, without any guard.
    await execute('git', ['--git-dir', await directoryOf(repository), 'update-ref', 'refs/heads/main', first ?? '']);
    const { code, verifications } = await verify(repository.name);
    expect(code).toBe(1);
    expect(verifications[0]?.failures.join('\n')).toContain('landed, but is not on the first-parent line of main');
  });
});

async function directoryOf(repository: TeamRepository): Promise<string> {
  const client = new pg.Client({ connectionString: (await readRuntime(dataDir))?.databaseUrl ?? '' });
  await client.connect();
  try {
    const { rows } = await client.query<{ account_id: string; id: string }>(
      `select account_id, id from repository where owner || '/' || name = $1`,
      [repository.name],
    );
    return join(dataDir, 'git', rows[0]?.account_id ?? '', `${rows[0]?.id}.git`);
  } finally {
    await client.end();
  }
}
