// Tests the Docker sandboxes with a real daemon if one answers. Tests everywhere what happens without a daemon.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync, copyFileSync, chmodSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDockerSandboxes, type DockerOptions } from '../../src/platform/previews/docker.ts';
import { BootFailed, type PreviewSandboxes } from '../../src/platform/previews/index.ts';
import { until } from '../hosts/local-world.ts';
import {
  app,
  ask,
  previewWorld,
  setup,
  startsApp,
  teardown,
  type BootOptions,
  type PreviewWorld,
} from './preview-world.ts';

const docker = new Docker();
const answers = await docker.ping().then(
  () => true,
  () => false,
);
const daemons = answers ? [{ version: (await docker.version()).Version }] : [];
const tag = 'interlock-test-node:1';
const image = { kind: 'docker', source: tag } as const;

let world: PreviewWorld;
beforeAll(async () => void (world = await previewWorld()));
afterAll(async () => await world[Symbol.asyncDispose]());
beforeEach(() => world.forget());
afterEach(() => vi.unstubAllEnvs());

function open(more: Partial<DockerOptions> = {}): PreviewSandboxes {
  return createDockerSandboxes({
    hosts: () => world.local.host,
    installation: world.workDir,
    workDir: world.workDir,
    ...more,
  });
}

describe.each(daemons)('docker $version', () => {
  const onBoard = (file: string): string => Buffer.from(file).toString();
  let sandboxes: PreviewSandboxes;

  beforeAll(() => {
    const root = mkdtempSync(join(tmpdir(), 'il-image-'));
    const add = (from: string, to: string): void => {
      mkdirSync(dirname(join(root, to)), { recursive: true });
      copyFileSync(from, join(root, to));
      chmodSync(join(root, to), 0o755);
    };
    const libraries = (program: string): string[] =>
      [...execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+)\s\(0x/g)].map(
        (found) => found[1] ?? '',
      );
    for (const [from, to] of [
      [process.execPath, '/usr/bin/node'],
      ['/bin/sh', '/bin/sh'],
      ['/bin/sleep', '/bin/sleep'],
    ] as const) {
      add(from, to);
      for (const library of libraries(from)) add(library, onBoard(library));
    }
    mkdirSync(join(root, 'tmp'));
    const archive = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1 << 30 });
    const path = join(root, '..', `${Date.now()}.tar`);
    writeFileSync(path, archive);
    execFileSync('docker', ['import', '--change', 'CMD ["/bin/sh"]', '--change', 'ENV PATH=/usr/bin:/bin', path, tag], {
      stdio: 'ignore',
    });
    rmSync(root, { recursive: true });
    rmSync(path);
  });
  beforeEach(() => void (sandboxes = open()));
  afterEach(async () => {
    for (const name of await sandboxes.list()) await sandboxes.destroy(name);
  });

  const boot = async (options: BootOptions = {}): ReturnType<PreviewWorld['boot']> =>
    await world.boot(sandboxes, { image, files: { 'app.cjs': app.replace("'127.0.0.1'", "'0.0.0.0'") }, ...options });

  test('an app is booted by its setup script, reached on loopback, and torn down', async () => {
    const preview = await boot({
      secrets: { API_KEY: 'sesame-street' },
      teardown,
      files: {
        'app.cjs': app.replace("'127.0.0.1'", "'0.0.0.0'"),
        [setup]: `echo "key $API_KEY"; ${startsApp}`,
        [teardown]: 'echo "took $HEAD_SHA down"',
      },
    });
    expect(preview.address).toMatch(/^tcp:127\.0\.0\.1:\d+$/);
    const echo = await ask(preview.address, '/cart', { method: 'POST', body: 'bread' });
    expect(echo).toMatchObject({ url: '/cart', body: 'bread', env: { API_KEY: 'sesame-street', PORT: '3000' } });
    expect(echo.files).toContain('app.cjs');
    expect(await sandboxes.list()).toEqual(['interlock-preview-1-1']);
    await Promise.all([preview.end(), preview.end()]);
    expect(world.output()).toContain('key ***');
    expect(world.output().match(/took [0-9a-f]{40} down/g)).toHaveLength(1);
    expect(await preview.ended).toBe('The preview was stopped.');
    expect(await sandboxes.list()).toEqual([]);
    await expect(ask(preview.address)).rejects.toThrow(/ECONNREFUSED/);
    expect(readdirSync(world.workDir)).toEqual([]);
  });

  test('a container has limits, no privileges, and its port only on loopback', async () => {
    await boot();
    const [listed] = await docker.listContainers({ filters: { label: ['interlock.preview=interlock-preview-1-1'] } });
    const { HostConfig } = await docker.getContainer(listed?.Id ?? '').inspect();
    expect(HostConfig).toMatchObject({
      Privileged: false,
      Memory: 2 * 1024 ** 3,
      NanoCpus: 2e9,
      PidsLimit: 1024,
      SecurityOpt: ['no-new-privileges'],
      PortBindings: { '3000/tcp': [{ HostIp: '127.0.0.1' }] },
    });
    expect(HostConfig.Binds ?? []).toEqual([]);
  });

  test('a container whose worker was killed is found by its name, and replaced by another boot', async () => {
    const first = await boot();
    const another = open();
    expect(await another.list()).toEqual(['interlock-preview-1-1']);
    const second = await world.boot(another, {
      image,
      env: { AGAIN: 'yes' },
      files: { 'app.cjs': app.replace("'127.0.0.1'", "'0.0.0.0'") },
    });
    expect(await first.ended).toMatch(/ended|stopped/);
    expect((await ask(second.address)).env).toMatchObject({ AGAIN: 'yes' });
    await open().destroy('interlock-preview-1-1');
    await open().destroy('interlock-preview-1-1');
    expect(await sandboxes.list()).toEqual([]);
  });

  test('a sandbox whose worker was killed is torn down by the worker that destroys it', async () => {
    await boot({ teardown, secrets: { API_KEY: 'sesame-street' }, files: { [teardown]: 'echo "$API_KEY"; exit 4' } });
    const sentences: string[] = [];
    await open().destroy('interlock-preview-1-1', (sentence) => sentences.push(sentence));
    expect(sentences).toEqual(['The teardown script exited with code 4.']);
    expect(await sandboxes.list()).toEqual([]);
  });

  test('a sandbox that is removed by its name ends without its teardown script, and removing is idempotent', async () => {
    const preview = await boot({ teardown, files: { [teardown]: 'echo torn' } });
    await sandboxes.remove('interlock-preview-1-1');
    await sandboxes.remove('interlock-preview-1-1');
    await preview.ended;
    expect(await sandboxes.list()).toEqual([]);
    expect(world.output()).not.toContain('torn');
  });

  test('another installation does not see the container, and may use the same name for its own', async () => {
    await boot();
    const other = open({ installation: 'https://other.example.org' });
    expect(await other.list()).toEqual([]);
    await other.destroy('interlock-preview-1-1');
    expect(await sandboxes.list()).toEqual(['interlock-preview-1-1']);
  });

  test('a container past its time is listed without running its teardown script, and ends when it is destroyed', async () => {
    await boot({ lifeMs: 60_000, teardown, files: { [teardown]: 'echo torn; exit 4' } });
    const later = open({ clock: () => new Date(Date.now() + 61_000) });
    expect(await later.list()).toEqual(['interlock-preview-1-1']);
    expect(await later.list()).toEqual(['interlock-preview-1-1']);
    const sentences: string[] = [];
    await later.destroy('interlock-preview-1-1', (sentence) => sentences.push(sentence));
    expect(sentences).toEqual(['The teardown script exited with code 4.']);
    expect(await sandboxes.list()).toEqual([]);
  });

  test('a container ends by itself at the end of its life', async () => {
    const preview = await boot({ lifeMs: 6_000 });
    expect(await preview.ended).toMatch(/stopped|ended/);
    await until('it is not listed', async () => (await sandboxes.list()).length === 0);
  });

  test('a failure is reported by its last line of output', async () => {
    const failing = boot({ files: { [setup]: 'echo no database >&2; exit 3' } });
    await expect(failing).rejects.toThrow(new BootFailed(`${setup} exited with code 3: no database`));
    const ending = boot({ files: { [setup]: 'echo bye; kill -9 -1; sleep 60' } });
    await expect(ending).rejects.toThrow(BootFailed);
    const silent = boot({ files: { [setup]: 'echo done' }, bootTimeoutMs: 8_000 });
    await expect(silent).rejects.toThrow('The preview was not up after 8 s: done');
    await expect(boot({ files: { [setup]: null } })).rejects.toThrow(`The commit has no ${setup}`);
    expect(await sandboxes.list()).toEqual([]);
  });

  test('a missing image is reported by its name', async () => {
    const booting = boot({ image: { kind: 'docker', source: 'localhost:1/nothing:1' } });
    await expect(booting).rejects.toThrow(
      /^The image localhost:1\/nothing:1 is not on this machine, and could not be pulled: /,
    );
  });

  test('a boot can be stopped', async () => {
    const stopping = new AbortController();
    const booting = boot({ files: { [setup]: 'echo up; sleep 60' }, signal: stopping.signal });
    booting.catch(() => {});
    await until('the setup script runs', async () => world.output().includes('up'));
    stopping.abort(new Error('not wanted any more'));
    await expect(booting).rejects.toThrow('not wanted any more');
    expect(await sandboxes.list()).toEqual([]);
  });
});

describe('without a daemon', () => {
  test('the refusal says so, nothing is listed, and nothing is booted', async () => {
    const nowhere = open({ docker: new Docker({ socketPath: join(world.workDir, 'nowhere.sock') }) });
    const message = 'No docker daemon answers here: start one, or name it by DOCKER_HOST.';
    expect(await nowhere.refusal('docker')).toBe(message);
    expect(await nowhere.list()).toEqual([]);
    await expect(world.boot(nowhere, { image })).rejects.toThrow(new BootFailed(message));
  });

  test.each([
    [
      'has no socket',
      'unix:///nowhere/docker.sock',
      /^No docker daemon answers here: start one, or name it by DOCKER_HOST\.$/,
    ],
    ['is named wrongly', 'tcp://a:b:c', /^No client of docker could be made: .*DOCKER_HOST/],
    ['is on another machine', 'tcp://docker.example.org:2375', /on another machine/],
  ])('the daemon of DOCKER_HOST %s', async (_, address, refusal) => {
    vi.stubEnv('DOCKER_HOST', address);
    const sandboxes = open();
    expect(await sandboxes.refusal('docker')).toMatch(refusal);
    expect(await sandboxes.list()).toEqual([]);
    await expect(world.boot(sandboxes, { image })).rejects.toThrow(BootFailed);
  });

  test('a daemon on another machine is refused, because its containers could not be reached', async () => {
    const away = open({ docker: new Docker({ host: 'docker.example.org', port: 2375 }) });
    expect(await away.refusal('docker')).toMatch(/on another machine/);
  });

  test('an image of another kind is refused', async () => {
    expect(await open().refusal('command')).toBe('A command is no image of docker.');
  });
});

describe('a daemon in trouble', () => {
  let daemon: Server;
  let daemonsMade = 0;
  let asked: string[];
  type Answer = { status: number; body: unknown };
  let answer: (path: string, query: string) => Answer | Promise<Answer>;
  let sandboxes: PreviewSandboxes;

  beforeEach(async () => {
    asked = [];
    daemon = createServer((request, response) => {
      const path = `${request.method} ${(request.url ?? '').replace(/^\/v[\d.]+/, '').replace(/\?.*/, '')}`;
      asked.push(path);
      request.resume().on('end', () => {
        void Promise.resolve(answer(path, request.url?.replace(/^.*\?/, '') ?? '')).then(({ status, body }) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        );
      });
    });
    // Each daemon has another path, so that a kept connection is not used for the next daemon.
    const socketPath = join(world.workDir, `${(daemonsMade += 1)}.sock`);
    daemon.listen(socketPath);
    await once(daemon, 'listening');
    sandboxes = open({ docker: new Docker({ socketPath }) });
  });
  afterEach(() => {
    daemon.closeAllConnections();
    daemon.close();
  });

  test('an error of the daemon is not a failure of the app, and the started container is removed', async () => {
    answer = (path) =>
      path === 'POST /containers/create'
        ? { status: 500, body: { message: 'no space left' } }
        : { status: 200, body: {} };
    const booting = world.boot(sandboxes, { image });
    await expect(booting).rejects.toThrow(/no space left/);
    await expect(booting).rejects.not.toBeInstanceOf(BootFailed);
    expect(asked.at(-1)).toMatch(/^DELETE \/containers\/interlock-preview-1-1-/);
  });

  test('a container that was left behind is torn down and then removed, also if the teardown fails', async () => {
    const name = /^GET \/containers\/interlock-preview-1-1-\w+\/json$/;
    const left = { State: { Running: true }, Config: { Labels: { 'interlock.teardown': '["./down.sh"]' } } };
    const destroy = async (): Promise<{ asked: string[]; sentences: string[] }> => {
      const sentences: string[] = [];
      asked = [];
      await sandboxes.destroy('interlock-preview-1-1', (sentence) => sentences.push(sentence));
      return { asked: asked.map((path) => path.replace(/-[0-9a-f]{12}/, '')), sentences };
    };
    answer = (path) => {
      if (name.test(path)) return { status: 200, body: left };
      if (path === 'GET /exec/e/json') return { status: 200, body: { Running: false, ExitCode: 0 } };
      return { status: 200, body: { Id: 'e' } };
    };
    const container = '/containers/interlock-preview-1-1';
    expect(await destroy()).toEqual({
      asked: [
        `GET ${container}/json`,
        `POST ${container}/exec`,
        'POST /exec/e/start',
        'GET /exec/e/json',
        `DELETE ${container}`,
      ],
      sentences: ['The teardown script exited with code 0.'],
    });
    const answers = answer;
    answer = (path) => (path.endsWith('/exec') ? { status: 500, body: { message: 'gone' } } : answers(path, ''));
    expect(await destroy()).toEqual({
      asked: [`GET ${container}/json`, `POST ${container}/exec`, `DELETE ${container}`],
      sentences: ['The sandbox ended while its teardown script ran.'],
    });
    left.State.Running = false;
    expect(await destroy()).toEqual({ asked: [`GET ${container}/json`, `DELETE ${container}`], sentences: [] });
  });

  test('containers past their time are listed, and the list alone ends none of them', async () => {
    const labelled = (Id: string) => ({
      Id,
      Labels: { 'interlock.preview': `interlock-preview-1-${Id}`, 'interlock.until': '2020-01-01T00:00:00Z' },
    });
    answer = (path) =>
      path === 'GET /containers/json'
        ? { status: 200, body: [labelled('1'), labelled('2')] }
        : { status: 200, body: { Id: 'e', State: {}, Config: { Labels: {} } } };
    expect(await sandboxes.list()).toEqual(['interlock-preview-1-1', 'interlock-preview-1-2']);
    expect(asked.filter((path) => path.startsWith('GET /containers/')).length).toBe(1);
    expect(asked.filter((path) => /^(DELETE|POST)/.test(path))).toEqual([]);
  });

  describe('with a container that writes without end', () => {
    const limits = { memoryBytes: 1, cpus: 1, processes: 1, teardownTimeoutMs: 1_000, diskLookEveryMs: 20 };
    const message = 'The app was stopped: its files take more than 5 MB together.';
    let app: Server;
    let written: number;
    let setupEnds: boolean;

    beforeEach(async () => {
      written = 5_000_000;
      setupEnds = true;
      app = createServer((_request, response) => void response.end('up'));
      app.listen(0, '127.0.0.1');
      await once(app, 'listening');
      const { port } = app.address() as AddressInfo;
      let removed = Promise.withResolvers<Answer>();
      const NetworkSettings = { Ports: { '3000/tcp': [{ HostIp: '127.0.0.1', HostPort: String(port) }] } };
      answer = async (path, query) => {
        if (path === 'POST /containers/create') removed = Promise.withResolvers<Answer>();
        if (path.endsWith('/wait')) return await removed.promise;
        if (path.startsWith('DELETE')) removed.resolve({ status: 200, body: { StatusCode: 137 } });
        if (path === 'GET /exec/e/json') return { status: 200, body: { Running: !setupEnds, ExitCode: 0 } };
        // As documented, the daemon measures the size only on request.
        const size = query.includes('size=true') ? { SizeRw: written } : {};
        return { status: 200, body: { Id: 'e', State: {}, Config: { Labels: {} }, NetworkSettings, ...size } };
      };
      const engine = new Docker({ socketPath: daemon.address() as string });
      sandboxes = open({ docker: engine, limits: { ...limits, diskBytes: 5_000_000 } });
    });
    afterEach(() => {
      app.closeAllConnections();
      app.close();
    });

    test('removes the container as soon as it passes its bound, and the preview ends with the reason', async () => {
      const preview = await world.boot(sandboxes, { image });
      const looks = (): number => asked.filter((path) => /^GET \/containers\/\S+\/json$/.test(path)).length;
      const before = looks();
      await until('its size was looked at twice', async () => looks() > before + 1);
      expect(asked.filter((path) => path.startsWith('DELETE'))).toEqual([expect.anything()]);
      written += 1;
      expect(await preview.ended).toBe(message);
      expect(asked.filter((path) => path.startsWith('DELETE')).length).toBeGreaterThan(1);
    });

    test('stops the boot if the container passes its bound meanwhile', async () => {
      setupEnds = false;
      written += 1;
      await expect(world.boot(sandboxes, { image })).rejects.toThrow(new BootFailed(message));
    });
  });

  test('a container that another process is removing counts as removed', async () => {
    answer = (path) =>
      path.startsWith('DELETE') ? { status: 409, body: { message: 'in progress' } } : { status: 200, body: {} };
    await sandboxes.destroy('interlock-preview-1-1');
    answer = (path) =>
      path.startsWith('DELETE') ? { status: 500, body: { message: 'stuck' } } : { status: 200, body: {} };
    await expect(sandboxes.destroy('interlock-preview-1-1')).rejects.toThrow(/stuck/);
  });
});
