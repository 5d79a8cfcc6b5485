// `npm run chaos`: random kills and network faults while pull requests are queued, deployments run and webhooks are
// sent. At the end each good pull request has landed once, each webhook was received, every proof is derived again, and
// every invariant holds.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { percentiles, planFaults, startInstallation, retryUnanswered, type Installation } from './chaos.ts';
import { until } from './interlock.ts';
import { createTeamRepository, type TeamRepository } from './repository.ts';

const faults = Number(process.env['CHAOS_KILLS'] ?? 16);
const seed = Number(process.env['CHAOS_SEED'] ?? 1);
const queuedAtStart = 6;
const queuedPerFault = 2;

let installation: Installation;
let shop: TeamRepository;
const good: number[] = [];
const bad: number[] = [];

beforeAll(async () => {
  installation = await startInstallation();
  shop = await createTeamRepository(installation.client, 'shop', {
    '.service/ci.yml': "checks:\n  test:\n    run: 'sleep 0.5; ! ls | grep -q bad'\n",
    '.service/config.yml':
      'merge_rules:\n  labels:\n    trigger: mergequeue\n  merge_mode:\n    type: parallel\n    parallel_mode:\n      max_parallel_builds: 4\n      batch_size: 1\n',
  });
  await installation.client.graphql(
    `mutation { createReleaseProject(input: {name: "shop", repository: {owner: "team", name: "shop"}}) { releaseProject { id } } }`,
  );
  await installation.client.graphql(
    `mutation { createEnvironment(input: {project: "shop", name: "production", tier: PRODUCTION, provider: {kind: COMMAND, command: "sleep 0.3"}}) { environment { id } } }`,
  );
}, 120_000);
afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await shop.remove();
}, 120_000);

/** Opens and queues pull requests. The check of every seventh fails. */
async function queuePullRequests(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const at = good.length + bad.length + 1;
    const fails = at % 7 === 0;
    const branch = `change-${at}`;
    await retryUnanswered(
      async () => await shop.push(branch, { [`${fails ? 'bad' : 'file'}-${at}`]: 'x\n' }, 'origin/main'),
    );
    const number = await retryUnanswered(async () => await openOnce(branch));
    await retryUnanswered(async () => await shop.queue(number));
    (fails ? bad : good).push(number);
  }
}

/**
 * Opens a pull request and returns its number. If the answer of an earlier attempt was lost, the pull request exists
 * already.
 */
async function openOnce(branch: string): Promise<number> {
  const { repository } = await installation.client.graphql<{
    repository: { pullRequests: { nodes: { number: number; headBranch: string }[] } };
  }>(`{ repository(owner: "team", name: "shop") { pullRequests(first: 20) { nodes { number headBranch } } } }`);
  const known = repository.pullRequests.nodes.find(({ headBranch }) => headBranch === branch);
  return known?.number ?? (await shop.open(branch, `Change ${branch}`));
}

const tipOfMain = async (): Promise<string> =>
  (await retryUnanswered(async () => await shop.git('ls-remote', 'origin', 'refs/heads/main'))).split('\t')[0] ?? '';

/**
 * Creates a release candidate of the tip, and deploys it. If the answer of an earlier attempt was lost, the candidate
 * or the deployment exists already.
 */
async function deploy(version: string): Promise<void> {
  const commit = await tipOfMain();
  const createOnce = async (path: string, body: object): Promise<void> =>
    await retryUnanswered(async () => {
      await installation.client.rest('POST', `/api/releases/shop/${path}`, body).catch((error: unknown) => {
        if (!/exists|already|answered 409/.test(String(error))) throw error;
      });
    });
  await createOnce(`releases/${version}`, { repo: 'team/shop', commit });
  await createOnce('environments/production/deployments', { release_candidate_version: version });
}

async function countMerged(): Promise<number> {
  // PostgreSQL may still be recovering, because the end of a session restarts it.
  const [row] = await retryUnanswered(
    async () =>
      await installation.query<{ n: number }>("select count(*)::int as n from pull_request where status = 'merged'"),
  );
  return row?.n ?? 0;
}

async function nextLanding(before: number): Promise<void> {
  await until(async () => (await countMerged()) > before, { withinMs: 180_000, everyMs: 100 }).catch(
    async (error: unknown) => {
      const open = await installation.query(
        "select number, status, status_text from pull_request where status <> 'merged' order by number",
      );
      throw new Error(`Nothing has landed since the fault: ${JSON.stringify(open)}`, { cause: error });
    },
  );
}

it(`after ${faults} faults drawn with the seed ${seed}, nothing is lost and nothing has happened twice`, {
  timeout: 6 * 3_600_000,
}, async () => {
  const ready: number[] = [];
  const landed: number[] = [];
  const plan = planFaults(seed);
  await queuePullRequests(queuedAtStart);
  for (let round = 1; round <= faults; round += 1) {
    await queuePullRequests(queuedPerFault);
    if (round % 3 === 0) await deploy(`${round}.0-rc1`);
    const fault = plan.next().value;
    await delay(fault.afterMs);
    const before = await countMerged();
    await installation.inject(fault);
    const overAt = performance.now();
    await installation.mend();
    const readyMs = performance.now() - overAt;
    // On a slow machine everything may have landed before the fault.
    if (before === good.length) await queuePullRequests(queuedPerFault);
    await nextLanding(before);
    const landedMs = performance.now() - overAt;
    ready.push(readyMs);
    landed.push(landedMs);
    console.log(
      `${String(round).padStart(3)}. ${fault.name}: ready after ${(readyMs / 1000).toFixed(1)} s, a landing after ${(landedMs / 1000).toFixed(1)} s`,
    );
  }
  for (let from = 0; from < good.length; from += 30) await shop.settled(good.slice(from, from + 30), 600_000);
  await shop.settled(bad, 600_000);
  console.log(
    `Seed ${seed}: ${faults} faults, ${good.length + bad.length} pull requests. Ready again: ${percentiles(ready)}. The next landing: ${percentiles(landed)}.`,
  );
  await expectAllIsWell();
});

async function expectAllIsWell(): Promise<void> {
  await shop.git('fetch', '-q', 'origin');
  const subjects = (await shop.git('log', '--first-parent', '--format=%s', 'origin/main')).trim().split('\n');
  expect(subjects).toHaveLength(good.length + 1);
  expect(new Set(subjects).size).toBe(subjects.length);
  const rows = await installation.query<{ number: number; status: string }>(
    'select number, status from pull_request order by number',
  );
  const withStatus = (status: string): number[] =>
    rows.filter((row) => row.status === status).map(({ number }) => number);
  expect([withStatus('merged'), withStatus('blocked')]).toEqual([good, bad]);

  // All deployments have ended, and each event was sent as one webhook, which was received.
  await until(
    async () => {
      const [open] = await installation.query<{ n: number }>(
        `select (select count(*) from deployment where status in ('pending', 'in_progress', 'canceling'))::int
            + (select count(*) from webhook_delivery where state in ('pending', 'retrying'))::int
            + (select count(*) from event where position is null)::int as n`,
      );
      return open?.n === 0;
    },
    { withinMs: 300_000, everyMs: 500 },
  );
  const deliveries = await installation.query<{ message_id: string; state: string; action: string }>(
    'select message_id, state, action from webhook_delivery order by id',
  );
  expect(deliveries.filter(({ state }) => state !== 'succeeded')).toEqual([]);
  expect(deliveries.filter(({ message_id: id }) => !installation.received.has(id))).toEqual([]);
  expect(deliveries.filter(({ action }) => action === 'merged')).toHaveLength(good.length);
  const deployments = await installation.query<{ status: string }>('select distinct status from deployment');
  expect(deployments.map(({ status }) => status).filter((status) => status !== 'success')).toEqual([]);

  for (const args of [['verify', shop.name], ['doctor']]) {
    const [name = '', ...rest] = args;
    const { code, said } = await installation.runProgram(name, ...rest);
    expect(code, said).toBe(0);
    console.log(said.trim().split('\n').slice(-1).join('\n'));
  }
}
