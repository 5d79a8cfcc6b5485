// Two servers and a worker, each a process of its own, on one PostgreSQL and one Temporal, as in production.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient as createSubscriber } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient, type Client } from '../../src/demo/client.ts';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/launcher/postgres.ts';
import { searchAttributes, startTemporal, type EmbeddedTemporal } from '../../src/launcher/temporal.ts';
import { dataDirectory, removeDirectory, runProgram, until, type Program } from './interlock.ts';
import { startCollector, type CollectedSpan, type Collector } from '../support/otlp.ts';
import { among } from '../support/tier.ts';
import { createTeamRepository, workIn } from './repository.ts';

const cacheDir = defaultCacheDirectory();
const log = (): void => {};
const namespace = 'production';
let dataDir = '';
let postgres: EmbeddedPostgres;
let temporal: EmbeddedTemporal;
let collector: Collector;
const programs: Program[] = [];
let servers: Program[] = [];
let worker: Program;
let token = '';
let here = '';
let there = '';

beforeAll(async () => {
  collector = await startCollector();
  dataDir = await dataDirectory();
  await writeFile(join(dataDir, 'secret'), 'a-secret-that-all-processes-are-given\n', { mode: 0o600 });
  postgres = await startPostgres({ dataDir, cacheDir, fast: true, log });
  temporal = await startTemporal({ dataDir, cacheDir, fast: true, namespace, searchAttributes, log });
});
afterAll(async () => {
  for (const { child } of programs) child.kill('SIGKILL');
  await Promise.all(programs.map(async ({ ended }) => await ended));
  await temporal.stop();
  await postgres.stop();
  await collector.close();
  await removeDirectory(dataDir);
});

function run(...args: string[]): Program {
  return runWith({}, ...args);
}

/** Runs a program whose settings differ from those of the other programs. */
function runWith(other: Readonly<Record<string, string | undefined>>, ...args: string[]): Program {
  const program = runProgram('production', args, {
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: namespace,
    INTERLOCK_DATA: dataDir,
    INTERLOCK_SECRET_FILE: join(dataDir, 'secret'),
    INTERLOCK_HOST: '127.0.0.1',
    ...collector.env,
    ...other,
  });
  programs.push(program);
  return program;
}

/** Waits until the program prints that it is ready, and returns its address. */
async function awaitAddress(program: Program): Promise<string> {
  return await until(async () => {
    if (program.child.exitCode !== null) throw new Error(`The program did not start:\n${program.said()}`);
    return /"url":"(http:[^"]+)".*is ready/.exec(program.said())?.[1] ?? null;
  });
}

const healthOf = async (url: string): Promise<unknown[]> =>
  await Promise.all(['/healthz', '/readyz'].map(async (path) => await (await fetch(`${url}${path}`)).json()));

interface StreamedEvent {
  readonly cursor: string;
  readonly action: string;
}

function follow(
  url: string,
  bearer: string,
  after: string | null = null,
): { events: StreamedEvent[]; closed: Promise<number>; stop(): Promise<void> } {
  const closing = Promise.withResolvers<number>();
  const subscriber = createSubscriber({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
    connectionParams: { Authorization: `Bearer ${bearer}` },
    on: { closed: (event) => closing.resolve((event as { code: number }).code) },
  });
  const events: StreamedEvent[] = [];
  subscriber.subscribe<{ events: StreamedEvent }>(
    { query: 'subscription ($after: String) { events(after: $after) { cursor action } }', variables: { after } },
    { next: ({ data }) => data && events.push(data.events), error: () => {}, complete: () => {} },
  );
  return { events, closed: closing.promise, stop: async () => await subscriber.dispose() };
}

const create = async (client: Client, name: string): Promise<void> => {
  await client.graphql(
    'mutation ($name: String!) { createRepository(input: {owner: "acme", name: $name, host: LOCAL}) { repository { id } } }',
    { name },
  );
};

it('two servers, a worker and a migration can start at the same time on an empty database', async () => {
  servers = [run('server', '--port', '0'), run('server', '--port', '0')];
  worker = run('worker', '--port', '0', '--unsafe-ci');
  const migrated = run('migrate');
  const account = await run('account', '--name', 'team', '--email', 'service@team.test').ended;
  expect(account).toMatchObject({ code: 0, said: expect.stringMatching(/^\S+\n$/) });
  token = account.said.trim();
  expect(await migrated.ended).toMatchObject({ code: 0, said: 'The schema is up to date.\n' });
  [here = '', there = ''] = await Promise.all(servers.map(awaitAddress));
  const health = await awaitAddress(worker);
  for (const url of [here, there, health])
    expect(await healthOf(url)).toMatchObject([{ status: 'ok' }, { status: 'ready' }]);
  // The server counts the worker as ready when the worker asks Temporal for work.
  await until(async () => (await fetch(`${here}/readyz?deep`)).ok);
  const pageOf = async (url: string): Promise<string> => await (await fetch(`${url}/metrics`)).text();
  expect(await pageOf(here)).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
  const page = await pageOf(health);
  expect(page).toMatch(/^process_resident_memory_bytes \S+$/m);
  expect(page).toMatch(/^temporal_\w+\{.*task_queue="interlock"/m);
});

it('a subscription at one server receives events of the other server, and can resume there after its cursor', async () => {
  const own = follow(here, token);
  // The subscription has started when it receives its first event.
  let made = 0;
  await until(
    async () => {
      await create(createClient({ url: here, token }), `warm-up-${(made += 1)}`);
      return own.events.length > 0;
    },
    { everyMs: 300 },
  );
  await create(createClient({ url: there, token }), 'from-the-other');
  await until(async () => own.events.filter(({ action }) => action === 'repository_created').length >= 2);
  const other = follow(there, token, own.events[0]?.cursor ?? '');
  // Either subscription may receive the last event first.
  const cursorsOf = ({ events }: { readonly events: readonly StreamedEvent[] }): string[] =>
    events.map(({ cursor }) => cursor);
  await until(async () => other.events.length > 0 && other.events.length === own.events.length - 1);
  expect(cursorsOf(other)).toEqual(cursorsOf(own).slice(1));
  await own.stop();
  await other.stop();
});

it.each(['server', 'worker'])('a %s with another secret than the others ends and names the setting', async (kind) => {
  const other = { INTERLOCK_SECRET_FILE: undefined, INTERLOCK_SECRET: 'a-secret-that-no-other-process-was-given' };
  const { code, stderr } = await runWith(other, kind, '--port', '0').ended;
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('INTERLOCK_SECRET is not the secret of this installation'),
  ]);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

it.each([
  ['import', ['nowhere', 'acme/imported']],
  ['recover', ['--yes']],
])('%s with another secret than the servers ends and names the setting', async (program, args) => {
  const { code, stderr } = await runProgram(program, args, {
    DATABASE_URL: postgres.url,
    INTERLOCK_DATA: dataDir,
    INTERLOCK_SECRET: 'a-secret-that-no-other-process-was-given',
  }).ended;
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('INTERLOCK_SECRET is not the secret of this installation'),
  ]);
});

it.each(['server', 'worker'])('a %s whose data directory lacks the repositories ends and names both', async (kind) => {
  const empty = join(dataDir, 'not-mounted');
  const { code, stderr } = await runWith({ INTERLOCK_DATA: empty }, kind, '--port', '0').ended;
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`The data directory ${empty} has none of the repositories`),
  ]);
  expect(stderr).toContain('acme/from-the-other');
  expect(stderr).toContain('INTERLOCK_DATA');
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

it('lost repositories are not deactivated while a server or worker runs, because it may have them', async () => {
  const other = { INTERLOCK_DATA: join(dataDir, 'lost') };
  const { code, stderr } = await runWith(other, 'lost-repositories', '--yes').ended;
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('servers or workers of this installation are running (3), and may have these repositories'),
  ]);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  const { repository } = await createClient({ url: here, token }).graphql<{ repository: { active: boolean } }>(
    '{ repository(owner: "acme", name: "from-the-other") { active } }',
  );
  expect(repository.active).toBe(true);
});

it.each(['server', 'worker'])('a %s whose port is in use ends and names the port', async (kind) => {
  const { port } = new URL(here);
  const { code, stderr } = await run(kind, '--port', port).ended;
  expect([code, stderr.trim()]).toEqual([
    1,
    `Port ${port} is in use. Use --port <n>, or stop the program that listens there.`,
  ]);
});

it('a worker that does not reach Temporal names the setting, and no embedded server', async () => {
  const { code, stderr } = await runWith({ TEMPORAL_ADDRESS: '127.0.0.1:1' }, 'worker', '--port', '0').ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('Temporal at 127.0.0.1:1 cannot be reached')]);
  expect(stderr).toContain('or correct --temporal-address (TEMPORAL_ADDRESS).');
  expect(stderr).not.toContain('embedded');
});

it('a server whose Temporal lacks the namespace says so', async () => {
  const server = runWith({ TEMPORAL_NAMESPACE: 'mistyped' }, 'server', '--port', '0');
  const url = await awaitAddress(server);
  await until(async () => server.said().includes('has no namespace mistyped'));
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({
    status: 'ready',
    parts: [{ name: 'temporal', ready: false, message: expect.stringContaining('has no namespace mistyped') }],
  });
  server.child.kill('SIGTERM');
  await server.ended;
});

it('a token revoked at one server closes the sockets of the other', async () => {
  const client = createClient({ url: here, token });
  const made = await client.graphql<{ createApiToken: { token: string; apiToken: { id: string } } }>(
    'mutation { createApiToken(input: {name: "short", kind: ACCOUNT, scopes: [QUEUE_READ]}) { token apiToken { id } } }',
  );
  const socket = follow(there, made.createApiToken.token);
  await until(async () => {
    const answer = await fetch(`${there}/api/v1/repo`, {
      headers: { authorization: `Bearer ${made.createApiToken.token}` },
    });
    return answer.status === 200;
  });
  await client.graphql('mutation ($id: ID!) { revokeApiToken(input: {id: $id}) { apiToken { id } } }', {
    id: made.createApiToken.apiToken.id,
  });
  expect(await socket.closed).toBeGreaterThanOrEqual(4400);
});

it('the trace of a request for a runbook contains the workflow of the runbook', async () => {
  const client = createClient({ url: there, token });
  const repository = await createTeamRepository(client, 'tea', { 'tea.txt': 'black\n' });
  const prompt = '1. Add green tea\n   ```sh\n   echo green > tea.txt\n   ```\n';
  await client.rest('POST', '/api/v1/runbook', { repository: { org: 'team', name: 'tea' }, prompt });
  const ofRunbook = await until(
    async () =>
      collector.spans.find(({ name }) => name === 'activity advanceRunbook' && isRecorded('workflow runbook')) ?? null,
  );
  expect(pathOf(ofRunbook).slice(0, 2)).toEqual(['activity advanceRunbook', 'workflow runbook']);
  expect(pathOf(ofRunbook).at(-1)).toBe('POST /api/v1/runbook');
  await repository.remove();
});

const isRecorded = (wanted: string): boolean => collector.spans.some(({ name }) => name === wanted);

it('both servers take requests, the worker does the work, and all programs end after SIGTERM', async () => {
  const repository = await createTeamRepository(createClient({ url: here, token }), 'shop', {
    '.service/ci.yml': "checks:\n  test:\n    run: 'sleep 1; test ! -e bad'\n",
  });
  const other = workIn(createClient({ url: there, token }), { owner: 'team', name: 'shop', folder: repository.folder });
  const numbers: number[] = [];
  for (const name of ['one', 'two', 'bad', 'four']) {
    await repository.push(name, { [name]: `${name}\n` }, 'origin/main');
    numbers.push(await repository.open(name, `Add ${name}`));
  }
  // The pull requests are queued at both servers, and read at the second.
  await Promise.all(numbers.map(async (number, index) => await (index % 2 === 0 ? repository : other).queue(number)));
  await repository.settled(numbers);
  const statuses = await Promise.all(numbers.map(async (number) => (await other.read(number)).status));
  expect(statuses).toEqual(['merged', 'merged', 'blocked', 'merged']);
  await repository.git('fetch', '-q', 'origin');
  const landed = (await repository.git('log', '--first-parent', '--format=%H', 'origin/main')).trim().split('\n');
  const merged = numbers.filter((_, index) => statuses[index] === 'merged');
  const landings = await Promise.all(merged.map(async (number) => (await repository.landing(number)).mergeCommit));
  expect(new Set(landings).size).toBe(landed.length - 1);
  expect(landed).toEqual(expect.arrayContaining(landings));
  await repository.remove();

  for (const program of [...servers, worker]) {
    program.child.kill('SIGTERM');
    const { code, stderr, said } = await program.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(said).toContain(`The ${program === worker ? 'worker' : 'server'} has stopped.`);
  }
});

it('the trace of a request to queue a pull request leads to its landing', () => {
  const { spans } = collector;
  const requests = new Set(spans.flatMap(({ name, traceId }) => (name === 'POST /api/v1/pull_request' ? traceId : [])));
  const landing = spans.find(
    ({ name, traceId, links = [] }) =>
      name === 'land batch' && [traceId, ...links.map((link) => link.traceId)].some((each) => requests.has(each)),
  );
  expect(landing).toBeDefined();
  const below = spans.filter(({ parentSpanId }) => parentSpanId === landing?.spanId).map(({ name }) => name);
  expect(below).toContain('transaction');
  const ofTrace = spans.filter(({ traceId }) => traceId === landing?.traceId).map(({ name }) => name);
  expect(ofTrace.filter((name) => /^git \w/.test(name))).not.toEqual([]);
  expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['activity advanceQueue', 'compose build']));
});

/** The names of a span and of its ancestors, the nearest ancestor first. */
function pathOf(span: CollectedSpan | undefined): readonly string[] {
  if (span === undefined) return [];
  return [span.name, ...pathOf(collector.spans.find(({ spanId }) => spanId === span.parentSpanId))];
}

it('the trace of a request to queue a pull request contains its build, below the workflow of its batch', () => {
  const paths = collector.spans.filter(({ name }) => name === 'compose build').map(pathOf);
  expect(paths).toContainEqual([
    'compose build',
    'activity makeBuild',
    'workflow quickBatch',
    'transaction',
    'GraphQL QueuePullRequest',
    'POST /api/v1/pull_request',
  ]);
});

it('a server starts without repositories that are lost, after the operator has given them up', async () => {
  const other = { INTERLOCK_DATA: join(dataDir, 'lost') };
  const { stderr } = await runWith(other, 'server', '--port', '0').ended;
  expect(stderr).toContain('production.js lost-repositories says what is lost');

  const listed = await runWith(other, 'lost-repositories').ended;
  expect(listed).toMatchObject({ code: 0, said: expect.stringContaining('Nothing was changed. With --yes') });
  expect(listed.said).toContain('\n  acme/from-the-other\n');
  expect(listed.said).toContain('their commits, branches and tags are lost');
  expect(await runWith(other, 'server', '--port', '0').ended).toMatchObject({ code: 1 });

  const given = await runWith(other, 'lost-repositories', '--yes').ended;
  expect(given).toMatchObject({ code: 0, said: expect.stringContaining('These repositories are inactive now') });
  const server = runWith(other, 'server', '--port', '0');
  await awaitAddress(server);
  server.child.kill('SIGTERM');
  await server.ended;

  // Nothing is lost if the directory was only not mounted.
  const mounted = run('server', '--port', '0');
  const client = createClient({ url: await awaitAddress(mounted), token });
  const { repositories } = await client.graphql<{
    repositories: { nodes: { owner: string; name: string; active: boolean }[] };
  }>('{ repositories(first: 100) { nodes { owner name active } } }');
  expect(repositories.nodes).toContainEqual({ owner: 'acme', name: 'from-the-other', active: false });
  for (const { owner, name } of repositories.nodes)
    await client.graphql(
      'mutation ($repository: RepositoryInput!) { setRepositoryActive(input: {repository: $repository, active: true}) { repository { active } } }',
      { repository: { owner, name } },
    );
  const { repository } = await client.graphql<{
    repository: { active: boolean; events: { nodes: { action: string }[] } };
  }>('{ repository(owner: "acme", name: "from-the-other") { active events(first: 10) { nodes { action } } } }');
  expect(repository.active).toBe(true);
  expect(repository.events.nodes).toContainEqual({ action: 'repository_deactivated' });
  mounted.child.kill('SIGTERM');
  await mounted.ended;
});

const incomplete: readonly (readonly [readonly string[], string])[] = [
  [['server'], 'DATABASE_URL (--database-url) is missing'],
  [['migrate'], 'DATABASE_URL (--database-url) is missing'],
  [['worker', '--database-url', 'postgres://127.0.0.1:1/x'], 'INTERLOCK_SECRET is missing'],
  [['server', '--port', 'many'], '--port must be a number from 0 to 65535, not many.'],
  [
    ['worker', '--ci-concurrency', '0'],
    '--ci-concurrency must be a number from 1, not 0. A worker with --no-ci instead runs no checks.',
  ],
  [['worker', '--quick'], "unknown option '--quick' (node dist/programs/production.js worker --help)"],
];
it.each(among(incomplete, incomplete.slice(0, 1)))('%j fails and says what is missing', async (args, sentence) => {
  const { code, stderr } = await runProgram('production', args, { TEMPORAL_ADDRESS: '127.0.0.1:1' }).ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
