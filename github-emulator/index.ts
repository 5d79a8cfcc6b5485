// An emulator of GitHub: REST, GraphQL, git, webhooks and pages, for developing and testing without a network.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Core, instant, type Urls } from './core.ts';
import { createEffects } from './faults/effects.ts';
import { createFaults, type Controls } from './faults/controls.ts';
import { createRandom } from './faults/random.ts';
import { commitFirst } from './git/first-commit.ts';
import { joinRules, type Rules } from './git/rules.ts';
import { createGitStore } from './git/store.ts';
import { findAccount } from './http/reach.ts';
import { createLimits } from './http/limits.ts';
import { addPerson, type FirstState, type SeededFacts, seedState } from './model/first-state.ts';
import { makeRepository, type Maker } from './model/seed.ts';
import type { Repository } from './model/types.ts';
import { openState } from './model/state.ts';
import { readApiDescription, readWebhookDescription } from './openapi/description.ts';
import type { Part } from './part.ts';
import { parts } from './parts.ts';
import { createServer, type World } from './server.ts';
import { createDelivering } from './webhooks/delivering.ts';
import { createEventBus } from './webhooks/event-bus.ts';

export interface EmulatorOptions extends FirstState {
  /** Default: any free port. */
  readonly port?: number;
  readonly host?: string;
  /**
   * The folder of the state and the repositories, which is kept between starts. Default: a temporary folder that `stop`
   * removes.
   */
  readonly dataDir?: string;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** The seed of all random choices, such as tokens, secrets and faults. Default: 1. */
  readonly seed?: number;
  /**
   * Listens also with TLS on this port. The key and the certificate are in PEM. The command `gh` supports only https.
   */
  readonly tls?: { readonly port: number; readonly key: string; readonly cert: string };
}

/** The facts about a started emulator. The program prints them as one line of JSON. */
export interface EmulatorAccess extends SeededFacts {
  readonly url: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly webUrl: string;
}

export interface Emulator extends EmulatorAccess {
  readonly controls: Controls;
  readonly core: Core;
  readonly setWebhookUrl: (url: string) => void;
  /** Adds a person with a personal token. With a role, the person is a member of the organisation. */
  readonly addPerson: (
    login: string,
    role?: 'admin' | 'member',
  ) => { readonly login: string; readonly token: string; readonly id: number };
  /** Adds a repository of the organisation. Its first commit has the given files. */
  readonly addRepository: (name: string, given?: NewRepository) => Promise<AddedRepository>;
  /** Sets the Actions secrets of a repository. */
  readonly setSecrets: (fullName: string, secrets: Readonly<Record<string, string>>) => void;
  readonly stop: () => Promise<void>;
}

export interface NewRepository {
  readonly files?: Readonly<Record<string, string>>;
  /**
   * Settings that differ from GitHub's defaults, for example `supportsDrafts: false`. Repositories are private by
   * default.
   */
  readonly settings?: Partial<Repository>;
}

export interface AddedRepository {
  readonly id: number;
  readonly fullName: string;
  readonly url: string;
  /** The first commit. */
  readonly head: string;
}

export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'github-'));
  mkdirSync(dataDir, { recursive: true });
  const state = openState(options.dataDir === undefined ? null : join(dataDir, 'state.json'));
  const clock = options.clock ?? Date.now;
  // The seed depends on the state, so that a restart does not make the same tokens again.
  const seed = (options.seed ?? 1) ^ Math.imul(state.nextId(), 2_654_435_761);
  const random = createRandom(seed);
  const now = (): string => instant(clock());
  const access = seedState({ state, random, now }, dataDir, options);
  const world = assemble({ state, random, now, clock, dataDir, faultsSeed: ~seed });
  const fastify = await listen(world, options);
  for (const part of world.parts) await part.start?.();
  const { core, urls } = world;
  return {
    ...access,
    url: urls.web,
    apiUrl: urls.api,
    graphqlUrl: urls.graphql,
    webUrl: urls.web,
    core,
    controls: core.controls,
    setWebhookUrl: (url) => {
      const app = state.apps.must(Number(access.appId));
      app.webhook = { ...app.webhook, url, isActive: true };
      state.save();
    },
    addPerson: (login, role) => addPerson({ state, random, now }, access.owner, { login, role: role ?? null }),
    addRepository: async (name, given) => await addRepository(core, access, name, given),
    setSecrets: (fullName, secrets) => {
      const [login, name] = fullName.split('/');
      const owner = state.accounts.find((each) => each.login === login);
      const repository = state.repositories.find((each) => each.ownerId === owner?.id && each.name === name);
      if (repository === undefined) throw new Error(`There is no repository ${fullName}.`);
      repository.actionsSecrets = secrets;
      state.save();
    },
    stop: async () => {
      for (const part of world.parts) await part.stop?.();
      await Promise.all(fastify.map(async (each) => await each.close()));
      await core.settled();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      else state.flush();
    },
  };
}

async function addRepository(
  core: Core,
  access: SeededFacts,
  name: string,
  { files = { 'README.md': `# ${name}\n` }, settings = {} }: NewRepository = {},
): Promise<AddedRepository> {
  const [owner, sender] = [access.owner, access.login].map((login) => findAccount(core, login));
  if (owner === undefined || sender === undefined)
    throw new Error('The emulator has no organisation or no person any more.');
  const repository = makeRepository(core, { isPrivate: true, ...settings, owner, name });
  await core.git.create(repository);
  core.emit({ name: 'repository', action: 'created', repository, sender });
  const head = await commitFirst(core, repository, { sender, files });
  core.state.save();
  const fullName = `${owner.login}/${name}`;
  return { id: repository.id, fullName, url: `${core.urls.web}/${fullName}.git`, head };
}

interface Given extends Maker {
  readonly clock: () => number;
  readonly dataDir: string;
  readonly faultsSeed: number;
}

function assemble({ state, random, now, clock, dataDir, faultsSeed }: Given): World {
  const urls = { web: '', api: '', graphql: '' };
  const mistakes: string[] = [];
  const made: Part[] = [];
  const fail = (error: unknown): void =>
    void mistakes.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const events = createEventBus(() => made.flatMap(({ onEvent }) => (onEvent === undefined ? [] : [onEvent])), fail);
  const rules: Rules = async (request) =>
    await joinRules(made.flatMap((part) => (part.rules === undefined ? [] : [part.rules])))(request);
  const effects = createEffects({ state, clock, now, emit: events.emit, settled: events.handled });
  const faults = createFaults(createRandom(faultsSeed), effects);
  const git = createGitStore(join(dataDir, 'repositories'));
  const core: Core = {
    state,
    git,
    random,
    controls: faults.controls,
    faults,
    rules,
    urls,
    clock,
    now,
    emit: events.emit,
    settled: async () => {
      // A part emits events when its work ends, and an event may start new work in a part. So events and parts are
      // awaited several times.
      for (let pass = 0; pass < 3; pass += 1) {
        await events.settled();
        for (const part of made) await part.settled?.();
      }
    },
    mistakes,
    limits: createLimits(clock, faults.currentLimits),
  };
  made.push(...parts.map((makePart) => makePart(core)));
  made.push(createDelivering(core, made, readWebhookDescription()));
  return { core, faults, limits: core.limits, description: readApiDescription(), parts: made, urls };
}

async function listen(world: World, options: EmulatorOptions): Promise<{ close(): Promise<void> }[]> {
  const plain = await createServer(world);
  const host = options.host ?? '127.0.0.1';
  const web = (await plain.listen({ port: options.port ?? 0, host })).replace('0.0.0.0', '127.0.0.1');
  setUrls(world.urls, web);
  if (options.tls === undefined) return [plain];
  const { port, key, cert } = options.tls;
  const sealed = await createServer(world, { key, cert });
  await sealed.listen({ port, host });
  return [plain, sealed];
}

function setUrls(urls: { -readonly [Name in keyof Urls]: string }, web: string): void {
  Object.assign(urls, { web, api: `${web}/api/v3`, graphql: `${web}/api/graphql` });
}
