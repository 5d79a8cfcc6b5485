// Erases a repository or an account. Afterwards no row of it exists, and no row of others is missing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rollUpEvents } from '../../src/modules/analytics/index.ts';
import { carryOutErasures } from '../../src/modules/erasure/index.ts';
import { sequenceEvents } from '../../src/modules/events/index.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { planAccount, planRepository, readCatalogue } from '../../src/platform/erasure/index.ts';
import { seed } from '../graphql/seed.ts';
import { seedRelease } from '../releases/release-rows.ts';
import { prepareRepository } from '../rest/contract/repository.ts';
import { seedRunbook } from '../runbooks/runbook-rows.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { accountOf, type AccountVerbs } from './account.ts';
import { openSocket } from './browser-socket.ts';
import { openBrowser } from './browser.ts';

type Counts = Readonly<Record<string, number>>;

let s: TestServer;
let account: AccountVerbs;
let other: { readonly token: string; readonly accountId: string };
beforeAll(async () => {
  s = await startServer();
  account = accountOf(s);
  other = await s.otherAccount();
});
afterAll(async () => await s.close());

async function countsOf(accountId: string): Promise<Counts> {
  const { tables } = await readCatalogue(s.ports.db.system.query);
  const counts: Record<string, number> = {};
  for (const { name, columns } of tables) {
    if (!columns.includes('account_id')) continue;
    const [row] = await s.rows<{ count: number }>(`select count(*)::int as count from ${name} where account_id = $1`, [
      accountId,
    ]);
    counts[name] = row?.count ?? 0;
  }
  return counts;
}

/** Tables about the whole account. The service may write them at any time. */
const moving = new Set(['analytics_progress', 'rate_spent', 'event_head']);
const kept = new Set(['event', 'user_action', 'erasure']);

function differences(before: Counts, after: Counts): string[] {
  return Object.keys(after).filter((table) => before[table] !== after[table] && !moving.has(table));
}

const web = { owner: 'acme', name: 'web' };
const answer = 'erasure { repository requestedBy finishedAt } impact { deleted { what count } stopped kept }';

async function eraseWeb(more: object): Promise<{ errors: readonly object[]; data: { eraseRepository: object } }> {
  return await s.graphql(`mutation ($input: EraseRepositoryInput!) { eraseRepository(input: $input) { ${answer} } }`, {
    input: { repository: web, ...more },
  });
}

const carryOut = async (): Promise<void> => await carryOutErasures(s.ports, { graceSec: 0 });

describe('a repository', () => {
  let before: Counts;
  let otherBefore: Counts;
  let id: string;
  /** Tables that have rows of the repository. */
  let touched: readonly string[];

  beforeAll(async () => {
    const atFirst = await countsOf(s.accountId);
    const { number } = await prepareRepository(s);
    const [row] = await s.rows<{ id: string }>("select id from repository where name = 'web'");
    id = row?.id ?? '';
    await account.run('queuePullRequest', { repository: web, number, skipValidation: true }, 'pullRequest { number }');
    await s.drain();
    await seedRelease(s, { repositoryId: id });
    await seedRunbook(s, { repositoryId: id, leaves: [['1.1', 'completed', 1]] });
    // The service would number and count these events in the meantime.
    await sequenceEvents(s.ports.db);
    await rollUpEvents(s.ports.db);
    const withWeb = await countsOf(s.accountId);
    await seed(s, { name: 'stays' });
    await seed(s, { name: 'other', ...other });
    const withAll = await countsOf(s.accountId);
    const ofStays = (table: string): number => (withAll[table] ?? 0) - (withWeb[table] ?? 0);
    before = Object.fromEntries(Object.entries(atFirst).map(([table, count]) => [table, count + ofStays(table)]));
    otherBefore = await countsOf(other.accountId);
    touched = differences(atFirst, withWeb);
  });

  it('shows in a preview what would be deleted, and changes nothing', async () => {
    expect(touched.length).toBeGreaterThan(25);
    const all = await countsOf(s.accountId);
    const { data } = await eraseWeb({ preview: true });
    expect(data.eraseRepository).toMatchObject({
      erasure: null,
      impact: {
        deleted: expect.arrayContaining([
          { what: 'repositories', count: 1 },
          { what: 'pull requests', count: 1 },
          { what: 'landings', count: 1 },
          { what: 'proofs', count: 1 },
        ]),
        kept: expect.arrayContaining(['A record that says who erased what, and when']),
      },
    });
    expect(await countsOf(s.accountId)).toEqual(all);
  });

  it.each([undefined, null, 'acme/Web', 'web'])('is not erased if the confirmation is %s', async (confirm) => {
    expect((await eraseWeb({ confirm })).errors).toMatchObject([
      {
        message: 'An erasure cannot be undone. Give the name as confirm: "acme/web"',
        extensions: { code: 'BAD_INPUT', field: 'input.confirm' },
      },
    ]);
  });

  it('leaves only positions of events and audit records, also if a process dies in the middle', async () => {
    const [{ count: events } = { count: 0 }] = await s.rows<{ count: number }>(
      'select count(*)::int as count from event',
    );
    const { data } = await eraseWeb({ confirm: 'acme/web' });
    expect(data.eraseRepository).toMatchObject({ erasure: { repository: 'acme/web', finishedAt: null } });
    expect((await s.graphql('{ repository(owner: "acme", name: "web") { id } }')).data).toEqual({ repository: null });
    // Running work gets a minute to stop, so nothing is deleted yet.
    await carryOutErasures(s.ports);
    expect(await s.rows('select 1 from repository where id = $1', [id])).toHaveLength(1);
    const dies = onFailpoint('erasure:contents_removed', async () => {
      throw new Error('The process ends.');
    });
    await expect(carryOut()).rejects.toThrow('An erasure failed, and is tried again in a minute.');
    dies();
    const ends = onFailpoint('erasure:events_emptied', async () => {
      await s.rows(
        "insert into event (account_id, repository_id, action, payload, at) values ($1, $2, 'merged', '{}', now())",
        [s.accountId, id],
      );
    });
    await carryOut();
    ends();
    await carryOut();
    await account.run(
      'eraseRepository',
      { repository: { ...web, name: 'idle' }, confirm: 'acme/idle' },
      'erasure { id }',
    );
    await carryOut();
    expect(differences(before, await countsOf(s.accountId)).filter((table) => !kept.has(table))).toEqual([]);
    expect(differences(otherBefore, await countsOf(other.accountId))).toEqual([]);
    expect(await s.rows('select 1 from event where repository_id = $1', [id])).toEqual([]);
    const [row] = await s.rows<{ count: number }>(
      'select count(*)::int as count from event where position is not null',
    );
    expect(row?.count).toBeGreaterThanOrEqual(events);
  });

  it('can be erased a second time, which returns the first erasure; a name that never existed is not found', async () => {
    const { data } = await eraseWeb({ confirm: 'acme/web' });
    expect(data.eraseRepository).toMatchObject({
      erasure: { repository: 'acme/web', finishedAt: expect.any(String) },
      impact: null,
    });
    const never = { repository: { owner: 'acme', name: 'never' }, confirm: 'acme/never' };
    expect((await eraseWeb(never)).errors).toMatchObject([{ message: 'Repository not found' }]);
    expect((await s.graphql('{ erasures { repository } }')).data).toEqual({
      erasures: [{ repository: 'acme/idle' }, { repository: 'acme/web' }],
    });
  });
});

describe('an account', () => {
  it('is erased with its name as confirmation, and its tokens and sockets end', async () => {
    const browser = openBrowser(s);
    await browser.submit('/session', { token: other.token });
    // After a sign-in at GitHub, there is no token.
    await s.rows('update user_session set token_id = null where account_id = $1', [other.accountId]);
    const socket = await openSocket(s.url, { cookie: browser.cookie, origin: s.url });
    expect(socket.first).toBe('connected');
    const before = await countsOf(s.accountId);
    const erase = async (confirm: string) =>
      await s.graphql(`mutation { eraseAccount(input: {confirm: "${confirm}"}) { ${answer} } }`, {}, other.token);
    expect((await erase('default')).errors).toMatchObject([
      { message: 'An erasure cannot be undone. Give the name as confirm: "other"' },
    ]);
    expect((await erase('other')).data).toMatchObject({ eraseAccount: { erasure: { repository: null } } });
    await expect.poll(async () => (await s.rest('GET', '/api/v1/repo', { token: other.token })).status).toBe(401);
    expect(await socket.closed).toBe(4403);
    await socket.end();
    await carryOut();
    const left = Object.entries(await countsOf(other.accountId)).filter(([, count]) => count > 0);
    expect(left).toEqual([['erasure', 1]]);
    expect(await s.rows('select 1 from account where id = $1', [other.accountId])).toEqual([]);
    expect(
      await s.rows('select account_name from erasure where repository is null and finished_at is not null'),
    ).toEqual([{ account_name: 'other' }]);
    expect(differences(before, await countsOf(s.accountId))).toEqual([]);
    await carryOut();
  });
});

/** How many statements wait for a row that another transaction changes. */
async function countWaiting(): Promise<number> {
  const waiting = await s.rows(
    `select 1 from pg_locks join pg_stat_activity using (pid)
     where not granted and locktype in ('transactionid', 'tuple') and datname = current_database()`,
  );
  return waiting.length;
}

it('empties an event that gets its position while its repository is erased', async () => {
  const { repositoryId } = await seed(s, { name: 'last' });
  const confirm = 'acme/last';
  await account.run('eraseRepository', { repository: { ...web, name: 'last' }, confirm }, 'erasure { id }');
  await carryOut();
  await s.rows('update erasure set finished_at = null, leased_until = null where repository = $1', [confirm]);
  let positioned: Promise<void> = Promise.resolve();
  const disarm = onFailpoint('erasure:events_emptied', async () => {
    // Work that was under way writes an event, whose position is given while the events are emptied again.
    await s.rows("insert into event (account_id, repository_id, action, at) values ($1, $2, 'merged', now())", [
      s.accountId,
      repositoryId,
    ]);
    const { promise: isLocked, resolve } = Promise.withResolvers<void>();
    positioned = s.ports.db.transaction(s.accountId, async (tx) => {
      await tx.query('update event set position = 1000000 where repository_id = $1', [repositoryId]);
      resolve();
      await expect.poll(countWaiting, { timeout: 20_000 }).toBeGreaterThan(0);
    });
    await isLocked;
  });
  await carryOut();
  await positioned;
  disarm();
  expect(await s.rows('select 1 from event where repository_id = $1', [repositoryId])).toEqual([]);
});

it('makes one record of an erasure that is requested twice at the same time', async () => {
  const { repositoryId } = await seed(s, { name: 'twice' });
  const input = { repository: { ...web, name: 'twice' }, confirm: 'acme/twice' };
  const answers = await s.ports.db.transaction(s.accountId, async (tx) => {
    await tx.query('select 1 from repository where id = $1 for update', [repositoryId]);
    const requests = [1, 2].map(async () => await account.run('eraseRepository', input, 'erasure { requestedAt }'));
    await expect.poll(countWaiting, { timeout: 20_000 }).toBeGreaterThan(1);
    return requests;
  });
  const [first, second] = await Promise.all(answers);
  expect(second).toEqual(first);
  expect(await s.rows('select 1 from erasure where repository_id = $1', [repositoryId])).toHaveLength(1);
});

it('every table belongs to a repository, to its account alone, or to the installation', async () => {
  const catalogue = await readCatalogue(s.ports.db.system.query);
  const ofRepository = new Set(planRepository(catalogue, []).owned.map(({ table }) => table));
  const ofAccount = new Set(planAccount(catalogue, []).owned.map(({ table }) => table));
  const names = catalogue.tables.map(({ name }) => name);
  // No row of these tables is about one repository alone. A new table is either listed here, or erased with its
  // repository.
  expect(names.filter((name) => ofAccount.has(name) && !ofRepository.has(name))).toEqual([
    'account',
    'account_targets',
    'account_team',
    'account_team_member',
    'account_user',
    'analytics_progress',
    'api_token',
    'event_head',
    'github_app',
    'github_app_setup',
    'github_installation',
    'host_budget',
    'host_delivery',
    'idempotency_key',
    'oidc_person',
    'preview_image',
    'preview_secret',
    'rate_spent',
    'sign_in_link',
    'slack_cursor',
    'slack_message',
    'slack_workspace',
    'terminal_sign_in',
    'user_action',
    'user_session',
    'webhook_attempt',
    'webhook_cursor',
    'webhook_delivery',
    'webhook_endpoint',
    'webhook_signing',
    'webhook_watch',
  ]);
  expect(names.filter((name) => !ofAccount.has(name))).toEqual([
    'installation',
    'invariant_comparison',
    'migration_phase',
    'mikro_orm_migrations',
    'proof_key',
    'retention_due',
  ]);
});
