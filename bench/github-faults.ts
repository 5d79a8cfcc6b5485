// Many landings at the emulator of GitHub on a bad day: calls fail before and after they have done their work, webhooks are
// lost, doubled and out of order, and GitHub's records trail behind git. Interlock runs as under `npm start`, and Temporal
// tries again what failed. In the end nothing may be lost, land twice or have made a base red, and every proof must hold.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Octokit } from '@octokit/core';
import pg from 'pg';
import { createClient, gitWith, type Client, type RunGit } from '../src/demo/client.ts';
import type { GitHubPerson } from '../src/demo/host.ts';
import { createProgress } from '../src/launcher/progress.ts';
import { readRuntime } from '../src/launcher/runtime.ts';
import { projectRoot } from '../src/platform/project-root.ts';
import { startInterlock } from '../src/start.ts';
import { table } from './timing.ts';

export interface FaultsOptions {
  /** Pull requests in all. One of twenty is red alone. */
  readonly landings: number;
  readonly repositories: number;
  readonly batch: number;
}

const owner = 'acme';
const isRed = (index: number): boolean => index % 20 === 13;
const pushPace = { perMinute: 600, gatherMs: 1_000 };
/** A landing of GitHub takes a second of CPU and more; a busy machine has little of it. */
const longestMs = 90 * 60_000;
const unbounded = 1_000_000;
const limits = {
  restPerHour: unbounded,
  graphqlPerHour: unbounded,
  pointsPerMinute: unbounded,
  graphqlPointsPerMinute: unbounded,
  contentPerMinute: unbounded,
  contentPerHour: unbounded,
};

const configurationOf = (batch: number): string => `merge_rules:
  labels:
    trigger: mergequeue
  preconditions:
    number_of_approvals: 0
    use_github_mergeability: false
    required_checks: [test]
  merge_strategy:
    name: merge
  status_comment:
    publish: never
  publish_status_check: never
  merge_mode:
    type: parallel
    parallel_mode:
      max_parallel_builds: 3
      batch_size: ${batch}
`;

const workflow = `name: ci
on:
  push:
    branches: ['mq-bot-**']
  pull_request:
jobs:
  test:
    if: \${{ !startsWith(github.head_ref, 'mq-bot-') }}
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: test -z "$(ls | grep '^bad')"
`;

interface Bench {
  readonly client: Client;
  readonly person: GitHubPerson;
  readonly octokit: Octokit;
  readonly git: RunGit;
  readonly folder: string;
  readonly rows: <Row extends object>(text: string) => Promise<Row[]>;
  readonly turnKnobs: (knobs: Readonly<Record<string, readonly unknown[]>>) => Promise<void>;
  readonly shops: readonly Shop[];
}

interface Shop {
  readonly name: string;
  readonly count: number;
}

/** Answers what is wrong. Nothing: all is well. */
export async function benchGitHubFaults(options: FaultsOptions): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ghf-'));
  const dataDir = join(folder, 'data');
  const interlock = await startInterlock(
    {
      dataDir,
      port: 0,
      host: '127.0.0.1',
      databaseUrl: null,
      temporalAddress: null,
      reset: false,
      ciConcurrency: 1,
      github: { kind: 'emulator', port: 0, owner, hasRepository: false },
      pushPace,
    },
    createProgress(say),
  );
  const runtime = await readRuntime(dataDir);
  const database = new pg.Client({ connectionString: runtime?.databaseUrl });
  await database.connect();
  try {
    const { githubPerson: person } = interlock;
    if (person === null) throw new Error('There is no emulator.');
    const each = Math.ceil(options.landings / options.repositories);
    const bench: Bench = {
      client: createClient(interlock),
      person,
      octokit: new Octokit({ baseUrl: person.apiUrl, auth: person.token }),
      git: gitWith(person.token),
      folder,
      rows: async <Row extends object>(text: string) => (await database.query<Row>(text)).rows,
      turnKnobs: async (knobs) => {
        const body = JSON.stringify(knobs);
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(`${person.webUrl}/_emulator/knobs`, { method: 'POST', headers, body });
        if (!answer.ok) throw new Error(`The emulator answered ${answer.status}: ${await answer.text()}`);
      },
      shops: Array.from({ length: options.repositories }, (_, index) => ({ name: `shop-${index + 1}`, count: each })),
    };
    return await landAll(bench, interlock.url, dataDir, options);
  } finally {
    await database.end();
    await interlock.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function landAll(bench: Bench, url: string, dataDir: string, options: FaultsOptions): Promise<readonly string[]> {
  await bench.turnKnobs({ limits: [limits] });
  await openAll(bench, url, options);
  say(`${bench.shops.length} repositories with ${bench.shops[0]?.count} pull requests each are open`);
  await bench.turnKnobs({ webhooks: [{ drop: 0.1, double: 0.1, reorder: 3 }] });
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await inEach(bench, async (shop) => await labelAll(bench, shop));
  await bench.turnKnobs({ fail: [{ rate: 0.05, when: 'before' }] });
  await bench.turnKnobs({ fail: [{ rate: 0.05, when: 'after' }] });
  const again = await untilDecided(bench, startedAt);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  await bench.turnKnobs({ clear: [] });
  await bench.turnKnobs({ limits: [limits] });
  await untilQuiet(bench);
  const failures = [...(await checkRows(bench))];
  for (const shop of bench.shops) failures.push(...(await checkHistory(bench, shop)), ...(await verify(shop, dataDir)));
  const [count] = await bench.rows<{ merged: string; landings: string; batches: string; tries: string }>(
    `select (select count(*) from landed_member) as merged, (select count(*) from landing) as landings,
            (select count(*) from batch) as batches, (select coalesce(sum(attempt), 0) from intent where kind = 'land') as tries`,
  );
  const cells = [
    ['pull requests landed', count?.merged ?? ''],
    ['landings', count?.landings ?? ''],
    ['attempts at landings', count?.tries ?? ''],
    ['builds', count?.batches ?? ''],
    ['queued again, because no check had started', String(again)],
    ['seconds', seconds.toFixed(0)],
    ['seconds of CPU of server and worker', ((user + system) / 1e6).toFixed(0)],
    ['wrong', String(failures.length)],
  ];
  say(`\n${table(['what', 'figure'], cells)}`);
  return failures;
}

async function inEach(bench: Bench, work: (shop: Shop) => Promise<void>): Promise<void> {
  await Promise.all(bench.shops.map(work));
}

async function openAll(bench: Bench, url: string, { batch }: FaultsOptions): Promise<void> {
  const { client, octokit, shops } = bench;
  for (const { name } of shops) await octokit.request('POST /orgs/{org}/repos', { org: owner, name });
  await fetch(`${url}/github/installed`);
  await inEach(bench, async ({ name }) => {
    await client.graphql(
      'mutation ($repository: RepositoryInput!) { setRepositoryActive(input: {repository: $repository, active: true}) { repository { id } } }',
      { repository: { owner, name } },
    );
    await client.rest('POST', `/api/v1/config?org=${owner}&repo=${name}`, configurationOf(batch));
  });
  for (const shop of shops) await pushAll(bench, shop);
  await inEach(bench, async ({ name, count }) => {
    for (let index = 1; index <= count; index += 1)
      await octokit.request('POST /repos/{owner}/{repo}/pulls', {
        owner,
        repo: name,
        title: `Change ${index}`,
        head: `change-${index}`,
        base: 'main',
      });
  });
}

async function pushAll({ git, folder, person }: Bench, { name, count }: Shop): Promise<void> {
  const directory = join(folder, name);
  const text = (words: string): string => `data ${Buffer.byteLength(words)}\n${words}\n`;
  const author = 'committer Ada <ada@example.test> 1700000000 +0000\n';
  const branches = Array.from({ length: count }, (_, at) => at + 1).map((index) => {
    const file = isRed(index) ? `bad-${index}` : `file-${index}`;
    return `commit refs/heads/change-${index}\n${author}${text(`Change ${index}`)}from :1\nM 100644 inline ${file}\n${text(`${index}\n`)}`;
  });
  const stream = `commit refs/heads/main\nmark :1\n${author}${text('First')}M 100644 inline .github/workflows/ci.yml\n${text(workflow)}${branches.join('')}done\n`;
  await git(folder, 'init', '-q', '-b', 'main', '--bare', name);
  const importing = promisify(execFile)('git', ['fast-import', '--quiet', '--done'], { cwd: directory });
  importing.child.stdin?.end(stream);
  await importing;
  const remote = `${person.webUrl}/${owner}/${name}.git`;
  await git(directory, 'push', '-q', remote, 'main');
  await git(directory, 'push', '-q', remote, '--all');
}

async function labelAll({ octokit }: Bench, { name, count }: Shop): Promise<void> {
  for (let issue_number = 1; issue_number <= count; issue_number += 1)
    await octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
      owner,
      repo: name,
      issue_number,
      labels: ['mergequeue'],
    });
}

/**
 * Where the emulator has not started a check a minute after the push, because the machine is busy, the pull request is
 * blocked. A person queues it again. Answers how many.
 */
async function queueAgain({ client, rows }: Bench): Promise<number> {
  const unstarted = await rows<{ name: string; number: number }>(
    `select r.name, p.number from pull_request p join repository r on r.id = p.repository_id
     where p.status = 'blocked' and p.status_text like '%did not run%'`,
  );
  for (const { name, number } of unstarted) {
    const pull_request = { number, repository: { org: owner, name } };
    // Interlock may fail to reach GitHub for it: the next look asks again.
    await client.rest('POST', '/api/v1/pull_request', { action: 'queue', pull_request }).catch(() => {});
  }
  return unstarted.length;
}

/**
 * Until each is merged or blocked. Meanwhile GitHub's records trail for two seconds of each ten. Answers how often a pull
 * request was queued again.
 */
async function untilDecided(bench: Bench, startedAt: number): Promise<number> {
  const all = bench.shops.reduce((sum, { count }) => sum + count, 0);
  let isCatchingUp = false;
  let again = 0;
  for (let looks = 1; ; looks += 1) {
    const now = await queueAgain(bench);
    again += now;
    const found = await bench.rows<{ status: string; n: number }>(
      'select status, count(*)::int as n from pull_request group by status order by status',
    );
    const decided = found.filter(({ status }) => status === 'merged' || status === 'blocked');
    const passedMs = performance.now() - startedAt;
    if (looks % 3 === 1)
      say(
        `${(passedMs / 1000).toFixed(0).padStart(6)} s  ${found.map(({ status, n }) => `${n} ${status}`).join(', ')}`,
      );
    if (decided.reduce((sum, { n }) => sum + n, 0) === all && now === 0) return again;
    if (passedMs > longestMs) throw new Error('The pull requests did not land.');
    if (!isCatchingUp) {
      isCatchingUp = true;
      await bench.turnKnobs({ lag: [true] });
      await delay(2_000);
      void bench.turnKnobs({ lag: [false] }).finally(() => (isCatchingUp = false));
    }
    await delay(8_000);
  }
}

async function untilQuiet(bench: Bench): Promise<void> {
  const deadline = performance.now() + longestMs;
  for (;;) {
    const [open] = await bench.rows<{ n: number }>(
      `select ((select count(*) from batch where cleaned_up_at is null)
             + (select count(*) from intent where state in ('planned', 'begun')))::int as n`,
    );
    if (open?.n === 0) return;
    if (performance.now() > deadline) throw new Error(`${open?.n} effects are not done.`);
    await delay(500);
  }
}

/** Each pull request has the end that it should have, and none landed twice. */
async function checkRows({ rows }: Bench): Promise<readonly string[]> {
  const found = await rows<{ name: string; number: number; status: string; landings: number }>(
    `select r.name, p.number, p.status, (select count(*)::int from landed_member m where m.pull_request_id = p.id) as landings
     from pull_request p join repository r on r.id = p.repository_id order by r.name, p.number`,
  );
  return found.flatMap(({ name, number, status, landings }) => {
    const should = isRed(number) ? 'blocked 0' : 'merged 1';
    const is = `${status} ${landings}`;
    return is === should ? [] : [`${name}#${number} is ${is}, not ${should} (status, landings)`];
  });
}

/** The first-parent line has the first commit and one for each landing, and none of its trees is red. */
async function checkHistory({ git, folder, person, rows }: Bench, { name }: Shop): Promise<readonly string[]> {
  const directory = join(folder, name);
  await git(directory, 'fetch', '-q', '--force', `${person.webUrl}/${owner}/${name}.git`, 'main:refs/heads/landed');
  const commits = (await git(directory, 'log', '--first-parent', '--format=%H', 'landed')).split('\n');
  const failures: string[] = [];
  for (const commit of commits)
    if (/^bad/m.test(await git(directory, 'ls-tree', '--name-only', commit)))
      failures.push(`${name} is red at ${commit}`);
  const landed = await rows<{ commit: string }>(
    `select l.commit from landing l join repository r on r.id = l.repository_id where r.name = '${name}'`,
  );
  const line = commits.slice(0, -1).toSorted().join();
  const known = landed
    .map(({ commit }) => commit)
    .toSorted()
    .join();
  return line === known ? failures : [...failures, `${name} has other commits on its line than landings`];
}

async function verify({ name }: Shop, dataDir: string): Promise<readonly string[]> {
  const program = join(projectRoot, 'dist', 'src', 'verify.js');
  return await promisify(execFile)(process.execPath, [program, `${owner}/${name}`, '--data', dataDir]).then(
    () => [],
    (error: unknown) => [`not every proof of ${name} holds: ${(error as { stdout?: string }).stdout ?? ''}`],
  );
}

function say(line: string): void {
  console.log(line);
}
