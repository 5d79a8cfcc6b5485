import { fc } from '../support/properties.ts';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ports } from '../../src/context.ts';
import { sandboxName } from '../../src/domain/previews/sandbox-name.ts';
import { findSandboxBySlug, reconcileSandboxes } from '../../src/modules/previews/index.ts';
import type { PreviewSandboxes } from '../../src/platform/previews/port.ts';
import { encrypt, generateSecrets } from '../../src/modules/accounts/index.ts';
import { routeKeyPurpose } from '../../src/modules/previews/sandboxes/sandboxes.reads.ts';
import { localWorld, type LocalWorld } from '../hosts/local-world.ts';

let world: LocalWorld;
let now = new Date('2026-01-01T00:00:00Z');
let runs = 0;
const ports = (): Ports => ({ db: world.db, clock: () => now, log: pino({ level: 'silent' }) }) as unknown as Ports;

beforeAll(async () => {
  world = await localWorld();
  // Rows of a run can be inserted without their pull request.
  await world.sql('set session_replication_role = replica');
});
afterAll(async () => await world.close());

type Kind = PreviewSandboxes['kind'];

/** Sandboxes that run, as the daemon or the worker knows them. */
function place(kind: Kind, running: Set<string>, tornDown: string[] = []): PreviewSandboxes {
  return {
    kind,
    refusal: async () => await Promise.resolve(null),
    boot: () => {
      throw new Error('Nothing is booted here.');
    },
    list: async () => await Promise.resolve([...running]),
    destroy: async (name) => {
      if (name.endsWith('stuck')) throw new Error('It is stuck.');
      tornDown.push(name);
      await Promise.resolve(running.delete(name));
    },
    remove: async (name) => void (await Promise.resolve(running.delete(name))),
  };
}

async function begin(kind: Kind, minutes: number, suffix = ''): Promise<{ id: string; name: string }> {
  runs += 1;
  const { accountId } = world.repository;
  const [run] = await world.sql<{ id: string }>(
    `insert into verification (account_id, repository_id, pull_request_id, head_commit, attempt, cause, status, created_by, created_at)
     values ($1, $2, $3::bigint, $3::text, 1, 'head', 'booting', 'test', now()) returning id::text as id`,
    [accountId, world.repository.id, runs],
  );
  const id = run?.id ?? '';
  const name = `interlock-preview-${accountId}-${id}${suffix}`;
  await world.sql(
    `insert into preview_sandbox (account_id, verification_id, name, kind, state, slug, address, port, expires_at, created_at)
     values ($1, $2, $3, $4, 'ready', $5, 'unix:/x', 3000, $6, now())`,
    [accountId, id, name, kind, `slug-${id}`, new Date(now.getTime() + minutes * 60_000)],
  );
  return { id, name };
}

/** Another worker boots the sandbox again. Returns the name of the new sandbox. */
async function beginAgain({ id, name }: { readonly id: string; readonly name: string }): Promise<string> {
  const { accountId } = world.repository;
  const [, before = '1'] = /-\d+-\d+-(\d+)$/.exec(name) ?? [];
  const again = sandboxName({ accountId, verificationId: id }, Number(before) + 1);
  await world.sql('update preview_sandbox set name = $2 where verification_id = $1', [id, again]);
  return again;
}

test('after any kills, restarts, ends and expiries, the running sandboxes are those that are wanted', async () => {
  const steps = fc.array(
    fc.record({
      does: fc.constantFrom(
        'begin',
        'begin again',
        'kill worker',
        'end run',
        'mark gone',
        'lose row',
        'wait',
        'reconcile',
      ),
      kind: fc.constantFrom<Kind>('docker', 'process'),
      which: fc.nat({ max: 20 }),
      minutes: fc.integer({ min: 1, max: 90 }),
    }),
    { minLength: 1, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (story) => {
      const running = { docker: new Set<string>(), process: new Set<string>() };
      const places = [place('docker', running.docker), place('process', running.process)];
      const made: { id: string; name: string; kind: Kind }[] = [];
      for (const { does, kind, which, minutes } of [
        ...story,
        { does: 'reconcile' as const, kind: 'docker' as const, which: 0, minutes: 1 },
      ]) {
        const one = made[which % Math.max(made.length, 1)];
        if (does === 'begin') {
          const fresh = await begin(kind, minutes);
          made.push({ ...fresh, kind });
          running[kind].add(fresh.name);
        } else if (one !== undefined && does === 'begin again') {
          const name = await beginAgain(one);
          made.push({ ...one, name });
          running[one.kind].add(name);
        } else if (does === 'wait') now = new Date(now.getTime() + minutes * 60_000);
        else if (does === 'kill worker') running.process.clear();
        else if (does === 'reconcile') await reconcileSandboxes(ports(), places);
        else if (one !== undefined && does === 'end run')
          await world.sql("update verification set status = 'canceled' where id = $1", [one.id]);
        else if (one !== undefined && does === 'mark gone')
          await world.sql("update preview_sandbox set state = 'gone', address = null where name = $1", [one.name]);
        else if (one !== undefined && does === 'lose row')
          await world.sql('delete from preview_sandbox where name = $1', [one.name]);
      }
      const wanted = await world.sql<{ name: string }>(
        `select s.name from preview_sandbox s join verification v on v.id = s.verification_id
         where s.state <> 'gone' and s.expires_at > $1 and v.status = 'booting' and s.name = any($2)`,
        [now, made.map(({ name }) => name)],
      );
      const names = new Set(wanted.map(({ name }) => name));
      for (const { name, kind } of made) {
        if (running[kind].has(name)) expect(names).toContain(name);
        // A process ends with its worker. A container is never removed from a run that needs it.
        if (names.has(name) && kind === 'docker') expect(running.docker).toContain(name);
      }
      const open = await world.sql<{ name: string }>(
        "select name from preview_sandbox where state <> 'gone' and name = any($1)",
        [made.map(({ name }) => name)],
      );
      expect(new Set(open.map(({ name }) => name))).toEqual(names);
    }),
    { numRuns: 25 },
  );
});

test('a sandbox that cannot be removed does not keep others from being removed', async () => {
  const stuck = await begin('docker', 1, '-stuck');
  const other = await begin('docker', 1);
  now = new Date(now.getTime() + 120_000);
  const running = new Set([stuck.name, other.name]);
  expect(await reconcileSandboxes(ports(), [place('docker', running)])).toEqual([other.name]);
  expect([...running]).toEqual([stuck.name]);
});

test('a sandbox whose verification goes on in another sandbox is removed without its teardown script, later with it', async () => {
  const first = await begin('docker', 5);
  const second = await beginAgain(first);
  const tornDown: string[] = [];
  const running = new Set([first.name, second]);
  const places = [place('docker', running, tornDown)];
  expect(await reconcileSandboxes(ports(), places)).toEqual([first.name]);
  expect([[...running], tornDown]).toEqual([[second], []]);
  await world.sql("update verification set status = 'passed' where id = $1", [first.id]);
  running.add(first.name);
  await reconcileSandboxes(ports(), places);
  expect([[...running], tornDown.toSorted()]).toEqual([[], [first.name, second]]);
});

test('the public URL of a sandbox that is gone reaches no app', async () => {
  const { id } = await begin('process', 5);
  const { accountId } = world.repository;
  const secrets = generateSecrets();
  const find = async (slug: string): Promise<unknown> => await findSandboxBySlug(world.db, secrets, slug);
  // The worker has not opened a route to the sandbox yet.
  expect(await find(`slug-${id}`)).toMatchObject({ state: 'ready', route: null });
  const seal = async (of: string): Promise<void> =>
    void (await world.sql('update preview_sandbox set way_key = $2 where verification_id = $1', [
      id,
      encrypt(secrets, routeKeyPurpose({ accountId, verificationId: of }), Buffer.from('key')),
    ]));
  await seal(id);
  expect(await find(`slug-${id}`)).toMatchObject({ route: { address: 'unix:/x', key: 'key' } });
  await seal('0');
  await expect(find(`slug-${id}`)).rejects.toThrow('authenticate data');
  await world.sql("update verification set status = 'error' where id = $1", [id]);
  await reconcileSandboxes(ports(), []);
  expect(await find(`slug-${id}`)).toMatchObject({ state: 'gone', route: null });
  expect(await world.sql('select address, way_key from preview_sandbox where verification_id = $1', [id])).toEqual([
    { address: null, way_key: null },
  ]);
  expect(await find('nobody')).toBeNull();
});

test('sandboxes that cannot be listed do not keep the others, and ended ones lose their address', async () => {
  const { id, name } = await begin('process', 60);
  await world.sql("update verification set status = 'canceled' where id = $1", [id]);
  const running = new Set([name]);
  const broken: PreviewSandboxes = {
    ...place('docker', new Set()),
    list: async () => await Promise.reject(new Error('The daemon is in trouble.')),
  };
  expect(await reconcileSandboxes(ports(), [broken, place('process', running)])).toEqual([name]);
  expect([...running]).toEqual([]);
  expect(await world.sql('select state, address from preview_sandbox where name = $1', [name])).toEqual([
    { state: 'gone', address: null },
  ]);
});
