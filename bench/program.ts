// Starts Interlock as `npm start` does, in a process tree of its own, and measures its CPU and memory from outside.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { createClient, type Client } from '../src/demo/client.ts';
import { readAccess } from '../src/launcher/access.ts';
import { readRuntime } from '../src/launcher/runtime.ts';
import { projectRoot } from '../src/platform/project-root.ts';
import { cpuByProgram, memoryByProgram, memoryOfTree } from './process-cpu.ts';

export interface Program {
  readonly client: Client;
  readonly dataDir: string;
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  /** The process that is server and worker. */
  readonly pid: number;
  readonly rows: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  /** The seconds of CPU that the process tree has used so far, by program. */
  cpu(): Promise<ReadonlyMap<string, number>>;
  /** The bytes of memory that the process tree uses. A page that several processes share counts once. */
  memory(): Promise<number>;
  /** The same by program. A page that several processes share is divided equally among them. */
  memoryByProgram(): Promise<ReadonlyMap<string, number>>;
}

export interface ProgramOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
}

const startsWithinMs = 120_000;

export async function withProgram<Answer>(
  work: (program: Program) => Promise<Answer>,
  { environment = {}, nodeFlags = [] }: ProgramOptions = {},
): Promise<Answer> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
  const dataDir = join(folder, 'data');
  const main = join(projectRoot, 'dist', 'programs', 'main.js');
  const child = spawn(process.execPath, [...nodeFlags, main, '--no-demo', '--port', '0', '--data', dataDir], {
    stdio: ['ignore', 'ignore', 'inherit'],
    // The program stops when this process has ended for any reason.
    env: { ...process.env, INTERLOCK_PARENT: String(process.pid), ...environment },
  });
  const exited = once(child, 'exit');
  try {
    const access = await untilReady(dataDir, exited);
    const runtime = await readRuntime(dataDir);
    const ports = JSON.parse(await readFile(join(dataDir, 'temporal-ports.json'), 'utf8')) as { readonly port: number };
    const databaseUrl = runtime?.databaseUrl ?? '';
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    try {
      const pid = child.pid ?? 0;
      return await work({
        client: createClient(access),
        dataDir,
        temporalAddress: `127.0.0.1:${ports.port}`,
        databaseUrl,
        pid,
        rows: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
          (await database.query<Row>(text, [...values])).rows,
        cpu: async () => await cpuByProgram(pid),
        memory: async () => await memoryOfTree(pid),
        memoryByProgram: async () => await memoryByProgram(pid),
      });
    } finally {
      await database.end();
    }
  } finally {
    child.kill('SIGINT');
    await exited;
    await rm(folder, { recursive: true, force: true });
  }
}

async function untilReady(dataDir: string, exited: Promise<unknown>): Promise<{ url: string; token: string }> {
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  const deadline = performance.now() + startsWithinMs;
  for (;;) {
    const access = await readAccess(dataDir);
    if (access !== null) return access;
    if (hasExited || performance.now() > deadline) throw new Error('Interlock did not start. Its output is above.');
    await delay(50);
  }
}

/** Seconds of CPU between two readings. */
export function spentBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  return sumOf(after) - sumOf(before);
}

export function sumOf(seconds: ReadonlyMap<string, number>): number {
  return [...seconds.values()].reduce((sum, each) => sum + each, 0);
}

export interface Shop {
  readonly owner: string;
  readonly name: string;
}

export interface ShopOptions {
  readonly name: string;
  /** The value of `batch_size`. */
  readonly batch: number;
  readonly pullRequests: number;
}

/** Three builds run at once, each with up to `batch` pull requests. */
export const configurationOf = (batch: number): string => `merge_rules:
  labels:
    trigger: mergequeue
  merge_mode:
    type: parallel
    parallel_mode:
      max_parallel_builds: 3
      batch_size: ${batch}
`;

/**
 * Creates a repository whose check takes no time, and opens pull requests. Their own checks may still run when this
 * function returns.
 */
export async function openShop(program: Program, { name, batch, pullRequests }: ShopOptions): Promise<Shop> {
  const shop = { owner: 'acme', name };
  const { client } = program;
  await client.graphql(
    'mutation ($owner: String!, $name: String!) { createRepository(input: {owner: $owner, name: $name, host: LOCAL}) { repository { id } } }',
    shop,
  );
  await client.rest('POST', `/api/v1/config?org=${shop.owner}&repo=${name}`, configurationOf(batch));
  await push(program, shop, pullRequests);
  for (let number = 1; number <= pullRequests; number += 1)
    await client.graphql(
      `mutation ($owner: String!, $name: String!, $branch: String!) {
         openPullRequest(input: {repository: {owner: $owner, name: $name}, title: $branch, body: "", headBranch: $branch, baseBranch: "main"}) { pullRequest { number } } }`,
      { ...shop, branch: `change-${number}` },
    );
  return shop;
}

/** Waits until every check has ended and every queue is planned with the results. */
export async function untilChecked(program: Program): Promise<void> {
  await until(
    async () =>
      (await program.rows("select 1 from local_check_run where state <> 'completed' limit 1")).length === 0 &&
      (await program.rows('select 1 from queue where version <> planned_version limit 1')).length === 0,
  );
}

export async function queueOne({ client }: Program, { owner, name }: Shop, number: number): Promise<void> {
  const pull_request = { number, repository: { org: owner, name } };
  await client.rest('POST', '/api/v1/pull_request', { action: 'queue', pull_request });
}

export async function pause({ client }: Program, repository: Shop, paused: boolean): Promise<void> {
  await client.graphql(
    'mutation ($repository: RepositoryInput!, $paused: Boolean!) { pauseRepository(input: {repository: $repository, paused: $paused}) { repository { id } } }',
    { repository, paused },
  );
}

export async function untilLanded(program: Program, count: number): Promise<void> {
  await until(async () => {
    const [row] = await program.rows<{ landed: number; stuck: number }>(
      `select (select count(*)::int from landed_member) as landed,
              (select count(*)::int from pull_request where status = 'blocked') as stuck`,
    );
    if ((row?.stuck ?? 0) > 0) throw new Error('A pull request of the bench is blocked.');
    return (row?.landed ?? 0) >= count;
  });
}

/** Waits until every batch is cleaned up, and no intent is open at the host. */
export async function untilQuiet(program: Program): Promise<void> {
  await until(
    async () =>
      (await program.rows('select 1 from batch where cleaned_up_at is null limit 1')).length === 0 &&
      (await program.rows("select 1 from intent where state in ('planned', 'started') limit 1")).length === 0,
  );
}

const longestWaitMs = 10 * 60_000;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + longestWaitMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('The bench waited for ten minutes.');
    await delay(25);
  }
}

async function push({ client }: Program, { owner, name }: Shop, branches: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-push-'));
  try {
    await client.git(folder, 'init', '--quiet', '--bare');
    await importBranches(folder, branches);
    await client.git(folder, 'push', '--quiet', `${client.url}/git/${owner}/${name}.git`, 'main');
    await client.git(folder, 'push', '--quiet', `${client.url}/git/${owner}/${name}.git`, '--all');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Imports a base branch with a check, and a branch for each pull request. The branches begin at an earlier commit of
 * the base branch, so that no pull request is up to date.
 */
export async function importBranches(directory: string, branches: number): Promise<void> {
  const data = (text: string): string => `data ${text.length}\n${text}\n`;
  const commit = (branch: string, from: string, [path, text]: readonly [string, string]): string =>
    `commit refs/heads/${branch}\n${branch === 'main' && from === '' ? 'mark :1\n' : ''}committer Ada <ada@example.org> 1700000000 +0000\n${data('Change')}${from}M 100644 inline ${path}\n${data(text)}`;
  const stream = [
    commit('main', '', ['.service/ci.yml', "checks:\n  test:\n    run: 'true'\n"]),
    ...Array.from({ length: branches }, (_, n) => commit(`change-${n + 1}`, 'from :1\n', [`${n + 1}.txt`, 'new\n'])),
    commit('main', 'from :1\n', ['other.txt', 'other\n']),
    'done\n',
  ];
  const importing = promisify(execFile)('git', ['fast-import', '--quiet', '--done'], { cwd: directory });
  importing.child.stdin?.end(stream.join(''));
  await importing;
}
