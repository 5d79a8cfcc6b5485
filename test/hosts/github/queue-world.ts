// A queue whose repository is at an emulator of GitHub. People use Octokit and git, webhooks arrive over HTTP, and the
// engine is the plain loop.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import Fastify from 'fastify';
import { pino } from 'pino';
import { type Emulator, startEmulator } from '../../../github-emulator/index.ts';
import { systemContext, type Context, type Ports } from '../../../src/context.ts';
import { createAccount, generateSecrets } from '../../../src/modules/accounts/index.ts';
import type { MirrorSettings } from '../../../src/hosts/github/mirror-settings.ts';
import type { HostRepository } from '../../../src/hosts/port.ts';
import { addApp } from '../../../src/modules/github/index.ts';
import { changeActivity, findRepository, replaceConfiguration } from '../../../src/modules/repositories/index.ts';
import { serveGitHub } from '../../../src/server/github.ts';
import { createService, type Service } from '../../../src/service.ts';
import type { EngineSettings } from '../../support/engine-process.ts';
import { createPlainLoop, type PlainLoop } from '../../support/plain-loop.ts';
import { takeDatabase } from '../../support/kept-databases.ts';
import { configurationYaml, countAccountsFrom, parallel } from '../../support/world.ts';
import { commit, git, tip } from '../commits.ts';
import { quickPace } from './github-world.ts';

export interface QueueWorld extends AsyncDisposable {
  readonly emulator: Emulator;
  readonly person: Octokit;
  readonly place: { readonly owner: string; readonly repo: string };
  readonly ctx: Context;
  readonly service: Service;
  readonly webhookUrl: string;
  readonly loop: PlainLoop;
  /** A token of the service user, with every scope. */
  readonly token: string;
  readonly repository: HostRepository;
  /** The settings of an engine in another process. */
  readonly engine: EngineSettings;
  /** Pushes a branch with these files, and opens a pull request as a person. */
  open(branch: string, files: Readonly<Record<string, string>>): Promise<number>;
  /** Pushes a commit to a branch as a person does, and returns its id. A new branch begins at `main`. */
  push(
    branch: string,
    files: Readonly<Record<string, string | null>>,
    more?: { readonly merges?: readonly string[]; readonly message?: string },
  ): Promise<string>;
  label(...numbers: number[]): Promise<void>;
  /** Runs turns of the engine until the condition holds. */
  until(condition: () => Promise<boolean>): Promise<void>;
  /** Waits until each pull request is merged or blocked, and returns the statuses. */
  settled(...numbers: number[]): Promise<Record<number, string>>;
  rows<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** What the installation has used of its budget at GitHub so far. */
  spent(): Promise<{ readonly rest: number; readonly graphql: number; readonly creations: number }>;
  /** Clones the repository as it is at the emulator now. */
  clone(): Promise<string>;
}

/** A workflow that tests bot branches once, when they are pushed. */
export const workflow = `name: ci
on:
  push:
    branches: ['mq-bot-**']
  pull_request:
jobs:
  test:
    if: \${{ !startsWith(github.head_ref, 'mq-bot-') }}
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: test ! -e bad
`;

export const requiresTest = `preconditions:
  use_github_mergeability: false
  required_checks:
    - test
`;
const run = promisify(execFile);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface QueueWorldOptions {
  /** The configuration below `merge_rules`, as YAML. */
  readonly configuration?: string;
  /** Files of the first commit, besides the workflow of the checks. */
  readonly files?: Readonly<Record<string, string>>;
  /** Wakes the engine. Default: wakes the plain loop of this process. */
  readonly wake?: Ports['wake'];
  /** Default: all processes share the mirrors. */
  readonly mirrors?: MirrorSettings;
  /** The id of the account. Workflows are named after it, so a world on the shared Temporal needs its own id. */
  readonly accountId?: number;
  /** The clock of GitHub in milliseconds. Default: the clock of the machine. */
  readonly hostClock?: () => number;
  /** The clock of the service. Default: the clock of the machine. */
  readonly clock?: () => Date;
}

export async function queueWorld(options: QueueWorldOptions = {}): Promise<QueueWorld> {
  const emulator = await startEmulator(options.hostClock === undefined ? {} : { clock: options.hostClock });
  const database = await takeDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'ghq-'));
  const secrets = generateSecrets();
  const loop = createPlainLoop();
  const fastify = Fastify();
  const service = await createService({
    databaseUrl: database.url,
    database: database.database,
    dataDir: join(folder, 'data'),
    publicUrl: 'http://127.0.0.1',
    log: pino({ level: process.env['LOG_LEVEL'] ?? 'fatal' }),
    wake: options.wake ?? loop.wake,
    secrets,
    pushPace: quickPace,
    ...(options.mirrors === undefined ? {} : { mirrors: options.mirrors }),
    ...(options.clock && { clock: options.clock }),
  });
  if (options.accountId !== undefined) await countAccountsFrom(database.url, options.accountId);
  await serveGitHub(fastify, { ...service, secrets });
  const url = await fastify.listen({ port: 0, host: '127.0.0.1' });
  const { accountId, token } = await createAccount(service.ports, secrets, {
    name: 'world',
    email: 'service@example.test',
  });
  const ctx = systemContext({ ...service.ports, publicUrl: url }, accountId);
  const person = new Octokit({ baseUrl: emulator.apiUrl, auth: emulator.token, log: silent });
  const bot = new Octokit({
    baseUrl: emulator.apiUrl,
    log: silent,
    authStrategy: createAppAuth,
    auth: {
      appId: emulator.appId,
      privateKey: readFileSync(emulator.keyFile, 'utf8'),
      installationId: emulator.installationId,
    },
  });
  const place = { owner: emulator.owner, repo: 'shop' };
  await person.repos.createInOrg({ org: emulator.owner, name: 'shop', private: true });
  const directory = join(folder, 'user');
  await run('git', ['init', '--quiet', '--bare', directory]);
  const header = `Authorization: Basic ${Buffer.from(`x-access-token:${emulator.token}`).toString('base64')}`;
  const remote = `${emulator.url}/${place.owner}/${place.repo}.git`;
  const push = async (branch: string): Promise<void> => {
    const refspec = `+refs/heads/${branch}:refs/heads/${branch}`;
    await run('git', ['-c', `http.extraHeader=${header}`, 'push', '--quiet', remote, refspec], { cwd: directory });
    await emulator.core.settled();
  };
  commit(directory, {
    branch: 'main',
    from: null,
    files: { 'README.md': 'shop\n', '.github/workflows/ci.yml': workflow, ...options.files },
    message: 'First',
  });
  await push('main');
  const { webhookUrl } = await addApp(ctx, secrets, {
    id: emulator.appId,
    slug: emulator.slug,
    clientId: emulator.clientId,
    clientSecret: emulator.clientSecret,
    webhookSecret: emulator.webhookSecret,
    privateKey: readFileSync(emulator.keyFile, 'utf8'),
    apiUrl: emulator.apiUrl,
    webUrl: emulator.webUrl,
  });
  emulator.setWebhookUrl(webhookUrl);
  await service.syncInstallations();
  const repository = await findRepository(ctx, { owner: place.owner, name: place.repo });
  if (repository === null) throw new Error('The repository was not listed.');
  await changeActivity(ctx, repository.id, true);
  await replaceConfiguration(ctx, {
    repository: { owner: place.owner, name: place.repo },
    yaml: configurationYaml(options.configuration ?? `${parallel()}${requiresTest}`),
  });
  const rows = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    await service.ports.db.system.query<Row>(text, values);

  const w: QueueWorld = {
    emulator,
    person,
    place,
    ctx,
    service,
    webhookUrl,
    loop,
    token,
    repository: { accountId, id: repository.id, owner: place.owner, name: place.repo },
    engine: { mode: 'loop', databaseUrl: database.url, dataDir: join(folder, 'data'), secrets, pushPace: quickPace },
    rows,
    async push(branch, files, more = {}) {
      const from = tip(directory, branch) ?? git(directory, 'rev-parse', 'refs/heads/main');
      const made = commit(directory, { branch, from, files, ...more });
      await push(branch);
      return made;
    },
    async open(branch, files) {
      await w.push(branch, files);
      const { data } = await person.pulls.create({ ...place, title: `Add ${branch}`, head: branch, base: 'main' });
      return data.number;
    },
    async label(...numbers) {
      for (const issue_number of numbers) {
        await person.issues.addLabels({ ...place, issue_number, labels: ['mergequeue'] });
        await emulator.core.settled();
        await service.drain();
      }
    },
    async until(condition) {
      const deadline = performance.now() + 90_000;
      for (;;) {
        await service.drain();
        await loop.run(service.ports);
        if (await condition()) return;
        if (performance.now() > deadline)
          throw new Error(
            JSON.stringify({
              mistakes: emulator.core.mistakes,
              pulls: await rows('select number, status, status_text from pull_request order by number'),
              batches: await rows('select id, state from batch order by id'),
              intents: await rows("select kind, state, attempt, outcome from intent where state <> 'done'"),
              queue: await rows('select base_branch, base_tip, halted_reason, host_rules, host_wait_until from queue'),
              hints: await rows('select kind, subject from host_hint'),
            }),
          );
        await loop.woken();
      }
    },
    async settled(...numbers) {
      const read = async (): Promise<{ number: number; status: string }[]> =>
        await rows('select number, status from pull_request where number = any($1)', [numbers]);
      await w.until(async () => {
        const seen = await read();
        return (
          seen.length === numbers.length && seen.every(({ status }) => status === 'merged' || status === 'blocked')
        );
      });
      return Object.fromEntries((await read()).map(({ number, status }) => [number, status]));
    },
    async spent() {
      const { data } = await bot.rateLimit.get();
      const { pullRequests, comments, checkRuns } = emulator.core.state;
      const person = emulator.core.state.accounts.find(({ login }) => login === emulator.login)?.id;
      const byApp = checkRuns.filter(({ name }) => name.startsWith('interlock')).length;
      const others = [...pullRequests.all(), ...comments.all()].filter(({ authorId }) => authorId !== person).length;
      return {
        rest: data.resources.core.used,
        graphql: data.resources.graphql?.used ?? 0,
        creations: byApp + others,
      };
    },
    async clone() {
      const to = await mkdtemp(join(folder, 'clone-'));
      await run('git', ['-c', `http.extraHeader=${header}`, 'clone', '--quiet', remote, to]);
      return to;
    },
    async [Symbol.asyncDispose]() {
      await service.stop();
      await fastify.close();
      await emulator.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return w;
}
