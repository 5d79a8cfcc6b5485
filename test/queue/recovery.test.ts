// A backup of the database is restored, but the repositories have changed since. Nothing lands until an operator
// recovers the database, and nothing lands twice afterwards.
import { HostUnavailable, toHostedRepository, type Hosts } from '../../src/hosts/port.ts';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, inject, it } from 'vitest';
import { systemContext, type Context } from '../../src/context.ts';
import { createCiRunner } from '../../src/hosts/local/index.ts';
import { createEventHub } from '../../src/modules/events/index.ts';
import { queuePullRequest, resumeQueue, surveyInstallation, verifyRepository } from '../../src/modules/queue/index.ts';
import { recoverInstallation } from '../../src/installation-recovery.ts';
import { RepositoryEntity } from '../../src/modules/repositories/repositories.entities.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { createService, type Service } from '../../src/service.ts';
import { createPlainLoop } from '../support/plain-loop.ts';
import { parallel, world, type World } from '../support/world.ts';
import { meanwhile, statuses } from './stories.ts';
import { among } from '../support/tier.ts';

// Two services run one after the other, each with checks that run.
describe('a restored database', () => {
  it('halts its queues, still admits pull requests, and after the recovery knows what landed since the backup, and goes on', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 2, batch: 2 })}delete_branch: true\n`,
      runsCi: false,
    });
    const checks = await runChecks(w.service);
    const [before, first, second, later, own, waiting] = [
      await w.open('before', { 'before.txt': '1\n' }),
      await w.open('first', { 'first.txt': '2\n' }),
      await w.open('second', { 'second.txt': '3\n' }),
      await w.open('later', { 'later.txt': '4\n' }),
      await w.open('own', { 'first.txt': '2\n', 'own.txt': '5\n' }),
      await w.open('waiting', { 'waiting.txt': '6\n' }),
    ];
    await w.queue(before);
    await w.settled(before);
    await checks.stop();
    await w.queue(first, second);
    await w.until(async () => (await w.rows('select 1 from bot_pull_request where closed_at is null')).length > 0);
    await using backup = await backUp(w);

    await using more = await runChecks(w.service);
    await w.settled(first, second);
    await w.queue(later, own);
    await w.settled(later, own);
    const lost = await w.open('lost', { 'lost.txt': '7\n' });
    await w.queue(lost);
    await w.settled(lost);
    // The build of the next pull request does not end.
    await more.stop();
    const unfinished = await w.open('unfinished', { 'unfinished.txt': '8\n' });
    await w.commit('main', { 'outside.txt': 'pushed\n' });
    await w.queue(unfinished);
    await w.until(async () => (await w.git('for-each-ref', 'refs/heads/mq-*')) !== '');
    const landed = await w.landed();
    const merged = await Promise.all([first, second, later, own].map(async (number) => await w.status(number)));
    expect(merged.map(({ status }) => status)).toEqual(['merged', 'merged', 'merged', 'merged']);

    await using r = await restore(w, backup.url);
    const cursor = await cursorOfNow(r);
    r.service.start();
    await r.until(async () => (await r.halted()).length > 0);
    expect(await r.halted()).toEqual([
      expect.stringMatching(
        /^DATABASE_RESTORED: there is no record of the landing refs\/interlock\/landings\/\d+ .*npm run recover/,
      ),
    ]);
    await queuePullRequest(r.ctx, { repository: w.repository, number: waiting, source: 'graphql_api' });
    expect(await r.status(waiting)).toMatchObject({ status: 'queued' });
    await r.loop.run(r.service.ports);
    expect(await w.landed()).toEqual(landed);

    const planned = await surveyInstallation(r.service.ports);
    expect(planned.isNeeded).toBe(true);
    expect(await r.halted()).toHaveLength(1);
    const recovered = await recoverInstallation(r.service.ports);
    expect(recovered.epoch).toBe(2);
    expect(await recoverInstallation(r.service.ports)).toMatchObject({ isNeeded: false });
    expect(await r.halted()).toEqual([]);
    for (const [index, number] of [first, second, later, own].entries()) {
      expect(await r.status(number)).toMatchObject({
        status: 'merged',
        merge_commit_sha: merged[index]?.merge_commit_sha,
      });
    }
    await expect(followOnce(r, cursor)).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });

    await r.until(async () => (await r.status(waiting)).status === 'merged');
    await r.atRest();
    const after = await w.landed();
    expect(after.slice(0, landed.length)).toEqual(landed);
    expect(after.slice(landed.length)).toEqual([(await r.status(waiting)).merge_commit_sha]);
    expect(await w.git('for-each-ref', '--format=%(refname)', 'refs/heads/mq-*')).toBe('');
    expect(await r.rows("select number, state from local_pull_request where state = 'open'")).toEqual([]);
    expect((await r.rows<{ id: string }>('select id from batch order by id desc limit 1'))[0]?.id).toMatch(/^1\d{6}$/);
    const loggedEvents = await r.rows<{ action: string; n: number }>(
      `select action, count(*)::int as n from event where action in ('database_recovered', 'queue_halted', 'queue_resumed')
         or (action = 'merged' and payload->>'recovered' = 'true') group by action order by action`,
    );
    expect(loggedEvents).toEqual([
      { action: 'database_recovered', n: 1 },
      { action: 'merged', n: 4 },
      { action: 'queue_halted', n: 1 },
      { action: 'queue_resumed', n: 1 },
    ]);
    const [verification] = await r.verify();
    expect(verification).toMatchObject({ failures: [], pullRequests: 2 });
    // One counts the push from outside and the landings that the recovery took over.
    const { external = 0, ...proven } = verification?.grades ?? {};
    expect(external).toBe(landed.length - 1);
    expect(Object.values(proven).reduce((sum, n) => sum + n, 0)).toBe(2);
  });

  it.each(among(['squash', 'merge', 'rebase'] as const, ['squash']))(
    'tells from git alone which pull requests landed by %s, and which only look like it',
    async (strategy) => {
      await using w = await world({
        configuration: `${parallel({ builds: 2, batch: 2 })}merge_strategy:\n  name: ${strategy}\n`,
        runsCi: false,
      });
      const [one, two, same] = [
        await w.open('one', { 'one.txt': '1\n' }),
        await w.open('two', { 'two.txt': '2\n' }),
        await w.open('same', { 'one.txt': '1\n', 'more.txt': '1\n' }),
      ];
      await w.commit('one', { 'more.txt': '1\n' });
      await using backup = await backUp(w);
      await using _checks = await runChecks(w.service);
      await w.queue(one);
      await w.settled(one);
      // Later commits change the lines of the first pull request, so its head no longer merges into the tip.
      await w.commit('main', { 'one.txt': 'other\n' });
      await w.queue(two);
      await w.settled(two);
      const rows =
        'select number, status, merge_commit_sha, own_commit_sha, merged_by_queue from pull_request where number = any($1) order by number';
      const before = await w.rows(rows, [[one, two, same]]);

      await using r = await restore(w, backup.url);
      await recoverInstallation(r.service.ports);
      expect(await r.rows(rows, [[one, two, same]])).toEqual(before);
      expect(await r.verify()).toMatchObject([{ failures: [] }]);
    },
  );

  // A start does not wait until the queues of slow hosts are examined.
  it('lands nothing, even if its queues are woken before anybody has examined them', async () => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }), runsCi: false });
    const [one, two] = [await w.open('one', { 'one.txt': '1\n' }), await w.open('two', { 'two.txt': '2\n' })];
    await w.queue(one, two);
    await w.until(async () => (await w.rows('select 1 from bot_pull_request')).length === 2);
    await using backup = await backUp(w);
    const checks = await runChecks(w.service);
    await w.settled(one);
    await checks.stop();
    const landed = await w.landed();

    await using r = await restore(w, backup.url);
    await r.until(async () => (await r.halted()).length > 0);
    expect(await r.halted()).toEqual([expect.stringMatching(/^DATABASE_RESTORED: there is no record of the landing/)]);
    await r.loop.run(r.service.ports);
    expect(await w.landed()).toEqual(landed);
  });

  it('concludes a landing itself, if the backup was made after the gate of the landing', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }), runsCi: false });
    await using checks = await runChecks(w.service);
    const number = await w.open('one', { 'one.txt': '1\n' });
    await w.queue(number);
    let backup: Awaited<ReturnType<typeof backUp>> | undefined;
    const arrival = async (): Promise<void> => {
      await checks.stop();
      backup = await backUp(w);
    };
    await meanwhile('landing:after_gate', arrival, async () => await w.settled(number));
    if (backup === undefined) throw new Error('No backup was made.');
    await using kept = backup;
    await using r = await restore(w, kept.url);
    r.service.start();
    await r.until(async () => (await r.status(number)).status === 'merged');
    await r.atRest();
    expect(await r.halted()).toEqual([]);
    expect(await w.landed()).toEqual([(await r.status(number)).merge_commit_sha]);
    expect(await recoverInstallation(r.service.ports)).toMatchObject({ isNeeded: false });
    expect(await r.verify()).toMatchObject([{ failures: [], pullRequests: 1 }]);
  });

  it('never takes the landing of another batch with the same number for its own', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    const number = await w.open('one', { 'one.txt': '1\n' });
    const [first] = await w.rows<{ base_tip: string }>('select base_tip from queue');
    const commit = await w.git(
      'commit-tree',
      '-p',
      first?.base_tip ?? '',
      '-m',
      'Landed in another time',
      `${first?.base_tip ?? ''}^{tree}`,
    );
    await w.git('update-ref', 'refs/interlock/landings/1', commit);
    await w.queue(number);
    await w.until(async () => (await w.rows('select 1 from queue where halted_reason is not null')).length > 0);
    const [queue] = await w.rows<{ halted_reason: string }>('select halted_reason from queue');
    expect(queue?.halted_reason).toMatch(/^DATABASE_RESTORED: refs\/interlock\/landings\/1 is /);
    expect((await w.status(number)).status).not.toBe('merged');
    expect(await w.landed()).toEqual([]);
    expect(await w.rows('select 1 from landing')).toEqual([]);

    // Without a recovery the queue halts again.
    await resumeQueue(w.ctx, { repository: w.repository, baseBranch: 'main' });
    const halts = async (): Promise<unknown[]> =>
      await w.rows('select halted_reason from queue where halted_at is not null');
    expect(await halts()).toEqual([]);
    await w.until(async () => (await halts()).length > 0);
    expect(await halts()).toEqual([
      { halted_reason: expect.stringMatching(/^DATABASE_RESTORED: .*refs\/interlock\/landings\/1/) as string },
    ]);
    expect((await w.status(number)).status).not.toBe('merged');
    expect(await w.landed()).toEqual([]);

    await recoverInstallation(w.service.ports);
    await w.settled(number);
    expect(await w.landed()).toEqual([(await w.status(number)).merge_commit_sha]);
    expect(await recoverInstallation(w.service.ports)).toMatchObject({ isNeeded: false });
  });

  it('after such a landing, applies what arrived while it was under way', async () => {
    await using w = await world({ configuration: parallel({ batch: 2 }) });
    const [withdrawn, pushed] = [await w.open('one', { 'one.txt': '1\n' }), await w.open('two', { 'two.txt': '2\n' })];
    const tip = await w.git('rev-parse', 'main');
    await w.git(
      'update-ref',
      'refs/interlock/landings/1',
      await w.git('commit-tree', '-p', tip, '-m', 'x', `${tip}^{tree}`),
    );
    await w.pause(true);
    await w.host.label(withdrawn, 'mergequeue', true, 'ada');
    await w.service.drain();
    await w.queue(pushed);
    expect(await statuses(w, withdrawn, pushed)).toEqual(['queued', 'queued']);
    await meanwhile(
      'landing:after_gate',
      async () => {
        await w.host.label(withdrawn, 'mergequeue', false, 'ada');
        await w.commit('two', { 'late.txt': 'late\n' });
        await w.service.drain();
      },
      async () => {
        await w.pause(false);
        await w.until(async () => (await w.rows('select 1 from queue where halted_reason is not null')).length > 0);
      },
    );
    expect(await statuses(w, withdrawn, pushed)).toEqual(['open', 'blocked 116']);
    expect(await w.landed()).toEqual([]);
  });
});

it('a code host that does not answer at a start delays no work at the local host', async () => {
  await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }), runsCi: false });
  const number = await w.open('one', { 'one.txt': '1\n' });
  await w.rows(
    `with r as (insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
       select account_id, owner, 'silent', 'github', configuration_yaml, configuration_hash from repository returning account_id, id),
     q as (insert into queue (account_id, repository_id, base_branch) select account_id, id, 'main' from r returning id, account_id, repository_id)
     insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch,
       base_branch, head_sha, url, status, rank, queued_at, created_at)
     select account_id, repository_id, id, 1, 'Change', 'ada', 'Ada', 'ada@example.test', 'topic', 'main', repeat('a', 40), '', 'queued', 1, now(), now() from q`,
  );
  await w.queue(number);
  const woken: object[] = [];
  const service = await createService({
    databaseUrl: w.databaseUrl,
    dataDir: w.dataDir,
    publicUrl: 'http://localhost:4000',
    log: pino({ level: 'fatal' }),
    wake: async (whose) => void woken.push(whose),
    poolSize: 6,
  });
  const answer = Promise.withResolvers<never>();
  answer.promise.catch(() => {});
  const { hosts } = service.ports;
  const silent = new Proxy({} as ReturnType<Hosts>, { get: () => async () => await answer.promise });
  (service.ports as { hosts: Hosts }).hosts = (kind) => (kind === 'github' ? silent : hosts(kind));
  service.start();
  try {
    const [queue] = await w.rows<{ id: string }>('select id from queue where repository_id = $1', [w.repositoryId]);
    await expect.poll(() => woken).toContainEqual(expect.objectContaining({ queueId: queue?.id }));
  } finally {
    answer.reject(new HostUnavailable('GitHub did not answer.'));
    await service.stop();
  }
});

async function runChecks(service: Service): Promise<{ stop(): Promise<void> } & AsyncDisposable> {
  const { sandbox } = await findSandbox({ allowPlain: true, kinds: ['plain'] });
  if (sandbox === null) throw new Error('There is no plain sandbox.');
  const runner = createCiRunner({
    host: service.localHost,
    sandbox,
    concurrency: 4,
    pollMs: 200,
    onError: (error) => service.ports.log.error(error),
  });
  runner.start();
  return { stop: async () => await runner.stop(), [Symbol.asyncDispose]: async () => await runner.stop() };
}

/**
 * Makes a copy of the database as it is now. No check may run, because all sessions end for a moment, as when
 * PostgreSQL is restarted.
 */
async function backUp(w: World): Promise<{ url: string } & AsyncDisposable> {
  await w.service.drain();
  const name = `backup_${randomBytes(8).toString('hex')}`;
  const of = new URL(w.databaseUrl).pathname.slice(1);
  await asAdmin(
    `alter database ${of} with allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${of}'`,
    `create database ${name} template ${of}`,
    `alter database ${of} with allow_connections true`,
    `alter database ${name} with allow_connections true`,
  );
  const url = new URL(w.databaseUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => await asAdmin(`drop database if exists ${name} with (force)`),
  };
}

async function asAdmin(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgres').adminUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

interface Restored extends AsyncDisposable {
  readonly ctx: Context;
  readonly service: Service;
  readonly loop: ReturnType<typeof createPlainLoop>;
  rows<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  until(condition: () => Promise<boolean>): Promise<void>;
  atRest(): Promise<void>;
  status(number: number): Promise<{ status: string; merge_commit_sha: string | null }>;
  halted(): Promise<string[]>;
  verify(): ReturnType<typeof verifyRepository>;
}

/** Starts another service on the same data directory, with the old database. */
async function restore(w: World, databaseUrl: string): Promise<Restored> {
  const loop = createPlainLoop();
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'fatal' });
  const service = await createService({
    databaseUrl,
    dataDir: w.dataDir,
    publicUrl: 'http://localhost:4000',
    log,
    wake: loop.wake,
    poolSize: 6,
  });
  const checks = await runChecks(service);
  const ctx = systemContext(service.ports, w.ctx.accountId);
  const r: Restored = {
    ctx,
    service,
    loop,
    rows: async (text, values = []) => await service.ports.db.system.query(text, values),
    async until(condition) {
      const deadline = performance.now() + 90_000;
      for (;;) {
        await service.drain();
        await loop.run(service.ports);
        if (await condition()) return;
        if (performance.now() > deadline) {
          const state = await r.rows('select number, status, status_text from pull_request order by number');
          throw new Error(
            `It did not come about. ${JSON.stringify([state, await r.halted(), await r.rows('select id, state, commit from batch')], null, 1)}`,
          );
        }
        await loop.woken();
      }
    },
    atRest: async () =>
      await r.until(
        async () =>
          (
            await r.rows(
              "select 1 from batch where cleaned_up_at is null union all select 1 from intent where state in ('planned', 'started')",
            )
          ).length === 0,
      ),
    async status(number) {
      const [row] = await r.rows<{ status: string; merge_commit_sha: string | null }>(
        'select status, merge_commit_sha from pull_request where number = $1',
        [number],
      );
      if (row === undefined) throw new Error(`There is no pull request #${number}.`);
      return row;
    },
    halted: async () =>
      (await r.rows<{ halted_reason: string }>('select halted_reason from queue where halted_reason is not null')).map(
        (row) => row.halted_reason,
      ),
    async verify() {
      const repository = await ctx.db.transaction(
        ctx.accountId,
        async (tx) => await tx.em.findOneOrFail(RepositoryEntity, { id: w.repositoryId }),
      );
      expect(toHostedRepository(repository).id).toBe(w.repositoryId);
      return await verifyRepository(ctx, repository);
    },
    async [Symbol.asyncDispose]() {
      await checks.stop();
      await service.stop();
    },
  };
  return r;
}

async function cursorOfNow(r: Restored): Promise<string> {
  const hub = createEventHub({ db: r.service.ports.db, log: r.service.ports.log });
  try {
    return await hub.follow({ accountId: r.ctx.accountId }).started;
  } finally {
    await hub.close();
  }
}

async function followOnce(r: Restored, after: string): Promise<void> {
  const hub = createEventHub({ db: r.service.ports.db, log: r.service.ports.log });
  try {
    await hub.follow({ accountId: r.ctx.accountId, after }).started;
  } finally {
    await hub.close();
  }
}
