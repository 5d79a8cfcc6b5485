// The program of `npm start`: its first start and the demo, why it refuses to start, and its next start after a kill.
import { mkdir, rm, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { localDemoHost } from '../../src/demo/host.ts';
import { checkOutcome } from '../../src/demo/outcome.ts';
import type { Played } from '../../src/demo/play.ts';
import { type DemoPullRequest, startScenario } from '../../src/demo/scenario.ts';
import { among } from '../support/tier.ts';
import {
  dataDirectory,
  postgresPid,
  processesNaming,
  removeDirectory,
  type RunningInterlock,
  runProgram,
  startInterlock,
  stopInterlock,
  until,
} from './interlock.ts';
import { type TeamRepository, workIn } from './repository.ts';

const ownMirrors = { GITHUB_MIRRORS: 'own' };
const part = (name: string): RegExp => new RegExp(`^${name} … \\d+\\.\\d s$`, 'm');

describe('a start that is refused', () => {
  test('names its help if an option is unknown', async () => {
    const { code, stderr } = await runProgram('main', ['--quick']).ended;
    expect([code, stderr]).toEqual([1, "unknown option '--quick' (npm start -- --help)\n"]);
  });

  test('keeps a folder that is not a data directory, although --reset is given', async () => {
    const folder = await dataDirectory();
    onTestFinished(async () => await removeDirectory(folder));
    const foreign = join(folder, 'git');
    await mkdir(foreign);
    const { code, stderr } = await runProgram('main', ['--data', folder, '--port', '0', '--reset']).ended;
    expect([code, existsSync(foreign)]).toEqual([1, true]);
    expect(stderr).toContain(`${folder} contains files, but is not a data directory of Interlock.`);
  });
});

test.each(among(['main', 'demo', '../bench/main', '../bench/simulator/main'], ['../bench/simulator/main']))(
  '%s lists its options at --help',
  async (name) => {
    const { code, said, stderr } = await runProgram(name, ['--help']).ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(said).toMatch(/^Usage: npm (run )?\S+ -- .*\n/);
  },
);

// All tests use one data directory, and each test continues where the test before it ended.
describe('a data directory', () => {
  let dataDir = '';
  let interlock: RunningInterlock;
  let shop: TeamRepository;

  beforeAll(async () => {
    dataDir = await dataDirectory();
  });

  afterAll(async () => {
    interlock?.child.kill('SIGKILL');
    await until(async () => (await processesNaming(dataDir)).length === 0);
    await shop?.remove();
    await removeDirectory(dataDir);
  });

  /** Clones the demo's repository over HTTP. */
  async function cloneShop(): Promise<TeamRepository> {
    const folder = await dataDirectory();
    const repository = workIn(interlock.client, { owner: 'demo', name: 'tea-shop', folder });
    await repository.git('clone', '-q', `${interlock.access.url}/git/demo/tea-shop.git`, '.');
    return repository;
  }

  /** Opens and queues a pull request that is behind its base branch, so that it is built before it lands. */
  async function queueTea(name: string): Promise<number> {
    await shop.push(name, { [`teas/${name}`]: '5\n', [`orders/${name}`]: `${name}\n` }, 'origin/main~1');
    const number = await shop.open(name, `Sell ${name}`);
    await shop.queue(number);
    return number;
  }

  test('the start on an empty data directory prints a line for each part, writes access.json and serves all interfaces', async () => {
    // This setting is for machines with disks of their own. `npm start` keeps its directory, so the demo and imports
    // work nevertheless.
    interlock = await startInterlock(dataDir, [], ownMirrors);
    const { access, client } = interlock;
    expect(Object.keys(access).sort()).toEqual(['temporalUi', 'token', 'url']);
    expect((await stat(join(dataDir, 'access.json'))).mode & 0o777).toBe(0o600);
    expect(await client.rest('GET', '/api/v1/repo')).toBeInstanceOf(Array);
    expect((await fetch(`${access.url}/graphiql/`)).status).toBe(200);
    expect((await fetch(access.temporalUi)).status).toBe(200);
    await until(async () => interlock.said().includes('Ctrl-C stops Interlock'));
    const said = interlock.said();
    for (const name of ['PostgreSQL', 'Schema', 'Temporal', 'Server and worker']) expect(said).toMatch(part(name));
    for (const shown of [access.url, join(dataDir, 'access.json'), access.temporalUi, 'curl -s'])
      expect(said).toContain(shown);
    const [link = ''] = /http\S+\/session\/\S+/.exec(said) ?? [];
    expect((await fetch(link)).status).toBe(200);
    // Printed lines may get into logs that others read. So the token is not printed, only a link that works once.
    expect(said).not.toContain(access.token);
    expect(access.temporalUi).toMatch(/\/namespaces\/interlock\/workflows$/);
    for (const name of ['interlock.log', 'temporal.db', 'temporal.log', 'access.json', 'token', 'secrets.json'])
      expect([name, (await stat(join(dataDir, name))).mode & 0o077]).toEqual([name, 0]);
    console.log(`cold start: ready after ${(interlock.readyAfterMs / 1000).toFixed(1)} s`);
  });

  test('a second start on the same data directory is refused with the address of the first', async () => {
    const second = await runProgram('main', ['--data', dataDir, '--port', new URL(interlock.access.url).port]).ended;
    expect(second.code, second.said).toBe(1);
    expect(second.stderr).toContain(`Interlock already runs on ${dataDir}: ${interlock.access.url} (process `);
  });

  test('the demo prints its batches, a bisection, landings, deployments and its end', async () => {
    await until(async () => /^To roll production back, .*\n/m.test(interlock.said()), { withinMs: 120_000 });
    const said = interlock.said();
    expect(said).toContain('The demo is over: 5 merged, 2 blocked.');
    expect(said).toContain(`To verify all proofs: npm run verify -- demo/tea-shop --data ${dataDir}\n`);
    expect(said).toMatch(/ s {2}batch {5}#1 #2 #3 #4 on main at [0-9a-f]{8}$/m);
    expect(said).toMatch(/ s {2}bisected {2}#1 #2 #3 #4: red together/m);
    expect(said).toMatch(/ s {2}landed {4}#.* as [0-9a-f]{8}, tree verified \(exact\)$/m);
    for (const version of ['1.0-rc1', '1.1-rc1'])
      expect(said).toMatch(new RegExp(` s {2}deployed {2}${version} to production$`, 'm'));
  });

  test('after the demo, production runs the newer of two candidates and can be rolled back, at the printed address', async () => {
    const [page = ''] = /http\S+\/releases\/tea-shop$/m.exec(interlock.said()) ?? [];
    expect((await fetch(page, { headers: { accept: 'text/html' } })).status).toBe(200);
    const before = await readProduction();
    expect(before).toMatchObject({
      running: { releaseCandidate: { version: '1.1-rc1' } },
      rollback: { releaseCandidate: { version: '1.0-rc1' } },
    });
    expect(before.rollback?.changelog.removed.pullRequests.length).toBeGreaterThan(0);
    await interlock.client.rest('POST', '/api/releases/tea-shop/environments/production/rollback', {});
    await until(async () => (await readProduction()).running.releaseCandidate.version === '1.0-rc1');
  });

  test('the installation has healthy parts, and temporalUrl leads to the workflow of the queue', async () => {
    const read = async () =>
      await interlock.client.graphql<{
        installation: { temporalUi: string; parts: { name: string; well: boolean }[] };
        repository: { queue: { temporalUrl: string } };
      }>(
        `{ installation { temporalUi parts { name well } }
           repository(owner: "demo", name: "tea-shop") { queue(baseBranch: "main") { temporalUrl } } }`,
        {},
      );
    // On a busy machine, Temporal may be late with an answer.
    await expect
      .poll(async () => (await read()).installation)
      .toEqual({
        temporalUi: interlock.access.temporalUi,
        parts: ['DATABASE', 'TEMPORAL', 'WORKER'].map((name) => ({ name, well: true })),
      });
    const { repository } = await read();
    // The Temporal UI answers every address with the same page, which reads the workflow from this API.
    const { origin, pathname } = new URL(repository.queue.temporalUrl);
    expect((await fetch(`${origin}/api/v1${pathname}`)).status).toBe(200);
    expect((await fetch(`${origin}/api/v1${pathname}0`)).status).toBe(404);
  });

  test('simulate replays the pull requests of the demo', async () => {
    const simulated = await runProgram('simulate', ['demo/tea-shop', '--data', dataDir, '--days', '1']).ended;
    expect(simulated.code, simulated.said).toBe(0);
    expect(simulated.said).toMatch(/^merged +5 +5$/m);
    expect(simulated.said).toMatch(/^ +\d+ pull requests are too few for figures of a usual day/m);
    expect(simulated.said).not.toContain('merged in an hour');
  });

  test('import adds a repository with its commits, its branch and its tag', async () => {
    const source = await dataDirectory();
    onTestFinished(async () => await removeDirectory(source));
    const git = async (...args: string[]): Promise<string> => await interlock.client.git(source, ...args);
    await git('init', '-q', '-b', 'trunk');
    for (const message of ['One', 'Two', 'Three']) await git('commit', '-q', '--allow-empty', '-m', message);
    await git('tag', 'v1');
    const imported = await runProgram('import', [source, 'imported/three', '--data', dataDir], ownMirrors).ended;
    expect(imported.code, imported.said).toBe(0);
    expect(imported.said).toMatch(/^imported\/three: 1 branch, 1 tag; pull requests land on trunk\.$/m);
    const again = await runProgram('import', [source, 'imported/three', '--data', dataDir, '--json']).ended;
    expect([again.code, JSON.parse(again.said)], again.said).toEqual([
      0,
      { repository: 'imported/three', branches: 1, tags: 1, defaultBranch: 'trunk' },
    ]);
    const refs = await git('ls-remote', `${interlock.access.url}/git/imported/three.git`);
    const head = (await git('rev-parse', 'HEAD')).trim();
    for (const ref of ['refs/heads/trunk', 'refs/tags/v1']) expect(refs).toContain(`${head}\t${ref}`);
  });

  test('checkOutcome of the demo names each pull request with a wrong outcome', async () => {
    const pullRequests = startScenario.pullRequests.map((pullRequest, index) => ({ pullRequest, number: index + 1 }));
    const played: Played[] = await Promise.all(
      pullRequests.map(async (one) => ({ ...one, status: (await readPullRequest(one.number)).status })),
    );
    const host = localDemoHost({ ...interlock.access, scenario: startScenario });
    const check = async (seen: readonly Played[]): Promise<readonly string[]> =>
      await checkOutcome({ ...interlock.access, host, scenario: startScenario, played: seen, say: () => {} });
    expect(await check(played)).toEqual([]);
    const [first, ...others] = played;
    if (first === undefined) throw new Error('The demo has no pull requests.');
    const expectedToFail: DemoPullRequest = { ...first.pullRequest, expected: 'failed', files: { 'teas/none': '1\n' } };
    const blocked = others.find(({ status }) => status === 'blocked') ?? first;
    expect(
      await check([
        { ...first, pullRequest: expectedToFail },
        { ...blocked, status: 'merged' },
      ]),
    ).toEqual([
      '#1 Sell earl-grey is merged, not blocked',
      `#${blocked.number} ${blocked.pullRequest.title} is merged, not blocked`,
      '#1 is merged, but teas/none on main does not have its content',
      expect.stringContaining(
        `#${blocked.number} is merged, but its merge commit null is not on the first-parent line`,
      ),
      ...Object.keys(blocked.pullRequest.files).map(
        (path) => `#${blocked.number} is merged, but ${path} on main does not have its content`,
      ),
    ]);
  });

  interface Production {
    readonly running: { readonly releaseCandidate: { readonly version: string } };
    readonly rollback: {
      readonly changelog: { readonly removed: { readonly pullRequests: readonly { readonly number: number }[] } };
    } | null;
  }

  async function readProduction(): Promise<Production> {
    const { releaseProject } = await interlock.client.graphql<{ releaseProject: { environment: Production } }>(
      `{ releaseProject(name: "tea-shop") { environment(name: "production") {
           running { releaseCandidate { version } }
           rollback { releaseCandidate { version } changelog { removed { pullRequests { number } } } } } } }`,
    );
    return releaseProject.environment;
  }

  async function readPullRequest(number: number): Promise<{ status: string }> {
    return await interlock.client.rest('GET', `/api/v1/pull_request?org=demo&repo=tea-shop&number=${number}`);
  }

  test('kill -9 leaves no process, and the next start replaces a lost token and lands what was queued', async () => {
    shop = await cloneShop();
    const number = await queueTea('gyokuro');
    await until(async () => (await shop.read(number)).status === 'tagged');
    interlock.child.kill('SIGKILL');
    await interlock.ended;
    await until(async () => (await processesNaming(dataDir)).length === 0);

    // Removes the file, as if a kill had come after the account was created and before the file was written.
    await rm(join(dataDir, 'token'));
    const { token } = interlock.access;
    interlock = await startInterlock(dataDir);
    expect(interlock.said()).toContain('token was missing, so Interlock made a new one.');
    expect(interlock.access.token).not.toBe(token);
    console.log(`start after kill -9: ready after ${(interlock.readyAfterMs / 1000).toFixed(1)} s`);
    shop = await reconnect(shop);
    await shop.settled([number]);
    expect(await shop.landing(number)).toMatchObject({ status: 'MERGED' });
  });

  test('Ctrl-C during a build ends with exit code 0, and afterwards verify and doctor work without a running Interlock', async () => {
    const number = await queueTea('sencha-2');
    await until(async () => (await shop.read(number)).status === 'tagged');
    const { code, stderr, said } = await stopInterlock(interlock);
    expect([code, stderr], said).toEqual([0, '']);
    expect(said).toContain('Stopping. Running work is finished, or continued by the next start …');
    expect(existsSync(join(dataDir, 'access.json'))).toBe(false);
    expect(await processesNaming(dataDir)).toEqual([]);
    const verified = await runProgram('verify', ['demo/tea-shop', '--data', dataDir]).ended;
    expect(verified.code, verified.said).toBe(0);
    expect(verified.said).toContain('every proof was derived again');
    const examined = await runProgram('doctor', ['demo/tea-shop', '--data', dataDir]).ended;
    expect(examined.code, examined.said).toBe(0);
    expect(examined.said).toMatch(/ok +checks: .* on bot branches/);
    expect(await processesNaming(dataDir)).toEqual([]);
  });

  test('a start with --reset --no-demo has no data, and ends with a message when PostgreSQL is killed', async () => {
    const { token } = interlock.access;
    interlock = await startInterlock(dataDir, ['--reset', '--no-demo']);
    expect(interlock.access.token).not.toBe(token);
    expect(await interlock.client.rest('GET', '/api/v1/repo')).toEqual([]);
    expect(existsSync(join(dataDir, 'git', '1'))).toBe(false);
    expect(interlock.said()).not.toContain('tea-shop');

    process.kill(await postgresPid(dataDir), 'SIGKILL');
    const { code, said, stderr } = await interlock.ended;
    expect(code, said).toBe(1);
    expect(stderr).toContain('PostgreSQL has ended');
    expect(stderr).toContain('Interlock stops. Start it again, and it continues where it stopped.');
    await until(async () => (await processesNaming(dataDir)).length === 0);
  });

  async function reconnect(repository: TeamRepository): Promise<TeamRepository> {
    const again = workIn(interlock.client, { owner: 'demo', name: 'tea-shop', folder: repository.folder });
    await again.git('remote', 'set-url', 'origin', `${interlock.access.url}/git/demo/tea-shop.git`);
    return again;
  }
});
