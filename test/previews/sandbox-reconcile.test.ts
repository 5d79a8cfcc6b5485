import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { fc } from '../support/properties.ts';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ports } from '../../src/context.ts';
import { sandboxName } from '../../src/domain/previews/sandbox-name.ts';
import { findSandboxBySlug, reconcileSandboxes } from '../../src/modules/previews/index.ts';
import { createDockerSandboxes } from '../../src/platform/previews/docker.ts';
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

describe('containers past their time', () => {
  /** A docker daemon with running containers, which cannot remove some of them. */
  async function daemon(
    names: readonly string[],
    { stuck = [] }: { readonly stuck?: readonly string[] } = {},
  ): Promise<{ place: PreviewSandboxes; running: Set<string>; tornDown: string[] } & AsyncDisposable> {
    const running = new Set(names);
    const tornDown: string[] = [];
    const labels = (name: string): Record<string, string> => ({
      'interlock.preview': name,
      'interlock.until': '2020-01-01T00:00:00Z',
      'interlock.teardown': '["./down.sh"]',
    });
    /** Containers are found by their name, which has the installation at its end, or by their id, which is the name. */
    const nameIn = (path: string): string =>
      [...running].find((name) => new RegExp(`^/containers/${name}(-[0-9a-f]{12})?(/|$)`).test(path)) ?? '';
    const answer = (method: string, path: string): { status: number; body: unknown } => {
      if (path === '/containers/json')
        return { status: 200, body: [...running].map((name) => ({ Id: name, Labels: labels(name) })) };
      if (path === '/exec/e/json') return { status: 200, body: { Running: false, ExitCode: 0 } };
      if (!path.startsWith('/containers/')) return { status: 200, body: {} };
      const name = nameIn(path);
      if (name === '') return { status: 404, body: { message: 'No such container' } };
      if (path.endsWith('/exec')) tornDown.push(name);
      if (method === 'DELETE' && stuck.includes(name))
        return { status: 500, body: { message: 'device or resource busy' } };
      if (method === 'DELETE') running.delete(name);
      return { status: 200, body: { Id: 'e', State: { Running: true }, Config: { Labels: labels(name) } } };
    };
    const folder = mkdtempSync(join(tmpdir(), 'il-daemon-'));
    const socketPath = join(folder, 'docker.sock');
    const server = createServer((request, response) => {
      const path = (request.url ?? '').replace(/^\/v[\d.]+/, '').replace(/\?.*/, '');
      request.resume().on('end', () => {
        const { status, body } = answer(request.method ?? '', path);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    }).listen(socketPath);
    await once(server, 'listening');
    const place = createDockerSandboxes({
      hosts: () => world.host,
      installation: folder,
      docker: new Docker({ socketPath }),
    });
    return {
      place,
      running,
      tornDown,
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
        rmSync(folder, { recursive: true });
      },
    };
  }

  test('are torn down once in a comparison, also if they cannot be removed, and prevent no other removal', async () => {
    const stuck = await begin('docker', 1);
    const other = await begin('docker', 1);
    now = new Date(now.getTime() + 120_000);
    await using docker = await daemon([stuck.name, other.name], { stuck: [stuck.name] });
    expect(await reconcileSandboxes(ports(), [docker.place])).toEqual([other.name]);
    expect(docker.tornDown).toEqual([stuck.name, other.name]);
    expect([...docker.running]).toEqual([stuck.name]);
  });

  test('are removed without their teardown script if their verification goes on in another container', async () => {
    const first = await begin('docker', 90);
    const second = await beginAgain(first);
    await using docker = await daemon([first.name, second]);
    expect(await reconcileSandboxes(ports(), [docker.place])).toEqual([first.name]);
    expect(docker.tornDown).toEqual([]);
    expect([...docker.running]).toEqual([second]);
  });
});
