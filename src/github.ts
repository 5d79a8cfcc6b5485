// `npm start -- --github` prints a link that makes a GitHub App. `--github-emulator` starts an emulator of GitHub with
// a repository to experiment with.
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemContext, type Context } from './context.ts';
import type { GitHubPerson } from './demo/host.ts';
import { createOctokit } from './hosts/github/octokit.ts';
import { spawnGuarded, type GuardedProcess } from './launcher/guarded-process.ts';
import { assertPortFree } from './launcher/ports.ts';
import { StartError } from './launcher/start-error.ts';
import type { Secrets } from './modules/accounts/index.ts';
import { addApp, createSetupLink, isLoopback, serverAt } from './modules/github/index.ts';
import { changeActivity, findRepository, replaceConfiguration } from './modules/repositories/index.ts';
import { nodeFlags } from './platform/node-flags.ts';
import { projectRoot } from './platform/project-root.ts';
import type { Service } from './service.ts';

export type GitHubOption =
  /** `server`: `https://github.com`, or the address of an Enterprise Server. */
  { readonly kind: 'app'; readonly server: string } | EmulatorOption;

export interface EmulatorOption {
  readonly kind: 'emulator';
  /** 0: a free port is chosen. */
  readonly port: number;
  /** The organisation in a new emulator. */
  readonly owner?: string;
  /** Whether a new emulator gets a repository with pull requests. */
  readonly hasRepository: boolean;
}

export interface GitHubStarted {
  /** Lines of output for the user. */
  readonly lines: readonly string[];
  /** A person at the emulator. Null: there is no emulator. */
  readonly person: GitHubPerson | null;
  readonly stop: () => Promise<void>;
  /** Settles when the emulator has ended. Null: there is no emulator. */
  readonly exited: Promise<unknown> | null;
}

interface Starting {
  readonly service: Service;
  readonly secrets: Secrets;
  readonly dataDir: string;
}

export async function startGitHub(option: GitHubOption, starting: Starting): Promise<GitHubStarted> {
  const [account] = await starting.service.ports.db.system.query<{ id: string }>(
    'select id from account order by id limit 1',
  );
  if (account === undefined) throw new StartError('There is no account that an App could belong to.');
  const ctx = systemContext(starting.service.ports, account.id);
  return option.kind === 'app' ? await linkToApp(ctx, option.server) : await startEmulator(ctx, option, starting);
}

async function linkToApp(ctx: Context, server: string): Promise<GitHubStarted> {
  if (isLoopback(ctx.publicUrl) && !isLoopback(server))
    throw new StartError(
      `GitHub cannot send webhooks to ${ctx.publicUrl}. Set INTERLOCK_PUBLIC_URL to an address that GitHub reaches, such as a tunnel to this port, and start again.`,
    );
  const link = await createSetupLink(ctx, {
    ...serverAt(server),
    organization: process.env['GITHUB_ORGANIZATION'] ?? null,
  });
  const organization = process.env['GITHUB_ORGANIZATION'];
  const owner = organization ?? 'the person who opens it, or for the organisation that GITHUB_ORGANIZATION names';
  const lines = [
    `GitHub         ${link}   (open this link within an hour: it makes the App for ${owner}, and installs the App)`,
  ];
  return { lines, person: null, exited: null, stop: async () => await Promise.resolve() };
}

/** The access to the emulator, as the emulator prints it. */
interface EmulatorAccess {
  readonly url: string;
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly appId: string;
  readonly slug: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly keyFile: string;
  readonly webhookSecret: string;
  readonly owner: string;
  readonly token: string;
  readonly login: string;
}

async function startEmulator(
  ctx: Context,
  { port, owner, hasRepository }: EmulatorOption,
  { service, secrets, dataDir }: Starting,
): Promise<GitHubStarted> {
  await assertPortFree(port, '--github-emulator', '127.0.0.1');
  const logFile = join(dataDir, 'github-emulator.log');
  await rm(logFile, { force: true });
  const child = await spawnEmulator({ port, owner, dataDir, logFile });
  try {
    const access = await readEmulatorAccess(logFile, child.exited);
    await connectApp(ctx, { secrets, access });
    if (hasRepository) await addRepository(ctx, { service, access });
    const shop = `${access.owner}/${repositoryName}`;
    const tokenFile = join(dataDir, 'github-token');
    await writeFile(tokenFile, `${access.token}\n`, { mode: 0o600 });
    const lines = [
      `GitHub         ${access.webUrl}   (an emulator; ${access.login}'s token is in ${tokenFile})`,
      ...(hasRepository ? linesOf(access, shop, tokenFile) : []),
    ];
    return { lines, person: access, exited: child.exited, stop: async () => await child.stop() };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

interface EmulatorProcess {
  readonly port: number;
  readonly owner: string | undefined;
  readonly dataDir: string;
  readonly logFile: string;
}

async function spawnEmulator({ port, owner, dataDir, logFile }: EmulatorProcess): Promise<GuardedProcess> {
  const program = join(projectRoot, 'dist', 'github-emulator', 'main.js');
  if (!existsSync(program))
    throw new StartError(
      'The package has no emulator of GitHub. Start Interlock from a clone of its sources for that.',
    );
  return await spawnGuarded({
    command: process.execPath,
    args: [
      ...nodeFlags(),
      program,
      '--port',
      String(port),
      '--data',
      join(dataDir, 'github-emulator'),
      ...(owner === undefined ? [] : ['--owner', owner]),
    ],
    env: { PATH: process.env['PATH'] ?? '', HOME: dataDir },
    logFile,
    stopSignal: 'TERM',
  });
}

function linesOf(access: EmulatorAccess, shop: string, tokenFile: string): string[] {
  return [
    `  repository   ${access.url}/${shop}.git   with pull requests 1, 2 and 3; 2 fails its check`,
    `  queue one    curl -s -X POST -H "Authorization: Bearer $(cat ${tokenFile})" -d '{"labels":["mergequeue"]}' -H 'content-type: application/json' ${access.apiUrl}/repos/${shop}/issues/1/labels`,
  ];
}

async function readEmulatorAccess(logFile: string, exited: Promise<number>): Promise<EmulatorAccess> {
  const ended = { is: false };
  void exited.then(() => {
    ended.is = true;
  });
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const text = await readFile(logFile, 'utf8').catch(() => '');
    const line = text.split('\n').find((each) => each.startsWith('{') && each.endsWith('}'));
    if (line !== undefined) return JSON.parse(line) as EmulatorAccess;
    if (ended.is) throw new StartError(`The emulator of GitHub did not start: ${text.trim()}`);
    await delay(50);
  }
  throw new StartError(`The emulator of GitHub did not start within 30 s (${logFile} says why).`);
}

const repositoryName = 'shop';

/** Connects the emulator's App. Idempotent, because later starts call it too. */
async function connectApp(
  ctx: Context,
  { secrets, access }: { readonly secrets: Secrets; readonly access: EmulatorAccess },
): Promise<void> {
  const privateKey = await readFile(access.keyFile, 'utf8');
  const { webhookUrl } = await addApp(ctx, secrets, { ...access, id: access.appId, privateKey });
  const app = createOctokit({ apiUrl: access.apiUrl, as: { app: { id: access.appId, privateKey } } });
  // The body is in `data`, because Octokit would take a parameter named `url` for the address of the request.
  await app.request('PATCH /app/hook/config', { data: { url: webhookUrl } });
}

/** Adds the emulator's repository. Idempotent, because later starts call it too. */
async function addRepository(
  ctx: Context,
  { service, access }: { readonly service: Service; readonly access: EmulatorAccess },
): Promise<void> {
  await fillRepository(access);
  await service.syncInstallations();
  const name = { owner: access.owner, name: repositoryName };
  const repository = await findRepository(ctx, name);
  if (repository === null) throw new StartError(`The emulator lists no ${name.owner}/${name.name}.`);
  if (repository.active) return;
  await changeActivity(ctx, repository.id, true);
  await replaceConfiguration(ctx, { repository: name, yaml: configuration });
}

const configuration = `merge_rules:
  labels:
    trigger: mergequeue
  preconditions:
    use_github_mergeability: false
    required_checks:
      - test
  merge_mode:
    type: parallel
    parallel_mode:
      max_parallel_builds: 3
      batch_size: 1
`;

const workflow = `name: ci
on:
  push:
    branches: ['mq-bot-**']
  pull_request:
jobs:
  test:
    # A bot branch is validated by its push alone.
    if: \${{ !startsWith(github.head_ref, 'mq-bot-') }}
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: test ! -e broken
`;

const pullRequests = [
  { branch: 'greeting', file: 'greeting.txt', title: 'Add a greeting' },
  { branch: 'broken', file: 'broken', title: 'Break the check' },
  { branch: 'farewell', file: 'farewell.txt', title: 'Add a farewell' },
] as const;

/** Makes a repository with a workflow and three pull requests, as a person would. */
async function fillRepository(access: EmulatorAccess): Promise<void> {
  const person = createOctokit({ apiUrl: access.apiUrl, as: { token: access.token } });
  const place = { owner: access.owner, repo: repositoryName };
  const isThere = await person.request('GET /repos/{owner}/{repo}', place).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await person.request('POST /orgs/{org}/repos', { org: access.owner, name: repositoryName, auto_init: true });
  const write = async (branch: string, path: string, text: string): Promise<void> => {
    await person.request('PUT /repos/{owner}/{repo}/contents/{path}', {
      ...place,
      path,
      branch,
      message: `Add ${path}`,
      content: Buffer.from(text).toString('base64'),
    });
  };
  await write('main', '.github/workflows/ci.yml', workflow);
  const { data: main } = await person.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...place,
    ref: 'heads/main',
  });
  for (const { branch, file, title } of pullRequests) {
    await person.request('POST /repos/{owner}/{repo}/git/refs', {
      ...place,
      ref: `refs/heads/${branch}`,
      sha: main.object.sha,
    });
    await write(branch, file, `${title}.\n`);
    await person.request('POST /repos/{owner}/{repo}/pulls', { ...place, title, head: branch, base: 'main' });
  }
}
