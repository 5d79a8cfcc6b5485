// What users do during `npm run chaos`: they queue pull requests, deploy, and start runbooks. An answer may be lost, so
// each request is one that may be repeated. At the end `expectAllIsWell` compares everything with what was asked for.
import { expect } from 'vitest';
import { retryUnanswered, type Installation } from './chaos.ts';
import { until } from './interlock.ts';
import { createTeamRepository, type TeamRepository } from './repository.ts';

export interface Load extends AsyncDisposable {
  readonly shop: TeamRepository;
  /** How many pull requests were queued. */
  queued(): number;
  /** Opens and queues pull requests. The check of every seventh fails. */
  queue(count: number): Promise<void>;
  /** Queues pull requests and lets none land before all are in line. */
  queueAtOnce(count: number): Promise<void>;
  deploy(version: string): Promise<void>;
  startRunbook(name: string): Promise<void>;
  countMerged(): Promise<number>;
  /** Waits until more pull requests than `before` have landed. Queues one if every good one landed before. */
  nextLanding(before: number, options: { readonly withinMs: number }): Promise<void>;
  settle(): Promise<void>;
  expectAllIsWell(): Promise<void>;
}

export async function startLoad(installation: Installation): Promise<Load> {
  const { client } = installation;
  const shop = await createTeamRepository(client, 'shop', {
    '.service/ci.yml': "checks:\n  test:\n    run: 'sleep 0.5; ! ls | grep -q bad'\n",
    '.service/config.yml':
      'merge_rules:\n  labels:\n    trigger: mergequeue\n  merge_mode:\n    type: parallel\n    parallel_mode:\n      max_parallel_builds: 4\n      batch_size: 1\n',
  });
  await client.graphql(
    `mutation { createReleaseProject(input: {name: "shop", repository: {owner: "team", name: "shop"}}) { releaseProject { id } } }`,
  );
  await client.graphql(
    `mutation { createEnvironment(input: {project: "shop", name: "production", tier: PRODUCTION, provider: {kind: COMMAND, command: "sleep 0.3"}}) { environment { id } } }`,
  );
  const good: number[] = [];
  const bad: number[] = [];
  const runbooks: string[] = [];
  const query = async <Row extends object>(text: string): Promise<Row[]> =>
    // PostgreSQL may still be recovering, because the end of a session restarts it.
    await retryUnanswered(async () => await installation.query<Row>(text));

  async function queueOne(fails: boolean): Promise<void> {
    const at = good.length + bad.length + 1;
    const branch = `change-${at}`;
    const files = { [`${fails ? 'bad' : 'file'}-${at}`]: 'x\n' };
    await retryUnanswered(async () => await shop.push(branch, files, 'origin/main'));
    const number = await retryUnanswered(async () => await openOnce(installation, shop, branch));
    await retryUnanswered(async () => await shop.queue(number));
    (fails ? bad : good).push(number);
  }
  async function queue(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) await queueOne((good.length + bad.length + 1) % 7 === 0);
  }
  async function countMerged(): Promise<number> {
    const [row] = await query<{ n: number }>("select count(*)::int as n from pull_request where status = 'merged'");
    return row?.n ?? 0;
  }
  return {
    shop,
    queued: () => good.length + bad.length,
    queue,
    countMerged,
    async queueAtOnce(count) {
      const setPaused = async (paused: boolean): Promise<unknown> =>
        await client.rest('POST', '/api/v1/repo', { org: 'team', name: 'shop', paused });
      await setPaused(true);
      await queue(count);
      await setPaused(false);
    },
    async nextLanding(before, { withinMs }) {
      if (before === good.length) await queueOne(false);
      await until(async () => (await countMerged()) > before, { withinMs, everyMs: 100 }).catch(
        async (error: unknown) => {
          const open = await query(
            "select number, status, status_text from pull_request where status <> 'merged' order by number",
          );
          throw new Error(`Nothing has landed since the fault: ${JSON.stringify(open)}`, { cause: error });
        },
      );
    },
    deploy: async (version) => await deployTip(installation, shop, version),
    async startRunbook(name) {
      await retryUnanswered(async () => await createRunbookOnce(installation, name));
      runbooks.push(name);
    },
    async settle() {
      for (let from = 0; from < good.length; from += 30) await shop.settled(good.slice(from, from + 30), 600_000);
      await shop.settled(bad, 600_000);
    },
    async expectAllIsWell() {
      await expectEachLandedOnce({ shop, good, bad, query });
      await expectAllEnded({ installation, query, landings: good.length });
      await expectRunbooksDoneOnce({ shop, query, runbooks });
    },
    [Symbol.asyncDispose]: async () => await shop.remove(),
  };
}

type Query = <Row extends object>(text: string) => Promise<Row[]>;

/**
 * Opens a pull request and returns its number. If the answer of an earlier attempt was lost, the pull request exists
 * already.
 */
async function openOnce({ client }: Installation, shop: TeamRepository, branch: string): Promise<number> {
  const { repository } = await client.graphql<{
    repository: { pullRequests: { nodes: { number: number; headBranch: string }[] } };
  }>(`{ repository(owner: "team", name: "shop") { pullRequests(first: 20) { nodes { number headBranch } } } }`);
  const known = repository.pullRequests.nodes.find(({ headBranch }) => headBranch === branch);
  return known?.number ?? (await shop.open(branch, `Change ${branch}`));
}

/**
 * Creates a release candidate of the tip, and deploys it. If the answer of an earlier attempt was lost, the candidate
 * or the deployment exists already.
 */
async function deployTip({ client }: Installation, shop: TeamRepository, version: string): Promise<void> {
  const tip = await retryUnanswered(async () => await shop.git('ls-remote', 'origin', 'refs/heads/main'));
  const createOnce = async (path: string, body: object): Promise<void> =>
    await retryUnanswered(async () => {
      await client.rest('POST', `/api/releases/shop/${path}`, body).catch((error: unknown) => {
        if (!/exists|already|answered 409/.test(String(error))) throw error;
      });
    });
  await createOnce(`releases/${version}`, { repo: 'team/shop', commit: tip.split('\t')[0] ?? '' });
  await createOnce('environments/production/deployments', { release_candidate_version: version });
}

/** Each part appends to the file, so that a part that is carried out twice shows. */
const runbookOf = (name: string): string => `# ${name}

1. Write ${name}
   1. The first line
      \`\`\`sh
      echo first >> ${name}.txt
      \`\`\`
   2. The second line
      \`\`\`sh
      echo second >> ${name}.txt
      \`\`\`
      verify: grep -q first ${name}.txt
`;

/** A request that is repeated has the same Idempotency-Key, so there is one runbook. */
async function createRunbookOnce({ client, token }: Installation, name: string): Promise<void> {
  const response = await fetch(`${client.url}/api/v1/runbook`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': name },
    body: JSON.stringify({ repository: { org: 'team', name: 'shop' }, prompt: runbookOf(name) }),
  });
  const answer = await response.text();
  // While an earlier attempt with this key is in progress, the answer is 409.
  if (response.status === 409) throw new Error(`The runbook is being made: ${answer}`);
  if (!response.ok) throw new Error(`POST /api/v1/runbook answered ${response.status}: ${answer}`);
}

interface Landings {
  readonly shop: TeamRepository;
  readonly good: readonly number[];
  readonly bad: readonly number[];
  readonly query: Query;
}

async function expectEachLandedOnce({ shop, good, bad, query }: Landings): Promise<void> {
  await shop.git('fetch', '-q', 'origin');
  const subjects = (await shop.git('log', '--first-parent', '--format=%s', 'origin/main')).trim().split('\n');
  expect(subjects).toHaveLength(good.length + 1);
  expect(new Set(subjects).size).toBe(subjects.length);
  const rows = await query<{ number: number; status: string }>(
    'select number, status from pull_request order by number',
  );
  const withStatus = (status: string): number[] =>
    rows.filter((row) => row.status === status).map(({ number }) => number);
  expect([withStatus('merged'), withStatus('blocked')]).toEqual([good, bad]);
}

interface EndedWork {
  readonly installation: Installation;
  readonly query: Query;
  readonly landings: number;
}

/** All deployments and runbooks have ended, and each event was sent as one webhook, which was received. */
async function expectAllEnded({ installation, query, landings }: EndedWork): Promise<void> {
  const count = `select (select count(*) from deployment where status in ('pending', 'in_progress', 'canceling'))::int
    + (select count(*) from runbook where status not in ('completed', 'failed'))::int
    + (select count(*) from webhook_delivery where state in ('pending', 'retrying'))::int
    + (select count(*) from event where position is null)::int as n`;
  await until(async () => (await query<{ n: number }>(count))[0]?.n === 0, { withinMs: 600_000, everyMs: 500 });
  const deliveries = await query<{ message_id: string; state: string; action: string }>(
    'select message_id, state, action from webhook_delivery order by id',
  );
  expect(deliveries.filter(({ state }) => state !== 'succeeded')).toEqual([]);
  expect(deliveries.filter(({ message_id: id }) => !installation.received.has(id))).toEqual([]);
  expect(deliveries.filter(({ action }) => action === 'merged')).toHaveLength(landings);
  const deployments = await query<{ status: string }>('select distinct status from deployment');
  expect(deployments.map(({ status }) => status).filter((status) => status !== 'success')).toEqual([]);
}

interface Runbooks {
  readonly shop: TeamRepository;
  readonly query: Query;
  readonly runbooks: readonly string[];
}

/** Each runbook has completed its two parts, with one commit for each, in one pull request. */
async function expectRunbooksDoneOnce({ shop, query, runbooks }: Runbooks): Promise<void> {
  const made = await query<{ title: string; branch: string; summary: string }>(
    `select r.title, p.branch, concat_ws(', ',
         (select string_agg(s.number || ' ' || s.status || coalesce(': ' || s.error_message, ''), ', ' order by s.position)
          from runbook_step s where s.runbook_id = r.id and s.status is not null),
         (select count(*) from pull_request where head_branch = p.branch) || ' pull request') as summary
     from runbook r left join runbook_pull_request p on p.runbook_id = r.id order by r.number`,
  );
  expect(made.map(({ title, summary }) => [title, summary])).toEqual(
    runbooks.map((title) => [title, '1.1 completed, 1.2 completed, 1 pull request']),
  );
  await shop.git('fetch', '-q', 'origin');
  for (const { title, branch } of made) {
    const commits = await shop.git('rev-list', '--count', `origin/main..origin/${branch}`);
    const text = await shop.git('show', `origin/${branch}:${title}.txt`);
    expect({ title, commits, text }).toEqual({ title, commits: '2', text: 'first\nsecond' });
  }
}
