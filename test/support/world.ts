// Makes a world for one test: a database, a data directory, a local host with real git, CI that really runs, and the
// engine as a plain loop. The verbs of the world read like a story. Tests assert what users see: commits, rows, events.
import { toHostedRepository } from '../../src/hosts/port.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { systemContext, type Context, type Ports } from '../../src/context.ts';
import { statusCommentKey } from '../../src/domain/queue/explain/status-comment.ts';
import { generateSecrets, type Secrets } from '../../src/modules/accounts/index.ts';
import { dequeuePullRequest, queuePullRequest } from '../../src/modules/queue/index.ts';
import { findRepository, pauseRepository, replaceConfiguration } from '../../src/modules/repositories/index.ts';
import type { Database } from '../../src/platform/database.ts';
import { createService, type Service } from '../../src/service.ts';
import { problemsOfPayloads } from '../rest/contract/payloads.ts';
import type { EngineSettings } from './engine-process.ts';
import { problemsOfEvents, type LoggedEvent } from '../../src/domain/events/event-grammar.ts';
import { createPlainLoop, type PlainLoop } from './plain-loop.ts';
import { makeDatabase, takeDatabase } from './kept-databases.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { beginGitHubWorld, checkNames, quickPace, withRequiredChecks } from './github-world.ts';
import { isAtGitHub, makeLocalHost, type WorldHost } from './world-host.ts';
import { beginWorld, copyTemplate, findTemplate, worldName, type WorldStart } from './world-template.ts';

export interface WorldOptions {
  /** Keys under `merge_rules`, as YAML. */
  readonly configuration?: string;
  /** `checks` of .service/ci.yml on the base branch; default: a check that fails when a file `bad` exists. */
  readonly ci?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Whether this process runs the checks. Default true. False: another process runs them. */
  readonly runsCi?: boolean;
  /**
   * The id of the world's account. Workflows are named after it, so worlds that share a Temporal need different ids.
   */
  readonly accountId?: number;
  /** Wakes the engine, if the engine is not the plain loop. */
  readonly wake?: Ports['wake'];
  /** Whether the service may plan a queue instead of waking it. Default false. */
  readonly plansBeforeWake?: boolean;
  readonly clock?: () => Date;
  /** True: the world has a new database, which no session of PostgreSQL has used before. */
  readonly newDatabase?: boolean;
}

export interface World extends AsyncDisposable {
  readonly ctx: Context;
  readonly service: Service;
  readonly loop: PlainLoop;
  readonly secrets: Secrets;
  readonly token: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly repository: { readonly owner: string; readonly name: string };
  readonly repositoryId: string;
  /** The settings for an engine in another process. */
  readonly engine: EngineSettings;
  /** The code host of the world, as people and CI use it. */
  readonly host: WorldHost;
  readonly gitDir: string;
  git(...args: string[]): Promise<string>;
  /**
   * Commits on a branch (made from `from`, default the base's tip) by a push as a user would, and tells the service.
   */
  commit(
    branch: string,
    files: Readonly<Record<string, string | null>>,
    options?: { from?: string; message?: string; author?: string },
  ): Promise<string>;
  /** Makes a branch with these files, and its pull request. Returns the number of the pull request. */
  open(
    branch: string,
    files: Readonly<Record<string, string | null>>,
    options?: { from?: string; title?: string; base?: string },
  ): Promise<number>;
  queue(...numbers: number[]): Promise<void>;
  dequeue(number: number): Promise<void>;
  pause(paused: boolean): Promise<void>;
  configure(configuration: string): Promise<void>;
  /** Runs turns of the engine until the condition holds. CI runs meanwhile. Throws with the state after `withinMs`. */
  until(condition: () => Promise<boolean>, withinMs?: number): Promise<void>;
  /** Runs turns until every given pull request is merged, blocked or open. */
  settled(...numbers: number[]): Promise<void>;
  /** Like `settled`, but only reads, because other processes do the work. Waits for the clean-up too. */
  watch(numbers: readonly number[], withinMs?: number): Promise<void>;
  status(number: number): Promise<{
    status: string;
    status_code: number | null;
    status_text: string | null;
    merge_commit_sha: string | null;
    head_sha: string;
  }>;
  /** `[action, pull request numbers]` of every event so far, in order. */
  events(): Promise<[string, number[]][]>;
  batches(): Promise<{ id: string; state: string; cause: string; members: number[] }[]>;
  /** The comments on a pull request except its status comment, in the order of their creation. */
  comments(number: number): Promise<{ key: string; body: string }[]>;
  /** The present text of the status comment. Null: there is no status comment yet. */
  statusComment(number: number): Promise<string | null>;
  /** The queue's own check on the present head commit. Null: the queue has not made the check yet. */
  statusCheck(number: number): Promise<{ state: string; title: string; summary: string; url: string | null } | null>;
  rows<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The first-parent commits of the base branch after the first commit, oldest first. */
  landed(): Promise<string[]>;
}

const defaultCi = "checks:\n  test:\n    run: 'test ! -e bad'\n";

/** Sets the id of the next account. */
export async function countAccountsFrom(url: string, accountId: number): Promise<void> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    await owner.query(`alter table account alter column id restart with ${accountId}`);
  } finally {
    await owner.end();
  }
}

export const parallel = (options: { builds?: number; batch?: number; more?: string } = {}): string =>
  `merge_mode:\n  type: parallel\n  parallel_mode:\n    max_parallel_builds: ${options.builds ?? 3}\n    batch_size: ${options.batch ?? 1}\n${indent(options.more ?? '', 4)}`;

export const serial = (): string => 'merge_mode:\n  type: default\n';

function indent(text: string, by: number): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : ' '.repeat(by) + line))
    .join('\n');
}

export function configurationYaml(rules: string): string {
  return `merge_rules:\n  labels:\n    trigger: mergequeue\n${indent(rules, 2)}\n`;
}

type OpenService = (
  to: { readonly url: string; readonly database?: Database },
  dataDir: string,
  secrets?: Secrets,
) => Promise<Service>;

interface OpenedWorld {
  readonly service: Service;
  readonly database: TestDatabase;
  readonly dataDir: string;
  readonly start: WorldStart;
  /** Null: the local host. */
  readonly host: WorldHost | null;
}

/**
 * Opens the service with a copy of the first state of a world. A world with its own clock or account id has no
 * template.
 */
async function openWorld(options: WorldOptions, open: OpenService): Promise<OpenedWorld> {
  const files = { 'README.md': 'shop\n', '.service/ci.yml': options.ci ?? defaultCi, ...options.files };
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-world-'));
  if (options.accountId !== undefined || options.clock !== undefined) {
    const database = await createTestDatabase();
    const service = await open(database, dataDir);
    if (options.accountId !== undefined) await countAccountsFrom(database.url, options.accountId);
    return { service, database, dataDir, start: await beginWorld(service, files), host: null };
  }
  const template = await findTemplate(files, async (own, folder) => {
    const service = await open(own, folder);
    const start = await beginWorld(service, files);
    // A copy would contain the lease of a host hint that no process handles.
    await service.drain();
    await service.stop();
    return start;
  });
  await copyTemplate(template, dataDir);
  const database = await (options.newDatabase ? makeDatabase : takeDatabase)(template.state);
  return { service: await open(database, dataDir), database, dataDir, start: template.start, host: null };
}

async function openWorldAtGitHub(options: WorldOptions, open: OpenService): Promise<OpenedWorld> {
  const { ci = defaultCi, runsCi = true } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'ghw-'));
  const database = await createTestDatabase();
  const secrets = generateSecrets();
  const service = await open(database, dataDir, secrets);
  if (options.accountId !== undefined) await countAccountsFrom(database.url, options.accountId);
  const files = { 'README.md': 'shop\n', ...options.files };
  return { service, database, dataDir, ...(await beginGitHubWorld(service, secrets, { files, ci, runsCi, dataDir })) };
}

export async function world(options: WorldOptions = {}): Promise<World> {
  const loop = createPlainLoop();
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'fatal' });
  const open: OpenService = async ({ url, database: connections }, folder, given) =>
    await createService({
      databaseUrl: url,
      ...(connections && { database: connections }),
      dataDir: folder,
      publicUrl: 'http://localhost:4000',
      log,
      wake: options.wake ?? loop.wake,
      plansBeforeWake: options.plansBeforeWake ?? false,
      poolSize: 6,
      ...(options.clock && { clock: options.clock }),
      ...(given && { secrets: given, pushPace: quickPace }),
    });
  const opened = isAtGitHub ? await openWorldAtGitHub(options, open) : await openWorld(options, open);
  const { service, database, dataDir, start } = opened;
  const { accountId, token, secrets } = start;
  const ctx = systemContext(service.ports, accountId);
  const name = worldName;
  const repository = await findRepository(ctx, name);
  if (repository === null) throw new Error('The world has no repository.');
  const host =
    opened.host ??
    (await makeLocalHost({
      service,
      ctx,
      repository: toHostedRepository(repository),
      onError: (error) => log.error(error),
    }));
  const { git, gitDir } = host;
  const rows = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    await service.ports.db.system.query<Row>(text, values);

  const loggedEvents = async (): Promise<LoggedEvent[]> =>
    await rows<LoggedEvent>(
      'select action, pull_request_id as "pullRequestId", batch_id as "batchId", payload from event order by id',
    );

  const report = async (): Promise<string> =>
    JSON.stringify(
      {
        batches: await w.batches(),
        pulls: await rows('select number, status, status_text from pull_request order by number'),
        queue: await rows('select base_tip, halted_reason, version, planned_version from queue'),
        deployments: await rows('select id, status, error_message, problem from deployment order by id'),
        runbooks: await rows('select number, status, problem, calls, call_at from runbook order by id'),
        steps: await rows(
          'select number, status, error_message from runbook_step where status is not null order by runbook_id, position',
        ),
        candidates: await rows('select version, status, error_message, problem from release_candidate order by id'),
        intents: await rows(
          "select kind, state, attempt, outcome from intent where state in ('planned', 'started', 'failed', 'void')",
        ),
      },
      null,
      1,
    );

  const w: World = {
    ctx,
    service,
    loop,
    secrets,
    token,
    databaseUrl: database.url,
    dataDir,
    engine: {
      mode: 'loop',
      databaseUrl: database.url,
      dataDir,
      ...(isAtGitHub && { secrets, pushPace: quickPace }),
    },
    repository: name,
    repositoryId: repository.id,
    host,
    gitDir,
    git,
    rows,
    async commit(branch, files, { from, message, author } = {}) {
      const exists = (await git('for-each-ref', `refs/heads/${branch}`)) !== '';
      const parent = from?.replace(/^origin\//, 'refs/heads/') ?? `refs/heads/${exists ? branch : 'main'}`;
      return await host.commit({ branch, parent, files, message: message ?? `Change ${branch}`, author });
    },
    async open(branch, files, { from, title, base } = {}) {
      await w.commit(branch, files, from === undefined ? {} : { from });
      return await host.open({ title: title ?? `Add ${branch}`, headBranch: branch, baseBranch: base ?? 'main' });
    },
    async queue(...numbers) {
      for (const number of numbers) await queuePullRequest(ctx, { repository: name, number, source: 'graphql_api' });
    },
    dequeue: async (number) => void (await dequeuePullRequest(ctx, { repository: name, number })),
    pause: async (paused) => void (await pauseRepository(ctx, { repository: name, paused })),
    async configure(configuration) {
      const rules = configurationYaml(configuration);
      const yaml = isAtGitHub ? withRequiredChecks(rules, checkNames(options.ci ?? defaultCi)) : rules;
      const outcome = await replaceConfiguration(ctx, { repository: name, yaml });
      if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
    },
    async until(condition, withinMs = isAtGitHub ? 300_000 : 90_000) {
      const deadline = performance.now() + withinMs;
      for (;;) {
        await service.drain();
        await loop.run(service.ports);
        if (await condition()) return;
        if (performance.now() > deadline) throw new Error(`The condition did not come true in time. ${await report()}`);
        await loop.woken();
      }
    },
    settled: async (...numbers) =>
      await w.until(async () => {
        const open = await rows(
          "select 1 from pull_request where number = any($1) and status in ('pending', 'queued', 'tagged')",
          [numbers],
        );
        return open.length === 0;
      }),
    async watch(numbers, withinMs = 150_000) {
      const deadline = performance.now() + withinMs;
      for (;;) {
        const [open] = await rows<{ n: number }>(
          `select (select count(*) from pull_request where number = any($1) and status in ('pending', 'queued', 'tagged'))
                + (select count(*) from batch where cleaned_up_at is null) + (select count(*) from intent where state in ('planned', 'started')) as n`,
          [numbers],
        );
        if (Number(open?.n) === 0) return;
        if (performance.now() > deadline)
          throw new Error(`The pull requests did not settle in time. ${await report()}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    async status(number) {
      const read = async () =>
        await rows<Awaited<ReturnType<World['status']>>>(
          'select status, status_code, status_text, merge_commit_sha, head_sha from pull_request where number = $1',
          [number],
        );
      const deadline = performance.now() + 60_000;
      for (;;) {
        const [row] = await read();
        if (row !== undefined) return row;
        if (performance.now() > deadline) throw new Error(`There is no pull request #${number}.`);
        // A pull request that was just opened has a row when its event has been handled, by this or another process.
        await new Promise((resolve) => setTimeout(resolve, 50));
        await service.drain();
      }
    },
    async events() {
      const found = await rows<{
        action: string;
        payload: { number?: number; pullRequests?: (number | { number: number })[] };
      }>('select action, payload from event order by id');
      return found.map(({ action, payload }) => [
        action,
        payload.number !== undefined
          ? [payload.number]
          : (payload.pullRequests ?? []).map((member) => (typeof member === 'number' ? member : member.number)),
      ]);
    },
    batches: async () =>
      await rows(
        `select b.id, b.state, b.cause, (select array_agg(p.number order by m.ordinal) from batch_member m join pull_request p on p.id = m.pull_request_id where m.batch_id = b.id) as members
         from batch b order by b.id`,
      ),
    comments: async (number) => (await host.comments(number)).filter(({ key }) => key !== statusCommentKey),
    statusComment: async (number) =>
      (await host.comments(number)).find(({ key }) => key === statusCommentKey)?.body ?? null,
    statusCheck: async (number) => {
      const [check] = await host.publishedChecks((await w.status(number)).head_sha);
      if (check === undefined) return null;
      return { state: check.state, title: check.title, summary: check.summary, url: check.url };
    },
    landed: async () => (await git('log', '--first-parent', '--reverse', '--format=%H', 'main')).split('\n').slice(1),
    async [Symbol.asyncDispose]() {
      await loop.releases.ended();
      await loop.verifications.ended();
      await loop.runbooks.ended();
      const events = await loggedEvents();
      const problems = [...problemsOfEvents(events), ...problemsOfPayloads(events, repository)];
      await host.stop();
      await service.stop();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
      if (problems.length > 0)
        throw new Error(
          `Events that must not follow the events before them, or whose payloads are not documented: ${problems.join('; ')}.`,
        );
    },
  };
  await w.configure(options.configuration ?? parallel());
  if (options.runsCi !== false) host.startCi();
  return w;
}
